"""What one ranking finds within a cut-off and another does not: PARM∖Doc and its kin."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import combinations

from parm_core.analysis.cutoffs import check_cut_off
from parm_core.types import Qrels, Ranking, Run


def regions(rankings: Mapping[str, Ranking], k: int) -> dict[frozenset[str], tuple[str, ...]]:
    """Split the cases in any ranking's top k by exactly which rankings' top k hold them.

    Every non-empty set of names is a key, empty regions too. Cases of a region are ordered by
    their best rank in it, then id. Althammer et al., ECIR 2022, figure 3. Raises ConfigError for k < 1.
    """
    check_cut_off(k)
    best: dict[str, int] = {}
    held: dict[str, set[str]] = {}
    for name, ranking in rankings.items():
        for rank, case_id in enumerate(ranking.case_ids[:k], 1):
            best[case_id] = min(rank, best.get(case_id, rank))
            held.setdefault(case_id, set()).add(name)
    found: dict[frozenset[str], list[str]] = {key: [] for key in _subsets(rankings) if key}
    for case_id in sorted(held, key=lambda case_id: (best[case_id], case_id)):
        found[frozenset(held[case_id])].append(case_id)
    return {key: tuple(cases) for key, cases in found.items()}


def relevant_regions(
    runs: Mapping[str, Run], qrels: Qrels, k: int
) -> dict[frozenset[str], tuple[tuple[str, str], ...]]:
    """Split the relevant (query id, case id) pairs by exactly which systems' top k hold them.

    Every set of systems is a key; under the empty one stand those that none finds. A PARM system
    and a document-level one give Althammer et al., ECIR 2022, figure 3's cells: both, either alone,
    neither. Pairs of a region are ordered by query id, by the best rank any system gives the case,
    within k or beyond (one ranked nowhere comes last), then by case id. Raises ConfigError for k < 1.
    """
    check_cut_off(k)
    found: dict[frozenset[str], list[tuple[str, str]]] = {key: [] for key in _subsets(runs)}
    for query in sorted(qrels):
        relevant = {case_id for case_id, grade in qrels[query].items() if grade > 0}
        ranks = {name: _ranks(run.get(query), relevant) for name, run in runs.items()}
        best = {
            case_id: min((r[case_id] for r in ranks.values() if case_id in r), default=float("inf"))
            for case_id in relevant
        }
        for case_id in sorted(relevant, key=lambda case_id: (best[case_id], case_id)):
            holders = (name for name, r in ranks.items() if r.get(case_id, k + 1) <= k)
            found[frozenset(holders)].append((query, case_id))
    return {key: tuple(pairs) for key, pairs in found.items()}


def _ranks(ranking: Ranking | None, relevant: set[str]) -> dict[str, int]:
    """Relevant case id -> rank, of those that were ranked."""
    ids = ranking.case_ids if ranking else ()
    return {case_id: rank for rank, case_id in enumerate(ids, 1) if case_id in relevant}


def _subsets(names: Iterable[str]) -> list[frozenset[str]]:
    """Every set of names, smaller ones first."""
    listed = list(names)
    return [frozenset(some) for n in range(len(listed) + 1) for some in combinations(listed, n)]
