"""BM25 over units of text (paragraphs, or whole cases), as postings of ready-made impacts.

BM25 with Lucene's idf, Robertson and Zaragoza 2009, as Lucene and bm25s write it:

    score(q, d) = sum over occurrences of t in q of
                  ln(1 + (N - n_t + 0.5) / (n_t + 0.5)) * f / (f + k1 * (1 - b + b * |d| / mean |d|))
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import Any, Protocol

import numpy as np

from parm_core.errors import ConfigError
from parm_core.index.parallel import in_parallel
from parm_core.index.selection import pack, top_rows
from parm_core.types import Float32, Hits, Int64


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
        """Index units given as lists of terms."""
        vocabulary = {term: t for t, term in enumerate(sorted(set(chain.from_iterable(units))))}
        lengths = np.array([len(unit) for unit in units], dtype=np.int64)
        ids = np.fromiter(
            (vocabulary[term] for unit in units for term in unit), np.int64, int(lengths.sum())
        )
        return cls.from_ids(ids, lengths, vocabulary, params)

    @classmethod
    def from_ids(
        cls, ids: Int64, lengths: Int64, vocabulary: dict[str, int], params: BM25Params
    ) -> Postings:
        """Index units given as numbers of terms, (sum of lengths,), unit after unit.

        Impacts are, bit for bit, those of bm25s's method "lucene": the same steps at the same
        precision, over whole arrays instead of unit by unit.
        """
        n = lengths.size
        keys, counts = np.unique(ids * n + np.repeat(np.arange(n), lengths), return_counts=True)
        terms, units = np.divmod(keys, max(n, 1))
        holding = np.bincount(terms, minlength=len(vocabulary))
        idf = np.array(
            [math.log(1 + (n - m + 0.5) / (m + 0.5)) for m in holding.tolist()], dtype=np.float32
        )
        mean = lengths.mean() if ids.size else 1.0
        norms = params.k1 * ((1 - params.b) + params.b * lengths / mean)
        occurrences = counts.astype(np.float32)
        impacts = idf[terms] * (occurrences / (norms[units] + occurrences))
        starts = np.concatenate([[0], np.cumsum(holding)]).astype(np.int64)
        return cls(impacts.astype(np.float32), units.astype(np.int32), starts, vocabulary, n)

    def impact(self, term: str, unit: int) -> float:
        """What one occurrence of `term` in a query adds to the score of `unit`."""
        t = self.vocabulary.get(term)
        if t is None:
            return 0.0
        span = slice(int(self.starts[t]), int(self.starts[t + 1]))
        place = np.flatnonzero(self.units[span] == unit)
        return float(self.impacts[span][place[0]]) if place.size else 0.0


class LexicalEngine(Protocol):
    """What every BM25 engine does."""

    def search(
        self, queries: Sequence[Sequence[str]], *, depth: int, excluded: slice = slice(0, 0)
    ) -> Hits:
        """One list of terms a query paragraph -> hits; units scoring 0, or `excluded`, are none."""


class Scorer(Protocol):
    """What scores every unit at once."""

    def scores(self, terms: Sequence[str]) -> Float32:
        """A query's terms, repeats kept -> (n_units,) scores, 0 where no term occurs."""


def search(
    scorer: Scorer,
    queries: Sequence[Sequence[str]],
    *,
    depth: int,
    excluded: slice = slice(0, 0),
    threads: bool = False,
) -> Hits:
    """One list of terms a query paragraph -> hits; units scoring 0, or `excluded`, are none."""

    def best(terms: Sequence[str]) -> tuple[Int64, Float32]:
        scores = scorer.scores(terms)
        scores[excluded] = 0
        rows = top_rows(scores, depth, above=0.0)
        return rows, scores[rows]

    return pack(in_parallel(best, queries) if threads else [best(q) for q in queries], depth)


_LEAST_FOR_THREADS = 1_000_000
"""Postings below which handing queries to threads takes longer than it saves."""


@dataclass(frozen=True)
class ImpactEngine:
    """BM25 by adding up ready-made impacts; the engine by default.

    A query is a sparse product: the postings of its terms, times their counts, added up in float32
    in the terms' order, so that equal text has equal scores. (For float64 scipy first widens a copy
    of the postings, and a search takes half as long again.) Each query paragraph gathers its own
    postings: a product for all at once reads shared terms once, but must then add to every
    paragraph's sum, and is slower.
    """

    postings: Postings

    @cached_property
    def _by_term(self) -> Any:
        """(n_units, terms) sparse matrix over the same memory as the postings."""
        from scipy.sparse import csc_array

        held = self.postings
        # wider numbers for the starts would have scipy copy the units into wider ones too
        starts = held.starts.astype(np.int32) if held.units.size < 2**31 else held.starts
        shape = (held.n_units, len(held.vocabulary))
        return csc_array((held.impacts, held.units, starts), shape=shape)

    def scores(self, terms: Sequence[str]) -> Float32:
        """A query's terms, repeats kept -> (n_units,) scores, 0 where no term occurs."""
        known = self.postings.vocabulary
        counts = Counter(t for t in map(known.get, terms) if t is not None)
        if not counts:
            return np.zeros(self.postings.n_units, dtype=np.float32)
        asked = sorted(counts)
        weights = np.array([counts[t] for t in asked], dtype=np.float32)
        return np.asarray(self._by_term[:, asked] @ weights, dtype=np.float32)

    def search(
        self, queries: Sequence[Sequence[str]], *, depth: int, excluded: slice = slice(0, 0)
    ) -> Hits:
        """One list of terms a query paragraph -> hits; units scoring 0, or `excluded`, are none."""
        threads = self.postings.impacts.size >= _LEAST_FOR_THREADS
        return search(self, queries, depth=depth, excluded=excluded, threads=threads)


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
        self, queries: Sequence[Sequence[str]], *, depth: int, excluded: slice = slice(0, 0)
    ) -> Hits:
        """One list of terms a query paragraph -> hits; units scoring 0, or `excluded`, are none."""
        return search(self, queries, depth=depth, excluded=excluded)
