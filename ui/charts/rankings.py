"""Rankings side by side: how a case moves, how far they agree, what only one of them finds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from ui.charts.style import (
    ACCENT,
    QUIET,
    Chart,
    axis,
    bare,
    counted,
    described,
    named_places,
    words,
)
from ui.evidence import percent


def bump(
    ranks: pd.DataFrame,
    *,
    titles: Mapping[str, str],
    title: str = "How each case moves between aggregations",
    top: int = 10,
    highlighted: str | None = None,
    relevant: frozenset[str] = frozenset(),
) -> Chart:
    """ranks: case ids by aggregations, ranks from 1 or NaN -> a line a case, rank 1 on top.

    A case that a ranking lacks, or has below `top`, leaves the chart there. The names at the right
    are of the last column's cases. relevant: the cases marked with a diamond.
    """
    within = ranks.astype(float).where(ranks <= top).dropna(how="all")
    names = {
        case_id: f"{'◆ ' if case_id in relevant else ''}{titles.get(case_id, case_id)}"
        for case_id in map(str, ranks.index)
    }
    order = [case_id for case_id in within.index if case_id != highlighted]
    order += [highlighted] if highlighted in within.index else []
    figure = go.Figure(
        [
            _line(
                within.loc[case_id],
                names[str(case_id)],
                accented=case_id == highlighted,
                marked=case_id in relevant,
            )
            for case_id in order
        ]
    )
    figure.add_trace(
        go.Scatter(x=list(ranks.columns[:1]), y=[1], yaxis="y2", opacity=0, hoverinfo="skip")
    )
    bare(figure, title=title, height=28 * top + 90, **_rank_axes(within, names, top, highlighted))
    seen = within.index.intersection(list(relevant)).size
    marked = f" With a diamond, as relevant by label: {counted(seen, 'case')}." if relevant else ""
    return described(figure, _bump_alt(ranks, names, title, top, highlighted) + marked)


def _line(ranks: pd.Series, name: str, *, accented: bool, marked: bool) -> go.Scatter:
    colour = ACCENT if accented else QUIET
    return go.Scatter(
        x=[str(column) for column in ranks.index],
        y=[None if np.isnan(rank) else int(rank) for rank in ranks],
        name=words(name, 60),
        mode="lines+markers",
        connectgaps=False,
        line={"color": colour, "width": 3 if accented else 1.5},
        marker={
            "color": colour,
            "size": (9 if accented else 6) + 4 * marked,
            "symbol": "diamond" if marked else "circle",
        },
        hovertext=[
            f"<b>{words(name, 80)}</b><br>{column}: rank {r:.0f}" for column, r in ranks.items()
        ],
        hoverinfo="text",
    )


def _rank_axes(
    within: pd.DataFrame, names: Mapping[str, str], top: int, highlighted: str | None
) -> dict[str, object]:
    last = within.iloc[:, -1].dropna().sort_values()
    ends = [words(names[str(case_id)], 28) for case_id in last.index]
    ends = [
        f"<b>{end}</b>" if case_id == highlighted else end
        for end, case_id in zip(ends, last.index, strict=True)
    ]
    ranks = {"range": [top + 0.6, 0.4], "zeroline": False, "showgrid": False, "fixedrange": True}
    return {
        "xaxis": {
            "autotickangles": [0, -45, -90],
            "type": "category",
            "categoryarray": [str(column) for column in within.columns],
            "range": [-0.15, len(within.columns) - 0.85],
            "fixedrange": True,
            "showgrid": True,
            "title": {"text": "aggregation"},
        },
        "yaxis": {**ranks, "title": {"text": "rank"}, "tickvals": list(range(1, top + 1))},
        "yaxis2": {
            **ranks,
            "overlaying": "y",
            "side": "right",
            "automargin": True,
            "tickvals": [int(rank) for rank in last],
            "ticktext": ends,
        },
    }


def _bump_alt(
    ranks: pd.DataFrame, names: Mapping[str, str], title: str, top: int, highlighted: str | None
) -> str:
    always = int((ranks <= top).all(axis=1).sum())
    seen = int((ranks <= top).any(axis=1).sum())
    text = (
        f"{title}: {counted(seen, 'case')} in the top {top} of "
        f"{counted(ranks.shape[1], 'ranking')}, {always} of them in every one."
    )
    if highlighted not in ranks.index:
        return text
    moves = ", ".join(
        f"{column} {'not found' if np.isnan(rank) else f'rank {rank:.0f}'}"
        for column, rank in ranks.loc[highlighted].astype(float).items()
    )
    return f"{text} {names[str(highlighted)]}: {moves}."


def agreement(
    matrix: pd.DataFrame, *, measure: str, title: str = "How far the rankings agree"
) -> Chart:
    """matrix (n, n) of systems by systems, in [-1, 1] -> an annotated square; NaN stays blank.

    The scale runs from 0 to 1, or from -1 where a value is negative.
    """
    values = matrix.to_numpy(dtype=np.float64)
    names = [str(name) for name in matrix.index]
    low = -1.0 if bool((values < 0).any()) else 0.0
    texts = [["" if np.isnan(v) else f"{v:.2f}" for v in row] for row in values]
    hover = [
        [
            f"{words(a)} and {words(b)}: {measure} {v or 'not defined'}"
            for b, v in zip(names, row, strict=True)
        ]
        for a, row in zip(names, texts, strict=True)
    ]
    figure = go.Figure(
        go.Heatmap(
            z=values,
            text=texts,
            texttemplate="%{text}",
            hovertext=hover,
            hoverinfo="text",
            coloraxis="coloraxis",
            xgap=2,
            ygap=2,
        )
    )
    bare(
        figure,
        title=f"{title}: {measure}",
        height=44 * len(names) + 120,
        coloraxis={"cmin": low, "cmax": 1, "autocolorscale": True, "showscale": False},
        xaxis=axis("system", **named_places(names), autotickangles=[0, -45, -90]),
        yaxis=axis("system", **named_places(names), autorange="reversed"),
    )
    return described(figure, _agreement_alt(matrix, measure, title))


def _agreement_alt(matrix: pd.DataFrame, measure: str, title: str) -> str:
    values = matrix.to_numpy(dtype=np.float64)
    rows, columns = np.triu_indices(len(matrix), k=1)
    known = ~np.isnan(values[rows, columns])
    rows, columns = rows[known], columns[known]
    if not rows.size:
        return f"{title} by {measure}: no two rankings to compare."
    pairs = values[rows, columns]
    most, least = int(pairs.argmax()), int(pairs.argmin())
    said = [
        f"{matrix.index[rows[i]]} and {matrix.index[columns[i]]} ({pairs[i]:.2f})"
        for i in (most, least)
    ]
    return f"{title} by {measure}: most alike are {said[0]}, least alike {said[1]}."


def overlap_bars(
    regions: Mapping[frozenset[str], Sequence[object]],
    *,
    names: Mapping[str, str] | None = None,
    title: str = "Which systems find which cases",
    shares: bool = False,
) -> Chart:
    """regions: exclusive sets of systems -> their cases; a bar a region, its words at the left.

    Regions of most systems first, then larger, then by name; empty ones are kept, as a 0. shares:
    whether each number is followed by its share of all.
    """
    names = names or {}
    systems = sorted(set().union(*regions)) if regions else []
    keys = sorted(regions, key=lambda key: (-len(key), -len(regions[key]), sorted(key)))
    labels = [_region(key, systems, names) for key in keys]
    sizes = [len(regions[key]) for key in keys]
    whole = sum(sizes) if shares else 0
    texts = [f"{size:,} ({percent(size / whole)})" if whole else f"{size:,}" for size in sizes]
    figure = go.Figure(
        go.Bar(
            x=sizes,
            y=list(range(len(keys))),
            orientation="h",
            marker={"color": [ACCENT if len(key) == len(systems) else QUIET for key in keys]},
            text=texts,
            textposition="outside",
            cliponaxis=False,
            hovertext=[
                f"{words(a)}: {counted(n, 'case')}" for a, n in zip(labels, sizes, strict=True)
            ],
            hoverinfo="text",
        )
    )
    bare(
        figure,
        title=title,
        height=34 * len(keys) + 70,
        xaxis=axis("cases", range=[0, max([*sizes, 1]) * (1.2 if shares else 1.08)]),
        yaxis=axis("", **named_places(labels), autorange="reversed"),
    )
    said = "; ".join(f"{label}: {text}" for label, text in zip(labels, texts, strict=True))
    return described(figure, f"{title}: {counted(sum(sizes), 'case')}. {said}.")


def _region(key: frozenset[str], systems: list[str], names: Mapping[str, str]) -> str:
    parts = [names.get(name, name) for name in systems if name in key]
    if not parts:
        return {1: "not found", 2: "neither"}.get(len(systems), "none of them")
    if len(systems) == 1:
        return parts[0]
    if len(parts) == len(systems):
        return "both" if len(systems) == 2 else f"all {len(systems)}"
    return f"only {' and '.join(parts)}"
