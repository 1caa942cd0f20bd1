"""Systems held against a baseline: a table of the paper's kind, every figure worked out by hand."""

from __future__ import annotations

from math import atan, inf, log2, pi, sqrt

import numpy as np
import pytest

from parm_core.errors import ConfigError, DataError
from parm_core.evaluation import Difference, compare
from parm_core.types import Ranking


def ranking(ids):
    return Ranking(tuple(ids), np.arange(len(ids), 0, -1, dtype=np.float32))


def run(**rankings):
    return {query: ranking(ids) for query, ids in rankings.items()}


QRELS = {
    "q1": {"a": 1, "b": 1, "c": 0},
    "q2": {"c": 1},
    "q3": {"d": 1, "e": 1, "f": 1},
    "q4": {"a": 1, "b": 0},
}
DOC = run(q1="cad", q2="c", q3="abde")
PARM = run(q1="abc", q2="dc", q3="defa", q4="bca")
RUNS = {"bm25:doc": DOC, "bm25:rrf": PARM, "bm25:copy": DOC}
MEASURES = ["nDCG@10", "R@2", "R@100", "AP"]

GAIN = {rank: 1 / log2(rank + 1) for rank in range(1, 5)}
IDEAL = {relevant: sum(GAIN[rank] for rank in range(1, relevant + 1)) for relevant in (1, 2, 3)}

BY_HAND = {
    "bm25:doc": {
        "nDCG@10": [GAIN[2] / IDEAL[2], 1, (GAIN[3] + GAIN[4]) / IDEAL[3], 0],
        "R@2": [1 / 2, 1, 0, 0],
        "R@100": [1 / 2, 1, 2 / 3, 0],
        "AP": [1 / 2 / 2, 1, (1 / 3 + 2 / 4) / 3, 0],
    },
    "bm25:rrf": {
        "nDCG@10": [1, GAIN[2], 1, GAIN[3]],
        "R@2": [1, 1, 2 / 3, 0],
        "R@100": [1, 1, 1, 1],
        "AP": [1, 1 / 2, 1, 1 / 3],
    },
}
BY_HAND["bm25:copy"] = BY_HAND["bm25:doc"]


def p_with_3_degrees(t):
    """Two-sided, from F(t) = 1/2 + (u / (1 + u²) + atan u) / pi, u = t / sqrt(3)."""
    u = t / sqrt(3)
    return 1 - 2 / pi * (u / (1 + u**2) + atan(u))


@pytest.fixture(scope="module")
def compared():
    return compare(RUNS, QRELS, MEASURES, baseline="bm25:doc")


def test_the_whole_table_by_hand(compared):
    """q4, which document-level retrieval lacks, counts 0 there."""
    assert compared.systems == ("bm25:doc", "bm25:rrf", "bm25:copy")
    assert compared.measures == tuple(MEASURES)
    assert compared.queries == ("q1", "q2", "q3", "q4")
    for system, measures in BY_HAND.items():
        for measure, values in measures.items():
            assert list(compared.per_query[system][measure].values()) == pytest.approx(values)
            assert compared.means[system][measure] == pytest.approx(sum(values) / 4)


def test_the_means_as_fractions(compared):
    means = compared.means
    assert means["bm25:doc"]["R@2"] == pytest.approx(3 / 8)
    assert means["bm25:rrf"]["R@2"] == pytest.approx(2 / 3)
    assert means["bm25:doc"]["R@100"] == pytest.approx(13 / 24)
    assert means["bm25:rrf"]["R@100"] == pytest.approx(1)
    assert means["bm25:doc"]["AP"] == pytest.approx(55 / 144)
    assert means["bm25:rrf"]["AP"] == pytest.approx(17 / 24)


def test_significance_by_hand(compared):
    """R@100 differs by 1/2, 0, 1/3, 1: mean 11/24, mean square (1/4 + 1/9 + 1) / 4 = 49/144.

    The population variance is 196/576 - 121/576 = 75/576, so that d = 11 / sqrt(75), and
    t = d sqrt(3) = 11/5. Two systems are compared with the baseline: p is doubled.
    """
    difference = compared.differences["bm25:rrf"]["R@100"]
    p = p_with_3_degrees(11 / 5)
    assert compared.comparisons == 2
    assert difference.mean == pytest.approx(11 / 24)
    assert difference.d == pytest.approx(11 / sqrt(75))
    assert difference.p == pytest.approx(p, abs=1e-12)
    assert difference.corrected_p == pytest.approx(2 * p, abs=1e-12)
    assert 0.05 < p < 0.2 and difference.marks == "‡"


def test_significance_of_another_measure_by_hand(compared):
    """R@2 differs by 1/2, 0, 2/3, 0: mean 7/24, variance 25/144 - 49/576 = 51/576, t = 7 / sqrt(17)."""
    difference = compared.differences["bm25:rrf"]["R@2"]
    assert difference.d == pytest.approx(7 / sqrt(51))
    assert difference.p == pytest.approx(p_with_3_degrees(7 / sqrt(17)), abs=1e-12)


def test_a_system_that_does_as_the_baseline_does_differs_by_nothing(compared):
    assert set(compared.differences["bm25:copy"].values()) == {Difference(0, 1, 1, 0)}


def test_the_baseline_is_not_compared_with_itself(compared):
    assert set(compared.differences) == {"bm25:rrf", "bm25:copy"}
    alone = compare({"bm25:doc": DOC}, QRELS, MEASURES, baseline="bm25:doc")
    assert alone.differences == {} and alone.comparisons == 0


def test_without_a_baseline_nothing_is_tested():
    plain = compare({"one": DOC}, {"q1": {"a": 1}}, ["P@1"])
    assert plain.baseline is None and plain.differences == {} and plain.comparisons == 0
    assert plain.per_query == {"one": {"P@1": {"q1": 0.0}}}


def test_the_randomisation_test_by_hand():
    """R@100 differs by 1/2, 0, 1/3, 1, all to one side: 2 of the 8 swaps of what differs are as far."""
    found = compare(RUNS, QRELS, MEASURES, baseline="bm25:doc", test="randomisation")
    assert found.test == "randomisation"
    assert found.differences["bm25:rrf"]["R@100"].p == 2 / 8
    assert found.differences["bm25:rrf"]["R@100"].corrected_p == 4 / 8
    assert found.differences["bm25:copy"]["R@100"].p == 1


def test_a_system_better_by_as_much_on_every_query_is_significant_and_sizeable():
    qrels = {"q1": {"a": 1}, "q2": {"b": 1}}
    runs = {"worse": run(q1="b", q2="a"), "better": run(q1="a", q2="b")}
    assert compare(runs, qrels, ["P@1"], baseline="worse").differences == {
        "better": {"P@1": Difference(1, 0, 0, inf)}
    }
    assert compare(runs, qrels, ["P@1"], baseline="better").differences == {
        "worse": {"P@1": Difference(-1, 0, 0, -inf)}
    }


@pytest.mark.parametrize(
    ("corrected_p", "d", "marks"),
    [
        (0.049, 0.21, "†‡"),
        (0.05, 0.2, ""),
        (0.05, -0.21, "‡"),
        (0.049, -0.2, "†"),
        (0, -inf, "†‡"),
    ],
)
def test_marks_are_the_papers(corrected_p, d, marks):
    """† below 0.05 after correction, ‡ above 0.2 in size."""
    assert Difference(0.1, 0.001, corrected_p, d).marks == marks


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"runs": {}}, "no systems to compare"),
        ({"measures": []}, "no measures"),
        ({"measures": ["nope"]}, "unknown measure 'nope'"),
        ({"baseline": "bm25"}, "'bm25' is not among the systems: bm25:doc, bm25:rrf, bm25:copy"),
        ({"test": "sign"}, r"unknown test 'sign'; one of \['randomisation', 't'\]"),
    ],
)
def test_what_cannot_be_compared_is_refused(options, message):
    with pytest.raises(ConfigError, match=message):
        compare(**({"runs": RUNS, "qrels": QRELS} | options))


def test_labels_are_needed_and_two_queries_for_a_t_test():
    with pytest.raises(DataError, match="no qrels"):
        compare(RUNS, {})
    with pytest.raises(DataError, match="at least 2 queries, got 1"):
        compare(RUNS, {"q1": QRELS["q1"]}, baseline="bm25:doc")
    one = compare(RUNS, {"q1": QRELS["q1"]}, baseline="bm25:doc", test="randomisation")
    assert one.differences["bm25:rrf"]["R@100"].p == 1
