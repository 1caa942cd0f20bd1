"""Collections by their `ir_datasets` id: `ir_datasets:clinicaltrials/2017`. An optional extra.

MacAvaney et al., SIGIR 2021.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from parm_core.collections.gathering import CaseList, Faults, Label, LabelFile, collect, grade
from parm_core.errors import DataError
from parm_core.types import Case, Collection

PREFIX = "ir_datasets:"


def is_ir_datasets_id(source: str) -> bool:
    """Whether a source is written `ir_datasets:ID`."""
    return source.startswith(PREFIX)


def read(source: str, *, download: bool) -> Collection:
    """Read the data set of an id, named as the id with hyphens for slashes.

    download: has to be True, since ir_datasets fetches what is not on this machine without asking.
    Raises DataError: not allowed to fetch, ir_datasets not installed, an unknown id, data that
    cannot be fetched, no cases.
    """
    name = source.removeprefix(PREFIX)
    if not download:
        raise DataError(
            f"{source} may have to be fetched; do so while online (parm import {source} FOLDER)"
        )
    if find_spec("ir_datasets") is None:
        raise DataError(
            f"{source} needs ir_datasets: pip install 'parm-explorer[ir-datasets]', or add "
            "ir-datasets to what is installed here"
        )
    try:
        return from_dataset(import_module("ir_datasets").load(name), name)
    except DataError:
        raise
    except KeyError:
        raise DataError(f"ir_datasets knows no {name!r}; see ir-datasets.com") from None
    except Exception as error:  # fetching fails in as many ways as there are data sets
        reason = (str(error).splitlines() or [""])[0]
        raise DataError(f"{source} could not be read: {type(error).__name__} {reason}") from error


def from_dataset(dataset: Any, name: str) -> Collection:
    """The collection of an object with docs_iter and, if it has them, queries_iter and qrels_iter.

    Text is `default_text()` or, where there is none, `text`. Empty documents and ids that come
    twice are noted and left out. Raises DataError: no documents, an id with white space.
    """
    faults = Faults()
    cases = _cases(dataset.docs_iter(), "doc_id", faults)
    queries = _cases(_iterate(dataset, "queries_iter"), "query_id", faults)
    labels = list(_labels(_iterate(dataset, "qrels_iter")))
    files = [LabelFile("test", name, labels)] if labels else []
    return collect(Path(name.replace("/", "-")), cases, queries, files, faults)


def _iterate(dataset: Any, method: str) -> Iterable[Any]:
    return getattr(dataset, method)() if hasattr(dataset, method) else ()


def _cases(records: Iterable[Any], id_field: str, faults: Faults) -> tuple[Case, ...]:
    cases = CaseList(faults)
    for record in records:
        text = record.default_text() if hasattr(record, "default_text") else record.text
        title = getattr(record, "title", None)
        case = Case(str(getattr(record, id_field)), str(title or ""), str(text or ""))
        cases.add(case, id_field)
    return cases.as_tuple()


def _labels(records: Iterable[Any]) -> Iterator[Label]:
    for number, record in enumerate(records, 1):
        yield Label(
            str(record.query_id), str(record.doc_id), grade(record.relevance), f"label {number}"
        )
