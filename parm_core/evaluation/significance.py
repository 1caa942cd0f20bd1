"""Whether two systems differ by more than chance, and by how much.

Each function takes one value a query of a baseline and of a system, in the same order, and raises
DataError where they differ in length, are none, or hold what is not a finite number.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from parm_core.errors import ConfigError, DataError
from parm_core.types import Float64

Values = Sequence[float] | Float64
Signs = NDArray[np.integer]

_BLOCK_CELLS = 1 << 20


def paired_t_test(baseline: Values, system: Values) -> float:
    """The two-sided p, in [0, 1], of a mean difference so far from 0 where the true one is 0.

    t = mean / (s / sqrt(n)) with n - 1 degrees of freedom, s the differences' sample standard
    deviation (ddof 1); that is d * sqrt(n - 1) for Cohen's d. 1 where every difference is 0, and
    0 where all are equal and not 0. Needs 2 queries (DataError). Student, Biometrika 1908.
    """
    from scipy.special import stdtr

    n = len(_differences(baseline, system))
    if n < 2:
        raise DataError(
            f"a paired t-test needs at least 2 queries, got {n}; leave the baseline out"
        )
    t = cohens_d(baseline, system) * np.sqrt(n - 1)
    return float(2 * stdtr(n - 1, -abs(t)))


def randomisation_test(
    baseline: Values, system: Values, *, samples: int = 100_000, seed: int = 0
) -> float:
    """The two-sided p, in (0, 1]: how often swapping the systems query by query, at random, gives a
    mean difference at least as far from 0.

    Over all 2^n swaps where these are no more than `samples`, n counting the queries that differ;
    else over `samples` random ones, (1 + count) / (1 + samples). Neither the order of the queries
    nor that of the two systems matters. Raises ConfigError for fewer than 1 sample.
    Fisher, The Design of Experiments, 1935; Smucker, Allan and Carterette, CIKM 2007.
    """
    if samples < 1:
        raise ConfigError(f"samples must be 1 or more, got {samples}")
    differences = _differences(baseline, system)
    sizes = np.sort(np.abs(differences[differences != 0]))
    whole, n = sizes.sum(), len(sizes)
    least = abs(differences.sum()) - 1e-12 * whole
    exact = n < samples.bit_length()
    swaps = _all_swaps(n) if exact else _random_swaps(n, samples, seed)
    as_far = sum(
        np.count_nonzero(np.abs(whole - 2 * (swapped @ sizes)) >= least) for swapped in swaps
    )
    return float(as_far / 2**n if exact else (1 + as_far) / (1 + samples))


def cohens_d(baseline: Values, system: Values) -> float:
    """mean / population standard deviation (ddof 0) of system - baseline, query by query.

    0 where every difference is 0; infinite, with the mean's sign, where all are equal and not 0.
    Cohen, Statistical Power Analysis, 1988; ddof as in the PARM paper's published code.
    """
    differences = _differences(baseline, system)
    mean = float(differences.mean())
    if np.ptp(differences) == 0:
        return float(np.copysign(np.inf, mean)) if mean else 0.0
    return mean / float(differences.std())


def bonferroni(p: float, comparisons: int) -> float:
    """min(1, p * comparisons): p corrected for being one of several comparisons. Dunn, JASA 1961.

    Raises ConfigError unless 0 <= p <= 1 and comparisons >= 1.
    """
    if not 0 <= p <= 1:
        raise ConfigError(f"p must be in [0, 1], got {p}")
    if comparisons < 1:
        raise ConfigError(f"comparisons must be 1 or more, got {comparisons}")
    return min(1.0, p * comparisons)


def _differences(baseline: Values, system: Values) -> Float64:
    """(n,) system - baseline; those that only rounding tells apart are made equal."""
    first, second = np.asarray(baseline, np.float64), np.asarray(system, np.float64)
    if first.ndim != 1 or first.shape != second.shape or not len(first):
        raise DataError(
            "a comparison needs one value a query of both systems, for the same queries; "
            f"got arrays of {first.shape} and {second.shape}"
        )
    if not (np.isfinite(first).all() and np.isfinite(second).all()):
        raise DataError("a value is NaN or infinite; compare finite values")
    differences = second - first
    rounding = 4 * np.finfo(np.float64).eps * max(np.abs(first).max(), np.abs(second).max())
    if np.ptp(differences) <= rounding:
        middle = float(np.median(differences))
        return np.full(len(differences), middle if abs(middle) > rounding else 0.0)
    return differences


def _all_swaps(n: int) -> Iterator[Signs]:
    """Every row of 0 and 1, in blocks (rows, n); 1 swaps the systems on that query."""
    rows = max(1, _BLOCK_CELLS // max(n, 1))
    for start in range(0, 2**n, rows):
        numbers = np.arange(start, min(start + rows, 2**n))
        yield (numbers[:, None] >> np.arange(n)) & 1


def _random_swaps(n: int, samples: int, seed: int) -> Iterator[Signs]:
    """`samples` random rows of 0 and 1, in blocks (rows, n)."""
    rng, width = np.random.default_rng(seed), -(-n // 8)
    rows = max(1, _BLOCK_CELLS // n)
    for start in range(0, samples, rows):
        count = min(rows, samples - start)
        drawn = np.frombuffer(rng.bytes(count * width), np.uint8).reshape(count, width)
        yield np.unpackbits(drawn, axis=1, count=n)
