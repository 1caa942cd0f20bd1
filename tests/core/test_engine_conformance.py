"""One suite that every engine passes, on this machine or in Milvus: the same hits, the same scores.

Expected are float64 scores from the formula's own terms, sorted in full. An engine's scores may
differ by 1e-5 of the largest; its hits only where scores are that close.
"""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from small_milvus import open_file

from parm_core.index.dense import FaissEngine, ProductEngine
from parm_core.index.lexical import BM25Params, ImpactEngine, Postings, RankBM25Engine
from parm_core.index.milvus_collection import MilvusCollection
from parm_core.index.milvus_engines import MilvusDenseEngine, MilvusLexicalEngine
from parm_core.index.milvus_rows import content_sha256, row_blocks

LEXICAL = pytest.mark.parametrize("name", ["bm25s", "rank-bm25", "milvus"])
DENSE = pytest.mark.parametrize("name", ["product", "faiss", "milvus"])
DEPTHS = pytest.mark.parametrize("depth", [1, 3, 40, 70, 500])
NONE = slice(0, 0)


class Rows:
    """What is read of an index to load it: postings, vectors, the first row of equal ones."""

    def __init__(self, units, vectors):
        self.units, self.vectors = units, vectors
        self.paragraph_postings = Postings.build(units, BM25Params())
        self.has_vectors = vectors is not None
        self.case_of_row = self.positions = np.arange(len(units))
        first = {}
        self.twins = np.array([first.setdefault(tuple(u), r) for r, u in enumerate(units)])


@pytest.fixture(scope="module")
def milvus(tmp_path_factory):
    return open_file(tmp_path_factory.mktemp("milvus"))


def loaded(milvus, rows):
    """The collection that holds these rows; loaded but once."""
    dim = rows.vectors.shape[1] if rows.has_vectors else None
    name = f"parm_{content_sha256(row_blocks(rows))[:32]}"
    collection = MilvusCollection(milvus, name, len(rows.units), dim)
    if not collection.exists():
        collection.load(row_blocks(rows))
    return collection


@pytest.fixture
def lexical_search(request):
    """search(name, rows, queries, depth, excluded) -> hits."""

    def search(name, rows, queries, depth, excluded=NONE):
        if name == "milvus":
            collection = loaded(request.getfixturevalue("milvus"), rows)
            vocabulary = rows.paragraph_postings.vocabulary
            engine = MilvusLexicalEngine(collection, vocabulary, rows.twins)
            return engine.search(queries, depth=depth, excluded=excluded)
        local = ImpactEngine(rows.paragraph_postings)
        engine = local if name == "bm25s" else RankBM25Engine(rows.units, BM25Params())
        return engine.search(queries, depth=depth, excluded=excluded)

    return search


@pytest.fixture
def dense_search(request):
    """search(name, rows, queries, depth, excluded) -> hits."""

    def search(name, rows, queries, depth, excluded=NONE):
        if name == "milvus":
            collection = loaded(request.getfixturevalue("milvus"), rows)
            engine = MilvusDenseEngine(collection, rows.twins)
        else:
            of = {"product": ProductEngine, "faiss": FaissEngine}[name]
            engine = of(rows.vectors, rows.twins)
        return engine.search(queries, depth=depth, excluded=excluded)

    return search


def bm25_scores(rows, queries):
    """(n_q, P) float64: each term's impacts times its count, one after the other."""
    postings = rows.paragraph_postings
    scores = np.zeros((len(queries), postings.n_units))
    for of_query, terms in zip(scores, queries, strict=True):
        for term, count in Counter(terms).items():
            t = postings.vocabulary.get(term)
            if t is not None:
                span = slice(postings.starts[t], postings.starts[t + 1])
                of_query[postings.units[span]] += count * postings.impacts[span].astype(np.float64)
    return scores


def assert_conform(hits, scores, excluded=NONE, above=-np.inf):
    """Every list is the head of a full sort of `scores` but for near ties, and in order by itself."""
    scores = scores.copy()
    scores[:, excluded] = -np.inf
    slack = 1e-5 * np.abs(scores[np.isfinite(scores)]).max(initial=0)
    for rows, found, every in zip(hits.rows, hits.scores, scores, strict=True):
        best = np.sort(every[every > above])[::-1][: hits.depth]
        held, found = rows[: best.size], found[: best.size]
        assert (rows[best.size :] == -1).all()
        assert (held >= 0).all()
        assert len(set(held.tolist())) == best.size
        np.testing.assert_allclose(found, best, rtol=1e-5, atol=slack)
        np.testing.assert_allclose(every[held], found, rtol=1e-5, atol=slack)
        assert held.tolist() == held[np.lexsort((held, -found))].tolist()
        if best.size:
            clear = np.flatnonzero(every > best[-1] + slack)
            assert set(clear.tolist()) <= set(held.tolist())


def unit_vectors(n, dim, seed):
    drawn = np.random.default_rng(seed).normal(size=(n, dim))
    return (drawn / np.linalg.norm(drawn, axis=1, keepdims=True)).astype(np.float32)


@pytest.fixture(scope="module")
def rows():
    """600 short units of few words, every tenth the same, one of 25 empty; equal units, equal vectors."""
    draw = np.random.default_rng(3)
    words = ["barge", "bee", "chain", "honey", "lamp", "lease", "mill", "rust", "storm", "wool"]
    units = [draw.choice(words, size=draw.integers(1, 9)).tolist() for _ in range(600)]
    units[::10] = [["storm", "barge"]] * 60
    units[5::25] = [[]] * 24
    vectors = unit_vectors(600, 24, seed=4)
    first = {}
    places = [first.setdefault(tuple(unit), row) for row, unit in enumerate(units)]
    return Rows(units, vectors[places])


QUERIES = [["storm", "storm", "barge"], ["lamp"], [], ["unknown"], ["bee", "wool", "unknown"]]


@LEXICAL
@DEPTHS
@pytest.mark.parametrize("excluded", [NONE, slice(0, 30), slice(590, 600)])
def test_bm25_hits_are_those_of_a_full_sort(name, depth, excluded, rows, lexical_search):
    hits = lexical_search(name, rows, QUERIES, depth, excluded)
    assert hits.rows.shape == hits.scores.shape == (len(QUERIES), depth)
    assert_conform(hits, bm25_scores(rows, QUERIES), excluded, above=0)


@LEXICAL
@pytest.mark.parametrize("depth", [1, 7, 40])
def test_equal_units_stand_by_row_at_the_cut_too(name, depth, rows, lexical_search):
    """More than 40 units are just the query's words."""
    hits = lexical_search(name, rows, [["storm", "barge"]], depth)
    same = [row for row, unit in enumerate(rows.units) if sorted(unit) == ["barge", "storm"]]
    assert hits.rows[0].tolist() == same[:depth]
    assert len(set(hits.scores[0].tolist())) == 1


@DENSE
@DEPTHS
@pytest.mark.parametrize("excluded", [NONE, slice(100, 300), slice(0, 600)])
def test_dense_hits_are_those_of_a_full_sort(name, depth, excluded, rows, dense_search):
    queries = unit_vectors(4, 24, seed=9)
    hits = dense_search(name, rows, queries, depth, excluded)
    assert (hits.rows.dtype, hits.scores.dtype) == (np.int64, np.float32)
    products = queries.astype(np.float64) @ rows.vectors.T.astype(np.float64)
    assert_conform(hits, products, excluded)


@DENSE
@pytest.mark.parametrize("depth", [1, 20, 59, 61, 200])
def test_equal_vectors_tie_exactly_and_stand_by_row(name, depth, rows, dense_search):
    """The vector of 60 equal units is the query; those come first, in ascending order."""
    hits = dense_search(name, rows, rows.vectors[:1], depth)
    same = np.flatnonzero((rows.vectors == rows.vectors[0]).all(axis=1))[:depth]
    assert hits.rows[0, : same.size].tolist() == same.tolist()
    assert len(set(hits.scores[0, : same.size].tolist())) == 1


@DENSE
def test_a_tie_longer_than_any_margin_goes_by_row(name, dense_search):
    """All of 400 vectors are equal: whatever an engine reads first, rows 0 to 19 are the hits."""
    rows = Rows([["barge"]] * 400, np.repeat(unit_vectors(1, 16, seed=1), 400, axis=0))
    hits = dense_search(name, rows, rows.vectors[:2], 20, slice(3, 8))
    assert hits.rows.tolist() == [[0, 1, 2, *range(8, 25)]] * 2


@DENSE
def test_negative_products_are_hits_too(name, dense_search):
    rows = Rows([["barge"], ["bee"]], np.array([[1, 0], [-1, 0]], dtype=np.float32))
    hits = dense_search(name, rows, np.array([[2, 0]], dtype=np.float32), 3)
    assert hits.rows.tolist() == [[0, 1, -1]]
    assert hits.scores.tolist() == [[2, -2, 0]]


@pytest.mark.parametrize("name", ["bm25s", "milvus"])
def test_bm25_conforms_on_real_text(name, aila_lexical, lexical_search):
    """Ten real paragraphs against 8,883, to the default depth."""
    index = aila_lexical.index
    rows = _Real(index)
    queries = [index.tokeniser.terms(text) for text in index.texts(slice(900, 910))]
    hits = lexical_search(name, rows, queries, 1000, slice(900, 905))
    assert_conform(hits, bm25_scores(rows, queries), slice(900, 905), above=0)


@pytest.mark.slow
@DENSE
def test_dense_search_conforms_on_real_vectors(name, aila_dense, dense_search):
    rows = _Real(aila_dense.index)
    queries = np.array(rows.vectors[900:910])
    hits = dense_search(name, rows, queries, 1000, slice(900, 905))
    products = queries.astype(np.float64) @ rows.vectors.T.astype(np.float64)
    assert_conform(hits, products, slice(900, 905))


class _Real(Rows):
    """The rows of an index."""

    def __init__(self, index):
        self.units = range(index.n_paragraphs)
        self.has_vectors = index.has_vectors
        self.vectors = np.array(index.vectors) if index.has_vectors else None
        self.paragraph_postings, self.twins = index.paragraph_postings, index.twins
        self.case_of_row, self.positions = index.case_of_row, index.positions
