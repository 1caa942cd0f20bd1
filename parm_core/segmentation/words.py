"""Words: what counts as one, and where each begins."""

from __future__ import annotations

import re
from bisect import bisect_left

_UNSPACED = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_SYLLABIC = "\u0e00-\u0eff\u0f00-\u0fff\u1000-\u109f\u1780-\u17ff"
_MARKS = "\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ecd"
_JOINS = "\u200d.|[\u0300-\u036f\u200d\ufe0f\U0001f3fb-\U0001f3ff]"
_WORD = re.compile(
    f"[{_UNSPACED}]|[{_SYLLABIC}]{{1,4}}[{_MARKS}]{{0,4}}"
    f"|[^\\s{_UNSPACED}{_SYLLABIC}]{{1,30}}(?:{_JOINS}){{0,8}}"
)


class WordIndex:
    """The words of a text, each at the offset of its first character.

    A word is a run between white space. Where a script has no spaces, an ideograph or kana counts
    as a word, and so do four characters of Thai, Lao, Tibetan, Burmese or Khmer; of any other run
    every 30 characters count as one, so that a limit in words bounds the length in characters.
    """

    def __init__(self, text: str) -> None:
        self.starts = [match.start() for match in _WORD.finditer(text)]

    def count(self, start: int, end: int) -> int:
        """How many words begin in text[start:end]."""
        return bisect_left(self.starts, end) - bisect_left(self.starts, start)

    def before(self, offset: int) -> int:
        """How many words begin before the offset."""
        return bisect_left(self.starts, offset)


def word_set(listing: str) -> frozenset[str]:
    """The words of a listing, parted by white space."""
    return frozenset(listing.split())


def count_words(text: str) -> int:
    """How many words the text has, as WordIndex counts them."""
    return sum(1 for _ in _WORD.finditer(text))


def fold_white_space(text: str) -> str:
    """The text with each run of white space as one space, none at the ends."""
    return " ".join(text.split())
