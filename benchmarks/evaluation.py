"""`parm evaluate` over whole-case queries, against encoding their paragraphs alone.

python -m benchmarks.evaluation INDEX COLLECTION
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time

from parm_core.collections import load_collection
from parm_core.experiments.labelled import labelled
from parm_core.index.store import open_index
from parm_core.retrieval import Searcher

SYSTEMS = (
    "bm25:doc,bm25:combsum,bm25:rrf,bm25:srrf,dense:firstp,dense:maxp,dense:rrf,dense:vrrf,"
    "dense:srrf,hybrid:rrf"
)


def main(index: str, collection: str) -> None:
    encoding_s, paragraphs = encode_alone(index, collection)
    evaluating_s, peak_bytes = evaluate(index, collection)
    systems = SYSTEMS.count(",") + 1
    print(f"encoding {paragraphs:,} query paragraphs alone: {encoding_s:.1f} s")
    print(f"parm evaluate, {systems} systems, nothing kept: {evaluating_s:.1f} s")
    print(f"ratio {evaluating_s / encoding_s:.2f}; peak memory {peak_bytes / 2**30:.2f} GiB")


def encode_alone(index: str, collection: str) -> tuple[float, int]:
    searcher = Searcher(open_index(index))
    cases = labelled(load_collection(collection)).cases
    texts = [text for case in cases for text in searcher.query_of(case).texts]
    encoder = searcher.encoder
    encoder.encode_queries(texts[:8])
    start = time.perf_counter()
    encoder.encode_queries(texts)
    return time.perf_counter() - start, len(texts)


def evaluate(index: str, collection: str) -> tuple[float, int]:
    """Wall time of the command, and the most memory it held."""
    with tempfile.TemporaryDirectory() as folder:
        words = ["evaluate", index, collection, "--systems", SYSTEMS, "--baseline", "bm25:doc"]
        own = os.environ | {"PARM_CACHE": folder, "PARM_INDEXES": folder}
        start = time.perf_counter()
        subprocess.run([sys.executable, "-m", "parm_core", *words], check=True, env=own)
        spent = time.perf_counter() - start
    return spent, 1024 * resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss


if __name__ == "__main__":
    main(*sys.argv[1:])
