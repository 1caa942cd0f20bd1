"""An index on disk: a folder of Arrow files, NumPy arrays and a manifest, opened by memory map.

    manifest.json, manifest.sha256     what this is, and the size and SHA-256 of every other file
    cases.arrow                        id, title, date, court; by id descending
    paragraphs.arrow                   one row a retrieved paragraph: case, position, kind, start, end, text
    unretrieved.arrow                  the same columns, for text kept to be read only
    case_starts.npy                    (C + 1,) int64, the rows of case c are starts[c]:starts[c + 1]
    bm25-{paragraphs,cases}.*          impacts.npy, units.npy, starts.npy, terms.json: see lexical.py
    vectors.npy, openings.npy          (P, dim) and (C, dim) float32, where there is an encoder
    twins.npy                          (P,) int64, the first row of equal text

Rows are in tie order: case id descending, then position ascending.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from parm_core.errors import DataError, IndexStoreError
from parm_core.index.lexical import BM25Params, Postings
from parm_core.index.manifest import open_manifest, verify_files
from parm_core.tokenisation import Tokeniser
from parm_core.types import Case, Float32, Int64, Kind, Paragraph

_POSTINGS = ("impacts", "units", "starts")


@dataclass(frozen=True)
class Index:
    """An opened index. Open one with `open_index`, make one with `build_index`."""

    path: Path
    manifest: dict[str, Any]

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
        return self._cases["id"].to_pylist()  # type: ignore[no-any-return]

    @cached_property
    def case_starts(self) -> Int64:
        """(C + 1,) the rows of case c are starts[c]:starts[c + 1]."""
        return self._array("case_starts")  # type: ignore[no-any-return]

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
        return self._vectors("vectors")

    @cached_property
    def openings(self) -> Float32:
        """(C, dim) float32: each case's text, cut where the encoder stops reading."""
        return self._vectors("openings")

    @cached_property
    def twins(self) -> Int64:
        """(P,) the first row whose text is the same."""
        return self._array("twins")  # type: ignore[no-any-return]

    @cached_property
    def paragraph_postings(self) -> Postings:
        """BM25 impacts by paragraph, units numbered as rows."""
        return self._postings("bm25-paragraphs")

    @cached_property
    def case_postings(self) -> Postings:
        """BM25 impacts by case, its retrieved paragraphs joined."""
        return self._postings("bm25-cases")

    @cached_property
    def tokeniser(self) -> Tokeniser:
        """The tokeniser it was built with."""
        return Tokeniser(**self.manifest["tokeniser"])

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
        fields = {name: self._cases[name][c].as_py() for name in ("title", "date", "court")}
        held = [*self._paragraphs_of(self._paragraphs, self.rows(c), True)]
        kept = slice(*np.searchsorted(self._unretrieved_cases, [c, c + 1]))
        held += self._paragraphs_of(self._unretrieved, kept, False)
        paragraphs = tuple(paragraph for _, paragraph in sorted(held, key=lambda pair: pair[0]))
        text = "\n".join(paragraph.text for paragraph in paragraphs)
        return Case(case_id, text=text, paragraphs=paragraphs, **fields)

    def described(self, case_id: str) -> tuple[str, str | None, str | None]:
        """Title, date and court of a case. Raises DataError for an unknown id."""
        c = self.case_index(case_id)
        title, date, court = (self._cases[n][c].as_py() for n in ("title", "date", "court"))
        return title, date, court

    def titles(self, case_ids: Sequence[str]) -> list[str]:
        """Titles of cases, in the order asked for. Raises DataError for an unknown id."""
        return [self._cases["title"][self.case_index(case_id)].as_py() for case_id in case_ids]

    def texts(self, rows: slice | Int64) -> list[str]:
        """Texts of rows of the paragraph table."""
        column = self._paragraphs["text"]
        if isinstance(rows, slice):
            return column[rows].to_pylist()  # type: ignore[no-any-return]
        return column.take(rows).to_pylist()  # type: ignore[no-any-return]

    @cached_property
    def positions(self) -> Int64:
        """(P,) place of each row's paragraph within its case, from 0."""
        return self._paragraphs["position"].to_numpy().astype(np.int64)  # type: ignore[no-any-return]

    @cached_property
    def kinds(self) -> list[Kind]:
        """(P,) the kind of each row's paragraph."""
        return [Kind(kind) for kind in self._paragraphs["kind"].to_pylist()]

    def verify(self) -> None:
        """Hash every file. Raises IndexStoreError naming the first that is not as it was built."""
        verify_files(self.path, self.manifest)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {case_id: c for c, case_id in enumerate(self.case_ids)}

    @cached_property
    def _cases(self) -> Any:
        return _read_table(self.path / "cases.arrow")

    @cached_property
    def _paragraphs(self) -> Any:
        return _read_table(self.path / "paragraphs.arrow")

    @cached_property
    def _unretrieved(self) -> Any:
        return _read_table(self.path / "unretrieved.arrow")

    @cached_property
    def _unretrieved_cases(self) -> Int64:
        return self._unretrieved["case"].to_numpy()  # type: ignore[no-any-return]

    @staticmethod
    def _paragraphs_of(table: Any, rows: slice, retrieved: bool) -> Iterator[tuple[int, Paragraph]]:
        for row in table[rows].to_pylist():
            kind = Kind(row["kind"])
            paragraph = Paragraph(row["text"], kind, row["start"], row["end"], retrieved)
            yield row["position"], paragraph

    def _array(self, name: str) -> Any:
        try:
            mapped = np.load(self.path / f"{name}.npy", mmap_mode="r", allow_pickle=False)
            return np.asarray(mapped)
        except (OSError, ValueError) as error:
            raise IndexStoreError(
                f"{self.path / name}.npy is damaged or missing; build the index again"
            ) from error

    def _vectors(self, name: str) -> Float32:
        if not self.has_vectors:
            raise IndexStoreError(
                f"the index of {self.name!r} was built without an encoder; dense systems need one: "
                "build it again without --encoder none"
            )
        return self._array(name)  # type: ignore[no-any-return]

    def _postings(self, stem: str) -> Postings:
        file = self.path / f"{stem}.terms.json"
        try:
            terms = json.loads(file.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise IndexStoreError(f"{file} is damaged or missing; build the index again") from error
        impacts, units, starts = (self._array(f"{stem}.{name}") for name in _POSTINGS)
        n_units = self.n_cases if stem == "bm25-cases" else self.n_paragraphs
        vocabulary = {term: t for t, term in enumerate(terms)}
        return Postings(impacts, units, starts, vocabulary, n_units)


def open_index(path: Path | str) -> Index:
    """Open an index; checks the version and every file's size, hashes nothing (see `Index.verify`).

    Raises IndexStoreError: no index there, another format version, a file missing or cut.
    """
    folder = Path(path).expanduser().resolve()
    return Index(folder, open_manifest(folder))


def _read_table(path: Path) -> Any:
    import pyarrow as pa

    try:
        with pa.memory_map(str(path)) as source:
            return pa.ipc.open_file(source).read_all().combine_chunks()
    except (OSError, pa.ArrowInvalid) as error:
        raise IndexStoreError(f"{path} cannot be read: {error}; build the index again") from error
