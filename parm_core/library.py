"""Where a person's indexes and encoders lie, so that the app finds what the command line built."""

from __future__ import annotations

import json
import os
from pathlib import Path

from platformdirs import user_data_path

from parm_core.encoders import SentenceTransformerEncoder
from parm_core.index.manifest import is_index


def indexes_folder() -> Path:
    """The folder of a person's indexes; the variable PARM_INDEXES names another one."""
    given = os.environ.get("PARM_INDEXES")
    return Path(given).expanduser() if given else user_data_path("parm-explorer") / "indexes"


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
    known = _known_encoders() | dict(zip(sides, map(str, encoder.folders), strict=False))
    indexes_folder().mkdir(parents=True, exist_ok=True)
    _encoders_file().write_text(json.dumps(known, indent=1), encoding="utf-8")


def encoder_sources(identifier: str, weights_sha256: str) -> tuple[str, str]:
    """What to load for an index's encoder, passage and query side: a folder that is known, or the id.

    The query side is "" where one model serves both.
    """
    known = _known_encoders()
    sides = _sides(identifier, weights_sha256)
    found = [known[s] if Path(known.get(s, "?")).is_dir() else s.partition("@")[0] for s in sides]
    return found[0], "".join(found[1:2])


def _sides(identifier: str, weights_sha256: str) -> list[str]:
    """id@hash of each side."""
    pairs = zip(identifier.split("+"), weights_sha256.split("+"), strict=False)
    return [f"{side}@{sha}" for side, sha in pairs]


def _encoders_file() -> Path:
    return indexes_folder() / ".encoders.json"


def _known_encoders() -> dict[str, str]:
    try:
        known = json.loads(_encoders_file().read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return {str(k): str(v) for k, v in known.items()} if isinstance(known, dict) else {}
