"""Paragraphs as Milvus holds them: an index cut into blocks of rows, and a hash of what is in them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from parm_core.index.opened import Index
from parm_core.types import Float32, Int64

ROW, CASE, POSITION, IMPACTS, VECTOR = "row", "case_number", "position", "impacts", "vector"
BLOCK = 1000
"""Rows written or read at a time: 384 wide, about 2.5 MB."""


@dataclass(frozen=True)
class RowBlock:
    """Rows first, first + 1, … of an index, n of them.

    cases, positions: (n,). impacts: n mappings of term number -> BM25 impact; a paragraph without
    terms has one dimension that no query asks for, since Milvus may refuse an empty vector.
    vectors: (n, dim) float32, or None where there is no encoder.
    """

    first: int
    cases: Int64
    positions: Int64
    impacts: tuple[Mapping[int, float], ...]
    vectors: Float32 | None

    def entities(self) -> list[dict[str, Any]]:
        """One mapping of field -> value a row."""
        held = [
            {ROW: self.first + i, CASE: int(case), POSITION: int(position), IMPACTS: dict(impacts)}
            for i, (case, position, impacts) in enumerate(
                zip(self.cases, self.positions, self.impacts, strict=True)
            )
        ]
        if self.vectors is not None:
            for entity, vector in zip(held, self.vectors, strict=True):
                entity[VECTOR] = vector
        return held

    @classmethod
    def read(cls, entities: Iterable[Mapping[str, Any]]) -> RowBlock:
        """What `entities` gave, in any order."""
        held = sorted(entities, key=lambda entity: int(entity[ROW]))
        vectors = [entity[VECTOR] for entity in held if VECTOR in entity]
        return cls(
            int(held[0][ROW]),
            np.array([entity[CASE] for entity in held], dtype=np.int64),
            np.array([entity[POSITION] for entity in held], dtype=np.int64),
            tuple(entity[IMPACTS] for entity in held),
            np.array(vectors, dtype=np.float32) if vectors else None,
        )

    def update(self, digest: Any) -> None:
        """Take everything in, row by row: in whatever blocks rows come, the hash is the same."""
        for i, impacts in enumerate(self.impacts):
            numbers = [self.first + i, int(self.cases[i]), int(self.positions[i]), len(impacts)]
            terms = sorted(impacts)
            digest.update(np.array(numbers + terms, dtype="<i8").tobytes())
            digest.update(np.array([impacts[term] for term in terms], dtype="<f4").tobytes())
            if self.vectors is not None:
                digest.update(self.vectors[i].astype("<f4", copy=False).tobytes())


def row_blocks(index: Index) -> Iterator[RowBlock]:
    """The rows of a local index, BLOCK at a time. Its postings go by term: they are turned round first."""
    from scipy.sparse import csc_matrix

    postings = index.paragraph_postings
    shape = (postings.n_units, len(postings.vocabulary))
    by_row = csc_matrix((postings.impacts, postings.units, postings.starts), shape=shape).tocsr()
    nothing = {shape[1]: 1.0}
    for first in range(0, shape[0], BLOCK):
        rows = slice(first, min(first + BLOCK, shape[0]))
        starts = by_row.indptr[rows.start : rows.stop + 1].tolist()
        impacts = tuple(
            dict(zip(by_row.indices[a:b].tolist(), by_row.data[a:b].tolist(), strict=True))
            or nothing
            for a, b in pairwise(starts)
        )
        vectors = np.asarray(index.vectors[rows]) if index.has_vectors else None
        yield RowBlock(
            first, index.case_of_row[rows], np.asarray(index.positions[rows]), impacts, vectors
        )


def content_sha256(blocks: Iterable[RowBlock]) -> str:
    """The hash of all rows, in hexadecimal: what is in Milvus is named by it, and checked against it."""
    digest = hashlib.sha256(b"parm rows 1\n")
    for block in blocks:
        block.update(digest)
    return digest.hexdigest()
