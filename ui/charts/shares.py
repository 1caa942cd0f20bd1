"""Parts of a whole: what the strongest pairs give, and how numbers spread."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import plotly.graph_objects as go

from parm_core.types import Float64, Int64
from ui.charts.style import (
    ACCENT,
    QUIET,
    REST,
    Chart,
    bare,
    counted,
    described,
    plural,
    quoted,
    words,
)
from ui.charts.style import axis as axis_named
from ui.evidence import percent

FEW_BINS = 12
"""So few bars have a tick each."""

_SHADES = ("#1c5f94", "#3079b8", "#5295c9", "#7db1da", "#a8cbe6")
"""One hue; weaker parts are paler, from the fifth on alike. Opaque, so that plotly picks a text
colour that shows."""

_PER_CENTS = {
    "tickvals": [0, 0.25, 0.5, 0.75, 1],
    "ticktext": ["0 %", "25 %", "50 %", "75 %", "100 %"],
}


def contribution_bar(
    shares: Sequence[float],
    *,
    labels: Sequence[str],
    openings: Sequence[str] = (),
    title: str = "What the score is made of",
) -> Chart:
    """shares (n,) of a score's terms, strongest first -> one stacked bar, then all the rest.

    shares are signed parts of the sum of absolute terms; the bar shows their sizes and hatches the
    negative ones. openings: what the hover text quotes, one a label.
    """
    rest = max(0.0, 1.0 - sum(abs(share) for share in shares))
    figure = go.Figure()
    for i, (share, label) in enumerate(zip(shares, labels, strict=True)):
        quote = f"<br>{quoted(openings[i])}" if openings else ""
        hover = f"<b>{words(label, 80)}</b><br>{percent(share)}{quote}"
        figure.add_trace(_part(abs(share), hover, percent(share), _fill(i, share < 0)))
    if rest > 1e-9:
        hover = f"<b>all the rest</b><br>{percent(rest)}"
        figure.add_trace(_part(rest, hover, "the rest", {"color": REST}))
    bare(
        figure,
        title=title,
        height=100,
        barmode="stack",
        hovermode="closest",
        xaxis=axis_named("share of the score's terms", range=[-0.04, 1.04], **_PER_CENTS),
        yaxis={"visible": False, "fixedrange": True},
    )
    said = "; ".join(
        f"{label}: {percent(share)}" for label, share in zip(labels, shares, strict=True)
    )
    return described(figure, f"{title}: {said}; all the rest: {percent(rest)}.")


def _part(size: float, hover: str, text: str, marker: dict[str, object]) -> go.Bar:
    return go.Bar(
        x=[size],
        y=[""],
        orientation="h",
        marker=marker,
        text=[text if size >= 0.06 else ""],
        textposition="inside",
        insidetextanchor="middle",
        textangle=0,
        hovertext=[hover],
        hoverinfo="text",
    )


def _fill(i: int, negative: bool) -> dict[str, object]:
    marker: dict[str, object] = {"color": _SHADES[min(i, len(_SHADES) - 1)]}
    hatch = {"shape": "/", "fillmode": "overlay", "fgcolor": "#ffffff", "fgopacity": 0.35}
    return {**marker, "pattern": hatch} if negative else marker


def histogram(
    values: Sequence[float],
    *,
    title: str,
    axis: str,
    counted_as: str = "case",
    marks: Sequence[tuple[float, str]] = (),
) -> Chart:
    """values (n,) -> how many fall where, in at most 40 equal bins.

    axis: what is measured, with its unit. counted_as: what each value stands for. marks: values to
    point at, each with its label. Bins of whole numbers hold whole numbers.
    """
    numbers = np.asarray(values, dtype=np.float64)
    counts, edges, spans = _binned(numbers)
    figure = go.Figure(
        go.Bar(
            x=(edges[:-1] + edges[1:]) / 2,
            y=counts,
            width=0.94 * np.diff(edges),
            marker={"color": ACCENT, "line": {"width": 0}},
            hovertext=[
                f"{span} {axis}: {counted(int(n), counted_as)}"
                for span, n in zip(spans, counts, strict=True)
            ],
            hoverinfo="text",
        )
    )
    dashed = {"color": QUIET, "dash": "dash"}
    for value, label in marks:
        figure.add_vline(
            x=value, line=dashed, annotation_text=words(label, 40), annotation_position="top"
        )
    bare(
        figure,
        title=title,
        height=250,
        xaxis=axis_named(words(axis, 60), **({"dtick": 1} if len(counts) <= FEW_BINS else {})),
        yaxis=axis_named(plural(counted_as), showgrid=True),
    )
    return described(figure, _histogram_alt(numbers, title, axis, counted_as, marks))


def _binned(numbers: Float64) -> tuple[Int64, Float64, list[str]]:
    """(bins,) counts, (bins + 1,) edges and, in words, what each bin spans."""
    if not numbers.size:
        return np.array([], dtype=np.int64), np.array([0.0]), []
    low, high = float(numbers.min()), float(numbers.max())
    if (numbers != np.round(numbers)).any():
        counts, edges = np.histogram(numbers, bins=30)
        return counts, edges, [f"{a:,.4g} to {b:,.4g}" for a, b in pairwise(edges)]
    step = max(1, -(-int(high - low + 1) // 40))
    starts = np.arange(low, high + 1, step)
    edges = np.append(starts, starts[-1] + step) - 0.5
    spans = [f"{a:,.0f}" if step == 1 else f"{a:,.0f} to {a + step - 1:,.0f}" for a in starts]
    return np.histogram(numbers, bins=edges)[0], edges, spans


def _histogram_alt(
    numbers: Float64,
    title: str,
    axis: str,
    counted_as: str,
    marks: Sequence[tuple[float, str]],
) -> str:
    if not numbers.size:
        return f"{title}: nothing to show."
    text = (
        f"{title}: {counted(numbers.size, counted_as)}, from {numbers.min():,.4g} to "
        f"{numbers.max():,.4g} {axis}, half of them at most {np.median(numbers):,.4g}."
    )
    return text + "".join(f" Marked: {label} at {value:,.4g}." for value, label in marks)
