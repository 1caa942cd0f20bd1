"""What a page carries besides its text: page numbers, running heads, rules, broken words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from parm_core.segmentation.draft import REJOINED, Draft
from parm_core.segmentation.options import Dropped
from parm_core.segmentation.words import word_set

_LINE = re.compile(r"[^\n\r\v\f\x85\u2028\u2029]+")
_MARKS = re.compile(r"[\s!-/:-@\[-`{-~\u2010-\u2027\u2030-\u205e\u2500-\u257f\u00b7\u00a6]+")
_PAGE = re.compile(
    r"[-\u2013\u2014~*|\s]*(?:\[\s*)?(?:page|pg\.?|p\.)\s*(?:no\.?\s*)?\d{1,4}"
    r"(?:\s*(?:of|/)\s*\d{1,4})?[-\u2013\u2014~*|\]\s]*"
    r"|\d{1,4}\s*(?:of|/)\s*\d{1,4}|[-\u2013\u2014~*|]\s*\d{1,4}\s*[-\u2013\u2014~*|]|\d{1,3}",
    re.IGNORECASE,
)
_STAMP = re.compile(
    r"case:?\s+(?:no\.?\s*)?\d[\w:.-]*.{0,60}\b(?:document|doc|page|entry)\b:?\s*#?\d.{0,100}",
    re.IGNORECASE,
)
_BROKEN = re.compile(
    r"(?<![^\W\d_])(?P<head>[^\W\d_]{2,40})(?P<break>[-\u2010]\n[ \t]{0,80})"
    r"(?=(?P<tail>[^\W\d_]{2,40}))"
)
_HYPHENATED = re.compile(r"(?<![^\W\d_])[^\W\d_]{2,40}-[^\W\d_]{2,40}")
_KEEP_HYPHEN = word_set(
    "self non well ill ex quasi cross anti pre post co semi multi all half so long short"
)
_RUNNING_MOST_CHARACTERS = 90


def lines(text: str) -> Iterator[tuple[int, int]]:
    """Spans of the lines that hold more than white space, without that at their ends."""
    for match in _LINE.finditer(text):
        line = match.group()
        stripped = line.strip()
        if stripped:
            start = match.start() + len(line) - len(line.lstrip())
            yield start, start + len(stripped)


def without_furniture(draft: Draft) -> Draft:
    """The draft with page furniture and punctuation-only lines dropped, broken words rejoined."""
    spans = list(lines(draft.text))
    found = [Dropped(*span, reason) for span in spans if (reason := _reason(draft.text, *span))]
    gone = {drop.start: drop.reason for drop in found}
    found += [Dropped(*span, "running head") for span in _running_heads(draft.text, spans, gone)]
    slim = draft.drop(found)
    return slim.drop(list(_broken_words(slim.text)))


def _reason(text: str, start: int, end: int) -> str:
    line = text[start : min(end, start + 210)]
    if _MARKS.fullmatch(line) and end - start <= 210:
        return "punctuation only"
    if _PAGE.fullmatch(line) or _STAMP.fullmatch(line):
        return "page furniture"
    return ""


def _running_heads(
    text: str, spans: list[tuple[int, int]], gone: dict[int, str]
) -> Iterator[tuple[int, int]]:
    """Short lines that come back beside page numbers."""
    beside = {
        spans[j]
        for i, span in enumerate(spans)
        if gone.get(span[0]) == "page furniture"
        for j in (i - 1, i + 1)
        if 0 <= j < len(spans) and spans[j][0] not in gone
    }
    near = [s for s in sorted(beside) if s[1] - s[0] <= _RUNNING_MOST_CHARACTERS]
    counts = Counter(text[a:b].casefold() for a, b in near)
    return (span for span in near if counts[text[slice(*span)].casefold()] >= 2)


def _broken_words(text: str) -> Iterator[Dropped]:
    """The hyphen and break in `juris-\\ndiction`; the break alone where the hyphen belongs."""
    hyphenated = set(_HYPHENATED.findall(text))
    for match in _BROKEN.finditer(text):
        head, tail = match["head"], match["tail"]
        keeps = head.casefold() in _KEEP_HYPHEN or tail[0].isupper()
        keeps = keeps or f"{head}-{tail}" in hyphenated
        yield Dropped(match.start("break") + keeps, match.end("break"), REJOINED)
