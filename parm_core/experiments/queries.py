"""Query by query: what one system gains over another, and what the queries that gain have in common."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np

from parm_core.analysis.queries import factor_correlations
from parm_core.errors import ConfigError
from parm_core.evaluation import evaluate_queries
from parm_core.experiments.labelled import Labelled
from parm_core.experiments.meetings import places, query_or_none
from parm_core.retrieval import Searcher
from parm_core.spreadsheets import csv_text
from parm_core.systems import System, parse_system
from parm_core.types import Case, Progress, Qrels, Run

FACTORS: Mapping[str, str] = {
    "words": "words of the query",
    "paragraphs": "paragraphs of the query",
    "relevant": "relevant cases",
    "query_place": "where in the query the matching paragraphs lie",
    "case_place": "where in the relevant cases they lie",
}
"""What a difference is held against, in words. Places run from 0, the first paragraph, to 1."""


@dataclass(frozen=True)
class QueryDifference:
    """One query under two systems. Places in [0, 1], NaN where no relevant case was hit."""

    query: str
    title: str
    baseline: float
    system: float
    difference: float
    words: int
    paragraphs: int
    relevant: int
    query_place: float
    case_place: float


@dataclass(frozen=True)
class QueryDifferences:
    """Two systems, query by query, the greatest gain first; ties by query id.

    correlations: factor -> (Spearman's rho with the difference, two-sided p, n).
    """

    measure: str
    baseline: str
    system: str
    rows: tuple[QueryDifference, ...]
    correlations: Mapping[str, tuple[float, float, int]]

    def counts(self) -> tuple[int, int, int]:
        """How many queries gain, lose, and stay as they are."""
        signs = [np.sign(row.difference) for row in self.rows]
        return signs.count(1), signs.count(-1), signs.count(0)

    def as_dict(self) -> dict[str, Any]:
        """Everything, ready for JSON; what is not a number is null."""
        return {
            "measure": self.measure,
            "baseline": self.baseline,
            "system": self.system,
            "queries": [{k: _plain(v) for k, v in asdict(row).items()} for row in self.rows],
            "correlations": {
                name: {"rho": _plain(rho), "p": _plain(p), "n": n}
                for name, (rho, p, n) in self.correlations.items()
            },
        }

    def as_csv(self) -> str:
        """A line a query."""
        names = [field.name for field in fields(QueryDifference)]
        return csv_text([names, *(asdict(row).values() for row in self.rows)])

    def as_text(self) -> str:
        """A table to be read."""
        gain, lose, same = self.counts()
        head = f"{self.measure}: {self.system} against {self.baseline}; "
        lines = [f"{head}{gain} queries gain, {lose} lose, {same} stay"]
        lines += [
            f"{row.difference:+8.3f}  {row.baseline:.3f} -> {row.system:.3f}  {row.words:6d} words  "
            f"{row.relevant:3d} relevant  {row.query}"
            for row in self.rows
        ]
        lines += ["Spearman's rho of the difference with"]
        lines += [
            f"  {FACTORS[name]}: {rho:+.2f}, p = {p:.3f}, {n} queries"
            if math.isfinite(rho)
            else f"  {FACTORS[name]}: nothing to correlate"
            for name, (rho, p, n) in self.correlations.items()
        ]
        return "\n".join(lines)


def query_differences(
    searcher: Searcher,
    queries: Labelled,
    runs: Mapping[str, Run],
    measure: str,
    *,
    progress: Progress | None = None,
) -> QueryDifferences:
    """Compare the two systems of `runs`, the baseline first, on one measure.

    Where the matching paragraphs lie is read off the hits of the second system, or of the first if
    the second has none (bm25:rrf's if neither has). progress counts "queries".
    Raises ConfigError unless there are two runs.
    """
    if len(runs) != 2:
        raise ConfigError(f"two systems can be compared query by query, got {len(runs)}")
    (baseline, one), (system, other) = runs.items()
    before, after = (_values(run, queries.qrels, measure) for run in (one, other))
    where = places(searcher, queries, _with_hits(system, baseline), progress)
    rows = [
        QueryDifference(
            case.id,
            case.title,
            before[case.id],
            after[case.id],
            after[case.id] - before[case.id],
            *_size(searcher, case),
            sum(grade > 0 for grade in queries.qrels[case.id].values()),
            *where.get(case.id, (math.nan, math.nan)),
        )
        for case in queries.cases
    ]
    rows.sort(key=lambda row: (-row.difference, row.query))
    differences = np.array([row.difference for row in rows])
    factors = {name: np.array([getattr(row, name) for row in rows], float) for name in FACTORS}
    return QueryDifferences(
        measure, baseline, system, tuple(rows), factor_correlations(differences, factors)
    )


def _values(run: Run, qrels: Qrels, measure: str) -> Mapping[str, float]:
    return evaluate_queries(run, qrels, [measure])[measure]


def _size(searcher: Searcher, case: Case) -> tuple[int, int]:
    """Words and paragraphs to search with."""
    query = query_or_none(searcher, case)
    texts = query.texts if query else []
    return sum(len(text.split()) for text in texts), len(texts)


def _with_hits(*names: str) -> System:
    """The first of the systems that aggregates paragraph hits, or a hybrid's first such part."""
    for name in names:
        system = parse_system(name)
        for part in system.parts or (system,):
            if not part.whole_document:
                return part
    return parse_system("bm25:rrf")


def _plain(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value
