"""Rows as CSV that a spreadsheet may open: no text in it is taken for a formula."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable

_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def csv_text(rows: Iterable[Iterable[object]]) -> str:
    """A line a row; a text that would begin a formula gets an apostrophe before it."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(map(harmless_cell, row) for row in rows)
    return text.getvalue()


def harmless_cell(cell: object) -> object:
    """A cell as it is, or with an apostrophe before it."""
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA_STARTS) else cell
