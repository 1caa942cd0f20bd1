"""Systems at work: a query case and an index -> hits -> a ranking of cases."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import cached_property
from typing import Protocol

import numpy as np

from parm_core.aggregation import AGGREGATIONS
from parm_core.aggregation.hit_table import HitTable
from parm_core.aggregation.rank import reciprocal_rank
from parm_core.errors import EncoderError
from parm_core.index.approximate import ClusteredEngine, Recall
from parm_core.index.build import opening
from parm_core.index.dense import DenseEngine, ProductEngine
from parm_core.index.engines import dense_engine, lexical_engine
from parm_core.index.lexical import ImpactEngine, LexicalEngine
from parm_core.index.milvus_engines import MilvusDenseEngine
from parm_core.index.opened import Index
from parm_core.library import recorded_encoder, results_file
from parm_core.query import Query
from parm_core.segmentation import SegmentOptions, check_text, segment_case
from parm_core.systems import DEFAULT_SYSTEM, System, parse_system
from parm_core.types import (
    Case,
    Encoder,
    Float32,
    Float64,
    Hits,
    Int64,
    Progress,
    Ranking,
)

_TABLES_KEPT, _RANKINGS_KEPT = 4, 64
"""What a query keeps: moving a slider must not fill the memory."""


class VectorMemo(Protocol):
    """Vectors kept from earlier: a pasted case has none, the queries of a labelled collection may."""

    def vectors(self, weights_sha256: str, texts: Sequence[str]) -> Float32 | None:
        """(n, dim) query-side vectors of exactly these texts, or None."""

    def keep_vectors(self, weights_sha256: str, texts: Sequence[str], vectors: Float32) -> None:
        """Keep them: other batches give other last digits, so texts are kept together."""


class Searcher:
    """Ranks the cases of an index for query cases.

    encoder: loaded by the index's manifest when first needed, if not given.
    memo: where the queries' vectors are looked up and kept; None keeps none beyond a query.
    """

    def __init__(
        self, index: Index, encoder: Encoder | None = None, *, memo: VectorMemo | None = None
    ) -> None:
        self.index = index
        self._given = encoder
        self._memo = memo
        self._lexical: dict[str, LexicalEngine] = {}
        self._dense: dict[str, DenseEngine] = {}

    def query(self, text: str, *, title: str = "", segment: SegmentOptions | None = None) -> Query:
        """Check and cut a pasted case; by default as the index's own cases were cut.

        Raises DataError for a text that cannot be searched with.
        """
        start = time.perf_counter()
        options = segment or SegmentOptions(**self.index.manifest["segmentation"])
        case = segment_case(Case(id="", title=title, text=check_text(text)), options)
        query = Query(case)
        query.seconds["segment"] = time.perf_counter() - start
        return query

    def query_from_index(self, case_id: str) -> Query:
        """A case of the collection as the query, itself left out of what is found."""
        return Query(self.index.case(case_id), excluded=case_id)

    def query_of(self, case: Case) -> Query:
        """A case of a labelled collection as the query; where the index holds it, itself left out.

        Raises DataError for a text that cannot be searched with.
        """
        query = self.query(case.text, title=case.title)
        if self.index.holds(case.id) and _words(self.index.case(case.id)) == _words(query.case):
            return self.query_from_index(case.id)
        return query

    def search(self, text: str, system: str = DEFAULT_SYSTEM) -> Ranking:
        """Cut a pasted case and rank every case for it."""
        return self.rank(self.query(text), system)

    def rank(self, query: Query, system: str | System) -> Ranking:
        """The cases found, best first. Raises ConfigError, EncoderError, IndexStoreError."""
        parsed = parse_system(system) if isinstance(system, str) else system
        name = str(parsed)
        if name not in query._rankings:
            if len(query._rankings) >= _RANKINGS_KEPT:
                del query._rankings[next(iter(query._rankings))]
            query._rankings[name] = self._rank(query, parsed)
        return query._rankings[name]

    def _rank(self, query: Query, parsed: System) -> Ranking:
        if parsed.parts:
            return self._fuse(query, parsed)
        if parsed.whole_document:
            return self._rank_documents(query, parsed)
        table = self.hit_table(query, parsed)
        with query.timed("aggregate"):
            scores = AGGREGATIONS[parsed.aggregation].scores(table, **parsed.params)
            return self._order(table.found, scores)

    def hits(self, query: Query, system: System) -> Hits:
        """Hits of a paragraph-level system, kept: a smaller depth is the head of a larger one."""
        key = (system.retriever, system.engine)
        depth = min(system.depth or 0, self.index.n_paragraphs)
        held = query._hits.get(key)
        if held is None or held.depth < depth:
            held = self._retrieve(query, system, depth)
            query._hits[key] = held
        return Hits(held.rows[:, :depth], held.scores[:, :depth])

    def hit_table(self, query: Query, system: System) -> HitTable:
        """The hits as flat columns, kept; with vectors where the index has them and they are needed."""
        key = (system.retriever, system.engine, system.depth or 0)
        if key not in query._tables:
            hits = self.hits(query, system)
            if len(query._tables) >= _TABLES_KEPT:
                del query._tables[next(iter(query._tables))]
            with query.timed("aggregate"):
                query._tables[key] = HitTable(hits, self.index.case_of_row, self.index.case_sizes)
        table = query._tables[key]
        if system.needs_vectors and table.vectors is None:
            table.query_vectors = self.query_vectors(query)
            table.vectors, table.twins = self.index.vectors, self.index.twins
        return table

    def query_vectors(self, query: Query, progress: Progress | None = None) -> Float32:
        """(n_q, dim) the query side's vectors of the query's paragraphs."""
        return self._encoded(query, "paragraphs", query.texts, progress)

    def opening_vector(self, query: Query) -> Float32:
        """(dim,) the vector of the query's text, cut where the encoder stops reading."""
        texts = [opening(query.texts, self.encoder.max_query_tokens)]
        vector: Float32 = self._encoded(query, "opening", texts)[0]
        return vector

    def query_terms(self, query: Query) -> list[list[str]]:
        """The BM25 terms of each query paragraph."""
        if query._terms is None:
            query._terms = [self.index.tokeniser.terms(text) for text in query.texts]
        return query._terms

    @cached_property
    def encoder(self) -> Encoder:
        """The index's encoder. Raises EncoderError where it is not on disk or another was given."""
        recorded = self.index.manifest["encoder"]
        if recorded is None:
            self.index.vectors  # noqa: B018  raises, and says what to do
        encoder = self._given or recorded_encoder(recorded)
        if encoder.weights_sha256 != recorded["weights_sha256"]:
            raise EncoderError(
                f"the index of {self.index.name!r} was built with {recorded['id']}, weights "
                f"{recorded['weights_sha256'][:12]}…; {encoder.id} has {encoder.weights_sha256[:12]}…: "
                "use the same encoder or build the index again"
            )
        return encoder

    def _encoded(
        self, query: Query, what: str, texts: list[str], progress: Progress | None = None
    ) -> Float32:
        if what not in query._vectors:
            place = {text: i for i, text in enumerate(dict.fromkeys(texts))}
            vectors = self._remembered(list(place))
            if vectors is None:
                encoder = self.encoder
                with query.timed("encode"):
                    vectors = encoder.encode_queries(list(place), progress=progress)
                if self._memo:
                    self._memo.keep_vectors(encoder.weights_sha256, list(place), vectors)
            query._vectors[what] = vectors[[place[text] for text in texts]]
        return query._vectors[what]

    def _remembered(self, texts: list[str]) -> Float32 | None:
        recorded = self.index.manifest["encoder"]
        if self._memo is None or recorded is None:
            return None
        held = self._memo.vectors(recorded["weights_sha256"], texts)
        return held if held is not None and held.shape == (len(texts), recorded["dim"]) else None

    def _retrieve(self, query: Query, system: System, depth: int) -> Hits:
        rows = self.index.rows_of(query.excluded) if query.excluded else slice(0, 0)
        if system.retriever == "bm25":
            engine = self._lexical_engine(system.engine)
            with query.timed("retrieve"):
                terms = self.query_terms(query)
                return engine.search(terms, depth=depth, excluded=rows)
        vectors = self.query_vectors(query)
        dense = self._dense_engine(system.engine)
        with query.timed("retrieve"):
            return dense.search(vectors, depth=depth, excluded=rows)

    def _rank_documents(self, query: Query, system: System) -> Ranking:
        scores = self.document_scores(query, system)
        held = (self.index.case_sizes > 0) & np.isfinite(scores)
        keep = (scores > 0) if system.aggregation == "doc" else held
        found = np.flatnonzero(keep)
        if query.excluded:
            found = found[found != self.index.case_index(query.excluded)]
        return self._order(found, scores[found])

    def document_scores(self, query: Query, system: System) -> Float32:
        """(C,) scores of every case by a whole-document system."""
        score = {"doc": self._doc_scores, "firstp": self._firstp_scores, "maxp": self._maxp_scores}
        return score[system.aggregation](query)

    def _doc_scores(self, query: Query) -> Float32:
        """(C,) BM25 of the whole query text against whole cases. Robertson and Zaragoza 2009."""
        engine = ImpactEngine(self.index.case_postings)
        with query.timed("retrieve"):
            return engine.scores([term for terms in self.query_terms(query) for term in terms])

    def _firstp_scores(self, query: Query) -> Float32:
        """(C,) E[query]·E[case], both cut where the encoder stops reading. Althammer et al. 2022, 4.2."""
        vector = self.opening_vector(query)
        with query.timed("retrieve"):
            exact: Float64 = self.index.openings.astype(np.float64) @ vector.astype(np.float64)
            return exact.astype(np.float32)

    def _maxp_scores(self, query: Query) -> Float32:
        """(C,) max over a case's paragraphs of E[query, cut]·E[p]. Althammer et al. 2022, 4.2."""
        scores = np.full(self.index.n_cases, -np.inf, dtype=np.float32)
        by_row = self.opening_scores(query)
        held = self.index.case_sizes > 0
        scores[held] = np.maximum.reduceat(by_row, self.index.case_starts[:-1][held])
        return scores

    def opening_scores(self, query: Query) -> Float32:
        """(P,) E[query, cut]·E[p] of every row."""
        if query._opening_scores is not None:
            return query._opening_scores
        vector = self.opening_vector(query)
        engine = self._dense_engine("")
        assert isinstance(engine, ProductEngine | MilvusDenseEngine)
        with query.timed("retrieve"):
            query._opening_scores = engine.scores(vector[None])[0]
            return query._opening_scores

    def _fuse(self, query: Query, system: System) -> Ranking:
        """score(d) = sum over rankings of 1 / (k + rank of d), absent adds 0. Cormack et al. 2009."""
        rankings = [self.rank(query, part) for part in system.parts]
        with query.timed("aggregate"):
            scores = np.zeros(self.index.n_cases)
            for ranking in rankings:
                numbers = [self.index.case_index(case_id) for case_id in ranking.case_ids]
                ranks = np.arange(1, len(ranking) + 1)
                scores[numbers] += reciprocal_rank(ranks, system.params["k"])
            found = np.flatnonzero(scores)
            return self._order(found, scores[found])

    def _order(self, found: Int64, scores: Float64 | Float32) -> Ranking:
        """trec_eval's order: float32 score, then id, both descending; case numbers fall as ids rise."""
        rounded = scores.astype(np.float32)
        order = np.lexsort((found, -rounded))
        ids = self.index.case_ids
        return Ranking(tuple(ids[c] for c in found[order]), rounded[order])

    def approximation(self, system: System) -> Recall | None:
        """What an approximate system, or a hybrid's least exact part, finds of exact search; else None."""
        if system.parts:
            found = [known for part in system.parts if (known := self.approximation(part))]
            return min(found, key=lambda known: known.recall, default=None)
        if system.retriever != "dense" or system.engine != "ivf":
            return None
        engine = self._dense_engine(system.engine)
        assert isinstance(engine, ClusteredEngine)
        return engine.measured

    def _lexical_engine(self, name: str) -> LexicalEngine:
        if name not in self._lexical:
            self._lexical[name] = lexical_engine(self.index, name)
        return self._lexical[name]

    def _dense_engine(self, name: str) -> DenseEngine:
        if name not in self._dense:
            self._dense[name] = dense_engine(self.index, name, results_file().parent)
        return self._dense[name]


def _words(case: Case) -> list[str]:
    return " ".join(paragraph.text for paragraph in case.paragraphs).split()
