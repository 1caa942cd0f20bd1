"""An index on disk: a folder of Arrow files, NumPy arrays and a manifest, opened by memory map.

    manifest.json, manifest.sha256     what this is, and the size and SHA-256 of every other file
    cases.arrow                        id, title, date, court, sha256; by id descending
    paragraphs.arrow                   one row a retrieved paragraph: case, position, kind, start, end, text
    unretrieved.arrow                  the same columns, for text kept to be read only
    case_starts.npy                    (C + 1,) int64, the rows of case c are starts[c]:starts[c + 1]
    bm25-{paragraphs,cases}.*          impacts.npy, units.npy, starts.npy, terms.json: see lexical.py
    vectors.npy, openings.npy          (P, dim) and (C, dim) float32, where there is an encoder
    twins.npy                          (P,) int64, the first row of equal text

Rows are in tie order: case id descending, then position ascending. Opening maps every file, so that
an index stays readable, and the same, while another takes its place.
"""

from __future__ import annotations

from pathlib import Path

from parm_core.errors import ConfigError, IndexStoreError
from parm_core.index.draft import standing
from parm_core.index.files import map_files
from parm_core.index.manifest import open_manifest, verify_files
from parm_core.index.milvus import RemoteIndex
from parm_core.index.opened import Index

_TRIES = 5
"""How often opening begins again where another index takes the place of the one being opened."""


def open_index(path: Path | str) -> Index:
    """Open an index; checks version, manifest and every file's size, hashes nothing else.

    Another index may take this one's place meanwhile: what is returned is wholly the one or the
    other, and stays it. Raises IndexStoreError: no index there, another format version, a file
    missing or cut (see also `verify_index`).
    """
    target = Path(path).expanduser().resolve()
    for _ in range(_TRIES):
        folder = standing(target)
        before = _inode(folder)
        try:
            index = _open(folder)
        except IndexStoreError:
            if _inode(folder) == before and folder == standing(target):
                raise
        else:
            if _inode(folder) == before:
                return index
    return _open(standing(target))


def verify_index(path: Path | str) -> None:
    """Hash every file of an index. Raises IndexStoreError naming all damaged, missing, unexpected."""
    verify_files(standing(Path(path).expanduser().resolve()))


def _open(folder: Path) -> Index:
    manifest = open_manifest(folder)
    files = map_files(folder, list(manifest["files"]))
    kind = RemoteIndex if "milvus" in manifest else Index
    index = kind(folder, manifest, files)
    try:
        _ = index.tokeniser, index.bm25, index.segmentation
    except (TypeError, ConfigError) as error:
        raise IndexStoreError(
            f"{folder} was built with options that this version does not know ({error}); update "
            f"PARM Explorer, or build the index again with: parm index COLLECTION {folder}"
        ) from error
    return index


def _inode(folder: Path) -> tuple[int, int] | None:
    try:
        found = folder.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
