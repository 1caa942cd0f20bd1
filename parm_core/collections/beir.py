"""BEIR's layout: a folder with corpus.jsonl, queries.jsonl and qrels/*.tsv, plain or gzip.

A corpus line holds `_id`, `text` and optionally `title`, `date`, `court`. Layout: Thakur et al.,
BEIR, NeurIPS 2021. MTEB's variant, Muennighoff et al., EACL 2023, writes `id` for `_id` and
qrels/*.jsonl with `query-id`, `corpus-id`, `score`.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from parm_core.collections.gathering import Faults, Label, LabelFile, check_id, collect, grade
from parm_core.collections.sources import find, read_lines, read_records, stem
from parm_core.errors import DataError
from parm_core.types import Case, Collection

QRELS = ("query-id", "corpus-id", "score")
"""What MTEB calls a label's fields."""


def looks_like(folder: Path) -> bool:
    """Whether there is a corpus.jsonl, plain or gzip."""
    return find(folder, "corpus.jsonl") is not None


def read(folder: Path) -> Collection:
    """Read a folder in BEIR's layout, named after the folder; each qrels file is a split.

    Raises DataError naming file and line: broken JSON, a missing field, an empty text, an id seen
    before, a pair with two grades, a qrels file without labels; or naming the folder where there
    is no corpus in it.
    """
    corpus, queries = find(folder, "corpus.jsonl"), find(folder, "queries.jsonl")
    if corpus is None:
        raise DataError(
            f"no corpus.jsonl or corpus.jsonl.gz in {folder}; a collection in BEIR's layout has one"
        )
    cases = tuple(_read_cases(corpus))
    if not cases:
        raise DataError(f"{folder}: the corpus is empty; put one case a line into corpus.jsonl")
    asked = tuple(_read_cases(queries)) if queries else ()
    faults = Faults()
    files = [
        LabelFile(split, path.name, list(_labels(path)))
        for split, path in _qrels_files(folder / "qrels", faults).items()
    ]
    return collect(folder, cases, asked, files, faults)


def read_cases(path: Path | str) -> tuple[Case, ...]:
    """Read one JSONL file of cases, e.g. a file of queries. Raises DataError as `read` does."""
    if not Path(path).is_file():
        raise DataError(f"no file {path}")
    return tuple(_read_cases(Path(path)))


def _read_cases(path: Path) -> Iterator[Case]:
    seen: dict[str, str] = {}
    for where, record in read_records(path):
        case = _case(record, where)
        if case.id in seen:
            raise DataError(
                f"{where}: the id {case.id!r} was already used in {seen[case.id]}; "
                "give every case its own"
            )
        seen[case.id] = where.removeprefix(f"{path.name}, ")
        yield case


def _case(record: dict[str, Any], where: str) -> Case:
    identifier, text = record.get("_id", record.get("id")), record.get("text")
    if not isinstance(identifier, str) or not identifier.strip():
        raise DataError(f'{where}: "_id" is missing or not a string')
    check_id(identifier, where)
    if not isinstance(text, str):
        raise DataError(f'{where}: case {identifier!r} has no "text"')
    if not text.strip():
        raise DataError(f"{where}: case {identifier!r} is empty; remove it or give it its text")
    title, date, court = (_optional(record, name) for name in ("title", "date", "court"))
    return Case(id=identifier, title=title or "", text=text, date=date, court=court)


def _optional(record: dict[str, Any], name: str) -> str | None:
    value = record.get(name)
    return _clean(str(value)) if value not in (None, "") else None


def _clean(text: str) -> str:
    """Without lone surrogates, which JSON can hold and no file can."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _qrels_files(folder: Path, faults: Faults) -> dict[str, Path]:
    """Split -> its file; where the same split is there as .tsv and .jsonl, the first is read."""
    found: dict[str, Path] = {}
    for pattern in ("*.tsv", "*.tsv.gz", "*.jsonl", "*.jsonl.gz"):
        for path in sorted(folder.glob(pattern)):
            if found.setdefault(stem(path), path) != path:
                faults.add("qrels files of a split that another file holds, left out", path.name)
    return dict(sorted(found.items()))


def _labels(path: Path) -> Iterator[Label]:
    rows = _rows if ".tsv" in path.name else _record_rows
    for where, row in rows(path):
        try:
            yield Label(row[0], row[1], grade(row[2]), where)
        except (IndexError, ValueError):
            raise DataError(
                f"{where}: expected query id, case id and a whole number, tab-separated; got {row}"
            ) from None


def _rows(path: Path) -> Iterator[tuple[str, list[str]]]:
    """(where, fields) of each line but the header and blank ones."""
    reader = csv.reader((line.text for line in read_lines(path)), delimiter="\t")
    try:
        for row in reader:
            if row and not (reader.line_num == 1 and row[-1] == "score"):
                yield f"{path.name}, line {reader.line_num}", row
    except csv.Error as error:
        raise DataError(f"{path.name} is not tab-separated text: {error}") from None


def _record_rows(path: Path) -> Iterator[tuple[str, list[Any]]]:
    for where, record in read_records(path):
        values = [record.get(name) for name in QRELS]
        if not isinstance(values[0], str) or not isinstance(values[1], str):
            raise DataError(f'{where}: "query-id" or "corpus-id" is missing or not a string')
        yield where, values
