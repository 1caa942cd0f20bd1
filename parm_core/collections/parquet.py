"""MTEB's layout in Parquet: corpus/*.parquet, queries/*.parquet, and labels in one more folder.

Cases and queries have the columns `_id` (or `id`), `text`, `title`; labels `query-id`,
`corpus-id`, `score`. Labels lie in qrels/, data/ or default/. Muennighoff et al., EACL 2023.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from parm_core.collections.beir import QRELS
from parm_core.collections.gathering import CaseList, Faults, Label, LabelFile, collect, grade
from parm_core.errors import DataError
from parm_core.types import Case, Collection

LABEL_FOLDERS = ("qrels", "data", "default")
_ROWS = 1000
_PART = re.compile(r"-\d+-of-\d+$")


def looks_like(folder: Path) -> bool:
    """Whether there is a corpus in Parquet."""
    return any((folder / "corpus").glob("*.parquet"))


def read(folder: Path) -> Collection:
    """Read it, named after the folder; the files of one name, parts apart, are one split.

    Empty cases and ids that come twice are noted and left out. Raises DataError naming file and
    row: not Parquet, a column missing, an id with white space, a pair with two grades, a labels
    file without labels.
    """
    faults = Faults()
    cases, queries = (_read_cases(folder / name, faults) for name in ("corpus", "queries"))
    files = [
        LabelFile(_PART.sub("", path.stem), path.name, list(_labels(path)))
        for path in _label_files(folder)
    ]
    return collect(folder, cases, queries, files, faults)


def _read_cases(folder: Path, faults: Faults) -> tuple[Case, ...]:
    cases = CaseList(faults)
    for path in sorted(folder.glob("*.parquet")):
        for where, (identifier, text, title) in _rows(path, ("_id|id", "text", "title?")):
            cases.add(Case(str(identifier), str(title or ""), str(text or "")), where)
    return cases.as_tuple()


def _label_files(folder: Path) -> list[Path]:
    found = (sorted((folder / name).glob("*.parquet")) for name in LABEL_FOLDERS)
    return next((paths for paths in found if paths), [])


def _labels(path: Path) -> Iterator[Label]:
    for where, (query, case, value) in _rows(path, QRELS):
        try:
            yield Label(str(query), str(case), grade(value), where)
        except ValueError:
            raise DataError(f"{where}: expected a whole number as score, got {value!r}") from None


def _rows(path: Path, wanted: Sequence[str]) -> Iterator[tuple[str, list[Any]]]:
    """(where, values of the wanted columns) of each row, read in batches.

    wanted: "a|b" is either; "a?" may be missing, its values are then None.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as file:
            columns = [_column(name, file.schema_arrow.names, path) for name in wanted]
            there = [column for column in columns if column]
            number = 0
            for batch in file.iter_batches(batch_size=_ROWS, columns=there):
                for row in batch.to_pylist():
                    number += 1
                    yield f"{path.name}, row {number}", [row.get(column) for column in columns]
    except (pa.ArrowException, OSError) as error:
        reason = str(error).split("\n", 1)[0]
        raise DataError(f"{path.name} could not be read as Parquet: {reason}") from None


def _column(wanted: str, names: Sequence[str], path: Path) -> str:
    choices = wanted.removesuffix("?").split("|")
    found = next((choice for choice in choices if choice in names), "")
    if not found and not wanted.endswith("?"):
        raise DataError(
            f"{path.name}: no column {' or '.join(map(repr, choices))}; it has {list(names)}"
        )
    return found
