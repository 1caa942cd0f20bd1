"""A whole search the slow way: every score, a full sort, the formulas of `oracles`."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import oracles

WHOLE_DOCUMENTS = ("bm25:doc", "dense:firstp", "dense:maxp")
SYSTEMS = (
    *WHOLE_DOCUMENTS,
    *(f"{way}:{name}" for way in ("bm25", "dense") for name in sorted(oracles.AGGREGATIONS)),
)


class SlowSearch:
    """One query against cases that are segmented, by texts, terms and vectors alone.

    cases: {case id: {position: text}} of what is retrieved; query_texts: a list.
    """

    def __init__(self, cases, query_texts, tokeniser, encoder, *, excluded=None):
        self.found = {case_id: held for case_id, held in cases.items() if case_id != excluded}
        self.texts = {(c, p): text for c, held in cases.items() for p, text in held.items()}
        self.terms = {place: tokeniser.terms(text) for place, text in self.texts.items()}
        self.units = {
            c: [term for p in held for term in self.terms[c, p]] for c, held in cases.items()
        }
        self.query_terms = [tokeniser.terms(text) for text in query_texts]
        self.sizes = {case_id: len(held) for case_id, held in cases.items()}
        if encoder:
            self._encode(encoder, query_texts)

    def _encode(self, encoder, query_texts):
        def cut(texts):
            return " ".join(" ".join(texts).split()[: encoder.max_tokens])

        places = list(self.texts)
        passages = encoder.encode_passages([self.texts[place] for place in places])
        self.vectors = dict(zip(places, passages.astype(float).tolist(), strict=True))
        self.queries = encoder.encode_queries(list(query_texts)).astype(float).tolist()
        openings = [cut(held.values()) for held in self.found.values()]
        vectors = encoder.encode_passages(openings).astype(float).tolist()
        self.openings = dict(zip(self.found, vectors, strict=True))
        self.query_opening = encoder.encode_queries([cut(query_texts)]).astype(float)[0].tolist()

    def hits(self, retriever, depth):
        scored = self.bm25_scores() if retriever == "bm25" else self.products()
        return [oracles.top_hits(scores, depth) for scores in scored]

    def bm25_scores(self):
        """A dict a query paragraph; a score of 0 is no hit."""
        every = [oracles.bm25(terms, self.terms) for terms in self.query_terms]
        return [
            {place: s for place, s in scores.items() if s > 0 and place[0] in self.found}
            for scores in every
        ]

    def products(self):
        return [
            {p: oracles.dot(query, v) for p, v in self.vectors.items() if p[0] in self.found}
            for query in self.queries
        ]

    def given(self):
        return {"sizes": self.sizes, "queries": self.queries, "vectors": self.vectors}

    def scores(self, system, depth=1000):
        """case id -> score."""
        retriever, aggregation = system.split(":")
        if aggregation == "doc":
            whole = [term for terms in self.query_terms for term in terms]
            scores = oracles.bm25(whole, self.units)
            return {c: s for c, s in scores.items() if s > 0 and c in self.found}
        if aggregation == "firstp":
            return oracles.firstp(self.query_opening, self.openings)
        if aggregation == "maxp":
            own = {place: v for place, v in self.vectors.items() if place[0] in self.found}
            return oracles.maxp(self.query_opening, own)
        return oracles.AGGREGATIONS[aggregation](self.hits(retriever, depth), **self.given())

    def fused(self, systems, *, k=60, depth=1000):
        return oracles.fuse([oracles.trec_order(self.scores(s, depth)) for s in systems], k=k)

    def contributions(self, system, case_id, by, depth=1000):
        """{(query paragraph, position): value}, "opening" for one that is no paragraph."""
        retriever, aggregation = system.split(":")
        if aggregation == "doc":
            return self._doc_contributions(case_id)
        if aggregation == "firstp":
            return {("opening", "opening"): self.scores(system)[case_id]}
        if aggregation == "maxp":
            best = self.scores(system)[case_id]
            products = {
                p: oracles.dot(self.query_opening, self.vectors[case_id, p])
                for p in self.found[case_id]
            }
            return {("opening", next(p for p, s in products.items() if s == best)): best}
        vector = aggregation.startswith("v")
        of = (
            oracles.contributions_by_similarity
            if by == "similarity" and vector
            else oracles.contributions_by_retrieval
        )
        return of(aggregation, self.hits(retriever, depth), case_id, **self.given())

    def _doc_contributions(self, case_id):
        places = list(self.found[case_id])
        paragraphs = [self.terms[case_id, p] for p in places]
        cells = oracles.bm25_contributions(self.query_terms, paragraphs, case_id, self.units)
        return {(i, places[j]): value for (i, j), value in cells.items()}


def slow_twin(searcher, query, encoder=None):
    """The slow search of the same cases and the same query."""
    cases = {}
    for case_id in searcher.index.case_ids:
        held = enumerate(searcher.index.case(case_id).paragraphs)
        cases[case_id] = {p: paragraph.text for p, paragraph in held if paragraph.retrieved}
    tokeniser = searcher.index.tokeniser
    return SlowSearch(cases, query.texts, tokeniser, encoder, excluded=query.excluded)


def assert_ranking(ranking, scores, *, rel=1e-5):
    """The ranking holds these cases with these scores, in trec_eval's order of its own scores."""
    found = dict(zip(ranking.case_ids, ranking.scores, strict=True))
    assert found.keys() == scores.keys()
    assert list(ranking.case_ids) == oracles.trec_order(found)
    wanted = [scores[case_id] for case_id in ranking.case_ids]
    slack = rel * max(map(abs, wanted), default=0)
    np.testing.assert_allclose(ranking.scores, wanted, rtol=rel, atol=slack)
    assert all(a >= b - slack for a, b in pairwise(wanted))
