"""The paragraph × paragraph heatmap: where a score comes from."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from parm_core.types import Float64, Int64
from ui.charts.style import ACCENT, Chart, bare, counted, described, named, quoted, thinned, words
from ui.evidence import percent

MAX_MARKERS = 4_000
"""Cells that answer a click and a pointer; of a larger matrix, the strongest."""

_MAIN, _STRIP, _GAP = 0.86, 0.11, 0.03


def heatmap(
    cells: Float64,
    *,
    query_labels: Sequence[str],
    case_labels: Sequence[str],
    query_openings: Sequence[str],
    case_openings: Sequence[str],
    title: str,
    scale_max: float | None = None,
    diverging: bool = False,
    selected: tuple[int, int] | None = None,
) -> Chart:
    """cells (n_q, m_d) -> what each pair of paragraphs adds, with totals along both edges.

    Rows are the query's paragraphs, top to bottom; columns the case's. The scale runs from 0 to
    scale_max (the largest absolute cell where None), or from -scale_max if `diverging` or any cell
    is negative. A selected point's customdata is [row, column], positions in `cells`; `selected`
    frames such a cell.
    """
    cells = np.asarray(cells, dtype=np.float64)
    limit = scale_max or float(np.abs(cells).max(initial=0.0)) or 1.0
    low = -limit if diverging or bool((cells < 0).any()) else 0.0
    sides = (query_labels, case_labels)
    figure = go.Figure(
        [
            _grid(cells),
            *_totals(cells, *sides),
            _markers(cells, *sides, query_openings, case_openings, selected),
        ]
    )
    bare(
        figure,
        title=title,
        height=int(np.clip(20 * len(cells) + 150, 270, 840)),
        coloraxis=_colour_axis(low, limit),
        hoverdistance=12,
        **_axes(*sides),
    )
    _outline(figure, selected)
    return described(figure, _alt(cells, *sides, title))


def _grid(cells: Float64) -> go.Heatmap:
    gap = 1 if max(cells.shape) <= 60 else 0
    return go.Heatmap(z=cells, coloraxis="coloraxis", hoverinfo="skip", xgap=gap, ygap=gap)


def _totals(
    cells: Float64, query_labels: Sequence[str], case_labels: Sequence[str]
) -> tuple[go.Bar, go.Bar]:
    rows, columns = cells.sum(axis=1), cells.sum(axis=0)
    quiet = {"marker": {"color": ACCENT}, "unselected": {"marker": {"opacity": 1}}, "opacity": 0.7}
    across = go.Bar(
        x=np.arange(columns.size),
        y=columns,
        yaxis="y2",
        hovertext=[
            f"its {named(words(c, 40))}: {v:.4g} in all"
            for c, v in zip(case_labels, columns, strict=True)
        ],
        hoverinfo="text",
        **quiet,
    )
    down = go.Bar(
        x=rows,
        y=np.arange(rows.size),
        xaxis="x2",
        orientation="h",
        hovertext=[
            f"your {named(words(q, 40))}: {v:.4g} in all"
            for q, v in zip(query_labels, rows, strict=True)
        ],
        hoverinfo="text",
        **quiet,
    )
    return across, down


def _markers(
    cells: Float64,
    query_labels: Sequence[str],
    case_labels: Sequence[str],
    query_openings: Sequence[str],
    case_openings: Sequence[str],
    selected: tuple[int, int] | None,
) -> go.Scatter:
    """Transparent squares over the cells, which a pointer can meet and a click can select."""
    places = _places(cells)
    if selected is not None and list(selected) not in places.tolist():
        places = np.vstack([places, selected]) if places.size else np.array([selected])
    whole = float(np.abs(cells).sum()) or 1.0
    limit = 100 if len(places) <= 1_000 else 60
    your, its = ([quoted(text, limit) for text in side] for side in (query_openings, case_openings))
    your_labels = [f"your {named(words(label, 40))}" for label in query_labels]
    its_labels = [f"its {named(words(label, 40))}" for label in case_labels]
    texts = [
        f"<b>{your_labels[i]} × {its_labels[j]}</b>"
        f"<br>{_adds(cells[i, j], whole)}<br>your: {your[i]}<br>its: {its[j]}"
        for i, j in places
    ]
    return go.Scatter(
        x=places[:, 1],
        y=places[:, 0],
        mode="markers",
        marker={"symbol": "square", "size": _marker_size(cells), "color": "rgba(0,0,0,0)"},
        selected={"marker": {"opacity": 0}},
        unselected={"marker": {"opacity": 0}},
        customdata=places.tolist(),
        hovertext=texts,
        hoverinfo="text",
    )


def _places(cells: Float64) -> Int64:
    """(n, 2) rows and columns of the cells that answer: all, or the strongest that are not 0."""
    if cells.size <= MAX_MARKERS:
        return np.argwhere(np.ones_like(cells, dtype=bool))
    strongest = np.argsort(-np.abs(cells), axis=None, kind="stable")[:MAX_MARKERS]
    strongest = strongest[cells.ravel()[strongest] != 0]
    return np.stack(np.divmod(strongest, cells.shape[1]), axis=1)


def _marker_size(cells: Float64) -> float:
    return float(np.clip(600 / max(cells.shape[1], 1), 4, 16))


def _adds(value: float, whole: float) -> str:
    if value == 0:
        return "adds nothing"
    return f"adds {value:.4g}, {percent(value / whole)} of the score's terms"


def _colour_axis(low: float, limit: float) -> dict[str, object]:
    """A scale from the theme: sequential, or diverging where low is negative."""
    ends = {low: f"−{-low:.3g}", 0.0: "0", limit: f"{limit:.3g} added"}
    bar = {
        "orientation": "h",
        "thickness": 8,
        "len": 0.5,
        "x": 0,
        "xanchor": "left",
        "xpad": 0,
        "y": 0,
        "yref": "container",
        "yanchor": "bottom",
        "outlinewidth": 0,
        "tickvals": list(ends),
        "ticktext": list(ends.values()),
    }
    return {"cmin": low, "cmax": limit, "autocolorscale": True, "colorbar": bar}


def _axes(query_labels: Sequence[str], case_labels: Sequence[str]) -> dict[str, object]:
    rows, row_names = thinned(query_labels, most=40, letters=12)
    columns, column_names = thinned(case_labels, most=12, letters=5)
    plain = {"showgrid": False, "zeroline": False, "fixedrange": True, "ticks": ""}
    strip = {**plain, "showticklabels": False}
    return {
        "xaxis": {
            **plain,
            "title": {"text": "the found case's paragraphs", "standoff": 8},
            "domain": [0, _MAIN],
            "range": [-0.5, len(case_labels) - 0.5],
            "tickangle": 0,
            "tickvals": columns,
            "ticktext": column_names,
        },
        "yaxis": {
            **plain,
            "title": {"text": "your case's paragraphs", "standoff": 8},
            "domain": [0, _MAIN],
            "range": [len(query_labels) - 0.5, -0.5],
            "tickvals": rows,
            "ticktext": row_names,
        },
        "xaxis2": {**strip, "domain": [_MAIN + _GAP, 1], "anchor": "y"},
        "yaxis2": {**strip, "domain": [_MAIN + _GAP, 1], "anchor": "x"},
    }


def _outline(figure: go.Figure, selected: tuple[int, int] | None) -> None:
    """Draw a frame, dark within light, that shows on any cell."""
    if selected is None:
        return
    row, column = selected
    box = {"x0": column - 0.5, "x1": column + 0.5, "y0": row - 0.5, "y1": row + 0.5}
    for colour, width in (("#ffffff", 4), ("#000000", 2)):
        figure.add_shape(type="rect", **box, line={"color": colour, "width": width})


def _alt(
    cells: Float64, query_labels: Sequence[str], case_labels: Sequence[str], title: str
) -> str:
    size = (
        f"{title}: {counted(cells.shape[0], 'paragraph')} of your case by "
        f"{counted(cells.shape[1], 'paragraph')} of the found case"
    )
    if not cells.any():
        return f"{size}; no pair adds anything."
    row, column = divmod(int(np.abs(cells).argmax()), cells.shape[1])
    value, whole = float(cells[row, column]), float(np.abs(cells).sum())
    return (
        f"{size}; {counted(int(np.count_nonzero(cells)), 'pair')} add {cells.sum():.4g} in all. "
        f"The strongest is your {named(query_labels[row])} with its {named(case_labels[column])}: "
        f"{value:.4g}, {percent(value / whole)}."
    )
