"""How far two rankings agree.

Within, two rankings are their cases' ranks x, y (n,), over the n cases in either top k; a case
outside a top k has the rank k + 1 there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from parm_core.analysis.cutoffs import check_cut_off
from parm_core.errors import ConfigError
from parm_core.types import Float64, Int64, Ranking, Run


def jaccard(a: Ranking, b: Ranking, k: int) -> float:
    """|A ∩ B| / |A ∪ B| of the two top k, in [0, 1]; 1 where both are empty. Jaccard 1912."""
    check_cut_off(k)
    x, y = _ranks([a, b], k)
    return _jaccard(x, y, k)


def rank_biased_overlap(a: Ranking, b: Ranking, *, p: float = 0.9, k: int = 100) -> float:
    """RBO extrapolated from depth k, in [0, 1]: the share of agreement a reader with patience p meets.

    Webber, Moffat and Zobel, TOIS 2010, equation 23: X_k/k * p^k + (1-p)/p * sum over d of X_d/d * p^d,
    X_d the overlap of the two top d. Where both rankings end before k, k is the longer one's length.
    Raises ConfigError unless 0 < p < 1 and k >= 1.
    """
    check_cut_off(k)
    _check_patience(p)
    x, y = _ranks([a, b], k)
    return _rank_biased_overlap(x, y, k, p)


def kendall_tau(a: Ranking, b: Ranking, k: int) -> float:
    """Kendall's tau-b in [-1, 1] over the union of the two top k.

    A case outside a top k stands tied behind it; NaN where that leaves nothing to compare. By
    scipy's implementation; Kendall, Biometrika 1945.
    """
    check_cut_off(k)
    x, y = _ranks([a, b], k)
    return _kendall_tau(x, y)


@dataclass(frozen=True)
class Agreement:
    """How far systems agree, the mean over queries; each matrix (n, n), symmetric, 1 on the diagonal.

    NaN where two systems have no query in common, or no tau to compare.
    """

    systems: tuple[str, ...]
    rank_biased_overlap: Float64
    kendall_tau: Float64
    jaccard: Float64

    def as_dict(self) -> dict[str, Any]:
        """What JSON can hold: the systems, and each matrix as rows; None for NaN."""
        return {
            "systems": list(self.systems),
            **{name: _plain(getattr(self, name)) for name in _MATRICES},
        }

    def as_text(self) -> str:
        """A table to be read: one line a pair of systems."""
        pairs = list(combinations(range(len(self.systems)), 2))
        named = [f"{self.systems[i]} and {self.systems[j]}" for i, j in pairs]
        width = max(map(len, named), default=0)
        lines = [f"{'':{width}}  {'RBO':>7}  {'tau':>7}  {'Jaccard':>7}"]
        for name, (i, j) in zip(named, pairs, strict=True):
            values = (_figure(getattr(self, matrix)[i, j]) for matrix in _MATRICES)
            lines.append(f"{name:{width}}  {'  '.join(values)}")
        return "\n".join(lines)


_MATRICES = ("rank_biased_overlap", "kendall_tau", "jaccard")


def _plain(matrix: Float64) -> list[list[float | None]]:
    return [[None if np.isnan(value) else float(value) for value in row] for row in matrix]


def _figure(value: float) -> str:
    return f"{'–' if np.isnan(value) else format(value, '.3f'):>7}"


def mean_agreement(runs: Mapping[str, Run], *, k: int, p: float = 0.9) -> Agreement:
    """Each measure at k, the mean over the queries that both systems have; a tau of NaN is left out.

    Raises ConfigError unless 0 < p < 1 and k >= 1.
    """
    check_cut_off(k)
    _check_patience(p)
    systems = tuple(runs)
    total, counted = np.zeros((2, 3, len(systems), len(systems)))
    for query in dict.fromkeys(query for run in runs.values() for query in run):
        held = [i for i, system in enumerate(systems) if query in runs[system]]
        ranks = _ranks([runs[systems[i]][query] for i in held], k)
        for (i, x), (j, y) in combinations(zip(held, ranks, strict=True), 2):
            values = _agreement(x, y, k, p)
            total[:, i, j] += np.nan_to_num(values)
            counted[:, i, j] += np.isfinite(values)
    overlap, tau, shared = (_symmetric(*pair) for pair in zip(total, counted, strict=True))
    return Agreement(systems, overlap, tau, shared)


def _agreement(x: Int64, y: Int64, k: int, p: float) -> tuple[float, float, float]:
    """Rank-biased overlap, tau, Jaccard of two rankings among several."""
    either = np.minimum(x, y) <= k
    x, y = x[either], y[either]
    return _rank_biased_overlap(x, y, k, p), _kendall_tau(x, y), _jaccard(x, y, k)


def _symmetric(total: Float64, counted: Float64) -> Float64:
    """Means of what stands above the diagonal, below it too; NaN where nothing was counted."""
    total, counted = total + total.T, counted + counted.T
    means: Float64 = np.full(total.shape, np.nan)
    np.divide(total, counted, out=means, where=counted > 0)
    np.fill_diagonal(means, 1.0)
    return means


def _ranks(rankings: Sequence[Ranking], k: int) -> Int64:
    """(rankings, n) rank of each case in any top k, k + 1 where it is outside."""
    tops = [ranking.case_ids[:k] for ranking in rankings]
    place = {case_id: i for i, case_id in enumerate(dict.fromkeys(c for top in tops for c in top))}
    ranks = np.full((len(tops), len(place)), k + 1, dtype=np.int64)
    for row, top in zip(ranks, tops, strict=True):
        row[[place[case_id] for case_id in top]] = np.arange(1, len(top) + 1)
    return ranks


def _jaccard(x: Int64, y: Int64, k: int) -> float:
    return float((np.maximum(x, y) <= k).mean()) if x.size else 1.0


def _rank_biased_overlap(x: Int64, y: Int64, k: int, p: float) -> float:
    depth = int(max((x <= k).sum(), (y <= k).sum()))
    if depth == 0:
        return 1.0
    joined = np.bincount(np.maximum(x, y), minlength=depth + 1)
    overlaps = np.cumsum(joined[1 : depth + 1])
    d = np.arange(1, depth + 1)
    return float(overlaps[-1] / depth * p**depth + (1 - p) / p * np.sum(overlaps / d * p**d))


def _kendall_tau(x: Int64, y: Int64) -> float:
    from scipy.stats import kendalltau

    return float(kendalltau(x, y).statistic) if x.size > 1 else float("nan")


def _check_patience(p: float) -> None:
    if not 0 < p < 1:
        raise ConfigError(f"p must be between 0 and 1, got {p}")
