"""PARM against document-level retrieval, as sets of cases."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from parm_core.analysis.overlap import regions
from parm_core.query import Query
from parm_core.retrieval import Searcher
from parm_core.systems import parse_system
from parm_core.types import Ranking
from ui import charts, resources, shell


def parm_against_document(engine: Searcher, query: Query, aggregation: str, cut: int) -> None:
    """BM25's two rankings and dense's two, each pair split into its three regions."""
    pairs = [(f"bm25:{aggregation}", "bm25:doc"), (f"dense:{aggregation}", "dense:firstp")]
    parsed = [[parse_system(name) for name in pair] for pair in pairs]
    checked = [resources.usable(engine, systems) for systems in parsed]
    able = [systems for systems, why_not in checked if not why_not]
    for column, systems in zip(st.columns(max(len(able), 1), gap="large"), able, strict=False):
        found = resources.rankings(engine, query, systems)
        with column:
            _panel(engine, found, str(systems[0]), str(systems[1]), cut)
    for why_not in dict.fromkeys(why_not for _, why_not in checked if why_not):
        st.info(shell.plain(f"Not everything can be shown: {why_not}."))


def _panel(engine: Searcher, found: dict[str, Ranking], parm: str, document: str, cut: int) -> None:
    split = regions(found, cut)
    chart = charts.overlap_bars(split, title=f"First {cut} of {parm} and {document}")
    shell.chart(chart, key=f"overlap-{parm}")
    told = {
        f"Only {parm} (PARM∖Doc)": split[frozenset([parm])],
        "Both": split[frozenset([parm, document])],
        f"Only {document} (Doc∖PARM)": split[frozenset([document])],
    }
    for name, case_ids in told.items():
        with st.expander(
            shell.plain(f"{name}: {len(case_ids)}"), expanded=name.endswith("(PARM∖Doc)")
        ):
            _region(engine, found, case_ids)


def _region(engine: Searcher, found: dict[str, Ranking], case_ids: Sequence[str]) -> None:
    if not case_ids:
        st.caption("No case.")
        return
    described = [engine.index.described(case_id) for case_id in case_ids]
    ranks = {system: ranking.ranks() for system, ranking in found.items()}
    columns = {f"rank, {system}": [r.get(c) for c in case_ids] for system, r in ranks.items()}
    table = pd.DataFrame(
        {label: pd.array(values, dtype="Int64") for label, values in columns.items()}
        | {"case": [d[0] or c for d, c in zip(described, case_ids, strict=True)]}
        | {"date": [d[1] for d in described]}
    )
    st.dataframe(table, hide_index=True)
