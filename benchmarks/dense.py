"""Exact and approximate dense search, against a plain NumPy product and faiss's flat index."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.generated import (
    BAR_SIZE,
    DEPTH,
    LEAST_TO_GROW,
    QUERY_PARAGRAPHS,
    SEED,
    Sample,
    vectors,
)
from benchmarks.measuring import Row, growth, least
from parm_core.index.approximate import recall
from parm_core.index.dense import ProductEngine
from parm_core.index.kept_clusters import clustered_engine
from parm_core.types import Float32

LEAST_FOR_CLUSTERS = 500_000
"""Paragraphs from which approximate search is worth its row: of fewer, 1,000 hits are too large a part."""


def rows(sample: Sample, n: int) -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        np.save(Path(folder) / "vectors.npy", vectors(sample, n))
        held = np.load(Path(folder) / "vectors.npy", mmap_mode="r")
        queries = vectors(sample, QUERY_PARAGRAPHS, SEED + 1)
        exact = _exact(np.asarray(held), queries)
        approximate = _approximate(Path(folder), np.asarray(held), queries)
        return [*exact, *approximate, *_growth(np.asarray(held), queries)]


def _growth(held: Float32, queries: Float32) -> list[Row]:
    n = len(held)
    if n < LEAST_TO_GROW:
        return []
    whole, tenth = (ProductEngine(held[:size], np.arange(size)) for size in (n, n // 10))
    return [
        growth(
            "dense, exact",
            n,
            lambda: whole.search(queries, depth=DEPTH),
            lambda: tenth.search(queries, depth=DEPTH),
        )
    ]


def plain(held: Float32, queries: Float32) -> tuple[Any, Float32]:
    """The best DEPTH rows by a whole product and argpartition, sorted; ties as they fall."""
    depth = min(DEPTH, len(held))
    scores = queries @ held.T
    best = np.argpartition(scores, len(held) - depth, axis=1)[:, len(held) - depth :]
    found = np.take_along_axis(scores, best, axis=1)
    order = np.argsort(-found, axis=1)
    return np.take_along_axis(best, order, axis=1), np.take_along_axis(found, order, axis=1)


def _exact(held: Float32, queries: Float32) -> list[Row]:
    import faiss

    n = len(held)
    own = ProductEngine(held, np.arange(n))
    flat: Any = faiss.IndexFlatIP(held.shape[1])
    flat.add(np.ascontiguousarray(held))
    ways: dict[str, Callable[[], object]] = {
        "own": lambda: own.search(queries, depth=DEPTH),
        "NumPy product, argpartition": lambda: plain(held, queries),
        "faiss's flat index": lambda: flat.search(queries, DEPTH),
    }
    spent = least(ways, rounds=9 if n < 500_000 else 4)
    bars = {"NumPy product, argpartition": 1 / 1.2, "faiss's flat index": 1.0}
    what = f"dense, exact, {QUERY_PARAGRAPHS} paragraphs, {DEPTH:,} hits each"
    return [
        Row(
            what=what,
            paragraphs=n,
            own=spent["own"],
            against=name,
            other=spent[name],
            bar=bar if n == BAR_SIZE else None,
        )
        for name, bar in bars.items()
    ]


def _approximate(folder: Path, held: Float32, queries: Float32) -> list[Row]:
    n = len(held)
    if n < LEAST_FOR_CLUSTERS:
        return []
    exact, twins = ProductEngine(held, np.arange(n)), np.arange(n)
    start = time.perf_counter()
    engine = clustered_engine(folder / "clusters", "generated", held, twins)
    building_s = time.perf_counter() - start
    ways: dict[str, Callable[[], object]] = {
        "own": lambda: engine.search(queries, depth=DEPTH),
        "exact": lambda: exact.search(queries, depth=DEPTH),
    }
    spent = least(ways, rounds=5)
    pair = (e.search(queries, depth=DEPTH) for e in (engine, exact))
    note = (
        f"recall {recall(*pair):.3f} (of its sample {engine.measured.recall:.3f}), "
        f"{engine.measured.probes} clusters a paragraph; built in {building_s:.0f} s"
    )
    what, bar = "dense, approximate", 2.0 if n >= 1_000_000 else None
    own, other = spent["own"], spent["exact"]
    row = Row(what=what, paragraphs=n, own=own, against="exact", other=other, bar=bar, note=note)
    return [row]
