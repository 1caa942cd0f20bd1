"""BM25 over units of text (paragraphs, or whole cases), as postings of ready-made impacts.

BM25 with Lucene's idf, Robertson and Zaragoza 2009, as Lucene and bm25s write it:

    score(q, d) = sum over occurrences of t in q of
                  ln(1 + (N - n_t + 0.5) / (n_t + 0.5)) * f / (f + k1 * (1 - b + b * |d| / mean |d|))
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, Protocol

import numpy as np

from parm_core.errors import ConfigError
from parm_core.index.selection import pack, top_rows
from parm_core.types import Float32, Float64, Hits, Int64


@dataclass(frozen=True, kw_only=True)
class BM25Params:
    """k1 >= 0 and b in [0, 1]; the defaults are PARM's, tuned on COLIEE."""

    k1: float = 1.3
    b: float = 0.8

    def __post_init__(self) -> None:
        if not 0 <= self.k1 <= 100:
            raise ConfigError(f"k1 must be in [0, 100], got {self.k1}")
        if not 0 <= self.b <= 1:
            raise ConfigError(f"b must be in [0, 1], got {self.b}")


@dataclass(frozen=True)
class Postings:
    """Impacts by term: those of term t are impacts[starts[t]:starts[t + 1]], in units[the same slice].

    impacts: (nnz,) float32. units: (nnz,) int32. starts: (terms + 1,) int64. n_units: how many
    units were indexed. vocabulary: term -> t, terms sorted.
    """

    impacts: Float32
    units: Any
    starts: Int64
    vocabulary: dict[str, int]
    n_units: int

    @classmethod
    def build(cls, units: Sequence[Sequence[str]], params: BM25Params) -> Postings:
        """Index units given as lists of terms. Impacts are bm25s's, method "lucene"."""
        import bm25s

        vocabulary = {term: t for t, term in enumerate(sorted(set(chain.from_iterable(units))))}
        ids = [[vocabulary[term] for term in unit] for unit in units]
        if not vocabulary:
            nothing = np.zeros(0, np.float32), np.zeros(0, np.int32), np.zeros(1, np.int64)
            return cls(*nothing, vocabulary, len(units))
        built = bm25s.BM25(k1=params.k1, b=params.b, method="lucene").build_index_from_ids(
            unique_token_ids=list(range(len(vocabulary))),
            corpus_token_ids=ids,
            show_progress=False,
        )
        starts = built["indptr"].astype(np.int64)
        return cls(built["data"], built["indices"], starts, vocabulary, len(units))

    def impact(self, term: str, unit: int) -> float:
        """What one occurrence of `term` in a query adds to the score of `unit`."""
        t = self.vocabulary.get(term)
        if t is None:
            return 0.0
        span = slice(int(self.starts[t]), int(self.starts[t + 1]))
        place = np.flatnonzero(self.units[span] == unit)
        return float(self.impacts[span][place[0]]) if place.size else 0.0


class LexicalEngine(Protocol):
    """What both BM25 engines do."""

    def scores(self, terms: Sequence[str]) -> Float32:
        """A query's terms, repeats kept -> (n_units,) scores, 0 where no term occurs."""


@dataclass(frozen=True)
class ImpactEngine:
    """BM25 by adding up ready-made impacts, in float64; the engine by default."""

    postings: Postings

    def scores(self, terms: Sequence[str]) -> Float32:
        """A query's terms, repeats kept -> (n_units,) scores, 0 where no term occurs."""
        postings = self.postings
        counts = Counter(t for t in map(postings.vocabulary.get, terms) if t is not None)
        total: Float64 = np.zeros(postings.n_units, dtype=np.float64)
        for t, count in sorted(counts.items()):
            span = slice(int(postings.starts[t]), int(postings.starts[t + 1]))
            total[postings.units[span]] += postings.impacts[span] * np.float64(count)
        return total.astype(np.float32)


@dataclass(frozen=True)
class RankBM25Engine:
    """BM25 by rank-bm25, the reference for small collections: it reads every unit for every term.

    rank-bm25 has neither Lucene's idf nor its lack of the factor k1 + 1, hence both are set here.
    """

    units: Sequence[Sequence[str]]
    params: BM25Params
    _engine: Any = field(init=False, repr=False)

    def __post_init__(self) -> None:
        from rank_bm25 import BM25Okapi

        if not any(self.units):
            return
        engine = BM25Okapi([list(unit) for unit in self.units], k1=self.params.k1, b=self.params.b)
        holding = Counter(chain.from_iterable(set(unit) for unit in self.units))
        n = len(self.units)
        engine.idf = {t: np.log(1 + (n - m + 0.5) / (m + 0.5)) for t, m in holding.items()}
        object.__setattr__(self, "_engine", engine)

    def scores(self, terms: Sequence[str]) -> Float32:
        """A query's terms, repeats kept -> (n_units,) scores, 0 where no term occurs."""
        if not any(self.units):
            return np.zeros(len(self.units), dtype=np.float32)
        with np.errstate(invalid="ignore"):  # 0 / 0 where k1 is 0 and a unit lacks the term
            each = [np.nan_to_num(self._engine.get_scores([term])) for term in terms]
        total = np.sum(each, axis=0) if each else np.zeros(len(self.units))
        return np.asarray(total / (self.params.k1 + 1), dtype=np.float32)


def search(
    engine: LexicalEngine,
    queries: Sequence[Sequence[str]],
    *,
    depth: int,
    excluded: slice = slice(0, 0),
) -> Hits:
    """One list of terms a query paragraph -> hits; units scoring 0, or `excluded`, are none."""
    found = []
    for terms in queries:
        scores = engine.scores(terms)
        scores[excluded] = 0
        rows = top_rows(scores, depth, above=0.0)
        found.append((rows, scores[rows]))
    return pack(found, depth)
