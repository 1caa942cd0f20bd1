"""Text that recurs across a collection: kept to be read, left out of retrieval."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from parm_core.types import Case, Kind, Paragraph

LEAST_CASES = 3
LEAST_SHARE = 0.001

_MARKS = re.compile(r"[\W\d_]+")
_FRONT = (Kind.INTRO, Kind.SUMMARY)


def without_boilerplate(cases: Sequence[Case]) -> tuple[Case, ...]:
    """The cases, introductions and summaries that recur in several of them not retrieved.

    Two are the same if they differ in digits, punctuation and capitals alone. A case of nothing
    else keeps them, since it could not be found at all.
    """
    counts = Counter(key for case in cases for key in {_key(p) for p in _front(case)})
    least = max(LEAST_CASES, LEAST_SHARE * len(cases))
    recurring = {key for key, n in counts.items() if n >= least}
    return tuple(_mark(case, recurring) for case in cases)


def _front(case: Case) -> list[Paragraph]:
    return [paragraph for paragraph in case.paragraphs if paragraph.kind in _FRONT]


def _key(paragraph: Paragraph) -> str:
    return _MARKS.sub(" ", paragraph.text).strip().casefold()


def _mark(case: Case, recurring: set[str]) -> Case:
    out = {p for p in _front(case) if _key(p) in recurring}
    if not out or len(out) == len(case.paragraphs):
        return case
    marked = (replace(p, retrieved=False) if p in out else p for p in case.paragraphs)
    return replace(case, paragraphs=tuple(marked))
