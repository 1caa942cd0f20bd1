"""Measures against trec_eval itself, and what an absent query scores."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
import pytrec_eval
from hypothesis import given, settings
from hypothesis import strategies as st

from parm_core.errors import ConfigError, DataError
from parm_core.evaluation import DEFAULT_MEASURES, evaluate, evaluate_queries
from parm_core.types import Ranking


def ranking(*pairs):
    return Ranking(tuple(c for c, _ in pairs), np.array([s for _, s in pairs], dtype=np.float32))


TREC_NAMES = {
    "nDCG@10": "ndcg_cut_10",
    "R@5": "recall_5",
    "P@5": "P_5",
    "AP": "map",
    "RR": "recip_rank",
}


@settings(max_examples=50)
@given(data=st.data())
def test_measures_are_trec_evals(data):
    cases = [f"c{n}" for n in range(12)]
    run, plain, qrels = {}, {}, {}
    for query in ("q1", "q2"):
        found = data.draw(st.lists(st.sampled_from(cases), min_size=1, unique=True))
        levels = st.integers(0, 3).map(float)
        scores = {c: data.draw(levels) for c in found}
        order = sorted(scores, key=lambda c: (scores[c], c), reverse=True)
        run[query] = ranking(*((c, scores[c]) for c in order))
        plain[query] = scores
        judged = data.draw(st.lists(st.sampled_from(cases), min_size=1, unique=True))
        qrels[query] = {c: data.draw(st.integers(0, 2)) for c in judged}
        qrels[query][judged[0]] = 1
    raw = pytrec_eval.RelevanceEvaluator(qrels, set(TREC_NAMES.values())).evaluate(plain)
    found = evaluate_queries(run, qrels, list(TREC_NAMES))
    for name, trec_name in TREC_NAMES.items():
        for query in qrels:
            assert found[name][query] == pytest.approx(raw[query][trec_name], abs=1e-9)


QRELS = {"q1": {"c1": 1, "c2": 1}, "q2": {"c3": 1}}


def test_by_hand():
    run = {"q1": ranking(("c9", 3), ("c1", 2), ("c2", 1)), "q2": ranking(("c3", 1))}
    values = evaluate(run, QRELS, ["nDCG@10", "R@2", "P@2", "AP"])
    ideal = 1 / np.log2(2) + 1 / np.log2(3)
    assert values["nDCG@10"] == pytest.approx(((1 / np.log2(3) + 1 / np.log2(4)) / ideal + 1) / 2)
    assert values["R@2"] == pytest.approx((1 / 2 + 1) / 2)
    assert values["P@2"] == pytest.approx((1 / 2 + 1 / 2) / 2)
    assert values["AP"] == pytest.approx(((1 / 2 + 2 / 3) / 2 + 1) / 2)


def test_a_judged_query_that_the_run_lacks_scores_0_and_counts():
    run = {"q1": ranking(("c1", 2), ("c2", 1))}
    assert evaluate_queries(run, QRELS, ["R@10"]) == {"R@10": {"q1": 1.0, "q2": 0.0}}
    assert evaluate(run, QRELS, ["R@10"]) == {"R@10": 0.5}
    assert set(evaluate({}, QRELS).values()) == {0.0}


def test_a_query_that_found_nothing_scores_0_and_counts():
    run = {"q1": ranking(("c1", 2), ("c2", 1)), "q2": ranking()}
    assert evaluate(run, QRELS, ["R@10", "nDCG@10"]) == {"R@10": 0.5, "nDCG@10": 0.5}


def test_a_query_that_is_not_judged_counts_nothing():
    run = {"q1": ranking(("c1", 2), ("c2", 1)), "q2": ranking(("c3", 1)), "q3": ranking(("c9", 1))}
    assert evaluate(run, QRELS, ["P@1"]) == {"P@1": 1.0}


def test_ties_are_broken_as_trec_eval_does():
    """Of tied c1 and c2, c2 stands first; float32 is what is compared."""
    run = {"q1": ranking(("c2", 1 + 3e-8), ("c1", 1))}
    assert evaluate(run, {"q1": {"c2": 1}}, ["RR"]) == {"RR": 1.0}
    assert evaluate(run, {"q1": {"c1": 1}}, ["RR"]) == {"RR": 0.5}


def test_the_measures_are_those_asked_for_in_their_order():
    run = {"q1": ranking(("c1", 1))}
    assert list(evaluate(run, QRELS)) == list(DEFAULT_MEASURES)
    assert list(evaluate(run, QRELS, ["R@1000", "AP", "R@5"])) == ["R@1000", "AP", "R@5"]


@pytest.mark.parametrize("names", [["AP", "MAP"], ["R@10", "Recall@10"], ["nDCG@10", "nDCG @ 10"]])
def test_two_names_of_one_measure_have_one_value(names):
    run = {"q1": ranking(("c1", 2), ("c2", 1)), "q2": ranking(("c3", 1))}
    assert set(evaluate(run, QRELS, names).values()) == {1.0}


BAD_MEASURES = ["nope", "", "nDCG@x", "nDCG@", "__import__('os')", "P@10 R@5", "R@1.5", "P"]
BAD_MEASURES += ["AP(x=1)", "alpha_nDCG@5", "RBP"]


@pytest.mark.parametrize("name", BAD_MEASURES)
def test_an_unknown_measure_says_how_to_write_one(name):
    with pytest.raises(ConfigError) as caught:
        evaluate({"q1": ranking(("c1", 1))}, QRELS, ["AP", name])
    assert f"{name!r}" in str(caught.value)
    assert "nDCG@10, R@100, AP" in str(caught.value)


def test_a_cut_off_of_0_is_refused():
    """In a process of its own: trec_eval's own check ends the process."""
    code = (
        "import numpy as np; from parm_core import ConfigError, Ranking, evaluate\n"
        "run = {'q': Ranking(('a',), np.ones(1, np.float32))}\n"
        "try: evaluate(run, {'q': {'a': 1}}, ['R@0'])\n"
        "except ConfigError as error: print('refused', error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert done.stdout.startswith("refused")


def test_without_labels_there_is_nothing_to_measure():
    with pytest.raises(DataError, match="no qrels to measure against"):
        evaluate({"q1": ranking(("c1", 1))}, {})
