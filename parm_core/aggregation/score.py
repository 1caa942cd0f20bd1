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
    highest = np.full(table.found.size, -np.inf)
    np.maximum.at(highest, table.case, table.score)
    best = np.flatnonzero(table.score == highest[table.case])
    first = np.empty(table.found.size, dtype=np.int64)
    first[table.case[best[::-1]]] = best[::-1]  # of several, the last that is written stays
    terms = np.zeros(table.row.size)
    terms[first] = table.score[first]
    return terms
