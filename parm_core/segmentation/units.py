"""Units: the logical lines of a text, hard-wrapped ones joined, as spans."""

from __future__ import annotations

import re
from itertools import pairwise
from statistics import median

from parm_core.segmentation.draft import Draft
from parm_core.segmentation.furniture import lines
from parm_core.segmentation.sentences import ends_sentence

Span = tuple[int, int]

_MARKER = re.compile(
    r"(?:\d{1,3}\s?[.)]|\[\d{1,4}\]|\((?:\d{1,3}|[a-z]|[ivxlc]{1,6})\)|[\u00b6\u2022\u25cf\u2023*])\s"
    r"|[-\u2013\u2014]\s|Summary\s*:"
)
_ENUMERATOR = re.compile(r"(?:[IVXLC]{1,6}|[A-Z]|\d{1,3})\s*[.):]?|[([](?:[IVXLC]+|\w)[)\]]")
_NUMBERED_TITLE = re.compile(r"(?:[IVXLC]{1,6}|[A-Z]|\d{1,2})\s*[.):]\s+\S")
_HANGING = re.compile(
    r"(?:\b(?:the|of|to|a|an|in|and|or|that|was|were|is|are|be|as|by|for|with|from|at|on|his|her|its"
    r"|our|their|this|which|who|not|has|had|have|vs?\.|U\.S\.|no\.|\u00a7)|,)$",
    re.IGNORECASE,
)
_VOLUME = re.compile(r"\b\d{1,4}$")
_REPORTER = re.compile(r"(?:U\.\s?S\.|F\.|S\.\s?Ct|L\.\s?Ed|[A-Z]\.[A-Z]?\.?\s?\d?d)")
_WRAP_LEAST, _WRAP_MOST = 40, 130
_HEADING_MOST_WORDS = 14


def find_units(draft: Draft) -> list[Span]:
    """The text's logical lines in order: each a paragraph, a heading or a stray of its own."""
    spans = list(lines(draft.text))
    width = _wrap_width(draft.text, spans)
    units: list[Span] = []
    last: Span | None = None
    for span in spans:
        if last and _continues(draft.text, last, span, width):
            units[-1] = (units[-1][0], span[1])
        else:
            units.append(span)
        last = span
    return units


def is_enumerator(line: str) -> bool:
    """A number, a letter or a Roman numeral and nothing else: `[1]`, `A.`, `IV`."""
    return _ENUMERATOR.fullmatch(line.strip()) is not None


def is_heading(line: str) -> bool:
    """`BACKGROUND`, `II. DISCUSSION`, `A.`, `B. The Warning Labels`; not a sentence."""
    words = line.split()
    if not words or len(words) > _HEADING_MOST_WORDS:
        return False
    if is_enumerator(line):
        return True
    if line.isupper() and not line.rstrip().endswith((",", ";")):
        return True
    return _is_title(words, line) and not ends_sentence(line)


def _is_title(words: list[str], line: str) -> bool:
    if line.rstrip()[-1] in ".,;:?!":
        return False
    if _NUMBERED_TITLE.match(line):
        return True
    long_words = [word for word in words if len(word) > 4]
    return bool(long_words) and all(word.lstrip("\"'([\u201c")[:1].isupper() for word in long_words)


def _wrap_width(text: str, spans: list[Span]) -> int:
    """The line length that the text was wrapped at, or 0: its lines are paragraphs."""
    if len(spans) < 4:
        return 0
    lengths = [end - start for start, end in spans]
    long_lines = [length for length in lengths if length >= _WRAP_LEAST]
    if not long_lines or median(long_lines) > _WRAP_MOST or max(lengths) > 4 * _WRAP_MOST:
        return 0
    runs_on = sum(_runs_on(text, left, right) for left, right in pairwise(spans))
    full = len(long_lines)
    width = sorted(lengths)[int(0.9 * (len(lengths) - 1))]
    return width if runs_on >= 0.25 * full else 0


def _runs_on(text: str, left: Span, right: Span) -> bool:
    return (
        left[1] - left[0] >= _WRAP_LEAST
        and text[right[0]].islower()
        and text[left[1] - 1] not in ".?!:;"
    )


def _continues(text: str, left: Span, right: Span, width: int) -> bool:
    """Whether the line at `right` goes on with the paragraph that the line at `left` is in."""
    gap = text[left[1] : right[0]].count("\n")
    if _MARKER.match(text, right[0]):
        return False
    line = text[left[0] : left[1]]
    if len(line) >= 25 and _hangs(line, text, right[0]):
        return True
    if not width or gap > 1:
        return False
    return not _closes_paragraph(text, left, right, width)


def _hangs(line: str, text: str, following: int) -> bool:
    """Whether a line stops short of its sentence, and what follows takes it up."""
    if text[following].islower():
        return line[-1] not in '.?!:;"\u201d'
    if is_heading(line):
        return False
    if _VOLUME.search(line[-6:]):
        return _REPORTER.match(text, following) is not None
    return len(line) >= 60 and _HANGING.search(line[-10:]) is not None


def _closes_paragraph(text: str, left: Span, right: Span, width: int) -> bool:
    line, following = text[left[0] : left[1]], text[right[0] : right[1]]
    if is_heading(line) or (is_heading(following) and len(following) < 0.8 * width):
        return True
    if _indent(text, right[0]) >= _indent(text, left[0]) + 2:
        return len(line) < 0.95 * width
    first_word = len(following.split(maxsplit=1)[0])
    if len(line) + 1 + first_word > 0.85 * width:
        return False
    return ends_sentence(line) or len(line) < 0.5 * width


def _indent(text: str, start: int) -> int:
    left = text.rfind("\n", max(0, start - 80), start) + 1
    return start - max(left, start - 80)
