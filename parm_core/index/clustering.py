"""Paragraph vectors in clusters, each cluster one span of memory."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from parm_core.types import Float32, Int64

_LEAST_ROWS = 1024
"""Rows below which one cluster holds all of them."""

_TRAINING_ROWS = 64
"""Rows a cluster that k-means reads."""

_ROUNDS, _SEED, _BLOCK = 10, 7, 65_536


@dataclass(frozen=True)
class Clusters:
    """Rows by cluster: those of cluster l are rows[starts[l]:starts[l + 1]], ascending.

    centroids: (L, dim) float32. starts: (L + 1,) int64. rows: (P,) int64. vectors: (P, dim)
    float32, in the order of `rows`; may be memory-mapped.
    """

    centroids: Float32
    starts: Int64
    rows: Int64
    vectors: Float32


def spans(cluster: Int64, n: int) -> tuple[Int64, Int64]:
    """(P,) the cluster of each row, of n -> `rows` and `starts` as `Clusters` holds them."""
    sizes = np.bincount(cluster, minlength=n)
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    return np.argsort(cluster, kind="stable"), starts


def in_clusters(vectors: Float32, centroids: Float32, cluster: Int64) -> Clusters:
    """(P, dim) vectors and (P,) the cluster of each -> a copy in memory, cluster by cluster."""
    rows, starts = spans(cluster, len(centroids))
    return Clusters(centroids, starts, rows, vectors[rows])


def clustered(vectors: Float32, twins: Int64) -> tuple[Float32, Int64]:
    """(P, dim) vectors -> (L, dim) centroids and (P,) the cluster of each row; twins share one.

    The same vectors give the same clusters on the same machine.
    """
    n = len(vectors)
    if n < _LEAST_ROWS:
        return np.zeros((1, vectors.shape[1]), dtype=np.float32), np.zeros(n, dtype=np.int64)
    centroids = _centroids(vectors, 2 ** round(np.log2(n) / 2))
    cluster = np.empty(n, dtype=np.int64)
    for start in range(0, n, _BLOCK):
        block = vectors[start : start + _BLOCK]
        cluster[start : start + len(block)] = np.argmax(block @ centroids.T, axis=1)
    return centroids, cluster[twins]


def _centroids(vectors: Float32, n: int) -> Float32:
    """(n, dim) of length 1, by faiss's spherical k-means on rows drawn with a seed."""
    import faiss

    drawn = np.random.default_rng(_SEED).permutation(len(vectors))[: n * _TRAINING_ROWS]
    options = {"niter": _ROUNDS, "seed": _SEED, "spherical": True, "min_points_per_centroid": 1}
    means = faiss.Kmeans(vectors.shape[1], n, **options)
    means.train(np.ascontiguousarray(vectors[np.sort(drawn)]))
    return np.asarray(means.centroids, dtype=np.float32)
