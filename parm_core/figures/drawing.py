"""What every picture shares: a figure of its own, text that is not read as mathematics, colours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
"""Okabe and Ito 2008: told apart with any colour vision."""

QUIET = "#767676"
"""Grey that is still read on white."""

PLAIN: dict[str, Any] = {"parse_math": False}
"""For every text that may hold a `$`."""


def new_figure(width: float, height: float, title: str) -> Figure:
    """An empty figure, width by height in inches, which belongs to no window and no session."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained", dpi=200)
    if title:
        figure.suptitle(words(title), fontsize=11, **PLAIN)
    return figure


def bare(axes: Axes) -> None:
    """Leave out the frame's upper and right sides."""
    axes.spines[["top", "right"]].set_visible(False)


def words(text: str) -> str:
    """A text on one line, without what cannot be printed."""
    return "".join(character if character.isprintable() else " " for character in text)
