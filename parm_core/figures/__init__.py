"""Pictures for papers: data -> a matplotlib figure, saved as PNG, SVG or PDF; and heatmaps as tables."""

from parm_core.figures.curves import recall_curves
from parm_core.figures.heatmaps import grid, paragraph_heatmaps
from parm_core.figures.overlaps import overlap_bars
from parm_core.figures.saving import save
from parm_core.figures.tables import heatmap_csv, heatmap_html

__all__ = [
    "grid",
    "heatmap_csv",
    "heatmap_html",
    "overlap_bars",
    "paragraph_heatmaps",
    "recall_curves",
    "save",
]
