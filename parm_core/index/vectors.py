"""The vectors of an index: taken from an older index where it has the same text's, else encoded."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

import numpy as np

from parm_core.index.contents import opening
from parm_core.index.draft import Draft
from parm_core.index.encoding import encode_resuming, encoder_identity, is_recorded
from parm_core.index.files import write_rows
from parm_core.index.opened import Index
from parm_core.types import Encoder, Float32, Int64, Progress

VECTORS, OPENINGS = "vectors.npy", "openings.npy"


def write_vectors(
    draft: Draft,
    retrieved: Sequence[Sequence[str]],
    encoder: Encoder,
    older: Index | None,
    progress: Progress | None,
) -> dict[str, Any]:
    """Write the vectors of paragraphs and openings; returns what the manifest says of the encoder.

    retrieved: (C,) the texts of each case's paragraphs. older: an index, whole, whose vectors are
    taken where its encoder and the text are the same; each other text is encoded, once.
    Raises OSError, EncoderError.
    """
    paragraphs = list(chain.from_iterable(retrieved))
    openings = [opening(texts, encoder.max_tokens) for texts in retrieved]
    held = _Held(older if older and _same_encoder(older, encoder) else None, encoder.max_tokens)
    wanted = dict.fromkeys([*paragraphs, *openings])
    new = [text for text in wanted if held.place(text) is None]
    encoded = encode_resuming(draft.folder, new, encoder, progress)
    place = {text: row for row, text in enumerate(new)}
    for name, texts in ((VECTORS, paragraphs), (OPENINGS, openings)):
        found = ((place.get(text), held.place(text)) for text in texts)
        rows = [len(new) + (old or 0) if row is None else row for row, old in found]
        _write(draft, name, np.array(rows, np.int64), [encoded, *held.arrays])
    return encoder_identity(encoder) | _unread(encoder, paragraphs)


class _Held:
    """The texts that an older index has vectors of: rows of its `arrays`, one after the other."""

    def __init__(self, index: Index | None, max_tokens: int) -> None:
        self.arrays: list[Float32] = [index.vectors, index.openings] if index else []
        self._places: dict[bytes, int] = {}
        for row, text in enumerate(_texts(index, max_tokens) if index else ()):
            self._places.setdefault(_key(text), row)

    def place(self, text: str) -> int | None:
        """The row of a text's vector."""
        return self._places.get(_key(text)) if self._places else None


def _texts(index: Index, max_tokens: int) -> Iterator[str]:
    """Every text of an index that was encoded, in the order of its vectors, then its openings."""
    yield from index.texts(slice(None))
    for case in range(index.n_cases):
        yield opening(index.texts(index.rows(case)), max_tokens)


def _key(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def _same_encoder(index: Index, encoder: Encoder) -> bool:
    """Whether an index has vectors in its folder, and of this encoder."""
    here = VECTORS in index.manifest["files"]
    return here and is_recorded(index.manifest["encoder"], encoder)


def _write(draft: Draft, name: str, rows: Int64, arrays: Sequence[Float32]) -> None:
    """Rows of several arrays, numbered one after the other."""
    ends = np.cumsum([0, *map(len, arrays)])
    width = arrays[0].shape[1]

    def block(numbers: Int64) -> Float32:
        found = np.zeros((len(numbers), width), np.float32)
        for array, first, end in zip(arrays, ends[:-1], ends[1:], strict=True):
            inside = (rows[numbers] >= first) & (rows[numbers] < end)
            found[inside] = array[rows[numbers][inside] - first]
        return found

    write_rows(draft.new / name, "<f4", (len(rows), width), block)


def _unread(encoder: Encoder, texts: Sequence[str]) -> dict[str, Any]:
    """How much of the paragraphs the encoder does not read."""
    tokens = encoder.count_tokens(texts)
    unread = np.maximum(tokens - encoder.max_tokens, 0)
    return {
        "truncated_share": round(float(unread.sum() / max(tokens.sum(), 1)), 6),
        "truncated_paragraphs": int((unread > 0).sum()),
    }
