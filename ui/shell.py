"""What every page shares: style, a title, and errors in plain words."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pandas as pd
import streamlit as st
from streamlit.navigation.page import Page
from streamlit.runtime.scriptrunner import get_script_run_ctx

from parm_core.errors import ParmError
from parm_core.spreadsheets import harmless_cell
from ui import evidence, fonts
from ui.charts import Chart
from ui.sharing import showing

ABOUT = (
    "**PARM Explorer** finds similar cases when the query is itself a whole case. "
    "Nothing you search with leaves this machine, unless you keep a collection in Milvus on another."
)

_STYLE = Path(__file__).parents[1] / "assets" / "app.css"


def style() -> None:
    """Fonts, the look of case text, and what else the theme's options cannot express."""
    st.session_state["_app"] = True
    st.html(fonts.stylesheet())
    st.html(evidence.STYLESHEET)
    st.html(_STYLE)


def navigation() -> Page:
    """The pages, in the order one needs them; to be run.

    Without icons: Streamlit asks a font server on the internet for a page's icon.
    """
    titles = {
        "find": "Find similar cases",
        "aggregations": "Aggregations",
        "heatmaps": "Heatmaps",
        "overlaps": "Overlaps",
        "evaluation": "Evaluation",
        "collection": "Collection",
    }
    pages = [
        st.Page(f"pages/{file}.py", title=title, default=file == "find")
        for file, title in titles.items()
    ]
    return st.navigation(pages, position="top")


@contextmanager
def page(title: str, purpose: str) -> Iterator[None]:
    """A page's heading; what goes wrong on purpose within is told, never thrown at the reader."""
    _hand_over()
    with showing(title):
        st.title(title, anchor=False)
        st.caption(purpose)
        try:
            yield
        except ParmError as error:
            st.error(plain(str(error)))


def _hand_over() -> None:
    """Let app.py run where a page was opened before it ever had.

    Streamlit runs the files of a folder named pages by themselves until somebody has called
    st.navigation, so that a link to a page would be opened without app.py after each start.
    """
    context = get_script_run_ctx()
    main = Path(context.main_script_path).name if context else ""
    if main == "app.py" and not st.session_state.get("_app"):
        navigation()
        st.rerun()


def seconds(spent: Mapping[str, float]) -> None:
    """Where the time went."""
    steps = ("segment", "encode", "retrieve", "aggregate")
    told = [f"{step} {1000 * spent[step]:,.0f} ms" for step in steps if step in spent]
    if told:
        st.caption(
            f"Time spent on this case: {', '.join(told)}. The address of this page is a link to this "
            "view; it names a sample case, and never holds the text of another."
        )


def chart(made: Chart, *, key: str, on_select: Callable[[], None] | None = None) -> None:
    """Show a chart with its alternative text; `on_select` is called when a point is picked."""
    st.plotly_chart(
        made.figure,
        key=key,
        alt=made.alt,
        on_select=on_select or "ignore",
        selection_mode="points",
        config={"displaylogo": False, "displayModeBar": False},
    )


def download(label: str, table: pd.DataFrame, name: str) -> None:
    """A table as CSV. A cell that a spreadsheet would take for a formula is quoted."""
    safe = table.map(harmless_cell)
    st.download_button(label, safe.to_csv(index=False), name, "text/csv", on_click="ignore")


def plain(text: str) -> str:
    """Text that says nothing to Markdown: a title may hold brackets, stars or dollars."""
    return re.sub(r"([\\`*_{}\[\]()#+\-.!|<>$~:])", r"\\\1", text)
