"""TREC's runs and qrels, plain or gzip, as trec_eval reads them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from parm_core.collections.gathering import Faults, Label, file_label, grade
from parm_core.collections.sources import Line, read_lines
from parm_core.errors import DataError
from parm_core.types import Qrels, Ranking, Run

UNSORTED = "lines with a higher score than the line before, put in order"
AGAIN = "cases ranked twice for a query, the higher score kept"
_HIGHEST = float(np.finfo(np.float32).max)


def read_run(path: Path | str) -> tuple[Run, tuple[str, ...]]:
    """Read a run: query, Q0, case, rank, score, tag a line -> (run, notes on what was passed over).

    Cases are ordered as trec_eval orders them, by score as float32, then id, both descending; the
    file's order and ranks count for nothing. Raises DataError naming line and ids: another number
    of fields, a score that is no finite float32; or naming the file, where it is empty.
    """
    path = Path(path)
    faults = Faults()
    scores: dict[str, dict[str, float]] = {}
    before: dict[str, float] = {}
    for line in _lines(path):
        query, case, score = _scored(line)
        if score > before.setdefault(query, score):
            faults.add(UNSORTED, f"{line.where}: {query!r} {case!r}")
        before[query] = score
        ranked = scores.setdefault(query, {})
        if case in ranked:
            faults.add(AGAIN, f"{line.where}: {query!r} {case!r}")
        ranked[case] = max(score, ranked.get(case, score))
    if not scores:
        raise DataError(f"{path.name}: it holds no ranking")
    return {query: _ranking(ranked) for query, ranked in scores.items()}, faults.notes()


def read_qrels(path: Path | str) -> tuple[Qrels, tuple[str, ...]]:
    """Read labels -> (qrels, notes): query, 0, case, grade a line, or BEIR's query, case, grade.

    Raises DataError naming the line: another number of fields, a grade that is no whole number, a
    pair with two grades; or naming the file, where it holds no label.
    """
    faults = Faults()
    qrels: dict[str, dict[str, int]] = {}
    for label in read_labels(Path(path)):
        file_label(qrels, label, faults)
    if not qrels:
        raise DataError(f"{Path(path).name}: it holds no labels")
    return qrels, faults.notes()


def read_labels(path: Path) -> Iterator[Label]:
    """The labels of a file as they come. Raises DataError as `read_qrels`."""
    for number, line in enumerate(_lines(path)):
        fields = line.text.split()
        if len(fields) == 4:
            fields.pop(1)
        elif number == 0 and fields[-1] == "score":
            continue
        if len(fields) != 3:
            raise DataError(
                f"{line.where}: expected query, 0, case, grade or query, case, grade; "
                f"got {len(fields)} fields"
            )
        yield _label(fields, line.where)


def _label(fields: list[str], where: str) -> Label:
    query, case, value = fields
    try:
        return Label(query, case, grade(value), where)
    except ValueError:
        raise DataError(
            f"{where}: the grade of {query!r} {case!r} is no whole number: {value[:40]!r}"
        ) from None


def _lines(path: Path) -> Iterator[Line]:
    return (line for line in read_lines(path) if line.text.strip())


def _scored(line: Line) -> tuple[str, str, float]:
    """(query, case, score as float32 holds it)."""
    fields = line.text.split()
    if len(fields) != 6:
        raise DataError(
            f"{line.where}: expected query, Q0, case, rank, score, tag; got {len(fields)} fields"
        )
    query, _, case, _, text, _ = fields
    try:
        score = float(text)
    except ValueError:
        score = math.nan
    if not abs(score) <= _HIGHEST:
        raise DataError(
            f"{line.where}: the score of {query!r} {case!r} is no number: {text[:40]!r}"
        )
    return query, case, float(np.float32(score))


def _ranking(scores: dict[str, float]) -> Ranking:
    ordered = sorted(scores.items(), key=lambda scored: (scored[1], scored[0]), reverse=True)
    values = np.array([score for _, score in ordered], dtype=np.float32)
    return Ranking(tuple(case for case, _ in ordered), values)
