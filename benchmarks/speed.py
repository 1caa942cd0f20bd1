"""Speed on this machine, every figure a ratio or a bound from one run.

    python -m benchmarks.speed [INDEX CASE.txt]

Without arguments: aggregation of generated hits at COLIEE's size. With an index and a case: opening
it, and the whole path from text to four rankings against encoding the same paragraphs alone.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import numpy as np

from parm_core.aggregation import AGGREGATIONS
from parm_core.aggregation.hit_table import HitTable
from parm_core.index.store import open_index
from parm_core.retrieval import Searcher
from parm_core.types import Hits

QUERY_PARAGRAPHS, DEPTH, PARAGRAPHS, WIDTH = 45, 1000, 196_000, 384
FOUR = ("bm25:rrf", "bm25:srrf", "dense:vrrf", "hybrid:rrf")


def timed(work: Callable[[], object], runs: int = 5) -> float:
    """Median wall seconds of several runs after one that is not counted."""
    work()
    spent = []
    for _ in range(runs):
        start = time.perf_counter()
        work()
        spent.append(time.perf_counter() - start)
    return median(spent)


def generated() -> Callable[[], HitTable]:
    """Hits of one long case: every list drawn from a shared pool, as near paragraphs recur in lists."""
    rng = np.random.default_rng(7)
    sizes = np.maximum(1, rng.lognormal(3.4, 0.8, 6000).astype(np.int64))
    sizes = sizes[: int(np.searchsorted(np.cumsum(sizes), PARAGRAPHS))]
    sizes = np.append(sizes, PARAGRAPHS - sizes.sum())
    case_of_row = np.repeat(np.arange(sizes.size), sizes)
    vectors = rng.standard_normal((PARAGRAPHS, WIDTH), dtype=np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    lists = [rng.choice(PARAGRAPHS, DEPTH, replace=False) for _ in range(QUERY_PARAGRAPHS)]
    scores = -np.sort(-rng.random((QUERY_PARAGRAPHS, DEPTH), dtype=np.float32), axis=1)
    hits = Hits(np.array(lists), scores)
    queries = vectors[:QUERY_PARAGRAPHS]
    twins = np.arange(PARAGRAPHS)
    return lambda: HitTable(hits, case_of_row, sizes, queries, vectors, twins)


def aggregations() -> None:
    """All aggregations of the same hits, together and each."""
    table_of = generated()

    def everything() -> None:
        table = table_of()
        for aggregation in AGGREGATIONS.values():
            aggregation.scores(table, **aggregation.params)

    whole = timed(everything)
    print(f"{QUERY_PARAGRAPHS} lists of {DEPTH} hits, {PARAGRAPHS:,} paragraphs, {WIDTH} wide")
    print(f"all {len(AGGREGATIONS)} aggregations together: {1000 * whole:.0f} ms (bar: 300 ms)")
    for name, aggregation in AGGREGATIONS.items():
        alone = timed(lambda a=aggregation: a.scores(table_of(), **a.params))  # type: ignore[misc]
        print(f"  {name:8} alone {1000 * alone:6.1f} ms, {alone / whole:5.2f} of all together")


def whole_path(path: str, case: str) -> None:
    """Opening an index; text to four rankings; another aggregation once the hits exist."""
    print(f"opening {path}: {1000 * timed(lambda: _touch(path)):.0f} ms (bar: 1,000 ms)")
    searcher, text = Searcher(open_index(path)), Path(case).read_text(encoding="utf-8")
    query = searcher.query(text)
    encoding = timed(lambda: searcher.encoder.encode_queries(query.texts))

    def everything() -> None:
        fresh = searcher.query(text)
        for system in FOUR:
            searcher.rank(fresh, system)

    whole = timed(everything)
    for system in FOUR:
        searcher.rank(query, system)
    k = iter(range(1, 100))
    again = timed(lambda: searcher.rank(query, f"dense:vrrf@k={next(k)}"))
    print(f"{len(query.texts)} paragraphs: encoding alone {encoding:.2f} s")
    print(f"text to four rankings: {whole:.2f} s, {whole / encoding:.2f} x encoding (bar: 1.5)")
    print(f"one more aggregation of the hits: {1000 * again:.1f} ms (bar: 500 ms)")


def _touch(path: str) -> None:
    index = open_index(path)
    _ = index.case_ids, index.case_of_row, index.vectors, index.paragraph_postings


if __name__ == "__main__":
    aggregations()
    if len(sys.argv) == 3:
        whole_path(*sys.argv[1:])
