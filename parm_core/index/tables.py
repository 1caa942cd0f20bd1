"""The tables of an index as Arrow files: its cases, its paragraphs, and text that is only read."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from parm_core.index.contents import Contents
from parm_core.index.files import MappedFiles
from parm_core.types import Int64, Kind, Paragraph

CASES, PARAGRAPHS, UNRETRIEVED = "cases.arrow", "paragraphs.arrow", "unretrieved.arrow"

_CASE_TEXTS = ("id", "title", "date", "court")
_HASH = "sha256"


class Tables(NamedTuple):
    """The three tables of an index, as pyarrow has them, checked."""

    cases: Any
    paragraphs: Any
    unretrieved: Any


def write_tables(folder: Path, contents: Contents) -> None:
    """Write the three tables. Raises OSError."""
    import pyarrow as pa

    columns = {name: [getattr(case, name) for case in contents.cases] for name in _CASE_TEXTS}
    columns[_HASH] = list(contents.hashes)
    _write(folder / CASES, pa.table(columns, schema=_case_schema(hashed=True)))
    for name, wanted in ((PARAGRAPHS, True), (UNRETRIEVED, False)):
        held = [
            (c, position, paragraph)
            for c, case in enumerate(contents.cases)
            for position, paragraph in enumerate(case.paragraphs)
            if paragraph.retrieved == wanted
        ]
        _write(folder / name, _paragraph_table(held))


def read_tables(files: MappedFiles, case_starts: Int64, *, hashed: bool) -> Tables:
    """Read the three tables; hashed: whether cases.arrow holds each case's hash (format 2).

    Raises IndexStoreError naming a table that is damaged, or does not fit the others.
    """
    cases = _read(files, CASES, _case_schema(hashed=hashed))
    paragraphs = _read(files, PARAGRAPHS, _paragraph_schema())
    unretrieved = _read(files, UNRETRIEVED, _paragraph_schema())
    tables = Tables(cases, paragraphs, unretrieved)
    _check_cases(files, cases, len(case_starts) - 1)
    _check_paragraphs(files, tables, case_starts)
    return tables


def _case_schema(*, hashed: bool) -> Any:
    import pyarrow as pa

    texts = [(name, pa.large_string()) for name in _CASE_TEXTS]
    return pa.schema([*texts, (_HASH, pa.large_string())] if hashed else texts)


def _paragraph_schema() -> Any:
    import pyarrow as pa

    types = {"kind": pa.string(), "text": pa.large_string()}
    names = ("case", "position", "kind", "start", "end", "text")
    return pa.schema([(name, types.get(name, pa.int64())) for name in names])


def _paragraph_table(held: Sequence[tuple[int, int, Paragraph]]) -> Any:
    import pyarrow as pa

    paragraphs = [paragraph for _, _, paragraph in held]
    columns = {
        "case": [c for c, _, _ in held],
        "position": [position for _, position, _ in held],
        "kind": [str(p.kind) for p in paragraphs],
        "start": [p.start for p in paragraphs],
        "end": [p.end for p in paragraphs],
        "text": [p.text for p in paragraphs],
    }
    return pa.table(columns, schema=_paragraph_schema())


def _write(path: Path, table: Any) -> None:
    import pyarrow as pa

    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)


def _read(files: MappedFiles, name: str, schema: Any) -> Any:
    import pyarrow as pa

    try:
        source = pa.BufferReader(pa.py_buffer(files.of(name)))
        table = pa.ipc.open_file(source).read_all()
        if table.schema == schema:
            table.validate()
            # The texts are most of an index: only where each begins is checked, not every letter.
            table.select([c for c in schema.names if c != "text"]).validate(full=True)
            table = table.combine_chunks()
    except (pa.ArrowException, OSError, ValueError) as error:
        raise files.damaged(name, f"cannot be read ({error})") from error
    if table.schema != schema:
        raise files.damaged(name, "has other columns than expected")
    if "text" in schema.names and not all(map(_offsets_fit, table["text"].chunks)):
        raise files.damaged(name, "holds texts that overlap")
    return table


def _offsets_fit(texts: Any) -> bool:
    """Whether each text of a large_string array begins where the one before it ends, within its buffer."""
    _, offsets, letters = texts.buffers()
    if not len(texts):
        return True
    if texts.null_count or offsets is None:
        return False
    ends = np.frombuffer(offsets, np.int64, len(texts) + 1, 8 * texts.offset)
    held = letters.size if letters else 0
    return bool(ends[0] >= 0 and ends[-1] <= held and (np.diff(ends) >= 0).all())


def _check_cases(files: MappedFiles, cases: Any, n: int) -> None:
    if len(cases) != n:
        raise files.damaged(CASES, f"holds {len(cases)} cases, expected {n}")
    filled = [name for name in cases.column_names if name not in ("date", "court")]
    if any(cases[name].null_count for name in filled):
        raise files.damaged(CASES, "holds a case without an id, a title or a hash")
    if not all(before > after for before, after in pairwise(cases["id"].to_pylist())):
        raise files.damaged(CASES, "holds ids out of order")


def _check_paragraphs(files: MappedFiles, tables: Tables, case_starts: Int64) -> None:
    """Rows belong to the case that `case_starts` says; each case's positions are 0, 1, 2, …"""
    kinds, n = {str(kind) for kind in Kind}, len(case_starts) - 1
    for name, table in ((PARAGRAPHS, tables.paragraphs), (UNRETRIEVED, tables.unretrieved)):
        if any(table[column].null_count for column in table.column_names):
            raise files.damaged(name, "lacks a value")
        if not set(table["kind"].unique().to_pylist()) <= kinds:
            raise files.damaged(name, "holds a kind of paragraph that is not known")
    owners = tables.paragraphs["case"].to_numpy()
    if not np.array_equal(owners, np.repeat(np.arange(n), np.diff(case_starts))):
        raise files.damaged(PARAGRAPHS, "does not fit case_starts.npy")
    others = tables.unretrieved["case"].to_numpy()
    if others.size and ((np.diff(others) < 0).any() or others[0] < 0 or others[-1] >= n):
        raise files.damaged(UNRETRIEVED, "holds cases out of order")
    places = [table["position"].to_numpy() for table in tables[1:]]
    if not _number(np.concatenate([owners, others]), np.concatenate(places)):
        raise files.damaged(PARAGRAPHS, f"and {UNRETRIEVED} number a case's paragraphs wrongly")


def _number(owners: Int64, places: Int64) -> bool:
    """Whether the places of each owner are 0, 1, 2, … in some order."""
    order = np.lexsort((places, owners))
    _, firsts, sizes = np.unique(owners[order], return_index=True, return_counts=True)
    return np.array_equal(places[order], np.arange(owners.size) - np.repeat(firsts, sizes))
