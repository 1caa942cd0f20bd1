"""The fonts that ship with the app, as one style sheet; no file is asked for over the network."""

from __future__ import annotations

from base64 import b64encode
from functools import cache
from pathlib import Path

_FONTS = Path(__file__).parents[1] / "assets" / "fonts"
_LATIN_EXT = "U+0100-02BA, U+1E00-1E9F, U+1EF2-1EFF, U+2C60-2C7F, U+A720-A7FF"
_FILES = {
    "source-serif-4": "PARM Serif",
    "source-sans-3": "PARM Sans",
}


@cache
def stylesheet() -> str:
    """@font-face rules with the files inside, for `st.html`."""
    return f"<style>{''.join(_face(path) for path in sorted(_FONTS.glob('*.woff2')))}</style>"


def _face(path: Path) -> str:
    family = next(name for stem, name in _FILES.items() if path.name.startswith(stem))
    weight = next(part for part in path.stem.split("-") if part in ("400", "600"))
    extended = f"unicode-range:{_LATIN_EXT};" if "latin-ext" in path.name else ""
    return (
        f'@font-face{{font-family:"{family}";font-weight:{weight};font-display:swap;{extended}'
        f"src:url(data:font/woff2;base64,{b64encode(path.read_bytes()).decode()})}}"
    )
