"""Small grids of numbers: which paragraphs meet, and how a measure moves with two parameters."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from parm_core.types import Float64, Int64
from ui.charts.style import Chart, axis, bare, described, named_places, words


def meetings(
    values: Float64,
    *,
    rows: Sequence[str],
    columns: Sequence[str],
    queries: Int64,
    title: str,
    told: Sequence[Sequence[str]],
    limit: float,
    diverging: bool = False,
) -> Chart:
    """values (R, C), rows of query paragraphs by columns of relevant cases' -> a coloured grid.

    queries (R, C): how many queries stand behind each cell. told (R, C): what is written into a
    cell. limit: the end of the scale, which several panels share; NaN stays blank.
    """
    hover = _meetings_hover(rows, columns, queries, told)
    figure = _annotated(values, told, hover)
    figure.data[0].textfont.size = 11
    bare(
        figure,
        title=title,
        height=34 * len(rows) + 110,
        coloraxis={
            "cmin": -limit if diverging else 0,
            "cmax": limit,
            "autocolorscale": True,
            "showscale": False,
        },
        xaxis=axis("paragraph of the relevant case", **named_places(columns), tickangle=0),
        yaxis=axis("paragraph of the query", **named_places(rows), autorange="reversed"),
    )
    return described(figure, _meetings_alt(values, rows, columns, title, told))


def _meetings_hover(
    rows: Sequence[str], columns: Sequence[str], queries: Int64, told: Sequence[Sequence[str]]
) -> list[list[str]]:
    return [
        [
            f"<b>your {_named(row)} × its {_named(column)}</b><br>{text or 'nothing'}"
            f"<br>queries behind it: {count:,}"
            for column, text, count in zip(columns, line, counts, strict=True)
        ]
        for row, line, counts in zip(rows, told, queries.tolist(), strict=True)
    ]


def _annotated(
    values: Float64, texts: Sequence[Sequence[str]], hover: Sequence[Sequence[str]]
) -> go.Figure:
    """A coloured grid with a text in each cell."""
    return go.Figure(
        go.Heatmap(
            z=values,
            text=[list(line) for line in texts],
            texttemplate="%{text}",
            hovertext=hover,
            hoverinfo="text",
            coloraxis="coloraxis",
            xgap=1,
            ygap=1,
        )
    )


def _named(label: str) -> str:
    return {"I": "introduction", "S": "summary"}.get(label, f"paragraph {label}")


def _meetings_alt(
    values: Float64,
    rows: Sequence[str],
    columns: Sequence[str],
    title: str,
    told: Sequence[Sequence[str]],
) -> str:
    if not np.isfinite(values).any():
        return f"{title}: no paragraph met one of a relevant case."
    i, j = (int(n) for n in np.unravel_index(int(np.nanargmax(values)), values.shape))
    return (
        f"{title}: {len(rows)} paragraphs of the query by {len(columns)} of the relevant case. The "
        f"most: the query's {_named(rows[i])} with the case's {_named(columns[j])}, {told[i][j]}."
    )


def grid(
    values: Float64,
    *,
    rows: Sequence[str],
    columns: Sequence[str],
    down: str,
    across: str,
    measure: str,
    title: str,
    chosen: tuple[int, int] | None = None,
) -> Chart:
    """values (R, C) of a measure, in [0, 1] -> an annotated grid; `chosen` is framed."""
    texts = [["" if np.isnan(v) else f"{v:.3f}" for v in line] for line in values]
    hover = [
        [
            f"{words(down)} {words(row)}, {words(across)} {words(column)}: {words(measure)} {text}"
            for column, text in zip(columns, line, strict=True)
        ]
        for row, line in zip(rows, texts, strict=True)
    ]
    figure = _annotated(values, texts, hover)
    bare(
        figure,
        title=title,
        height=38 * len(rows) + 110,
        coloraxis={"autocolorscale": True, "showscale": False},
        xaxis=axis(across, **named_places(columns), tickangle=0),
        yaxis=axis(down, **named_places(rows), autorange="reversed"),
    )
    _frame(figure, chosen)
    best = np.unravel_index(int(np.nanargmax(values)), values.shape)
    return described(
        figure,
        f"{title}: {measure} from {np.nanmin(values):.3f} to {np.nanmax(values):.3f}; the best with "
        f"{down} {rows[int(best[0])]} and {across} {columns[int(best[1])]}.",
    )


def _frame(figure: go.Figure, chosen: tuple[int, int] | None) -> None:
    if chosen is None:
        return
    row, column = chosen
    box = {"x0": column - 0.5, "x1": column + 0.5, "y0": row - 0.5, "y1": row + 0.5}
    for colour, width in (("#ffffff", 4), ("#000000", 2)):
        figure.add_shape(type="rect", **box, line={"color": colour, "width": width})
