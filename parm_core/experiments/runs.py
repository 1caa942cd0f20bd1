"""Runs: the rankings of many systems for many query cases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from parm_core.errors import DataError
from parm_core.experiments.memory import Memory
from parm_core.query import Query
from parm_core.retrieval import Searcher
from parm_core.systems import System
from parm_core.types import Case, Progress, Ranking, Run

Runs = Mapping[str, Run]
"""System -> its run."""


class Ranked(NamedTuple):
    """Runs, and the queries that could not be searched with: query id -> why."""

    runs: dict[str, dict[str, Ranking]]
    failed: dict[str, str]


def rank_queries(
    searcher: Searcher,
    cases: Sequence[Case],
    systems: Sequence[System],
    *,
    memory: Memory | None = None,
    progress: Progress | None = None,
) -> Ranked:
    """Rank the cases of the index for every query case by every system: a run a system.

    Case by case, all systems at once: they share its vectors and hits, and a run that is stopped
    has whole cases done, which `memory` keeps. A case that cannot be searched with is left out of
    every run, and told. progress counts "queries".
    """
    runs: dict[str, dict[str, Ranking]] = {str(system): {} for system in systems}
    failed: dict[str, str] = {}
    for done, case in enumerate(cases, 1):
        try:
            for system, ranking in _rank(searcher, case, systems, memory).items():
                runs[system][case.id] = ranking
        except DataError as error:
            failed[case.id] = str(error)
        if progress:
            progress(done, len(cases), "queries")
    return Ranked(runs, failed)


def kept_runs(
    searcher: Searcher, cases: Sequence[Case], systems: Sequence[System], memory: Memory
) -> dict[str, dict[str, Ranking]]:
    """What an earlier run has left of `rank_queries`: the queries that every system has ranked."""
    runs: dict[str, dict[str, Ranking]] = {str(system): {} for system in systems}
    for case in cases:
        kept = {str(s): memory.ranking(searcher.index, case, s) for s in systems}
        if all(ranking is not None for ranking in kept.values()):
            for system, ranking in kept.items():
                assert ranking is not None
                runs[system][case.id] = ranking
    return runs


def _rank(
    searcher: Searcher, case: Case, systems: Sequence[System], memory: Memory | None
) -> dict[str, Ranking]:
    found: dict[str, Ranking] = {}
    query: Query | None = None
    for system in systems:
        ranking = memory.ranking(searcher.index, case, system) if memory else None
        if ranking is None:
            query = query or searcher.query_of(case)
            ranking = searcher.rank(query, system)
            if memory:
                memory.keep_ranking(searcher.index, case, system, ranking)
        found[str(system)] = ranking
    return found
