"""Collections of any size, from a seed: paragraphs with natural word statistics, and their vectors.

Words: the sample collection's own, by rank, then invented ones. Their probability falls with rank
as a power fitted to the sample collection, and with the square of it past the sample's vocabulary:
two regimes, Ferrer i Cancho and Solé, Journal of Quantitative Linguistics 2001. Lengths of
paragraphs, and cases' numbers of paragraphs, are drawn from the sample collection.

Vectors: mixed from pairs of the sample collection's really encoded paragraphs, with random weights,
and normalised. Plain Gaussian vectors lie equally far apart, as no text does.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from parm_core.collections import load_collection
from parm_core.encoders import load_encoder
from parm_core.index.build import segment_cases
from parm_core.index.store import open_index
from parm_core.segmentation import SegmentOptions
from parm_core.tokenisation import Tokeniser
from parm_core.types import Float32, Float64, Int64

SAMPLE = Path(__file__).parents[1] / "assets" / "landmark-cases"
QUERY_PARAGRAPHS, DEPTH = 45, 1000
BAR_SIZE = 196_000
"""Paragraphs that the bars speak of: the size of COLIEE's collection."""

LEAST_TO_GROW = 100_000
"""Paragraphs from which a tenth of them is still a collection whose search takes its time."""

SEED = 7
_VOCABULARY = 200_000
_LEAST = 3
"""Occurrences below which a rank says little about a word's probability."""

_WORD = re.compile(r"\w\w+")


@dataclass(frozen=True)
class Sample:
    """What generated collections are drawn from: the sample collection's retrieved paragraphs.

    texts: by case. words: distinct words of two letters or more, commonest first, then invented
    ones. cumulative: (vocabulary,) their summed probabilities. lengths: words of each paragraph.
    vectors: (n, dim) what vectors are mixed from.
    """

    texts: Sequence[Sequence[str]]
    words: Sequence[str]
    cumulative: Float64
    lengths: Int64
    vectors: Float32

    @cached_property
    def terms(self) -> list[str | None]:
        """(vocabulary,) the BM25 term of each word, None for a stop-word."""
        tokeniser = Tokeniser()
        return [next(iter(tokeniser.terms(word)), None) for word in self.words]


def read_sample(index: Path | None = None) -> Sample:
    """Cut the sample collection, fit its word statistics, and encode it.

    index: one whose vectors are mixed instead; the more there are, the less they lie in clusters.
    """
    cases = segment_cases(load_collection(SAMPLE).cases, SegmentOptions())
    texts = [[p.text for p in case.paragraphs if p.retrieved] for case in cases]
    by_paragraph = [_WORD.findall(text.lower()) for held in texts for text in held]
    counts = Counter(word for found in by_paragraph for word in found).most_common()
    words = [word for word, _ in counts]
    words += [_invented(rank) for rank in range(len(words), _VOCABULARY)]
    frequencies = np.array([count for _, count in counts], dtype=np.float64)
    lengths = np.array([len(found) for found in by_paragraph], dtype=np.int64)
    vectors = np.asarray(open_index(index).vectors) if index else _encoded(texts)
    return Sample(texts, words, np.cumsum(_probabilities(frequencies)), lengths, vectors)


def _encoded(texts: Sequence[Sequence[str]]) -> Float32:
    """(n, dim) of all paragraphs, by the packaged encoder."""
    return load_encoder().encode_passages([text for held in texts for text in held])


def _probabilities(frequencies: Float64) -> Float64:
    """(sample's vocabulary,) counts, falling -> (vocabulary,) probabilities by rank."""
    common = frequencies[frequencies >= _LEAST]
    slope, _ = np.polyfit(np.log(np.arange(1, common.size + 1)), np.log(common), 1)
    ranks = np.arange(1, _VOCABULARY + 1, dtype=np.float64)
    falling = ranks**slope
    known = frequencies.size
    falling[known:] = falling[known - 1] * (ranks[known:] / known) ** -2.0
    return np.asarray(falling / falling.sum())


def _invented(number: int) -> str:
    """A word of its own for each number: syllables for its digits to the base of 50."""
    syllables = [consonant + vowel for consonant in "bdfgklmnpr" for vowel in "aeiou"]
    word = "x"
    while number:
        number, digit = divmod(number, len(syllables))
        word += syllables[digit]
    return word


@dataclass(frozen=True)
class Paragraphs:
    """n generated paragraphs as places of their words in `Sample.words`.

    words: (sum of lengths,) paragraph after paragraph. lengths: (n,) words of each.
    """

    words: Int64
    lengths: Int64

    def texts(self, sample: Sample) -> list[str]:
        """(n,) the paragraphs as text, each with a capital at its head and a full stop at its end."""
        words = [sample.words[word] for word in self.words.tolist()]
        ends = np.cumsum(self.lengths).tolist()
        starts = [0, *ends[:-1]]
        return [f"{' '.join(words[a:b]).capitalize()}." for a, b in zip(starts, ends, strict=True)]


def paragraphs(sample: Sample, n: int, seed: int = SEED) -> Paragraphs:
    """Draw n paragraphs, word by word."""
    rng = np.random.default_rng(seed)
    lengths = rng.choice(sample.lengths, n)
    drawn = rng.random(int(lengths.sum()))
    return Paragraphs(np.searchsorted(sample.cumulative, drawn), lengths)


def vectors(sample: Sample, n: int, seed: int = SEED) -> Float32:
    """(n, dim) float32, each a mix of two of the sample's, of length 1; none repeated."""
    rng = np.random.default_rng(seed)
    known = sample.vectors
    mixed = np.empty((n, known.shape[1]), dtype=np.float32)
    for start in range(0, n, 10_000):
        block = mixed[start : start + 10_000]
        one = rng.integers(0, len(known), len(block))
        other = (one + rng.integers(1, len(known), len(block))) % len(known)
        weight = rng.random((len(block), 1), dtype=np.float32)
        block[:] = weight * known[one] + (1 - weight) * known[other]
        block /= np.linalg.norm(block, axis=1, keepdims=True)
    return mixed


def case_sizes(sample: Sample, n: int, seed: int = SEED) -> Int64:
    """How many paragraphs each case of a collection of n paragraphs has; they sum to n."""
    rng = np.random.default_rng(seed)
    known = [len(texts) for texts in sample.texts]
    drawn = rng.choice(known, n // min(known) + 1)
    ends = np.minimum(np.cumsum(drawn), n)
    sizes: Int64 = np.diff(ends[: int(np.searchsorted(ends, n)) + 1], prepend=0)
    return sizes
