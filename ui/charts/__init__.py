"""Data -> plotly figures with their alternative texts. No streamlit in here.

Every function returns a `Chart(figure, alt)`, takes its options by keyword, escapes the case text
it quotes, and leaves paper and text colours to the page's theme.
"""

from ui.charts.grids import grid, meetings
from ui.charts.heatmap import MAX_MARKERS, heatmap
from ui.charts.measures import curve, differences, gained, recall_curves, scatter
from ui.charts.rankings import agreement, bump, overlap_bars
from ui.charts.shares import contribution_bar, histogram
from ui.charts.style import ACCENT, Chart, case_colours

__all__ = [
    "ACCENT",
    "MAX_MARKERS",
    "Chart",
    "agreement",
    "bump",
    "case_colours",
    "contribution_bar",
    "curve",
    "differences",
    "gained",
    "grid",
    "heatmap",
    "histogram",
    "meetings",
    "overlap_bars",
    "recall_curves",
    "scatter",
]
