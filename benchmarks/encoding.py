"""Encoding passages, against a plain float32 `SentenceTransformer.encode` of the same texts.

python -m benchmarks.encoding INDEX [--texts 512]
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from itertools import chain

import numpy as np

from benchmarks.generated import SEED, Sample
from benchmarks.measuring import Row, once, table
from parm_core.encoders import load_encoder
from parm_core.index.store import open_index
from parm_core.types import Float32

TEXTS = 512
ROUNDS = 3
_BAR = 1.8


def main() -> None:
    asked = argparse.ArgumentParser(prog="python -m benchmarks.encoding", description=__doc__)
    asked.formatter_class = argparse.RawDescriptionHelpFormatter
    asked.add_argument("index", help="an index, whose paragraphs are encoded")
    asked.add_argument("--texts", type=int, default=TEXTS)
    given = asked.parse_args()
    index = open_index(given.index)
    print(table(_rows(drawn(index.texts(slice(None)), given.texts))))


def rows(sample: Sample) -> list[Row]:
    """Of paragraphs of the sample collection."""
    return _rows(drawn(list(chain.from_iterable(sample.texts)), TEXTS))


def drawn(texts: Sequence[str], n: int) -> list[str]:
    """n of the texts, in their order."""
    places = np.random.default_rng(SEED).permutation(len(texts))[:n]
    return [texts[place] for place in np.sort(places)]


def _rows(texts: Sequence[str]) -> list[Row]:
    """The least of some rounds, the ways in turn: the machine's other work falls on all alike."""
    encoders = {name: load_encoder(precision=name) for name in ("float32", "bfloat16")}
    model = encoders["float32"]._passages
    ways: dict[str, Callable[[], Float32]] = {
        "plain": lambda: np.asarray(model.encode(texts, show_progress_bar=False), np.float32),
        "float32": lambda: encoders["float32"].encode_passages(texts),
        "bfloat16": lambda: encoders["bfloat16"].encode_passages(texts),
    }
    found = {name: way() for name, way in ways.items()}
    spent = dict.fromkeys(ways, float("inf"))
    for _ in range(ROUNDS):
        spent = {name: min(spent[name], once(way)) for name, way in ways.items()}
    default = load_encoder(precision="auto").precision
    return [
        Row(
            what=f"encoding in {name}{', the default here' if name == default else ''}",
            paragraphs=len(texts),
            own=spent[name],
            against="plain SentenceTransformer.encode",
            other=spent["plain"],
            bar=_BAR if name == default else None,
            note=f"{len(texts) / spent[name]:.0f} a second; least cosine "
            f"{np.einsum('nd,nd->n', found[name], found['plain']).min():.6f}",
        )
        for name in encoders
    ]


if __name__ == "__main__":
    main()
