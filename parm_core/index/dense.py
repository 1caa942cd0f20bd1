"""Exact search by dot product over the paragraph vectors of an index."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from parm_core.index.selection import pack, top_rows
from parm_core.types import Float32, Hits, Int64

_BLOCK_SCORES = 16_000_000
"""Scores held at a time: 64 MB of float32."""


class DenseEngine(Protocol):
    """What both dense engines do."""

    def search(self, queries: Float32, *, depth: int, excluded: slice) -> Hits:
        """(n_q, dim) queries -> hits of every row but those in `excluded`."""


class ProductEngine:
    """A blocked product over vectors that may be memory-mapped; the engine by default.

    vectors: (P, dim) float32. twins: (P,) int64, the first row of equal text. A product may round
    equal vectors apart where they lie at different places, so twins take their first row's score.
    """

    def __init__(self, vectors: Float32, twins: Int64) -> None:
        self._vectors = vectors
        self._later = np.flatnonzero(twins != np.arange(twins.size))
        self._first = twins[self._later]

    def scores(self, queries: Float32) -> Float32:
        """(n_q, dim) -> (n_q, P) dot products."""
        scores: Float32 = queries @ self._vectors.T
        scores[:, self._later] = scores[:, self._first]
        return scores

    def search(self, queries: Float32, *, depth: int, excluded: slice = slice(0, 0)) -> Hits:
        """(n_q, dim) queries -> hits of every row but those in `excluded`."""
        found = []
        block = max(1, _BLOCK_SCORES // max(1, len(self._vectors)))
        for start in range(0, len(queries), block):
            scores = self.scores(queries[start : start + block])
            scores[:, excluded] = -np.inf
            for row_scores in scores:
                rows = top_rows(row_scores, depth)
                found.append((rows, row_scores[rows]))
        return pack(found, depth)


class FaissEngine:
    """faiss's flat inner-product index, which holds a copy of the vectors in memory."""

    def __init__(self, vectors: Float32, twins: Int64) -> None:
        import faiss

        self._twins = twins
        self._index: Any = faiss.IndexFlatIP(vectors.shape[1])
        self._index.add(np.ascontiguousarray(vectors))

    def search(self, queries: Float32, *, depth: int, excluded: slice = slice(0, 0)) -> Hits:
        """(n_q, dim) queries -> hits of every row but those in `excluded`."""
        reach = depth + len(range(*excluded.indices(self._index.ntotal)))
        found = [self._best(query, depth, reach, excluded) for query in queries]
        return pack(found, depth)

    def _best(
        self, query: Float32, depth: int, reach: int, excluded: slice
    ) -> tuple[Int64, Float32]:
        """Read on until the cut lies within what was read, ties and all; faiss orders ties freely."""
        total = self._index.ntotal
        while True:
            reach = min(total, reach + 64)
            scores, rows = (found[0] for found in self._index.search(query[None], reach))
            out = np.zeros(total, dtype=bool)
            out[excluded] = True
            keep = ~out[rows]
            kept = rows[keep]
            _, first, same = np.unique(self._twins[kept], return_index=True, return_inverse=True)
            kept_scores = scores[keep][first][same]
            if reach == total or (kept.size > depth and kept_scores[depth - 1] > kept_scores[-1]):
                order = np.lexsort((kept, -kept_scores))[:depth]
                return kept[order], kept_scores[order]
            reach *= 2
