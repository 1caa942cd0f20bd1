"""Which paragraph of a query finds which paragraph of its relevant cases, over all judged queries."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from parm_core.analysis.meetings import relevant_hits
from parm_core.errors import ConfigError, DataError
from parm_core.types import Float64, Hits, Int64, Kind

LAST = 10
"""The last ordinal that has a row and a column of its own, as in Althammer et al. 2022, figure 4."""

MOST = 1_000
"""The largest ordinal a label can hold."""

_NAMES = ("I", "S", *map(str, range(1, MOST + 1)))
_CODES = {"": -1} | {name: code for code, name in enumerate(_NAMES)}
_FIRST_ORDINAL = 2


def paragraph_labels(kinds: Sequence[Kind], last: int = LAST) -> list[str]:
    """Labels of a case's retrieved paragraphs, in order: "I" introduction, "S" summary, else "1", "2" …

    kinds: (n,) theirs. The ordinals count the others alone; beyond `last` the label is "". Raises
    ConfigError unless 1 <= last <= 1,000.
    """
    if not 1 <= last <= MOST:
        raise ConfigError(f"the last ordinal must be from 1 to {MOST:,}, got {last}")
    labels, ordinal = [], 0
    for kind in kinds:
        if kind in _LETTERS:
            labels.append(_LETTERS[kind])
        else:
            ordinal += 1
            labels.append(str(ordinal) if ordinal <= last else "")
    return labels


_LETTERS = {Kind.INTRO: "I", Kind.SUMMARY: "S"}


@dataclass(frozen=True)
class Labels:
    """Paragraph labels as numbers; made once, they serve many queries.

    codes: (n,) int64, -1 for "", 0 for "I", 1 for "S", n + 1 for the ordinal n.
    """

    codes: Int64

    @classmethod
    def of(cls, labels: Sequence[str] | Labels) -> Labels:
        """Number labels as `paragraph_labels` writes them. Raises ConfigError for any other."""
        if isinstance(labels, Labels):
            return labels
        try:
            return cls(np.fromiter((_CODES[label] for label in labels), np.int64, len(labels)))
        except KeyError as error:
            raise ConfigError(
                f'unknown paragraph label {error.args[0]!r}; one of "I", "S", "" '
                f'or an ordinal from "1" to "{MOST}"'
            ) from None


class Meetings(NamedTuple):
    """One judged query's hits, and what is needed to tell which meet its relevant cases.

    query_labels: (n_q,) of its retrieved paragraphs. relevant: the rows of each relevant case.
    row_labels: (P,) of all paragraphs of the index; as Labels, they are numbered only once.
    """

    hits: Hits
    query_labels: Sequence[str] | Labels
    relevant: Sequence[slice]
    row_labels: Sequence[str] | Labels


@dataclass(frozen=True)
class ParagraphHeatmap:
    """How often paragraphs of one label find paragraphs of another, and how often chance would.

    rows (R,): labels of query paragraphs; columns (C,): of paragraphs of relevant cases. counts
    (R, C) int64: hits. expected (R, C) float64: hits, were each to fall on any paragraph of its
    case alike. queries (R, C) int64: queries with a hit in the cell. outside: hits on relevant
    cases without a cell, as one of their labels is "".
    """

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    counts: Int64
    expected: Float64
    queries: Int64
    outside: int

    @property
    def shares(self) -> Float64:
        """(R, C) counts over their row's sum, in [0, 1]; 0 where a row is empty."""
        sums = self.counts.sum(axis=1, keepdims=True)
        shares: Float64 = self.counts / np.maximum(sums, 1)
        return shares

    @property
    def lift(self) -> Float64:
        """(R, C) counts over what chance would give; NaN where that is 0."""
        lift: Float64 = np.full(self.counts.shape, np.nan)
        return np.divide(self.counts, self.expected, out=lift, where=self.expected > 0)


def paragraph_heatmap(meetings: Iterable[Meetings]) -> ParagraphHeatmap:
    """Count, over judged queries, which paragraphs' hits fall on which of the relevant cases'.

    counts[i, j]: hits of query paragraphs labelled i on paragraphs labelled j of a relevant case;
    Althammer et al. 2022, figure 4. expected[i, j]: each hit of a query paragraph labelled i on a
    relevant case d of m_d paragraphs adds the share of them that is labelled j: what it would
    be, did hits keep their query paragraph and case but fall on the case's paragraphs alike.
    "I" and "S" are on an axis where a paragraph has that label, ordinals from "1" to the largest.
    Raises DataError where a query's labels or the rows' do not fit its hits or relevant cases.
    """
    found = [_met(meeting) for meeting in meetings]
    rows = _axis(code for met in found for code in met.rows)
    columns = _axis(code for met in found for code in met.columns)
    cells = np.ix_(rows, columns)
    shape = (max(rows, default=-1) + 1, max(columns, default=-1) + 1)
    return ParagraphHeatmap(
        tuple(_NAMES[code] for code in rows),
        tuple(_NAMES[code] for code in columns),
        _summed((met.counts for met in found), shape).astype(np.int64)[cells],
        _summed((met.expected for met in found), shape)[cells],
        _summed((met.counts > 0 for met in found), shape).astype(np.int64)[cells],
        sum(met.outside for met in found),
    )


class _Met(NamedTuple):
    """One query's share of the heatmap, its axes the codes from 0 to the largest it has."""

    counts: Int64
    expected: Float64
    rows: list[int]
    columns: list[int]
    outside: int


def _met(meeting: Meetings) -> _Met:
    queries, rows = Labels.of(meeting.query_labels).codes, Labels.of(meeting.row_labels).codes
    _check(meeting, queries.size, rows.size)
    hit = relevant_hits(meeting.hits, meeting.relevant)
    i, j = queries[hit.paragraph], rows[hit.row]
    of_relevant = [rows[case] for case in meeting.relevant]
    shape = (_width([queries]), _width(of_relevant))
    inside = (i >= 0) & (j >= 0)
    hits_on = _counted(i, hit.case, (shape[0], len(meeting.relevant)))
    return _Met(
        _counted(i[inside], j[inside], shape),
        hits_on @ _label_shares(of_relevant, shape[1]),
        np.unique(queries).tolist(),
        np.unique(np.concatenate(of_relevant or [rows[:0]])).tolist(),
        int(inside.size - inside.sum()),
    )


def _check(meeting: Meetings, n_labels: int, n_rows: int) -> None:
    n_q = meeting.hits.rows.shape[0]
    if n_labels != n_q:
        raise DataError(f"{n_labels} labels for a query of {n_q} paragraphs; give each its own")
    reach = max([int(meeting.hits.rows.max(initial=-1)) + 1, *(c.stop for c in meeting.relevant)])
    if reach > n_rows:
        raise DataError(f"{n_rows} row labels, but rows up to {reach - 1}; label every paragraph")


def _width(labels: Sequence[Int64]) -> int:
    return max((int(codes.max(initial=-1)) for codes in labels), default=-1) + 1


def _counted(i: Int64, j: Int64, shape: tuple[int, int]) -> Int64:
    """How often each pair (i, j) occurs; a pair whose i is -1 is passed over."""
    flat = (i * shape[1] + j)[i >= 0]
    return np.bincount(flat, minlength=shape[0] * shape[1]).reshape(shape)


def _label_shares(cases: Sequence[Int64], width: int) -> Float64:
    """(cases, width) the share of each case's paragraphs that has each label."""
    counts = [np.bincount(codes + 1, minlength=width + 1)[1:] for codes in cases]
    shares = [count / max(codes.size, 1) for count, codes in zip(counts, cases, strict=True)]
    return np.array(shares, dtype=np.float64).reshape(len(cases), width)


def _axis(codes: Iterable[int]) -> list[int]:
    present = set(codes)
    letters = sorted(code for code in present if 0 <= code < _FIRST_ORDINAL)
    return letters + list(range(_FIRST_ORDINAL, max(present, default=-1) + 1))


def _summed(parts: Iterable[NDArray[Any]], shape: tuple[int, int]) -> Float64:
    total = np.zeros(shape)
    for part in parts:
        total[: part.shape[0], : part.shape[1]] += part
    return total
