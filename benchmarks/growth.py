"""How time grows with the collection: rows, a chart, and what all of US case law would cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from pathlib import Path

from benchmarks.measuring import Row
from parm_core.figures.drawing import COLOURS, bare, new_figure
from parm_core.figures.saving import save

US_CASE_LAW = 60_000_000
"""Paragraphs: a round figure for all published decisions of US courts."""

_WIDTH = 384
_PARTS = {"BM25": "BM25,", "dense, exact": "dense, exact", "dense, approximate": "dense, approx"}
_MARKERS = "os^"


def times(rows: Sequence[Row]) -> dict[str, dict[int, float]]:
    """What -> paragraphs -> seconds, of this product's own searches."""
    return {
        name: {row.paragraphs: row.own for row in rows if row.what.startswith(start)}
        for name, start in _PARTS.items()
    }


def draw(rows: Sequence[Row], path: Path) -> None:
    """Milliseconds by paragraphs, both on log axes; a line a way to search."""
    figure = new_figure(6.4, 3.8, "Searching with a case of 45 paragraphs, 1,000 hits each")
    axes = figure.add_subplot()
    for i, (name, spent) in enumerate(times(rows).items()):
        if not spent:
            continue
        sizes = sorted(spent)
        (line,) = axes.plot(sizes, [1000 * spent[n] for n in sizes], linewidth=1.4, markersize=4.5)
        line.set(color=COLOURS[i], marker=_MARKERS[i])
        axes.annotate(
            name, (sizes[-1], 1000 * spent[sizes[-1]]), (6, 0), textcoords="offset points",
            va="center", fontsize=8, color=COLOURS[i],
        )  # fmt: skip
    axes.set(xscale="log", yscale="log", xlabel="paragraphs", ylabel="milliseconds")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter("{x:,.0f}")
    axes.margins(x=0.26)
    axes.grid(color="#e0e0e0", linewidth=0.6)
    axes.set_axisbelow(True)
    bare(axes)
    save(figure, path)


@dataclass(frozen=True)
class Rates:
    """What one paragraph costs, as measured at the largest size.

    postings_bytes: a paragraph's BM25 impacts and unit numbers. encoded_per_s: paragraphs.
    """

    postings_bytes: float
    encoded_per_s: float


def us_case_law(rows: Sequence[Row], rates: Rates, memory_gb: int = 64) -> str:
    """Memory, time and machines for US_CASE_LAW, in proportion to the largest size measured."""
    n = US_CASE_LAW
    vectors_gb, postings_gb = n * _WIDTH * 4 / 1e9, n * rates.postings_bytes / 1e9
    together = 2 * vectors_gb + postings_gb
    lines = [
        f"What {n:,} paragraphs (all of US case law) would cost, in proportion to the above:",
        f"  memory: vectors {vectors_gb:,.0f} GB, their copy in clusters as much again, BM25 "
        f"{postings_gb:,.0f} GB; {together:,.0f} GB, or {ceil(together / memory_gb)} machines of "
        f"{memory_gb} GB, {ceil((together - vectors_gb) / memory_gb)} without the exact engine",
        f"  encoding: {n / rates.encoded_per_s / 86_400:,.0f} days on one machine like this, at "
        f"{rates.encoded_per_s:,.0f} paragraphs a second",
    ]
    return "\n".join([*lines, *_searching(times(rows), n)])


def _searching(spent: Mapping[str, Mapping[int, float]], n: int) -> list[str]:
    lines = []
    for name, by_size in spent.items():
        if by_size:
            largest = max(by_size)
            seconds = by_size[largest] * n / largest
            lines.append(
                f"  a search, {name}: {seconds:,.1f} s on one machine like this that held it all "
                f"({ceil(seconds)} of them, each with its share, for 1 s); from {largest:,}"
            )
    return lines
