"""Measuring systems on a labelled collection: measures, significance, comparison, tables."""

from parm_core.evaluation.comparison import TESTS, Comparison, Difference, compare
from parm_core.evaluation.measures import DEFAULT_MEASURES, evaluate, evaluate_queries
from parm_core.evaluation.tables import RENDERERS, as_json, per_query_csv

__all__ = [
    "DEFAULT_MEASURES",
    "RENDERERS",
    "TESTS",
    "Comparison",
    "Difference",
    "as_json",
    "compare",
    "evaluate",
    "evaluate_queries",
    "per_query_csv",
]
