"""A text being segmented: what was dropped, what is kept, where its sentences and units begin."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from parm_core.segmentation.options import Dropped
from parm_core.segmentation.sentences import sentence_starts
from parm_core.segmentation.words import WordIndex, fold_white_space
from parm_core.types import Kind

REJOINED = "hyphen at a line break"
"""The reason whose dropped span leaves nothing behind; any other leaves a space."""


class Block(NamedTuple):
    """text[start:end] and its kind: a paragraph in the making."""

    start: int
    end: int
    kind: Kind = Kind.BODY


@dataclass(frozen=True)
class Draft:
    """The source and its blanked twin: `text` is as long as `source`, dropped characters spaces."""

    source: str
    dropped: tuple[Dropped, ...] = ()

    @cached_property
    def text(self) -> str:
        """The blanked twin."""
        parts, at = [], 0
        for span in self.dropped:
            parts += [self.source[at : span.start], _blank(self.source, span)]
            at = span.end
        return "".join([*parts, self.source[at:]])

    @cached_property
    def words(self) -> WordIndex:
        """The words of what is kept."""
        return WordIndex(self.text)

    @cached_property
    def sentences(self) -> list[int]:
        """Offsets at which sentences begin, after the first."""
        return sentence_starts(self.text)

    def drop(self, spans: Sequence[Dropped]) -> Draft:
        """The draft with more dropped; of a span, what is not dropped already."""
        if not spans:
            return self
        more = [piece for span in spans for piece in self._kept_pieces(span)]
        return Draft(self.source, tuple(sorted((*self.dropped, *more), key=lambda s: s.start)))

    def _kept_pieces(self, span: Dropped) -> Iterator[Dropped]:
        at = span.start
        for gone in self._dropped_near(span.start, span.end):
            if at < gone.start < span.end:
                yield Dropped(at, gone.start, span.reason)
            at = max(at, gone.end)
        if at < span.end:
            yield Dropped(at, span.end, span.reason)

    def _dropped_near(self, start: int, end: int) -> Sequence[Dropped]:
        first = bisect_left(self.dropped, start, key=lambda span: span.end)
        last = bisect_right(self.dropped, end, key=lambda span: span.start)
        return self.dropped[first:last]

    def trim(self, start: int, end: int) -> tuple[int, int]:
        """The span without white space, or dropped text, at its ends; empty if that is all."""
        piece = self.text[start:end]
        left = len(piece) - len(piece.lstrip())
        return start + left, max(start + left, start + len(piece.rstrip()))

    def read(self, start: int, end: int) -> str:
        """What a paragraph at source[start:end] says."""
        parts, at = [], start
        for span in self._dropped_near(start, end):
            if span.reason == REJOINED and start <= span.start and span.end <= end:
                parts.append(self.text[at : span.start])
                at = span.end
        return fold_white_space("".join([*parts, self.text[at:end]]))


def _blank(source: str, span: Dropped) -> str:
    """White space of the same length; line breaks stay, so that lines stay lines."""
    piece = source[span.start : span.end]
    if span.reason == REJOINED:
        return " " * len(piece)
    return " " * len(piece) if "\n" not in piece else "\n".join(map(_spaces, piece.split("\n")))


def _spaces(piece: str) -> str:
    return " " * len(piece)
