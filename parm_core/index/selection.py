"""The best rows of a list of scores, by the product's rule for ties."""

from __future__ import annotations

import numpy as np

from parm_core.types import Float32, Hits, Int64

_SAMPLE = 4096


def top_rows(scores: Float32, depth: int, *, above: float = -np.inf) -> Int64:
    """(P,) scores -> (at most depth,) rows, best first; only scores greater than `above`.

    Equal scores go by row ascending, at the cut too. An index keeps its rows in tie order (case id
    descending, then position), so that this is DESIGN's rule and not an accident of row numbers.
    """
    candidates = _candidates(scores, depth, above)
    if candidates.size > depth:
        found = scores[candidates]
        cut = np.partition(found, found.size - depth)[found.size - depth]
        candidates = candidates[found >= cut]
    return candidates[np.argsort(-scores[candidates], kind="stable")[:depth]]


def _candidates(scores: Float32, depth: int, above: float) -> Int64:
    """Rows in ascending order among which all of the best `depth` are."""
    guess = _guess(scores, depth)
    if guess > above:
        candidates = np.flatnonzero(scores >= guess)
        if candidates.size >= depth:
            return candidates
    return np.flatnonzero(scores > above)


def _guess(scores: Float32, depth: int) -> float:
    """A score that about twice `depth` rows reach, read off a sample; partitioning all is slower."""
    stride = scores.size // _SAMPLE
    wanted = 2 * depth // max(stride, 1) + 8
    if stride < 2 or wanted >= _SAMPLE // 2:
        return -np.inf
    sample = scores[::stride]
    return float(np.partition(sample, sample.size - wanted)[sample.size - wanted])


def best_rows(rows: Int64, scores: Float32, depth: int) -> tuple[Int64, Float32]:
    """(n,) rows in any order and their scores -> those of the best `depth`, by the same rule."""
    if rows.size > depth:
        reached = scores >= np.partition(scores, rows.size - depth)[rows.size - depth]
        rows, scores = rows[reached], scores[reached]
    order = np.lexsort((rows, -scores))[:depth]
    return rows[order], scores[order]


def pack(found: list[tuple[Int64, Float32]], depth: int) -> Hits:
    """Lists of (rows, scores), one a query paragraph, best first -> hits padded to `depth`."""
    rows = np.full((len(found), depth), -1, dtype=np.int64)
    scores = np.zeros((len(found), depth), dtype=np.float32)
    for i, (some_rows, some_scores) in enumerate(found):
        rows[i, : some_rows.size] = some_rows
        scores[i, : some_rows.size] = some_scores
    return Hits(rows, scores)
