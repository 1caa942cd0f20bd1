"""Collections on the Hugging Face hub, by id, e.g. `mteb/AILA_casedocs`."""

from __future__ import annotations

import os
import re
from pathlib import Path

from parm_core.errors import DataError

_ID = re.compile(r"(?!\.+/)[\w.-]+/(?!\.+$)[\w.-]+", re.ASCII)
_DATA = ["*.jsonl", "*.jsonl.gz", "*.tsv", "*.tsv.gz", "*.parquet"]


def is_hub_id(source: str) -> bool:
    """Whether this could be the id of a collection: two words and a slash between."""
    return _ID.fullmatch(source) is not None


def snapshot(name: str, *, download: bool) -> Path:
    """The folder of a collection's data files, from the local cache or, with `download`, the hub.

    Raises DataError where it is not on this machine and could or should not be fetched.
    """
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
    from huggingface_hub import snapshot_download

    def fetch(*, local: bool) -> Path:
        found = snapshot_download(
            name, repo_type="dataset", allow_patterns=_DATA, local_files_only=local
        )
        return Path(found)

    try:
        return fetch(local=True)
    except Exception as error:
        if not download:
            raise DataError(
                f"{name!r} is neither a folder here nor a collection fetched before; give a folder, "
                f"or fetch it while online (parm import {name} FOLDER)"
            ) from error
    try:
        return fetch(local=False)
    except Exception as error:
        raise DataError(
            f"{name!r} is neither a folder here nor could it be fetched from the hub: "
            f"{type(error).__name__}; check the name and the connection"
        ) from error
