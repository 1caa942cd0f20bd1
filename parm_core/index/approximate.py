"""Approximate search, for collections too large to read whole: rows in clusters, the nearest read.

Inverted lists over k-means clusters: Sivic and Zisserman, ICCV 2003; faiss's IVFFlat. Rows lie
cluster by cluster, so that a cluster is one span of memory, read once for all query paragraphs that
it is near. How many clusters a query paragraph reads is the least whose recall, measured against
exact search on rows drawn from the collection, is high enough; that recall is kept with it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from parm_core.index.clustering import Clusters
from parm_core.index.dense import ProductEngine
from parm_core.index.selection import best_rows, pack
from parm_core.types import Float32, Hits, Int64

WANTED_RECALL = 0.97
"""Of sample paragraphs, which are the collection's own: others find some hundredths less."""

SAMPLE_QUERIES, SAMPLE_DEPTH = 64, 1000
_SEED = 7


@dataclass(frozen=True)
class Recall:
    """The share of exact search's hits that a search of `probes` clusters finds.

    recall: in [0, 1], mean over `queries` rows drawn from the collection, at `depth` hits each.
    """

    probes: int
    recall: float
    queries: int
    depth: int

    def __str__(self) -> str:
        return (
            f"finds {100 * self.recall:.1f} % of the hits of exact search "
            f"({self.queries} sample paragraphs, {self.depth:,} hits each)"
        )


class ClusteredEngine:
    """Dense search of the clusters nearest to each query paragraph; scores are exact products.

    twins: (P,) int64, the first row of equal text; equal texts lie in one cluster.
    """

    def __init__(self, clusters: Clusters, twins: Int64, measured: Recall) -> None:
        self.measured = measured
        self._clusters = clusters
        place = np.empty(twins.size, dtype=np.int64)
        place[clusters.rows] = np.arange(twins.size)
        first = place[twins[clusters.rows]]
        self._later = np.flatnonzero(first != np.arange(twins.size))
        self._first = first[self._later]

    def search(self, queries: Float32, *, depth: int, excluded: slice = slice(0, 0)) -> Hits:
        """(n_q, dim) queries -> hits, without the rows in `excluded`."""
        probed = self._probed(queries, depth)
        found: list[list[tuple[Int64, Float32]]] = [[] for _ in queries]
        for cluster, asking in _by_cluster(probed):
            rows, scores = self._scored(queries[asking], cluster, excluded)
            for i, of_query in zip(asking.tolist(), scores, strict=True):
                found[i].append((rows, of_query))
        return pack([_best(parts, depth) for parts in found], depth)

    def _probed(self, queries: Float32, depth: int) -> Int64:
        """(n_q, probes) clusters each query reads; a search deeper than measured reads more."""
        n = len(self._clusters.centroids)
        deeper = max(1.0, depth / self.measured.depth)
        probes = min(n, int(np.ceil(self.measured.probes * deeper)))
        near = queries @ self._clusters.centroids.T
        return np.argpartition(-near, probes - 1, axis=1)[:, :probes]

    def _scored(self, queries: Float32, cluster: int, excluded: slice) -> tuple[Int64, Float32]:
        """A cluster's rows, ascending, and the (n_q, rows) scores of those that are not excluded."""
        held = slice(*self._clusters.starts[cluster : cluster + 2].tolist())
        scores = queries @ self._clusters.vectors[held].T
        later = slice(*np.searchsorted(self._later, [held.start, held.stop]))
        scores[:, self._later[later] - held.start] = scores[:, self._first[later] - held.start]
        rows = self._clusters.rows[held]
        start, stop, _ = excluded.indices(self._clusters.rows.size)
        out = slice(*np.searchsorted(rows, [start, max(start, stop)]))
        if out.start == out.stop:
            return rows, scores
        return np.delete(rows, out), np.delete(scores, out, axis=1)


def _by_cluster(probed: Int64) -> Iterator[tuple[int, Int64]]:
    """(n_q, probes) clusters of each query -> each cluster with the queries that read it."""
    order = np.argsort(probed, axis=None, kind="stable")
    clusters, first = np.unique(probed.ravel()[order], return_index=True)
    queries = order // probed.shape[1]
    yield from zip(clusters.tolist(), np.split(queries, first[1:]), strict=True)


def _best(parts: list[tuple[Int64, Float32]], depth: int) -> tuple[Int64, Float32]:
    rows, scores = (np.concatenate(column) for column in zip(*parts, strict=True))
    return best_rows(rows, scores, depth)


def measure(clusters: Clusters, vectors: Float32, twins: Int64) -> Recall:
    """The fewest clusters to read for WANTED_RECALL, a quarter more at a time, and what they find."""
    n, depth = len(clusters.centroids), max(1, min(SAMPLE_DEPTH, len(vectors)))
    drawn = np.random.default_rng(_SEED).permutation(len(vectors))[:SAMPLE_QUERIES]
    queries = np.asarray(vectors[np.sort(drawn)])
    exact = ProductEngine(vectors, twins).search(queries, depth=depth)
    probes = 1
    while True:
        tried = Recall(min(probes, n), 1.0, len(queries), depth)
        found = ClusteredEngine(clusters, twins, tried).search(queries, depth=depth)
        tried = Recall(tried.probes, round(recall(found, exact), 4), len(queries), depth)
        if tried.recall >= WANTED_RECALL or tried.probes == n:
            return tried
        probes = max(probes + 1, round(1.25 * probes))


def recall(found: Hits, exact: Hits) -> float:
    """Share of exact search's hits that were found, mean over query paragraphs; 1 where none are."""
    shares = []
    for some, wanted in zip(found.rows, exact.rows, strict=True):
        wanted = wanted[wanted >= 0]
        if wanted.size:
            shares.append(np.isin(wanted, some).mean())
    return float(np.mean(shares)) if shares else 1.0
