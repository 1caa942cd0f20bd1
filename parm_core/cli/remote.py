"""`parm index --backend milvus`: the paragraphs of an index go to Milvus, a cluster's or a file."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from parm_core.cli.application import progress_bar
from parm_core.cli.laboratory import tell

if TYPE_CHECKING:  # heavy: `parm --help` must answer at once
    from parm_core.index.opened import Index


def index_in_milvus(
    source: Path, target: Path, uri: str, build: Callable[[Path], object], *, wait: bool = False
) -> Index:
    """An index at `target` whose paragraphs are in the Milvus at `uri`.

    source: an index on this machine, which stays as it is; or a collection, of which `build` makes
    one beside the target first: it is deleted once Milvus has all of it, kept while it has not.
    Raises ConfigError, DataError, EncoderError, IndexStoreError; a Milvus that is down at once.
    """
    from parm_core.index.manifest import is_index
    from parm_core.index.milvus_connection import Connection
    from parm_core.index.milvus_loading import move_to_milvus
    from parm_core.index.store import open_index

    Connection(uri)
    before = _collection_named(target)
    beside = target.with_name(f".{target.name}.local")
    made = not is_index(source)
    if made:
        build(beside)
    with progress_bar() as progress:
        local = open_index(beside if made else source)
        moved = move_to_milvus(local, target, uri, progress=progress, wait=wait)
    if made:
        shutil.rmtree(beside, ignore_errors=True)
    if before not in ("", _collection_named(target)):
        tell([f"{before} stays in Milvus for whoever has it open; drop it there when nobody has"])
    return moved


def check_rows(path: Path) -> None:
    """Hash the rows of an index in Milvus. Raises IndexStoreError where they are not as they were loaded."""
    from parm_core.index.milvus import RemoteIndex
    from parm_core.index.store import open_index

    index = open_index(path)
    if isinstance(index, RemoteIndex):
        index.verify_rows()


def _collection_named(target: Path) -> str:
    """The collection and Milvus of the index at a place; "" where it has none."""
    from parm_core.errors import ParmError
    from parm_core.index.milvus import RemoteIndex
    from parm_core.index.store import open_index

    try:
        index = open_index(target)
        if isinstance(index, RemoteIndex):
            return f"the collection {index.collection_name} at {index.uri}"
    except ParmError:
        pass
    return ""
