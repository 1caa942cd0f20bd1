"""Text to terms, for BM25 and for marking the words two paragraphs share."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from parm_core.errors import ConfigError

STOPWORDS = ("english", "none")
STEMMERS = ("english", "none")

_WORD = re.compile(r"\w\w+")


@dataclass(frozen=True, kw_only=True)
class Tokeniser:
    """Lower-cased words of two or more characters, without stop-words, stemmed.

    stopwords: "english" (the list that bm25s carries) or "none".
    stemmer: "english" (Snowball, by PyStemmer) or "none".
    """

    stopwords: str = "english"
    stemmer: str = "english"
    _stems: dict[str, str | None] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def __post_init__(self) -> None:
        for name, value, choices in (
            ("stopwords", self.stopwords, STOPWORDS),
            ("stemmer", self.stemmer, STEMMERS),
        ):
            if value not in choices:
                raise ConfigError(f"unknown {name} {value!r}; one of {', '.join(choices)}")

    def terms(self, text: str) -> list[str]:
        """The terms of a text, in order, repeats kept."""
        return [term for _, _, term in self.spans(text)]

    def spans(self, text: str) -> list[tuple[int, int, str]]:
        """(start, end, term) of every term, offsets into `text`, end exclusive."""
        found = []
        for match in _WORD.finditer(text):
            term = self._term(match.group().lower())
            if term is not None:
                found.append((match.start(), match.end(), term))
        return found

    def _term(self, word: str) -> str | None:
        """The stem of a word, None for a stop-word; remembered, since words recur."""
        if word not in self._stems:
            if len(self._stems) > 1_000_000:
                self._stems.clear()
            self._stems[word] = None if word in self._stopped() else self._stem(word)
        return self._stems[word]

    def _stopped(self) -> frozenset[str]:
        return _english_stopwords() if self.stopwords == "english" else frozenset()

    def _stem(self, word: str) -> str:
        return str(_english_stemmer().stemWord(word)) if self.stemmer == "english" else word


_cache: dict[str, Any] = {}


def _english_stopwords() -> frozenset[str]:
    if "stopwords" not in _cache:
        from bm25s.stopwords import STOPWORDS_EN

        _cache["stopwords"] = frozenset(STOPWORDS_EN)
    return _cache["stopwords"]  # type: ignore[no-any-return]


def _english_stemmer() -> Any:
    if "stemmer" not in _cache:
        import Stemmer

        _cache["stemmer"] = Stemmer.Stemmer("english")
    return _cache["stemmer"]
