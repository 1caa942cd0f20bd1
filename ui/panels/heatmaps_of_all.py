"""Which paragraph of a query meets which of its relevant cases: the PARM paper's figure 4."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from parm_core.analysis.heatmap import ParagraphHeatmap
from parm_core.experiments.labelled import Labelled
from parm_core.experiments.meetings import heatmap
from parm_core.retrieval import Searcher
from parm_core.systems import System, parse_system
from parm_core.types import Float64, Progress
from ui import cases, charts, inputs, laboratory, resources, shell
from ui.panels import labelled, pictures, work
from ui.sharing import choice

_SHOW = {"counts": "hits", "shares": "shares of a row", "lift": "times what chance would give"}
_MOST_LIFT = 3.0
"""Powers of two on either side of the scale of lifts."""


def show(begun: cases.Begun) -> None:
    """BM25 and dense side by side, on one scale; the numbers as a table."""
    engine = begun.engine
    with begun.right:
        asked = labelled.queries(engine)
    left, right = st.columns(2, gap="large")
    with left:
        shown = choice(
            st.segmented_control, "Each cell shows", list(_SHOW), key="shown", default="counts",
            required=True, wrap=True, format_func=_SHOW.__getitem__,
        )  # fmt: skip
    with right:
        depth = inputs.depth(key="hits", default=_depth(engine.index.n_paragraphs))
    found = _heatmaps(engine, asked, depth)
    if found is None:
        return
    _panels(found, shown)
    _takeaway(found, shown)


def _depth(n_paragraphs: int) -> int:
    """A tenth of the collection at most: were nearly every paragraph a hit, no cell would tell."""
    return max((n for n in (10, 20, 50, 100, 200, 500, 1000) if 10 * n <= n_paragraphs), default=10)


def _heatmaps(engine: Searcher, asked: Labelled, depth: int) -> dict[str, ParagraphHeatmap] | None:
    retrievers = ["bm25", "dense"] if engine.index.has_vectors else ["bm25"]
    systems = [parse_system(f"{name}:rrf").with_depth(depth) for name in retrievers]
    return work.computed(
        f"heatmaps-{laboratory.key(engine, asked)}-{depth}",
        f"{len(asked.cases)} queries, whose paragraphs' hits on relevant cases are to be counted. "
        "What is encoded is kept, should you stop.",
        lambda progress: _count(engine, asked, systems, progress),
    )


def _count(
    engine: Searcher, asked: Labelled, systems: list[System], progress: Progress
) -> dict[str, ParagraphHeatmap]:
    able, why_not = resources.usable(engine, systems)
    if why_not:
        st.warning(shell.plain(f"BM25 alone: {why_not}."))
    at, total = laboratory.searcher(engine), len(asked.cases) * len(able)
    made = {}
    for place, system in enumerate(able):
        shown = partial(_further, progress, place * len(asked.cases), total)
        made[system.retriever] = heatmap(at, asked, system, shown)
    return made


def _further(progress: Progress, before: int, total: int, done: int, _: int, what: str) -> None:
    progress(before + done, total, what)


def _panels(found: Mapping[str, ParagraphHeatmap], shown: str) -> None:
    values = {name: _values(one, shown) for name, one in found.items()}
    limit = _limit(list(values.values()), shown)
    for column, (name, one) in zip(st.columns(len(found), gap="large"), found.items(), strict=True):
        with column:
            chart = charts.meetings(
                values[name], rows=one.rows, columns=one.columns, queries=one.queries,
                title=f"{_name(name)}: {_SHOW[shown]}", told=_told(one, shown), limit=limit,
                diverging=shown == "lift",
            )  # fmt: skip
            shell.chart(chart, key=f"meetings-{name}")
            st.caption(
                f"{int(one.counts.sum()):,} hits on relevant cases; {one.outside:,} more between "
                "paragraphs beyond the tenth."
            )


def _name(retriever: str) -> str:
    return {"bm25": "BM25", "dense": "Dense"}[retriever]


def _values(one: ParagraphHeatmap, shown: str) -> Float64:
    """What is coloured: the powers of two of a lift, so that half and double are equally far from 1."""
    if shown != "lift":
        return np.asarray(getattr(one, shown), dtype=np.float64)
    lift = one.lift
    power = np.full(lift.shape, np.nan)
    np.log2(lift, out=power, where=lift > 0)
    return np.where(lift == 0, -_MOST_LIFT, np.clip(power, -_MOST_LIFT, _MOST_LIFT))


def _limit(values: list[Float64], shown: str) -> float:
    if shown == "lift":
        return _MOST_LIFT
    return max((float(np.nanmax(v, initial=0.0)) for v in values), default=0.0) or 1.0


def _told(one: ParagraphHeatmap, shown: str) -> list[list[str]]:
    if shown == "counts":
        return [[f"{n:,}" for n in line] for line in one.counts.tolist()]
    if shown == "shares":
        return [[f"{100 * v:.0f} %" for v in line] for line in one.shares.tolist()]
    return [["" if np.isnan(v) else f"{v:.2f}" for v in line] for line in one.lift.tolist()]


def _takeaway(found: Mapping[str, ParagraphHeatmap], shown: str) -> None:
    table = pd.concat(
        [_long(one).assign(retriever=_name(name)) for name, one in found.items()], ignore_index=True
    )
    table = table[["retriever", *[c for c in table.columns if c != "retriever"]]]
    with st.container(horizontal=True, gap="small"):
        shell.download("Table (CSV)", table, "paragraph-heatmap.csv")
        pictures.downloads(lambda: _picture(found, shown), f"paragraph-heatmap-{shown}")
    with st.expander("The same as a table, with the queries behind each cell"):
        st.dataframe(table.round(3), hide_index=True)
    st.caption(
        "I is the introduction, S the summary; the other paragraphs count from 1. Chance: each hit on a "
        "relevant case falls on any of its paragraphs alike."
    )


def _long(one: ParagraphHeatmap) -> pd.DataFrame:
    """A row a cell."""
    rows, columns = np.indices(one.counts.shape)
    return pd.DataFrame(
        {
            "query paragraph": [one.rows[i] for i in rows.ravel()],
            "case paragraph": [one.columns[j] for j in columns.ravel()],
            "hits": one.counts.ravel(),
            "share of the row": one.shares.ravel(),
            "by chance": one.expected.ravel(),
            "times chance": one.lift.ravel(),
            "queries": one.queries.ravel(),
        }
    )


def _picture(found: Mapping[str, ParagraphHeatmap], shown: str) -> Any:
    from parm_core import figures

    return figures.paragraph_heatmaps({_name(name): one for name, one in found.items()}, shown)
