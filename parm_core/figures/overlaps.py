"""How many cases which systems find, together and alone."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING

from parm_core.errors import DataError
from parm_core.figures.drawing import COLOURS, PLAIN, QUIET, bare, new_figure, words

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Regions = Mapping[frozenset[str], Collection[object]]
"""Names of systems -> what exactly those found, as `relevant_regions` or `regions` give it."""


def overlap_bars(overlaps: Mapping[str, Regions], *, title: str = "") -> Figure:
    """Name -> regions: a panel for each, a bar for each of its regions with count and share.

    All panels have one scale. Raises DataError where there is nothing to draw. After Althammer et
    al. 2022, figure 3.
    """
    if not overlaps or not all(overlaps.values()):
        raise DataError("there is no overlap to draw; name two or three systems")
    rows = [len(regions) for regions in overlaps.values()]
    figure = new_figure(7.2, 0.3 * sum(rows) + 0.55 * len(rows) + 0.7, title)
    panels = figure.subplots(len(rows), sharex=True, squeeze=False, height_ratios=rows)[:, 0]
    for axes, (name, regions) in zip(panels, overlaps.items(), strict=True):
        _panel(axes, regions)
        axes.set_title(words(name), fontsize=10, loc="left", **PLAIN)
    longest = max(len(found) for regions in overlaps.values() for found in regions.values())
    panels[0].set_xlim(0, max(longest, 1) * 1.18)
    panels[-1].set_xlabel("relevant cases, over all queries")
    return figure


def _panel(axes: Axes, regions: Regions) -> None:
    systems = list(dict.fromkeys(name for region in regions for name in sorted(region)))
    ordered = sorted(regions, key=lambda region: -len(region))
    counts = [len(regions[region]) for region in ordered]
    colours = [_colour(len(region), len(systems)) for region in ordered]
    bars = axes.barh(range(len(counts)), counts, color=colours, height=0.7)
    whole = sum(counts)
    told = [f"{count:,} ({100 * count / whole:.0f} %)" if whole else "0" for count in counts]
    axes.bar_label(bars, told, padding=4, fontsize=8)
    labels = [words(_told(region, systems)) for region in ordered]
    axes.set_yticks(range(len(counts)), labels=labels, fontsize=8, **PLAIN)
    axes.tick_params(axis="y", length=0)
    axes.invert_yaxis()
    bare(axes)


def _told(region: frozenset[str], systems: list[str]) -> str:
    if not region:
        return "neither" if len(systems) == 2 else "none"
    if len(region) == len(systems) > 1:
        return "both" if len(systems) == 2 else "all"
    return f"only {_listed(name for name in systems if name in region)}"


def _listed(names: Iterable[str]) -> str:
    return " and ".join(names)


def _colour(size: int, systems: int) -> str:
    """Found by all, by some, by none; the labels say it too."""
    if size == 0:
        return QUIET
    return COLOURS[0] if size == systems else COLOURS[1]
