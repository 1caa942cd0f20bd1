"""Recall by cut-off: the PARM paper's figure 2."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from parm_core.analysis.cutoffs import cut_offs, recall_by_cutoff
from parm_core.types import Float64
from ui import charts, shell
from ui.laboratory import Ranked
from ui.panels import pictures

_MOST = 1_000


def show(ranked: Ranked, n_cases: int) -> None:
    """A line a system, over all queries; the same as a table, and as a picture for a paper."""
    cutoffs = cut_offs(min(n_cases, _MOST))
    curves = _curves(ranked.key, cutoffs, ranked)
    shell.chart(charts.recall_curves(cutoffs, curves), key="recall")
    table = pd.DataFrame(curves, index=pd.Index(cutoffs, name="cut-off")).reset_index()
    with st.expander("The same as a table"):
        st.dataframe(table.round(4), hide_index=True)
    with st.container(horizontal=True, gap="small"):
        shell.download("Table (CSV)", table, "recall.csv")
        pictures.downloads(lambda: _picture(cutoffs, curves), "recall")


@st.cache_data(max_entries=16, show_spinner=False)
def _curves(key: str, cutoffs: tuple[int, ...], _ranked: Ranked) -> dict[str, Float64]:
    """`key` stands for runs and qrels."""
    qrels = _ranked.labelled.qrels
    return {system: recall_by_cutoff(run, qrels, cutoffs) for system, run in _ranked.runs.items()}


def _picture(cutoffs: tuple[int, ...], curves: dict[str, Float64]) -> Any:
    from parm_core import figures

    return figures.recall_curves(cutoffs, curves)
