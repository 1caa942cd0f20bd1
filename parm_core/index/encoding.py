"""Encoding a long list of texts so that nothing is lost when it is stopped.

The list is cut into chunks of CHUNK texts, each encoded alone: other batches give other last
digits. Three files hold what was done:

    encoded.for.json    what it is for: the encoder, the list of texts, the size of a chunk
    encoded.f32         (texts done, dim) float32, chunk after chunk
    encoded.sha256      a line a chunk: the SHA-256 of its vectors, written once they are on disk

A chunk counts as done when its line is whole and fits its vectors.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from parm_core._version import __version__
from parm_core.errors import EncoderError
from parm_core.types import Encoder, Float32, Progress

CHUNK = 512
"""Texts encoded at a time: some ten seconds' work on two cores, which is what a crash can cost."""

_SINCE_FORMAT_2 = {"precision": "float32", "prompt": ""}
"""What a manifest that does not say so means."""

_LINE = 65
"""Bytes of a line of encoded.sha256."""


def encoder_identity(encoder: Encoder) -> dict[str, Any]:
    """What decides an encoder's vectors, as the manifest records it."""
    return {
        "id": encoder.id,
        "revision": encoder.revision,
        "weights_sha256": encoder.weights_sha256,
        "dim": encoder.dim,
        "max_tokens": encoder.max_tokens,
        "precision": encoder.precision,
        "prompt": encoder.prompt,
    }


def is_recorded(recorded: Mapping[str, Any] | None, encoder: Encoder) -> bool:
    """Whether a manifest's part on the encoder, None for none, names this one."""
    told = _SINCE_FORMAT_2 | dict(recorded or {})
    return encoder_identity(encoder).items() <= told.items()


def encode_resuming(
    folder: Path, texts: Sequence[str], encoder: Encoder, progress: Progress | None = None
) -> Float32:
    """(n,) passages -> (n, dim) float32, memory-mapped from `folder`; goes on where it was stopped.

    What lies in the folder for other texts or another encoder is begun afresh.
    Raises OSError; EncoderError where the encoder gives no vector a text.
    """
    _claim(folder, texts, encoder)
    done = _done(folder, len(texts), encoder.dim)
    if progress and done:
        progress(done, len(texts), "paragraphs encoded")
    with (
        (folder / "encoded.f32").open("r+b") as vectors,
        (folder / "encoded.sha256").open("ab") as sums,
    ):
        vectors.seek(done * encoder.dim * 4)
        for start in range(done, len(texts), CHUNK):
            chunk = texts[start : start + CHUNK]
            held = _encoded(encoder, chunk, _shifted(progress, start, len(texts))).tobytes()
            _append(vectors, held)
            _append(sums, f"{hashlib.sha256(held).hexdigest()}\n".encode())
    if not texts:
        return np.zeros((0, encoder.dim), np.float32)
    return np.memmap(folder / "encoded.f32", np.float32, "r", shape=(len(texts), encoder.dim))


def _claim(folder: Path, texts: Sequence[str], encoder: Encoder) -> None:
    """Begin afresh unless what is there was made for the same texts by the same encoder."""
    digest = hashlib.sha256()
    for text in texts:
        held = text.encode("utf-8", "surrogatepass")
        digest.update(len(held).to_bytes(8, "little") + held)
    wanted = json.dumps(
        {
            "product": __version__,
            "encoder": encoder_identity(encoder),
            "texts": {"count": len(texts), "sha256": digest.hexdigest(), "chunk": CHUNK},
        },
        sort_keys=True,
    ).encode()
    note = folder / "encoded.for.json"
    names = ("encoded.f32", "encoded.sha256")
    if _read(note) == wanted and all((folder / name).is_file() for name in names):
        return
    note.unlink(missing_ok=True)
    for name in names:
        (folder / name).write_bytes(b"")
    with note.open("wb") as file:
        _append(file, wanted)


def _done(folder: Path, n: int, dim: int) -> int:
    """How many texts are done; cuts both files to them."""
    sums, done = _read(folder / "encoded.sha256"), 0
    with (folder / "encoded.f32").open("r+b") as vectors:
        for line in (sums[at : at + _LINE] for at in range(0, len(sums), _LINE)):
            size = min(CHUNK, n - done)
            held = vectors.read(size * dim * 4)
            if size <= 0 or line != f"{hashlib.sha256(held).hexdigest()}\n".encode():
                break
            done += size
        vectors.truncate(done * dim * 4)
    os.truncate(folder / "encoded.sha256", -(-done // CHUNK) * _LINE)
    return done


def _encoded(encoder: Encoder, texts: Sequence[str], progress: Progress | None) -> Float32:
    vectors = np.ascontiguousarray(encoder.encode_passages(texts, progress=progress), np.float32)
    if vectors.shape != (len(texts), encoder.dim) or not np.isfinite(vectors).all():
        raise EncoderError(
            f"{encoder.id} gave an array of {vectors.shape} for {len(texts)} texts, or numbers that "
            f"are none; expected ({len(texts)}, {encoder.dim}): use another encoder"
        )
    return vectors


def _shifted(progress: Progress | None, before: int, total: int) -> Progress | None:
    """Progress of one chunk told as progress of all."""
    if progress is None:
        return None
    return lambda done, _, what: progress(before + done, total, what)


def _append(file: Any, held: bytes) -> None:
    file.write(held)
    file.flush()
    os.fsync(file.fileno())


def _read(path: Path) -> bytes:
    return path.read_bytes() if path.is_file() else b""
