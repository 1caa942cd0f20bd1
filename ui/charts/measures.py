"""Measures of systems: recall by cut-off, differences query by query, what they go along with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go

from parm_core.types import Float64
from ui.charts.style import (
    ACCENT,
    REST,
    SERIES,
    Chart,
    axis,
    bare,
    counted,
    described,
    named_places,
    words,
)

_DASHES = ("solid", "dash", "dot", "dashdot", "longdash")
_MARKERS = ("circle", "square", "diamond", "triangle-up", "x", "star", "cross")
_TICKS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000]


def recall_curves(
    cutoffs: Sequence[int],
    curves: Mapping[str, Float64],
    *,
    title: str = "Recall by cut-off",
) -> Chart:
    """cutoffs (n,), system -> (n,) recall in [0, 1] -> a line a system, on a log axis.

    Lines differ in dash and marker, not in colour alone.
    """
    figure = go.Figure(
        [_curve(cutoffs, name, values, i) for i, (name, values) in enumerate(curves.items())]
    )
    ends = [np.log10(cutoffs[0]) - 0.03, np.log10(cutoffs[-1]) + 0.03]
    ticks = [k for k in _TICKS if cutoffs[0] <= k <= cutoffs[-1]]
    bare(
        figure,
        title=title,
        height=420 + 22 * len(curves),
        showlegend=True,
        legend={"orientation": "h", "y": -0.16, "yanchor": "top", "x": 0},
        xaxis=axis("cases read, from the top", type="log", range=ends, tickvals=ticks,
                   ticktext=[f"{k:,}" for k in ticks]),
        yaxis=axis("recall", range=[0, 1.02], showgrid=True),
    )  # fmt: skip
    return described(figure, _curves_alt(cutoffs, curves, title))


def _curve(cutoffs: Sequence[int], name: str, values: Float64, i: int) -> go.Scatter:
    colour = SERIES[i % len(SERIES)]
    return go.Scatter(
        x=list(cutoffs),
        y=list(values),
        name=words(name, 60),
        mode="lines+markers",
        line={"color": colour, "width": 2, "dash": _DASHES[i % len(_DASHES)]},
        marker={"color": colour, "size": 7, "symbol": _MARKERS[i % len(_MARKERS)]},
        hovertext=[
            f"<b>{words(name, 60)}</b><br>first {k:,}: {value:.3f}"
            for k, value in zip(cutoffs, values, strict=True)
        ],
        hoverinfo="text",
    )


def _curves_alt(cutoffs: Sequence[int], curves: Mapping[str, Float64], title: str) -> str:
    shown = sorted({0, *(i for i, k in enumerate(cutoffs) if k in (10, 100)), len(cutoffs) - 1})
    said = "; ".join(
        f"{name}: " + ", ".join(f"{values[i]:.2f} at {cutoffs[i]:,}" for i in shown)
        for name, values in curves.items()
    )
    return f"{title}, {counted(len(curves), 'system')}. {said}."


def differences(
    values: Sequence[float],
    *,
    names: Sequence[str],
    title: str,
    measure: str,
    selected: int | None = None,
) -> Chart:
    """values (n,), sorted: what each query gains (above 0) or loses -> a bar a query.

    A selected point's customdata is [place in `values`]; `selected` frames a query's bar.
    """
    figure = go.Figure(_bars(values, names, measure, selected))
    bare(
        figure,
        title=title,
        height=300,
        bargap=0.15,
        xaxis=axis(
            "queries, from the greatest gain to the greatest loss", showticklabels=False, ticks=""
        ),
        yaxis=axis(f"difference in {measure}", showgrid=True, zeroline=True),
    )
    return described(figure, _differences_alt(values, names, title))


def _bars(
    values: Sequence[float], names: Sequence[str], measure: str, selected: int | None
) -> go.Bar:
    """What does not gain is hatched: colour alone would not tell."""
    return go.Bar(
        x=list(range(len(values))),
        y=list(values),
        marker={
            "color": [ACCENT if value > 0 else REST for value in values],
            "pattern": {"shape": ["" if value > 0 else "/" for value in values], "size": 5},
            "line": {
                "width": [3 if i == selected else 0 for i in range(len(values))],
                "color": "#d55e00",
            },
        },
        selected={"marker": {"opacity": 1}},
        unselected={"marker": {"opacity": 1}},
        customdata=[[i] for i in range(len(values))],
        hovertext=[
            f"<b>{words(name, 80)}</b><br>{measure} {_signed(value)}"
            for name, value in zip(names, values, strict=True)
        ],
        hoverinfo="text",
    )


def _differences_alt(values: Sequence[float], names: Sequence[str], title: str) -> str:
    gains, losses, ties = gained(values)
    text = f"{title}: {gains} gain, {losses} lose, {ties} tie."
    if not values:
        return text
    best, worst = _signed(max(values)), _signed(min(values))
    return f"{text} From {best} for {names[0]} to {worst} for {names[-1]}."


def gained(values: Sequence[float]) -> tuple[int, int, int]:
    """How many values are above 0, below 0, and 0."""
    above = sum(value > 0 for value in values)
    below = sum(value < 0 for value in values)
    return above, below, len(values) - above - below


def _signed(value: float) -> str:
    return f"{'−' if value < 0 else '+' if value > 0 else ''}{abs(value):.3f}"


def scatter(
    x: Float64,
    y: Float64,
    *,
    names: Sequence[str],
    title: str,
    across: str,
    upwards: str,
) -> Chart:
    """x (n,), y (n,): a point a query; points with a NaN are left out. A line marks y = 0."""
    known = np.isfinite(x) & np.isfinite(y)
    figure = go.Figure(
        go.Scatter(
            x=x[known],
            y=y[known],
            mode="markers",
            marker={"color": ACCENT, "size": 8, "opacity": 0.65},
            hovertext=[
                f"<b>{words(name, 60)}</b><br>{words(across)}: {a:,.4g}<br>{words(upwards)}: {_signed(b)}"
                for name, a, b in zip(np.array(names, dtype=object)[known], x[known], y[known], strict=True)
            ],
            hoverinfo="text",
        )
    )  # fmt: skip
    bare(
        figure,
        title=title,
        height=230,
        xaxis=axis(words(across, 60)),
        yaxis=axis(words(upwards, 40), showgrid=True, zeroline=True),
    )
    shown = int(known.sum())
    spans = (
        f", {across} from {x[known].min():,.4g} to {x[known].max():,.4g}, "
        f"{upwards} from {_signed(float(y[known].min()))} to {_signed(float(y[known].max()))}"
        if shown
        else ""
    )
    return described(figure, f"{title}: {counted(shown, 'query')}{spans}.")


def curve(
    labels: Sequence[str],
    values: Sequence[float],
    *,
    across: str,
    measure: str,
    title: str,
    chosen: int,
) -> Chart:
    """labels (n,) of settings in their order, values (n,) -> a line; the chosen one is marked."""
    hover = [
        f"{words(across)} {words(label)}: {words(measure)} {value:.4f}"
        for label, value in zip(labels, values, strict=True)
    ]
    figure = go.Figure(_marked_line(values, hover, chosen))
    low, high = min(values), max(values)
    room = 0.15 * (high - low) or 0.05
    bare(
        figure,
        title=title,
        height=300,
        xaxis=axis(words(across, 60), **named_places(labels)),
        yaxis=axis(words(measure), range=[low - room, high + 1.6 * room], showgrid=True),
    )
    return described(
        figure,
        f"{title}: {measure} by {across}, from {low:.3f} to {high:.3f}; the best, "
        f"{values[chosen]:.3f}, at {labels[chosen]}.",
    )


def _marked_line(values: Sequence[float], hover: Sequence[str], chosen: int) -> go.Scatter:
    places = list(range(len(values)))
    return go.Scatter(
        x=places,
        y=list(values),
        mode="lines+markers+text",
        line={"color": ACCENT, "width": 2},
        marker={
            "color": ACCENT,
            "size": [14 if i == chosen else 7 for i in places],
            "symbol": ["star" if i == chosen else "circle" for i in places],
        },
        text=[f"{value:.3f}" if i == chosen else "" for i, value in enumerate(values)],
        textposition="top center",
        hovertext=list(hover),
        hoverinfo="text",
    )
