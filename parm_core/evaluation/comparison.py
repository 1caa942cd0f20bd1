"""Several systems on one labelled collection, each held against a baseline."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from parm_core.errors import ConfigError
from parm_core.evaluation.measures import DEFAULT_MEASURES, evaluate_queries
from parm_core.evaluation.significance import (
    bonferroni,
    cohens_d,
    paired_t_test,
    randomisation_test,
)
from parm_core.types import Qrels, Run

SIGNIFICANT_BELOW = 0.05
SIZEABLE_ABOVE = 0.2

TESTS: Mapping[str, Callable[[Sequence[float], Sequence[float]], float]] = MappingProxyType(
    {"t": paired_t_test, "randomisation": randomisation_test}
)
"""Test -> its two-sided p of (baseline, system), one value a query each."""

PerQuery = Mapping[str, Mapping[str, Mapping[str, float]]]
"""system -> measure -> query id -> value."""


@dataclass(frozen=True, slots=True)
class Difference:
    """How a system's values of one measure differ from the baseline's, query by query.

    mean: of system - baseline. p: two-sided; corrected_p: after Bonferroni. d: Cohen's, may be
    infinite. The bounds of `significant` and `sizeable` are the PARM paper's (Althammer et al. 2022).
    """

    mean: float
    p: float
    corrected_p: float
    d: float

    @property
    def significant(self) -> bool:
        """Whether the corrected p is below 0.05."""
        return self.corrected_p < SIGNIFICANT_BELOW

    @property
    def sizeable(self) -> bool:
        """Whether Cohen's d is above 0.2 in size."""
        return abs(self.d) > SIZEABLE_ABOVE

    @property
    def marks(self) -> str:
        """† where significant, ‡ where sizeable."""
        return "†" * self.significant + "‡" * self.sizeable


@dataclass(frozen=True)
class Comparison:
    """Systems by measures, over the same judged queries.

    per_query: every system and measure has the same queries. test: a name in TESTS.
    differences: system -> measure -> its difference from the baseline; the baseline is not in it,
    and it is empty where there is none.
    """

    per_query: PerQuery
    baseline: str | None
    test: str
    differences: Mapping[str, Mapping[str, Difference]]

    @property
    def systems(self) -> tuple[str, ...]:
        """In the order they were given."""
        return tuple(self.per_query)

    @property
    def measures(self) -> tuple[str, ...]:
        """In the order they were asked for."""
        return tuple(next(iter(self.per_query.values())))

    @property
    def queries(self) -> tuple[str, ...]:
        """The ids of the judged queries, in the order of the qrels."""
        return tuple(next(iter(next(iter(self.per_query.values())).values())))

    @property
    def comparisons(self) -> int:
        """How many systems are compared with the baseline: Bonferroni's factor, a family a measure."""
        return len(self.differences)

    @property
    def means(self) -> dict[str, dict[str, float]]:
        """system -> measure -> mean over the queries."""
        return {
            system: {measure: float(np.mean([*values.values()])) for measure, values in own.items()}
            for system, own in self.per_query.items()
        }


def compare(
    runs: Mapping[str, Run],
    qrels: Qrels,
    measures: Sequence[str] = DEFAULT_MEASURES,
    *,
    baseline: str | None = None,
    test: str = "t",
) -> Comparison:
    """Measure each system's run, and test each against the baseline, if one is named.

    Per measure, p is corrected for as many comparisons as there are systems beside the baseline,
    as in the PARM paper. Raises ConfigError for no systems, no measures, an unknown measure,
    baseline or test, and DataError as `evaluate` does or where a t-test has fewer than 2 queries.
    """
    _check(runs, measures, baseline, test)
    per_query = {system: evaluate_queries(run, qrels, measures) for system, run in runs.items()}
    differences = {} if baseline is None else _differences(per_query, baseline, test)
    return Comparison(per_query, baseline, test, differences)


def _check(
    runs: Mapping[str, Run], measures: Sequence[str], baseline: str | None, test: str
) -> None:
    if not runs:
        raise ConfigError("there are no systems to compare; name at least one")
    if not measures:
        raise ConfigError(f"there are no measures; name some, e.g. {' '.join(DEFAULT_MEASURES)}")
    if baseline is not None and baseline not in runs:
        raise ConfigError(f"the baseline {baseline!r} is not among the systems: {', '.join(runs)}")
    if test not in TESTS:
        raise ConfigError(f"unknown test {test!r}; one of {sorted(TESTS)}")


def _differences(per_query: PerQuery, baseline: str, test: str) -> dict[str, dict[str, Difference]]:
    compared = [system for system in per_query if system != baseline]
    return {
        system: {
            measure: _difference(per_query[baseline][measure], values, test, len(compared))
            for measure, values in per_query[system].items()
        }
        for system in compared
    }


def _difference(
    of_baseline: Mapping[str, float], of_system: Mapping[str, float], test: str, comparisons: int
) -> Difference:
    baseline, system = [*of_baseline.values()], [of_system[query] for query in of_baseline]
    p = TESTS[test](baseline, system)
    return Difference(
        mean=float(np.mean(system) - np.mean(baseline)),
        p=p,
        corrected_p=bonferroni(p, comparisons),
        d=cohens_d(baseline, system),
    )
