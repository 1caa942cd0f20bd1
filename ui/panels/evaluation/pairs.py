"""Two systems compared, query by query."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd
import streamlit as st

from parm_core.retrieval import Searcher
from parm_core.types import Case
from ui import cases, charts, shell
from ui.laboratory import Ranked
from ui.panels import labelled
from ui.panels.evaluation.settings import Settings
from ui.sharing import choice, hold


class Pair(NamedTuple):
    """Two systems and a measure; differences of the first over the second, sorted, best first."""

    system: str
    baseline: str
    measure: str
    queries: list[Case]
    values: tuple[list[float], list[float]]

    @property
    def differences(self) -> list[float]:
        """A value a query."""
        return [a - b for a, b in zip(*self.values, strict=True)]


def choose(ranked: Ranked, settings: Settings) -> Pair:
    """Which two systems, by which measure; the page ends with a message where there is but one."""
    compared = settings.compare(ranked)
    if len(compared.systems) < 2:
        st.info("Choose a second system to compare with.")
        st.stop()
    columns = st.columns(3, gap="medium")
    with columns[0]:
        others = [system for system in compared.systems if system != settings.baseline]
        system = choice(
            st.selectbox, "System", list(compared.systems), key="first", default=others[-1]
        )
    with columns[1]:
        rest = [name for name in compared.systems if name != system]
        default = settings.baseline if settings.baseline in rest else rest[0]
        baseline = choice(st.selectbox, "against", rest, key="second", default=default)
    with columns[2]:
        measure = choice(
            st.selectbox, "by", list(compared.measures), key="by_measure",
            default=compared.measures[0],
        )  # fmt: skip
    own, other = (compared.per_query[name][measure] for name in (system, baseline))
    queries = sorted(
        ranked.labelled.cases, key=lambda query: (other[query.id] - own[query.id], query.id)
    )
    values = [own[q.id] for q in queries], [other[q.id] for q in queries]
    return Pair(system, baseline, measure, queries, values)


def show(engine: Searcher, ranked: Ranked, settings: Settings) -> None:
    """Gains and losses as bars and as a table; a query picked in either can be opened."""
    pair = choose(ranked, settings)
    gains, losses, ties = charts.gained(pair.differences)
    mean = float(np.mean(pair.differences))
    st.markdown(
        shell.plain(
            f"{pair.system} over {pair.baseline} in {pair.measure}: {gains} queries gain, {losses} "
            f"lose, {ties} tie; the mean difference is {mean:+.4f}."
        )
    )
    area = st.container()
    picked = labelled.pick(engine, pair.queries)
    chart = charts.differences(
        pair.differences,
        names=[query.title or query.id for query in pair.queries],
        title=f"{pair.system} against {pair.baseline}",
        measure=pair.measure,
        selected=pair.queries.index(picked),
    )
    with area:
        shell.chart(chart, key="differences", on_select=lambda: _from_chart(engine, pair))
    labelled.buttons(engine, picked)
    _ranks(engine, ranked, pair, picked)
    _table(engine, ranked, pair)


def _ranks(engine: Searcher, ranked: Ranked, pair: Pair, query: Case) -> None:
    """Where both systems have the query's relevant cases."""
    runs = {name: ranked.runs[name] for name in (pair.system, pair.baseline)}
    rankings = {name: run[query.id] for name, run in runs.items() if query.id in run}
    relevant = {c for c, grade in ranked.labelled.qrels[query.id].items() if grade > 0}
    if rankings:
        labelled.relevant_ranks(engine, frozenset(relevant), rankings)


def _from_chart(engine: Searcher, pair: Pair) -> None:
    points = st.session_state["differences"].selection.points
    if points:
        _hold(engine, pair, int(points[0]["customdata"][0]))


def _from_table(engine: Searcher, pair: Pair) -> None:
    rows = st.session_state["per-query"].selection.rows
    if rows:
        _hold(engine, pair, int(rows[0]))


def _hold(engine: Searcher, pair: Pair, place: int) -> None:
    if place < len(pair.queries):
        hold(labelled.picked_key(engine), pair.queries[place].id)


def _table(engine: Searcher, ranked: Ranked, pair: Pair) -> None:
    queries = pair.queries
    relevant = [sum(g > 0 for g in ranked.labelled.qrels[q.id].values()) for q in queries]
    table = pd.DataFrame(
        {
            "query": [cases.named(query) for query in queries],
            f"{pair.measure}, {pair.system}": pair.values[0],
            f"{pair.measure}, {pair.baseline}": pair.values[1],
            "difference": pair.differences,
            "relevant cases": relevant,
        }
    )
    st.dataframe(
        table.round(4), hide_index=True, key="per-query", selection_mode="single-row",
        height=min(38 + 35 * len(table), 320), on_select=lambda: _from_table(engine, pair),
    )  # fmt: skip
    shell.download("Download (CSV)", table, "differences.csv")
