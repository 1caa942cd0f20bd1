"""What every chart shares: colours, safe words, a bare layout.

A figure sets no text colour: Streamlit's theme supplies it, light or dark, in the browser.
The colours named here stand out on both.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Iterator, Sequence
from itertools import count
from textwrap import wrap
from typing import Any, NamedTuple

import plotly.graph_objects as go

from ui.evidence import harmless, opening

ACCENT = "#3484c4"
QUIET = "rgba(128, 128, 128, 0.5)"
REST = "#a3a3a3"

SERIES = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
"""Colours that stay apart for the colour-blind, on light and dark (Okabe and Ito 2008)."""

_OTHERS = "#8c8c8c"


class Chart(NamedTuple):
    """A figure and its alternative text, for `st.plotly_chart(chart.figure, alt=chart.alt)`."""

    figure: go.Figure
    alt: str


def case_colours(case_ids: Iterable[str]) -> dict[str, str]:
    """case id -> colour (Okabe and Ito 2008), by the order given; from the seventh on, one grey."""
    distinct = dict.fromkeys(case_ids)
    return {
        case_id: SERIES[i] if i < len(SERIES) else _OTHERS for i, case_id in enumerate(distinct)
    }


def described(figure: go.Figure, alt: str) -> Chart:
    """A figure with its alternative text, control characters removed."""
    return Chart(figure, harmless(alt))


def words(text: str, limit: int = 100) -> str:
    """The opening of a text, safe where plotly reads a subset of HTML."""
    return html.escape(opening(text, limit), quote=False)


def quoted(text: str, limit: int = 100) -> str:
    """The opening of a text, safe as `words` is, in quotation marks, on lines that a phone shows."""
    return f"“{_lines(opening(text, limit), 50)}”"


def _lines(text: str, width: int) -> str:
    return "<br>".join(html.escape(line, quote=False) for line in wrap(text, width))


def named(label: str) -> str:
    """ "paragraph 12" for "12"; other labels as they are."""
    return f"paragraph {label}" if label.isdecimal() else label


def counted(count: int, noun: str) -> str:
    """ "1 case", "1,200 cases", "3 queries"."""
    return f"{count:,} {noun if count == 1 else plural(noun)}"


def plural(noun: str) -> str:
    """ "cases", "queries"."""
    return f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"


def thinned(labels: Sequence[str], *, most: int, letters: int) -> tuple[list[int], list[str]]:
    """Positions and safe labels of at most `most` ticks, evenly spaced from the first.

    Labels of one word are cut after `letters` characters, "introduction" to "intro".
    """
    step = next(step for step in _steps() if step * most >= len(labels))
    places = list(range(0, len(labels), step))
    return places, [html.escape(harmless(labels[i])[:letters], quote=False) for i in places]


def _steps() -> Iterator[int]:
    """1, 2, 5, 10, 20, 50 and so on."""
    return (leading * 10**power for power in count() for leading in (1, 2, 5))


def axis(title: str, **more: Any) -> dict[str, Any]:
    """An axis that says what it is, without grid lines, which no drag moves."""
    return {"title": {"text": title}, "fixedrange": True, "showgrid": False, **more}


def named_places(names: Sequence[str]) -> dict[str, Any]:
    """Ticks 0, 1, … with safe names; by place, since two long names may look alike once cut."""
    return {"tickvals": list(range(len(names))), "ticktext": [words(name, 40) for name in names]}


def bare(figure: go.Figure, *, title: str, height: int, **layout: Any) -> None:
    """Give a figure its title, on lines that a phone shows, and a plain layout.

    height: in pixels, without the title.
    """
    text = _lines(opening(title, 120), 44)
    extra = text.count("<br>")
    top = 40 + 22 * extra
    settings: dict[str, Any] = {
        "title": {
            "text": text,
            "yref": "container",
            "y": 1,
            "yanchor": "top",
            "pad": {"t": 6 + 20 * extra},
        },
        "height": height + top,
        "margin": {"l": 8, "r": 8, "t": top, "b": 8},
        "showlegend": False,
        "dragmode": False,
        "hoverlabel": {"align": "left"},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
    }
    figure.update_layout({**settings, **layout})
