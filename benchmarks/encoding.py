"""Encoding passages, against a plain float32 `SentenceTransformer.encode` of the same texts.

python -m benchmarks.encoding INDEX [--texts 1024]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np

from parm_core.encoders import PRECISIONS, SentenceTransformerEncoder, load_encoder
from parm_core.index.store import open_index
from parm_core.types import Float32

ROUNDS = 3


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("index", help="an index, whose paragraphs are encoded")
    asked.add_argument("--texts", type=int, default=1024)
    given = asked.parse_args()
    index = open_index(given.index)
    drawn = np.random.default_rng(0).permutation(index.n_paragraphs)[: given.texts]
    texts = index.texts(np.sort(drawn))
    encoders = {name: load_encoder(precision=name) for name in PRECISIONS if name != "auto"}
    ways: dict[str, Callable[[], Float32]] = {"plain encode": lambda: plain(encoders, texts)}
    for name, encoder in encoders.items():
        ways[f"this product, {name}"] = lambda encoder=encoder: encoder.encode_passages(texts)  # type: ignore[misc]
    spent, vectors = measure(ways)
    for name, seconds in spent.items():
        cosine = np.einsum("nd,nd->n", vectors[name], vectors["plain encode"])
        print(
            f"{name:28} {len(texts) / seconds:7.1f} texts/s  {spent['plain encode'] / seconds:5.2f} x"
            f"  least cosine {cosine.min():.6f}"
        )


def plain(encoders: dict[str, SentenceTransformerEncoder], texts: list[str]) -> Float32:
    model = encoders["float32"]._passages
    return np.asarray(model.encode(texts, show_progress_bar=False), dtype=np.float32)


def measure(ways: dict[str, Callable[[], Float32]]) -> tuple[dict[str, float], dict[str, Float32]]:
    """The least of some rounds, the ways in turn: the machine's other work falls on all alike."""
    spent = dict.fromkeys(ways, float("inf"))
    vectors = {}
    for _ in range(ROUNDS):
        for name, way in ways.items():
            start = time.perf_counter()
            vectors[name] = way()
            spent[name] = min(spent[name], time.perf_counter() - start)
    return spent, vectors


if __name__ == "__main__":
    main()
