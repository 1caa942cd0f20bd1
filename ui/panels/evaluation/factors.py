"""Which queries gain and which lose: differences against what is known of each query."""

from __future__ import annotations

import math
from dataclasses import asdict

import numpy as np
import pandas as pd
import streamlit as st

from parm_core.experiments.queries import FACTORS, QueryDifferences, query_differences
from parm_core.retrieval import Searcher
from ui import charts, laboratory, shell
from ui.laboratory import Ranked
from ui.panels import work
from ui.panels.evaluation.pairs import choose
from ui.panels.evaluation.settings import Settings


def show(engine: Searcher, ranked: Ranked, settings: Settings) -> None:
    """A small chart a factor, with Spearman's rho: does the difference go along with it?"""
    pair = choose(ranked, settings)
    runs = {name: ranked.runs[name] for name in (pair.baseline, pair.system)}
    found = work.computed(
        f"factors-{ranked.key}-{'-'.join(runs)}-{pair.measure}",
        f"{ranked.done} queries, to be cut and searched with once more: how long they are, and where "
        "in them and in their relevant cases the matching paragraphs lie.",
        lambda progress: query_differences(
            laboratory.searcher(engine), ranked.labelled, runs, pair.measure, progress=progress
        ),
    )
    if found is not None:
        _charts(found)
        shell.download("Table (CSV)", pd.DataFrame(map(asdict, found.rows)), "factors.csv")


def _charts(found: QueryDifferences) -> None:
    differences = np.array([row.difference for row in found.rows])
    names = [row.title or row.query for row in found.rows]
    factors = list(FACTORS)
    for start in range(0, len(factors), 2):
        columns = st.columns(2, gap="large")
        for column, factor in zip(columns, factors[start : start + 2], strict=False):
            with column:
                values = np.array([getattr(row, factor) for row in found.rows], dtype=np.float64)
                chart = charts.scatter(
                    values, differences, names=names, title=FACTORS[factor].capitalize(),
                    across=FACTORS[factor], upwards=f"difference in {found.measure}",
                )  # fmt: skip
                shell.chart(chart, key=f"factor-{factor}")
                st.caption(_told(*found.correlations[factor]))


def _told(rho: float, p: float, n: int) -> str:
    if not math.isfinite(rho):
        return f"No correlation can be told from these {n} queries."
    strength = f"p = {p:.3f}" if p >= 0.001 else "p < 0.001"
    return f"Spearman's rho {rho:+.2f}, {strength}, {n} queries."
