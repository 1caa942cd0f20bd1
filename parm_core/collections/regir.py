"""REG-IR, EU2UK and UK2EU: laws as queries, the laws that transpose them as cases.

corpus.jsonl and train.jsonl, dev.jsonl, test.jsonl, plain or gzip, hold `document_id`, `text`,
`publication_year` and, for queries, `relevant_documents`, a list of ids. Chalkidis et al., EACL 2021.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from parm_core.collections.gathering import CaseList, Faults, Label, LabelFile, collect
from parm_core.collections.sources import beginning, find, read_array_or_records
from parm_core.errors import DataError
from parm_core.types import Case, Collection

SPLITS = ("train", "dev", "test")


def looks_like(folder: Path) -> bool:
    """Whether the corpus names its documents as REG-IR does."""
    corpus = find(folder, "corpus.jsonl")
    if corpus is None:
        return False
    try:
        return '"document_id"' in beginning(corpus)
    except DataError:
        return False


def read(folder: Path) -> Collection:
    """Read it, named after the folder. Years become dates, "YYYY"; every relevant document has grade 1.

    A file may also hold one JSON array, a text a list of strings. Empty documents and ids that come
    twice are noted and left out. Raises DataError naming file and line: broken JSON, no
    `document_id` or `text`, `relevant_documents` not a list of ids, a split without labels.
    """
    corpus = find(folder, "corpus.jsonl")
    if corpus is None:
        raise DataError(f"no corpus.jsonl or corpus.jsonl.gz in {folder}; REG-IR has one")
    faults = Faults()
    cases, queries = CaseList(faults), CaseList(faults)
    for where, record in read_array_or_records(corpus):
        cases.add(_case(record, where), where)
    files = []
    for split in SPLITS:
        if path := find(folder, f"{split}.jsonl"):
            labels: list[Label] = []
            for where, record in read_array_or_records(path):
                query = _case(record, where)
                queries.add(query, where)
                labels += _labels(query.id, record, where)
            files.append(LabelFile(split, path.name, labels))
    return collect(folder, cases.as_tuple(), queries.as_tuple(), files, faults)


def _case(record: dict[str, Any], where: str) -> Case:
    identifier, text = record.get("document_id"), record.get("text")
    if not isinstance(identifier, str) or not identifier.strip():
        raise DataError(f'{where}: "document_id" is missing or not a string')
    if isinstance(text, list) and all(isinstance(part, str) for part in text):
        text = "\n".join(text)
    if not isinstance(text, str):
        raise DataError(f'{where}: document {identifier!r} has no "text"')
    year = record.get("publication_year")
    date = str(year).strip() if isinstance(year, int | str) else ""
    return Case(identifier, "", text, date or None)


def _labels(query: str, record: dict[str, Any], where: str) -> Iterator[Label]:
    relevant = record.get("relevant_documents", [])
    if not isinstance(relevant, list) or not all(isinstance(case, str) for case in relevant):
        raise DataError(f'{where}: "relevant_documents" of {query!r} is not a list of ids')
    return (Label(query, case, 1, where) for case in relevant)
