"""CaseLaw: US Supreme Court opinions in CourtListener's JSON, topics, and TREC qrels.

Locke and Zuccon, SIGIR 2018; Locke, Zuccon and Scells, AIRS 2017. A folder holds `topic/` (or
`topics/`) with a JSON file a topic, `qrel*.txt`, and the opinions, a JSON file each, anywhere in it.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from parm_core.collections.gathering import UNREADABLE, CaseList, Faults, LabelFile, collect
from parm_core.collections.html_text import html_text
from parm_core.collections.sources import parse_json, read_text
from parm_core.collections.trec import read_labels
from parm_core.errors import DataError
from parm_core.types import Case, Collection

NO_OPINION = "JSON files that hold no text, left out"
TOPICS = ("topic", "topics")
_HTML = ("html_with_citations", "html")
_TITLES = ("title", "case_title", "case_name")


def looks_like(folder: Path) -> bool:
    """Whether there are topics and qrels, here or one folder below."""
    return bool(_topic_paths(folder)) and bool(_qrels_paths(folder))


def read(folder: Path) -> Collection:
    """Read it, named after the folder. Ids are the opinions' and topics' numbers; a topic is a query.

    A text is `plain_text` or, where that is empty, made of `html_with_citations` or `html`. The
    labels grade a topic's own opinion too, so it stays among the cases. Files that are no JSON or
    hold no text are noted and left out. Raises DataError naming file and line of a broken label,
    or where no case is left.
    """
    faults = Faults()
    topics = _topic_paths(folder)
    cases = _read_cases(sorted(set(folder.rglob("*.json")).difference(topics)), faults)
    queries = _read_cases(topics, faults)
    files = [
        LabelFile(path.stem, path.name, list(read_labels(path))) for path in _qrels_paths(folder)
    ]
    return collect(folder, cases, queries, files, faults)


def _read_cases(paths: Iterable[Path], faults: Faults) -> tuple[Case, ...]:
    cases = CaseList(faults)
    for path in paths:
        try:
            opinion = parse_json(read_text(path), path.name)
        except DataError as error:
            faults.add(UNREADABLE, str(error))
            continue
        if isinstance(opinion, dict) and (text := _text(opinion)):
            cases.add(_case(opinion, text, path), path.name)
        else:
            faults.add(NO_OPINION, path.name)
    return cases.as_tuple()


def _case(opinion: dict[str, Any], text: str, path: Path) -> Case:
    """An opinion's case; where it tells no id, as in CourtListener's bulk files, its file does."""
    identifier = opinion.get("id")
    told = isinstance(identifier, int | str) and str(identifier).strip()
    title = next((opinion[name] for name in _TITLES if _is_text(opinion.get(name))), "")
    date = opinion.get("date_filed")
    return Case(told or path.stem, title, text, date if _is_text(date) else None)


def _text(opinion: dict[str, Any]) -> str:
    plain = opinion.get("plain_text")
    if _is_text(plain):
        return str(plain)
    page = next((opinion[name] for name in _HTML if _is_text(opinion.get(name))), "")
    return html_text(page)


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _topic_paths(folder: Path) -> list[Path]:
    return _here_or_below(folder, [f"{name}/*.json" for name in TOPICS])


def _qrels_paths(folder: Path) -> list[Path]:
    return _here_or_below(folder, ["qrel*.txt"])


def _here_or_below(folder: Path, patterns: Iterable[str]) -> list[Path]:
    both = (wide for pattern in patterns for wide in (pattern, f"*/{pattern}"))
    return sorted({path for pattern in both for path in folder.glob(pattern)})
