"""Statistics of a collection, counted by hand."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from parm_core.analysis.statistics import Spread, collection_statistics
from parm_core.errors import DataError
from parm_core.types import Case, Kind, Paragraph


def case(case_id, *paragraphs):
    """Paragraphs of so many words: a number, or (number, kind, retrieved)."""
    whole = [p if isinstance(p, tuple) else (p, Kind.BODY, True) for p in paragraphs]
    made = tuple(Paragraph(" ".join(["word"] * n), kind, 0, 0, kept) for n, kind, kept in whole)
    return Case(case_id, "", "", paragraphs=made)


CASES = [
    case("a", (4, Kind.INTRO, True), (6, Kind.NUMBERED, True), (90, Kind.SUMMARY, False)),
    case("b", 511, 512, 600),
    case("c", (1, Kind.NUMBERED, True)),
]
QUERIES = [case("q1", 10, 20), case("q2", 30)]
QRELS = {"q1": {"a": 1, "b": 2, "c": 0}, "q2": {"c": 1}, "q3": {}}


def test_statistics_by_hand():
    found = collection_statistics(CASES, QUERIES, QRELS)
    assert found.paragraphs_a_case.tolist() == [2, 3, 1]
    assert found.paragraphs_a_query.tolist() == [2, 1]
    assert found.words_a_paragraph.tolist() == [4, 6, 511, 512, 600, 1]
    assert found.words_a_case.tolist() == [10, 1623, 1]
    assert found.words_a_query.tolist() == [30, 30]
    assert found.relevant_a_query.tolist() == [2, 1, 0]
    assert found.share_under_512 == pytest.approx(4 / 6)
    assert found.left_out == 1
    assert found.kinds == {Kind.INTRO: 1, Kind.SUMMARY: 0, Kind.NUMBERED: 2, Kind.BODY: 3}
    assert found.share_over_limit is None


def test_a_spread_by_hand():
    assert Spread.of(np.array([1, 2, 2, 10])) == (15 / 4, 2, 1, 10)
    assert str(Spread.of(np.array([1, 2, 2, 10]))) == "mean 3.8, median 2, 1 to 10"
    assert str(Spread.of(np.array([1000, 2001]))) == "mean 1,500.5, median 1,500.5, 1,000 to 2,001"


def test_the_share_over_the_limit_is_of_those_longer_than_the_encoder_reads():
    tokens = np.array([6, 8, 9, 900, 800, 3])
    found = collection_statistics(CASES, QUERIES, QRELS, tokens=tokens, max_tokens=8)
    assert found.share_over_limit == pytest.approx(3 / 6)
    assert collection_statistics(CASES, [], {}, tokens=tokens).share_over_limit is None
    assert collection_statistics(CASES, [], {}, max_tokens=8).share_over_limit is None


def test_tokens_of_other_paragraphs_are_refused():
    with pytest.raises(DataError, match="tokens were given for 2 paragraphs, the cases have 6"):
        collection_statistics(CASES, [], {}, tokens=np.array([1, 2]), max_tokens=8)


def test_statistics_as_a_dictionary():
    tokens = np.array([6, 8, 9, 900, 800, 3])
    found = collection_statistics(CASES, QUERIES, QRELS, tokens=tokens, max_tokens=8).as_dict()
    assert found["queries"] == 2
    assert found["judged_queries"] == 3
    assert found["cases"] == 3
    assert found["paragraphs"] == 6
    assert found["paragraphs_left_out"] == 1
    assert found["relevant_a_query"] == {"mean": 1, "median": 1, "min": 0, "max": 2}
    assert found["words_a_case"] == {"mean": 1634 / 3, "median": 10, "min": 1, "max": 1623}
    assert found["share_under_512_words"] == pytest.approx(4 / 6)
    assert (found["share_over_limit"], found["max_tokens"]) == (0.5, 8)
    assert found["kinds"] == {"intro": 1, "summary": 0, "numbered": 2, "body": 3}
    json.dumps(found, allow_nan=False)


def test_statistics_as_a_table():
    tokens = np.array([6, 8, 9, 900, 800, 3])
    rows = collection_statistics(CASES, QUERIES, QRELS, tokens=tokens, max_tokens=8).rows()
    assert rows == [
        ("queries", "2"),
        ("judged queries", "3"),
        ("cases", "3"),
        ("paragraphs", "6"),
        ("paragraphs left out", "1"),
        ("relevant cases a query", "mean 1, median 1, 0 to 2"),
        ("paragraphs a case", "mean 2, median 2, 1 to 3"),
        ("paragraphs a query case", "mean 1.5, median 1.5, 1 to 2"),
        ("words a paragraph", "mean 272.3, median 258.5, 1 to 600"),
        ("words a case", "mean 544.7, median 10, 1 to 1,623"),
        ("words a query case", "mean 30, median 30, 30 to 30"),
        ("paragraphs under 512 words", "66.7 %"),
        ("paragraphs over 8 tokens", "50.0 %"),
        ("kinds of paragraph", "1 intro, 2 numbered, 3 body"),
    ]


def test_an_empty_collection_has_no_spread():
    """NaN within, None in JSON, a dash in the table."""
    found = collection_statistics([], [], {}, tokens=np.array([], dtype=np.int64), max_tokens=8)
    assert all(math.isnan(value) for spread in found.spreads.values() for value in spread)
    assert math.isnan(found.share_under_512)
    assert found.share_over_limit is None
    assert found.as_dict()["words_a_case"] == dict.fromkeys(("mean", "median", "min", "max"))
    assert dict(found.rows())["words a case"] == "–"
    assert dict(found.rows())["kinds of paragraph"] == "–"
    json.dumps(found.as_dict(), allow_nan=False)


def test_the_real_statistics_hold_together(aila, aila_lexical):
    """The sums agree with the index's own counts."""
    index = aila_lexical.index
    cases = [index.case(case_id) for case_id in index.case_ids]
    found = collection_statistics(cases, [], aila.qrels)
    assert found.words_a_paragraph.size == index.n_paragraphs
    np.testing.assert_array_equal(found.paragraphs_a_case, index.case_sizes)
    assert found.words_a_case.sum() == found.words_a_paragraph.sum()
    assert sum(found.kinds.values()) == index.n_paragraphs
    assert found.relevant_a_query.sum() == sum(
        grade > 0 for grades in aila.qrels.values() for grade in grades.values()
    )
