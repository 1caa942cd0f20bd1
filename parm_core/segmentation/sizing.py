"""Paragraphs of a size to be read: long ones split at sentence ends, very short ones merged."""

from __future__ import annotations

import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from parm_core.segmentation.draft import Block, Draft
from parm_core.segmentation.sentences import (
    clause_starts,
    comma_starts,
    ends_sentence,
    is_citation,
)
from parm_core.types import Kind

SHORT_WORDS = 10
"""A paragraph of fewer words says too little to be found by, and joins a neighbour."""

Cuts = Callable[[Draft, int, int], list[int]]


def resize(
    draft: Draft, blocks: Sequence[Block], breaks: Sequence[int], max_words: int
) -> list[Block]:
    """Blocks none of which is longer than max_words (if above 0), few shorter than SHORT_WORDS.

    breaks: offsets, rising, where units begin: the best places to cut.
    """
    merged = _merge_short(draft, blocks, most=0)
    if not max_words:
        return merged
    pieces = [piece for block in merged for piece in split(draft, block, breaks, max_words)]
    return _merge_short(draft, pieces, most=max_words)


def split(draft: Draft, block: Block, breaks: Sequence[int], max_words: int) -> list[Block]:
    """The block in as few, near-equal parts as its sentences allow, none above max_words."""
    tiers: tuple[Cuts, ...] = (lambda _, a, b: _inside(breaks, a, b), *_TIERS)
    pieces = [block]
    for cuts in tiers:
        if all(draft.words.count(p.start, p.end) <= max_words for p in pieces):
            break
        pieces = [part for piece in pieces for part in _part(draft, piece, cuts, max_words)]
    return pieces


def _part(draft: Draft, piece: Block, cuts: Cuts, max_words: int) -> Iterator[Block]:
    if draft.words.count(piece.start, piece.end) <= max_words:
        yield piece
        return
    bounds = [piece.start, *_balanced(draft, piece, cuts, max_words), piece.end]
    for start, end in pairwise(bounds):
        start, end = draft.trim(start, end)
        if start < end:
            yield Block(start, end, piece.kind)


def _balanced(draft: Draft, piece: Block, cuts: Cuts, max_words: int) -> list[int]:
    """Of the possible cuts those that make the fewest parts, as equal as they can be."""
    places = [piece.start, *cuts(draft, piece.start, piece.end), piece.end]
    at = [draft.words.before(place) for place in places]
    parts = _fewest_parts(at, max_words)
    chosen, here, last = [], 0, len(places) - 1
    while parts[here] > 1:
        ideal = at[here] + (at[last] - at[here]) / parts[here]
        here = _nearest(at, parts, here, ideal, max_words)
        chosen.append(places[here])
    return chosen


def _fewest_parts(at: list[int], max_words: int) -> list[int]:
    """For each place, how many parts the rest makes; a stretch without a cut is one part."""
    last = len(at) - 1
    parts = [0] * len(at)
    for here in range(last - 1, -1, -1):
        reach = max(here + 1, bisect_right(at, at[here] + max_words) - 1)
        parts[here] = 1 + parts[min(reach, last)]
    return parts


def _nearest(at: list[int], parts: list[int], here: int, ideal: float, max_words: int) -> int:
    reach = max(here + 1, bisect_right(at, at[here] + max_words) - 1)
    right = min(max(bisect_left(at, ideal), here + 1), reach)
    best = right
    if right - 1 > here and abs(at[right - 1] - ideal) < abs(at[right] - ideal):
        best = right - 1
    while parts[best] > parts[here] - 1:
        best += 1
    return best


def _inside(offsets: Sequence[int], start: int, end: int) -> list[int]:
    return list(offsets[bisect_right(offsets, start) : bisect_left(offsets, end)])


def _sentence_cuts(draft: Draft, start: int, end: int) -> list[int]:
    return _inside(draft.sentences, start, end)


def _supported_cuts(draft: Draft, start: int, end: int) -> list[int]:
    """Sentence ends that do not part a sentence from the authority cited for it."""
    return [cut for cut in _sentence_cuts(draft, start, end) if not is_citation(draft.text, cut)]


def _clause_cuts(draft: Draft, start: int, end: int) -> list[int]:
    return clause_starts(draft.text, start, end)


def _comma_cuts(draft: Draft, start: int, end: int) -> list[int]:
    return comma_starts(draft.text, start, end)


def _word_cuts(draft: Draft, start: int, end: int) -> list[int]:
    return [cut for cut in _inside(draft.words.starts, start, end) if draft.text[cut - 1].isspace()]


def _character_cuts(draft: Draft, start: int, end: int) -> list[int]:
    """Cuts within a run that has no spaces, none inside a character as a reader sees it."""
    return [cut for cut in _inside(draft.words.starts, start, end) if not _joined(draft.text, cut)]


def _joined(text: str, cut: int) -> bool:
    here = text[cut]
    return (
        unicodedata.category(here) in {"Mn", "Mc", "Me"}
        or here in "\u200c\u200d"
        or text[cut - 1] == "\u200d"
        or "\U0001f3fb" <= here <= "\U0001f3ff"
        or "\U0001f1e6" <= here <= "\U0001f1ff"
    )


_TIERS: tuple[Cuts, ...] = (
    _supported_cuts,
    _sentence_cuts,
    _clause_cuts,
    _comma_cuts,
    _word_cuts,
    _character_cuts,
)


def _merge_short(draft: Draft, blocks: Sequence[Block], *, most: int) -> list[Block]:
    """Blocks with the short ones joined to a neighbour, the result within `most` if above 0."""
    done: list[Block] = []
    held: Block | None = None
    for block in blocks:
        whole = block
        if held and _may_join(draft, held, block, most):
            whole = _join(draft, held, block)
        elif held:
            done.append(held)
        held = None
        if not _is_short(draft, whole):
            done.append(whole)
        elif done and _goes_back(draft, done[-1], whole, most):
            done[-1] = _join(draft, done[-1], whole)
        else:
            held = whole
    return _place_last(draft, done, held, most)


def _place_last(draft: Draft, done: list[Block], held: Block | None, most: int) -> list[Block]:
    if held is None:
        return done
    if done and _may_join(draft, done[-1], held, most):
        return [*done[:-1], _join(draft, done[-1], held)]
    return [*done, held]


def _is_short(draft: Draft, block: Block) -> bool:
    return draft.words.count(block.start, block.end) < SHORT_WORDS and block.kind != Kind.SUMMARY


def _may_join(draft: Draft, left: Block, right: Block, most: int) -> bool:
    if (left.kind == Kind.SUMMARY) != (right.kind == Kind.SUMMARY):
        return False
    return not most or draft.words.count(left.start, right.end) <= most


def _join(draft: Draft, left: Block, right: Block) -> Block:
    """One block of the kind of the longer."""
    longer = max(left, right, key=lambda block: draft.words.count(block.start, block.end))
    return Block(left.start, right.end, longer.kind)


def _goes_back(draft: Draft, left: Block, block: Block, most: int) -> bool:
    """A whole sentence, a citation or the rest of one goes with what it follows."""
    text = draft.text[block.start : block.end]
    ends = text[0].islower() or is_citation(text, 0) or ends_sentence(text)
    return ends and left.kind == block.kind and _may_join(draft, left, block, most)
