"""Recall as the cut-off grows."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count, takewhile

import numpy as np

from parm_core.errors import ConfigError, DataError
from parm_core.types import Float64, Int64, Qrels, Run

_FIRST = (1, 2, 3, 5, 7)
_LEADING = (10, 15, 20, 30, 50, 70)


def cut_offs(limit: int) -> tuple[int, ...]:
    """1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100 … up to and with `limit`: even on a log axis.

    Raises ConfigError for a limit below 1.
    """
    if limit < 1:
        raise ConfigError(f"the largest cut-off must be 1 or more, got {limit}")
    later = (leading * 10**power for power in count() for leading in _LEADING)
    below = [k for k in _FIRST if k < limit] + list(takewhile(lambda k: k < limit, later))
    return (*below, limit)


def recall_by_cutoff(run: Run, qrels: Qrels, cutoffs: Sequence[int]) -> Float64:
    """(n,) mean over the judged queries of the share of relevant cases in the top k, each in [0, 1].

    A judged query that the run lacks counts 0, and so does one without a relevant case: R@k as
    trec_eval has it. Althammer et al. 2022, figure 2. Raises ConfigError for a cut-off below 1,
    DataError where no query is judged.
    """
    for k in cutoffs:
        check_cut_off(k)
    if not qrels:
        raise DataError("there are no qrels to measure against")
    total = np.zeros(len(cutoffs))
    for query, grades in qrels.items():
        relevant = {case_id for case_id, grade in grades.items() if grade > 0}
        if relevant and query in run:
            ranks = _ranks_of(relevant, run[query].case_ids)
            total += np.searchsorted(ranks, cutoffs, side="right") / len(relevant)
    return total / len(qrels)


def check_cut_off(k: int) -> None:
    """Raise ConfigError for a cut-off below 1."""
    if k < 1:
        raise ConfigError(f"the cut-off must be 1 or more, got {k}")


def _ranks_of(relevant: set[str], case_ids: Sequence[str]) -> Int64:
    """The ranks, ascending, of the relevant cases that were found."""
    ranks = (rank for rank, case_id in enumerate(case_ids, 1) if case_id in relevant)
    return np.fromiter(ranks, dtype=np.int64)
