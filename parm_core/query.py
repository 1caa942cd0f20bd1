"""A query case at work: what searching with it has cost so far, kept."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from parm_core.aggregation.hit_table import HitTable
from parm_core.errors import DataError
from parm_core.types import Case, Float32, Hits, Int64, Kind, Ranking


class Query:
    """A query case against one index. What is costly is computed once: terms, vectors, hits.

    case: the case, segmented. excluded: the id of a case to leave out (the query itself), or None.
    positions: (n_q,) places of the retrieved paragraphs within the case, from 0; texts: theirs.
    seconds: where the time went so far, by step: segment, encode, retrieve, aggregate.
    """

    def __init__(self, case: Case, excluded: str | None = None) -> None:
        held = [(i, p.text) for i, p in enumerate(case.paragraphs) if p.retrieved]
        if not held:
            raise DataError(
                "the query case has no paragraph to search with; paste more of its text"
            )
        self.case = case
        self.excluded = excluded
        self.positions: Int64 = np.array([i for i, _ in held], dtype=np.int64)
        self.texts: list[str] = [text for _, text in held]
        self.seconds: dict[str, float] = {}
        self._hits: dict[tuple[str, str], Hits] = {}
        self._tables: dict[tuple[str, str, int], HitTable] = {}
        self._vectors: dict[str, Float32] = {}
        self._rankings: dict[str, Ranking] = {}
        self._terms: list[list[str]] | None = None
        self._opening_scores: Float32 | None = None

    @property
    def kinds(self) -> list[Kind]:
        """(n_q,) what each retrieved paragraph is within the case."""
        return [self.case.paragraphs[i].kind for i in self.positions.tolist()]

    @property
    def searched(self) -> bool:
        """Whether it has been ranked before."""
        return bool(self._rankings)

    @property
    def has_vectors(self) -> bool:
        """Whether its paragraphs have been encoded."""
        return "paragraphs" in self._vectors

    @contextmanager
    def timed(self, step: str) -> Iterator[None]:
        """Add the time spent within to `seconds[step]`."""
        start = time.perf_counter()
        yield
        self.seconds[step] = self.seconds.get(step, 0.0) + time.perf_counter() - start
