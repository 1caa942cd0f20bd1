"""Segmentation: what holds for any text, hostile ones included."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parm_core.errors import DataError
from parm_core.segmentation import (
    RULES,
    Segmentation,
    SegmentOptions,
    check_text,
    count_words,
    fold_white_space,
    segment,
)
from parm_core.segmentation.draft import REJOINED
from parm_core.segmentation.sentences import sentence_starts

NAMED = tuple(rule for rule in RULES if rule != "auto")
HOSTILE = ("." * 100_000, ". " * 60_000, "(" * 100_000, "1. " * 40_000, "\n" * 100_000 + "a")
MORE_HOSTILE = ("a, " * 60_000, "a-\n" * 30_000, "-1-\nx\n" * 15_000, "v. " * 40_000)
MOST_HOSTILE = ("[1]\n" * 30_000, "é\u0301" * 40_000, "1.\n" * 30_000, '"' * 90_000, " A" * 60_000)


@pytest.mark.parametrize("source", [*HOSTILE, *MORE_HOSTILE, *MOST_HOSTILE])
def test_hostile_texts_finish_and_lose_nothing(source: str) -> None:
    holds(source, segment(source))


# What holds for any text


def holds(source: str, done: Segmentation) -> None:
    """Nothing is lost and nothing, but for windows, is there twice; offsets say what texts say."""
    assert done.rule in NAMED
    owners = [0] * len(source)
    for drop in done.dropped:
        for at in range(drop.start, drop.end):
            owners[at] += 1
    gone = [count > 0 for count in owners]
    kept = [0] * len(source)
    for p in done.paragraphs:
        assert p.text and p.text == text_between(source, done, p.start, p.end)
        for at in range(p.start, p.end):
            kept[at] += not gone[at]
    for at, char in enumerate(source):
        if not char.isspace():
            total = owners[at] + kept[at]
            assert total >= 1 if done.rule == "windows" else total == 1
    starts = [p.start for p in done.paragraphs]
    assert starts == sorted(starts)


def text_between(source: str, done: Segmentation, start: int, end: int) -> str:
    parts, at = [], start
    for drop in done.dropped:
        if start <= drop.start and drop.end <= end:
            parts += [source[at : drop.start], "" if drop.reason == REJOINED else " "]
            at = drop.end
    return fold_white_space("".join([*parts, source[at:end]]))


NUMBERS = ["1. ", "2. ", "3. ", "[1] ", "[2]\n", "(1) ", "(2) ", "\u00b6 4 ", "\n7\n", "-2-\n"]
BREAKS = ["\n", "\n\n", "   ", "\t", "\u00a0", "\u2028", "\r\n", "\x0c", "\x00", "\x1c", "* * *\n"]
WORDS = [
    "juris-\ndiction ",
    "well-\nknown ",
    "v. ",
    "and, ",
    "U.S.C. § 1 ",
    "F.2d ",
    "e\u0301",
    "😀",
]
LINES = [
    "\nPage 3 of 9\n",
    "I. BACKGROUND\n",
    "Id. at 7.\n",
    "Roe v. Acme\n",
    "it was of the\n",
    "____\n",
]
CLAUSES = ["The court held that it was so. ", "the rent was paid; ", 'He said "no." ', "Summary: "]
SCRIPTS = ["法院认为。", "ศาลเห็นว่า", "مرفوضة. ", "Le juge a rejeté la demande de la cour\n"]
MARKS = ["<FRAGMENT_SUPPRESSED>", "[English language version follows French language version]\n"]
PIECES = st.sampled_from([*NUMBERS, *BREAKS, *WORDS, *LINES, *CLAUSES, *SCRIPTS, *MARKS])
MESSY = st.one_of(st.text(max_size=200), st.lists(PIECES, max_size=120).map("".join))


@pytest.mark.parametrize(
    "source",
    [
        "\n7\n* * *\nit was of the\n* * *\n\n7\n",
        "[English language version follows]\nLe juge a rejeté la demande de la cour\nv. <X_SUPPRESSED>3. ",
        ". <X_SUPPRESSED> .\nThe FRAGMENT_SUPPRESSED was",
    ],
)
def test_what_is_dropped_for_two_reasons_is_dropped_once(source: str) -> None:
    holds(source, segment(source))


@settings(max_examples=150, deadline=None)
@given(MESSY, st.sampled_from(tuple(RULES)), st.sampled_from([0, 5, 20, 160]))
def test_joining_kept_and_dropped_gives_the_source_back(
    source: str, rule: str, max_words: int
) -> None:
    holds(source, segment(source, SegmentOptions(rule=rule, max_words=max_words)))


@settings(max_examples=100, deadline=None)
@given(MESSY, st.sampled_from(tuple(RULES)), st.sampled_from([5, 20, 160]))
def test_no_paragraph_is_longer_than_max_words(source: str, rule: str, max_words: int) -> None:
    options = SegmentOptions(rule=rule, max_words=max_words)
    for paragraph in segment(source, options).paragraphs:
        spare = source[paragraph.start : paragraph.end].count("\n") + 2
        assert count_words(paragraph.text) <= max_words + spare


@settings(max_examples=100, deadline=None)
@given(MESSY)
def test_a_line_is_only_split_at_a_sentence_end_or_in_a_sentence_too_long(source: str) -> None:
    options = SegmentOptions(rule="lines", max_words=20)
    done = segment(source, options)
    for left, right in pairwise(done.paragraphs):
        between = source[left.end : right.start]
        if not any(char in "\n\r\x0b\x0c\x85\u2028\u2029" for char in between):
            assert cut_is_fair(source, done, right.start, options.max_words)


def cut_is_fair(source: str, done: Segmentation, cut: int, max_words: int) -> bool:
    clean = list(source)
    for drop in done.dropped:
        clean[drop.start : drop.end] = [
            c if c.isspace() else " " for c in source[drop.start : drop.end]
        ]
    starts = [0, *sentence_starts("".join(clean)), len(source)]
    before = max(start for start in starts if start <= cut)
    after = min(start for start in starts if start > cut)
    return before == cut or count_words("".join(clean[before:after])) > max_words


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=300))
def test_checked_text_is_clean_and_stays_so(text: str) -> None:
    try:
        clean = check_text(text)
    except DataError:
        return
    assert check_text(clean) == clean
    assert not any(char in clean for char in "\x00\r\x0c\u2028\x85\ufeff")
