"""Windows of words with overlap."""

from __future__ import annotations

from parm_core.segmentation.draft import Block, Draft
from parm_core.segmentation.options import SegmentOptions
from parm_core.types import Kind


def windows(draft: Draft, options: SegmentOptions) -> list[Block]:
    """Blocks of window_words words, each sharing overlap_words with the one before.

    A last window that would bring fewer words than half a step joins the one before it only if
    that stays within max_words; words are never left out.
    """
    starts = draft.words.starts
    size = min(options.window_words, options.max_words or options.window_words)
    step = size - min(options.overlap_words, size // 2)
    blocks, first = [], 0
    while first < len(starts):
        last = first + size
        end = starts[last] if last < len(starts) else len(draft.text)
        blocks.append(Block(*draft.trim(starts[first], end), Kind.BODY))
        if last >= len(starts):
            break
        first += step
    return blocks
