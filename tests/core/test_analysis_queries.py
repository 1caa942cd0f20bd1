"""Recall by cut-off, where matches lie, and what goes with a difference."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parm_core.analysis.cutoffs import cut_offs, recall_by_cutoff
from parm_core.analysis.queries import factor_correlations, match_places
from parm_core.errors import ConfigError, DataError
from parm_core.evaluation import evaluate
from parm_core.types import Hits, Ranking


def ranking(ids):
    return Ranking(tuple(ids), np.arange(len(ids), 0, -1, dtype=np.float32))


def hits(*lists):
    rows = np.array(lists, dtype=np.int64)
    return Hits(rows, np.where(rows >= 0, 1, 0).astype(np.float32))


def test_cut_offs_are_even_on_a_log_axis():
    assert cut_offs(1000) == (
        *(1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70),
        *(100, 150, 200, 300, 500, 700, 1000),
    )


@pytest.mark.parametrize(
    ("limit", "last"), [(1, (1,)), (2, (1, 2)), (4, (2, 3, 4)), (12, (7, 10, 12)), (71, (70, 71))]
)
def test_cut_offs_end_with_the_limit(limit, last):
    assert cut_offs(limit)[-len(last) :] == last


@pytest.mark.parametrize("limit", [0, -5])
def test_a_limit_below_1_is_refused(limit):
    with pytest.raises(ConfigError, match=f"must be 1 or more, got {limit}"):
        cut_offs(limit)


def test_recall_by_hand():
    """Two of two found at 1 and 3; one of two at 2; one query not in the run; one without any."""
    qrels = {
        "q1": {"a": 1, "c": 2, "b": 0},
        "q2": {"b": 1, "z": 1},
        "q3": {"a": 1},
        "q4": {"a": 0},
    }
    run = {"q1": ranking("abc"), "q2": ranking("ab"), "q4": ranking("a"), "unjudged": ranking("a")}
    found = recall_by_cutoff(run, qrels, [1, 2, 3, 10])
    np.testing.assert_allclose(found, np.array([0.5 + 0, 0.5 + 0.5, 1 + 0.5, 1 + 0.5]) / 4)


labelled = st.dictionaries(
    st.sampled_from("pqrs"),
    st.dictionaries(st.sampled_from("abcdefgh"), st.integers(0, 2), min_size=1),
    min_size=1,
)
runs = st.dictionaries(
    st.sampled_from("pqrst"),
    st.lists(st.sampled_from("abcdefghij"), unique=True, min_size=1).map(ranking),
    min_size=1,
)


@given(run=runs, qrels=labelled)
def test_recall_is_that_of_ir_measures(run, qrels):
    cutoffs = [1, 2, 3, 5, 20]
    found = recall_by_cutoff(run, qrels, cutoffs)
    measured = evaluate(run, qrels, [f"R@{k}" for k in cutoffs])
    np.testing.assert_allclose(found, [measured[f"R@{k}"] for k in cutoffs], atol=1e-6)


def test_recall_without_labels_or_at_0_is_refused():
    with pytest.raises(DataError, match="no qrels"):
        recall_by_cutoff({}, {}, [1])
    with pytest.raises(ConfigError, match="must be 1 or more, got 0"):
        recall_by_cutoff({}, {"q": {"a": 1}}, [1, 0])


A, B, C = slice(0, 5), slice(5, 6), slice(6, 9)


def test_match_places_by_hand():
    """A is best met at rank 1 by the second of 3, in its last of 5; C at rank 2, first of 3.

    Both the first and the third find C at rank 2: the first counts. B, of one paragraph, is unmet.
    """
    found = match_places(hits([9, 6, 0], [4, 1, 2], [9, 8, 7]), [A, B, C])
    assert found == pytest.approx(((1 / 2 + 0) / 2, (1 + 0) / 2))


def test_a_case_or_query_of_one_paragraph_is_met_in_its_middle():
    assert match_places(hits([5, 0]), [B]) == (0.5, 0.5)


def test_match_places_are_unknown_where_no_relevant_case_is_met():
    assert np.isnan(match_places(hits([0, -1], [-1, -1]), [B])).all()
    assert np.isnan(match_places(hits([0, 1]), [])).all()


def slow_match_places(found, relevant):
    places = []
    n_q = found.rows.shape[0]
    for case in relevant:
        met = [
            (rank, i, row)
            for i, rows in enumerate(found.rows.tolist())
            for rank, row in enumerate(rows, 1)
            if case.start <= row < case.stop
        ]
        if met:
            _, i, row = min(met)
            size = case.stop - case.start
            places.append(
                (
                    i / (n_q - 1) if n_q > 1 else 0.5,
                    (row - case.start) / (size - 1) if size > 1 else 0.5,
                )
            )
    return tuple(np.mean(places, axis=0)) if places else (np.nan, np.nan)


@given(
    lists=st.lists(
        st.permutations(range(10)).map(lambda rows: [*rows[:4], -1]), min_size=1, max_size=4
    ),
    relevant=st.lists(st.sampled_from([A, B, C]), unique_by=lambda case: case.start),
)
def test_match_places_are_the_slow_twin_s(lists, relevant):
    found = hits(*lists)
    np.testing.assert_allclose(match_places(found, relevant), slow_match_places(found, relevant))


def test_correlations_by_hand():
    """Ranks 1 2 3 4 against 2 1 4 3: rho = 1 - 6 * (1 + 1 + 1 + 1) / (4 * (16 - 1)).

    Student's t with 2 degrees of freedom has P(|t| > x) = 1 - x / sqrt(x² + 2).
    """
    difference = np.array([-0.1, 0.0, 0.2, 0.9])
    rho = 1 - 6 * 4 / (4 * 15)
    t = rho * np.sqrt(2 / (1 - rho**2))
    found = factor_correlations(difference, {"length": np.array([20.0, 10.0, 400.0, 30.0])})
    assert found["length"] == pytest.approx((rho, 1 - t / np.sqrt(t**2 + 2), 4))


def test_a_query_without_a_value_is_left_out():
    difference = np.array([1.0, 2.0, np.nan, 3.0, 4.0])
    factor = np.array([3.0, 2.0, 9.0, np.nan, 1.0])
    rho, _, n = factor_correlations(difference, {"place": factor})["place"]
    assert (rho, n) == (pytest.approx(-1), 3)


@pytest.mark.parametrize(
    ("difference", "factor", "n"),
    [
        ([1.0, 2.0], [1.0, 2.0], 2),
        ([], [], 0),
        ([1.0, 1.0, 1.0], [1.0, 2.0, 3.0], 3),
        ([1.0, 2.0, 3.0], [5.0, 5.0, 5.0], 3),
        ([1.0, 2.0, np.nan], [1.0, 2.0, 3.0], 2),
    ],
)
def test_a_correlation_that_says_nothing_is_nan(difference, factor, n):
    """And no warning is raised, which would fail the test."""
    found = factor_correlations(np.array(difference), {"f": np.array(factor)})["f"]
    assert np.isnan(found[:2]).all()
    assert found[2] == n


def test_a_factor_of_another_length_is_refused():
    with pytest.raises(DataError, match="length has 2 values for 3 queries"):
        factor_correlations(np.zeros(3), {"length": np.zeros(2)})
