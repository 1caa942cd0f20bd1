"""Exact search by dot product over the paragraph vectors of an index."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Protocol

import numpy as np

from parm_core.index.selection import best_rows, pack, top_rows
from parm_core.types import Float32, Hits, Int64

_BLOCK_SCORES = 16_000_000
"""Scores held at a time: 64 MB of float32."""

_BLOCK_QUERIES = 256
"""Query paragraphs at a time: with more, blocks of rows would be too short for a fast product."""


class DenseEngine(Protocol):
    """What every dense engine does."""

    def search(self, queries: Float32, *, depth: int, excluded: slice = slice(0, 0)) -> Hits:
        """(n_q, dim) queries -> hits of every row but those in `excluded`."""


class ProductEngine:
    """A blocked product over vectors that may be memory-mapped; the engine by default.

    vectors: (P, dim) float32. twins: (P,) int64, the first row of equal text. A product may round
    equal vectors apart where they lie at different places, so twins take their first row's score.
    """

    def __init__(self, vectors: Float32, twins: Int64) -> None:
        self._vectors = vectors
        self._later = np.flatnonzero(twins != np.arange(twins.size))
        self._firsts, self._place = np.unique(twins[self._later], return_inverse=True)

    def scores(self, queries: Float32) -> Float32:
        """(n_q, dim) -> (n_q, P) dot products."""
        scores: Float32 = queries @ self._vectors.T
        scores[:, self._later] = scores[:, self._firsts[self._place]]
        return scores

    def search(self, queries: Float32, *, depth: int, excluded: slice = slice(0, 0)) -> Hits:
        """(n_q, dim) queries -> hits of every row but those in `excluded`."""
        found = []
        for start in range(0, len(queries), _BLOCK_QUERIES):
            found += self._best(queries[start : start + _BLOCK_QUERIES], depth, excluded)
        return pack(found, depth)

    def _best(self, queries: Float32, depth: int, excluded: slice) -> list[tuple[Int64, Float32]]:
        """Rows and scores of each query, best first."""
        blocks = self._blocks(queries, excluded)
        best = [_block_best(scores, start, depth) for start, scores in blocks]
        if len(best) == 1:
            return best[0]
        return [_merged(parts, depth) for parts in zip(*best, strict=True)]

    def _blocks(self, queries: Float32, excluded: slice) -> Iterator[tuple[int, Float32]]:
        """(first row, (n_q, rows) scores) of every block; each is overwritten by the next."""
        n = len(self._vectors)
        length = max(1, min(n, _BLOCK_SCORES // max(1, len(queries))))
        room = np.empty((len(queries), length), dtype=np.float32)
        of_firsts = np.empty((len(queries), self._firsts.size), dtype=np.float32)
        out = np.zeros(n, dtype=bool)
        out[excluded] = True
        for start in range(0, max(n, 1), length):
            rows = slice(start, min(start + length, n))
            scores = room[:, : rows.stop - start]
            np.matmul(queries, self._vectors[rows].T, out=scores)
            self._level(scores, rows, of_firsts)
            scores[:, out[rows]] = -np.inf
            yield start, scores

    def _level(self, scores: Float32, rows: slice, of_firsts: Float32) -> None:
        """Note the scores of first rows in `of_firsts`, and give them to their twins in the block."""
        firsts = slice(*np.searchsorted(self._firsts, [rows.start, rows.stop]))
        of_firsts[:, firsts] = scores[:, self._firsts[firsts] - rows.start]
        later = slice(*np.searchsorted(self._later, [rows.start, rows.stop]))
        scores[:, self._later[later] - rows.start] = of_firsts[:, self._place[later]]


def _block_best(scores: Float32, start: int, depth: int) -> list[tuple[Int64, Float32]]:
    """The best rows of each query within a block that begins at row `start`."""
    best = [top_rows(of_query, depth) for of_query in scores]
    return [(rows + start, found[rows]) for rows, found in zip(best, scores, strict=True)]


def _merged(parts: Sequence[tuple[Int64, Float32]], depth: int) -> tuple[Int64, Float32]:
    rows, scores = (np.concatenate(column) for column in zip(*parts, strict=True))
    return best_rows(rows, scores, depth)


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
