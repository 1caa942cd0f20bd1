"""BM25 of a whole case's paragraphs, against rank-bm25 and against plain bm25s."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np

from benchmarks.generated import (
    BAR_SIZE,
    DEPTH,
    LEAST_TO_GROW,
    QUERY_PARAGRAPHS,
    SEED,
    Paragraphs,
    Sample,
    paragraphs,
)
from benchmarks.measuring import Row, growth, least, once
from parm_core.index.lexical import BM25Params, ImpactEngine, Postings
from parm_core.index.parallel import n_cores
from parm_core.types import Int64

MOST_FOR_RANK_BM25 = 200_000
"""Paragraphs beyond which rank-bm25's lists and dictionaries take too much memory."""

_MANY = 20_000
"""Paragraphs from which rank-bm25 is timed on `_FEW` query paragraphs, and the time scaled."""

_FEW = 2


@dataclass(frozen=True)
class Searchable:
    """Generated paragraphs as BM25 takes them. ids: term numbers, paragraph after paragraph."""

    postings: Postings
    ids: Int64
    lengths: Int64
    queries: list[list[str]]


def searchable(sample: Sample, n: int) -> Searchable:
    """n paragraphs and a query case of QUERY_PARAGRAPHS more."""
    known = [term for term in sample.terms if term is not None]
    vocabulary = {term: t for t, term in enumerate(sorted(set(known)))}
    ids, lengths = _ids(sample, paragraphs(sample, n), vocabulary)
    postings = Postings.from_ids(ids, lengths, vocabulary, BM25Params())
    asked = paragraphs(sample, QUERY_PARAGRAPHS, SEED + 1)
    words = np.split(asked.words, np.cumsum(asked.lengths)[:-1])
    queries = [[t for w in held.tolist() if (t := sample.terms[w]) is not None] for held in words]
    return Searchable(postings, ids, lengths, queries)


def _ids(sample: Sample, drawn: Paragraphs, vocabulary: dict[str, int]) -> tuple[Int64, Int64]:
    """Term numbers without stop-words, and how many each paragraph keeps."""
    of_word = np.array([-1 if t is None else vocabulary[t] for t in sample.terms], dtype=np.int64)
    ids = of_word[drawn.words]
    paragraph = np.repeat(np.arange(drawn.lengths.size), drawn.lengths)[ids >= 0]
    return ids[ids >= 0], np.bincount(paragraph, minlength=drawn.lengths.size)


def rows(sample: Sample, n: int) -> list[Row]:
    made = searchable(sample, n)
    engine = ImpactEngine(made.postings)
    ways = {"own": lambda: engine.search(made.queries, depth=DEPTH)} | _bm25s(made)
    spent = least(ways, rounds=9 if n < 500_000 else 4)
    own = spent.pop("own")
    found = [_row(n, own, name, other) for name, other in _best_of_threads(spent).items()]
    if "bm25s with numba" not in {row.against for row in found}:
        found[-1:] = [_noted(found[-1], "numba is not installed: its row is left out")]
    return [*_against_rank_bm25(made, own), *found, *_growth(sample, made)]


def _growth(sample: Sample, made: Searchable) -> list[Row]:
    n = made.lengths.size
    if n < LEAST_TO_GROW:
        return []
    tenth = searchable(sample, n // 10)
    whole, small = (ImpactEngine(one.postings) for one in (made, tenth))
    return [
        growth(
            "BM25",
            n,
            lambda: whole.search(made.queries, depth=DEPTH),
            lambda: small.search(tenth.queries, depth=DEPTH),
        )
    ]


def _row(n: int, own: float, against: str, other: float) -> Row:
    bar = 1.0 if against == "bm25s with numba" and n == BAR_SIZE else None
    what = f"BM25, {QUERY_PARAGRAPHS} paragraphs, {DEPTH:,} hits each"
    return Row(what=what, paragraphs=n, own=own, against=against, other=other, bar=bar)


def _noted(row: Row, note: str) -> Row:
    return Row(**{**row.__dict__, "note": note})


def _bm25s(made: Searchable) -> dict[str, Callable[[], object]]:
    """Plain bm25s on the same impacts, by each of its ways that can run here."""
    ways: dict[str, Callable[[], object]] = {"bm25s": _retrieve(made, "numpy", 0)}
    if find_spec("numba"):
        for threads in sorted({1, n_cores()}):
            ways[f"bm25s with numba/{threads}"] = _retrieve(made, "numba", threads)
    return ways


def _retrieve(made: Searchable, backend: str, threads: int) -> Callable[[], object]:
    import bm25s

    held = made.postings
    engine: Any = bm25s.BM25(k1=1.3, b=0.8, method="lucene", backend=backend)
    engine.scores = {
        "data": held.impacts,
        "indices": held.units,
        "indptr": held.starts.astype(np.int32),
        "num_docs": held.n_units,
    }
    engine.nonoccurrence_array = None
    engine.vocab_dict = held.vocabulary
    engine.unique_token_ids_set = set(held.vocabulary.values())
    depth = min(DEPTH, held.n_units)
    return lambda: engine.retrieve(made.queries, k=depth, n_threads=threads, show_progress=False)


def _best_of_threads(spent: dict[str, float]) -> dict[str, float]:
    """The least over numbers of threads, by name."""
    best: dict[str, float] = {}
    for name, seconds in spent.items():
        kind = name.partition("/")[0]
        best[kind] = min(seconds, best.get(kind, seconds))
    return best


def _against_rank_bm25(made: Searchable, own: float) -> list[Row]:
    from rank_bm25 import BM25Okapi

    n = made.lengths.size
    if n > MOST_FOR_RANK_BM25:
        return []
    names = list(made.postings.vocabulary)
    by_paragraph = np.split(made.ids, np.cumsum(made.lengths)[:-1])
    engine = BM25Okapi([[names[t] for t in held.tolist()] for held in by_paragraph])
    queries = made.queries[:_FEW] if n >= _MANY else made.queries

    def search() -> None:
        for terms in queries:
            np.argsort(-engine.get_scores(terms))[:DEPTH]

    scale = len(made.queries) / len(queries)
    other = scale * once(search)
    note = f"timed on {_FEW} query paragraphs, scaled" if scale > 1 else ""
    bar = 300.0 if n == BAR_SIZE else None
    row = _row(n, own, "rank-bm25", other)
    return [Row(**{**row.__dict__, "bar": bar, "note": note})]
