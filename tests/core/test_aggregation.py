"""Every aggregation against its slow twin, and once by hand."""

from __future__ import annotations

import math
from collections import defaultdict
from types import SimpleNamespace

import numpy as np
import oracles
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import Hit

from parm_core.aggregation import AGGREGATIONS, aggregation
from parm_core.aggregation.hit_table import HitTable
from parm_core.errors import ConfigError
from parm_core.types import Hits

NAMES = sorted(AGGREGATIONS)


def corpus(sizes, dim, random):
    """Random paragraph vectors of cases c0, c1, … with some equal components; case numbers fall."""
    case_ids = [f"c{n}" for n in range(len(sizes))][::-1]
    places = [(c, p) for c, size in zip(case_ids, sizes, strict=True) for p in range(size)]
    vectors = random.choice([-1.0, -0.5, 0.25, 0.5, 1.0], size=(len(places), dim))
    return SimpleNamespace(
        case_ids=case_ids,
        sizes=dict(zip(case_ids, sizes, strict=True)),
        places=places,
        vectors=vectors.astype(np.float32),
        case_of_row=np.repeat(np.arange(len(sizes)), sizes),
        case_sizes=np.array(sizes),
    )


def table_of(made, hits, queries):
    """The oracle's hits as the library's table."""
    depth = max((len(of_query) for of_query in hits), default=0)
    rows = np.full((len(hits), depth), -1, dtype=np.int64)
    scores = np.zeros((len(hits), depth), dtype=np.float32)
    for i, of_query in enumerate(hits):
        for place, hit in enumerate(of_query):
            rows[i, place] = made.places.index((hit.case_id, hit.position))
            scores[i, place] = hit.score
    queries = np.asarray(queries, dtype=np.float32)
    return HitTable(Hits(rows, scores), made.case_of_row, made.case_sizes, queries, made.vectors)


def scored(name, made, hits, queries, **params):
    """case id -> score, by the library."""
    table = table_of(made, hits, queries)
    known = AGGREGATIONS[name]
    scores = known.scores(table, **{**known.params, **params})
    ids = [made.case_ids[c] for c in table.found]
    return dict(zip(ids, scores.tolist(), strict=True))


def expected(name, made, hits, queries, **params):
    vectors = dict(zip(made.places, made.vectors.tolist(), strict=True))
    given = {"sizes": made.sizes, "queries": queries, "vectors": vectors, **params}
    return oracles.AGGREGATIONS[name](hits, **given)


def random_hits(made, n_queries, random):
    """Lists of different lengths, one of them perhaps empty; equal scores occur."""
    hits = []
    for _ in range(n_queries):
        places = random.permutation(len(made.places))[: random.integers(0, len(made.places) + 1)]
        scores = sorted(random.choice(np.arange(-2, 9) / 4, size=len(places)), reverse=True)
        pairs = zip((made.places[p] for p in places), scores, strict=True)
        hits.append([Hit(c, p, float(score)) for (c, p), score in pairs])
    return hits


@st.composite
def searches(draw):
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    made = corpus(draw(st.lists(st.integers(1, 4), min_size=1, max_size=5)), 3, random)
    n_queries = draw(st.integers(1, 4))
    queries = random.choice([-1.0, 0.5, 0.75], size=(n_queries, 3)).tolist()
    return made, random_hits(made, n_queries, random), queries


def test_every_aggregation_has_an_oracle():
    assert sorted(oracles.AGGREGATIONS) == NAMES


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=60)
@given(search=searches())
def test_scores_are_those_of_the_formula(name, search):
    found, wanted = scored(name, *search), expected(name, *search)
    assert found.keys() == wanted.keys()
    for case_id, score in found.items():
        assert score == pytest.approx(wanted[case_id], rel=1e-5, abs=1e-5)


@pytest.mark.parametrize("name", NAMES)
def test_scores_are_those_of_the_formula_on_long_lists(name):
    random = np.random.default_rng(7)
    made = corpus(random.integers(1, 9, size=40).tolist(), 24, random)
    hits = random_hits(made, 12, random)
    queries = random.normal(size=(12, 24)).tolist()
    found, wanted = scored(name, made, hits, queries), expected(name, made, hits, queries)
    assert found.keys() == wanted.keys()
    np.testing.assert_allclose(
        [found[c] for c in sorted(found)], [wanted[c] for c in sorted(found)], rtol=1e-4, atol=1e-4
    )


@pytest.mark.parametrize(
    ("name", "params"),
    [
        ("rrf", {"k": 0}),
        ("rrf", {"k": 7.5}),
        ("vrrf", {"k": 2}),
        ("srrf", {"k": 1, "p": 3, "a": 1}),
    ],
)
def test_parameters_are_those_of_the_formula(name, params):
    random = np.random.default_rng(3)
    made = corpus([3, 1, 4], 3, random)
    search = made, random_hits(made, 3, random), [[0.5, 1, -1]] * 3
    found, wanted = scored(name, *search, **params), expected(name, *search, **params)
    assert found == {c: pytest.approx(score, rel=1e-6) for c, score in wanted.items()}


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=20)
@given(search=searches(), seed=st.integers(0, 99))
def test_the_order_of_query_paragraphs_changes_no_score(name, search, seed):
    made, hits, queries = search
    order = np.random.default_rng(seed).permutation(len(hits))
    shuffled = made, [hits[i] for i in order], [queries[i] for i in order]
    before, after = scored(name, *search), scored(name, *shuffled)
    assert after == {c: pytest.approx(score, rel=1e-6, abs=1e-6) for c, score in before.items()}


@pytest.mark.parametrize("name", NAMES)
def test_no_hits_give_no_scores(name):
    made = corpus([2, 1], 3, np.random.default_rng(0))
    assert scored(name, made, [[], []], [[1, 0, 0], [0, 1, 0]]) == {}


def test_an_unknown_aggregation_lists_the_choices():
    with pytest.raises(ConfigError, match="unknown aggregation 'mean'; one of combsum, max, rrf"):
        aggregation("mean")


# One search worked by hand. Two query paragraphs, two cases: c1 has one paragraph, c0 two.
#
#   rank             1            2           3
#   list 0        c1.0 .9      c0.0 .5      c0.1 .2
#   list 1        c0.1 .8      c1.0 .4

HAND = SimpleNamespace(
    case_ids=["c1", "c0"],
    sizes={"c1": 1, "c0": 2},
    places=[("c1", 0), ("c0", 0), ("c0", 1)],
    vectors=np.array([[1, 0], [0, 1], [2, -1]], dtype=np.float32),
    case_of_row=np.array([0, 1, 1]),
    case_sizes=np.array([1, 2]),
)
HAND_HITS = [
    [Hit("c1", 0, 0.9), Hit("c0", 0, 0.5), Hit("c0", 1, 0.2)],
    [Hit("c0", 1, 0.8), Hit("c1", 0, 0.4)],
]
HAND_QUERIES = [[3, 1], [1, 2]]  # their sum is (4, 3), their mean (2, 1.5)


def by_hand(name):
    return scored(name, HAND, HAND_HITS, HAND_QUERIES)


def test_combsum_by_hand():
    score = by_hand("combsum")
    assert score["c1"] == pytest.approx(0.9 + 0.4)
    assert score["c0"] == pytest.approx(0.5 + 0.2 + 0.8)


def test_max_by_hand():
    score = by_hand("max")
    assert score["c1"] == pytest.approx(0.9)
    assert score["c0"] == pytest.approx(0.8)


def test_rrf_by_hand():
    score = by_hand("rrf")
    assert score["c1"] == pytest.approx(1 / 61 + 1 / 62)
    assert score["c0"] == pytest.approx(1 / 62 + 1 / 63 + 1 / 61)


def test_srrf_by_hand():
    score = by_hand("srrf")
    assert score["c1"] == pytest.approx((1 / 6**2 + 1 / 7**2) / math.sqrt(1))
    assert score["c0"] == pytest.approx((1 / 7**2 + 1 / 8**2 + 1 / 6**2) / math.sqrt(2))


def test_vsum_by_hand():
    score = by_hand("vsum")
    # c1's vector: (1, 0) twice = (2, 0); c0's: (0, 1) + (2, -1) twice = (4, -1)
    assert score["c1"] == pytest.approx(4 * 2 + 3 * 0)
    assert score["c0"] == pytest.approx(4 * 4 + 3 * -1)


def test_vavg_by_hand():
    score = by_hand("vavg")
    assert score["c1"] == pytest.approx(2 * 1 + 1.5 * 0)
    assert score["c0"] == pytest.approx(2 * 4 / 3 + 1.5 * -1 / 3)


def test_vmax_by_hand():
    score = by_hand("vmax")
    # the query's vector: (3, 2); c0's: (2, 1)
    assert score["c1"] == pytest.approx(3 * 1 + 2 * 0)
    assert score["c0"] == pytest.approx(3 * 2 + 2 * 1)


def test_vmin_by_hand():
    score = by_hand("vmin")
    # the query's vector: (1, 1); c0's: (0, -1)
    assert score["c1"] == pytest.approx(1 * 1 + 1 * 0)
    assert score["c0"] == pytest.approx(1 * 0 + 1 * -1)


def test_vscores_by_hand():
    score = by_hand("vscores")
    # (4, 3) · (1, 0) = 4; · (0, 1) = 3; · (2, -1) = 5
    assert score["c1"] == pytest.approx(0.9 * 4 + 0.4 * 4)
    assert score["c0"] == pytest.approx(0.5 * 3 + 0.2 * 5 + 0.8 * 5)


def test_vranks_by_hand():
    score = by_hand("vranks")
    # weights 3, 2, 1 down a list of three; 2, 1 down a list of two
    assert score["c1"] == pytest.approx(3 * 4 + 1 * 4)
    assert score["c0"] == pytest.approx(2 * 3 + 1 * 5 + 2 * 5)


def test_vrrf_by_hand():
    score = by_hand("vrrf")
    assert score["c1"] == pytest.approx(4 / 61 + 4 / 62)
    assert score["c0"] == pytest.approx(3 / 62 + 5 / 63 + 5 / 61)


@pytest.mark.parametrize("name", NAMES)
def test_the_oracle_agrees_with_the_hand(name):
    found, wanted = by_hand(name), expected(name, HAND, HAND_HITS, HAND_QUERIES)
    assert found == {c: pytest.approx(score, rel=1e-6) for c, score in wanted.items()}


def test_a_paragraph_found_by_several_query_paragraphs_counts_every_time():
    hits = [[Hit("c1", 0, 0.5)], [Hit("c1", 0, 0.5)], [Hit("c1", 0, 0.5)]]
    queries = [[1, 0]] * 3
    assert scored("combsum", HAND, hits, queries)["c1"] == pytest.approx(3 * 0.5)
    assert scored("rrf", HAND, hits, queries)["c1"] == pytest.approx(3 / 61)
    assert scored("vsum", HAND, hits, queries)["c1"] == pytest.approx(3 * 3)


def test_hits_of_a_case_are_counted_once_each():
    table = table_of(HAND, HAND_HITS, HAND_QUERIES)
    counted = defaultdict(int)
    for of_query in HAND_HITS:
        for hit in of_query:
            counted[hit.case_id] += 1
    assert table.hits_of_case.tolist() == [counted[HAND.case_ids[c]] for c in table.found]
    assert table.lengths.tolist() == [3, 2]
