"""One case under every aggregation."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

import pandas as pd
import streamlit as st

from parm_core.aggregation import AGGREGATIONS
from parm_core.analysis.agreement import jaccard, kendall_tau, rank_biased_overlap
from parm_core.query import Query
from parm_core.retrieval import Searcher
from parm_core.systems import System, parse_system
from parm_core.types import Ranking
from ui import charts, inputs, resources, shell
from ui.sharing import choice

_MEASURES = {
    "Rank-biased overlap": lambda a, b, k: rank_biased_overlap(a, b, k=k),
    "Kendall's tau": kendall_tau,
    "Jaccard": jaccard,
}


def every_aggregation(
    engine: Searcher, query: Query, retriever: str, depth: int, k: int
) -> dict[str, Ranking]:
    """Aggregation -> ranking, of one retriever's hits at one depth; k goes to `rrf` and `vrrf`."""
    systems = [_system(retriever, name, depth, k) for name in AGGREGATIONS]
    able, why_not = resources.usable(engine, systems)
    if why_not:
        st.info(shell.plain(f"Without the aggregations that read vectors: {why_not}."))
    found = resources.rankings(engine, query, able)
    return {s.aggregation: found[str(s)] for s in able}


def _system(retriever: str, aggregation: str, depth: int, k: int) -> System:
    system = parse_system(f"{retriever}:{aggregation}").with_depth(depth)
    return system.with_params(k=k) if aggregation in ("rrf", "vrrf") else system


def movement(
    engine: Searcher, found: Mapping[str, Ranking], relevant: frozenset[str] | None = None
) -> None:
    """How cases move between aggregations, as a chart and as a table; the relevant ones marked."""
    top = 10
    ranks = ranks_table(found, top)
    if ranks.empty:
        st.info("No paragraph of the collection was hit: none shares a word with your case.")
        return
    titles = dict(zip(ranks.index, engine.index.titles(list(ranks.index)), strict=True))
    left, right = st.columns([3, 1], gap="large")
    with right:
        highlighted = inputs.result(engine, list(ranks.index), relevant) or str(ranks.index[0])
        st.caption(
            f"The {len(ranks)} cases that any aggregation puts into its first {top}. "
            "A line that ends leaves the chart. Pick a case to follow it."
            + (" A diamond marks a case that is relevant by label." if relevant else "")
        )
    with left:
        chart = charts.bump(
            ranks,
            titles=titles,
            top=top,
            highlighted=highlighted,
            relevant=relevant or frozenset(),
        )
        shell.chart(chart, key="bump")
    with st.expander("Ranks as a table"):
        table = ranks.astype("Int64").rename(index=titles).rename_axis("case").reset_index()
        st.dataframe(table, hide_index=True)


def ranks_table(found: Mapping[str, Ranking], top: int) -> pd.DataFrame:
    """Case ids x aggregations -> rank, NaN where not found; cases in any top, by their median rank."""
    held = dict.fromkeys(case_id for r in found.values() for case_id in r.case_ids[:top])
    ranks = pd.DataFrame({name: r.ranks() for name, r in found.items()}, dtype=float)
    ranks = ranks.reindex(list(held))
    return ranks.loc[ranks.median(axis=1).sort_values(kind="stable").index]


def agreements(found: Mapping[str, Ranking]) -> None:
    """How far every two rankings agree."""
    st.subheader("How much the rankings agree", anchor=False)
    left, right = st.columns(2, gap="large")
    with left:
        name = choice(
            st.segmented_control,
            "Measure",
            list(_MEASURES),
            key="measure",
            default="Rank-biased overlap",
            required=True,
        )
    with right:
        cut = inputs.cut_off(100)
    matrix = pd.DataFrame(index=list(found), columns=list(found), dtype=float)
    for a, b in product(found, found):
        matrix.loc[a, b] = _MEASURES[name](found[a], found[b], cut)
    shell.chart(charts.agreement(matrix, measure=f"{name}, first {cut}"), key="agreement")
