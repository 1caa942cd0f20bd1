"""COLIEE's label files, which both case law tasks share: `{"query.txt": ["case.txt", …]}`."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from parm_core.collections.gathering import Faults, Label, LabelFile, safe_id
from parm_core.collections.sources import read_json
from parm_core.errors import DataError

NOT_THESE = "label files that name no query of this folder, left out"
_SPLIT = re.compile(r"train|dev|val|test")

CaseId = Callable[[str, str], str]
"""case_id(query, name in the file) -> the case's id."""


class _Content(NamedTuple):
    """What a label file says: (query, cases) as often as it names the query."""

    named: list[tuple[str, list[str]]]
    has_labels: bool


def label_paths(root: Path) -> list[Path]:
    """The label files in a folder or, where there is none, above it; the folder's own if named so.

    `task1_test_labels_2021.json` is the own one of `task1_test_files_2021`.
    """
    inside = sorted(root.glob("*labels*.json"))
    if inside:
        return inside
    above = sorted(root.parent.glob("*labels*.json"))
    own = [path for path in above if path.stem.replace("labels", "files") == root.name]
    return own or above


def read_labels(
    paths: Sequence[Path], queries: set[str], case_id: CaseId, faults: Faults
) -> tuple[list[LabelFile], list[str]]:
    """(label files, the queries they name that are in `queries`). Every label has grade 1.

    A list of names instead of an object names queries that have no labels. A file that names none
    of the queries is noted and left out, as another year's or task's beside it is. Raises
    DataError naming the file: not JSON, or of another shape.
    """
    files: list[LabelFile] = []
    asked: dict[str, None] = {}
    for path in paths:
        named, has_labels = _read(path)
        here = [query for query, _ in named if query in queries]
        if named and not here:
            faults.add(NOT_THESE, path.name)
            continue
        asked |= dict.fromkeys(here)
        if has_labels:
            pairs = ((query, case) for query, cases in named for case in cases)
            labels = [Label(query, case_id(query, case), 1, path.name) for query, case in pairs]
            files.append(LabelFile(path.stem, path.name, labels))
    return _short_splits(files), list(asked)


def _read(path: Path) -> _Content:
    content = read_json(path, pairs=True)
    if isinstance(content, list) and _are_names(content):
        return _Content([(_stem(name), []) for name in content], has_labels=False)
    if not isinstance(content, tuple):
        raise DataError(f'{path.name}: expected {{"query.txt": ["case.txt", …]}}')
    return _Content([_entry(query, cases, path) for query, cases in content], has_labels=True)


def _entry(query: str, cases: Any, path: Path) -> tuple[str, list[str]]:
    """One query's labels; older files write them as one string, "013.txt, 014.txt"."""
    names = cases.split(",") if isinstance(cases, str) else cases
    if not _are_names([query]) or not _are_names(names):
        raise DataError(f"{path.name}: the labels of {query!r} are not a list of file names")
    return _stem(query), [_stem(name) for name in names]


def _are_names(names: Any) -> bool:
    return isinstance(names, list) and all(isinstance(n, str) and n.strip() for n in names)


def _stem(name: str) -> str:
    return safe_id(name.strip().removesuffix(".txt"))


def _short_splits(files: Sequence[LabelFile]) -> list[LabelFile]:
    """With "train", "dev" or "test" as split, where that tells the files apart."""
    found = [_SPLIT.search(file.split) for file in files]
    names = [match[0].replace("val", "dev") for match in found if match]
    if len(set(names)) < len(files):
        return list(files)
    return [file._replace(split=name) for file, name in zip(files, names, strict=True)]
