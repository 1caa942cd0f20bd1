"""Paragraph × paragraph matrices of one result, side by side."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import streamlit as st

from parm_core.explanation import Contributions, HybridContributions, Pair, contributions
from parm_core.query import Query
from parm_core.retrieval import Searcher
from parm_core.systems import System
from parm_core.types import Float64
from ui import charts, evidence, shell
from ui.panels.results import judged, label, number, paragraphs, text_at, texts
from ui.sharing import choice, fingerprint

Cell = tuple[int, int]

_BY = {
    "retrieval": "the paragraph that found the hit",
    "similarity": "the paragraphs it is similar to",
}

STRONGEST = 30
"""Cells offered for picking by name."""


def side_by_side(
    engine: Searcher,
    query: Query,
    systems: Sequence[System],
    case_id: str,
    relevant: frozenset[str] | None = None,
) -> None:
    """One matrix a system, on one scale: each cell's share of its score. A cell opens its texts."""
    by = choice(
        st.segmented_control,
        "File what a vector aggregation adds under",
        list(_BY),
        key="by",
        default="retrieval",
        required=True,
        format_func=_BY.__getitem__,
    )
    if relevant is not None:
        st.caption(judged(case_id, relevant))
    matrices = _matrices(engine, query, systems, case_id, by)
    shares = {m.system: _shares(m) for m in matrices}
    largest = max((float(np.abs(s).max(initial=0.0)) for s in shares.values()), default=0.0)
    diverging = any(bool((s < 0).any()) for s in shares.values())
    for start in range(0, len(matrices), 2):
        columns = st.columns(min(2, len(matrices)), gap="large")
        for column, matrix in zip(columns, matrices[start : start + 2], strict=False):
            with column:
                _panel(engine, query, matrix, shares[matrix.system], largest, diverging)


def _matrices(
    engine: Searcher, query: Query, systems: Sequence[System], case_id: str, by: str
) -> list[Contributions]:
    """The systems' matrices; a hybrid's rankings take its place."""
    found: dict[str, Contributions] = {}
    for system in dict.fromkeys(part for s in systems for part in (s.parts or (s,))):
        made = contributions(engine, query, system, case_id, by=by)
        assert not isinstance(made, HybridContributions)
        found[made.system] = made
    return list(found.values())


def _shares(matrix: Contributions) -> Float64:
    whole = np.abs(matrix.cells).sum()
    return matrix.cells / whole if whole else matrix.cells


@st.fragment
def _panel(
    engine: Searcher,
    query: Query,
    matrix: Contributions,
    shares: Float64,
    largest: float,
    diverging: bool,
) -> None:
    """A fragment: picking a cell redraws its own panel only."""
    if not shares.any():
        told = f"{matrix.system} did not find this case: none of its paragraphs is among the hits."
        st.info(shell.plain(told))
        return
    own, its = paragraphs(query.case), paragraphs(engine.index.case(matrix.case_id))
    title = engine.index.described(matrix.case_id)[0] or matrix.case_id
    cell, key = _cell(query, matrix, shares)
    chart = charts.heatmap(
        shares,
        query_labels=[number(p) for p in matrix.query_positions],
        case_labels=[number(p) for p in matrix.case_positions],
        query_openings=[evidence.opening(text_at(own, p)) for p in matrix.query_positions],
        case_openings=[evidence.opening(text_at(its, p)) for p in matrix.case_positions],
        title=f"{matrix.system} × {title}",
        scale_max=largest,
        diverging=diverging,
        selected=cell,
    )
    shell.chart(chart, key=f"chart-{key}", on_select=lambda: _remember(key))
    _opened(engine, query, matrix, shares, cell, key)


def _cell(query: Query, matrix: Contributions, shares: Float64) -> tuple[Cell, str]:
    """The cell picked, the strongest until one is, and the key it is kept under."""
    key = f"cell-{fingerprint(matrix.system, matrix.case_id, query.case.text)}"
    row, column = st.session_state.get(key, _strongest(shares))
    inside = row < shares.shape[0] and column < shares.shape[1]
    return ((row, column) if inside else _strongest(shares)), key


def _remember(key: str) -> None:
    """A chart drawn with another cell picked forgets its selection, hence it is kept here."""
    points = st.session_state[f"chart-{key}"].selection.points
    if points:
        row, column = points[0]["customdata"]
        st.session_state[key] = (int(row), int(column))


def _strongest(shares: Float64) -> Cell:
    row, column = np.unravel_index(np.argmax(np.abs(shares)), shares.shape)
    return int(row), int(column)


def _opened(
    engine: Searcher,
    query: Query,
    matrix: Contributions,
    shares: Float64,
    cell: Cell,
    key: str,
) -> None:
    """The two texts of a cell; the strongest cells can be picked without the pointer too."""
    strongest = np.argsort(-np.abs(shares), axis=None, kind="stable")[:STRONGEST]
    places = [tuple(map(int, np.unravel_index(place, shares.shape))) for place in strongest]
    cells = list(dict.fromkeys([cell, *(c for c in places if shares[c])]))
    row, column = st.selectbox(
        "Cell to read",
        cells,
        format_func=lambda c: _named(matrix, shares, c),
        key=f"pick-{key}-{cell}",
    )
    if (row, column) != cell:
        st.session_state[key] = (row, column)
        st.rerun(scope="fragment")
    pair = Pair(
        int(matrix.query_positions[row]),
        int(matrix.case_positions[column]),
        float(matrix.cells[row, column]),
        float(shares[row, column]),
    )
    texts(engine, query, matrix.case_id, pair)


def _named(matrix: Contributions, shares: Float64, cell: Cell) -> str:
    yours = label(int(matrix.query_positions[cell[0]]))
    its = label(int(matrix.case_positions[cell[1]]))
    return f"your {yours} × its {its}: {evidence.percent(float(shares[cell]))}"
