"""What every reader gathers: cases, labels, and what was wrong in them, counted and named."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from parm_core.errors import DataError
from parm_core.types import Case, Collection

NAMED = 3
"""How many of a kind of fault a note names; the others it counts."""
HIGHEST_GRADE = 2**31 - 1

EMPTY = "empty cases, left out"
TWICE = "cases whose id another has, left out"
UNREADABLE = "files that could not be read, left out"
UNKNOWN_QUERY = "labels for queries that the collection lacks, left out"
UNKNOWN_CASE = "labels for cases that the collection lacks, counted as not found"
REPEATED = "labels given twice"


class Faults:
    """What was passed over: each kind once, with its count and the places of the first three."""

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}
        self._places: dict[str, list[str]] = {}

    def add(self, kind: str, place: str) -> None:
        """One more of a kind. place: file, line and id, as far as there are any."""
        self._counts[kind] = self._counts.get(kind, 0) + 1
        if self._counts[kind] <= NAMED:
            self._places.setdefault(kind, []).append(" ".join(place.split()))

    def notes(self) -> tuple[str, ...]:
        """A line for each kind: "labels given twice: 4 (test.tsv, line 2: q1 c1; …; and 1 more)"."""
        return tuple(self._note(kind, count) for kind, count in self._counts.items())

    def _note(self, kind: str, count: int) -> str:
        more = [f"and {count - NAMED} more"] if count > NAMED else []
        return f"{kind}: {count} ({'; '.join([*self._places[kind], *more])})"


class CaseList:
    """Cases in the order they came. An empty one, or one whose id is taken, is noted and left out."""

    def __init__(self, faults: Faults) -> None:
        self._faults = faults
        self._cases: dict[str, Case] = {}

    def add(self, case: Case, where: str) -> None:
        """Take a case in. Raises DataError for an id that TREC files could not hold."""
        check_id(case.id, where)
        if not case.text.strip():
            self._faults.add(EMPTY, f"{where}: {case.id!r}")
        elif self._cases.setdefault(case.id, case) is not case:
            self._faults.add(TWICE, f"{where}: {case.id!r}")

    def get(self, case_id: str) -> Case | None:
        """The case of this id, if it was taken in."""
        return self._cases.get(case_id)

    def as_tuple(self) -> tuple[Case, ...]:
        """All of them."""
        return tuple(self._cases.values())


class Label(NamedTuple):
    """One judgement: query, case, grade, and where it stands: "test.tsv, line 2"."""

    query: str
    case: str
    grade: int
    where: str


class LabelFile(NamedTuple):
    """The labels of one file, which is one split."""

    split: str
    file: str
    labels: Sequence[Label]


def collect(
    root: Path,
    cases: Sequence[Case],
    queries: Sequence[Case],
    files: Iterable[LabelFile],
    faults: Faults,
) -> Collection:
    """The collection named after a folder. Raises DataError: no case, a file without a label, a grade twice.

    A split is one label file; where only one holds labels of known queries there are none.
    """
    if not cases:
        raise DataError(f"{root}: there is no case to read in it{_because(faults)}")
    known = {case.id for case in cases}, {query.id for query in queries}
    qrels: dict[str, dict[str, int]] = {}
    splits: dict[str, dict[str, None]] = {}
    for split, file, labels in files:
        if not labels:
            raise DataError(f"{file}: it holds no labels; fill or remove it")
        for label in labels:
            if _is_kept(label, *known, faults):
                file_label(qrels, label, faults)
                splits.setdefault(split, {})[label.query] = None
    parts = {split: tuple(ids) for split, ids in splits.items()} if len(splits) > 1 else {}
    return Collection(root.name, tuple(cases), tuple(queries), qrels, parts, faults.notes())


def file_label(qrels: dict[str, dict[str, int]], label: Label, faults: Faults) -> None:
    """Put a label into qrels. Raises DataError where the same pair has another grade."""
    graded = qrels.setdefault(label.query, {})
    if label.case not in graded:
        graded[label.case] = label.grade
    elif graded[label.case] == label.grade:
        faults.add(REPEATED, f"{label.where}: {label.query!r} {label.case!r}")
    else:
        raise DataError(
            f"{label.where}: {label.query!r} and {label.case!r} already have another grade, "
            f"{graded[label.case]}"
        )


def grade(value: Any) -> int:
    """A whole number, also as "1" or 1.0. Raises ValueError: anything else, or one past 31 bits."""
    if isinstance(value, str):
        value = float(value) if "." in value else int(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or abs(value) > HIGHEST_GRADE:
        raise ValueError(f"not a grade: {value!r}")
    return int(value)


def check_id(case_id: str, where: str) -> None:
    """Raises DataError for an id that is empty or holds white space or what is no Unicode text."""
    unwritable = case_id.encode("utf-8", "replace").decode("utf-8") != case_id
    if not case_id or unwritable or any(character.isspace() for character in case_id):
        raise DataError(f"{where}: the id {case_id!r} holds white space; TREC files forbid it")


def safe_id(name: str) -> str:
    """A file's name as an id: white space, and what is no Unicode text, become hyphens."""
    return "-".join(name.encode("utf-8", "replace").decode("utf-8").split())


def _is_kept(label: Label, cases: set[str], queries: set[str], faults: Faults) -> bool:
    if label.query not in queries:
        faults.add(UNKNOWN_QUERY, f"{label.where}: {label.query!r}")
        return False
    if label.case not in cases:
        faults.add(UNKNOWN_CASE, f"{label.where}: {label.query!r} {label.case!r}")
    return True


def _because(faults: Faults) -> str:
    return "".join(f"; {note}" for note in faults.notes())
