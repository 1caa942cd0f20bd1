"""Looking behind a number: what the queries that a system helps have in common."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from parm_core.analysis.meetings import relevant_hits
from parm_core.errors import DataError
from parm_core.types import Float64, Hits, Int64

_LEAST = 3
"""Fewer pairs than this say nothing of a correlation."""


def match_places(hits: Hits, relevant: Sequence[slice]) -> tuple[float, float]:
    """Where in the query, and where in its relevant cases, the best matching paragraphs lie.

    Of each relevant case (its rows of the paragraph table) the best hit counts: the smallest rank,
    then the earlier query paragraph. Each place is in [0, 1], 0 the first paragraph, 1 the last, 0.5
    where there is but one; averaged over the relevant cases that have a hit. (NaN, NaN) if none has.
    """
    hit = relevant_hits(hits, relevant)
    if hit.row.size == 0:
        return float("nan"), float("nan")
    order = np.lexsort((hit.paragraph, hit.rank, hit.case))
    cases, first = np.unique(hit.case[order], return_index=True)
    best = order[first]
    starts, stops = (np.array([getattr(c, end) for c in relevant]) for end in ("start", "stop"))
    sizes = (stops - starts)[cases]
    n_q = np.full(cases.size, hits.rows.shape[0])
    return (
        float(_place(hit.paragraph[best], n_q).mean()),
        float(_place(hit.row[best] - starts[cases], sizes).mean()),
    )


def _place(position: Int64, size: Int64) -> Float64:
    """(n,) position / (size - 1), in [0, 1]; 0.5 where the size is 1."""
    return np.where(size > 1, position / np.maximum(size - 1, 1), 0.5)


def factor_correlations(
    difference: Float64, factors: Mapping[str, Float64]
) -> dict[str, tuple[float, float, int]]:
    """Factor -> (Spearman's rho in [-1, 1], two-sided p, n) with the queries' differences (Q,).

    Queries where either value is not finite are left out; n is how many stay. Rho and p are NaN
    for fewer than 3, or where either is constant. By scipy, p from Student's t; Spearman 1904.
    Raises DataError where a factor has another length.
    """
    return {name: _spearman(name, difference, values) for name, values in factors.items()}


def _spearman(name: str, difference: Float64, values: Float64) -> tuple[float, float, int]:
    from scipy.stats import spearmanr

    if values.shape != difference.shape:
        raise DataError(f"{name} has {values.size} values for {difference.size} queries")
    kept = np.isfinite(difference) & np.isfinite(values)
    x, y = difference[kept], values[kept]
    if x.size < _LEAST or np.ptp(x) == 0 or np.ptp(y) == 0:
        return float("nan"), float("nan"), int(x.size)
    found = spearmanr(x, y)
    return float(found.statistic), float(found.pvalue), int(x.size)
