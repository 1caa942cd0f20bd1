"""An index under other BM25 parameters: its postings are made anew, in memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import chain, pairwise

from parm_core.index.lexical import BM25Params, Postings
from parm_core.index.opened import Index

RowTerms = Sequence[Sequence[str]]
"""(P,) the BM25 terms of each row's paragraph."""


def row_terms(index: Index) -> RowTerms:
    """The terms of every paragraph, by the index's own tokeniser."""
    return [index.tokeniser.terms(text) for text in index.texts(slice(None))]


def reweighted(index: Index, params: BM25Params, terms: RowTerms) -> Index:
    """The same cases under other parameters; `terms` as `row_terms` gives them, to be used again."""
    return _Reweighted(index.path, index.manifest | {"bm25": asdict(params)}, index.files, terms)


@dataclass(frozen=True)
class _Reweighted(Index):
    terms: RowTerms

    @cached_property
    def paragraph_postings(self) -> Postings:
        return Postings.build(self.terms, self.bm25)

    @cached_property
    def case_postings(self) -> Postings:
        spans = pairwise(self.case_starts.tolist())
        return Postings.build(
            [list(chain.from_iterable(self.terms[a:b])) for a, b in spans], self.bm25
        )
