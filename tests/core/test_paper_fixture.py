"""A tiny collection whose ranks, measures and overlaps are worked out by hand, from text to table.

Every paragraph has ten words, most of them its own, so that within BM25 all lengths are alike and a
paragraph's score depends only on the words it shares.

    case   paragraph 1                     paragraph 2
    c1     apple apricot avocado           nothing shared
    c2     apple apricot                   bread butter
    c3     bread butter biscuit            apple
"""

from __future__ import annotations

import json
from math import log2

import pytest
from numpy.testing import assert_allclose

from parm_core.analysis.overlap import relevant_regions
from parm_core.collections.writing import write_beir
from parm_core.evaluation import compare
from parm_core.experiments.labelled import labelled
from parm_core.experiments.meetings import heatmap
from parm_core.experiments.runs import rank_queries
from parm_core.index.build import build_index
from parm_core.retrieval import Searcher
from parm_core.systems import parse_system
from parm_core.types import Case, Collection

MEASURES = ["nDCG@10", "R@1", "R@2"]


def paragraph(own, *shared):
    return " ".join([*shared, *(f"{own}{letter}" for letter in "abcdefghij"[len(shared) :])]) + "."


def case(case_id, *paragraphs):
    return Case(case_id, case_id.upper(), "\n\n".join(paragraphs))


COLLECTION = Collection(
    "paper",
    (
        case("c1", paragraph("one", "apple", "apricot", "avocado"), paragraph("two")),
        case("c2", paragraph("three", "apple", "apricot"), paragraph("four", "bread", "butter")),
        case("c3", paragraph("five", "bread", "butter", "biscuit"), paragraph("six", "apple")),
    ),
    (
        case(
            "q1",
            paragraph("seven", "apple", "apricot", "avocado"),
            paragraph("eight", "bread", "butter", "biscuit"),
        ),
        case("q2", paragraph("nine", "avocado"), paragraph("ten")),
        case("q3", paragraph("eleven"), paragraph("twelve")),
    ),
    {"q1": {"c2": 1, "c3": 1}, "q2": {"c1": 1, "c2": 0}, "q3": {"c2": 1}},
)


@pytest.fixture(scope="module")
def searcher(tmp_path_factory):
    path = tmp_path_factory.mktemp("paper") / "index"
    return Searcher(build_index(COLLECTION, path, encoder=None))


@pytest.fixture(scope="module")
def runs(searcher):
    systems = [parse_system(name) for name in ("bm25:doc", "bm25:rrf")]
    ranked = rank_queries(searcher, COLLECTION.queries, systems)
    assert ranked.failed == {}
    return ranked.runs


def test_the_rankings_are_those_worked_by_hand(runs):
    """q1's first paragraph finds c1, c2, c3 (3, 2, 1 shared words), its second c3, c2 (3, 2).

    rrf: c3 = 1/63 + 1/61 > c2 = 1/62 + 1/62 > c1 = 1/61. Whole cases, of equal length: idf of a
    word in 1, 2, 3 of 3 cases is ln 8/3, ln 8/5, ln 8/7, which makes c3 = ln(8/3 · 8/5 · 8/5 · 8/7),
    c1 = ln(8/3 · 8/5 · 8/7), c2 = ln(8/5 · 8/5 · 8/5 · 8/7): c3 > c1 > c2.
    """
    assert runs["bm25:rrf"]["q1"].case_ids == ("c3", "c2", "c1")
    assert list(runs["bm25:rrf"]["q1"].scores) == pytest.approx([1 / 63 + 1 / 61, 2 / 62, 1 / 61])
    assert runs["bm25:doc"]["q1"].case_ids == ("c3", "c1", "c2")
    for run in runs.values():
        assert run["q2"].case_ids == ("c1",)
        assert run["q3"].case_ids == ()


def test_table_2_is_the_one_worked_by_hand(runs):
    """q1 under doc: its two relevant cases stand at 1 and 3; under rrf at 1 and 2. q3 finds nothing."""
    doc = (1 + 1 / log2(4)) / (1 + 1 / log2(3))
    means = compare(runs, COLLECTION.qrels, MEASURES).means
    assert means["bm25:doc"] == pytest.approx(
        {"nDCG@10": (doc + 1 + 0) / 3, "R@1": (1 / 2 + 1 + 0) / 3, "R@2": (1 / 2 + 1 + 0) / 3}
    )
    assert means["bm25:rrf"] == pytest.approx(
        {"nDCG@10": (1 + 1 + 0) / 3, "R@1": (1 / 2 + 1 + 0) / 3, "R@2": (1 + 1 + 0) / 3}
    )


def test_the_significance_is_the_one_worked_by_hand(runs):
    """R@2 differs by 1/2, 0, 0: mean 1/6, population deviation sqrt(1/18), sample deviation sqrt(1/12).

    d = (1/6) / sqrt(1/18) = 1/sqrt 2. t = (1/6) / sqrt(1/36) = 1 with 2 degrees of freedom, whose
    two-sided p is 1 - t / sqrt(t² + 2) = 1 - 1/sqrt 3.
    """
    found = compare(runs, COLLECTION.qrels, MEASURES, baseline="bm25:doc")
    difference = found.differences["bm25:rrf"]["R@2"]
    assert difference.mean == pytest.approx(1 / 6)
    assert difference.d == pytest.approx(1 / 2**0.5)
    assert difference.p == difference.corrected_p == pytest.approx(1 - 1 / 3**0.5)
    assert difference.marks == "‡"


def test_the_overlap_is_the_one_worked_by_hand(runs):
    parm, doc = "bm25:rrf", "bm25:doc"
    assert relevant_regions(runs, COLLECTION.qrels, 2) == {
        frozenset([parm, doc]): (("q1", "c3"), ("q2", "c1")),
        frozenset([parm]): (("q1", "c2"),),
        frozenset([doc]): (),
        frozenset(): (("q3", "c2"),),
    }


def test_the_heatmap_is_the_one_worked_by_hand(searcher):
    """Relevant to q1: c2 and c3. Its paragraph 1 hits c2's 1 and c3's 2, its 2 hits c2's 2 and c3's 1.

    q2's paragraph 1 hits c1's 1. Chance puts half of each hit on either paragraph of its case.
    """
    found = heatmap(searcher, labelled(COLLECTION), parse_system("bm25:rrf"))
    assert (found.rows, found.columns) == (("1", "2"), ("1", "2"))
    assert found.counts.tolist() == [[2, 1], [1, 1]]
    assert found.expected.tolist() == [[1.5, 1.5], [1.0, 1.0]]
    assert_allclose(found.lift, [[4 / 3, 2 / 3], [1, 1]])
    assert found.queries.tolist() == [[2, 1], [1, 1]]
    assert_allclose(found.shares, [[2 / 3, 1 / 3], [1 / 2, 1 / 2]])


def test_the_command_line_gives_the_same_table(parm, tmp_path):
    write_beir(COLLECTION, tmp_path / "paper")
    assert parm("index", tmp_path / "paper", tmp_path / "index", "--encoder", "none")[0] == 0
    code, out, _ = parm(
        "evaluate", tmp_path / "index", tmp_path / "paper", "--systems", "bm25:doc,bm25:rrf",
        "--measures", " ".join(MEASURES), "--baseline", "bm25:doc", "--json",
    )  # fmt: skip
    assert code == 0
    found = json.loads(out)
    assert found["measures"]["bm25:rrf"]["R@2"] == pytest.approx(2 / 3)
    assert found["measures"]["bm25:doc"]["R@2"] == pytest.approx(1 / 2)
    own = found["significance"]["systems"]["bm25:rrf"]["R@2"]
    assert own["d"] == pytest.approx(1 / 2**0.5)
