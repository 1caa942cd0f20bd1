"""Reading collections, one file a format, and writing them in BEIR's layout."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from parm_core.collections import (
    beir,
    caselaw,
    coliee,
    coliee_entailment,
    hub,
    ir_datasets_ids,
    parquet,
    regir,
    text_files,
)
from parm_core.collections.writing import write_beir
from parm_core.errors import ConfigError, DataError
from parm_core.types import Collection

__all__ = ["FORMATS", "load_collection", "write_beir"]


class Format(NamedTuple):
    """A format: whether a folder looks like it, how it is read, and by what it is known."""

    looks_like: Callable[[Path], bool]
    read: Callable[[Path], Collection]
    known_by: str


FORMATS = {
    "regir": Format(regir.looks_like, regir.read, "corpus.jsonl with document_id"),
    "beir": Format(beir.looks_like, beir.read, "corpus.jsonl"),
    "parquet": Format(parquet.looks_like, parquet.read, "corpus/*.parquet"),
    "coliee-task2": Format(
        coliee_entailment.looks_like, coliee_entailment.read, "*/entailed_fragment.txt"
    ),
    "coliee-task1": Format(coliee.looks_like, coliee.read, "*.txt beside *labels*.json"),
    "caselaw": Format(caselaw.looks_like, caselaw.read, "topic/*.json with qrel*.txt"),
    "text": Format(text_files.looks_like, text_files.read, "*.txt, *.md, *.pdf, *.docx"),
}
"""By name, in the order in which a folder is asked."""


def load_collection(source: Path | str, *, format: str = "", download: bool = False) -> Collection:
    """Read a collection: a folder in any of FORMATS, told by looking at it, or an id.

    source: a folder; a hub's id, `mteb/AILA_casedocs`; or `ir_datasets:ID`, an optional extra.
    format: a name in FORMATS, where looking is not enough.
    download: whether an id may be fetched from the internet; else only what was fetched before.
    Faults that were passed over stand in the collection's notes.
    Raises ConfigError for an unknown format; DataError, in one line, where there is no collection
    or what is there cannot be used (each reader says what).
    """
    if format and format not in FORMATS:
        raise ConfigError(f"unknown format {format!r}; one of {', '.join(FORMATS)}")
    name, folder = str(source), Path(source).expanduser()
    if folder.is_dir():
        return _read(folder.resolve(), format)
    if ir_datasets_ids.is_ir_datasets_id(name):
        return ir_datasets_ids.read(name, download=download)
    if hub.is_hub_id(name) and not folder.exists():
        found = _read(hub.snapshot(name, download=download), format)
        return replace(found, name=name.partition("/")[2])
    raise DataError(
        f"{name} is no folder; a collection is one, or an id such as mteb/AILA_casedocs"
    )


def _read(folder: Path, name: str) -> Collection:
    try:
        chosen = FORMATS.get(name) or next(
            (known for known in FORMATS.values() if known.looks_like(folder)), None
        )
        if chosen:
            return chosen.read(folder)
    except OSError as error:
        raise DataError(f"cannot read {folder}: {error.strerror}") from None
    sought = "; ".join(f"{known.known_by} ({name})" for name, known in FORMATS.items())
    raise DataError(
        f"no collection in {folder}: no corpus.jsonl or corpus.jsonl.gz, nor anything else that is "
        f"looked for: {sought}"
    )
