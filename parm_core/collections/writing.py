"""Writing a collection in BEIR's layout."""

from __future__ import annotations

import csv
import json
import re
import shutil
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from parm_core.collections.beir import QRELS
from parm_core.collections.gathering import check_id
from parm_core.errors import DataError
from parm_core.types import Case, Collection, Qrels

_SPLIT = re.compile(r"\w[\w.-]*", re.ASCII)


def write_beir(collection: Collection, folder: Path | str) -> Path:
    """Write corpus.jsonl, queries.jsonl and qrels/SPLIT.tsv, "test" where there are no splits.

    Written beside, then renamed into place: `load_collection` gives the same collection back, but
    for name and notes. Raises DataError: the folder holds something, an id with white space, a
    split whose name is no file name, a folder that cannot be written.
    """
    target = Path(folder).expanduser().resolve()
    check_target(target)
    labels = _by_split(collection)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        draft = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.parent))
    except OSError as error:
        raise DataError(f"cannot write {target}: {error.strerror}") from error
    try:
        _write(collection, labels, draft)
        draft.chmod(0o755)
        if target.is_dir():
            target.rmdir()
        draft.rename(target)
    except OSError as error:
        raise DataError(f"cannot write {target}: {error.strerror}") from error
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return target


def check_target(folder: Path) -> None:
    """Raises DataError where a folder, or a file in its place, holds something."""
    if folder.exists() and not (folder.is_dir() and not any(folder.iterdir())):
        raise DataError(f"{folder} is there and not empty; choose another place for the collection")


def _by_split(collection: Collection) -> dict[str, Qrels]:
    """Split -> its queries' labels. Labels of queries that no split has would be lost: an error."""
    if not collection.splits:
        return {"test": collection.qrels} if collection.qrels else {}
    lost = set(collection.qrels).difference(*collection.splits.values())
    if lost:
        raise DataError(f"the labelled query {min(lost)!r} is in no split; put it into one")
    for split in collection.splits:
        if not _SPLIT.fullmatch(split):
            raise DataError(
                f"the split {split!r} cannot be a file's name; call it train, dev, test"
            )
    parts = {
        split: {query: collection.qrels[query] for query in queries if query in collection.qrels}
        for split, queries in collection.splits.items()
    }
    return {split: qrels for split, qrels in parts.items() if qrels}


def _write(collection: Collection, labels: Mapping[str, Qrels], draft: Path) -> None:
    _write_cases(draft / "corpus.jsonl", collection.cases)
    if collection.queries:
        _write_cases(draft / "queries.jsonl", collection.queries)
    for split, qrels in labels.items():
        (draft / "qrels").mkdir(exist_ok=True)
        _write_labels(draft / "qrels" / f"{split}.tsv", qrels)


def _write_cases(path: Path, cases: Iterable[Case]) -> None:
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for case in cases:
            check_id(case.id, f"case {case.id!r}")
            fields = {"_id": case.id, "title": case.title, "text": case.text}
            dated = fields | {"date": case.date, "court": case.court}
            file.write(_json_line({name: value for name, value in dated.items() if value}) + "\n")


def _json_line(fields: Mapping[str, str]) -> str:
    """As it reads; escaped where a text holds what no file can (lone surrogates)."""
    line = json.dumps(fields, ensure_ascii=False)
    readable = line.encode("utf-8", "replace").decode("utf-8") == line
    return line if readable else json.dumps(fields)


def _write_labels(path: Path, qrels: Qrels) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, delimiter="\t", lineterminator="\n")
        rows.writerow(QRELS)
        for query, grades in qrels.items():
            for case, grade in grades.items():
                check_id(case, f"label of {query!r}")
                rows.writerow((query, case, grade))
