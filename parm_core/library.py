"""Where a person's indexes live, so that the app finds what the command line built."""

from __future__ import annotations

import os
from pathlib import Path

from platformdirs import user_data_path

from parm_core.index.store import is_index


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
