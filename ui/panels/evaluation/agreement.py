"""How far the systems agree, over all queries."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from parm_core.analysis.agreement import Agreement, mean_agreement
from parm_core.experiments.runs import Runs
from ui import charts, inputs, shell
from ui.laboratory import Ranked
from ui.sharing import choice

_MEASURES = {
    "Rank-biased overlap": "rank_biased_overlap",
    "Kendall's tau": "kendall_tau",
    "Jaccard": "jaccard",
}


def show(ranked: Ranked, n_cases: int) -> None:
    """A matrix of every two systems: the mean over the queries."""
    if len(ranked.runs) < 2:
        st.info("Choose a second system to compare with.")
        return
    left, right = st.columns(2, gap="large")
    with left:
        name = choice(
            st.segmented_control, "Measure", list(_MEASURES), key="measure",
            default="Rank-biased overlap", required=True,
        )  # fmt: skip
    with right:
        cut = inputs.cut_off(min(n_cases, 1_000))
    found = _agreement(ranked.key, cut, ranked.runs)
    systems = list(found.systems)
    matrix = pd.DataFrame(getattr(found, _MEASURES[name]), index=systems, columns=systems)
    shell.chart(charts.agreement(matrix, measure=f"{name}, first {cut}"), key="mean-agreement")
    st.caption(f"Each value is the mean over {ranked.done} queries.")
    shell.download("Download (CSV)", matrix.rename_axis("system").reset_index(), "agreement.csv")


@st.cache_data(max_entries=16, show_spinner="Comparing the rankings…")
def _agreement(key: str, k: int, _runs: Runs) -> Agreement:
    """`key` stands for the runs."""
    return mean_agreement(_runs, k=k)
