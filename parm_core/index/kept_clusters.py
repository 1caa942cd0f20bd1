"""The clusters of an index, kept in a folder of their own: built once, used while the index is the same.

    about.json                             what it is of, the measured recall, hashes of the small files
    centroids.npy, starts.npy, rows.npy    see clustering.py
    vectors.npy                            the index's vectors, cluster by cluster

Nothing here is needed to keep: what is missing, damaged or of another index is built again.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from parm_core.errors import IndexStoreError
from parm_core.index.approximate import ClusteredEngine, Recall, measure
from parm_core.index.clustering import Clusters, clustered, spans
from parm_core.index.files import map_files, write_rows
from parm_core.index.manifest import sha256
from parm_core.types import Float32, Int64

_ABOUT, _VECTORS = "about.json", "vectors.npy"
_SMALL = ("centroids.npy", "starts.npy", "rows.npy")
_DRAWN = 256
"""Rows whose copied vectors are compared with the index's own at opening."""


def clustered_engine(folder: Path, key: str, vectors: Float32, twins: Int64) -> ClusteredEngine:
    """The engine kept in `folder`; built first, which takes minutes, where none of this `key` is.

    key: a hash of what the vectors and twins are. Raises IndexStoreError where it cannot be written.
    """
    kept = _kept(folder, key, vectors, twins)
    if kept is None:
        try:
            _build(folder, key, vectors, twins)
        except OSError as error:
            raise IndexStoreError(
                f"the approximate index cannot be written to {folder}: {error.strerror or error}; "
                "make room there, or search exactly, without @engine=ivf"
            ) from error
        kept = _kept(folder, key, vectors, twins)
    if kept is None:
        raise IndexStoreError(
            f"the approximate index in {folder} cannot be read back; look at that disk, or search "
            "exactly, without @engine=ivf"
        )
    return kept


def _kept(folder: Path, key: str, vectors: Float32, twins: Int64) -> ClusteredEngine | None:
    """What is kept, None where there is nothing that fits."""
    try:
        about = json.loads((folder / _ABOUT).read_text(encoding="utf-8"))
        if about["of"] != key or any(sha256(folder / n) != about["files"][n] for n in _SMALL):
            return None
        measured = _measured(about["measured"])
        clusters = _mapped(folder, vectors.shape)
    except (IndexStoreError, OSError, ValueError, TypeError, KeyError, RecursionError):
        return None
    drawn = np.random.default_rng().permutation(len(vectors))[:_DRAWN]
    if not np.array_equal(clusters.vectors[drawn], vectors[clusters.rows[drawn]]):
        return None
    return ClusteredEngine(clusters, twins, measured)


def _mapped(folder: Path, shape: tuple[int, ...]) -> Clusters:
    """Raises IndexStoreError where a file does not hold what it must."""
    n, dim = shape
    files = map_files(folder, [*_SMALL, _VECTORS])
    centroids = files.array("centroids.npy", "<f4", -1, dim)
    starts = files.starts("starts.npy", len(centroids), n)
    rows = files.array("rows.npy", "<i8", n)
    return Clusters(centroids, starts, rows, files.array(_VECTORS, "<f4", n, dim))


def _measured(held: Mapping[str, Any]) -> Recall:
    """Raises TypeError or ValueError where it is no measurement."""
    measured = Recall(**held)
    if not (type(measured.probes) is int and measured.probes > 0 and measured.depth > 0):
        raise ValueError("no measurement")
    return measured


def _build(folder: Path, key: str, vectors: Float32, twins: Int64) -> None:
    """Write beside, then rename into place. Raises OSError."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    draft = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    try:
        _write(draft, vectors, twins)
        measured = measure(_mapped(draft, vectors.shape), vectors, twins)
        hashes = {name: sha256(draft / name) for name in _SMALL}
        about = {"of": key, "measured": asdict(measured), "files": hashes}
        (draft / _ABOUT).write_text(json.dumps(about, indent=1), encoding="utf-8")
        shutil.rmtree(folder, ignore_errors=True)
        draft.rename(folder)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _write(draft: Path, vectors: Float32, twins: Int64) -> None:
    centroids, cluster = clustered(vectors, twins)
    rows, starts = spans(cluster, len(centroids))
    np.save(draft / "centroids.npy", centroids)
    np.save(draft / "starts.npy", starts)
    np.save(draft / "rows.npy", rows)
    shape = (len(vectors), int(vectors.shape[1]))
    write_rows(draft / _VECTORS, "<f4", shape, lambda places: vectors[rows[places]])
