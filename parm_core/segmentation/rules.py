"""The rules: a draft in, blocks out, in order, holding all of the draft's text between them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from parm_core.segmentation.draft import Block, Draft
from parm_core.segmentation.opening import opening_length
from parm_core.segmentation.outline import Outline
from parm_core.segmentation.units import Span, is_heading
from parm_core.types import Kind

CASELAW_WORDS = 200

_SUMMARY = re.compile(r"\W{0,3}(?:Summary|Headnote)\s*:", re.IGNORECASE)


Rule = Callable[[Outline], list[Block]]


def numbered(outline: Outline) -> list[Block]:
    """An introduction, a summary if there is one, then a block a number; [] without numbers."""
    starts = set(outline.numbers)
    if not starts:
        return []
    groups: list[list[Span]] = [[]]
    for unit in outline.units:
        if unit[0] in starts:
            headed = len(groups) > 1 or not _has_summary(outline.draft, groups[0])
            groups.append(_take_headings(outline.draft, groups[-1]) if headed else [])
        groups[-1].append(unit)
    claims = [_block(group, Kind.NUMBERED) for group in groups[1:]]
    return [*_front(outline.draft, groups[0]), *claims]


def lines(outline: Outline) -> list[Block]:
    """A block a unit; a caption is the introduction, a heading joins what it heads."""
    front = opening_length(outline.draft, outline.units)
    summary = [i for i, unit in enumerate(outline.units) if _says_summary(outline.draft, unit)]
    front = max(front, summary[0] + 1) if summary and summary[0] <= 40 else front
    blocks = _front(outline.draft, outline.units[:front])
    group: list[Span] = []
    for unit in outline.units[front:]:
        group.append(unit)
        if not _leads_on(outline.draft, group):
            blocks.append(_block(group, Kind.BODY))
            group = []
    return [*blocks, *([_block(group, Kind.BODY)] if group else [])]


def caselaw(outline: Outline) -> list[Block]:
    """Sentences, a line's end ending one too, merged until a block passes 200 words."""
    draft = outline.draft
    starts = sorted({*(start for start, _ in outline.units), *draft.sentences})
    limit = outline.options.max_words
    blocks: list[Block] = []
    first = 0
    for here in range(1, len(starts) + 1):
        end = starts[here] if here < len(starts) else len(draft.text)
        after = starts[here + 1] if here + 1 < len(starts) else len(draft.text)
        full = draft.words.count(starts[first], end) > CASELAW_WORDS
        spilling = 0 < limit < draft.words.count(starts[first], after)
        if full or spilling or here == len(starts):
            blocks.append(Block(*draft.trim(starts[first], end), Kind.BODY))
            first = here
    return blocks


def coliee(outline: Outline) -> list[Block]:
    """As `numbered`, or as `lines` where nothing is numbered."""
    return numbered(outline) or lines(outline)


def windows(outline: Outline) -> list[Block]:
    """Blocks of window_words words, each sharing overlap_words with the one before."""
    draft, options = outline.draft, outline.options
    starts = draft.words.starts
    size = min(options.window_words, options.max_words or options.window_words)
    step = size - min(options.overlap_words, size // 2)
    firsts = range(0, max(1, len(starts) - size + step), step)
    ends = [*starts, len(draft.text)]
    spans = ((starts[first], ends[min(first + size, len(starts))]) for first in firsts if starts)
    return [Block(*draft.trim(start, end), Kind.BODY) for start, end in spans]


RULE_BLOCKS: dict[str, Rule] = {
    "coliee": coliee,
    "caselaw": caselaw,
    "numbered": numbered,
    "lines": lines,
    "windows": windows,
}


def _front(draft: Draft, units: Sequence[Span]) -> list[Block]:
    """What stands before the body: an introduction and, from its heading on, a summary."""
    at = next((i for i, unit in enumerate(units) if _says_summary(draft, unit)), len(units))
    parts = ((units[:at], Kind.INTRO), (units[at:], Kind.SUMMARY))
    return [_block(part, kind) for part, kind in parts if part]


def _has_summary(draft: Draft, units: Sequence[Span]) -> bool:
    return any(_says_summary(draft, unit) for unit in units)


def _says_summary(draft: Draft, unit: Span) -> bool:
    return _SUMMARY.match(draft.text, *unit) is not None


def _take_headings(draft: Draft, group: list[Span]) -> list[Span]:
    """Removes the headings at the group's end and returns them, for the group that follows."""
    kept = len(group)
    while kept > 1 and is_heading(draft.text[slice(*group[kept - 1])]):
        kept -= 1
    taken = group[kept:]
    del group[kept:]
    return taken


def _leads_on(draft: Draft, group: Sequence[Span]) -> bool:
    """Whether the group so far is only headings, strays, or a few words that announce a quote."""
    text = draft.text[slice(*group[-1])]
    words = draft.words.count(group[0][0], group[-1][1])
    if is_heading(text) and words < 40:
        return True
    return text.rstrip("\"' -\u2014")[-1:] == ":" and words < 40


def _block(units: Sequence[Span], kind: Kind) -> Block:
    return Block(units[0][0], units[-1][1], kind)
