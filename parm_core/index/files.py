"""The files of an index, all mapped into memory when it is opened, and read as arrays with care.

Once mapped, a file stays readable though another index takes its place, so that a reader keeps the
index it opened. What a file holds is held against what the manifest says it must hold.
"""

from __future__ import annotations

import ast
import json
import mmap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from parm_core.errors import IndexStoreError
from parm_core.types import Int64

_MAGIC = b"\x93NUMPY\x01\x00"
_ROWS = 65_536
"""Rows written at a time."""


@dataclass(frozen=True)
class MappedFiles:
    """The files of one index, mapped read-only."""

    folder: Path
    held: Mapping[str, mmap.mmap | bytes] = field(repr=False)

    def of(self, name: str) -> mmap.mmap | bytes:
        """A file's bytes. Raises IndexStoreError where the index has no such file."""
        try:
            return self.held[name]
        except KeyError:
            raise self.damaged(name, "is missing") from None

    def array(self, name: str, dtype: str, *shape: int) -> Any:
        """An .npy file as a read-only array; a first dimension of -1 is whatever the file holds.

        Raises IndexStoreError where it holds anything but numbers of this type in this shape.
        """
        held = self.of(name)
        start = 10 + int.from_bytes(held[8:10], "little")
        width = int(np.prod(shape[1:], dtype=np.int64)) * np.dtype(dtype).itemsize
        rows = (len(held) - start) // max(width, 1) if shape[0] < 0 else shape[0]
        expected = {"descr": dtype, "fortran_order": False, "shape": (rows, *shape[1:])}
        if _header(held, start) != expected or len(held) != start + rows * width:
            raise self.damaged(name, f"does not hold {dtype} numbers of shape {expected['shape']}")
        count = rows * width // np.dtype(dtype).itemsize
        return np.frombuffer(held, dtype, count, start).reshape(expected["shape"])

    def starts(self, name: str, n: int, total: int) -> Int64:
        """An .npy file of (n + 1,) int64 that rise from 0 to `total`: where each of n spans begins."""
        starts: Int64 = self.array(name, "<i8", n + 1)
        if starts[0] != 0 or starts[-1] != total or (np.diff(starts) < 0).any():
            raise self.damaged(name, f"does not rise from 0 to {total}")
        return starts

    def words(self, name: str) -> list[str]:
        """A .json file that holds a list of texts, none twice."""
        try:
            words = json.loads(bytes(self.of(name)).decode("utf-8"))
        except (ValueError, RecursionError) as error:
            raise self.damaged(name, "is not JSON") from error
        if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
            raise self.damaged(name, "is not a list of texts")
        if len(set(words)) != len(words):
            raise self.damaged(name, "holds a text twice")
        return words

    def damaged(self, name: str, why: str) -> IndexStoreError:
        """The error that says a file is not usable."""
        return IndexStoreError(
            f"{self.folder / name} is damaged or missing: it {why}; build the index again with: "
            f"parm index COLLECTION {self.folder}"
        )


def map_files(folder: Path, names: Sequence[str]) -> MappedFiles:
    """Map files of a folder. Raises IndexStoreError naming one that cannot be read."""
    held: dict[str, mmap.mmap | bytes] = {}
    for name in names:
        try:
            with (folder / name).open("rb") as file:
                whole = file.seek(0, 2)
                held[name] = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if whole else b""
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or error
            raise IndexStoreError(
                f"{folder / name} cannot be read: {why}; make it readable to you, or build the index "
                f"again with: parm index COLLECTION {folder}"
            ) from error
    return MappedFiles(folder, held)


def write_rows(
    path: Path, dtype: str, shape: tuple[int, int], rows: Callable[[Int64], Any]
) -> None:
    """Write an .npy file of (n, width) row by row; rows: row numbers -> (their number, width) array.

    Plain writes and no memory map: on a full disk these fail with an error, a map with a signal.
    Raises OSError.
    """
    with path.open("wb") as file:
        header = {"descr": dtype, "fortran_order": False, "shape": shape}
        np.lib.format.write_array_header_1_0(file, header)
        for start in range(0, shape[0], _ROWS):
            block = rows(np.arange(start, min(start + _ROWS, shape[0])))
            file.write(np.ascontiguousarray(block, dtype=dtype).data)


def _header(held: mmap.mmap | bytes, start: int) -> object:
    """What an .npy file of version 1.0 says of itself; None where that cannot be made out."""
    if held[:8] != _MAGIC or start > len(held):
        return None
    try:
        return ast.literal_eval(held[10:start].decode("latin-1").strip())
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None
