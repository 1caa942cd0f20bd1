"""Tests of significance by hand, by slow twins, and against scipy."""

from __future__ import annotations

import subprocess
import sys
import tracemalloc
from itertools import product
from math import inf, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from parm_core.errors import ConfigError, DataError
from parm_core.evaluation import significance
from parm_core.evaluation.significance import (
    bonferroni,
    cohens_d,
    paired_t_test,
    randomisation_test,
)

ALL = (paired_t_test, randomisation_test, cohens_d)

pairs = st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), min_size=2, max_size=12).map(
    lambda drawn: tuple(np.array(drawn).T / 20)
)


def slow_t_test(baseline, system):
    differences = [s - b for b, s in zip(baseline, system, strict=True)]
    n = len(differences)
    mean = sum(differences) / n
    variance = sum((d - mean) ** 2 for d in differences) / (n - 1)
    return 2 * stats.t.sf(abs(mean) / sqrt(variance / n), n - 1)


def slow_randomisation(baseline, system):
    """Every way to swap the two, query by query."""
    differences = [s - b for b, s in zip(baseline, system, strict=True)]
    observed = abs(sum(differences))
    sums = [
        abs(sum(sign * d for sign, d in zip(signs, differences, strict=True)))
        for signs in product((1, -1), repeat=len(differences))
    ]
    return sum(total >= observed - 1e-9 for total in sums) / len(sums)


def test_the_t_test_by_hand():
    """Differences 1, 2, 3: mean 2, s = sqrt((1 + 0 + 1) / 2) = 1, t = 2 / (1 / sqrt(3)) = sqrt(12).

    With 2 degrees of freedom the distribution is F(t) = 1/2 + t / (2 sqrt(2 + t²)), hence
    p = 2 (1 - F(t)) = 1 - sqrt(12) / sqrt(2 + 12) = 1 - sqrt(6 / 7).
    """
    assert paired_t_test([5, 5, 5], [6, 7, 8]) == pytest.approx(1 - sqrt(6 / 7), abs=1e-12)
    assert paired_t_test([6, 7, 8], [5, 5, 5]) == pytest.approx(1 - sqrt(6 / 7), abs=1e-12)


@given(drawn=pairs)
def test_the_t_test_is_scipys_and_its_slow_twin(drawn):
    baseline, system = drawn
    if np.ptp(system - baseline) > 1e-9:
        p = paired_t_test(baseline, system)
        assert p == pytest.approx(stats.ttest_rel(baseline, system).pvalue, abs=1e-12)
        assert p == pytest.approx(slow_t_test(baseline, system), abs=1e-12)


def test_the_t_test_is_scipys_on_many_queries():
    rng = np.random.default_rng(3)
    baseline = rng.random(200)
    system = baseline + rng.normal(0.03, 0.2, 200)
    wanted = stats.ttest_rel(baseline, system).pvalue
    assert 1e-4 < wanted < 0.2
    assert paired_t_test(baseline, system) == pytest.approx(wanted, rel=1e-9)


def test_cohens_d_by_hand():
    """Differences 1, 2, 3: mean 2, population variance (1 + 0 + 1) / 3, d = 2 / sqrt(2/3) = sqrt(6)."""
    assert cohens_d([5, 5, 5], [6, 7, 8]) == pytest.approx(sqrt(6))
    assert cohens_d([6, 7, 8], [5, 5, 5]) == pytest.approx(-sqrt(6))
    # differences 1, -1, 0, 2: mean 1/2, population variance 6/4 - 1/4 = 5/4
    assert cohens_d([0, 1, 1, 0], [1, 0, 1, 2]) == pytest.approx(0.5 / sqrt(5 / 4))


@pytest.mark.parametrize(
    ("baseline", "system", "p", "d"),
    [
        ([0.1, 0.2, 0.3], [0.1, 0.2, 0.3], 1, 0),
        ([0, 0], [0, 0], 1, 0),
        ([0.1, 0.2, 0.3], [0.2, 0.3, 0.4], 0, inf),
        ([0.2, 0.3, 0.4], [0.1, 0.2, 0.3], 0, -inf),
        ([0.3, 0.1 + 0.2], [0.1 + 0.2, 0.3], 1, 0),
    ],
)
def test_differences_that_are_all_equal_but_for_rounding(baseline, system, p, d):
    assert paired_t_test(baseline, system) == p
    assert cohens_d(baseline, system) == d


def test_bonferroni_by_hand():
    assert bonferroni(0.01, 7) == pytest.approx(0.07)
    assert bonferroni(0.3, 7) == 1
    assert bonferroni(0.04, 1) == 0.04
    assert bonferroni(0, 7) == 0


@pytest.mark.parametrize(("p", "n"), [(-0.1, 2), (1.1, 2), (float("nan"), 2), (0.5, 0)])
def test_bonferroni_refuses_what_is_no_p_and_no_comparison(p, n):
    with pytest.raises(ConfigError, match="must be"):
        bonferroni(p, n)


@pytest.mark.parametrize(
    ("differences", "p"),
    [
        # the sums are 6, 0, 2, -4 and their opposites
        ([1, 2, 3], 2 / 8),
        # the sums are 3, -3, 5, -1 and their opposites
        ([1, -1, 3], 6 / 8),
        # of 16 sums, two are 4 in size, eight 2, six 0
        ([1, 1, 1, -1], 10 / 16),
        # a query that does not differ doubles all of it
        ([1, 2, 3, 0], 4 / 16),
        ([0, 0, 0], 1),
        ([1, -1], 1),
    ],
)
def test_the_exact_randomisation_test_by_hand(differences, p):
    assert randomisation_test([0.0] * len(differences), differences) == p


@given(drawn=pairs.filter(lambda pair: len(pair[0]) <= 9))
def test_the_exact_randomisation_test_is_its_slow_twin(drawn):
    """In steps of 1/20, where many sums tie but for rounding."""
    assert randomisation_test(*drawn) == pytest.approx(slow_randomisation(*drawn), abs=1e-12)


@pytest.mark.parametrize("n", [2, 7, 12])
def test_the_exact_randomisation_test_is_scipys(n):
    rng = np.random.default_rng(n)
    baseline, system = rng.random(n), rng.random(n) + 0.2
    wanted = stats.permutation_test(
        (baseline, system),
        lambda x, y, axis: np.mean(x - y, axis=axis),
        permutation_type="samples",
        n_resamples=np.inf,
        vectorized=True,
    )
    assert randomisation_test(baseline, system) == pytest.approx(wanted.pvalue, abs=1e-12)


def test_random_swaps_come_near_to_the_exact_p():
    rng = np.random.default_rng(5)
    baseline, system = rng.random(14), rng.random(14) + 0.1
    exact = randomisation_test(baseline, system, samples=2**14)
    drawn = randomisation_test(baseline, system, samples=2**14 - 1)
    assert exact * 2**14 == int(exact * 2**14) and 0.05 < exact < 0.95
    assert drawn != exact
    assert drawn == pytest.approx(exact, abs=4 * sqrt(exact * (1 - exact) / 2**14))


def test_the_least_p_of_random_swaps_counts_what_was_seen_as_one_of_them():
    assert randomisation_test(np.zeros(60), np.ones(60), samples=999) == 1 / 1000


def test_the_same_seed_gives_the_same_p():
    rng = np.random.default_rng(6)
    baseline, system = rng.random(40), rng.random(40)
    first, again, other = (
        randomisation_test(baseline, system, samples=2000, seed=seed) for seed in (1, 1, 2)
    )
    assert first == again != other


def test_blocks_join_to_the_whole(monkeypatch):
    rng = np.random.default_rng(8)
    baseline, system = rng.random(9), rng.random(9) + 0.1
    whole = randomisation_test(baseline, system)
    monkeypatch.setattr(significance, "_BLOCK_CELLS", 50)
    assert randomisation_test(baseline, system) == whole
    assert randomisation_test(np.zeros(9), np.ones(9), samples=100) >= 1 / 101


def test_many_queries_take_little_memory():
    """20,000 rows of 3,000 queries would take 480 MB at once."""
    rng = np.random.default_rng(9)
    baseline, system = rng.random(3000), rng.random(3000)
    tracemalloc.start()
    randomisation_test(baseline, system, samples=20_000)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 40e6


@given(drawn=pairs)
def test_swapping_the_systems_negates_d_and_keeps_p(drawn):
    baseline, system = drawn
    assert cohens_d(system, baseline) == pytest.approx(-cohens_d(baseline, system))
    assert paired_t_test(system, baseline) == pytest.approx(paired_t_test(baseline, system))
    for samples in (64, 100_000):
        p = randomisation_test(baseline, system, samples=samples)
        assert randomisation_test(system, baseline, samples=samples) == p


@given(drawn=pairs, data=st.data())
def test_the_order_of_the_queries_does_not_matter(drawn, data):
    baseline, system = drawn
    order = np.array(data.draw(st.permutations(range(len(baseline)))))
    for measure in (paired_t_test, cohens_d):
        shuffled = measure(baseline[order], system[order])
        assert shuffled == pytest.approx(measure(baseline, system), abs=1e-9)
    for samples in (64, 100_000):
        p = randomisation_test(baseline, system, samples=samples)
        assert randomisation_test(baseline[order], system[order], samples=samples) == p


@pytest.mark.parametrize("function", ALL, ids=lambda function: function.__name__)
@pytest.mark.parametrize(
    ("baseline", "system", "message"),
    [
        ([1, 2], [1, 2, 3], r"for the same queries; got arrays of \(2,\) and \(3,\)"),
        ([], [], "one value a query"),
        ([[1, 2]], [[1, 2]], "one value a query"),
        ([1, float("nan")], [1, 2], "NaN or infinite"),
        ([1, 2], [1, inf], "NaN or infinite"),
    ],
)
def test_values_that_cannot_be_compared_are_refused(function, baseline, system, message):
    with pytest.raises(DataError, match=message):
        function(baseline, system)


def test_a_t_test_of_one_query_is_refused():
    with pytest.raises(DataError, match="at least 2 queries, got 1"):
        paired_t_test([1], [2])


@pytest.mark.parametrize("samples", [0, -5])
def test_fewer_than_one_sample_is_refused(samples):
    with pytest.raises(ConfigError, match=f"samples must be 1 or more, got {samples}"):
        randomisation_test([1, 2], [2, 2], samples=samples)


def test_importing_the_package_is_light():
    code = "import sys, parm_core.evaluation; print({'scipy', 'ir_measures'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
