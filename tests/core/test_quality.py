"""Measures on a real collection: nobody may make retrieval worse without noticing."""

from __future__ import annotations

import numpy as np
import pytest
from oracles import AGGREGATIONS, Hit
from slow_search import assert_ranking

from parm_core.evaluation import evaluate
from parm_core.explanation import contributions
from parm_core.systems import parse_system


@pytest.fixture(scope="module")
def lexical_queries(aila, aila_lexical):
    """query id -> the query, which keeps its terms and hits."""
    return {case.id: aila_lexical.query(case.text) for case in aila.queries}


@pytest.fixture(scope="module")
def dense_queries(aila, aila_dense):
    """query id -> the query, which keeps its vectors and hits."""
    return {case.id: aila_dense.query(case.text) for case in aila.queries}


def measure(searcher, queries, labelled, system, name):
    run = {query_id: searcher.rank(query, system) for query_id, query in queries.items()}
    return evaluate(run, labelled.qrels, [name])[name]


@pytest.mark.parametrize(
    ("system", "name", "least"),
    [
        ("bm25:doc", "nDCG@10", 0.27),
        ("bm25:doc", "R@100", 0.85),
        ("bm25:rrf", "R@100", 0.87),
        ("bm25:srrf", "nDCG@10", 0.36),
        ("bm25:srrf", "R@100", 0.90),
    ],
)
def test_bm25_is_as_good_as_measured(aila, aila_lexical, lexical_queries, system, name, least):
    assert measure(aila_lexical, lexical_queries, aila, system, name) >= least


def test_sharp_rrf_is_what_it_is_for(aila, aila_lexical, lexical_queries):
    """It repairs what RRF loses at the top."""
    sharp = measure(aila_lexical, lexical_queries, aila, "bm25:srrf", "nDCG@10")
    assert sharp > measure(aila_lexical, lexical_queries, aila, "bm25:rrf", "nDCG@10") + 0.1


@pytest.mark.parametrize("name", ["combsum", "rrf", "srrf", "max"])
def test_a_real_ranking_is_that_of_the_formula(aila, aila_lexical, name):
    """The hits are taken as found: their aggregation is what is checked here."""
    index = aila_lexical.index
    query = aila_lexical.query(aila.queries[0].text)
    hits = aila_lexical.hits(query, parse_system(f"bm25:{name}"))
    found = [
        [
            Hit(index.case_ids[index.case_of_row[r]], int(index.positions[r]), float(score))
            for r, score in zip(rows, scores, strict=True)
            if r >= 0
        ]
        for rows, scores in zip(hits.rows, hits.scores, strict=True)
    ]
    sizes = dict(zip(index.case_ids, index.case_sizes.tolist(), strict=True))
    wanted = AGGREGATIONS[name](found, sizes=sizes)
    assert_ranking(aila_lexical.rank(query, f"bm25:{name}"), wanted)


@pytest.mark.parametrize("system", ["bm25:doc", "bm25:srrf", "bm25:max", "bm25:combsum"])
def test_the_evidence_of_real_cases_sums_to_their_scores(aila, aila_lexical, system):
    query = aila_lexical.query(aila.queries[1].text)
    for case in list(aila_lexical.rank(query, system))[:10]:
        why = contributions(aila_lexical, query, system, case.case_id)
        assert abs(why.cells.sum() - case.score) <= 1e-4 * np.abs(why.cells).sum()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("system", "name", "least"),
    [
        ("dense:vrrf", "R@100", 0.92),
        ("dense:rrf", "R@100", 0.92),
        ("dense:srrf", "nDCG@10", 0.29),
    ],
)
def test_dense_is_as_good_as_measured(aila, aila_dense, dense_queries, system, name, least):
    assert measure(aila_dense, dense_queries, aila, system, name) >= least


@pytest.mark.slow
@pytest.mark.parametrize("by", ["retrieval", "similarity"])
@pytest.mark.parametrize(
    "system",
    [
        *(f"dense:{name}" for name in ("vrrf", "vavg", "vmax", "vmin", "vranks", "vscores")),
        *("dense:firstp", "dense:maxp", "bm25:vrrf"),
    ],
)
def test_dense_evidence_of_real_cases_sums_to_their_scores(aila, aila_dense, system, by):
    query = aila_dense.query(aila.queries[2].text)
    for case in list(aila_dense.rank(query, system))[:5]:
        why = contributions(aila_dense, query, system, case.case_id, by=by)
        assert abs(why.cells.sum() - case.score) <= 1e-4 * np.abs(why.cells).sum()


@pytest.mark.slow
def test_equal_paragraphs_of_real_cases_tie(aila_dense, aila):
    """Every list of hits: equal texts have one score, by case id descending, then position."""
    index = aila_dense.index
    assert (index.twins != np.arange(index.n_paragraphs)).sum() > 10
    query = aila_dense.query(aila.queries[0].text)
    hits = aila_dense.hits(query, parse_system("dense:rrf@depth=100000"))
    for rows, scores in zip(hits.rows, hits.scores, strict=True):
        score_of = np.empty(index.n_paragraphs, dtype=np.float32)
        score_of[rows] = scores
        np.testing.assert_array_equal(score_of, score_of[index.twins])
        tied = scores[:-1] == scores[1:]
        assert (rows[:-1][tied] < rows[1:][tied]).all()
