"""What a collection is made of, once it has been cut into paragraphs: table 1 of the PARM paper."""

from __future__ import annotations

from dataclasses import replace

from parm_core.analysis.statistics import Statistics, collection_statistics
from parm_core.errors import DataError
from parm_core.index.build import segment_cases
from parm_core.segmentation import SegmentOptions, segment_case
from parm_core.types import Case, Collection, Encoder, Progress


def describe_collection(
    collection: Collection,
    options: SegmentOptions,
    encoder: Encoder | None,
    progress: Progress | None = None,
) -> Statistics:
    """Cut a collection and count it; encoder: whose limit the paragraphs are held against.

    Query cases that cannot be cut count as without paragraphs. Raises DataError naming a case that
    cannot be cut.
    """
    cases = segment_cases(collection.cases, options, progress)
    queries = [_cut(case, options) for case in collection.queries]
    texts = [p.text for case in cases for p in case.paragraphs if p.retrieved]
    return collection_statistics(
        cases,
        queries,
        collection.qrels,
        tokens=encoder.count_tokens(texts) if encoder else None,
        max_tokens=encoder.max_tokens if encoder else None,
    )


def _cut(case: Case, options: SegmentOptions) -> Case:
    try:
        return segment_case(case, options)
    except DataError:
        return replace(case, paragraphs=())
