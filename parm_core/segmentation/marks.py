"""COLIEE's marks: suppressed citations, editors' notes and the French version, all dropped."""

from __future__ import annotations

import re
from collections.abc import Iterator

from parm_core.segmentation.draft import Draft
from parm_core.segmentation.furniture import lines
from parm_core.segmentation.options import Dropped
from parm_core.segmentation.words import word_set

SUPPRESSED = re.compile(r"[<\[]?\b[A-Z]+_SUPPRESSED\b[>\]]?")
BILINGUAL = re.compile(
    r"\[?[ \t]{0,5}(?:(?:English|French) language version (?:follows|precedes)[^\n\]]{0,80}"
    r"|La version (?:anglaise|fran[\u00e7c]aise)[^\n\]]{0,80})\]?",
    re.IGNORECASE,
)
_EDITORIAL = re.compile(r"(?:\[End of document\]|Editors?:[^\n]{0,120})[ \t]*(?=\n|\Z)", re.I)
_WORD = re.compile(r"[^\W\d_]+")
_FRENCH = word_set(
    """le la les des du de et est une un que qui dans pour par sur pas au aux ce cette ces se sont
    il elle ne en avec ou son sa ses leur l d qu n s a été être demande juge cour fédérale
    appel loi motifs jugement ordonnance contrôle judiciaire"""
)
_ENGLISH = word_set(
    """the of to and in that is for was be by not on it as this with which or from an at are were
    has have had court judge application appeal federal act applicant review decision no"""
)


def without_marks(draft: Draft) -> Draft:
    """The draft without suppressed citations, bilingual markers, and French if so marked."""
    text = draft.text
    bilingual = [Dropped(*m.span(), "bilingual marker") for m in BILINGUAL.finditer(text)]
    slim = draft.drop(_apart([*_found(text), *bilingual]))
    if not bilingual:
        return slim
    return slim.drop(list(_french_lines(slim.text)))


def _found(text: str) -> Iterator[Dropped]:
    for match in SUPPRESSED.finditer(text):
        yield Dropped(*match.span(), "suppressed citation")
    for match in _EDITORIAL.finditer(text):
        yield Dropped(*match.span(), "editor's note")


def _apart(spans: list[Dropped]) -> list[Dropped]:
    """The spans in order, those that overlap an earlier one left out."""
    kept: list[Dropped] = []
    for span in sorted(spans, key=lambda span: (span.start, -span.end)):
        if not kept or span.start >= kept[-1].end:
            kept.append(span)
    return kept


def _french_lines(text: str) -> Iterator[Dropped]:
    """Lines in French; a line too short to tell is as the one before it, a number as the next."""
    spans = list(lines(text))
    french: list[bool | None] = [_is_french(text[a:b]) for a, b in spans]
    for i in range(len(french) - 1, -1, -1):
        if french[i] is None and not _WORD.search(text, *spans[i]) and i + 1 < len(french):
            french[i] = french[i + 1]
    last = False
    for span, verdict in zip(spans, french, strict=True):
        last = last if verdict is None else verdict
        if last:
            yield Dropped(*span, "French version")


def _is_french(line: str) -> bool | None:
    words = [word.casefold() for word in _WORD.findall(line)]
    french = sum(word in _FRENCH for word in words)
    english = sum(word in _ENGLISH for word in words)
    if max(french, english) < 2 or french == english:
        return None
    return french > english
