"""Overlap and agreement of rankings, by hand and against scipy."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau

from parm_core.analysis.agreement import jaccard, kendall_tau, rank_biased_overlap
from parm_core.analysis.overlap import regions
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
    ):
        with pytest.raises(ConfigError, match=message):
            ask()


@pytest.mark.parametrize("p", [0, 1, -0.5, 1.5])
def test_an_impatience_out_of_range_is_refused(p):
    with pytest.raises(ConfigError, match="p must be between 0 and 1"):
        rank_biased_overlap(ranking("a"), ranking("b"), p=p)
