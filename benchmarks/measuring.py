"""A row of the table: what this product takes, held against another way in the same run."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from parm_core.index.parallel import n_cores

Way = Callable[[], object]


@dataclass(frozen=True, kw_only=True)
class Row:
    """own and other: wall seconds, or megabytes. bar: the least that `ratio` must be, if any."""

    what: str
    paragraphs: int
    own: float
    against: str
    other: float
    bar: float | None = None
    unit: str = "s"
    note: str = ""

    @property
    def ratio(self) -> float:
        """How many times the other way takes what this product takes."""
        return self.other / self.own

    def as_dict(self) -> dict[str, Any]:
        return asdict(self) | {"ratio": self.ratio}


def least(ways: Mapping[str, Way], rounds: int = 5) -> dict[str, float]:
    """Least wall seconds of each way over some rounds.

    The ways take turns, so that whatever else the machine does falls on all alike. Each runs twice
    in a turn and the second counts: threads of the way before may still spin during the first.
    """
    spent = dict.fromkeys(ways, float("inf"))
    for _ in range(rounds):
        for name, way in ways.items():
            way()
            spent[name] = min(spent[name], once(way))
    return spent


def once(way: Way) -> float:
    """Wall seconds of a single run, for what is slow."""
    start = time.perf_counter()
    way()
    return time.perf_counter() - start


def growth(what: str, n: int, whole: Way, tenth: Way) -> Row:
    """A search of n paragraphs against ten times that of a tenth of them, in turns."""
    spent = least({"whole": whole, "tenth": tenth})
    return Row(
        what=f"growth, {what}",
        paragraphs=n,
        own=spent["whole"],
        against=f"ten times that at {n // 10:,}",
        other=10 * spent["tenth"],
        bar=10 / 11 if n == 1_000_000 else None,
    )


def machine() -> dict[str, Any]:
    """What the figures were measured on, and how busy it was."""
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")
    versions = {"python": platform.python_version(), "numpy": np.__version__}
    return {"cores": n_cores(), "load": round(load, 2), **versions}


def table(rows: Sequence[Row]) -> str:
    """The rows as text: times in milliseconds, and whether a bar is reached."""
    lines = [("what", "paragraphs", "this product", "against", "", "times as fast", "bar", "note")]
    for row in rows:
        bar = "" if row.bar is None else f"{row.bar:.3g} {'yes' if row.ratio >= row.bar else 'NO'}"
        size = f"{row.paragraphs:,}"
        own, other = (_amount(value, row.unit) for value in (row.own, row.other))
        ratio = f"{row.ratio:,.3g}" if row.ratio < 1000 else f"{row.ratio:,.0f}"
        lines.append((row.what, size, own, row.against, other, ratio, bar, row.note))
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(_line(cells, widths) for cells in lines)


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    """Numbers to the right, words to the left."""
    numbers = {1, 2, 4, 5}
    padded = [
        cell.rjust(width) if i in numbers else cell.ljust(width)
        for i, (cell, width) in enumerate(zip(cells, widths, strict=True))
    ]
    return "  ".join(padded).rstrip()


def _amount(value: float, unit: str) -> str:
    return f"{1000 * value:,.1f} ms" if unit == "s" else f"{value:,.0f} {unit}"
