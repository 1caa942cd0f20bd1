"""Where a judgment's opening ends: court, parties, docket, counsel, bench."""

from __future__ import annotations

import re
from collections.abc import Sequence

from parm_core.segmentation.draft import Draft
from parm_core.segmentation.sentences import ends_sentence
from parm_core.segmentation.units import Span

_FORMAL = re.compile(
    r"\bon (?:the )?(?:joint |supplemental )?briefs?\b|\bwith whom\b|\battorneys?\b|\bcounsel\b"
    r"|\bsolicitor|\bfor (?:the )?(?:appell|petition|respond|defend|plaintiff|amic)"
    r"|^\W*(?:appeals? (?:from|by)|on (?:appeal|petition)|petition for|before\b|notice:|present:"
    r"|(?:civil|criminal) appeal|appeal \(|the (?:judgment|order) of the court"
    r"|heard\b|decided\b|argued\b|submitted\b|judgment of|no\.|nos\.)",
    re.IGNORECASE,
)
_HEADING = re.compile(
    r"[IVXLC]{1,5}[.)]?|[A-Z1-9][.)]|(?:[IVXLC1-9A-Z]{1,4}[.)] )?(?:(?:factual |procedural |the )?"
    r"(?:background|facts|introduction|overview|discussion|judge?ment|order|opinion|history)\.?:?)",
    re.IGNORECASE,
)
_MOST_UNITS, _MOST_WORDS, _PROSE_WORDS, _MOST_READ = 80, 600, 25, 2_000


def opening_length(draft: Draft, units: Sequence[Span]) -> int:
    """How many of the units come before the first prose; 0 if the text has no such opening."""
    for i, unit in enumerate(units[:_MOST_UNITS]):
        if draft.words.count(units[0][0], unit[0]) > _MOST_WORDS:
            return 0
        if _is_prose(draft, unit):
            return _without_headings(draft, units, i)
    return 0


def _is_prose(draft: Draft, unit: Span) -> bool:
    """A sentence or more, lower-case but for names, with little of counsel and court in it."""
    text = draft.text[slice(*unit)][:_MOST_READ]
    words = len(text.split())
    formal = sum(1 for _ in _FORMAL.finditer(text))
    lower = sum(word[:1].islower() for word in text.split()) / max(1, words)
    if words >= _PROSE_WORDS:
        return formal * 40 < words and (lower > 0.5 or words >= 3 * _PROSE_WORDS)
    return words >= 12 and not formal and lower > 0.6 and ends_sentence(text)


def _without_headings(draft: Draft, units: Sequence[Span], length: int) -> int:
    """The length less the headings at its end, which head the prose."""
    while length > 0 and _HEADING.fullmatch(draft.text[slice(*units[length - 1])]):
        length -= 1
    return length
