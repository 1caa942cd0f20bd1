"""Overlap and agreement of rankings, by hand and against scipy."""

from __future__ import annotations

import json
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau

from parm_core.analysis.agreement import (
    jaccard,
    kendall_tau,
    mean_agreement,
    rank_biased_overlap,
)
from parm_core.analysis.overlap import regions, relevant_regions
from parm_core.errors import ConfigError
from parm_core.types import Ranking


def ranking(ids):
    return Ranking(tuple(ids), np.arange(len(ids), 0, -1, dtype=np.float32))


rankings = st.lists(st.sampled_from("abcdefgh"), unique=True).map(ranking)


def test_regions_by_hand():
    found = regions({"X": ranking("abcd"), "Y": ranking("cbe"), "Z": ranking("fc")}, k=3)
    names = {frozenset(key): cases for key, cases in found.items()}
    assert names == {
        frozenset("X"): ("a",),
        frozenset("Y"): ("e",),
        frozenset("Z"): ("f",),
        frozenset("XY"): ("b",),
        frozenset("XZ"): (),
        frozenset("YZ"): (),
        frozenset("XYZ"): ("c",),
    }


def test_a_region_is_ordered_by_best_rank_then_id():
    found = regions({"X": ranking("dcba"), "Y": ranking("abcd")}, k=4)
    # best ranks: a 1, b 2, c 2, d 1
    assert found[frozenset("XY")] == ("a", "d", "b", "c")


@given(x=rankings, y=rankings, z=rankings, k=st.integers(1, 9))
def test_regions_split_the_union(x, y, z, k):
    """Every case of a top k is in the one region of the rankings that hold it."""
    named = {"X": x, "Y": y, "Z": z}
    found = regions(named, k)
    assert len(found) == 7
    tops = {name: set(r.case_ids[:k]) for name, r in named.items()}
    for names, cases in found.items():
        for case_id in cases:
            assert names == {name for name, top in tops.items() if case_id in top}
    assert sorted(c for cases in found.values() for c in cases) == sorted(
        set().union(*tops.values())
    )


def test_relevant_regions_by_hand():
    """The four cells of PARM against document-level retrieval at 2."""
    runs = {
        "parm": {"q1": ranking("abxc"), "q2": ranking("xyd")},
        "doc": {"q1": ranking("bxa"), "unjudged": ranking("a")},
    }
    qrels = {"q2": {"d": 1, "y": 1, "e": 2}, "q1": {"a": 1, "b": 1, "c": 1, "x": 0}}
    assert relevant_regions(runs, qrels, 2) == {
        frozenset(["parm", "doc"]): (("q1", "b"),),
        frozenset(["parm"]): (("q1", "a"), ("q2", "y")),
        frozenset(["doc"]): (),
        frozenset(): (("q1", "c"), ("q2", "d"), ("q2", "e")),
    }


def test_a_relevant_region_is_ordered_by_query_then_best_rank_then_case():
    """Best ranks: p 1 for d, 2 for a and c; beyond the cut, and nowhere, last."""
    runs = {
        "X": {"p": ranking("dc"), "q": ranking("b")},
        "Y": {"p": ranking("dazm"), "q": ranking("")},
    }
    qrels = {"q": {"b": 1}, "p": dict.fromkeys("acdmoz", 1)}
    found = relevant_regions(runs, qrels, 2)
    assert found[frozenset("X")] == (("p", "c"), ("q", "b"))
    assert found[frozenset("XY")] == (("p", "d"),)
    assert found[frozenset("Y")] == (("p", "a"),)
    assert found[frozenset()] == (("p", "z"), ("p", "m"), ("p", "o"))


@given(
    x=rankings,
    y=rankings,
    z=rankings,
    k=st.integers(1, 9),
    relevant=st.sets(st.sampled_from("abch")),
)
def test_relevant_regions_split_the_relevant_pairs(x, y, z, k, relevant):
    """Every pair is in exactly one region, and there of `regions` too where any system finds it."""
    named = {"X": x, "Y": y, "Z": z}
    qrels = {"q": {**dict.fromkeys("abcdefgh", 0), **dict.fromkeys(relevant, 1)}}
    found = relevant_regions({name: {"q": r} for name, r in named.items()}, qrels, k)
    assert len(found) == 8
    assert sorted(c for pairs in found.values() for _, c in pairs) == sorted(relevant)
    for names, cases in regions(named, k).items():
        assert found[names] == tuple(("q", c) for c in cases if c in relevant)


def test_jaccard_by_hand():
    assert jaccard(ranking("abcd"), ranking("cbxa"), 3) == pytest.approx(2 / 4)
    assert jaccard(ranking("ab"), ranking("ab"), 10) == 1
    assert jaccard(ranking("ab"), ranking("cd"), 10) == 0
    assert jaccard(ranking(""), ranking(""), 10) == 1
    assert jaccard(ranking("a"), ranking(""), 10) == 0


def test_rank_biased_overlap_by_hand():
    """Overlaps X_d of abc and bac: 0, 2, 3; p = 0.5, k = 3, equation 23 of the source."""
    wanted = 3 / 3 * 0.5**3 + (1 - 0.5) / 0.5 * (0 / 1 * 0.5 + 2 / 2 * 0.5**2 + 3 / 3 * 0.5**3)
    assert rank_biased_overlap(ranking("abc"), ranking("bac"), p=0.5, k=3) == pytest.approx(wanted)


def test_rank_biased_overlap_counts_to_the_cut():
    """Overlaps of abc and xbc to depth 2: 0, 1."""
    wanted = 1 / 2 * 0.9**2 + 0.1 / 0.9 * (0 + 1 / 2 * 0.9**2)
    found = rank_biased_overlap(ranking("abc"), ranking("xbc"), p=0.9, k=2)
    assert found == pytest.approx(wanted)


@given(a=rankings, b=rankings, p=st.floats(0.05, 0.95), k=st.integers(1, 12))
def test_rank_biased_overlap_is_symmetric_and_1_for_the_same(a, b, p, k):
    found = rank_biased_overlap(a, b, p=p, k=k)
    assert -1e-9 <= found <= 1 + 1e-9
    assert found == pytest.approx(rank_biased_overlap(b, a, p=p, k=k))
    assert rank_biased_overlap(a, a, p=p, k=k) == pytest.approx(1)


def test_rank_biased_overlap_is_0_for_rankings_apart():
    assert rank_biased_overlap(ranking("abc"), ranking("xyz")) == 0


def test_kendall_tau_by_hand():
    """abcd against abdc: 5 pairs agree, 1 does not."""
    assert kendall_tau(ranking("abcd"), ranking("abdc"), 4) == pytest.approx((5 - 1) / 6)
    assert kendall_tau(ranking("abcd"), ranking("abcd"), 4) == pytest.approx(1)
    assert kendall_tau(ranking("abcd"), ranking("dcba"), 4) == pytest.approx(-1)


def test_kendall_tau_puts_what_is_outside_behind_tied():
    """ab against ac, k = 2: a before b, c in both; b before c here, c before b there."""
    pairs = {("a", "b"): (1, 1), ("a", "c"): (1, 1), ("b", "c"): (1, -1)}
    agree = sum(one * other for one, other in pairs.values())
    assert kendall_tau(ranking("abz"), ranking("acz"), 2) == pytest.approx(agree / len(pairs))


@given(a=rankings, b=rankings, k=st.integers(1, 9))
def test_kendall_tau_is_tau_b_over_the_union(a, b, k):
    union = sorted(set(a.case_ids[:k]) | set(b.case_ids[:k]))
    x = [a.case_ids[:k].index(c) if c in a.case_ids[:k] else 99 for c in union]
    y = [b.case_ids[:k].index(c) if c in b.case_ids[:k] else 99 for c in union]
    agree = ties_x = ties_y = 0
    pairs = list(combinations(range(len(union)), 2))
    for i, j in pairs:
        agree += np.sign(x[i] - x[j]) * np.sign(y[i] - y[j])
        ties_x += x[i] == x[j]
        ties_y += y[i] == y[j]
    free = (len(pairs) - ties_x) * (len(pairs) - ties_y)
    found = kendall_tau(a, b, k)
    if free:
        assert found == pytest.approx(agree / np.sqrt(free))
        assert found == pytest.approx(kendalltau(x, y).statistic)
    else:
        assert np.isnan(found)


@pytest.mark.parametrize("k", [0, -3])
def test_a_cut_off_below_1_is_refused(k):
    message = f"the cut-off must be 1 or more, got {k}"
    for ask in (
        lambda: jaccard(ranking("a"), ranking("b"), k),
        lambda: kendall_tau(ranking("a"), ranking("b"), k),
        lambda: rank_biased_overlap(ranking("a"), ranking("b"), k=k),
        lambda: regions({"X": ranking("a")}, k),
        lambda: relevant_regions({"X": {"q": ranking("a")}}, {"q": {"a": 1}}, k),
        lambda: mean_agreement({"X": {"q": ranking("a")}}, k=k),
    ):
        with pytest.raises(ConfigError, match=message):
            ask()


@pytest.mark.parametrize("p", [0, 1, -0.5, 1.5])
def test_an_impatience_out_of_range_is_refused(p):
    with pytest.raises(ConfigError, match="p must be between 0 and 1"):
        rank_biased_overlap(ranking("a"), ranking("b"), p=p)
    with pytest.raises(ConfigError, match="p must be between 0 and 1"):
        mean_agreement({}, k=1, p=p)


def test_mean_agreement_is_over_the_queries_both_have():
    runs = {
        "X": {"p": ranking("abc"), "q": ranking("abc"), "own": ranking("a")},
        "Y": {"p": ranking("bac"), "q": ranking("xyz")},
        "Z": {"q": ranking("cab")},
        "W": {},
    }
    found = mean_agreement(runs, k=3, p=0.5)
    assert found.systems == ("X", "Y", "Z", "W")
    pairs = {(0, 1): "pq", (0, 2): "q", (1, 2): "q"}
    for (i, j), queries in pairs.items():
        a, b = (runs[found.systems[place]] for place in (i, j))
        for matrix, measure in (
            (found.rank_biased_overlap, lambda x, y: rank_biased_overlap(x, y, p=0.5, k=3)),
            (found.kendall_tau, lambda x, y: kendall_tau(x, y, 3)),
            (found.jaccard, lambda x, y: jaccard(x, y, 3)),
        ):
            wanted = np.mean([measure(a[q], b[q]) for q in queries])
            assert matrix[i, j] == matrix[j, i] == pytest.approx(wanted)
    for matrix in (found.rank_biased_overlap, found.kendall_tau, found.jaccard):
        assert np.diag(matrix).tolist() == [1, 1, 1, 1]
        assert np.isnan(matrix[3, :3]).all()


def test_mean_agreement_by_hand():
    """abc and bac: tau (2 - 1)/3, Jaccard 3/3. abc and abx, k = 3: one pair of six apart, 2/4.

    Ranks of a, b, c, x: 1 2 3 4 and 1 2 4 3.
    """
    runs = {
        "X": {"p": ranking("abc"), "q": ranking("abc")},
        "Y": {"p": ranking("bac"), "q": ranking("abx")},
    }
    found = mean_agreement(runs, k=3)
    assert found.kendall_tau[0, 1] == pytest.approx(((2 - 1) / 3 + (5 - 1) / 6) / 2)
    assert found.jaccard[0, 1] == pytest.approx((1 + 2 / 4) / 2)


def test_agreement_is_told_pair_by_pair():
    """And as JSON can hold it, None where nothing is known."""
    runs = {
        "bm25:rrf": {"p": ranking("abc")},
        "bm25:doc": {"p": ranking("abx")},
        "dense:rrf": {},
    }
    found = mean_agreement(runs, k=3)
    assert found.as_text().split("\n") == [
        "                            RBO      tau  Jaccard",
        "bm25:rrf and bm25:doc     0.730    0.667    0.500",
        "bm25:rrf and dense:rrf        –        –        –",
        "bm25:doc and dense:rrf        –        –        –",
    ]
    plain = found.as_dict()
    assert plain["systems"] == ["bm25:rrf", "bm25:doc", "dense:rrf"]
    assert plain["jaccard"] == [[1, 0.5, None], [0.5, 1, None], [None, None, 1]]
    assert json.loads(json.dumps(plain, allow_nan=False)) == plain


def test_a_tau_that_compares_nothing_is_left_out_of_the_mean():
    """One case on both sides leaves no pair to compare."""
    runs = {
        "X": {"p": ranking("abc"), "q": ranking("a")},
        "Y": {"p": ranking("acb"), "q": ranking("a")},
    }
    found = mean_agreement(runs, k=3)
    assert found.kendall_tau[0, 1] == pytest.approx((2 - 1) / 3)
    assert found.jaccard[0, 1] == pytest.approx((1 + 1) / 2)
    alone = mean_agreement({name: {"q": run["q"]} for name, run in runs.items()}, k=3)
    assert np.isnan(alone.kendall_tau[0, 1])
