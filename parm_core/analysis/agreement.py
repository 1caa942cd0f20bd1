"""How far two rankings agree."""

from __future__ import annotations

import numpy as np

from parm_core.errors import ConfigError
from parm_core.types import Ranking


def jaccard(a: Ranking, b: Ranking, k: int) -> float:
    """|A ∩ B| / |A ∪ B| of the two top k, in [0, 1]; 1 where both are empty. Jaccard 1912."""
    _check_cut(k)
    top_a, top_b = set(a.case_ids[:k]), set(b.case_ids[:k])
    union = top_a | top_b
    return len(top_a & top_b) / len(union) if union else 1.0


def rank_biased_overlap(a: Ranking, b: Ranking, *, p: float = 0.9, k: int = 100) -> float:
    """RBO extrapolated from depth k, in [0, 1]: the share of agreement a reader with patience p meets.

    Webber, Moffat and Zobel, TOIS 2010, equation 23: X_k/k * p^k + (1-p)/p * sum over d of X_d/d * p^d,
    X_d the overlap of the two top d. Where both rankings end before k, k is the longer one's length.
    Raises ConfigError unless 0 < p < 1 and k >= 1.
    """
    _check_cut(k)
    if not 0 < p < 1:
        raise ConfigError(f"p must be between 0 and 1, got {p}")
    depth = min(k, max(len(a), len(b)))
    if depth == 0:
        return 1.0
    overlaps = _overlaps(a, b, depth)
    d = np.arange(1, depth + 1)
    return float(overlaps[-1] / depth * p**depth + (1 - p) / p * np.sum(overlaps / d * p**d))


def kendall_tau(a: Ranking, b: Ranking, k: int) -> float:
    """Kendall's tau-b in [-1, 1] over the union of the two top k.

    A case outside a top k stands tied behind it; NaN where that leaves nothing to compare. By
    scipy's implementation; Kendall, Biometrika 1945.
    """
    from scipy.stats import kendalltau

    _check_cut(k)
    ranks_a, ranks_b = _top_ranks(a, k), _top_ranks(b, k)
    union = sorted(ranks_a.keys() | ranks_b.keys())
    x = [ranks_a.get(case_id, k + 1) for case_id in union]
    y = [ranks_b.get(case_id, k + 1) for case_id in union]
    return float(kendalltau(x, y).statistic) if len(union) > 1 else float("nan")


def _check_cut(k: int) -> None:
    if k < 1:
        raise ConfigError(f"the cut-off must be 1 or more, got {k}")


def _top_ranks(ranking: Ranking, k: int) -> dict[str, int]:
    return {case_id: rank for rank, case_id in enumerate(ranking.case_ids[:k], 1)}


def _overlaps(a: Ranking, b: Ranking, depth: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """(depth,) the overlap of the two top d, d from 1."""
    joined = np.zeros(depth, dtype=np.int64)
    ranks_b = _top_ranks(b, depth)
    for case_id, rank in _top_ranks(a, depth).items():
        if case_id in ranks_b:
            joined[max(rank, ranks_b[case_id]) - 1] += 1
    return np.cumsum(joined)
