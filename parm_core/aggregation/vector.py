"""Aggregations that read vectors: q̂·d̂ of one vector for the query and one for the case.

Where d̂ is a weighted sum of the case's hits, q̂·d̂ is the same weighted sum of q̂·E[p], so that no
case vector is ever built. Li et al., PARADE 2020; Althammer et al., ECIR 2022, section 3.2.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from parm_core.aggregation.hit_table import HitTable
from parm_core.aggregation.rank import reciprocal_rank
from parm_core.types import Float32, Float64, Int64

Weights = Callable[..., Float64]


def weighted(weights: Weights) -> Callable[..., Float64]:
    """Terms w_i(p) * (q̂·E[p]) of a weighting, q̂ the plain sum over the query's paragraphs."""

    def terms(table: HitTable, **params: float) -> Float64:
        return weights(table, **params) * table.similarity

    return terms


def vsum(table: HitTable) -> Float64:
    """(n,) weights 1: q̂ and d̂ are sums. PARADE 2020."""
    return np.ones(table.row.size)


def vavg(table: HitTable) -> Float64:
    """(n,) weights 1 / (query paragraphs * hits of the case): q̂ and d̂ are means. PARADE 2020."""
    return np.asarray(1.0 / (table.lengths.size * table.hits_of_case[table.case]), dtype=np.float64)


def vscores(table: HitTable) -> Float64:
    """(n,) weights score_i(p). Althammer et al. 2022, section 3.2."""
    return table.score


def vranks(table: HitTable) -> Float64:
    """(n,) weights N_i - rank_i(p) + 1, N_i the length of list i. Althammer et al. 2022, section 3.2."""
    return np.asarray(table.lengths[table.query] - table.rank + 1, dtype=np.float64)


def vrrf(table: HitTable, *, k: float = 60) -> Float64:
    """(n,) weights 1 / (k + rank_i(p)). Althammer et al. 2022, section 3.2."""
    return reciprocal_rank(table.rank, k)


def extreme_scores(table: HitTable, extreme: np.ufunc) -> Float64:
    """(m,) q̂·d̂, both the component-wise np.maximum (`vmax`) or np.minimum (`vmin`). PARADE 2020."""
    assert table.query_vectors is not None
    if not table.found.size:
        return np.zeros(0)
    query = extreme.reduce(table.query_vectors, axis=0).astype(np.float64)
    cases = _extreme_by_group(table.distinct_vectors, table.first_distinct, extreme)
    return np.asarray(cases.astype(np.float64) @ query)


def _extreme_by_group(vectors: Float32, starts: Int64, extreme: np.ufunc) -> Float32:
    """(n, dim) -> (groups, dim): group g is vectors[starts[g]:starts[g + 1]].

    What `extreme.reduceat` gives, by taking in every group's j-th member at once: several times as fast.
    """
    sizes = np.diff(starts, append=len(vectors))
    largest_first = np.argsort(-sizes, kind="stable")
    first, sizes = starts[largest_first], sizes[largest_first]
    found = vectors[first]
    for j in range(1, int(sizes[0])):
        longer = int(np.searchsorted(-sizes, -j))
        extreme(found[:longer], vectors[first[:longer] + j], out=found[:longer])
    by_group = np.empty_like(found)
    by_group[largest_first] = found
    return by_group


def suppliers(vectors: Float32, extreme: np.ufunc) -> Float64:
    """(n, dim) -> (n, dim) shares: each component's extreme is shared equally by those that supply it."""
    supply = (vectors == extreme.reduce(vectors, axis=0)).astype(np.float64)
    shares: Float64 = supply / supply.sum(axis=0)
    return shares
