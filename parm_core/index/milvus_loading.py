"""Moving an index into Milvus: its rows are loaded, then a folder that knows them is written."""

from __future__ import annotations

from pathlib import Path

from parm_core.errors import ConfigError
from parm_core.index.draft import Draft, drafting
from parm_core.index.manifest import write_manifest
from parm_core.index.milvus import RemoteIndex, collection_of
from parm_core.index.milvus_connection import Connection, checked_uri, stored_uri
from parm_core.index.milvus_rows import content_sha256, row_blocks
from parm_core.index.opened import Index
from parm_core.index.postings import PARAGRAPHS
from parm_core.index.store import open_index
from parm_core.types import Progress

IN_MILVUS = frozenset(
    ["vectors.npy", *(f"{PARAGRAPHS}.{name}.npy" for name in ("impacts", "units", "starts"))]
)
"""What an index on disk holds and one in Milvus does not."""


def move_to_milvus(
    index: Index,
    path: Path | str,
    uri: str,
    *,
    progress: Progress | None = None,
    wait: bool = False,
) -> Index:
    """Load an index's paragraphs into the Milvus at `uri`, then write a folder that knows it; opens that.

    The index given stays as it is. A load that was interrupted goes on where it stopped.
    wait: for another process that is building at `path`; else that is an error.
    Raises ConfigError for an unusable URI; IndexStoreError where Milvus is lost or refuses, or
    `path` cannot be written.
    """
    if isinstance(index, RemoteIndex):
        raise ConfigError(f"{index.path} has its paragraphs in Milvus already")
    checked_uri(uri)
    with drafting(path, wait=wait) as draft:
        sha256 = content_sha256(row_blocks(index))
        collection_of(Connection(uri), index, sha256).load(row_blocks(index), progress)
        _write_folder(index, draft, {"uri": stored_uri(uri, draft.target), "sha256": sha256})
    return open_index(draft.target)


def _write_folder(index: Index, draft: Draft, milvus: dict[str, str]) -> None:
    draft.begin()
    for name in index.manifest["files"]:
        if name not in IN_MILVUS:
            (draft.new / name).write_bytes(index.files.of(name))
    write_manifest(draft.new, {**index.manifest, "milvus": milvus})
    draft.publish()
