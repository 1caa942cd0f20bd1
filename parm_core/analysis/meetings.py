"""Where a judged query's hits meet its relevant cases."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from parm_core.types import Hits, Int64


class RelevantHits(NamedTuple):
    """The hits on relevant cases, columnar, by query paragraph, then rank; all (n,) int64.

    paragraph: place among the query's retrieved paragraphs, from 0. rank: from 1. row: of the
    index's paragraph table. case: place among the relevant cases, from 0.
    """

    paragraph: Int64
    rank: Int64
    row: Int64
    case: Int64


def relevant_hits(hits: Hits, relevant: Sequence[slice]) -> RelevantHits:
    """Keep the hits that fall on relevant cases, each given as its rows of the paragraph table."""
    n_rows = max([int(hits.rows.max(initial=-1)) + 1, *(rows.stop for rows in relevant)])
    case_of_row = np.full(n_rows + 1, -1, dtype=np.int32)  # the last stands for padding
    for case, rows in enumerate(relevant):
        case_of_row[rows] = case
    cases = case_of_row[hits.rows]
    paragraph, place = np.nonzero(cases >= 0)
    found = cases[paragraph, place].astype(np.int64)
    return RelevantHits(paragraph, place + 1, hits.rows[paragraph, place], found)
