"""A comparison as a table for people: text, Markdown, LaTeX; and every format by its name.

A table shows four decimals, the best of each measure, † and ‡ after values, and a legend.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from parm_core.evaluation.comparison import (
    SIGNIFICANT_BELOW,
    SIZEABLE_ABOVE,
    Comparison,
)
from parm_core.evaluation.exports import as_csv, as_json, as_json_text, per_query_csv

__all__ = [
    "RENDERERS",
    "as_csv",
    "as_json",
    "as_latex",
    "as_markdown",
    "as_text",
    "per_query_csv",
]

_TEST_NAMES = {"t": "paired t-test", "randomisation": "randomisation test"}
_TEX = str.maketrans(
    {
        **{character: "\\" + character for character in "&%$#_{}"},
        **{character: f"${character}$" for character in "<>|"},
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "†": r"\dag{}",
        "‡": r"\ddag{}",
    }
)


class _Cell(NamedTuple):
    """A mean as it is printed, whether it is its measure's best, and its marks."""

    value: str
    best: bool
    marks: str


def as_text(c: Comparison) -> str:
    """An aligned table; a star before the best of each measure."""
    names = ["system", *map(_line, c.systems)]
    columns = [[name.ljust(max(map(len, names))) for name in names]]
    for measure, *cells in zip(c.measures, *_rows(c), strict=True):
        columns.append(_text_column(_line(measure), cells))
    lines = ["  ".join(row).rstrip() for row in zip(*columns, strict=True)]
    return "\n".join([*lines, "", _legend(c, "A star", _line)]) + "\n"


def as_markdown(c: Comparison) -> str:
    """A table in GitHub's Markdown, the best of each measure in bold."""
    rows = [["system", *(_line(measure).replace("|", r"\|") for measure in c.measures)]]
    rows.append(["---", *("---" for _ in c.measures)])
    for system, cells in zip(c.systems, _rows(c), strict=True):
        values = (f"**{v}**{marks}" if best else v + marks for v, best, marks in cells)
        rows.append([_code(system).replace("|", r"\|"), *values])
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join([*lines, "", _legend(c, "Bold", _code)]) + "\n"


def as_latex(c: Comparison) -> str:
    """A tabular by the booktabs package, the best of each measure in bold, the legend below it."""
    lines = [
        r"% \usepackage{booktabs}",
        rf"\begin{{tabular}}{{{'l' * (1 + len(c.measures))}}}",
        r"\toprule",
    ]
    lines += [_tex_row(["System", *(_tex(measure) for measure in c.measures)]), r"\midrule"]
    for system, cells in zip(c.systems, _rows(c), strict=True):
        lines.append(_tex_row([rf"\texttt{{{_tex(system)}}}", *map(_tex_cell, cells)]))
    lines += [r"\bottomrule", r"\end{tabular}"]
    lines.append(rf"\par\smallskip{{\footnotesize {_tex(_legend(c, 'Bold', _line))}\par}}")
    return "\n".join(lines) + "\n"


RENDERERS: Mapping[str, Callable[[Comparison], str]] = MappingProxyType(
    {
        "table": as_text,
        "csv": as_csv,
        "markdown": as_markdown,
        "latex": as_latex,
        "json": as_json_text,
    }
)
"""Format -> the whole comparison in it, ending in a line break."""


def _rows(c: Comparison) -> list[list[_Cell]]:
    """A row a system, a cell a measure. Equal as printed is equally best; one system is no best."""
    means = c.means
    best = [f"{max(own[m] for own in means.values()):.4f}" for m in c.measures]
    rows = []
    for system, own in means.items():
        marks = {m: difference.marks for m, difference in c.differences.get(system, {}).items()}
        printed = [f"{mean:.4f}" for mean in own.values()]
        rows.append(
            [
                _Cell(value, len(means) > 1 and value == top, marks.get(measure, ""))
                for measure, value, top in zip(c.measures, printed, best, strict=True)
            ]
        )
    return rows


def _legend(c: Comparison, best: str, name: Callable[[str], str]) -> str:
    """What the marks mean, the test, the baseline, how many queries and comparisons."""
    queries = _count(len(c.queries), "query", "queries")
    said = [f"{queries}."]
    if c.baseline is not None and c.comparisons:
        made = _count(c.comparisons, "comparison", "comparisons")
        said = [
            f"† p < {SIGNIFICANT_BELOW} against {name(c.baseline)}: {_TEST_NAMES[c.test]}, "
            f"{queries}, Bonferroni's correction for {made}.",
            f"‡ Cohen's d above {SIZEABLE_ABOVE} in size.",
        ]
    if len(c.systems) > 1:
        said.append(f"{best}: the best of each measure.")
    return " ".join(said)


def _count(n: int, one: str, several: str) -> str:
    return f"{n:,} {one if n == 1 else several}"


def _line(text: str) -> str:
    """Without line breaks and control characters, which would end a row."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def _text_column(name: str, cells: Sequence[_Cell]) -> list[str]:
    """The name and the cells, values aligned on their last digit, marks behind them."""
    values = ["*" * cell.best + cell.value for cell in cells]
    width, marks = max(map(len, [name, *values])), max(len(cell.marks) for cell in cells)
    rows = [(name, ""), *((v, cell.marks) for v, cell in zip(values, cells, strict=True))]
    return [value.rjust(width) + own.ljust(marks) for value, own in rows]


def _code(text: str) -> str:
    """As Markdown code, whatever backticks it holds."""
    longest = max((len(ticks) for ticks in re.findall("`+", text)), default=0)
    fence, space = "`" * (longest + 1), " " if longest else ""
    return f"{fence}{space}{_line(text)}{space}{fence}"


def _tex(text: str) -> str:
    return _line(text).translate(_TEX)


def _tex_cell(cell: _Cell) -> str:
    value = rf"\textbf{{{cell.value}}}" if cell.best else cell.value
    return value + (rf"\textsuperscript{{{_tex(cell.marks)}}}" if cell.marks else "")


def _tex_row(cells: Iterable[str]) -> str:
    return " & ".join(cells) + r" \\"
