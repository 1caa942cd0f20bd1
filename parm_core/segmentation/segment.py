"""Text to paragraphs: one rule chosen, applied, and its blocks sized."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from parm_core.segmentation.boilerplate import without_boilerplate
from parm_core.segmentation.choice import choose, is_coliee
from parm_core.segmentation.draft import Draft
from parm_core.segmentation.furniture import without_furniture
from parm_core.segmentation.marks import without_marks
from parm_core.segmentation.options import DEFAULTS, Segmentation, SegmentOptions
from parm_core.segmentation.outline import Outline
from parm_core.segmentation.rules import RULE_BLOCKS
from parm_core.segmentation.sizing import resize
from parm_core.segmentation.units import find_units
from parm_core.types import Case, Paragraph, Progress


def segment(text: str, options: SegmentOptions = DEFAULTS) -> Segmentation:
    """The text's paragraphs, what was dropped between them, and the rule used.

    Every character but white space is in a paragraph or in a dropped span, and in one only
    (windows may overlap). A paragraph is source[start:end], dropped spans inside it read as a
    space (a hyphen at a line break as nothing), its white space folded.
    """
    rule = "coliee" if options.rule == "auto" and is_coliee(text) else options.rule
    draft = _slim(text, rule)
    outline = Outline(draft, find_units(draft), options)
    if rule == "auto":
        rule = choose(outline)
    if rule == "numbered" and not outline.numbers:
        rule = "lines"
    blocks = RULE_BLOCKS[rule](outline)
    if rule != "windows":
        breaks = [start for start, _ in outline.units]
        blocks = resize(draft, blocks, breaks, options.max_words)
    paragraphs = (
        Paragraph(draft.read(start, end), kind, start, end) for start, end, kind in blocks
    )
    return Segmentation(rule, tuple(paragraphs), draft.dropped)


def segment_case(case: Case, options: SegmentOptions = DEFAULTS) -> Case:
    """The case with its paragraphs replaced by those of its text."""
    return replace(case, paragraphs=segment(case.text, options).paragraphs)


def segment_collection(
    cases: Sequence[Case],
    options: SegmentOptions = DEFAULTS,
    progress: Progress | None = None,
) -> tuple[Case, ...]:
    """Each case segmented; introductions and summaries that recur across them not retrieved."""
    segmented = []
    for done, case in enumerate(cases, 1):
        segmented.append(segment_case(case, options))
        if progress:
            progress(done, len(cases), "cases segmented")
    return without_boilerplate(segmented)


def _slim(text: str, rule: str) -> Draft:
    """The draft without furniture; the text as it is, were nothing else in it."""
    draft = Draft(text)
    slim = without_furniture(without_marks(draft) if rule == "coliee" else draft)
    return slim if slim.text.strip() else draft
