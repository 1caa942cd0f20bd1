"""Texts in batches of like length, on every device there is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np

from parm_core.types import Float32, Int64, Progress

_BATCH_TOKENS = 4096
_CHUNK = 512


class Side(NamedTuple):
    """How one side encodes; encode: sentence-transformers' method, once a device."""

    encode: Sequence[Any]
    tokeniser: Any
    reach: int
    precision: str = "float32"


def encode(side: Side, texts: Sequence[str], dim: int, progress: Progress | None) -> Float32:
    """Encode in fixed chunks, each batched by its lengths: other batches give other last digits."""
    vectors = np.zeros((len(texts), dim), dtype=np.float32)
    if progress and texts:
        progress(0, len(texts), "paragraphs encoded")
    for start in range(0, len(texts), _CHUNK):
        chunk = list(texts[start : start + _CHUNK])
        lengths = np.minimum(token_counts(side.tokeniser, chunk), side.reach)
        for batch, found in _spread(side, chunk, list(_batches(lengths))):
            vectors[start + batch] = found
        if progress:
            progress(start + len(chunk), len(texts), "paragraphs encoded")
    return vectors


def token_counts(tokeniser: Any, texts: Sequence[str]) -> Int64:
    """(n,) texts -> (n,) tokens."""
    return np.array([len(one.ids) for one in tokeniser.encode_batch(texts)], dtype=np.int64)


def _batches(lengths: Int64) -> Iterator[Int64]:
    """Places, longest first, of as many texts as make up _BATCH_TOKENS once they are padded."""
    order, start = np.argsort(-lengths, kind="stable"), 0
    while start < order.size:
        held = max(1, _BATCH_TOKENS // max(int(lengths[order[start]]), 1))
        yield order[start : start + held]
        start += held


def _spread(
    side: Side, texts: Sequence[str], batches: Sequence[Int64]
) -> list[tuple[Int64, Float32]]:
    """Each batch of places with its vectors; the devices take turns at the batches, all at once."""
    n = len(side.encode)

    def on_device(d: int) -> list[tuple[Int64, Float32]]:
        model = side.encode[d]
        return [(b, _vectors(model, [texts[p] for p in b], side.precision)) for b in batches[d::n]]

    if n == 1:
        return on_device(0)
    with ThreadPoolExecutor(n) as pool:
        return [found for of_device in pool.map(on_device, range(n)) for found in of_device]


def _vectors(encode: Any, texts: list[str], precision: str) -> Float32:
    """One batch. In bfloat16 go the products of matrices alone; sums and norms stay in float32."""
    import torch

    kind = devices()[0].partition(":")[0]
    with torch.autocast(kind, torch.bfloat16, enabled=precision == "bfloat16"):
        found = encode(
            texts, batch_size=len(texts), show_progress_bar=False, convert_to_tensor=True
        )
    return found.float().cpu().numpy()  # type: ignore[no-any-return]


def devices() -> list[str]:
    """Every GPU, or the processor where there is none; sentence-transformers takes the first."""
    import torch

    return [f"cuda:{d}" for d in range(torch.cuda.device_count())] or ["cpu"]
