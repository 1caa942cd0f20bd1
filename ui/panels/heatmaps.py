"""Paragraph × paragraph matrices of one result, side by side."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import streamlit as st

from parm_core.explanation import Contributions, HybridContributions, Pair, contributions
from parm_core.retrieval import Query, Searcher
from parm_core.systems import System
from ui import charts, evidence, inputs, shell
from ui.panels.results import label, number, text_at, texts

Cell = tuple[int, int]


def side_by_side(engine: Searcher, query: Query, systems: Sequence[System], case_id: str) -> None:
    """One matrix a system, on one scale: each cell's share of its score. A cell opens its texts."""
    by = st.segmented_control(
        "File what a vector aggregation adds under",
        ["the paragraph that found the hit", "the paragraphs it is similar to"],
        default="the paragraph that found the hit",
        required=True,
        key="by",
        bind="query-params",
    )
    mode = "similarity" if by and "similar" in by else "retrieval"
    matrices = _matrices(engine, query, systems, case_id, mode)
    shares = {m.system: _shares(m) for m in matrices}
    largest = max((float(np.abs(s).max(initial=0.0)) for s in shares.values()), default=0.0)
    for start in range(0, len(matrices), 2):
        for column, matrix in zip(
            st.columns(2, gap="large"), matrices[start : start + 2], strict=False
        ):
            with column:
                _panel(engine, query, matrix, shares[matrix.system], largest)


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


def _shares(matrix: Contributions) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    whole = np.abs(matrix.cells).sum()
    return matrix.cells / whole if whole else matrix.cells


@st.fragment
def _panel(
    engine: Searcher,
    query: Query,
    matrix: Contributions,
    shares: np.ndarray[tuple[int, int], np.dtype[np.float64]],
    largest: float,
) -> None:
    """A fragment: picking a cell redraws its own panel only."""
    if not shares.any():
        st.info(
            f"{matrix.system} did not find this case: none of its paragraphs is among the hits."
        )
        return
    own = [p.text for p in query.case.paragraphs]
    its = [p.text for p in engine.index.case(matrix.case_id).paragraphs]
    title = engine.index.described(matrix.case_id)[0] or matrix.case_id
    chart = charts.heatmap(
        shares,
        query_labels=[number(p) for p in matrix.query_positions],
        case_labels=[number(p) for p in matrix.case_positions],
        query_openings=[evidence.opening(text_at(own, p)) for p in matrix.query_positions],
        case_openings=[evidence.opening(text_at(its, p)) for p in matrix.case_positions],
        title=f"{matrix.system} × {title}",
        scale_max=largest,
    )
    key = f"heatmap-{inputs.fingerprint(matrix.system, matrix.case_id, query.case.text)}"
    event = shell.chart(chart, key=key, selectable=True)
    _opened(engine, query, matrix, shares, _selected(event) or _strongest(shares))


def _selected(event: object) -> Cell | None:
    points = getattr(getattr(event, "selection", None), "points", None) or []
    data = points[0].get("customdata") if points else None
    return (int(data[0]), int(data[1])) if data is not None else None


def _strongest(shares: np.ndarray[tuple[int, int], np.dtype[np.float64]]) -> Cell:
    row, column = np.unravel_index(np.argmax(np.abs(shares)), shares.shape)
    return int(row), int(column)


def _opened(
    engine: Searcher,
    query: Query,
    matrix: Contributions,
    shares: np.ndarray[tuple[int, int], np.dtype[np.float64]],
    cell: Cell,
) -> None:
    row, column = cell
    pair = Pair(
        int(matrix.query_positions[row]),
        int(matrix.case_positions[column]),
        float(matrix.cells[row, column]),
        float(shares[row, column]),
    )
    st.caption(
        f"Your {label(pair.query_position)} against its {label(pair.case_position)}. "
        "Select another cell to read it."
    )
    texts(engine, query, matrix.case_id, pair)
