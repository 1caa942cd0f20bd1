"""All hits of one query case as flat columns: what every aggregation reads."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from parm_core.types import Float32, Float64, Hits, Int64


class HitTable:
    """One entry a hit, in the order of the hits' lists: n hits in m cases.

    query: (n,) query paragraph, from 0. row: (n,) corpus paragraph. rank: (n,) from 1.
    score: (n,) float64. found: (m,) numbers of the cases hit, ascending. case: (n,) place in
    `found`. sizes: (m,) paragraphs of each case found. lengths: (n_q,) hits in each list, N_i.
    query_vectors: (n_q, dim), vectors: (P, dim) float32, twins: (P,) the first row of equal text;
    None where no aggregation that reads vectors is asked for.
    """

    def __init__(
        self,
        hits: Hits,
        case_of_row: Int64,
        case_sizes: Int64,
        query_vectors: Float32 | None = None,
        vectors: Float32 | None = None,
        twins: Int64 | None = None,
    ) -> None:
        held = hits.rows >= 0
        self.query, places = np.nonzero(held)
        self.rank: Int64 = places + 1
        self.row: Int64 = hits.rows[held]
        self.score: Float64 = hits.scores[held].astype(np.float64)
        self.lengths: Int64 = held.sum(axis=1)
        self.found, self.case = np.unique(case_of_row[self.row], return_inverse=True)
        self.sizes: Int64 = case_sizes[self.found]
        self.query_vectors = query_vectors
        self.vectors = vectors
        self.twins = twins

    def by_case(self, terms: Float64) -> Float64:
        """(n,) terms -> (m,) their sums over each case found."""
        sums = np.bincount(self.case, weights=terms, minlength=self.found.size)
        return sums.astype(np.float64, copy=False)

    @cached_property
    def hits_of_case(self) -> Int64:
        """(m,) how many hits each case found has."""
        return np.bincount(self.case, minlength=self.found.size)

    @cached_property
    def _distinct(self) -> tuple[Int64, Int64]:
        rows, place = np.unique(self.row, return_inverse=True)
        return rows, place

    @property
    def distinct_place(self) -> Int64:
        """(n,) each hit's place in `distinct_vectors`."""
        return self._distinct[1]

    @cached_property
    def distinct_vectors(self) -> Float32:
        """(u, dim) the vectors of the u distinct rows hit, by row, hence case by case."""
        assert self.vectors is not None
        return np.asarray(self.vectors[self._distinct[0]])

    @cached_property
    def first_distinct(self) -> Int64:
        """(m,) where each case found begins in `distinct_vectors`."""
        case_of_distinct = np.empty(self._distinct[0].size, dtype=np.int64)
        case_of_distinct[self.distinct_place] = self.case
        return np.searchsorted(case_of_distinct, np.arange(self.found.size))

    @cached_property
    def similarity(self) -> Float64:
        """(n,) q̂·E[p] of each hit, q̂ the sum of the query's paragraph vectors.

        A product may round equal vectors apart, so that hits of equal text take one value.
        """
        assert self.query_vectors is not None
        query = self.query_vectors.sum(axis=0, dtype=np.float64).astype(np.float32)
        products: Float64 = (self.distinct_vectors @ query).astype(np.float64)
        if self.twins is not None:
            texts = self.twins[self._distinct[0]]
            _, first, same = np.unique(texts, return_index=True, return_inverse=True)
            products = products[first][same]
        return products[self.distinct_place]
