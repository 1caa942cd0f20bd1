"""What bfloat16 costs in quality: an index whose passages were encoded so, against a float32 one.

python -m benchmarks.precision REFERENCE INDEX COLLECTION
"""

from __future__ import annotations

import sys

import numpy as np

from parm_core.collections import load_collection
from parm_core.evaluation import evaluate
from parm_core.experiments.labelled import labelled
from parm_core.experiments.runs import rank_queries
from parm_core.index.store import open_index
from parm_core.retrieval import Searcher
from parm_core.systems import parse_system

SYSTEMS = ("dense:firstp", "dense:maxp", "dense:rrf", "dense:vrrf", "dense:srrf", "hybrid:rrf")
TOP = 100


def main(reference: str, other: str, collection: str) -> None:
    searchers = [Searcher(open_index(path)) for path in (reference, other)]
    asked = labelled(load_collection(collection))
    print(f"precision: {[s.index.manifest['encoder'].get('precision') for s in searchers]}")
    system = parse_system(f"dense:rrf@depth={TOP}")
    shared = []
    for case in asked.cases:
        hits = [searcher.hits(searcher.query_of(case), system).rows for searcher in searchers]
        shared += [
            len(set(a) & set(b)) / TOP for a, b in zip(*map(np.ndarray.tolist, hits), strict=True)
        ]
    print(f"first {TOP} hits of a query paragraph in common: {np.mean(shared):.4f}")
    systems = [parse_system(name) for name in SYSTEMS]
    runs = [rank_queries(searcher, asked.cases, systems).runs for searcher in searchers]
    for name in SYSTEMS:
        before, after = (evaluate(run[name], asked.qrels, [f"R@{TOP}", "nDCG@10"]) for run in runs)
        told = ", ".join(f"{m} {before[m]:.4f} -> {after[m]:.4f}" for m in before)
        print(f"{name:14} {told}")


if __name__ == "__main__":
    main(*sys.argv[1:])
