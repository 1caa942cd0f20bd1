"""One suite over both BM25 engines: the formula's scores, and one rule for hits."""

from __future__ import annotations

import math
import os
from collections import Counter

import bm25s
import numpy as np
import oracles
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from parm_core.errors import ConfigError
from parm_core.index import parallel
from parm_core.index.lexical import BM25Params, ImpactEngine, Postings, RankBM25Engine, search
from parm_core.index.parallel import in_parallel
from parm_core.index.selection import best_rows, top_rows

ENGINES = ["bm25s", "rank-bm25"]
DEFAULTS = BM25Params()
UNITS = [
    ["barge", "chain", "barge", "harbour"],
    ["bee", "orchard", "honey"],
    [],
    ["chain", "chain", "chain", "rust", "winter", "storm", "wool"],
    ["bee", "orchard", "honey"],
    ["storm"],
]


def engine_of(name, units, params=DEFAULTS):
    if name == "bm25s":
        return ImpactEngine(Postings.build(units, params))
    return RankBM25Engine(units, params)


def slow_scores(units, terms, params=DEFAULTS):
    scores = oracles.bm25(terms, dict(enumerate(units)), k1=params.k1, b=params.b)
    return [scores[unit] for unit in range(len(units))]


words = st.sampled_from(["barge", "bee", "chain", "honey", "orchard", "rust", "storm", "wool"])
units_of_words = st.lists(st.lists(words, max_size=6), min_size=1, max_size=8).filter(any)


@pytest.mark.parametrize("name", ENGINES)
@settings(max_examples=60)
@given(
    units=units_of_words,
    terms=st.lists(words | st.just("unknown"), max_size=8),
    k1=st.floats(0.1, 5),
    b=st.floats(0, 1),
)
def test_scores_are_those_of_the_formula(name, units, terms, k1, b):
    params = BM25Params(k1=k1, b=b)
    scores = engine_of(name, units, params).scores(terms)
    assert scores.dtype == np.float32
    np.testing.assert_allclose(scores, slow_scores(units, terms, params), rtol=1e-5, atol=1e-9)


@pytest.mark.parametrize("name", ENGINES)
def test_a_score_by_hand(name):
    """ "chain" is in 2 of 4 units of 2 terms on average; in the first, once among 3 terms."""
    units = [["chain", "rust", "wool"], ["chain"], ["bee", "bee"], ["bee", "honey"]]
    idf = math.log(1 + (4 - 2 + 0.5) / (2 + 0.5))
    once = idf * 1 / (1 + 1.3 * (1 - 0.8 + 0.8 * 3 / 2))
    engine = engine_of(name, units)
    assert engine.scores(["chain"])[0] == pytest.approx(once)
    assert engine.scores(["chain", "chain"])[0] == pytest.approx(2 * once)
    assert engine.scores(["bee"])[2] == pytest.approx(idf * 2 / (2 + 1.3 * (1 - 0.8 + 0.8 * 2 / 2)))


@pytest.mark.parametrize("name", ENGINES)
def test_a_unit_that_scores_0_is_no_hit(name):
    hits = search(engine_of(name, UNITS), [["honey"], ["unknown"], []], depth=6)
    assert hits.rows.tolist() == [[1, 4, -1, -1, -1, -1], [-1] * 6, [-1] * 6]
    assert (hits.scores[0, :2] > 0).all()
    assert (hits.scores[0, 2:] == 0).all()
    assert not hits.scores[1:].any()


@pytest.mark.parametrize("name", ENGINES)
def test_equal_units_tie_and_the_earlier_row_stands_first_at_the_cut_too(name):
    engine = engine_of(name, UNITS)
    both = search(engine, [["honey", "bee"]], depth=2)
    assert both.rows.tolist() == [[1, 4]]
    assert both.scores[0, 0] == both.scores[0, 1]
    assert search(engine, [["honey", "bee"]], depth=1).rows.tolist() == [[1]]


@pytest.mark.parametrize("name", ENGINES)
def test_excluded_rows_are_no_hits_and_change_no_score(name):
    engine = engine_of(name, UNITS)
    terms = [["chain", "storm", "bee"]]
    every = search(engine, terms, depth=6)
    some = search(engine, terms, depth=6, excluded=slice(0, 2))
    kept = [(r, s) for r, s in zip(every.rows[0], every.scores[0], strict=True) if r >= 2]
    held = some.rows[0] >= 0
    assert list(zip(some.rows[0][held], some.scores[0][held], strict=True)) == kept


@pytest.mark.parametrize("name", ENGINES)
def test_an_empty_query_case_gives_an_empty_table(name):
    hits = search(engine_of(name, UNITS), [], depth=3)
    assert hits.rows.shape == (0, 3)


@pytest.mark.parametrize(
    "name",
    [
        "bm25s",
        pytest.param(
            "rank-bm25",
        ),
    ],
)
def test_units_without_any_term_give_no_hits(name):
    assert search(engine_of(name, [[], []]), [["chain"]], depth=2).rows.tolist() == [[-1, -1]]


@pytest.mark.filterwarnings("ignore:invalid value")
@pytest.mark.parametrize(
    "name",
    [
        "bm25s",
        pytest.param("rank-bm25"),
    ],
)
def test_k1_of_0_counts_a_term_once(name):
    params = BM25Params(k1=0)
    scores = engine_of(name, UNITS, params).scores(["chain", "storm"])
    np.testing.assert_allclose(scores, slow_scores(UNITS, ["chain", "storm"], params), rtol=1e-6)


def test_both_engines_find_the_same_on_real_text(aila_lexical):
    """The first 100 hits of each query paragraph, but for ties, on 600 paragraphs of real cases."""
    index = aila_lexical.index
    tokenise = index.tokeniser.terms
    units = [tokenise(text) for text in index.texts(slice(0, 600))]
    queries = [tokenise(text) for text in index.texts(slice(900, 910))]
    fast = search(engine_of("bm25s", units), queries, depth=100)
    slow = search(engine_of("rank-bm25", units), queries, depth=100)
    np.testing.assert_allclose(fast.scores, slow.scores, rtol=1e-5)
    for one, other, scores in zip(fast.rows, slow.rows, fast.scores, strict=True):
        clear = scores > scores[-1] * (1 + 1e-5)
        assert clear.any()
        assert set(one[clear]) == set(other[scores > scores[-1] * (1 + 1e-5)])
        parted = np.flatnonzero(one != other)
        by_row = dict(zip(one.tolist(), scores.tolist(), strict=True))
        for place in parted:
            there = by_row.get(int(other[place]), scores[-1])
            assert there == pytest.approx(scores[place], rel=1e-5)


def added_up(postings, terms):
    """Scores by adding one term's impacts after the other: the slow twin of the sparse product."""
    total = np.zeros(postings.n_units)
    for t, count in sorted(Counter(map(postings.vocabulary.get, terms)).items()):
        span = slice(postings.starts[t], postings.starts[t + 1])
        for unit, impact in zip(postings.units[span], postings.impacts[span], strict=True):
            total[unit] += np.float64(impact) * count
    return total.astype(np.float32)


@settings(max_examples=60)
@given(units=units_of_words, terms=st.lists(words, max_size=30))
def test_scores_are_those_of_adding_term_after_term(units, terms):
    postings = Postings.build(units, DEFAULTS)
    known = [term for term in terms if term in postings.vocabulary]
    slow = added_up(postings, known)
    np.testing.assert_allclose(ImpactEngine(postings).scores(terms), slow, rtol=2e-6)


@settings(max_examples=60)
@given(units=units_of_words, k1=st.floats(0, 5), b=st.floats(0, 1))
def test_impacts_are_bit_for_bit_those_of_bm25s(units, k1, b):
    assume(k1 > 0 or all(units))
    postings = Postings.build(units, BM25Params(k1=k1, b=b))
    assert_same_postings(postings, units, k1, b)


def assert_same_postings(postings, units, k1, b):
    ids = [[postings.vocabulary[term] for term in unit] for unit in units]
    built = bm25s.BM25(k1=k1, b=b, method="lucene").build_index_from_ids(
        list(range(len(postings.vocabulary))), ids, show_progress=False
    )
    for name, array in (("data", postings.impacts), ("indices", postings.units)):
        assert array.dtype == built[name].dtype
        np.testing.assert_array_equal(array, built[name])
    np.testing.assert_array_equal(postings.starts, built["indptr"])


def test_postings_are_bit_for_bit_and_scores_nearly_the_same_on_real_text(aila_lexical):
    index = aila_lexical.index
    units = [index.tokeniser.terms(text) for text in index.texts(slice(0, 600))]
    postings = Postings.build(units, DEFAULTS)
    assert_same_postings(postings, units, DEFAULTS.k1, DEFAULTS.b)
    for terms in units[:5]:
        found = ImpactEngine(postings).scores(terms)
        np.testing.assert_allclose(found, added_up(postings, terms), rtol=2e-6)


def test_threads_change_nothing(monkeypatch):
    """More queries than threads, of different lengths."""
    engine = engine_of("bm25s", UNITS)
    queries = [UNITS[i % 6][: 1 + i % 4] for i in range(40)]
    found = []
    for cores in (1, 4):
        monkeypatch.setattr(parallel, "n_cores", lambda cores=cores: cores)
        found.append(search(engine, queries, depth=4, excluded=slice(1, 2), threads=True))
    assert found[0].rows.tolist() == found[1].rows.tolist()
    assert found[0].scores.tolist() == found[1].scores.tolist()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system forks no processes")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_forked_process_has_threads_of_its_own(monkeypatch):
    monkeypatch.setattr(parallel, "n_cores", lambda: 2)
    assert in_parallel(abs, [-1, -2]) == [1, 2]
    child = os.fork()
    if child == 0:
        os._exit(7 if in_parallel(abs, [-3, -4]) == [3, 4] else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7


@pytest.mark.parametrize("cores", [1, 3])
def test_parallel_work_comes_back_in_the_order_of_its_tasks(monkeypatch, cores):
    monkeypatch.setattr(parallel, "n_cores", lambda: cores)
    assert in_parallel(lambda n: n * n, range(50)) == [n * n for n in range(50)]


def test_an_impact_is_what_one_occurrence_adds():
    postings = Postings.build(UNITS, BM25Params())
    engine = ImpactEngine(postings)
    for term in ("chain", "honey", "unknown"):
        scores = engine.scores([term])
        assert [postings.impact(term, unit) for unit in range(6)] == scores.tolist()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"k1": -0.1}, r"k1 must be in \[0, 100\], got -0.1"),
        ({"k1": 101}, r"k1 must be in \[0, 100\], got 101"),
        ({"k1": math.nan}, "got nan"),
        ({"b": 1.01}, r"b must be in \[0, 1\], got 1.01"),
        ({"b": -1}, r"b must be in \[0, 1\], got -1"),
    ],
)
def test_parameters_out_of_range_are_refused(given, message):
    with pytest.raises(ConfigError, match=message):
        BM25Params(**given)


@settings(max_examples=60)
@given(
    n=st.sampled_from([1, 5, 300, 20_000]),
    levels=st.sampled_from([2, 50, 10_000]),
    depth=st.sampled_from([1, 3, 100, 1000]),
    above=st.sampled_from([-np.inf, 0.0]),
    seed=st.integers(0, 1000),
)
def test_top_rows_are_those_of_a_full_sort(n, levels, depth, above, seed):
    """However many ties: score descending, then row ascending, only above the limit."""
    drawn = np.random.default_rng(seed).integers(-levels // 4, levels, size=n)
    scores = drawn.astype(np.float32)
    order = sorted((r for r in range(n) if drawn[r] > above), key=lambda r: (-drawn[r], r))
    assert top_rows(scores, depth, above=above).tolist() == order[:depth]


@settings(max_examples=60)
@given(
    scored=st.dictionaries(st.integers(0, 99), st.sampled_from([-1.5, 0.0, 0.25, 2.0])),
    depth=st.integers(1, 40),
)
def test_best_rows_are_those_of_a_full_sort(scored, depth):
    """In whatever order they come: score descending, then row ascending."""
    rows = np.array(list(scored), dtype=np.int64)
    best, scores = best_rows(rows, np.array(list(scored.values()), dtype=np.float32), depth)
    assert best.tolist() == sorted(scored, key=lambda row: (-scored[row], row))[:depth]
    assert scores.tolist() == [scored[row] for row in best.tolist()]


def test_top_rows_leave_out_what_is_minus_infinity():
    scores = np.full(30_000, -np.inf, dtype=np.float32)
    scores[[7, 29_999]] = 1, 2
    assert top_rows(scores, 5).tolist() == [29_999, 7]
