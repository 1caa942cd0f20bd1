"""The labelled heatmap, by hand and against a slow twin; where matches lie."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parm_core.analysis.heatmap import (
    Labels,
    Meetings,
    paragraph_heatmap,
    paragraph_labels,
)
from parm_core.analysis.meetings import relevant_hits
from parm_core.errors import ConfigError, DataError
from parm_core.types import Hits, Kind

A, B, C = slice(0, 4), slice(4, 7), slice(7, 9)
ROW_LABELS = ["I", "1", "2", "", "S", "1", "2", "1", "2"]


def hits(*lists):
    depth = max(map(len, lists), default=0)
    rows = np.array([[*rows] + [-1] * (depth - len(rows)) for rows in lists], dtype=np.int64)
    return Hits(rows, np.where(rows >= 0, 1, 0).astype(np.float32))


FIRST = Meetings(hits([1, 7, 4, 0], [5, 3, 1], [6]), ["I", "1", ""], [A, B], ROW_LABELS)
SECOND = Meetings(hits([5, 0], [0, 1, 2, 3]), ["1", "2"], [B], ROW_LABELS)


def test_the_heatmap_by_hand():
    """Row 7 is of C, relevant to neither; row 3 has no column, row 6 was found by no row."""
    found = paragraph_heatmap([FIRST, SECOND])
    assert found.rows == ("I", "1", "2")
    assert found.columns == ("I", "S", "1", "2")
    np.testing.assert_array_equal(found.counts, [[1, 1, 1, 0], [0, 0, 3, 0], [0, 0, 0, 0]])
    np.testing.assert_array_equal(found.queries, [[1, 1, 1, 0], [0, 0, 2, 0], [0, 0, 0, 0]])
    assert found.outside == 2


def test_what_chance_would_give_by_hand():
    """A has I, 1, 2 and one without a label; B has S, 1, 2."""
    found = paragraph_heatmap([FIRST, SECOND])
    of_intro = [2 / 4, 1 / 3, 2 / 4 + 1 / 3, 2 / 4 + 1 / 3]
    of_first = [2 / 4, 1 / 3 + 1 / 3, 2 / 4 + 1 / 3 + 1 / 3, 2 / 4 + 1 / 3 + 1 / 3]
    np.testing.assert_allclose(found.expected, [of_intro, of_first, [0, 0, 0, 0]])
    np.testing.assert_allclose(found.lift[0], [1 / of_intro[0], 3, 1 / of_intro[2], 0])
    assert np.isnan(found.lift[2]).all()


def test_shares_are_of_the_row_and_0_where_it_is_empty():
    found = paragraph_heatmap([FIRST, SECOND])
    np.testing.assert_allclose(found.shares, [[1 / 3, 1 / 3, 1 / 3, 0], [0, 0, 1, 0], [0, 0, 0, 0]])


def test_introductions_and_summaries_have_a_place_only_where_there_are_some():
    found = paragraph_heatmap([SECOND])
    assert found.rows == ("1", "2")
    assert found.columns == ("S", "1", "2")


def test_ordinals_run_from_1_to_the_largest_present():
    found = paragraph_heatmap([Meetings(hits([0]), ["4"], [slice(0, 1)], ["3"])])
    assert found.rows == ("1", "2", "3", "4")
    assert found.columns == ("1", "2", "3")
    assert found.counts[3, 2] == found.counts.sum() == 1


@pytest.mark.parametrize(
    "meetings",
    [
        [],
        [Meetings(hits([], []), ["", ""], [], [])],
        [Meetings(hits([0]), [""], [slice(0, 1)], [""])],
    ],
)
def test_without_labels_there_are_no_cells(meetings):
    found = paragraph_heatmap(meetings)
    assert found.counts.shape == found.lift.shape == found.shares.shape == (0, 0)
    assert found.outside == sum(len(m.relevant) for m in meetings)


def slow_heatmap(meetings):
    """The same by loops: {(i, j): count}, {(i, j): expected}, {(i, j): {queries}}, outside."""
    counts, expected, queries, outside = Counter(), Counter(), {}, 0
    for number, meeting in enumerate(meetings):
        for i, rows in zip(meeting.query_labels, meeting.hits.rows.tolist(), strict=True):
            for row in rows:
                for case in meeting.relevant:
                    if row < case.start or row >= case.stop:
                        continue
                    own = meeting.row_labels[case]
                    if i == "" or meeting.row_labels[row] == "":
                        outside += 1
                    else:
                        counts[i, meeting.row_labels[row]] += 1
                        queries.setdefault((i, meeting.row_labels[row]), set()).add(number)
                    if i:
                        for j in own:
                            expected[i, j] += 1 / len(own)
    return counts, expected, queries, outside


@st.composite
def several_meetings(draw, labels=("I", "S", "1", "2", "5", "")):
    sizes = draw(st.lists(st.integers(0, 4), min_size=1, max_size=5))
    starts = np.concatenate([[0], np.cumsum(sizes)])
    n = int(starts[-1])
    row_labels = draw(st.lists(st.sampled_from(labels), min_size=n, max_size=n))
    cases = [slice(int(a), int(b)) for a, b in pairwise(starts)]
    found = []
    for _ in range(draw(st.integers(0, 3))):
        order = st.permutations(range(n)).flatmap(
            lambda rows: st.integers(0, n).map(lambda m: rows[:m])
        )
        lists = draw(st.lists(order, min_size=1, max_size=4))
        own = draw(st.lists(st.sampled_from(labels), min_size=len(lists), max_size=len(lists)))
        relevant = draw(st.lists(st.sampled_from(cases), unique_by=lambda c: (c.start, c.stop)))
        found.append(Meetings(hits(*lists), own, relevant, row_labels))
    return found


@given(meetings=several_meetings())
def test_the_heatmap_is_the_slow_twin_s(meetings):
    found = paragraph_heatmap(meetings)
    counts, expected, queries, outside = slow_heatmap(meetings)
    for i, row in enumerate(found.rows):
        for j, column in enumerate(found.columns):
            assert found.counts[i, j] == counts[row, column]
            assert found.expected[i, j] == pytest.approx(expected[row, column])
            assert found.queries[i, j] == len(queries.get((row, column), ()))
    assert found.counts.sum() == sum(counts.values())
    assert found.outside == outside


@given(meetings=several_meetings(labels=("I", "S", "1", "2")))
def test_chance_gives_each_row_as_many_hits_where_all_have_labels(meetings):
    found = paragraph_heatmap(meetings)
    np.testing.assert_allclose(found.expected.sum(axis=1), found.counts.sum(axis=1))
    assert found.outside == 0


def test_labels_are_numbered_once():
    labels = Labels.of(ROW_LABELS)
    assert labels.codes.tolist() == [0, 2, 3, -1, 1, 2, 3, 2, 3]
    assert Labels.of(labels) is labels
    numbered = [m._replace(row_labels=labels) for m in (FIRST, SECOND)]
    found, wanted = paragraph_heatmap(numbered), paragraph_heatmap([FIRST, SECOND])
    np.testing.assert_array_equal(found.counts, wanted.counts)


@pytest.mark.parametrize("label", ["0", "1001", "01", "i", "-1", " ", "¹"])
def test_a_label_that_none_writes_is_refused(label):
    with pytest.raises(ConfigError, match="unknown paragraph label"):
        Labels.of(["I", label])


def test_labels_that_do_not_fit_are_refused():
    with pytest.raises(DataError, match="2 labels for a query of 3 paragraphs"):
        paragraph_heatmap([FIRST._replace(query_labels=["I", "1"])])
    with pytest.raises(DataError, match="5 row labels, but rows up to 7"):
        paragraph_heatmap([FIRST._replace(row_labels=ROW_LABELS[:5])])
    with pytest.raises(DataError, match="8 row labels, but rows up to 8"):
        paragraph_heatmap([FIRST._replace(relevant=[C], row_labels=ROW_LABELS[:8])])


def test_paragraph_labels_count_what_is_neither_introduction_nor_summary():
    kinds = [
        Kind.INTRO,
        Kind.INTRO,
        Kind.SUMMARY,
        Kind.NUMBERED,
        Kind.BODY,
        Kind.SUMMARY,
        Kind.BODY,
    ]
    assert paragraph_labels(kinds) == ["I", "I", "S", "1", "2", "S", "3"]


def test_paragraph_labels_end_with_the_last():
    kinds = [Kind.BODY, Kind.BODY, Kind.BODY, Kind.INTRO]
    assert paragraph_labels(kinds, last=2) == ["1", "2", "", "I"]
    assert paragraph_labels([Kind.NUMBERED] * 11)[-2:] == ["10", ""]


@pytest.mark.parametrize("last", [0, -1, 1001])
def test_a_last_ordinal_out_of_range_is_refused(last):
    with pytest.raises(ConfigError, match="the last ordinal must be from 1 to 1,000"):
        paragraph_labels([], last)


def test_relevant_hits_by_hand():
    """By query paragraph, then rank; cases by their place among the relevant ones."""
    found = relevant_hits(FIRST.hits, [B, A])
    rows = list(zip(*(column.tolist() for column in found), strict=True))
    assert rows == [
        (0, 1, 1, 1),
        (0, 3, 4, 0),
        (0, 4, 0, 1),
        (1, 1, 5, 0),
        (1, 2, 3, 1),
        (1, 3, 1, 1),
        (2, 1, 6, 0),
    ]
