"""From pasted text to four rankings on an index on disk; opening it; the memory that it takes."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np

from benchmarks.generated import (
    QUERY_PARAGRAPHS,
    SEED,
    Sample,
    case_sizes,
    paragraphs,
    vectors,
)
from benchmarks.measuring import Row, least
from parm_core.encoders import load_encoder
from parm_core.index.build import IndexOptions, build_index
from parm_core.index.opened import Index
from parm_core.index.store import open_index
from parm_core.retrieval import Searcher
from parm_core.segmentation import SegmentOptions
from parm_core.types import Case, Collection, Float32, Int64, Progress

FOUR = ("bm25:rrf", "bm25:srrf", "dense:vrrf", "hybrid:rrf")
_RULE = SegmentOptions(rule="lines")


class Mixed:
    """Gives generated vectors to passages, which encoding in earnest would take hours for.

    In the packaged encoder's name, so that queries are encoded in earnest.
    """

    def __init__(self, sample: Sample) -> None:
        self._sample, self._given = sample, 0
        real = load_encoder()
        self.id, self.revision, self.weights_sha256 = real.id, real.revision, real.weights_sha256
        self.dim, self.max_tokens = real.dim, real.max_tokens
        self.max_query_tokens = real.max_query_tokens
        self.precision, self.prompt = real.precision, real.prompt

    def encode_queries(self, texts: Sequence[str], *, progress: Progress | None = None) -> Float32:
        return load_encoder().encode_queries(texts)

    def encode_passages(self, texts: Sequence[str], *, progress: Progress | None = None) -> Float32:
        self._given += 1
        return vectors(self._sample, len(texts), SEED + self._given)

    def count_tokens(self, texts: Sequence[str]) -> Int64:
        return np.array([len(text.split()) for text in texts], dtype=np.int64)


def rows(sample: Sample, n: int) -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "index"
        encoder, options = Mixed(sample), IndexOptions(segment=_RULE)
        build_index(collection(sample, n), path, encoder=encoder, options=options)
        text = "\n\n".join(paragraphs(sample, QUERY_PARAGRAPHS, SEED + 1).texts(sample))
        return [_opening(path), *_memory(path), *_searching(path, text)]


def collection(sample: Sample, n: int) -> Collection:
    """Cases of generated paragraphs, a blank line between two."""
    texts = paragraphs(sample, n).texts(sample)
    ends = np.cumsum(case_sizes(sample, n)).tolist()
    cases = [
        Case(f"{c:06}", f"Case {c}", "\n\n".join(texts[a:b]))
        for c, (a, b) in enumerate(pairwise([0, *ends]))
    ]
    return Collection("generated", tuple(cases))


def touch(path: Path) -> Index:
    """Open an index and read what a search needs of it."""
    index = open_index(path)
    _ = index.case_ids, index.case_of_row, index.vectors, index.paragraph_postings
    return index


def _opening(path: Path) -> Row:
    own = least({"own": lambda: touch(path)})["own"]
    n = open_index(path).n_paragraphs
    return Row(what="opening an index", paragraphs=n, own=own, against="1 s", other=1.0, bar=1.0)


def _memory(path: Path) -> list[Row]:
    """Private memory that opening an index takes beyond the libraries."""
    if not Path("/proc/self/status").exists():
        return []
    command = [sys.executable, "-m", "benchmarks.whole_path", str(path)]
    said = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    n, own = open_index(path).n_paragraphs, max(said["opened"], 0.1)
    row = Row(
        what="private memory of an open index",
        paragraphs=n,
        own=own,
        against="300 MB",
        other=300,
        bar=1.0,
        unit="MB",
        note=f"after a search by BM25 and one by vectors {said['searched']:.0f} MB",
    )
    return [row]


def print_memory(path: Path) -> None:
    """Megabytes of private memory beyond the libraries: opened, and after a search; as JSON."""
    import scipy.sparse  # noqa: F401  what searching imports is no part of the index

    libraries = _private_mb()
    index = touch(path)
    opened = _private_mb() - libraries
    searcher = Searcher(index)
    query = searcher.query_from_index(index.case_ids[0])
    query._vectors["paragraphs"] = index.vectors[index.rows(0)]
    for system in ("bm25:rrf", "dense:vrrf"):
        searcher.rank(query, system)
    print(json.dumps({"opened": opened, "searched": _private_mb() - libraries}))


def _private_mb() -> float:
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    line = next(line for line in status.splitlines() if line.startswith("RssAnon"))
    return int(line.split()[1]) / 1024


def _searching(path: Path, text: str) -> list[Row]:
    searcher = Searcher(open_index(path))
    n, ready = searcher.index.n_paragraphs, searcher.query(text)
    for system in FOUR:
        searcher.rank(ready, system)

    def whole() -> None:
        fresh = searcher.query(text)
        for system in FOUR:
            searcher.rank(fresh, system)

    k = iter(range(1, 100))
    ways = {
        "encoding": lambda: searcher.encoder.encode_queries(ready.texts),
        "whole": whole,
        "again": lambda: searcher.rank(ready, f"dense:vrrf@k={next(k)}"),
    }
    spent = least(ways, rounds=3)
    of_paragraphs = f"{len(ready.texts)} paragraphs"
    return [
        Row(
            what=f"text of {of_paragraphs} to four rankings",
            paragraphs=n,
            own=spent["whole"],
            against="encoding them alone",
            other=spent["encoding"],
            bar=1 / 1.5,
        ),
        Row(
            what="another aggregation of the same hits",
            paragraphs=n,
            own=spent["again"],
            against="the whole path",
            other=spent["whole"],
        ),
    ]


if __name__ == "__main__":
    print_memory(Path(sys.argv[1]))
