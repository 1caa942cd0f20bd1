"""An opened index: what it holds, read from memory-mapped files as it is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from parm_core.errors import DataError, IndexStoreError
from parm_core.index import postings
from parm_core.index.files import MappedFiles
from parm_core.index.lexical import BM25Params, Postings
from parm_core.index.manifest import verify_files
from parm_core.index.tables import PARAGRAPHS, UNRETRIEVED, Tables, read_tables
from parm_core.segmentation import SegmentOptions
from parm_core.tokenisation import Tokeniser
from parm_core.types import Case, Float32, Int64, Kind, Paragraph

_DESCRIBED = ("title", "date", "court")
_CUT = ("position", "kind", "start", "end")


@dataclass(frozen=True)
class Index:
    """An opened index. Open one with `store.open_index`, make one with `build.build_index`."""

    path: Path
    manifest: dict[str, Any]
    files: MappedFiles = field(repr=False, compare=False)

    @property
    def name(self) -> str:
        """The collection's name."""
        return str(self.manifest["collection"]["name"])

    @property
    def n_cases(self) -> int:
        """C, how many cases there are."""
        return int(self.manifest["counts"]["cases"])

    @property
    def n_paragraphs(self) -> int:
        """Retrieved paragraphs: the rows of `vectors`, `case_of_row` and the paragraph postings."""
        return int(self.manifest["counts"]["paragraphs"])

    @property
    def has_vectors(self) -> bool:
        """Whether it was built with an encoder."""
        return self.manifest["encoder"] is not None

    @cached_property
    def case_ids(self) -> list[str]:
        """(C,) ids, descending."""
        return self._tables.cases["id"].to_pylist()  # type: ignore[no-any-return]

    @cached_property
    def case_hashes(self) -> list[str]:
        """(C,) each case's SHA-256. Raises IndexStoreError for an index of format 1, which has none."""
        if self.manifest["format"] == 1:
            raise IndexStoreError(
                f"{self.path} is of format 1, which cannot be added to or taken from; build it again "
                f"once with: parm index COLLECTION {self.path} (nothing it knows is encoded again)"
            )
        return self._tables.cases["sha256"].to_pylist()  # type: ignore[no-any-return]

    @cached_property
    def case_starts(self) -> Int64:
        """(C + 1,) the rows of case c are starts[c]:starts[c + 1]."""
        return self.files.starts("case_starts.npy", self.n_cases, self.n_paragraphs)

    @cached_property
    def case_sizes(self) -> Int64:
        """(C,) retrieved paragraphs of each case: m_d."""
        return np.diff(self.case_starts)

    @cached_property
    def case_of_row(self) -> Int64:
        """(P,) the case each row belongs to."""
        return np.repeat(np.arange(self.n_cases), self.case_sizes)

    @cached_property
    def vectors(self) -> Float32:
        """(P, dim) float32, memory-mapped."""
        return self._vectors("vectors.npy", self.n_paragraphs)

    @cached_property
    def openings(self) -> Float32:
        """(C, dim) float32: each case's text, cut where the encoder stops reading."""
        return self._vectors("openings.npy", self.n_cases)

    @cached_property
    def twins(self) -> Int64:
        """(P,) the first row whose text is the same."""
        twins: Int64 = self.files.array("twins.npy", "<i8", self.n_paragraphs)
        if (twins < 0).any() or (twins > np.arange(twins.size)).any():
            raise self.files.damaged("twins.npy", "names rows that are not earlier ones")
        return twins

    @cached_property
    def paragraph_postings(self) -> Postings:
        """BM25 impacts by paragraph, units numbered as rows."""
        return postings.read_postings(self.files, postings.PARAGRAPHS, self.n_paragraphs)

    @cached_property
    def case_postings(self) -> Postings:
        """BM25 impacts by case, its retrieved paragraphs joined."""
        return postings.read_postings(self.files, postings.CASES, self.n_cases)

    @cached_property
    def tokeniser(self) -> Tokeniser:
        """The tokeniser it was built with."""
        return Tokeniser(**self.manifest["tokeniser"])

    @cached_property
    def segmentation(self) -> SegmentOptions:
        """How its cases were cut."""
        return SegmentOptions(**self.manifest["segmentation"])

    @cached_property
    def bm25(self) -> BM25Params:
        """The BM25 parameters it was built with."""
        return BM25Params(**self.manifest["bm25"])

    def holds(self, case_id: str) -> bool:
        """Whether a case of this id is here."""
        return case_id in self._numbers

    def case_index(self, case_id: str) -> int:
        """The number of a case within this index. Raises DataError for an unknown id."""
        try:
            return self._numbers[case_id]
        except KeyError:
            raise DataError(f"the index of {self.name!r} holds no case {case_id!r}") from None

    def rows(self, case: int) -> slice:
        """The rows of a case, given its number."""
        return slice(int(self.case_starts[case]), int(self.case_starts[case + 1]))

    def rows_of(self, case_id: str) -> slice:
        """The rows of a case. Raises DataError for an unknown id."""
        return self.rows(self.case_index(case_id))

    def case(self, case_id: str) -> Case:
        """A case with its paragraphs, those left out of retrieval too; `text` joins them.

        Raises DataError for an unknown id.
        """
        c = self.case_index(case_id)
        title, date, court = self._described(c)
        kept = slice(*np.searchsorted(self._unretrieved_cases, [c, c + 1]))
        held = self._paragraphs_of(PARAGRAPHS, self.rows(c))
        held += self._paragraphs_of(UNRETRIEVED, kept)
        paragraphs = tuple(paragraph for _, paragraph in sorted(held, key=lambda pair: pair[0]))
        text = "\n".join(paragraph.text for paragraph in paragraphs)
        return Case(case_id, title, text, date, court, paragraphs)

    def described(self, case_id: str) -> tuple[str, str | None, str | None]:
        """Title, date and court of a case. Raises DataError for an unknown id."""
        return self._described(self.case_index(case_id))

    def titles(self, case_ids: Sequence[str]) -> list[str]:
        """Titles of cases, in the order asked for. Raises DataError for an unknown id."""
        return [self._described(self.case_index(case_id))[0] for case_id in case_ids]

    def texts(self, rows: slice | Int64) -> list[str]:
        """Texts of rows of the paragraph table. Raises IndexStoreError where one is no Unicode."""
        column = self._tables.paragraphs["text"]
        return self._read(
            PARAGRAPHS, column[rows] if isinstance(rows, slice) else column.take(rows)
        )

    @cached_property
    def positions(self) -> Int64:
        """(P,) place of each row's paragraph within its case, from 0."""
        return self._tables.paragraphs["position"].to_numpy().astype(np.int64)  # type: ignore[no-any-return]

    @cached_property
    def kinds(self) -> list[Kind]:
        """(P,) the kind of each row's paragraph."""
        return [Kind(kind) for kind in self._tables.paragraphs["kind"].to_pylist()]

    def verify(self) -> None:
        """Hash every file. Raises IndexStoreError naming all that are not as they were built."""
        verify_files(self.path)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {case_id: c for c, case_id in enumerate(self.case_ids)}

    @cached_property
    def _tables(self) -> Tables:
        return read_tables(self.files, self.case_starts, hashed=self.manifest["format"] > 1)

    @cached_property
    def _unretrieved_cases(self) -> Int64:
        return self._tables.unretrieved["case"].to_numpy()  # type: ignore[no-any-return]

    def _described(self, case: int) -> tuple[str, str | None, str | None]:
        title, date, court = (self._tables.cases[n][case].as_py() for n in _DESCRIBED)
        return title, date, court

    def _paragraphs_of(self, name: str, rows: slice) -> list[tuple[int, Paragraph]]:
        """(position, paragraph) of rows of one of the two tables of paragraphs."""
        retrieved = name == PARAGRAPHS
        table = (self._tables.paragraphs if retrieved else self._tables.unretrieved)[rows]
        positions, kinds, starts, ends = (table[n].to_pylist() for n in _CUT)
        columns = zip(kinds, starts, ends, self._read(name, table["text"]), strict=True)
        paragraphs = (Paragraph(t, Kind(k), s, e, retrieved) for k, s, e, t in columns)
        return list(zip(positions, paragraphs, strict=True))

    def _read(self, name: str, texts: Any) -> list[str]:
        try:
            return texts.to_pylist()  # type: ignore[no-any-return]
        except UnicodeDecodeError as error:
            raise self.files.damaged(name, "holds a text that is no Unicode") from error

    def _vectors(self, name: str, rows: int) -> Float32:
        if not self.has_vectors:
            raise IndexStoreError(
                f"the index of {self.name!r} was built without an encoder; dense systems need one: "
                "build it again without --encoder none"
            )
        return self.files.array(name, "<f4", rows, self.manifest["encoder"]["dim"])  # type: ignore[no-any-return]
