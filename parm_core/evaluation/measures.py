"""Measures of a run against qrels: trec_eval's, named as ir_measures names them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from parm_core.errors import ConfigError, DataError
from parm_core.types import Qrels, Ranking, Run

DEFAULT_MEASURES = ("nDCG@10", "R@100", "R@500", "R@1000")
"""Those of the PARM paper's tables."""

MAX_GRADE = 100_000
"""trec_eval keeps a counter for every grade up to the largest."""


def evaluate(
    run: Run, qrels: Qrels, measures: Sequence[str] = DEFAULT_MEASURES
) -> dict[str, float]:
    """Measure name -> mean over the judged queries; in [0, 1] but for the counts (NumRet, NumRel).

    A judged query that the run lacks scores 0 and still counts. Names are ir_measures's.
    Raises ConfigError for an unknown measure, and DataError where no query is judged, a grade is
    above MAX_GRADE, a score is not a number or a ranking holds a case twice.
    """
    per_query = evaluate_queries(run, qrels, measures)
    return {name: float(np.mean(list(values.values()))) for name, values in per_query.items()}


def evaluate_queries(
    run: Run, qrels: Qrels, measures: Sequence[str] = DEFAULT_MEASURES
) -> dict[str, dict[str, float]]:
    """Measure name -> query id -> value, the queries in the order of the qrels. As `evaluate`."""
    import ir_measures

    judged = _judged(qrels)
    parsed = {name: _measure(name) for name in measures}
    values = {measure: dict.fromkeys(qrels, 0.0) for measure in parsed.values()}
    for together in _groups(values):
        depth = _depth(together)
        scores = {q: _scores(q, ranking, depth) for q, ranking in run.items() if q in qrels}
        for metric in ir_measures.pytrec_eval.iter_calc(together, judged, scores):
            values[metric.measure][metric.query_id] = float(metric.value)
    return {name: dict(values[measure]) for name, measure in parsed.items()}


def _judged(qrels: Qrels) -> dict[str, dict[str, int]]:
    """The qrels as trec_eval reads them: a grade below 0 is no judgement, and crashes it if alone."""
    if not qrels:
        raise DataError("there are no qrels to measure against")
    for query, grades in qrels.items():
        if max(grades.values(), default=0) > MAX_GRADE:
            case_id, grade = max(grades.items(), key=lambda item: item[1])
            raise DataError(
                f"query {query!r}, case {case_id!r}: the grade {grade} is above {MAX_GRADE}; "
                "label with smaller grades"
            )
    return {
        query: {case_id: grade for case_id, grade in grades.items() if grade >= 0}
        for query, grades in qrels.items()
    }


def _scores(query: str, ranking: Ranking, depth: int | None) -> dict[str, float]:
    """case id -> score of each case that may stand in the top `depth`: ties at the cut are kept."""
    case_ids, scores = ranking.case_ids, np.asarray(ranking.scores, dtype=np.float32)
    unknown = np.flatnonzero(np.isnan(scores))
    if len(unknown):
        raise DataError(
            f"query {query!r}: the score of case {case_ids[unknown[0]]!r} is not a number; "
            "give every ranked case one"
        )
    if depth is not None and depth < len(scores):
        kept = np.flatnonzero(scores >= np.partition(scores, -depth)[-depth])
        case_ids, scores = tuple(case_ids[row] for row in kept), scores[kept]
    found = dict(zip(case_ids, scores.tolist(), strict=True))
    if len(found) < len(case_ids):
        twice = Counter(case_ids).most_common(1)[0][0]
        raise DataError(f"query {query!r}: case {twice!r} is ranked twice; rank every case once")
    return found


def _measure(name: str) -> Any:
    """A measure that trec_eval computes; see `_is_computed`."""
    import ir_measures

    try:
        measure = ir_measures.parse_measure(name)
        known = _is_computed(measure)
    except Exception:  # a name that is none fails in many ways within ir_measures
        known = False
    if not known:
        raise ConfigError(
            f"unknown measure {name!r}; write it as ir_measures does, e.g. nDCG@10, R@100, AP"
        )
    return measure


def _is_computed(measure: Any) -> bool:
    """Whether trec_eval computes it, tried on one query; a cut-off of 0 or a vast gain would crash it."""
    import ir_measures

    trec_eval, gains = ir_measures.pytrec_eval, measure.params.get("gains", {})
    if not trec_eval.supports(measure) or measure.params.get("cutoff", 1) < 1:
        return False
    if max(gains.values(), default=0) > MAX_GRADE:
        return False
    labels = {"q": {str(grade): grade for grade in (1, *gains)}}
    return len(list(trec_eval.iter_calc([measure], labels, {"q": {"1": 1.0}}))) == 1


def _groups(measures: Iterable[Any]) -> list[list[Any]]:
    """Measures that differ in name and cut-off alone: ir_measures confuses others with each other."""
    groups: dict[str, list[Any]] = {}
    for measure in measures:
        others = {name: value for name, value in measure.params.items() if name != "cutoff"}
        groups.setdefault(repr(sorted(others.items())), []).append(measure)
    return list(groups.values())


def _depth(measures: Sequence[Any]) -> int | None:
    """The deepest rank that any of them looks at; None where one looks at the whole ranking."""
    if any(
        "cutoff" not in measure.params or "judged_only" in measure.params for measure in measures
    ):
        return None
    return max(int(measure.params["cutoff"]) for measure in measures)
