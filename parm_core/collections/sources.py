"""Opening a collection's files, which are untrusted: plain or gzip, UTF-8 with or without its mark."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple, TextIO

from parm_core.errors import DataError

LONGEST = 1 << 26
"""Characters that a line, or one file of a folder of many, may hold; more is refused unread."""
LARGEST = 1 << 29
"""Characters that a file read in one piece may hold."""
BEGINNING = 1 << 20
"""Characters by which a file's form is told."""


class Line(NamedTuple):
    """A line of a file and where it stands there: "test.tsv, line 2"."""

    where: str
    text: str


def find(folder: Path, name: str) -> Path | None:
    """The file of this name in a folder, plain or as .gz; None where there is neither."""
    paths = (folder / f"{name}{ending}" for ending in ("", ".gz"))
    return next((path for path in paths if path.is_file()), None)


def stem(path: Path) -> str:
    """A file's name without .gz and the ending before it."""
    return Path(path.name.removesuffix(".gz")).stem


def read_lines(path: Path) -> Iterator[Line]:
    """Every line of a file. Raises DataError: not there, not UTF-8, damaged gzip, an endless line."""
    number = 0
    try:
        with _open(path) as file:
            while text := file.readline(LONGEST + 1):
                number += 1
                if len(text) > LONGEST:
                    raise DataError(
                        f"{path.name}, line {number}: longer than {LONGEST} characters; "
                        "write one object a line"
                    )
                yield Line(f"{path.name}, line {number}", text)
    except (OSError, UnicodeDecodeError, EOFError, zlib.error) as error:
        raise _unreadable(path, error) from None


def beginning(path: Path) -> str:
    """What a file begins with, at most BEGINNING characters. Raises DataError as `read_lines`."""
    try:
        with _open(path) as file:
            return file.read(BEGINNING)
    except (OSError, UnicodeDecodeError, EOFError, zlib.error) as error:
        raise _unreadable(path, error) from None


def read_text(path: Path, limit: int = LONGEST) -> str:
    """A file's text whole. Raises DataError as `read_lines`, or for more than `limit` characters."""
    try:
        with _open(path) as file:
            text = file.read(limit + 1)
    except (OSError, UnicodeDecodeError, EOFError, zlib.error) as error:
        raise _unreadable(path, error) from None
    if len(text) > limit:
        raise DataError(f"{path.name}: longer than {limit} characters; split it")
    return text


def read_json(path: Path, *, pairs: bool = False) -> Any:
    """One JSON value. pairs: an object becomes a tuple of (name, value), so that none is lost."""
    return parse_json(read_text(path, LARGEST), path.name, pairs=pairs)


def read_records(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """(where, object) of each line of JSONL; blank lines are nothing. Raises DataError."""
    for where, text in read_lines(path):
        if text.strip():
            yield where, _as_object(parse_json(text, where), where)


def read_array_or_records(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """(where, object) of JSONL, or of a file that is one JSON array of objects. Raises DataError."""
    if not beginning(path).lstrip().startswith("["):
        yield from read_records(path)
        return
    for number, record in enumerate(read_json(path), 1):
        where = f"{path.name}, item {number}"
        yield where, _as_object(record, where)


def parse_json(text: str, where: str, *, pairs: bool = False) -> Any:
    """JSON, or DataError naming where it stands."""
    try:
        return json.loads(text, object_pairs_hook=tuple if pairs else None)
    except (ValueError, RecursionError) as error:
        raise DataError(f"{where}: not valid JSON ({error})") from None


def _as_object(value: Any, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise DataError(f"{where}: expected a JSON object, got {type(value).__name__}")
    return value


def _open(path: Path) -> TextIO:
    if path.suffix == ".gz":
        return gzip.open(path, "rt", encoding="utf-8-sig")
    return path.open(encoding="utf-8-sig")


def _unreadable(path: Path, error: Exception) -> DataError:
    if isinstance(error, UnicodeDecodeError):
        return DataError(f"{path.name} is not UTF-8 ({error.reason}); convert it first")
    if isinstance(error, OSError) and not isinstance(error, gzip.BadGzipFile):
        return DataError(f"cannot read {path}: {error.strerror}")
    return DataError(f"{path.name} is not a whole gzip file: {error}")
