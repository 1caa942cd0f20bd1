"""Measures of systems on a labelled collection.

python -m benchmarks.quality INDEX COLLECTION [SYSTEM …]
"""

from __future__ import annotations

import sys
import time

from parm_core.collections import load_collection
from parm_core.evaluation import DEFAULT_MEASURES, evaluate
from parm_core.index.store import open_index
from parm_core.retrieval import Searcher
from parm_core.systems import parse_system
from parm_core.types import Ranking

SYSTEMS: tuple[str, ...] = (
    "bm25:doc",
    "bm25:rrf",
    "bm25:srrf",
    "dense:firstp",
    "dense:maxp",
    "dense:rrf",
)
SYSTEMS += ("dense:vrrf", "dense:srrf", "hybrid:rrf")


def main(index: str, collection: str, *names: str) -> None:
    searcher, labelled = Searcher(open_index(index)), load_collection(collection)
    systems = [parse_system(name) for name in names or SYSTEMS]
    runs: dict[str, dict[str, Ranking]] = {str(system): {} for system in systems}
    start = time.perf_counter()
    for case in labelled.queries:
        query = searcher.query(case.text)
        for system in systems:
            runs[str(system)][case.id] = searcher.rank(query, system)
    print(f"{labelled.name}: {len(labelled.queries)} queries, {time.perf_counter() - start:.1f} s")
    print(f"| system | {' | '.join(DEFAULT_MEASURES)} |\n|---|{'---|' * len(DEFAULT_MEASURES)}")
    for name, run in runs.items():
        measured = evaluate(run, labelled.qrels)
        print(f"| `{name}` | {' | '.join(f'{measured[m]:.3f}' for m in DEFAULT_MEASURES)} |")


if __name__ == "__main__":
    main(*sys.argv[1:])
