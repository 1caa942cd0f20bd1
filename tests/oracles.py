"""Slow twins of every formula in DESIGN's section 4: dicts and loops, nothing clever.

What they read, everywhere:

    hits      one list a query paragraph, best first, of Hit(case id, position, score)
    sizes     case id -> how many paragraphs the case has (m_d)
    queries   one vector a query paragraph, plain lists of floats
    vectors   (case id, position) -> the vector of that paragraph

They return {case id: score}; contributions are {(query paragraph, position): value} of one case.
"""

from __future__ import annotations

import math
from collections import defaultdict
from typing import NamedTuple

import numpy as np


class Hit(NamedTuple):
    case_id: str
    position: int
    score: float


# ------------------------------------------------------------------------------- ranks and scores


def combsum(hits, **_):
    """Sum of score_i(p)."""
    total = defaultdict(float)
    for of_query in hits:
        for hit in of_query:
            total[hit.case_id] += hit.score
    return dict(total)


def rrf(hits, *, k=60, **_):
    """Sum of 1 / (k + rank_i(p)), rank from 1."""
    total = defaultdict(float)
    for of_query in hits:
        for rank, hit in enumerate(of_query, 1):
            total[hit.case_id] += 1 / (k + rank)
    return dict(total)


def srrf(hits, *, sizes, k=5, p=2, a=0.5, **_):
    """m_d^(-a) times the sum of 1 / (k + rank_i(p))^p."""
    total = defaultdict(float)
    for of_query in hits:
        for rank, hit in enumerate(of_query, 1):
            total[hit.case_id] += 1 / (k + rank) ** p
    return {case_id: score / sizes[case_id] ** a for case_id, score in total.items()}


def maximum(hits, **_):
    """The largest score_i(p)."""
    best = {}
    for of_query in hits:
        for hit in of_query:
            best[hit.case_id] = max(hit.score, best.get(hit.case_id, -math.inf))
    return best


# ---------------------------------------------------------------------------------------- vectors


def dot(a, b):
    return sum(x * y for x, y in zip(a, b, strict=True))


def add(vectors):
    return [sum(components) for components in zip(*vectors, strict=True)]


def scaled(vector, weight):
    return [weight * component for component in vector]


def hit_vectors(hits, vectors):
    """case id -> [(weightable facts of the hit, its vector)], one entry a hit, repeats kept."""
    found = defaultdict(list)
    for i, of_query in enumerate(hits):
        for rank, hit in enumerate(of_query, 1):
            place = (hit.case_id, hit.position)
            found[hit.case_id].append(((i, rank, len(of_query), hit), list(vectors[place])))
    return found


def vsum(hits, *, queries, vectors, **_):
    query = add(queries)
    found = hit_vectors(hits, vectors)
    return {c: dot(query, add([v for _, v in held])) for c, held in found.items()}


def vavg(hits, *, queries, vectors, **_):
    query = scaled(add(queries), 1 / len(queries))
    found = hit_vectors(hits, vectors)
    return {
        c: dot(query, scaled(add([v for _, v in held]), 1 / len(held))) for c, held in found.items()
    }


def vmax(hits, *, queries, vectors, **_):
    query = [max(components) for components in zip(*queries, strict=True)]
    found = hit_vectors(hits, vectors)
    return {
        c: dot(query, [max(column) for column in zip(*(v for _, v in held), strict=True)])
        for c, held in found.items()
    }


def vmin(hits, *, queries, vectors, **_):
    query = [min(components) for components in zip(*queries, strict=True)]
    found = hit_vectors(hits, vectors)
    return {
        c: dot(query, [min(column) for column in zip(*(v for _, v in held), strict=True)])
        for c, held in found.items()
    }


def _weighted(hits, queries, vectors, weight):
    """q̂ the plain sum; d̂ the sum of weight * E[p]."""
    query = add(queries)
    return {
        c: dot(query, add([scaled(v, weight(*facts)) for facts, v in held]))
        for c, held in hit_vectors(hits, vectors).items()
    }


def vscores(hits, *, queries, vectors, **_):
    return _weighted(hits, queries, vectors, lambda i, rank, length, hit: hit.score)


def vranks(hits, *, queries, vectors, **_):
    return _weighted(hits, queries, vectors, lambda i, rank, length, hit: length - rank + 1)


def vrrf(hits, *, queries, vectors, k=60, **_):
    return _weighted(hits, queries, vectors, lambda i, rank, length, hit: 1 / (k + rank))


AGGREGATIONS = {
    "combsum": combsum,
    "max": maximum,
    "rrf": rrf,
    "srrf": srrf,
    "vavg": vavg,
    "vmax": vmax,
    "vmin": vmin,
    "vranks": vranks,
    "vrrf": vrrf,
    "vscores": vscores,
    "vsum": vsum,
}


# ------------------------------------------------------------------------- contributions, one case


def hit_terms(name, hits, case_id, *, sizes, queries, vectors):
    """What each hit of a case adds, for the types where a hit has a term of its own."""
    own = [(i, r, len(of), h) for i, of in enumerate(hits) for r, h in enumerate(of, 1)]
    own = [facts for facts in own if facts[3].case_id == case_id]
    whole = add(queries)

    def similarity(hit):
        return dot(whole, vectors[hit.case_id, hit.position])

    term = {
        "combsum": lambda i, r, n, h: h.score,
        "rrf": lambda i, r, n, h: 1 / (60 + r),
        "srrf": lambda i, r, n, h: sizes[case_id] ** -0.5 / (5 + r) ** 2,
        "vsum": lambda i, r, n, h: similarity(h),
        "vavg": lambda i, r, n, h: similarity(h) / len(queries) / len(own),
        "vscores": lambda i, r, n, h: h.score * similarity(h),
        "vranks": lambda i, r, n, h: (n - r + 1) * similarity(h),
        "vrrf": lambda i, r, n, h: similarity(h) / (60 + r),
    }[name]
    return [(i, hit.position, term(i, r, n, hit)) for i, r, n, hit in own]


def contributions_by_retrieval(name, hits, case_id, **given):
    """Each hit's term, under the query paragraph whose list held it."""
    if name == "max":
        return _best_hit(hits, case_id)
    if name in ("vmax", "vmin"):
        return _extreme_contributions(name, hits, case_id, "retrieval", **given)
    cells = defaultdict(float)
    for i, position, term in hit_terms(name, hits, case_id, **given):
        cells[i, position] += term
    return dict(cells)


def contributions_by_similarity(name, hits, case_id, **given):
    """Each hit's term, over the query paragraphs whose vectors make up q̂."""
    if name in ("vmax", "vmin"):
        return _extreme_contributions(name, hits, case_id, "similarity", **given)
    cells = defaultdict(float)
    for j, query in enumerate(given["queries"]):
        # q̂ is a sum over query paragraphs: each one's part is the term with only itself in q̂
        alone = given | {"queries": [query]}
        share = 1 / len(given["queries"]) if name == "vavg" else 1
        for _, position, term in hit_terms(name, hits, case_id, **alone):
            cells[j, position] += term * share
    return dict(cells)


def _best_hit(hits, case_id):
    best = maximum(hits)[case_id]
    for i, of_query in enumerate(hits):
        for hit in of_query:
            if hit.case_id == case_id and hit.score == best:
                return {(i, hit.position): best}
    raise AssertionError


def _extreme_contributions(name, hits, case_id, by, *, queries, vectors, **_):
    """Each component's product, shared equally by the hits (and query paragraphs) supplying it."""
    extreme = max if name == "vmax" else min
    own = [(i, h.position) for i, of in enumerate(hits) for h in of if h.case_id == case_id]
    cells = defaultdict(float)
    for c in range(len(queries[0])):
        query = extreme(q[c] for q in queries)
        case = extreme(vectors[case_id, position][c] for _, position in own)
        hit_suppliers = [pair for pair in own if vectors[case_id, pair[1]][c] == case]
        query_suppliers = [j for j, q in enumerate(queries) if q[c] == query]
        for i, position in hit_suppliers:
            if by == "retrieval":
                cells[i, position] += query * case / len(hit_suppliers)
                continue
            for j in query_suppliers:
                part = query * case / len(hit_suppliers) / len(query_suppliers)
                cells[j, position] += part
    return dict(cells)


# ----------------------------------------------------------------------- whole documents, hybrids


def bm25(query_terms, units, *, k1=1.3, b=0.8):
    """units: name -> terms. Lucene's idf; every occurrence of a query term counts."""
    mean = sum(len(terms) for terms in units.values()) / len(units)
    scores = {}
    for name, terms in units.items():
        score = 0.0
        for term in query_terms:
            holding = sum(1 for other in units.values() if term in other)
            f = terms.count(term)
            if f:
                idf = math.log(1 + (len(units) - holding + 0.5) / (holding + 0.5))
                score += idf * f / (f + k1 * (1 - b + b * len(terms) / mean))
        scores[name] = score
    return scores


def bm25_contributions(query_paragraphs, case_paragraphs, unit, units, **params):
    """A term's score, under the paragraphs that hold it, by their share of its occurrences."""
    whole = [term for terms in query_paragraphs for term in terms]
    cells = defaultdict(float)
    for term in set(whole):
        score = bm25([term] * whole.count(term), units, **params)[unit]
        in_case = sum(terms.count(term) for terms in case_paragraphs)
        for i, asked in enumerate(query_paragraphs):
            for position, held in enumerate(case_paragraphs):
                if in_case:
                    share = asked.count(term) / whole.count(term) * held.count(term) / in_case
                    cells[i, position] += score * share
    return dict(cells)


def firstp(query_opening, openings):
    """openings: case id -> the vector of its text, cut."""
    return {case_id: dot(query_opening, vector) for case_id, vector in openings.items()}


def maxp(query_opening, vectors):
    best = {}
    for (case_id, _), vector in vectors.items():
        best[case_id] = max(dot(query_opening, vector), best.get(case_id, -math.inf))
    return best


def fuse(rankings, *, k=60):
    """rankings: lists of case ids, best first."""
    total = defaultdict(float)
    for ranking in rankings:
        for rank, case_id in enumerate(ranking, 1):
            total[case_id] += 1 / (k + rank)
    return dict(total)


# ------------------------------------------------------------------------------------------- ties


def trec_order(scores):
    """Case ids best first, trec_eval's rule: float32 score, then id, both descending."""
    return sorted(scores, key=lambda c: (np.float32(scores[c]), c), reverse=True)


def top_hits(scores, depth):
    """{(case id, position): score} -> the best hits: score, then id descending, then position."""
    order = sorted(scores, key=lambda place: place[1])
    order = sorted(order, key=lambda place: place[0], reverse=True)
    order = sorted(order, key=lambda place: np.float32(scores[place]), reverse=True)
    return [Hit(c, p, float(np.float32(scores[c, p]))) for c, p in order[:depth]]
