"""Paragraph numbers: which of the numbers at line starts number the paragraphs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import NamedTuple

from parm_core.segmentation.units import Span, is_enumerator, is_heading

_NOT_TEXT = r"(?!\s*(?:(?:[A-Z]\.\s?){1,3}\d|[a-z]|\d|U\.\s?S\.|S\.\s?Ct|L\.\s?Ed))"
_STYLES = {
    "dot": re.compile(rf"(\d{{1,3}})\s?\.(?=\s|[^\W\d_]|[\"'(\[\u201c\u2018]|$){_NOT_TEXT}"),
    "bracket": re.compile(r"\[\s?(\d{1,4})\s?\]"),
    "closing": re.compile(r"(\d{1,3})\)(?=\s)"),
    "round": re.compile(r"\((\d{1,3})\)(?=\s)"),
    "pilcrow": re.compile(r"(?:\u00b6|para(?:graph)?\.?)\s?(\d{1,4})\b(?![.,]\d)", re.IGNORECASE),
}
_MOST_SKIPPED = 9
_SKIP_COST = 0.1
_RESTART_COST = 2.5
_LATE_START_COST = 1.5
LEAST_RUN = 3
DOUBT = 0.3
MOST_QUOTED = 12
QUOTES = "\"\u201c\u201d\u2018\u2019'"


class Number(NamedTuple):
    """A number at the start of a unit; it weighs less where a list or a quotation may hold it."""

    start: int
    value: int
    weight: float


@dataclass
class _Link:
    number: Number
    score: float
    previous: int | None


def find_run(text: str, units: Sequence[Span]) -> list[int]:
    """Where the numbered paragraphs begin: the best rising run of one style; [] if there is none.

    A run may skip a few numbers, may start late (an excerpt) and may start again at 1 (an
    appendix, a second opinion), but not inside a list that a colon or a semicolon announces.
    """
    doubtful = _doubtful(text, units)
    runs = [_best_run(list(_numbers(text, units, doubtful, style))) for style in _STYLES.values()]
    long_enough = [run for run in runs if len(run) >= LEAST_RUN]
    return max(long_enough, key=lambda run: _extent(units, run), default=[])


def _extent(spans: Sequence[Span], run: list[int]) -> float:
    """How much of the text the run spans, times the square root of how often it divides it."""
    return (spans[-1][1] - run[0]) * sqrt(len(run))


def _numbers(
    text: str, units: Sequence[Span], doubtful: set[int], style: re.Pattern[str]
) -> Iterator[Number]:
    for start, end in units:
        match = style.match(text, start, end)
        if match and not _heads(text[start : min(end, start + 200)]):
            yield Number(start, int(match[1]), DOUBT if start in doubtful else 1.0)


def _heads(line: str) -> bool:
    """`1. Standard of Review` numbers a section, not a paragraph."""
    return is_heading(line) and not is_enumerator(line)


def _doubtful(text: str, units: Sequence[Span]) -> set[int]:
    """Starts of units that a colon or semicolon leads to, or that an open quotation holds."""
    doubtful: set[int] = set()
    quoted = 0
    for position, (start, end) in enumerate(units):
        before = text[units[position - 1][1] - 1] if position else ""
        if quoted or before in (":", ";", ","):
            doubtful.add(start)
        quoted = _still_quoted(text[start], text[end - 1], quoted)
    return doubtful


def _still_quoted(first: str, last: str, quoted: int) -> int:
    """For how many units more a quotation may stay open."""
    if last in QUOTES:
        return 0
    return MOST_QUOTED if first in QUOTES else max(0, quoted - 1)


def _best_run(numbers: list[Number]) -> list[int]:
    links: list[_Link] = []
    latest: dict[int, int] = {}
    best: int | None = None
    for number in numbers:
        links.append(_link(number, links, latest, best))
        here = len(links) - 1
        held = latest.get(number.value)
        if held is None or links[here].score >= links[held].score:
            latest[number.value] = here
        if best is None or links[here].score > links[best].score:
            best = here
    return _walk_back(links, best)


def _link(number: Number, links: list[_Link], latest: dict[int, int], best: int | None) -> _Link:
    options: list[tuple[float, int | None]] = [
        (number.weight - (_LATE_START_COST if number.value > LEAST_RUN else 0.0), None)
    ]
    for skipped in range(_MOST_SKIPPED + 1):
        before = latest.get(number.value - 1 - skipped)
        if before is not None:
            options.append((links[before].score + number.weight - _SKIP_COST * skipped, before))
    if best is not None and number.value == 1 and number.weight == 1:
        options.append((links[best].score + 1.0 - _RESTART_COST, best))
    score, previous = max(options, key=lambda option: option[0])
    return _Link(number, score, previous)


def _walk_back(links: list[_Link], at: int | None) -> list[int]:
    starts = []
    while at is not None:
        starts.append(links[at].number.start)
        at = links[at].previous
    return starts[::-1]
