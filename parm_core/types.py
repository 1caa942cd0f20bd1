"""The nouns: records that the rest of the library passes about.

Positions count from 0 (they index arrays), ranks from 1 (people read them).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

Float32 = NDArray[np.float32]
Float64 = NDArray[np.float64]
Int64 = NDArray[np.int64]

Qrels = Mapping[str, Mapping[str, int]]
"""query id -> case id -> grade, an integer; above 0 is relevant."""

Progress = Callable[[int, int, str], None]
"""progress(done, total, what): called as work advances; done and total in the unit that `what` names."""


class Kind(StrEnum):
    """What a paragraph is within its case."""

    INTRO = "intro"
    SUMMARY = "summary"
    NUMBERED = "numbered"
    BODY = "body"


@dataclass(frozen=True, slots=True)
class Paragraph:
    """The unit of retrieval: `source[start:end]`, its white space folded.

    start, end: character offsets in the case's source text, end exclusive.
    retrieved: False for text kept to be read but left out of retrieval (recurring boilerplate).
    """

    text: str
    kind: Kind
    start: int
    end: int
    retrieved: bool = True


@dataclass(frozen=True, slots=True)
class Case:
    """One document. `paragraphs` is empty until the case has been segmented."""

    id: str
    title: str
    text: str
    date: str | None = None
    court: str | None = None
    paragraphs: tuple[Paragraph, ...] = ()


@dataclass(frozen=True)
class Collection:
    """Cases to search and, if labelled, query cases and qrels.

    splits: name ("train", "dev", "test") -> ids of its queries; empty where the collection has none.
    notes: a line for each kind of fault in the source that was passed over, counted and named.
    """

    name: str
    cases: tuple[Case, ...]
    queries: tuple[Case, ...] = ()
    qrels: Qrels = field(default_factory=dict)
    splits: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Hits:
    """All hits of one query case for one retriever, best first.

    rows: (n_q, depth) int64 rows of the index's paragraph table, padded with -1.
    scores: (n_q, depth) float32; 0 where padded.
    """

    rows: Int64
    scores: Float32

    @property
    def depth(self) -> int:
        """The longest a list can be."""
        return int(self.rows.shape[1])


class RankedCase(NamedTuple):
    """A case at its place in a ranking; rank counts from 1."""

    rank: int
    case_id: str
    score: float


@dataclass(frozen=True, slots=True)
class Ranking:
    """Cases best first for one query: trec_eval's order, float32 score, then id, both descending."""

    case_ids: tuple[str, ...]
    scores: Float32

    def __len__(self) -> int:
        return len(self.case_ids)

    def __iter__(self) -> Iterator[RankedCase]:
        return (
            RankedCase(rank, case_id, float(score))
            for rank, (case_id, score) in enumerate(zip(self.case_ids, self.scores, strict=True), 1)
        )

    def ranks(self) -> dict[str, int]:
        """case id -> rank, from 1."""
        return {case_id: rank for rank, case_id in enumerate(self.case_ids, 1)}


Run = Mapping[str, Ranking]
"""query id -> ranking."""


class Encoder(Protocol):
    """Texts to vectors. Query and passage sides may differ (DPR is a pair)."""

    id: str
    revision: str
    weights_sha256: str
    dim: int
    max_tokens: int
    max_query_tokens: int
    precision: str
    """Of the passage side: float32 or bfloat16."""
    prompt: str
    """What is put before each passage; may be empty."""

    def encode_queries(self, texts: Sequence[str], *, progress: Progress | None = None) -> Float32:
        """(n,) texts -> (n, dim) float32."""

    def encode_passages(self, texts: Sequence[str], *, progress: Progress | None = None) -> Float32:
        """(n,) texts -> (n, dim) float32."""

    def count_tokens(self, texts: Sequence[str]) -> Int64:
        """(n,) texts -> (n,) tokens each has before truncation, special tokens included."""
