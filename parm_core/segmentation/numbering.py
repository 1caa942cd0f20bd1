"""Paragraph numbers: which of the numbers at line starts number the paragraphs."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

Span = tuple[int, int]

_NOT_TEXT = r"(?!\s*(?:[A-Z]\.\s?(?:\d|[A-Z]\.)|[a-z]|\d|U\.S\.|S\.\s?Ct|L\.\s?Ed))"
_STYLES = {
    "dot": re.compile(rf"(\d{{1,3}})\s?\.(?=\s|[^\W\d_]|[\"'(\[\u201c\u2018]|$){_NOT_TEXT}"),
    "bracket": re.compile(r"\[\s?(\d{1,4})\s?\]"),
    "closing": re.compile(r"(\d{1,3})\)(?=\s)"),
    "round": re.compile(r"\((\d{1,3})\)(?=\s)"),
    "pilcrow": re.compile(r"(?:\u00b6|para(?:graph)?\.?)\s?(\d{1,4})\b(?![.,]\d)", re.IGNORECASE),
}
_MOST_SKIPPED = 2
_RESTART_COST = 2.5
_LATE_START_COST = 1.5
LEAST_RUN = 3


class Number(NamedTuple):
    """A number at the start of a unit."""

    start: int
    value: int
    in_list: bool


@dataclass
class _Link:
    number: Number
    score: float
    previous: int | None


def find_run(text: str, units: Iterable[Span]) -> list[int]:
    """Where the numbered paragraphs begin: the best rising run of one style; [] if there is none.

    A run may skip a number or two, may start late (an excerpt) and may start again at 1 (an
    appendix, a second opinion), but not inside a list that a colon or a semicolon announces.
    """
    spans = list(units)
    runs = [_best_run(list(_numbers(text, spans, style))) for style in _STYLES.values()]
    best = max(runs, key=len)
    return best if len(best) >= LEAST_RUN else []


def _numbers(text: str, units: list[Span], style: re.Pattern[str]) -> Iterable[Number]:
    for position, (start, end) in enumerate(units):
        match = style.match(text, start, end)
        if match:
            before = text[units[position - 1][1] - 1] if position else ""
            yield Number(start, int(match[1]), before in (":", ";", ","))


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
        (1.0 - (_LATE_START_COST if number.value > LEAST_RUN else 0.0), None)
    ]
    for skipped in range(_MOST_SKIPPED + 1):
        before = latest.get(number.value - 1 - skipped)
        if before is not None:
            options.append((links[before].score + 1.0 - 0.3 * skipped, before))
    if best is not None and number.value == 1 and not number.in_list:
        options.append((links[best].score + 1.0 - _RESTART_COST, best))
    score, previous = max(options, key=lambda option: option[0])
    return _Link(number, score, previous)


def _walk_back(links: list[_Link], at: int | None) -> list[int]:
    starts = []
    while at is not None:
        starts.append(links[at].number.start)
        at = links[at].previous
    return starts[::-1]
