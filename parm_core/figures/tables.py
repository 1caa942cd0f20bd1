"""A heatmap as a table: long CSV for other tools, or a page that needs nothing but a browser."""

from __future__ import annotations

import csv
import html
import io
from collections.abc import Mapping

import numpy as np

from parm_core.analysis.heatmap import ParagraphHeatmap
from parm_core.figures.drawing import words

_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem; color: #1a1a1a; background: #fff }
table { border-collapse: collapse; margin: 1.5rem 0 2.5rem }
caption { text-align: left; font-weight: 600; padding-bottom: .5rem }
th, td { padding: .3rem .5rem; text-align: right; border: 1px solid #fff }
td { min-width: 3.6rem } small { display: block; white-space: nowrap }
""".strip()

_ABOUT = (
    "Rows are the queries' paragraphs, columns those of their relevant cases: I introduction, "
    "S summary, else in order. A cell holds its hits; below, how many times as often as by chance, "
    "and the queries (q.) that have such a hit."
)


def heatmap_csv(heatmap: ParagraphHeatmap) -> str:
    """One line a cell: row, column, count, share, expected, lift, queries; no lift where it is NaN."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["row", "column", "count", "share", "expected", "lift", "queries"])
    shares, lift = heatmap.shares, heatmap.lift
    for i, row in enumerate(heatmap.rows):
        for j, column in enumerate(heatmap.columns):
            told = "" if np.isnan(lift[i, j]) else f"{lift[i, j]:.6f}"
            chance = f"{heatmap.expected[i, j]:.6f}"
            count, queries = int(heatmap.counts[i, j]), int(heatmap.queries[i, j])
            writer.writerow([row, column, count, f"{shares[i, j]:.6f}", chance, told, queries])
    return text.getvalue()


def heatmap_html(heatmaps: Mapping[str, ParagraphHeatmap], title: str) -> str:
    """System -> heatmap: one page with a table each, shaded by count on one scale; no script.

    A screen reader is told the caption and the headers of every cell.
    """
    most = max((int(h.counts.max(initial=0)) for h in heatmaps.values()), default=0)
    tables = "\n".join(_table(name, heatmap, most) for name, heatmap in heatmaps.items())
    told = html.escape(words(title))
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{told}</title>\n<style>\n{_STYLE}\n</style>\n</head>\n<body>\n"
        f"<h1>{told}</h1>\n<p>{_ABOUT}</p>\n{tables}\n</body>\n</html>\n"
    )


def _table(name: str, heatmap: ParagraphHeatmap, most: int) -> str:
    head = "".join(f'<th scope="col">{html.escape(column)}</th>' for column in heatmap.columns)
    rows = "\n".join(
        f'<tr><th scope="row">{html.escape(row)}</th>{_cells(heatmap, i, most)}</tr>'
        for i, row in enumerate(heatmap.rows)
    )
    told = f"{html.escape(words(name))}: {int(heatmap.counts.sum()):,} hits"
    outside = f" ({heatmap.outside:,} more outside the table)" if heatmap.outside else ""
    return (
        f"<table>\n<caption>{told}{outside}</caption>\n"
        f"<thead><tr><td></td>{head}</tr></thead>\n<tbody>\n{rows}\n</tbody>\n</table>"
    )


def _cells(heatmap: ParagraphHeatmap, i: int, most: int) -> str:
    cells = zip(heatmap.counts[i], heatmap.lift[i], heatmap.queries[i], strict=True)
    return "".join(
        f'<td style="background: {_shade(count / max(most, 1))}">{count:,}'
        f"<small>{_times(lift)}</small><small>{queries:,} q.</small></td>"
        for count, lift, queries in cells
    )


def _times(lift: float) -> str:
    return "–" if np.isnan(lift) else f"{lift:.2f}×"


def _shade(share: float) -> str:
    """From white to a blue on which black is read easily, share in [0, 1]."""
    red, green, blue = (round(255 + share * (end - 255)) for end in (126, 190, 236))
    return f"rgb({red}, {green}, {blue})"
