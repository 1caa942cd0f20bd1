"""Aggregations that read ranks."""

from __future__ import annotations

import numpy as np

from parm_core.aggregation.hit_table import HitTable
from parm_core.types import Float64, Int64


def reciprocal_rank(rank: Int64 | int, k: float) -> Float64:
    """1 / (k + rank) of each rank, from 1. Cormack, Clarke and Büttcher, SIGIR 2009."""
    return np.asarray(1.0 / (k + rank), dtype=np.float64)


def rrf(table: HitTable, *, k: float = 60) -> Float64:
    """(n,) terms 1 / (k + rank). Cormack, Clarke and Büttcher, SIGIR 2009."""
    return reciprocal_rank(table.rank, k)


def srrf(table: HitTable, *, k: float = 5, p: float = 2, a: float = 0.5) -> Float64:
    """(n,) terms m_d^-a / (k + rank)^p, m_d the paragraphs of the hit's case: sharp RRF.

    This product's own; `rrf` is k = 60, p = 1, a = 0. The README says what it was measured on.
    """
    norm = table.sizes.astype(float) ** -a
    powers = (k + np.arange(1.0, table.lengths.max(initial=0) + 1)) ** p
    return norm[table.case] / powers[table.rank - 1]
