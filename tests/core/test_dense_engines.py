"""One suite over all dense engines: the plain product's scores, and one rule for hits."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parm_core.index import dense
from parm_core.index.approximate import ClusteredEngine, Recall
from parm_core.index.clustering import clustered, in_clusters
from parm_core.index.dense import FaissEngine, ProductEngine


def every_cluster(vectors, twins):
    """Clusters, all of which are read: an exact search."""
    centroids, cluster = clustered(vectors, twins)
    everything = Recall(len(centroids), 1.0, 0, 1000)
    return ClusteredEngine(in_clusters(vectors, centroids, cluster), twins, everything)


ENGINES = {"product": ProductEngine, "faiss": FaissEngine, "ivf": every_cluster}
ALL = pytest.mark.parametrize("name", list(ENGINES))


def first_of_equals(vectors):
    first = {}
    return np.array([first.setdefault(v.tobytes(), r) for r, v in enumerate(vectors)])


def engine_of(name, vectors):
    return ENGINES[name](vectors, first_of_equals(vectors))


def unit_vectors(n, dim, seed):
    drawn = np.random.default_rng(seed).normal(size=(n, dim))
    return (drawn / np.linalg.norm(drawn, axis=1, keepdims=True)).astype(np.float32)


def assert_best(hits, queries, vectors, depth, excluded=slice(0, 0)):
    """Scores as a float64 product gives them; rows in the order of a full sort but for near ties."""
    products = queries.astype(np.float64) @ vectors.astype(np.float64).T
    products[:, excluded] = -np.inf
    found = min(depth, int(np.isfinite(products[0]).sum()))
    wanted = -np.sort(-products, axis=1)[:, :found]
    np.testing.assert_allclose(hits.scores[:, :found], wanted, rtol=1e-5, atol=1e-6)
    assert (hits.rows[:, found:] == -1).all()
    assert not hits.scores[:, found:].any()
    for rows, of_query, best in zip(hits.rows[:, :found], products, wanted, strict=True):
        assert len(set(rows.tolist())) == found
        np.testing.assert_allclose(of_query[rows], best, rtol=1e-5, atol=1e-6)


@ALL
@settings(max_examples=40)
@given(
    n=st.sampled_from([1, 7, 90, 700]),
    depth=st.sampled_from([1, 3, 50, 1000]),
    n_queries=st.integers(1, 5),
    start=st.integers(0, 90),
    length=st.integers(0, 60),
    seed=st.integers(0, 1000),
)
def test_hits_are_those_of_a_plain_product(name, n, depth, n_queries, start, length, seed):
    vectors, queries = unit_vectors(n, 12, seed), unit_vectors(n_queries, 12, seed + 1)
    excluded = slice(start, start + length)
    hits = engine_of(name, vectors).search(queries, depth=depth, excluded=excluded)
    assert hits.rows.shape == hits.scores.shape == (n_queries, depth)
    assert (hits.rows.dtype, hits.scores.dtype) == (np.int64, np.float32)
    assert_best(hits, queries, vectors, depth, excluded)


@ALL
@pytest.mark.parametrize("depth", [1, 2, 5, 40, 200])
def test_duplicates_tie_exactly_and_stand_by_row_at_the_cut_too(name, depth):
    """A vector at 60 of 300 places, here and there, is one score and rows in ascending order."""
    vectors = unit_vectors(300, 384, seed=4)
    vectors[::5] = vectors[0]
    query = vectors[:1] + 0.1 * unit_vectors(1, 384, seed=5)
    hits = engine_of(name, vectors).search(query.astype(np.float32), depth=depth)
    twins = min(depth, 60)
    assert hits.rows[0, :twins].tolist() == list(range(0, 5 * twins, 5))
    assert len(set(hits.scores[0, :twins].tolist())) == 1


@ALL
def test_all_equal_vectors_give_rows_in_order(name):
    vectors = np.repeat(unit_vectors(1, 384, seed=1), 150, axis=0)
    hits = engine_of(name, vectors).search(vectors[:2], depth=20, excluded=slice(3, 8))
    assert hits.rows.tolist() == [[0, 1, 2, *range(8, 25)]] * 2


@ALL
def test_negative_products_are_hits_too(name):
    vectors = np.array([[1, 0], [-1, 0]], dtype=np.float32)
    hits = engine_of(name, vectors).search(np.array([[2, 0]], dtype=np.float32), depth=3)
    assert hits.rows.tolist() == [[0, 1, -1]]
    assert hits.scores.tolist() == [[2, -2, 0]]


@ALL
def test_excluding_all_leaves_nothing(name):
    vectors = unit_vectors(4, 3, seed=0)
    hits = engine_of(name, vectors).search(vectors[:1], depth=4, excluded=slice(0, 4))
    assert hits.rows.tolist() == [[-1] * 4]


@settings(max_examples=40)
@given(
    block=st.integers(1, 400),
    of_queries=st.integers(1, 12),
    depth=st.sampled_from([1, 7, 60]),
    start=st.integers(0, 50),
    seed=st.integers(0, 99),
)
def test_blocks_of_rows_and_queries_give_what_one_block_gives(
    block, of_queries, depth, start, seed
):
    """With twins in other blocks than their first row, which may be excluded."""
    vectors, queries = unit_vectors(50, 8, seed), unit_vectors(9, 8, seed + 1)
    vectors[7::9], vectors[5::11] = vectors[7], vectors[5]
    excluded = slice(start, start + 8)
    whole = engine_of("product", vectors).search(queries, depth=depth, excluded=excluded)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dense, "_BLOCK_SCORES", block)
        patch.setattr(dense, "_BLOCK_QUERIES", of_queries)
        parted = engine_of("product", vectors).search(queries, depth=depth, excluded=excluded)
    assert parted.rows.tolist() == whole.rows.tolist()
    np.testing.assert_allclose(parted.scores, whole.scores, rtol=1e-6, atol=1e-7)
    for rows, scores in zip(parted.rows, parted.scores, strict=True):
        for text in (7, 5):
            twins = first_of_equals(vectors)[rows] == text
            assert len(set(scores[twins & (rows >= 0)].tolist())) <= 1


def test_the_product_reads_memory_mapped_vectors(tmp_path):
    vectors = unit_vectors(30, 6, seed=3)
    np.save(tmp_path / "v.npy", vectors)
    mapped = np.load(tmp_path / "v.npy", mmap_mode="r")
    hits = engine_of("product", mapped).search(vectors[:2], depth=5)
    assert hits.rows[:, 0].tolist() == [0, 1]
    assert_best(hits, vectors[:2], vectors, 5)


@pytest.mark.slow
@ALL
def test_hits_are_those_of_a_plain_product_on_real_vectors(aila_dense, name):
    index = aila_dense.index
    queries = np.array(index.vectors[100:108])
    hits = ENGINES[name](index.vectors, index.twins).search(
        queries, depth=1000, excluded=slice(90, 120)
    )
    assert_best(hits, queries, np.array(index.vectors), 1000, slice(90, 120))


@pytest.mark.slow
def test_exact_engines_rank_real_cases_alike(aila_dense, aila):
    """Near ties may part hits; no case's score may tell."""
    for case in aila.queries[:3]:
        query = aila_dense.query(case.text)
        product = aila_dense.rank(query, "dense:combsum@depth=100000")
        faiss = aila_dense.rank(query, "dense:combsum@depth=100000@engine=faiss")
        scores = dict(zip(faiss.case_ids, faiss.scores, strict=True))
        assert scores.keys() == set(product.case_ids)
        wanted = [scores[case_id] for case_id in product.case_ids]
        np.testing.assert_allclose(product.scores, wanted, rtol=1e-4)
