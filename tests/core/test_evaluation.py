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
from parm_core.reports import as_trec
from parm_core.types import Ranking


def ranking(*pairs):
    return Ranking(tuple(c for c, _ in pairs), np.array([s for _, s in pairs], dtype=np.float32))


def ranked(scores):
    """{case id: score} in trec_eval's order."""
    return ranking(*sorted(scores.items(), key=lambda i: (np.float32(i[1]), i[0]), reverse=True))


TREC_NAMES = {
    "nDCG": "ndcg",
    "nDCG@10": "ndcg_cut_10",
    "R@5": "recall_5",
    "R@100": "recall_100",
    "R@500": "recall_500",
    "R@1000": "recall_1000",
    "P@5": "P_5",
    "AP": "map",
    "AP@100": "map_cut_100",
    "RR": "recip_rank",
    "Rprec": "Rprec",
    "Bpref": "bpref",
    "Success@1": "success_1",
    "SetP": "set_P",
    "IPrec@0.2": "iprec_at_recall_0.20",
    "NumRet": "num_ret",
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
        run[query] = ranked(scores)
        plain[query] = scores
        judged = data.draw(st.lists(st.sampled_from(cases), min_size=1, unique=True))
        qrels[query] = {c: data.draw(st.integers(-2, 2)) for c in judged}
        qrels[query][judged[0]] = 1
    assert_trec_evals(evaluate_queries(run, qrels, list(TREC_NAMES)), plain, qrels)


def assert_trec_evals(found, plain, qrels):
    raw = pytrec_eval.RelevanceEvaluator(qrels, set(TREC_NAMES.values())).evaluate(plain)
    for name, trec_name in TREC_NAMES.items():
        for query in qrels:
            wanted = raw[query][trec_name] if query in raw else 0
            assert found[name][query] == pytest.approx(wanted, abs=1e-6), (name, query)


@pytest.mark.parametrize("levels", [3, 40, None], ids=["many ties", "ties", "hardly any ties"])
def test_an_exported_run_has_the_same_values_by_trec_eval(levels):
    """1,300 cases a query, so that each cut-off cuts; one judged query is not in the run."""
    rng = np.random.default_rng(7)
    cases = [f"case-{n}" for n in range(2000)]
    run, qrels = {}, {"absent": {"case-1": 1}}
    for query in ("q1", "q2", "q3"):
        found = rng.choice(cases, 1300, replace=False)
        scores = rng.random(1300) if levels is None else rng.integers(0, levels, 1300) / 7
        run[query] = ranked(dict(zip(found.tolist(), scores.tolist(), strict=True)))
        judged = rng.choice(cases, 60, replace=False).tolist()
        qrels[query] = dict(zip(judged, rng.integers(0, 4, 60).tolist(), strict=True))
    plain = {}
    for line in as_trec(run, "tag", 2000).splitlines():
        query, _, case_id, _, score, _ = line.split()
        plain.setdefault(query, {})[case_id] = float(score)
    together = evaluate_queries(run, qrels, list(TREC_NAMES))
    assert_trec_evals(together, plain, qrels)
    for name in TREC_NAMES:
        assert evaluate_queries(run, qrels, [name]) == {name: together[name]}


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


def test_scores_and_ids_decide_and_not_where_a_case_stands():
    """c1 and c2 tie at the cut, and stand in the wrong order."""
    run = {"q1": ranking(("c0", 1), ("c3", 3), ("c1", 2), ("c2", 2))}
    assert evaluate(run, {"q1": {"c2": 1}}, ["R@2"]) == {"R@2": 1.0}
    assert evaluate(run, {"q1": {"c1": 1}}, ["R@2"]) == {"R@2": 0.0}
    assert evaluate(run, {"q1": {"c1": 1}}, ["R@2", "R@3"]) == {"R@2": 0.0, "R@3": 1.0}


def test_the_measures_are_those_asked_for_in_their_order():
    run = {"q1": ranking(("c1", 1))}
    assert list(evaluate(run, QRELS)) == list(DEFAULT_MEASURES)
    assert list(evaluate(run, QRELS, ["R@1000", "AP", "R@5"])) == ["R@1000", "AP", "R@5"]


@pytest.mark.parametrize("names", [["AP", "MAP"], ["R@10", "Recall@10"], ["nDCG@10", "nDCG @ 10"]])
def test_two_names_of_one_measure_have_one_value(names):
    run = {"q1": ranking(("c1", 2), ("c2", 1)), "q2": ranking(("c3", 1))}
    assert set(evaluate(run, QRELS, names).values()) == {1.0}


ALIKE = [
    ("IPrec@0.1", "IPrec@0.101"),
    ("nDCG@10", "nDCG(gains={1:5,2:1})@10"),
    ("nDCG@10", "nDCG(gains={1:5,2:1})@10", "nDCG(gains={1:0,2:2})@10"),
    ("P@2", "P(rel=2)@2", "P(judged_only=True)@2"),
    ("SetF(beta=1.0)", "SetF(beta=2.0)", "NumRet", "NumRet(rel=1)"),
]


@pytest.mark.parametrize("names", ALIKE, ids=" ".join)
def test_measures_that_look_alike_keep_their_own_values(names):
    """Each asked for alone; together ir_measures would take some of them for each other."""
    run = {"q1": ranking(("c9", 4), ("c1", 3), ("c8", 2), ("c2", 1))}
    qrels = {"q1": {"c1": 1, "c2": 2, "c3": 1, "c9": 0}}
    alone = {name: evaluate(run, qrels, [name])[name] for name in names}
    assert evaluate(run, qrels, names) == evaluate(run, qrels, names[::-1]) == alone


def test_judged_only_looks_past_the_cut_for_what_is_judged():
    run = {"q1": ranking(("c8", 3), ("c9", 2), ("c1", 1))}
    measures = ["P@1", "P(judged_only=True)@1"]
    assert evaluate(run, {"q1": {"c1": 1}}, measures) == dict(zip(measures, (0, 1), strict=True))


def test_gains_by_hand():
    run = {"q1": ranking(("c1", 2), ("c2", 1))}
    found = evaluate(run, {"q1": {"c1": 1, "c2": 2}}, ["nDCG@2", "nDCG(gains={1:5,2:1})@2"])
    step = 1 / np.log2(3)
    assert found["nDCG@2"] == pytest.approx((1 + 2 * step) / (2 + step))
    assert found["nDCG(gains={1:5,2:1})@2"] == pytest.approx(1)


BAD_MEASURES = ["nope", "", "nDCG@x", "nDCG@", "__import__('os')", "P@10 R@5", "R@1.5", "P"]
BAD_MEASURES += ["AP(x=1)", "alpha_nDCG@5", "RBP"]
BAD_MEASURES += [
    "R@99999999999999999999999",
    "AP(cutoff=3.5)",
    "P@True",
    "AP(rel=0)",
    "P(rel=2.5)@5",
]
BAD_MEASURES += ["nDCG(gains=3)@10", "nDCG(gains={0:1.5})", "nDCG(gains={1:2000000000})", "RR@10"]


@pytest.mark.parametrize("name", BAD_MEASURES)
def test_an_unknown_measure_says_how_to_write_one(name):
    with pytest.raises(ConfigError) as caught:
        evaluate({"q1": ranking(("c1", 1))}, QRELS, ["AP", name])
    assert f"{name!r}" in str(caught.value)
    assert "nDCG@10, R@100, AP" in str(caught.value)


def in_its_own_process(qrels, measure):
    """(exit code, what it said) of measuring: what trec_eval cannot bear ends the process."""
    code = (
        "import numpy as np; from parm_core import ParmError, Ranking, evaluate\n"
        "run = {'q': Ranking(('a',), np.ones(1, np.float32))}\n"
        f"try: print(evaluate(run, {qrels}, [{measure!r}]))\n"
        "except ParmError as error: print('refused', error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout


def test_a_cut_off_of_0_is_refused():
    code, said = in_its_own_process({"q": {"a": 1}}, "R@0")
    assert code == 0 and said.startswith("refused")


def test_a_query_whose_grades_are_all_below_0_scores_0():
    assert in_its_own_process({"q": {"a": -5, "b": -2}}, "nDCG@10") == (0, "{'nDCG@10': 0.0}\n")


def test_a_vast_grade_is_refused():
    """trec_eval would take 8 GB to count it."""
    with pytest.raises(DataError, match="query 'q1', case 'c2': the grade 1000000000 is above"):
        evaluate({"q1": ranking(("c1", 1))}, {"q1": {"c1": 1, "c2": 10**9}})


@pytest.mark.parametrize("measure", ["AP", "R@1"])
def test_a_score_that_is_not_a_number_is_refused(measure):
    run = {"q1": ranking(("c1", 2), ("c2", np.nan))}
    with pytest.raises(DataError, match="query 'q1': the score of case 'c2' is not a number"):
        evaluate(run, QRELS, [measure])


def test_a_case_ranked_twice_is_refused():
    run = {"q1": ranking(("c1", 3), ("c2", 2), ("c1", 1))}
    with pytest.raises(DataError, match="query 'q1': case 'c1' is ranked twice"):
        evaluate(run, QRELS, ["AP"])


def test_without_labels_there_is_nothing_to_measure():
    with pytest.raises(DataError, match="no qrels to measure against"):
        evaluate({"q1": ranking(("c1", 1))}, {})
