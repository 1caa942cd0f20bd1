"""Heatmaps: paragraph labels by paragraph labels, and BM25's parameters."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from parm_core.analysis.heatmap import ParagraphHeatmap
from parm_core.errors import ConfigError, DataError
from parm_core.figures.drawing import PLAIN, new_figure, words
from parm_core.types import Float64

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.image import AxesImage

_CELL = 0.42
"""Width and height of a cell, in inches."""

_LEAST = 6
"""Cells that a heatmap has room for across and down, so that its names have too."""

_UNKNOWN = "#d9d9d9"


class _Show(NamedTuple):
    """What of a heatmap is drawn: its values, how a cell's is told, on which scale."""

    values: Callable[[ParagraphHeatmap], Float64]
    told: Callable[[float], str]
    told_scale: str
    diverging: bool = False


_SHOWN = {
    "counts": _Show(lambda h: h.counts.astype(np.float64), lambda v: f"{v:,.0f}", "hits"),
    "shares": _Show(lambda h: 100 * h.shares, lambda v: f"{v:.0f} %", "% of the row's hits"),
    "lift": _Show(
        lambda h: h.lift, lambda v: f"{v:.2f}" if v < 10 else f"{v:.0f}", "hits over chance", True
    ),
}


def paragraph_heatmaps(
    heatmaps: Mapping[str, ParagraphHeatmap], show: str = "counts", *, title: str = ""
) -> Figure:
    """System -> heatmap: side by side on one scale, each cell with its value and, small, its queries.

    show: "counts"; "shares" of a row's hits; or "lift", counts over what chance would give, on a
    scale that diverges from 1 by powers of two, a cell that chance never reaches in grey. After
    Althammer et al. 2022, figure 4. Raises ConfigError for another `show`, DataError where a
    heatmap has no cell.
    """
    if show not in _SHOWN:
        raise ConfigError(f"unknown view {show!r} of a heatmap; one of {', '.join(_SHOWN)}")
    empty = [name for name, heatmap in heatmaps.items() if not heatmap.counts.size]
    if empty or not heatmaps:
        raise DataError(f"no labelled paragraph met a relevant case: {', '.join(empty) or 'none'}")
    shown = _SHOWN[show]
    values = [shown.values(heatmap) for heatmap in heatmaps.values()]
    widths = [max(cells.shape[1], _LEAST) for cells in values]
    rows = max(_LEAST, *(len(cells) for cells in values))
    size = (_CELL * sum(widths) + 0.7 * len(values) + 1.1, _CELL * rows + 1.3)
    figure = new_figure(*size, title)
    panels = figure.subplots(1, len(values), squeeze=False, width_ratios=widths)[0]
    scale = _scale(values, shown.diverging)
    for axes, name, heatmap in zip(panels, heatmaps, heatmaps.values(), strict=True):
        image = _panel(axes, heatmap, shown, scale)
        axes.set_title(words(name), fontsize=10, **PLAIN)
    panels[0].set_ylabel("paragraph of the query")
    _colour_bar(figure, panels, image, shown)
    return figure


def grid(
    values: Float64,
    rows: Sequence[object],
    columns: Sequence[object],
    title: str = "",
    axes_names: tuple[str, str] = ("k1", "b"),
) -> Figure:
    """values (R, C), labels of rows and columns -> each cell with its value, the best ones framed.

    axes_names: what the rows and the columns are; BM25's parameters if not said, as in Chalkidis et
    al. 2021, figure 3. A NaN is left grey. Raises DataError where labels and values do not fit.
    """
    if values.shape != (len(rows), len(columns)) or not values.size:
        raise DataError(
            f"{len(rows)} rows and {len(columns)} columns are named for values {values.shape}"
        )
    figure = new_figure(0.62 * len(columns) + 1.6, 0.4 * len(rows) + 1.2, title)
    axes = figure.add_subplot()
    known = values[np.isfinite(values)]
    low, high = (known.min(), known.max()) if known.size else (0.0, 1.0)
    image = _image(axes, values, {"cmap": "Blues", "vmin": low, "vmax": high, "aspect": "auto"})
    _ticks(axes, [str(row) for row in rows], [str(column) for column in columns])
    axes.set(ylabel=words(axes_names[0]), xlabel=words(axes_names[1]))
    for i, j in np.argwhere(np.isfinite(values)).tolist():
        best = values[i, j] == high
        colour, weight = _ink(image, values[i, j]), "bold" if best else "normal"
        _write(axes, (j, i), f"{values[i, j]:.3f}", color=colour, weight=weight, size=8)
        if best:
            _frame(axes, i, j)
    figure.colorbar(image, ax=axes, shrink=0.9).ax.tick_params(labelsize=8)
    return figure


def _panel(axes: Axes, heatmap: ParagraphHeatmap, shown: _Show, scale: dict[str, Any]) -> AxesImage:
    values = shown.values(heatmap)
    image = _image(axes, _shade(values, shown), scale)
    _ticks(axes, heatmap.rows, heatmap.columns)
    axes.set_xlabel("paragraph of a relevant case")
    for i, j in np.argwhere(np.isfinite(values)).tolist():
        colour = _ink(image, _shade(values[i, j], shown))
        _write(axes, (j, i - 0.12), shown.told(values[i, j]), color=colour, size=7)
        if heatmap.queries[i, j]:
            told = f"{heatmap.queries[i, j]:,} q."
            _write(axes, (j, i + 0.26), told, color=colour, size=5.5)
    return image


def _shade(values: Any, shown: _Show) -> Any:
    """What is coloured: the values, or the power of two that a lift is; far below 1 where it is 0."""
    return np.log2(np.maximum(values, 1e-9)) if shown.diverging else values


def _scale(values: Sequence[Float64], diverging: bool) -> dict[str, Any]:
    """One scale for several panels: from 0 up or, for lifts, as far below 1 as above, at most 8 times."""
    known = np.concatenate([cells[np.isfinite(cells)] for cells in values])
    if not diverging:
        return {"cmap": "Blues", "vmin": 0, "vmax": max(float(known.max(initial=0)), 1e-9)}
    reach = np.abs(np.log2(known[known > 0])).max(initial=1.0)
    limit = float(np.clip(np.ceil(reach), 1, 3))
    return {"cmap": "PuOr_r", "vmin": -limit, "vmax": limit}


def _image(axes: Axes, values: Float64, scale: dict[str, Any]) -> AxesImage:
    axes.spines[:].set_visible(False)
    image = axes.imshow(np.ma.masked_invalid(values), **scale)
    image.set_cmap(image.get_cmap().with_extremes(bad=_UNKNOWN))
    return image


def _ticks(axes: Axes, rows: Sequence[str], columns: Sequence[str]) -> None:
    axes.set_yticks(range(len(rows)), labels=[words(row) for row in rows], fontsize=8, **PLAIN)
    labels = [words(column) for column in columns]
    axes.set_xticks(range(len(columns)), labels=labels, fontsize=8, **PLAIN)
    axes.tick_params(length=0)


def _colour_bar(figure: Figure, panels: Any, image: AxesImage, shown: _Show) -> None:
    bar = figure.colorbar(image, ax=list(panels), shrink=0.9, pad=0.015)
    bar.set_label(f"{shown.told_scale}\n(q.: queries with such a hit)", fontsize=8)
    bar.ax.tick_params(labelsize=8)
    if shown.diverging:
        low, high = image.get_clim()
        powers = np.linspace(low, high, round(high - low) + 1).tolist()
        bar.set_ticks(powers, labels=[f"{2.0**power:g}" for power in powers])


def _ink(image: AxesImage, value: float) -> str:
    """Black or white, whichever is read on the cell's colour (relative luminance, WCAG 2.1)."""
    channels = image.to_rgba(np.array([value]))[0, :3]
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    return "black" if linear @ [0.2126, 0.7152, 0.0722] > 0.179 else "white"


def _write(axes: Axes, place: tuple[float, float], text: str, **style: Any) -> None:
    x, y = place
    axes.text(x, y, text, ha="center", va="center", **style, **PLAIN)


def _frame(axes: Axes, row: int, column: int) -> None:
    from matplotlib.patches import Rectangle

    box = Rectangle((column - 0.47, row - 0.47), 0.94, 0.94, fill=False, linewidth=1.8)
    axes.add_patch(box).set_edgecolor("#d55e00")
