"""Where a judgment's opening ends: court, parties, docket, counsel, bench."""

from __future__ import annotations

import re
from collections.abc import Sequence

from parm_core.segmentation.draft import Draft
from parm_core.segmentation.sentences import ends_sentence
from parm_core.segmentation.units import Span, is_heading

_FORMAL = re.compile(
    r"\bon (?:the )?(?:joint |supplemental )?briefs?\b|\bwith whom\b|\bfor (?:the )?(?:appell|petition|"
    r"respond|defend|plaintiff|amic)|\battorneys?\b|\bcounsel\b|\bsolicitor"
    r"|^\W*(?:appeals? (?:from|by)|on (?:appeal|petition)|petition for|before\b|notice:|present:"
    r"|heard\b|decided\b|argued\b|submitted\b|judgment of|no\.|nos\.)",
    re.IGNORECASE,
)
_MOST_UNITS, _MOST_WORDS, _PROSE_WORDS = 80, 600, 25


def opening_length(draft: Draft, units: Sequence[Span]) -> int:
    """How many of the units come before the first prose; 0 if the text has no such opening."""
    for i, unit in enumerate(units[:_MOST_UNITS]):
        if draft.words.count(units[0][0], unit[0]) > _MOST_WORDS:
            return 0
        if _is_prose(draft, unit):
            return _without_headings(draft, units, i)
    return 0


def _is_prose(draft: Draft, unit: Span) -> bool:
    text = draft.text[slice(*unit)]
    words = draft.words.count(*unit)
    if words >= 3 * _PROSE_WORDS:
        return True
    return words >= _PROSE_WORDS and not _FORMAL.search(text) or _is_short_prose(text, words)


def _is_short_prose(text: str, words: int) -> bool:
    """A line of a dozen words or more that is a sentence and, but for names, lower-case."""
    if words < 12 or _FORMAL.search(text) or not ends_sentence(text):
        return False
    return sum(word[:1].islower() for word in text.split()) > 0.6 * words


def _without_headings(draft: Draft, units: Sequence[Span], length: int) -> int:
    while length > 0 and is_heading(draft.text[slice(*units[length - 1])]):
        if len(draft.text[slice(*units[length - 1])].split()) > 4:
            break
        length -= 1
    return length
