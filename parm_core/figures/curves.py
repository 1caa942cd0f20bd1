"""Recall by cut-off."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from parm_core.errors import DataError
from parm_core.figures.drawing import COLOURS, PLAIN, bare, new_figure, words
from parm_core.types import Float64

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

_MARKERS = "os^DvPX<*>"
_DASHES = ("solid", "dashed", "dashdot", "dotted")


def recall_curves(
    cutoffs: Sequence[int], curves: Mapping[str, Float64], *, title: str = ""
) -> Figure:
    """cutoffs (n,), system -> recall (n,) in [0, 1]: a line a system, cut-offs on a log axis.

    Systems differ in colour, marker and dashes. Raises DataError for a curve of another length, or
    no curve. After Althammer et al. 2022, figure 2.
    """
    if not curves or not cutoffs:
        raise DataError("there is no recall to draw; name at least one system and one cut-off")
    figure = new_figure(7.2, 4.2, title)
    axes = figure.add_subplot()
    lines = []
    for i, (name, recall) in enumerate(curves.items()):
        if len(recall) != len(cutoffs):
            raise DataError(f"{name} has {len(recall)} values for {len(cutoffs)} cut-offs")
        (line,) = axes.plot(cutoffs, recall, linewidth=1.4, markersize=4.5, clip_on=False)
        line.set(color=COLOURS[i % len(COLOURS)], linestyle=_DASHES[i % len(_DASHES)])
        line.set_marker(_MARKERS[i % len(_MARKERS)])
        lines.append(line)
    _log_axis(axes, cutoffs)
    _recall_axis(axes)
    _legend(figure, lines, [words(name) for name in curves])
    return figure


def _legend(figure: Figure, lines: Sequence[Line2D], names: Sequence[str]) -> None:
    style = {"frameon": False, "fontsize": 8, "handlelength": 3.5}
    legend = figure.legend(lines, names, loc="outside right center", **style)
    for text in legend.get_texts():
        text.set(**PLAIN)


def _log_axis(axes: Axes, cutoffs: Sequence[int]) -> None:
    axes.set_xscale("log")
    shown = [k for k in cutoffs if str(k).rstrip("0") in ("1", "2", "5")] or [cutoffs[0]]
    axes.set_xticks(shown, labels=[f"{k:,}" for k in shown], fontsize=8)
    axes.set_xticks([], minor=True)
    axes.set_xlabel("cut-off")


def _recall_axis(axes: Axes) -> None:
    axes.set_ylim(0, 1)
    axes.tick_params(axis="y", labelsize=8)
    axes.set_ylabel("recall, mean over queries")
    axes.grid(color="#e0e0e0", linewidth=0.6)
    axes.set_axisbelow(True)
    bare(axes)
