"""TREC runs and qrels: trec_eval's order, and every fault named."""

from __future__ import annotations

import gzip

import numpy as np
import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st

from parm_core.collections.trec import read_qrels, read_run
from parm_core.errors import DataError


@pytest.fixture
def write(tmp_path):
    def write(text, name="run.trec"):
        path = tmp_path / name
        data = text.encode() if isinstance(text, str) else text
        path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
        return path

    return write


def refused(read, path, message):
    with pytest.raises(DataError) as caught:
        read(path)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


RUN = "q1 Q0 b 1 2.5 x\nq1 Q0 a 2 2 x\nq2 Q0 a 1 -1 x\n"


def test_a_run_is_read_whole(write):
    run, notes = read_run(write(RUN))
    assert {query: ranking.case_ids for query, ranking in run.items()} == {
        "q1": ("b", "a"),
        "q2": ("a",),
    }
    assert run["q1"].scores.dtype == np.float32
    assert run["q1"].scores.tolist() == [2.5, 2.0]
    assert notes == ()


def test_a_gzip_run_reads_the_same(write):
    packed, plain = read_run(write(RUN, "run.trec.gz"))[0], read_run(write(RUN))[0]
    assert {query: list(ranking) for query, ranking in packed.items()} == {
        query: list(ranking) for query, ranking in plain.items()
    }


def test_neither_rank_nor_place_in_the_file_orders_a_run(write):
    run, notes = read_run(write("q1 Q0 a 1 1 x\nq1 Q0 b 9 3 x\nq1 Q0 c 3 2 x\nq1 Q0 d 4 4 x\n"))
    assert run["q1"].case_ids == ("d", "b", "c", "a")
    assert notes == (
        "lines with a higher score than the line before, put in order: 2 "
        "(run.trec, line 2: 'q1' 'b'; run.trec, line 4: 'q1' 'd')",
    )


def test_lines_of_several_queries_may_mix(write):
    _, notes = read_run(write("q1 Q0 a 1 1 x\nq2 Q0 a 1 2 x\nq1 Q0 b 2 0.5 x\n"))
    assert notes == ()


def test_scores_tie_as_float32_and_the_higher_id_is_first(write):
    """1 + 3e-8 is 1 as float32."""
    run, notes = read_run(write("q1 Q0 a 1 1.00000003 x\nq1 Q0 c 2 1 x\nq1 Q0 b 3 1 x\n"))
    assert run["q1"].case_ids == ("c", "b", "a")
    assert notes == ()


def test_of_a_case_ranked_twice_the_higher_score_stays(write):
    run, notes = read_run(write("q1 Q0 a 1 3 x\nq1 Q0 b 2 2 x\nq1 Q0 a 3 1 x\nq1 Q0 b 4 1 x\n"))
    assert list(run["q1"].ranks()) == ["a", "b"]
    assert run["q1"].scores.tolist() == [3.0, 2.0]
    assert notes == (
        "cases ranked twice for a query, the higher score kept: 2 "
        "(run.trec, line 3: 'q1' 'a'; run.trec, line 4: 'q1' 'b')",
    )


@pytest.mark.parametrize("score", ["nan", "inf", "-inf", "1e39", "-1e39", "high", "1,5"])
def test_a_score_that_is_no_finite_number_is_refused(write, score):
    path = write(f"q1 Q0 b 1 2 x\nq1 Q0 a 2 {score} x\n")
    refused(read_run, path, f"run.trec, line 2: the score of 'q1' 'a' is no number: '{score}'")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("q1 Q0 a 1 2\n", "run.trec, line 1: expected query, Q0, case, rank, score, tag; got 5"),
        (RUN + "\nq1 Q0 a b 1 2 x\n", "run.trec, line 5: expected query, Q0, case, rank, score"),
        ("", "run.trec: it holds no ranking"),
        ("\n\n", "run.trec: it holds no ranking"),
        (b"q1 Q0 \xff 1 2 x\n", "run.trec is not UTF-8"),
    ],
)
def test_a_bad_run_is_named(write, text, message):
    refused(read_run, write(text), message)


def test_a_run_that_is_not_there_is_named(tmp_path):
    refused(read_run, tmp_path / "none.trec", "none.trec: No such file or directory")


@given(
    st.lists(
        st.tuples(st.sampled_from("abcdefgh"), st.sampled_from([0.0, 1.0, 1.00000003, 2.0, -1.0])),
        min_size=1,
        max_size=8,
        unique_by=lambda scored: scored[0],
    )
)
def test_a_run_is_ordered_as_trec_eval_orders_it(tmp_path_factory, scored):
    """Reciprocal rank tells where trec_eval places each case."""
    path = tmp_path_factory.mktemp("runs") / "run.trec"
    path.write_text("".join(f"q Q0 {case} 1 {score!r} x\n" for case, score in scored))
    ranks = read_run(path)[0]["q"].ranks()
    for case, _ in scored:
        evaluator = pytrec_eval.RelevanceEvaluator({"q": {case: 1}}, {"recip_rank"})
        value = evaluator.evaluate({"q": dict(scored)})["q"]["recip_rank"]
        assert value == pytest.approx(1 / ranks[case])


QRELS = {"q1": {"a": 1, "b": 0}, "q2": {"a": 3}}


@pytest.mark.parametrize(
    "text",
    [
        "q1 0 a 1\nq1 0 b 0\nq2 0 a 3\n",
        "q1\t0\ta\t1\nq1\t0\tb\t0\n\nq2\t0\ta\t3",
        "query-id\tcorpus-id\tscore\nq1\ta\t1\nq1\tb\t0\nq2\ta\t3\n",
        "q1\ta\t1\nq1\tb\t0\nq2\ta\t3\n",
    ],
)
@pytest.mark.parametrize("name", ["qrels.txt", "qrels.txt.gz"])
def test_qrels_are_read_in_trec_s_form_and_in_beir_s(write, text, name):
    assert read_qrels(write(text, name)) == (QRELS, ())


def test_a_grade_may_be_negative(write):
    assert read_qrels(write("q1 0 a -2\n"))[0] == {"q1": {"a": -2}}


def test_a_label_given_twice_is_noted(write):
    qrels, notes = read_qrels(write("q1 0 a 1\nq1 0 a 1\n", "qrels.txt"))
    assert qrels == {"q1": {"a": 1}}
    assert notes == ("labels given twice: 1 (qrels.txt, line 2: 'q1' 'a')",)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("q1 0 a 1\nq1 0 a 2\n", "qrels.txt, line 2: 'q1' and 'a' already have another grade, 1"),
        ("q1 0 a 1\nq1 a\n", "qrels.txt, line 2: expected query, 0, case, grade or query, case"),
        ("q1 0 a b 1\n", "qrels.txt, line 1: expected query, 0, case, grade or query, case, gra"),
        ("q1 0 a high\n", "qrels.txt, line 1: the grade of 'q1' 'a' is no whole number: 'high'"),
        ("q1 0 a 1.5\n", "qrels.txt, line 1: the grade of 'q1' 'a' is no whole number: '1.5'"),
        ("q1 0 a 9999999999\n", "qrels.txt, line 1: the grade of 'q1' 'a' is no whole number"),
        ("", "qrels.txt: it holds no labels"),
        ("query-id corpus-id score\n", "qrels.txt: it holds no labels"),
    ],
)
def test_bad_qrels_are_named(write, text, message):
    refused(read_qrels, write(text, "qrels.txt"), message)
