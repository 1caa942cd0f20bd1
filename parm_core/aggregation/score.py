"""Aggregations that read scores."""

from __future__ import annotations

import numpy as np

from parm_core.aggregation.hit_table import HitTable
from parm_core.types import Float64


def combsum(table: HitTable) -> Float64:
    """(n,) terms score_i(p). Shaw and Fox, TREC-2 1994."""
    return table.score


def maximum(table: HitTable) -> Float64:
    """(n,) terms: a case's best hit gives its score, all others 0. Akkalyoncu Yilmaz et al. 2019.

    Of equal best hits the one of the earliest query paragraph, then of the better rank, counts.
    """
    order = np.lexsort((table.rank, table.query, -table.score, table.case))
    best = order[np.searchsorted(table.case[order], np.arange(table.found.size))]
    terms = np.zeros(table.row.size)
    terms[best] = table.score[best]
    return terms
