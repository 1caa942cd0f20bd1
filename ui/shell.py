"""What every page shares: style, a title, and errors in plain words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import streamlit as st

from parm_core.errors import ParmError
from ui import evidence
from ui.charts import Chart


def style() -> None:
    """The rules for case text, which the theme's options cannot express."""
    st.html(evidence.STYLESHEET)


@contextmanager
def page(title: str, purpose: str) -> Iterator[None]:
    """A page's heading; what goes wrong on purpose within is told, never thrown at the reader."""
    st.title(title, anchor=False)
    st.caption(purpose)
    try:
        yield
    except ParmError as error:
        st.error(str(error))


def seconds(spent: Mapping[str, float]) -> None:
    """Where the time went."""
    steps = ("segment", "encode", "retrieve", "aggregate")
    told = [f"{step} {1000 * spent[step]:,.0f} ms" for step in steps if step in spent]
    if told:
        st.caption("Time spent on this case: " + ", ".join(told))


def chart(made: Chart, *, key: str, selectable: bool = False) -> Any:
    """Show a chart with its alternative text; returns the selection where one can be made."""
    return st.plotly_chart(
        made.figure,
        key=key,
        alt=made.alt,
        on_select="rerun" if selectable else "ignore",
        selection_mode="points",
        config={"displaylogo": False, "displayModeBar": False},
    )


def plain(text: str) -> str:
    """Text that says nothing to Markdown: a title may hold brackets, stars or dollars."""
    return re.sub(r"([\\`*_{}\[\]()#+\-.!|<>$~:])", r"\\\1", text)
