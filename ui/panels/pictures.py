"""Pictures for papers, to be downloaded: drawn when asked for, not before."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import streamlit as st

_KINDS = {"png": "image/png", "svg": "image/svg+xml"}


def downloads(draw: Callable[[], Any], name: str) -> None:
    """PNG and SVG of a figure of `parm_core.figures`, which `draw` makes."""
    for ending, kind in _KINDS.items():
        st.download_button(
            f"Picture ({ending.upper()})", partial(_drawn, draw, ending), f"{name}.{ending}", kind,
            on_click="ignore", key=f"picture-{name}-{ending}",
        )  # fmt: skip


def _drawn(draw: Callable[[], Any], ending: str) -> bytes:
    from parm_core import figures

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"picture.{ending}")
        figures.save(draw(), path)
        return path.read_bytes()
