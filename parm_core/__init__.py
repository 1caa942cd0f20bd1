"""PARM Explorer's library: find similar cases when the query is itself a whole case.

    >>> from parm_core import Searcher, open_index
    >>> searcher = Searcher(open_index("my-index"))                  # doctest: +SKIP
    >>> ranking = searcher.search(text, "hybrid:rrf")                # doctest: +SKIP

Importing this package imports nothing heavy; each name is loaded when first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from parm_core._version import __version__ as __version__

_WHERE = {
    "AGGREGATIONS": "aggregation",
    "BM25Params": "index.lexical",
    "Case": "types",
    "Collection": "types",
    "Comparison": "evaluation",
    "ConfigError": "errors",
    "Contributions": "explanation",
    "DataError": "errors",
    "EncoderError": "errors",
    "Hits": "types",
    "HybridContributions": "explanation",
    "Index": "index.opened",
    "IndexOptions": "index.build",
    "IndexStoreError": "errors",
    "Labelled": "experiments.labelled",
    "Memory": "experiments.memory",
    "Paragraph": "types",
    "ParmError": "errors",
    "Plan": "experiments.plans",
    "Query": "query",
    "Ranking": "types",
    "Searcher": "retrieval",
    "SegmentOptions": "segmentation",
    "System": "systems",
    "Tokeniser": "tokenisation",
    "build_index": "index.build",
    "collection_statistics": "analysis.statistics",
    "compare": "evaluation",
    "contributions": "explanation",
    "evaluate": "evaluation",
    "heatmap": "experiments.meetings",
    "labelled": "experiments.labelled",
    "load_collection": "collections",
    "load_encoder": "encoders",
    "open_index": "index.store",
    "mean_agreement": "analysis.agreement",
    "parse_system": "systems",
    "query_differences": "experiments.queries",
    "rank_queries": "experiments.runs",
    "read_qrels": "collections.trec",
    "read_run": "collections.trec",
    "recall_by_cutoff": "analysis.cutoffs",
    "relevant_regions": "analysis.overlap",
    "segment": "segmentation",
    "segment_case": "segmentation",
    "sweep": "experiments.sweeps",
    "write_beir": "collections",
}

__all__ = sorted([*_WHERE, "__version__"])  # noqa: PLE0605


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_WHERE[name]}"), name)


def __dir__() -> list[str]:
    return list(__all__)
