"""Measures of a run against qrels, by ir_measures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from parm_core.errors import ConfigError, DataError
from parm_core.types import Qrels, Run

DEFAULT_MEASURES = ("nDCG@10", "R@100", "R@500", "R@1000")


def evaluate(
    run: Run, qrels: Qrels, measures: Sequence[str] = DEFAULT_MEASURES
) -> dict[str, float]:
    """Measure name -> mean over the judged queries, each in [0, 1].

    A judged query that the run lacks scores 0 and still counts. Names are ir_measures's.
    Raises ConfigError for an unknown measure, DataError where no query is judged.
    """
    per_query = evaluate_queries(run, qrels, measures)
    return {name: float(np.mean(list(values.values()))) for name, values in per_query.items()}


def evaluate_queries(
    run: Run, qrels: Qrels, measures: Sequence[str] = DEFAULT_MEASURES
) -> dict[str, dict[str, float]]:
    """Measure name -> query id -> value. As `evaluate`, query by query."""
    import ir_measures

    if not qrels:
        raise DataError("there are no qrels to measure against")
    parsed = {name: _measure(name) for name in measures}
    distinct = list(set(parsed.values()))
    scores = {
        query: {case.case_id: case.score for case in ranking} for query, ranking in run.items()
    }
    values = {measure: dict.fromkeys(qrels, 0.0) for measure in distinct}
    plain = {query: dict(grades) for query, grades in qrels.items()}
    for metric in ir_measures.pytrec_eval.iter_calc(distinct, plain, scores):
        if metric.query_id in qrels:
            values[metric.measure][metric.query_id] = float(metric.value)
    return {name: dict(values[measure]) for name, measure in parsed.items()}


def _measure(name: str) -> Any:
    """A measure that trec_eval computes; a cut-off of 0 would crash it."""
    import ir_measures

    try:
        measure = ir_measures.parse_measure(name)
        known = ir_measures.pytrec_eval.supports(measure) and _cut_off(measure) >= 1
    except Exception:  # a name that is none fails in many ways within ir_measures
        known = False
    if not known:
        raise ConfigError(
            f"unknown measure {name!r}; write it as ir_measures does, e.g. nDCG@10, R@100, AP"
        )
    return measure


def _cut_off(measure: Any) -> float:
    return float(measure.params.get("cutoff", 1))
