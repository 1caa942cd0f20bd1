"""BM25 and dense search in Milvus, by the rules of the engines that search on this machine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from parm_core.errors import ConfigError
from parm_core.index.milvus_collection import MOST_HITS, MilvusCollection, check_depth
from parm_core.index.milvus_rows import IMPACTS, VECTOR
from parm_core.index.selection import pack
from parm_core.types import Float32, Hits, Int64

_MORE = 64
"""Hits asked for beyond the depth: Milvus breaks ties at the cut in an order of its own."""

_NONE = np.zeros(0, np.int64), np.zeros(0, np.float32)


class MilvusLexicalEngine:
    """BM25 from impacts held as sparse vectors; a query's are its counts of each term.

    vocabulary: term -> dimension. twins: (P,) the first row of equal text.
    """

    def __init__(
        self, collection: MilvusCollection, vocabulary: Mapping[str, int], twins: Int64
    ) -> None:
        self._vocabulary = vocabulary
        self._best = _BestHits(collection, IMPACTS, twins)

    def search(
        self, queries: Sequence[Sequence[str]], *, depth: int, excluded: slice = slice(0, 0)
    ) -> Hits:
        """One list of terms a query paragraph -> hits; rows scoring 0, or `excluded`, are none."""
        counts = [self._counts(terms) for terms in queries]
        asked = [i for i, held in enumerate(counts) if held]
        found = [_NONE] * len(queries)
        best = self._best.search([counts[i] for i in asked], depth, excluded)
        for i, hits in zip(asked, best, strict=True):
            found[i] = hits
        return pack(found, depth)

    def _counts(self, terms: Sequence[str]) -> dict[int, float]:
        known = Counter(t for t in map(self._vocabulary.get, terms) if t is not None)
        return {t: float(n) for t, n in sorted(known.items())}


class MilvusDenseEngine:
    """Exact search by inner product. twins: (P,) the first row of equal text."""

    def __init__(self, collection: MilvusCollection, twins: Int64) -> None:
        self._n_rows = collection.n_rows
        self._best = _BestHits(collection, VECTOR, twins)

    def search(self, queries: Float32, *, depth: int, excluded: slice = slice(0, 0)) -> Hits:
        """(n_q, dim) queries -> hits of every row but those in `excluded`."""
        return pack(self._best.search(list(queries), depth, excluded), depth)

    def scores(self, queries: Float32) -> Float32:
        """(n_q, dim) -> (n_q, P) products; -inf beyond the best 16,384 rows of a query."""
        scores = np.full((len(queries), self._n_rows), -np.inf, dtype=np.float32)
        depth = min(MOST_HITS, self._n_rows)
        for of_query, found in zip(
            scores, self._best.search(list(queries), depth, slice(0, 0)), strict=True
        ):
            of_query[found[0]] = found[1]
        return scores


class MilvusVectors:
    """The vectors of an index, of which those asked for are fetched: rows -> (u, dim) float32.

    Whoever would read all of them is refused with a ConfigError: they may be more than one machine holds.
    """

    def __init__(self, collection: MilvusCollection) -> None:
        self._collection = collection
        self.shape = collection.n_rows, collection.dim

    def __getitem__(self, rows: Int64) -> Float32:
        if isinstance(rows, slice):
            raise self.refusal()
        return self._collection.vectors(np.asarray(rows, dtype=np.int64))

    def __len__(self) -> int:
        return self._collection.n_rows

    def __array__(self, dtype: object = None, copy: object = None) -> Float32:
        raise self.refusal()

    def refusal(self) -> ConfigError:
        """The error for whoever would read every vector."""
        return ConfigError(
            f"the vectors of this index are in Milvus ({self._collection.name}); use the default "
            "engine, or build an index on this machine"
        )


class _BestHits:
    """The best rows by DESIGN's rule: float32 score, equal texts alike, then the lower row first."""

    def __init__(self, collection: MilvusCollection, field: str, twins: Int64) -> None:
        self._collection, self._field, self._twins = collection, field, twins

    def search(
        self, queries: Sequence[Any], depth: int, excluded: slice
    ) -> list[tuple[Int64, Float32]]:
        """(rows, scores) of each query, at most `depth`. Asks on where a tie runs past what came.

        Raises ConfigError for a depth beyond Milvus's limit; at the limit itself Milvus cuts.
        """
        check_depth(depth)
        found = [_NONE] * len(queries)
        most = min(MOST_HITS, self._collection.n_rows)
        left, reach = list(range(len(queries))), depth
        while left and most and depth:
            reach = min(reach + _MORE, most)
            given = [queries[i] for i in left]
            came = self._collection.search(self._field, given, reach, excluded)
            undecided = []
            for i, (rows, scores) in zip(left, came, strict=True):
                rows, scores = self._in_order(rows, scores)
                found[i] = rows[:depth], scores[:depth]
                if rows.size == reach and reach < most and scores[depth - 1] == scores[-1]:
                    undecided.append(i)
            left, reach = undecided, 2 * reach
        return found

    def _in_order(self, rows: Int64, scores: Float32) -> tuple[Int64, Float32]:
        """A product may round equal vectors apart, so that equal texts take their best score."""
        _, first, same = np.unique(self._twins[rows], return_index=True, return_inverse=True)
        alike = scores[first][same]
        order = np.lexsort((rows, -alike))
        return rows[order], alike[order]
