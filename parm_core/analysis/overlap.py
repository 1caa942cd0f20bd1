"""What one ranking finds within a cut-off and another does not: PARM∖Doc and its kin."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

from parm_core.errors import ConfigError
from parm_core.types import Ranking


def regions(rankings: Mapping[str, Ranking], k: int) -> dict[frozenset[str], tuple[str, ...]]:
    """Split the cases in any ranking's top k by exactly which rankings' top k hold them.

    Every non-empty set of names is a key, empty regions too. Cases of a region are ordered by
    their best rank in it, then id. Althammer et al., ECIR 2022, figure 3. Raises ConfigError for k < 1.
    """
    if k < 1:
        raise ConfigError(f"the cut-off must be 1 or more, got {k}")
    names = list(rankings)
    best: dict[str, int] = {}
    held: dict[str, set[str]] = {}
    for name, ranking in rankings.items():
        for rank, case_id in enumerate(ranking.case_ids[:k], 1):
            best[case_id] = min(rank, best.get(case_id, rank))
            held.setdefault(case_id, set()).add(name)
    keys = [frozenset(some) for n in range(1, len(names) + 1) for some in combinations(names, n)]
    found: dict[frozenset[str], list[str]] = {key: [] for key in keys}
    for case_id in sorted(held, key=lambda case_id: (best[case_id], case_id)):
        found[frozenset(held[case_id])].append(case_id)
    return {key: tuple(cases) for key, cases in found.items()}
