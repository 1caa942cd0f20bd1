"""What one asks of segmentation, and what it answers."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType

from parm_core.errors import ConfigError
from parm_core.types import Paragraph

RULES = MappingProxyType(
    {
        "auto": "looks at the text and takes one of the others",
        "coliee": "COLIEE's Canadian cases: suppressed citations, headnotes, claims [1], [2], …",
        "caselaw": "sentences merged until a paragraph passes 200 words",
        "numbered": "paragraphs that begin 1., 1), [1], (1) or ¶ 1, in rising order",
        "lines": "lines or blank-line paragraphs; captions and headings join what follows",
        "windows": "windows of words with overlap, for text with no structure",
    }
)
"""rule name -> what it does, in a few words."""


def _check_integer(name: str, value: object, *, least: int) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise ConfigError(f"{name} must be an integer of at least {least}, got {value!r}")


@dataclass(frozen=True, kw_only=True)
class SegmentOptions:
    """How to segment.

    rule: one of RULES.
    max_words: a longer paragraph is split at sentence ends; 0 = never split. Of paragraphs of at
        most 160 words, about 1 in 100 passes the default encoder's 256 tokens (of 180, 3; of 200, 5).
    window_words, overlap_words: for the rule `windows` alone; a window never passes max_words.
    """

    rule: str = "auto"
    max_words: int = 160
    window_words: int = 160
    overlap_words: int = 40

    def __post_init__(self) -> None:
        if self.rule not in RULES:
            raise ConfigError(f"unknown segmentation rule {self.rule!r}; one of {list(RULES)}")
        _check_integer("max_words", self.max_words, least=0)
        _check_integer("window_words", self.window_words, least=1)
        _check_integer("overlap_words", self.overlap_words, least=0)
        if self.overlap_words >= self.window_words:
            raise ConfigError(
                f"overlap_words must be below window_words ({self.window_words}),"
                f" got {self.overlap_words}"
            )

    @classmethod
    def fitting(cls, max_tokens: int, *, rule: str = "auto") -> SegmentOptions:
        """Options by which an encoder that reads `max_tokens` reads nearly every paragraph whole.

        160 words to 256 tokens, as measured for the default; at least 40 words and at most 400.
        """
        words = min(max(max_tokens * 5 // 8, 40), 400)
        return cls(rule=rule, max_words=words, window_words=words, overlap_words=words // 4)


DEFAULTS = SegmentOptions()


@dataclass(frozen=True, slots=True)
class Dropped:
    """Part of the source that no paragraph keeps: `source[start:end]`, and why."""

    start: int
    end: int
    reason: str


@dataclass(frozen=True)
class Segmentation:
    """Paragraphs in the source's order. `rule` is the rule really used, never "auto"."""

    rule: str
    paragraphs: tuple[Paragraph, ...]
    dropped: tuple[Dropped, ...]
