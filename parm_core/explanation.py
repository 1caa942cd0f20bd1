"""Why a case has its score: its terms, exactly, as a paragraph × paragraph matrix."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from parm_core.aggregation import AGGREGATIONS, Aggregation, vector
from parm_core.aggregation.hit_table import HitTable
from parm_core.aggregation.rank import reciprocal_rank
from parm_core.errors import ConfigError
from parm_core.query import Query
from parm_core.retrieval import Searcher
from parm_core.systems import System, parse_system
from parm_core.types import Float64, Int64

OPENING = -1
"""Stands for a case's opening, as much of it as the encoder reads, where a position would stand."""


class Pair(NamedTuple):
    """What one (query paragraph, case paragraph) pair added; positions from 0, or OPENING.

    share: the contribution over the sum of all absolute contributions, in [-1, 1].
    """

    query_position: int
    case_position: int
    contribution: float
    share: float


@dataclass(frozen=True)
class Contributions:
    """A case's score, spread over pairs of paragraphs: `cells` sum to `score`.

    cells: (n_q, m_d) float64, may be negative. query_positions: (n_q,), case_positions: (m_d,),
    from 0, or OPENING. score: as ranked; 0 where the system did not find the case.
    """

    system: str
    case_id: str
    score: float
    cells: Float64
    query_positions: Int64
    case_positions: Int64

    def pairs(self, limit: int | None = None) -> list[Pair]:
        """The cells that are not 0, strongest first; ties by query position, then case position."""
        rows, columns = np.nonzero(self.cells)
        values = self.cells[rows, columns]
        order = np.lexsort((columns, rows, -np.abs(values)))[:limit]
        whole = np.abs(values).sum()
        return [
            Pair(
                int(self.query_positions[rows[i]]),
                int(self.case_positions[columns[i]]),
                float(values[i]),
                float(values[i] / whole),
            )
            for i in order
        ]


class HybridTerm(NamedTuple):
    """What one ranking gave a fused score; rank None where that ranking lacks the case."""

    system: str
    rank: int | None
    contribution: float


@dataclass(frozen=True)
class HybridContributions:
    """A fused score, spread over its rankings: `terms` sum to `score`. Each opens its own matrix."""

    system: str
    case_id: str
    score: float
    terms: tuple[HybridTerm, ...]


def contributions(
    searcher: Searcher,
    query: Query,
    system: str | System,
    case_id: str,
    *,
    by: str = "retrieval",
) -> Contributions | HybridContributions:
    """Why `system` gave `case_id` its score for this query.

    by: "retrieval" files a term under the query paragraph whose list held the hit; "similarity",
    for vector aggregations, spreads it over the query paragraphs whose vectors make up q̂.
    Raises ConfigError for an unknown system or `by`, DataError for an unknown case.
    """
    parsed = parse_system(system) if isinstance(system, str) else system
    if by not in ("retrieval", "similarity"):
        raise ConfigError(f"by must be 'retrieval' or 'similarity', got {by!r}")
    case = searcher.index.case_index(case_id)
    if case_id == query.excluded:
        return _left_out(searcher, query, parsed, case)
    if parsed.parts:
        return _hybrid(searcher, query, parsed, case_id)
    if parsed.whole_document:
        return _DOCUMENT[parsed.aggregation](searcher, query, parsed, case)
    return _aggregated(searcher, query, parsed, case, by)


def _left_out(
    searcher: Searcher, query: Query, system: System, case: int
) -> Contributions | HybridContributions:
    """The query's own case, which no system finds."""
    case_id = searcher.index.case_ids[case]
    if system.parts:
        terms = tuple(HybridTerm(str(part), None, 0.0) for part in system.parts)
        return HybridContributions(str(system), case_id, 0.0, terms)
    cells = np.zeros((len(query.texts), int(searcher.index.case_sizes[case])))
    return _made(searcher, query, system, case, cells, 0.0)


def _hybrid(searcher: Searcher, query: Query, system: System, case_id: str) -> HybridContributions:
    terms = []
    for part in system.parts:
        rank = searcher.rank(query, part).ranks().get(case_id)
        term = float(reciprocal_rank(rank, system.params["k"])) if rank else 0.0
        terms.append(HybridTerm(str(part), rank, term))
    return HybridContributions(
        str(system), case_id, sum(t.contribution for t in terms), tuple(terms)
    )


def _aggregated(
    searcher: Searcher, query: Query, system: System, case: int, by: str
) -> Contributions:
    table = searcher.hit_table(query, system)
    known = AGGREGATIONS[system.aggregation]
    rows = searcher.index.rows(case)
    cells = np.zeros((len(query.texts), rows.stop - rows.start))
    own = np.flatnonzero((table.row >= rows.start) & (table.row < rows.stop))
    if own.size:
        spread = _spread_by_similarity if by == "similarity" and known.needs_vectors else _spread
        spread(cells, table, own, table.row[own] - rows.start, known, system)
    return _made(searcher, query, system, case, cells, float(cells.sum()))


def _spread(
    cells: Float64,
    table: HitTable,
    own: Int64,
    columns: Int64,
    known: Aggregation,
    system: System,
) -> None:
    """File each hit's term under the query paragraph that found it."""
    if known.terms is not None:
        terms = known.terms(table, **system.params)[own]
    else:
        terms = (_extreme_shares(table, own, known)[1]).sum(axis=1)
    np.add.at(cells, (table.query[own], columns), terms)


def _spread_by_similarity(
    cells: Float64,
    table: HitTable,
    own: Int64,
    columns: Int64,
    known: Aggregation,
    system: System,
) -> None:
    """Spread each hit's term over the query paragraphs whose vectors make up q̂."""
    assert table.query_vectors is not None
    if known.weights is not None:
        vectors = table.distinct_vectors[table.distinct_place[own]].astype(np.float64)
        weights = known.weights(table, **system.params)[own]
        spread = table.query_vectors.astype(np.float64) @ (vectors * weights[:, None]).T
    else:
        query_shares, hit_terms = _extreme_shares(table, own, known)
        spread = query_shares @ hit_terms.T
    np.add.at(cells.T, columns, spread.T)


def _extreme_shares(table: HitTable, own: Int64, known: Aggregation) -> tuple[Float64, Float64]:
    """(n_q, dim) shares of each component of q̂, (hits, dim) terms q̂_c·d̂_c shared among hits."""
    assert table.query_vectors is not None and known.extreme is not None
    vectors = table.distinct_vectors[table.distinct_place[own]]
    query = known.extreme.reduce(table.query_vectors, axis=0).astype(np.float64)
    products = query * known.extreme.reduce(vectors, axis=0)
    hit_terms = vector.suppliers(vectors, known.extreme) * products
    return vector.suppliers(table.query_vectors, known.extreme), hit_terms


def _doc(searcher: Searcher, query: Query, system: System, case: int) -> Contributions:
    """A term's score, filed by the share of its occurrences that each paragraph holds."""
    index = searcher.index
    rows = index.rows(case)
    query_counts = [Counter(terms) for terms in searcher.query_terms(query)]
    case_counts = [Counter(index.tokeniser.terms(text)) for text in index.texts(rows)]
    cells = np.zeros((len(query_counts), len(case_counts)))
    for term in sorted(set().union(*query_counts) & set().union(*case_counts)):
        q = np.array([counts[term] for counts in query_counts], dtype=np.float64)
        d = np.array([counts[term] for counts in case_counts], dtype=np.float64)
        cells += index.case_postings.impact(term, case) * np.outer(q, d / d.sum())
    return _made(searcher, query, system, case, cells, float(cells.sum()))


def _firstp(searcher: Searcher, query: Query, system: System, case: int) -> Contributions:
    score = float(searcher.document_scores(query, system)[case])
    return Contributions(
        str(system),
        searcher.index.case_ids[case],
        score,
        np.array([[score]]),
        np.array([OPENING]),
        np.array([OPENING]),
    )


def _maxp(searcher: Searcher, query: Query, system: System, case: int) -> Contributions:
    rows = searcher.index.rows(case)
    scores = searcher.opening_scores(query)[rows]
    cells = np.zeros((1, scores.size))
    if np.isfinite(scores).any():
        cells[0, int(np.argmax(scores))] = scores.max()
    return Contributions(
        str(system),
        searcher.index.case_ids[case],
        float(cells.sum()),
        cells,
        np.array([OPENING]),
        np.asarray(searcher.index.positions[rows]),
    )


_DOCUMENT = {"doc": _doc, "firstp": _firstp, "maxp": _maxp}


def _made(
    searcher: Searcher, query: Query, system: System, case: int, cells: Float64, score: float
) -> Contributions:
    rows = searcher.index.rows(case)
    case_id, positions = searcher.index.case_ids[case], searcher.index.positions[rows]
    return Contributions(str(system), case_id, score, cells, query.positions, np.asarray(positions))
