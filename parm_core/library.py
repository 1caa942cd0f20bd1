"""Where a person's indexes, encoders and collections lie: the app finds what the command line built."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from platformdirs import user_cache_path, user_data_path

from parm_core.encoders import SentenceTransformerEncoder, folder_identifier
from parm_core.index.manifest import is_index
from parm_core.index.opened import Index


def indexes_folder() -> Path:
    """The folder of a person's indexes; the variable PARM_INDEXES names another one."""
    given = os.environ.get("PARM_INDEXES")
    return Path(given).expanduser() if given else user_data_path("parm-explorer") / "indexes"


def results_file() -> Path:
    """Where results on labelled queries are kept; the variable PARM_CACHE names another folder."""
    given = os.environ.get("PARM_CACHE")
    folder = Path(given).expanduser() if given else user_cache_path("parm-explorer")
    return folder / "results.sqlite"


def list_indexes() -> dict[str, Path]:
    """Name -> path of every index in the folder, by name."""
    folder = indexes_folder()
    if not folder.is_dir():
        return {}
    return {
        path.name: path
        for path in sorted(folder.iterdir())
        if path.is_dir() and not path.name.startswith(".") and is_index(path)
    }


def remember_encoder(encoder: SentenceTransformerEncoder) -> None:
    """Note where an encoder's folders lie: an index names them, and holds no path."""
    sides = _sides(encoder.id, encoder.weights_sha256)
    _note(_ENCODERS, dict(zip(sides, map(str, encoder.folders), strict=False)))


def encoder_sources(identifier: str, weights_sha256: str) -> tuple[str, str]:
    """What to load for an index's encoder, passage and query side: a folder that is known, or the id.

    The query side is "" where one model serves both.
    """
    known = _noted(_ENCODERS)
    found = [_source(side, known.get(side, "")) for side in _sides(identifier, weights_sha256)]
    return found[0], "".join(found[1:2])


def recorded_encoder(recorded: Mapping[str, Any]) -> SentenceTransformerEncoder:
    """The encoder that an index's manifest names. Raises EncoderError where it is not on disk."""
    from parm_core.encoders import load_encoder

    passages, queries = encoder_sources(recorded["id"], recorded["weights_sha256"])
    precision = recorded.get("precision", "float32")
    return load_encoder(passages, query=queries, precision=precision)


def _source(side: str, folder: str) -> str:
    """The folder only of an encoder that is called by its folder's name; others load by their id."""
    identifier = side.partition("@")[0]
    known = folder and Path(folder).is_dir() and folder_identifier(Path(folder)) == identifier
    return folder if known else identifier


def remember_collection(index: Index, source: Path) -> None:
    """Note where the collection of an index lies: its query cases and labels are read from there."""
    _note(_COLLECTIONS, {index.manifest["collection"]["sha256"]: str(source.resolve())})


def collection_source(index: Index) -> Path | None:
    """Where the collection of an index lies, as far as is known; None where it is not there."""
    noted = _noted(_COLLECTIONS).get(index.manifest["collection"]["sha256"])
    return Path(noted) if noted and Path(noted).is_dir() else None


def _sides(identifier: str, weights_sha256: str) -> list[str]:
    """id@hash of each side."""
    pairs = zip(identifier.split("+"), weights_sha256.split("+"), strict=False)
    return [f"{side}@{sha}" for side, sha in pairs]


_ENCODERS, _COLLECTIONS = ".encoders.json", ".collections.json"


def _note(file: str, found: dict[str, str]) -> None:
    indexes_folder().mkdir(parents=True, exist_ok=True)
    text = json.dumps(_noted(file) | found, indent=1)
    (indexes_folder() / file).write_text(text, encoding="utf-8")


def _noted(file: str) -> dict[str, str]:
    try:
        known = json.loads((indexes_folder() / file).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return {str(k): str(v) for k, v in known.items()} if isinstance(known, dict) else {}
