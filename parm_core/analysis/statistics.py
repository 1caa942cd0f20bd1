"""What a collection is made of: how many cases, how long, how many of them relevant."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from parm_core.errors import DataError
from parm_core.types import Case, Int64, Kind, Qrels

SHORT = 512
"""Words; table 1 of Althammer et al. 2022 gives the share of paragraphs below it."""


class Spread(NamedTuple):
    """Mean, median and ends of some counts; NaN where there are none."""

    mean: float
    median: float
    least: float
    most: float

    @classmethod
    def of(cls, counts: Int64) -> Spread:
        """(n,) counts -> their spread."""
        if counts.size == 0:
            return cls(*[math.nan] * 4)
        middle = (float(counts.mean()), float(np.median(counts)))
        return cls(*middle, float(counts.min()), float(counts.max()))

    def __str__(self) -> str:
        if math.isnan(self.mean):
            return "–"
        mean, median, least, most = (_number(value) for value in self)
        return f"mean {mean}, median {median}, {least} to {most}"


@dataclass(frozen=True)
class Statistics:
    """Counts of a segmented collection. A word is a run between white space.

    paragraphs_a_case (C,), paragraphs_a_query (Q,), words_a_paragraph (P,), words_a_case (C,) and
    words_a_query (Q,) count what is retrieved: words_a_paragraph of the cases, in order, and
    words_a_case its sums, so that words in overlapping windows count twice. relevant_a_query (J,)
    is over the judged queries. kinds: kind -> the cases' retrieved paragraphs of it; left_out: the
    cases' paragraphs that are not retrieved. share_over_limit: of those retrieved, the share longer
    than max_tokens; None without an encoder. After Althammer et al. 2022, table 1.
    """

    paragraphs_a_case: Int64
    paragraphs_a_query: Int64
    words_a_paragraph: Int64
    words_a_case: Int64
    words_a_query: Int64
    relevant_a_query: Int64
    kinds: Mapping[Kind, int] = field(default_factory=dict)
    left_out: int = 0
    share_over_limit: float | None = None
    max_tokens: int | None = None

    @property
    def share_under_512(self) -> float:
        """Share of the cases' paragraphs with fewer than 512 words, in [0, 1]; NaN without any."""
        return _share(self.words_a_paragraph < SHORT)

    @property
    def spreads(self) -> dict[str, Spread]:
        """What was counted -> its spread, under the names of the fields."""
        return {name: Spread.of(getattr(self, name)) for name in _LABELS}

    def as_dict(self) -> dict[str, Any]:
        """What JSON can hold: counts, spreads, shares; None for what is not known. No arrays."""
        return {
            **{name.replace(" ", "_"): count for name, count in self._counts().items()},
            **{name: _plain_spread(spread) for name, spread in self.spreads.items()},
            "share_under_512_words": _known(self.share_under_512),
            "share_over_limit": self.share_over_limit,
            "max_tokens": self.max_tokens,
            "kinds": {kind.value: count for kind, count in self.kinds.items()},
        }

    def rows(self) -> list[tuple[str, str]]:
        """(label, value) of each line of a table to be read."""
        held = [(kind.value, count) for kind, count in self.kinds.items() if count]
        return [
            *((name, f"{count:,}") for name, count in self._counts().items()),
            *((_LABELS[name], str(spread)) for name, spread in self.spreads.items()),
            ("paragraphs under 512 words", _percent(self.share_under_512)),
            (_over(self.max_tokens), _percent(self.share_over_limit)),
            ("kinds of paragraph", ", ".join(f"{count:,} {kind}" for kind, count in held) or "–"),
        ]

    def _counts(self) -> dict[str, int]:
        return {
            "queries": self.paragraphs_a_query.size,
            "judged queries": self.relevant_a_query.size,
            "cases": self.paragraphs_a_case.size,
            "paragraphs": self.words_a_paragraph.size,
            "paragraphs left out": self.left_out,
        }


_LABELS = {
    "relevant_a_query": "relevant cases a query",
    "paragraphs_a_case": "paragraphs a case",
    "paragraphs_a_query": "paragraphs a query case",
    "words_a_paragraph": "words a paragraph",
    "words_a_case": "words a case",
    "words_a_query": "words a query case",
}


def collection_statistics(
    cases: Sequence[Case],
    queries: Sequence[Case],
    qrels: Qrels,
    *,
    tokens: Int64 | None = None,
    max_tokens: int | None = None,
) -> Statistics:
    """Count a collection whose cases and queries have been segmented.

    tokens: (P,) how many an encoder would read of every retrieved paragraph of the cases, in
    order, before truncation; max_tokens: how many it reads. Without both, share_over_limit is None.
    Raises DataError where `tokens` has another length.
    """
    case_words, query_words = _words(cases), _words(queries)
    a_paragraph = _counts([count for counts in case_words for count in counts])
    if tokens is not None and tokens.shape != a_paragraph.shape:
        raise DataError(
            f"tokens were given for {tokens.size:,} paragraphs, the cases have {a_paragraph.size:,};"
            " count those of every retrieved paragraph"
        )
    return Statistics(
        paragraphs_a_case=_counts(map(len, case_words)),
        paragraphs_a_query=_counts(map(len, query_words)),
        words_a_paragraph=a_paragraph,
        words_a_case=_counts(map(sum, case_words)),
        words_a_query=_counts(map(sum, query_words)),
        relevant_a_query=_counts(sum(g > 0 for g in grades.values()) for grades in qrels.values()),
        kinds=_kinds(cases),
        left_out=sum(not paragraph.retrieved for case in cases for paragraph in case.paragraphs),
        share_over_limit=_share_over(tokens, max_tokens),
        max_tokens=max_tokens,
    )


def _words(cases: Sequence[Case]) -> list[list[int]]:
    """Of each case, the words of each retrieved paragraph."""
    return [[len(p.text.split()) for p in case.paragraphs if p.retrieved] for case in cases]


def _kinds(cases: Sequence[Case]) -> dict[Kind, int]:
    found = Counter(p.kind for case in cases for p in case.paragraphs if p.retrieved)
    return {kind: found[kind] for kind in Kind}


def _counts(values: Iterable[int]) -> Int64:
    return np.fromiter(values, dtype=np.int64)


def _share_over(tokens: Int64 | None, max_tokens: int | None) -> float | None:
    if tokens is None or max_tokens is None or tokens.size == 0:
        return None
    return _share(tokens > max_tokens)


def _share(which: NDArray[np.bool_]) -> float:
    return float(which.mean()) if which.size else math.nan


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value


def _plain_spread(spread: Spread) -> dict[str, float | None]:
    return dict(zip(("mean", "median", "min", "max"), map(_known, spread), strict=True))


def _number(value: float) -> str:
    return f"{value:,.1f}".removesuffix(".0")


def _percent(share: float | None) -> str:
    return "–" if share is None or math.isnan(share) else f"{100 * share:.1f} %"


def _over(max_tokens: int | None) -> str:
    limit = "the encoder's limit" if max_tokens is None else f"{max_tokens:,} tokens"
    return f"paragraphs over {limit}"
