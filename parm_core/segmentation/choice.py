"""`auto`: which rule suits a text."""

from __future__ import annotations

import re

from parm_core.segmentation.draft import Draft
from parm_core.segmentation.furniture import without_furniture
from parm_core.segmentation.marks import BILINGUAL
from parm_core.segmentation.numbering import find_run
from parm_core.segmentation.sentences import sentence_starts
from parm_core.segmentation.units import Span, find_units

LEAST_COVERED = 0.5
"""Numbered paragraphs must span this share of the words …"""
LEAST_NUMBERED = 0.3
"""… and their first lines hold this share: footnotes and lists do not."""
ONE_BLOCK_WORDS = 160

_SUMMARY = re.compile(r"^\W{0,3}Summary\s*:", re.IGNORECASE | re.MULTILINE)
_CLAIM = re.compile(r"^[ \t]*\[\d{1,3}\]", re.MULTILINE)


def choose(text: str) -> str:
    """The rule for the text; the same text always gets the same."""
    if _is_coliee(text):
        return "coliee"
    draft = without_furniture(Draft(text))
    units = find_units(draft)
    if _is_numbered(draft, units):
        return "numbered"
    if len(units) > 1 or draft.words.count(0, len(text)) <= ONE_BLOCK_WORDS:
        return "lines"
    sentences = 1 + len(sentence_starts(draft.text))
    return "caselaw" if draft.words.count(0, len(text)) / sentences <= ONE_BLOCK_WORDS else "windows"


def _is_coliee(text: str) -> bool:
    if "FRAGMENT_SUPPRESSED" in text or BILINGUAL.search(text):
        return True
    return bool(_SUMMARY.search(text)) and len(_CLAIM.findall(text)) >= 3


def _is_numbered(draft: Draft, units: list[Span]) -> bool:
    starts = set(find_run(draft.text, units))
    if not starts:
        return False
    total = draft.words.count(0, len(draft.text))
    covered = draft.words.count(min(starts), len(draft.text))
    numbered = sum(draft.words.count(*unit) for unit in units if unit[0] in starts)
    return covered >= LEAST_COVERED * total and numbered >= LEAST_NUMBERED * total
