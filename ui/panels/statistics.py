"""What a labelled collection is made of: the PARM paper's table 1."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import streamlit as st

from parm_core.analysis.statistics import Statistics
from parm_core.experiments.description import describe_collection
from parm_core.retrieval import Searcher
from parm_core.segmentation import SegmentOptions
from parm_core.systems import parse_system
from parm_core.types import Progress
from ui import charts, laboratory, resources, shell
from ui.panels import work
from ui.sharing import fingerprint

_HISTOGRAMS = {
    "relevant_a_query": ("Relevant cases a query", "relevant cases", "query"),
    "words_a_query": ("Words a query", "words", "query"),
    "paragraphs_a_query": ("Paragraphs a query", "paragraphs", "query"),
    "words_a_case": ("Words a case", "words", "case"),
}


def show(engine: Searcher) -> None:
    """Queries, cases, paragraphs, labels, counted on request; what was wrong in the source."""
    st.subheader("Queries and labels", anchor=False)
    known = laboratory.collection_of(engine)
    if known is None:
        st.caption(shell.plain(f"None: {laboratory.NOT_KNOWN}."))
        return
    for note in known.notes:
        st.caption(shell.plain(f"In the source: {note}."))
    asked = laboratory.queries(engine)
    assert asked is not None
    found = work.computed(
        f"statistics-{fingerprint(laboratory.key(engine, asked), *known.notes)}",
        f"{len(known.queries):,} queries, {len(asked.cases):,} of them labelled. The whole collection is "
        "to be cut and counted.",
        lambda progress: _count(engine, progress),
    )
    if found is not None:
        _show(found)


def _count(engine: Searcher, progress: Progress) -> Statistics:
    options = SegmentOptions(**engine.index.manifest["segmentation"])
    dense, _ = resources.usable(engine, [parse_system("dense:rrf")])
    encoder = engine.encoder if dense else None
    return describe_collection(laboratory.whole_collection(engine), options, encoder, progress)


def _show(found: Statistics) -> None:
    table = pd.DataFrame(found.rows(), columns=["what", "value"])
    st.dataframe(table, hide_index=True, height=38 + 35 * len(table))
    with st.container(horizontal=True, gap="small"):
        shell.download("Statistics (CSV)", table, "statistics.csv")
        text = json.dumps(found.as_dict(), allow_nan=False, ensure_ascii=False, indent=1)
        st.download_button(
            "Statistics (JSON)", text, "statistics.json", "application/json", on_click="ignore"
        )
    names = list(_HISTOGRAMS)
    for start in range(0, len(names), 2):
        columns = st.columns(2, gap="large")
        for column, name in zip(columns, names[start : start + 2], strict=True):
            with column:
                _histogram(found, name)


def _histogram(found: Statistics, name: str) -> None:
    title, axis, counted_as = _HISTOGRAMS[name]
    values = getattr(found, name)
    if values.size:
        marks = [(float(np.median(values)), "median")]
        chart = charts.histogram(
            values.tolist(), title=title, axis=axis, counted_as=counted_as, marks=marks
        )
        shell.chart(chart, key=f"histogram-{name}")
