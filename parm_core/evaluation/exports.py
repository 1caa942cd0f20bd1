"""A comparison for other programs, its values whole: CSV and JSON."""

from __future__ import annotations

import json
import math
from typing import Any

from parm_core.evaluation.comparison import Comparison, Difference
from parm_core.spreadsheets import csv_text


def as_csv(c: Comparison) -> str:
    """A row a system, a column a measure; with a baseline also difference, p, corrected p, d, marks.

    The baseline's own are empty. A text that a spreadsheet would take for a formula gets an
    apostrophe before it.
    """
    names = ("difference", "p", "corrected p", "d", "marks") if c.baseline is not None else ()
    header: list[str | float] = ["system"]
    for measure in c.measures:
        header += [measure, *(f"{measure} {name}" for name in names)]
    rows = [header]
    for system, means in c.means.items():
        row: list[str | float] = [system]
        for measure, mean in means.items():
            difference = c.differences.get(system, {}).get(measure)
            row += [mean, *(_fields(difference) if difference else ("" for _ in names))]
        rows.append(row)
    return csv_text(rows)


def per_query_csv(c: Comparison) -> str:
    """A row a query, system and measure: query, system, measure, value."""
    rows: list[list[str | float]] = [
        [query, system, measure, c.per_query[system][measure][query]]
        for query in c.queries
        for system in c.systems
        for measure in c.measures
    ]
    return csv_text([["query", "system", "measure", "value"], *rows])


def as_json(c: Comparison) -> dict[str, Any]:
    """{"measures": {system: {measure: mean}}, "significance": …}, all of it JSON, infinity as null.

    Without a baseline "significance" is None; with one it holds baseline, test, comparisons,
    queries (how many) and, system by system and measure by measure, the difference.
    """
    significance = None
    if c.baseline is not None:
        systems = {
            system: {measure: _record(difference) for measure, difference in own.items()}
            for system, own in c.differences.items()
        }
        significance = {
            "baseline": c.baseline,
            "test": c.test,
            "comparisons": c.comparisons,
            "queries": len(c.queries),
            "systems": systems,
        }
    return {"measures": c.means, "significance": significance}


def as_json_text(c: Comparison) -> str:
    """`as_json`, written."""
    return json.dumps(as_json(c), allow_nan=False, ensure_ascii=False, indent=1) + "\n"


def _fields(d: Difference) -> tuple[str | float, ...]:
    """As `as_csv` names them."""
    return (d.mean, d.p, d.corrected_p, d.d, d.marks)


def _record(d: Difference) -> dict[str, float | bool | None]:
    return {
        "difference": d.mean,
        "p": d.p,
        "corrected_p": d.corrected_p,
        "d": d.d if math.isfinite(d.d) else None,
        "significant": d.significant,
        "sizeable": d.sizeable,
    }
