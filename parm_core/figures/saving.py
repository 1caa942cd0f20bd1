"""A figure as a file, the same bytes for the same figure."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from parm_core.errors import ConfigError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_UNDATED: dict[str, dict[str, str | None]] = {
    ".png": {"Software": None},
    ".svg": {"Date": None, "Creator": None},
    ".pdf": {"CreationDate": None, "ModDate": None, "Creator": None, "Producer": None},
}
"""suffix -> what matplotlib would write into the file and is left out: when and by what it was made."""


def save(figure: Figure, path: Path | str) -> None:
    """Write a figure as its suffix says: .png, .svg or .pdf; text in an SVG or PDF stays text.

    Raises ConfigError for another suffix, or where the file cannot be written.
    """
    import matplotlib

    path = Path(path)
    suffix = path.suffix.lower()
    if suffix not in _UNDATED:
        raise ConfigError(
            f"cannot tell which picture {path.name!r} is to be; end it in {', '.join(_UNDATED)}"
        )
    try:
        with matplotlib.rc_context({"svg.hashsalt": "parm", "svg.fonttype": "none"}):
            figure.savefig(path, format=suffix[1:], metadata=_UNDATED[suffix])
    except OSError as error:
        raise ConfigError(f"cannot write {path}: {error.strerror or error}") from error
