"""`auto`: which rule suits a text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from parm_core.segmentation.draft import Draft
from parm_core.segmentation.marks import BILINGUAL
from parm_core.segmentation.numbering import LEAST_RUN
from parm_core.segmentation.outline import Outline
from parm_core.segmentation.units import Span

LEAST_COVERED = 0.5
"""Numbered paragraphs must span this share of the words …"""
LEAST_NUMBERED = 0.3
MOST_WORDS_A_NUMBER = 350
"""… their first lines hold this share of them, or a number come this often: lists do not …"""
MOST_BROKEN = 0.15
"""… and at most this share of them may break into a sentence, as footnotes do …"""
SURELY_COVERED = 0.9
"""… unless they begin at once, which footnotes seldom do."""
ONE_BLOCK_WORDS = 160

_SUMMARY = re.compile(r"^\W{0,3}Summary\s*:", re.IGNORECASE | re.MULTILINE)
_CLAIM = re.compile(r"^[ \t]*\[\d{1,3}\]", re.MULTILINE)


def choose(outline: Outline) -> str:
    """The rule for a text that is not COLIEE's; the same text always gets the same."""
    if _is_numbered(outline):
        return "numbered"
    draft = outline.draft
    total = draft.words.count(0, len(draft.text))
    if len(outline.units) > 1 or total <= ONE_BLOCK_WORDS:
        return "lines"
    words_a_sentence = total / (1 + len(draft.sentences))
    return "caselaw" if words_a_sentence <= ONE_BLOCK_WORDS else "windows"


def is_coliee(text: str) -> bool:
    """Whether the text bears COLIEE's marks: suppressed citations, a bilingual note, a headnote."""
    if "FRAGMENT_SUPPRESSED" in text or BILINGUAL.search(text):
        return True
    return bool(_SUMMARY.search(text)) and len(_CLAIM.findall(text)) >= LEAST_RUN


def _is_numbered(outline: Outline) -> bool:
    draft, units, starts = outline.draft, outline.units, set(outline.numbers)
    if not starts:
        return False
    total = draft.words.count(0, len(draft.text))
    covered = draft.words.count(min(starts), len(draft.text))
    numbered = sum(draft.words.count(*unit) for unit in units if unit[0] in starts)
    if covered < LEAST_COVERED * total:
        return bool(_SUMMARY.search(draft.text, 0, min(starts)))
    if covered >= SURELY_COVERED * total and numbered >= LEAST_NUMBERED * total:
        return True
    often = covered <= MOST_WORDS_A_NUMBER * len(starts) or numbered >= LEAST_NUMBERED * total
    return often and not _are_footnotes(draft, units, starts)


def _are_footnotes(draft: Draft, units: Sequence[Span], starts: set[int]) -> bool:
    before = (draft.text[slice(*left)] for left, right in pairwise(units) if right[0] in starts)
    broken = sum(_is_cut_off(line) for line in before)
    return broken > MOST_BROKEN * len(starts)


def _is_cut_off(line: str) -> bool:
    """A long line that stops on a word."""
    return len(line) >= 60 and line[-1].isalnum() and not line[-1].isdigit()
