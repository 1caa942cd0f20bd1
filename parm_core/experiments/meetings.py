"""Which paragraphs met, over all labelled queries: what the heatmap and the per-query table read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import NamedTuple

from parm_core.analysis.heatmap import (
    Labels,
    Meetings,
    ParagraphHeatmap,
    paragraph_heatmap,
    paragraph_labels,
)
from parm_core.analysis.queries import match_places
from parm_core.errors import ConfigError, DataError
from parm_core.experiments.labelled import Labelled
from parm_core.index.opened import Index
from parm_core.query import Query
from parm_core.retrieval import Searcher
from parm_core.systems import System
from parm_core.types import Case, Hits, Progress


class _Asked(NamedTuple):
    """A labelled query at work, its hits, and the rows of its relevant cases."""

    query: Query
    hits: Hits
    relevant: list[slice]


def heatmap(
    searcher: Searcher, queries: Labelled, system: System, progress: Progress | None = None
) -> ParagraphHeatmap:
    """How often which paragraph of a query has which paragraph of a relevant case among its hits.

    Queries that cannot be searched with are passed over. progress counts "queries". Althammer et
    al., ECIR 2022, figure 4. Raises ConfigError for a system that has no paragraph hits.
    """
    row_labels = _row_labels(searcher.index)
    return paragraph_heatmap(
        Meetings(
            asked.hits,
            paragraph_labels(asked.query.kinds),
            asked.relevant,
            row_labels,
        )
        for _, asked in _asked(searcher, queries, system, progress)
    )


def places(
    searcher: Searcher, queries: Labelled, system: System, progress: Progress | None = None
) -> dict[str, tuple[float, float]]:
    """Query id -> where the paragraphs that met lie, in the query and in its relevant cases.

    Each in [0, 1], see `match_places`. progress counts "queries". Raises ConfigError as `heatmap`.
    """
    return {
        query_id: match_places(asked.hits, asked.relevant)
        for query_id, asked in _asked(searcher, queries, system, progress)
    }


def _asked(
    searcher: Searcher, queries: Labelled, system: System, progress: Progress | None
) -> Iterator[tuple[str, _Asked]]:
    if system.parts or system.whole_document:
        raise ConfigError(
            f"{system} has no paragraph hits; choose one that aggregates them, e.g. bm25:rrf"
        )
    for done, case in enumerate(queries.cases, 1):
        query = query_or_none(searcher, case)
        if query is not None:
            relevant = _relevant_rows(searcher.index, queries.qrels[case.id])
            yield case.id, _Asked(query, searcher.hits(query, system), relevant)
        if progress:
            progress(done, len(queries.cases), "queries")


def query_or_none(searcher: Searcher, case: Case) -> Query | None:
    """A labelled query at work; None where it cannot be searched with."""
    try:
        return searcher.query_of(case)
    except DataError:
        return None


def _relevant_rows(index: Index, grades: Mapping[str, int]) -> list[slice]:
    relevant = [case_id for case_id, grade in grades.items() if grade > 0]
    return [index.rows_of(case_id) for case_id in relevant if index.holds(case_id)]


def _row_labels(index: Index) -> Labels:
    kinds = index.kinds
    spans = pairwise(index.case_starts.tolist())
    return Labels.of([label for a, b in spans for label in paragraph_labels(kinds[a:b])])
