"""A search written down so that it can be replayed: all that its rankings depend on, but not the case."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from parm_core._version import __version__
from parm_core.errors import DataError
from parm_core.index.opened import Index
from parm_core.query import Query
from parm_core.retrieval import Searcher
from parm_core.types import Ranking

FORMAT = 1
_FROM_MANIFEST = ("collection", "segmentation", "tokeniser", "bm25", "encoder")
_TOLERANCE = 1e-6


def record(
    index: Index, text: str, rankings: Mapping[str, Ranking], case: Path | None
) -> dict[str, Any]:
    """What a search was: index, case (its path and hash), and each system's whole ranking."""
    return {
        "format": FORMAT,
        "index": str(index.path),
        "case": {"path": str(case.resolve()) if case else None, "sha256": _sha256(text)},
        **_circumstances(index),
        "rankings": {
            system: [[case_id, float(score)] for _, case_id, score in ranking]
            for system, ranking in rankings.items()
        },
    }


def read_record(path: Path) -> dict[str, Any]:
    """Read a record. Raises DataError where it is none, or of another format."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise DataError(f"cannot read the record {path}: {error}") from None
    if not isinstance(found, dict) or not _is_record(found):
        raise DataError(
            f"{path} is not a record of format {FORMAT}, as parm search --record writes it"
        )
    return found


def _is_record(found: Any) -> bool:
    try:
        pairs = [pair for ranking in found["rankings"].values() for pair in ranking]
        return (
            found["format"] == FORMAT
            and isinstance(found["index"], str)
            and isinstance(found["case"]["path"], str | None)
            and isinstance(found["case"]["sha256"], str)
            and all(isinstance(c, str) and isinstance(s, int | float) for c, s in pairs)
        )
    except (KeyError, TypeError, ValueError, AttributeError):
        return False


def differences(
    searcher: Searcher, query: Query, text: str, recorded: Mapping[str, Any]
) -> Iterator[str]:
    """Search again and yield, a line each, what differs from the record; nothing where all is the same."""
    if _sha256(text) != recorded["case"]["sha256"]:
        yield "the case's text is another one"
    yield from _changed(_circumstances(searcher.index), recorded)
    for system, expected in recorded["rankings"].items():
        yield from _moved(system, searcher.rank(query, system), expected)


def _circumstances(index: Index) -> dict[str, Any]:
    return {"product": __version__, **{name: index.manifest[name] for name in _FROM_MANIFEST}}


def _changed(now: Mapping[str, Any], recorded: Mapping[str, Any]) -> Iterator[str]:
    for name, value in now.items():
        if recorded.get(name) != value:
            yield f"{name} was {_short(recorded.get(name))}, is {_short(value)}"


def _moved(system: str, ranking: Ranking, expected: list[list[Any]]) -> Iterator[str]:
    if len(ranking) != len(expected):
        yield f"{system}: {len(expected)} cases were found, now {len(ranking)}"
    for case, (case_id, score) in zip(ranking, expected, strict=False):
        if case.case_id != case_id:
            yield f"{system}: rank {case.rank} was {case_id}, is {case.case_id}"
            return
        if abs(case.score - score) > _TOLERANCE * max(1.0, abs(score)):
            yield f"{system}: rank {case.rank}, {case_id}, scored {score:.9g}, now {case.score:.9g}"
            return


def _short(value: Any) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
