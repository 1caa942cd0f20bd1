"""BEIR's layout: a folder with corpus.jsonl, queries.jsonl and qrels/*.tsv, plain or gzip.

A corpus line holds `_id`, `text` and optionally `title`, `date`, `court`. Layout: Thakur et al.,
BEIR, NeurIPS 2021.
"""

from __future__ import annotations

import csv
import gzip
import json
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO

from parm_core.errors import DataError
from parm_core.types import Case, Collection


def load_beir(folder: Path | str) -> Collection:
    """Read a folder in BEIR's layout, named after the folder.

    Raises DataError naming file and line: broken JSON, a missing field, an empty text, an id seen
    before, labels for unknown ids; or naming the folder where there is no corpus in it.
    """
    root = Path(folder).expanduser().resolve()
    cases = tuple(_read_cases(_one_of(root, "corpus")))
    if not cases:
        raise DataError(f"{root}: the corpus is empty; put one case a line into corpus.jsonl")
    queries = tuple(_read_cases(_one_of(root, "queries"))) if _has(root, "queries") else ()
    known = {case.id for case in cases}, {query.id for query in queries}
    return Collection(root.name, cases, queries, _read_qrels(root / "qrels", *known))


def _has(root: Path, stem: str) -> bool:
    return any((root / f"{stem}.jsonl{ending}").is_file() for ending in ("", ".gz"))


def _one_of(root: Path, stem: str) -> Path:
    for ending in ("", ".gz"):
        path = root / f"{stem}.jsonl{ending}"
        if path.is_file():
            return path
    raise DataError(
        f"no {stem}.jsonl or {stem}.jsonl.gz in {root}; "
        "a collection is a folder in BEIR's layout (README, “Your own collection”)"
    )


def _open(path: Path) -> TextIO:
    if path.suffix == ".gz":
        return gzip.open(path, "rt", encoding="utf-8")
    return path.open(encoding="utf-8")


def _read_cases(path: Path) -> Iterator[Case]:
    seen: dict[str, int] = {}
    for number, record in _records(path):
        case = _case(record, f"{path.name}, line {number}")
        if case.id in seen:
            raise DataError(
                f"{path.name}, line {number}: the id {case.id!r} was already used in line "
                f"{seen[case.id]}; give every case its own"
            )
        seen[case.id] = number
        yield case


def read_cases(path: Path | str) -> tuple[Case, ...]:
    """Read one JSONL file of cases, e.g. a file of queries. Raises DataError as `load_beir` does."""
    if not Path(path).is_file():
        raise DataError(f"no file {path}")
    return tuple(_read_cases(Path(path)))


def _records(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    try:
        with _open(path) as lines:
            for number, line in enumerate(lines, 1):
                if line.strip():
                    yield number, _record(line, f"{path.name}, line {number}")
    except UnicodeDecodeError as error:
        raise DataError(f"{path.name} is not UTF-8 ({error.reason}); convert it first") from None
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise DataError(f"{path.name} is not a whole gzip file: {error}") from None


def _record(line: str, where: str) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise DataError(f"{where}: not valid JSON ({error})") from None
    if not isinstance(record, dict):
        raise DataError(f"{where}: expected a JSON object, got {type(record).__name__}")
    return record


def _case(record: dict[str, Any], where: str) -> Case:
    identifier, text = record.get("_id"), record.get("text")
    if not isinstance(identifier, str) or not identifier.strip():
        raise DataError(f'{where}: "_id" is missing or not a string')
    if any(character.isspace() for character in identifier) or identifier != _clean(identifier):
        raise DataError(
            f'{where}: the "_id" {identifier!r} holds white space; TREC files forbid it'
        )
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


def _read_qrels(folder: Path, cases: set[str], queries: set[str]) -> dict[str, dict[str, int]]:
    qrels: dict[str, dict[str, int]] = {}
    for path in sorted(folder.glob("*.tsv")):
        for where, row in _rows(path):
            query, case, grade = _label(row, where, cases, queries)
            if qrels.setdefault(query, {}).setdefault(case, grade) != grade:
                raise DataError(f"{where}: {query!r} and {case!r} already have another grade")
    return qrels


def _rows(path: Path) -> Iterator[tuple[str, list[str]]]:
    """(where, fields) of each line but the header and blank ones."""
    try:
        with path.open(encoding="utf-8", newline="") as lines:
            for number, row in enumerate(csv.reader(lines, delimiter="\t"), 1):
                if row and not (number == 1 and row[-1] == "score"):
                    yield f"{path.name}, line {number}", row
    except UnicodeDecodeError as error:
        raise DataError(f"{path.name} is not UTF-8 ({error.reason}); convert it first") from None
    except csv.Error as error:
        raise DataError(f"{path.name} is not tab-separated text: {error}") from None


def _label(row: list[str], where: str, cases: set[str], queries: set[str]) -> tuple[str, str, int]:
    try:
        query, case, grade = row[0], row[1], int(row[2])
    except (IndexError, ValueError):
        raise DataError(
            f"{where}: expected query id, case id and a whole number, tab-separated; got {row}"
        ) from None
    if query not in queries:
        raise DataError(f"{where}: no query has the id {query!r}")
    if case not in cases:
        raise DataError(f"{where}: no case has the id {case!r}")
    return query, case, grade
