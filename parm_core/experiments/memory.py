"""What was computed for labelled queries, kept on disk by all that it depends on.

Only queries of labelled collections are kept, never a pasted or uploaded case: their rankings (case
numbers and scores) and their paragraphs' vectors, under hashes that reveal no text.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import numpy as np

from parm_core._version import __version__
from parm_core.errors import DataError
from parm_core.index.opened import Index
from parm_core.systems import System
from parm_core.types import Case, Float32, Ranking

FORMAT = 1
_MOST_BYTES = 1 << 30
_SCHEMA = "CREATE TABLE IF NOT EXISTS kept (key TEXT PRIMARY KEY, value BLOB NOT NULL)"


class Memory:
    """A file of results. Raises DataError where it can be neither opened nor made.

    fresh: look nothing up, compute and keep all anew. What is found damaged counts as not there.
    """

    def __init__(self, path: Path, *, fresh: bool = False) -> None:
        self.path = path
        self._fresh = fresh
        self._own: set[str] = set()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with self._open() as kept:
                kept.execute("PRAGMA journal_mode=WAL")
                kept.execute(_SCHEMA)
            self._make_room()
        except sqlite3.DatabaseError:
            self._start_afresh()
        except OSError as error:
            raise DataError(f"results cannot be kept in {path}: {error.strerror}") from error

    def ranking(self, index: Index, case: Case, system: System) -> Ranking | None:
        """The ranking kept for a query case under a system, or None."""
        value = self._get(_ranking_key(index, case, system))
        if value is None or len(value) % 8:
            return None
        half = len(value) // 2
        numbers = np.frombuffer(value[:half], dtype="<i4")
        if numbers.size and not 0 <= numbers.min() <= numbers.max() < index.n_cases:
            return None
        ids = index.case_ids
        scores = np.frombuffer(value[half:], dtype="<f4").astype(np.float32)
        return Ranking(tuple(ids[number] for number in numbers), scores)

    def keep_ranking(self, index: Index, case: Case, system: System, ranking: Ranking) -> None:
        """Keep the ranking of a query case under a system."""
        numbers = np.array([index.case_index(case_id) for case_id in ranking.case_ids], "<i4")
        value = numbers.tobytes() + ranking.scores.astype("<f4").tobytes()
        self._put(_ranking_key(index, case, system), value)

    def vectors(self, weights_sha256: str, texts: Sequence[str]) -> Float32 | None:
        """(n, dim) query-side vectors of exactly these texts, or None."""
        value = self._get(_hash("vectors", weights_sha256, *texts))
        if value is None or not texts or len(value) % (4 * len(texts)):
            return None
        return np.frombuffer(value, dtype="<f4").astype(np.float32).reshape(len(texts), -1)

    def keep_vectors(self, weights_sha256: str, texts: Sequence[str], vectors: Float32) -> None:
        """Keep the vectors of texts that were encoded together."""
        self._put(_hash("vectors", weights_sha256, *texts), vectors.astype("<f4").tobytes())

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        with closing(sqlite3.connect(self.path, timeout=30)) as connection, connection:
            yield connection

    def _get(self, key: str) -> bytes | None:
        if self._fresh and key not in self._own:
            return None
        try:
            with self._open() as kept:
                row = kept.execute("SELECT value FROM kept WHERE key = ?", (key,)).fetchone()
        except sqlite3.DatabaseError:
            return None
        return bytes(row[0]) if row and isinstance(row[0], bytes) else None

    def _put(self, key: str, value: bytes) -> None:
        self._own.add(key)
        try:
            with self._open() as kept:
                kept.execute("INSERT OR REPLACE INTO kept VALUES (?, ?)", (key, value))
        except sqlite3.DatabaseError as error:
            raise DataError(
                f"results cannot be kept in {self.path}: {error}; free some space, or name another "
                "place in the variable PARM_CACHE"
            ) from error

    def _make_room(self) -> None:
        """Above a gigabyte the older half goes."""
        if self.path.stat().st_size > _MOST_BYTES:
            with self._open() as kept:
                kept.execute(
                    "DELETE FROM kept WHERE rowid <= (SELECT (MIN(rowid) + MAX(rowid)) / 2 FROM kept)"
                )
            with closing(sqlite3.connect(self.path, isolation_level=None)) as connection:
                connection.execute("VACUUM")

    def _start_afresh(self) -> None:
        """A file that is no database holds nothing that could not be computed again."""
        try:
            self.path.unlink(missing_ok=True)
            with self._open() as kept:
                kept.execute(_SCHEMA)
        except (OSError, sqlite3.DatabaseError) as error:
            raise DataError(f"results cannot be kept in {self.path}: {error}") from error


def _ranking_key(index: Index, case: Case, system: System) -> str:
    return _hash("ranking", __version__, _index_key(index), case.id, case.text, str(system))


def _index_key(index: Index) -> str:
    """The manifest names the hash of every other file, the segmentation and BM25's parameters."""
    return _hash(json.dumps(index.manifest, sort_keys=True, ensure_ascii=False))


def _hash(*parts: str) -> str:
    digest = hashlib.sha256()
    for part in (str(FORMAT), *parts):
        encoded = part.encode("utf-8", "surrogatepass")
        digest.update(len(encoded).to_bytes(8, "big") + encoded)
    return digest.hexdigest()
