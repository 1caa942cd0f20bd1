"""From the hits of one query to scores of cases. One formula, one function; DESIGN's section 4 lists them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from parm_core.aggregation import rank, score, vector
from parm_core.aggregation.hit_table import HitTable
from parm_core.errors import ConfigError
from parm_core.types import Float64


@dataclass(frozen=True)
class Aggregation:
    """One way to turn hits into scores of cases.

    terms: hits -> what each adds to its case's score; None for `vmax` and `vmin`, whose scores are
    no sum over hits. weights: for sum-type vectors, the weights behind the terms.
    extreme: np.maximum or np.minimum for `vmax` and `vmin`. params: names and defaults.
    """

    name: str
    source: str
    terms: Callable[..., Float64] | None = None
    weights: Callable[..., Float64] | None = None
    extreme: np.ufunc | None = None
    params: Mapping[str, float] = field(default_factory=dict)

    @property
    def needs_vectors(self) -> bool:
        """Whether it reads paragraph vectors."""
        return self.weights is not None or self.extreme is not None

    def scores(self, table: HitTable, **params: float) -> Float64:
        """(m,) scores of the cases in `table.found`."""
        if self.terms is None:
            assert self.extreme is not None
            return vector.extreme_scores(table, self.extreme)
        return table.by_case(self.terms(table, **params))


def _by_weights(weights: vector.Weights, source: str, **params: float) -> Aggregation:
    return Aggregation(weights.__name__, source, vector.weighted(weights), weights, params=params)


_PARADE = "Li et al., PARADE 2020; Althammer et al. 2022"
_PARM = "Althammer et al. 2022, sec. 3.2"

AGGREGATIONS: Mapping[str, Aggregation] = {
    aggregation.name: aggregation
    for aggregation in (
        Aggregation("combsum", "Shaw and Fox, TREC-2 1994", score.combsum),
        Aggregation("max", "Akkalyoncu Yilmaz et al. 2019", score.maximum),
        Aggregation("rrf", "Cormack et al., SIGIR 2009", rank.rrf, params={"k": 60}),
        Aggregation("srrf", "PARM Explorer", rank.srrf, params={"k": 5, "p": 2, "a": 0.5}),
        _by_weights(vector.vsum, _PARADE),
        _by_weights(vector.vavg, _PARADE),
        Aggregation("vmax", _PARADE, extreme=np.maximum),
        Aggregation("vmin", _PARADE, extreme=np.minimum),
        _by_weights(vector.vscores, _PARM),
        _by_weights(vector.vranks, f"{_PARM}, and its published code"),
        _by_weights(vector.vrrf, _PARM, k=60),
    )
}


def aggregation(name: str) -> Aggregation:
    """Look an aggregation up. Raises ConfigError naming the choices."""
    try:
        return AGGREGATIONS[name]
    except KeyError:
        raise ConfigError(
            f"unknown aggregation {name!r}; one of {', '.join(sorted(AGGREGATIONS))}"
        ) from None
