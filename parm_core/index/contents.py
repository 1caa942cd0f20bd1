"""What goes into an index: cases cut into paragraphs, each with a hash of what it was cut from."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from parm_core.errors import DataError
from parm_core.segmentation import SegmentOptions, check_text, segment_case
from parm_core.segmentation.boilerplate import without_boilerplate
from parm_core.types import Case, Paragraph, Progress


@dataclass(frozen=True)
class Contents:
    """Cases cut into paragraphs, by id descending; hashes: (C,) the SHA-256 of each."""

    name: str
    cases: tuple[Case, ...]
    hashes: tuple[str, ...]

    @property
    def sha256(self) -> str:
        """The collection's hash."""
        return _joined_sha256(self.hashes)

    @property
    def retrieved(self) -> list[list[str]]:
        """(C,) the texts of each case's retrieved paragraphs."""
        return [[p.text for p in case.paragraphs if p.retrieved] for case in self.cases]


def case_fields(case: Case) -> list[str | None]:
    """What a case is, as far as an index is concerned."""
    return [case.id, case.title, case.date, case.court, case.text]


def case_sha256(case: Case) -> str:
    """A hash of a case's id, title, date, court and text."""
    fields = json.dumps(case_fields(case), ensure_ascii=False)
    return hashlib.sha256(fields.encode("utf-8", "surrogatepass")).hexdigest()


def collection_sha256(cases: Sequence[Case]) -> str:
    """A hash of the cases' ids, titles, dates, courts and texts, whatever their order."""
    ordered = sorted(cases, key=lambda case: case.id, reverse=True)
    return _joined_sha256([case_sha256(case) for case in ordered])


def _joined_sha256(hashes: Sequence[str]) -> str:
    """SHA-256 over the hashes of cases, in hexadecimal, by case id descending."""
    return hashlib.sha256("".join(hashes).encode()).hexdigest()


def cut_contents(
    name: str,
    cases: Sequence[Case],
    options: SegmentOptions,
    progress: Progress | None = None,
    known: Callable[[str], Case | None] = lambda sha256: None,
) -> Contents:
    """Check and cut cases; known: hash -> the same case, cut before by the same options, or None.

    Raises DataError as `segment_cases` does.
    """
    hashed = {case.id: case_sha256(case) for case in cases}
    found = {case_id: known(sha256) for case_id, sha256 in hashed.items()}
    before = {case_id: case for case_id, case in found.items() if case}
    cut = segment_cases(cases, options, progress, before)
    return Contents(name, cut, tuple(hashed[case.id] for case in cut))


def segment_cases(
    cases: Sequence[Case],
    options: SegmentOptions,
    progress: Progress | None = None,
    known: Mapping[str, Case] | None = None,
) -> tuple[Case, ...]:
    """Cut every case into paragraphs, ordered by id descending.

    known: id -> the same case, cut before by the same options; it is taken as it is, but for what
    recurs across the collection, which is marked anew.
    Raises DataError naming the case: no usable text, no Unicode, an id that another case has too.
    """
    known = known or {}
    ordered = sorted(cases, key=lambda case: case.id, reverse=True)
    for case, after in pairwise(ordered):
        if case.id == after.id:
            raise DataError(f"two cases have the id {case.id!r}; give every case its own")
    checked = [known.get(case.id) or _checked(case) for case in ordered]
    cut = []
    for done, case in enumerate(checked, 1):
        cut.append(all_retrieved(case) if case.id in known else segment_case(case, options))
        if progress:
            progress(done, len(checked), "cases segmented")
    return without_boilerplate(cut)


def all_retrieved(case: Case) -> Case:
    """The case as it was cut, before anything that recurs was left out of retrieval."""
    if all(paragraph.retrieved for paragraph in case.paragraphs):
        return case
    paragraphs: list[Paragraph] = [replace(p, retrieved=True) for p in case.paragraphs]
    return replace(case, paragraphs=tuple(paragraphs))


def opening(paragraphs: Sequence[str], max_tokens: int) -> str:
    """A case's text as far as an encoder can read it; a word is a token or more."""
    words = " ".join(paragraphs).split(maxsplit=max_tokens)
    return " ".join(words[:max_tokens])


def _checked(case: Case) -> Case:
    try:
        text = check_text(case.text)
        "".join((case.id, case.title, case.date or "", case.court or "")).encode()
    except DataError as error:
        raise DataError(f"case {case.id!r}: {error}") from None
    except UnicodeEncodeError:
        raise DataError(
            f"case {case.id!r}: its id, title, date or court is no Unicode text"
        ) from None
    return Case(case.id, case.title, text, case.date, case.court)
