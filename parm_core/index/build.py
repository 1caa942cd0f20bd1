"""Building an index: cut cases, index terms, encode; made beside, then put in its place.

A build that is stopped, by an error, Ctrl-C or the power, goes on where it was at the next call with
the same arguments, and ends with the same bytes. What an index already at that place has of the same
cases and texts, cut and encoded in the same way, is taken from it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import numpy as np

from parm_core._version import __version__
from parm_core.errors import IndexStoreError
from parm_core.index.contents import (
    Contents,
    collection_sha256,
    cut_contents,
    opening,
    segment_cases,
)
from parm_core.index.draft import Draft, drafting
from parm_core.index.lexical import BM25Params
from parm_core.index.manifest import is_index, write_manifest
from parm_core.index.migration import FORMAT
from parm_core.index.opened import Index
from parm_core.index.postings import write_postings
from parm_core.index.store import open_index, verify_index
from parm_core.index.tables import write_tables
from parm_core.index.vectors import write_vectors
from parm_core.segmentation import SegmentOptions
from parm_core.tokenisation import Tokeniser
from parm_core.types import Case, Collection, Encoder, Int64, Progress

__all__ = [
    "IndexOptions",
    "build_index",
    "collection_sha256",
    "opening",
    "segment_cases",
]


@dataclass(frozen=True, kw_only=True)
class IndexOptions:
    """How a collection is cut and its terms weighed; recorded in the manifest."""

    segment: SegmentOptions = field(default_factory=SegmentOptions)
    bm25: BM25Params = field(default_factory=BM25Params)
    tokeniser: Tokeniser = field(default_factory=Tokeniser)


class Recipe(NamedTuple):
    """What, beside its cases, decides an index; encoder: None for BM25 alone."""

    options: IndexOptions
    encoder: Encoder | None


def build_index(
    collection: Collection,
    path: Path | str,
    *,
    encoder: Encoder | None,
    options: IndexOptions | None = None,
    progress: Progress | None = None,
    wait: bool = False,
) -> Index:
    """Build an index at `path` and open it; an index already there is replaced once the new one is whole.

    encoder: None builds for BM25 alone. progress: called as cases are cut and paragraphs encoded.
    wait: for another process that is building there; else that is an error.
    Raises DataError for an unusable case, named; IndexStoreError where `path` cannot be written,
    is held by another process, or is a folder with something other than an index in it.
    """
    options = options or IndexOptions()
    with drafting(path, wait=wait) as draft:
        older = _whole(draft.target)
        known = cut_before(older, options.segment)
        cases, name = collection.cases, collection.name
        contents = cut_contents(name, cases, options.segment, progress, known)
        write_index(draft, contents, Recipe(options, encoder), older, progress)
    return open_index(draft.target)


def write_index(
    draft: Draft, contents: Contents, recipe: Recipe, older: Index | None, progress: Progress | None
) -> None:
    """Write every file of an index and publish it; older: a whole index to take vectors from.

    Encoding comes first, since it alone is kept when a build is stopped; the rest takes a small
    part of the time and is made anew. Raises OSError, EncoderError.
    """
    (options, encoder), retrieved = recipe, contents.retrieved
    draft.begin()
    encoded = None
    if encoder:
        encoded = write_vectors(draft, retrieved, encoder, older, progress)
    texts = list(chain.from_iterable(retrieved))
    starts = np.cumsum([0, *map(len, retrieved)], dtype=np.int64)
    np.save(draft.new / "case_starts.npy", starts)
    np.save(draft.new / "twins.npy", _first_of_equals(texts))
    write_tables(draft.new, contents)
    write_postings(draft.new, retrieved, options.tokeniser, options.bm25)
    manifest = {
        "format": FORMAT,
        "product": __version__,
        "collection": {"name": contents.name, "sha256": contents.sha256},
        "counts": {"cases": len(contents.cases), "paragraphs": len(texts)},
        "segmentation": asdict(options.segment),
        "tokeniser": {
            "stopwords": options.tokeniser.stopwords,
            "stemmer": options.tokeniser.stemmer,
        },
        "bm25": asdict(options.bm25),
        "encoder": encoded,
    }
    write_manifest(draft.new, manifest)
    draft.publish()


def cut_before(older: Index | None, options: SegmentOptions) -> Callable[[str], Case | None]:
    """Hash -> the same case as an older index holds it, if it was cut by these options and version."""
    if older is None or older.manifest["format"] != FORMAT:
        return lambda sha256: None
    if older.manifest["product"] != __version__ or older.segmentation != options:
        return lambda sha256: None
    ids = dict(zip(older.case_hashes, older.case_ids, strict=True))
    return lambda sha256: older.case(ids[sha256]) if sha256 in ids else None


def _whole(target: Path) -> Index | None:
    """The index at a place, if there is one that can be opened and no file of it is damaged."""
    if not is_index(target):
        return None
    try:
        verify_index(target)
        return open_index(target)
    except IndexStoreError:
        return None


def _first_of_equals(texts: Sequence[str]) -> Int64:
    first: dict[str, int] = {}
    return np.array([first.setdefault(text, row) for row, text in enumerate(texts)], dtype=np.int64)
