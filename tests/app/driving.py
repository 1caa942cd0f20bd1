"""How the tests drive the app without a browser."""

from __future__ import annotations

import json
import re
from pathlib import Path

from streamlit.testing.v1 import AppTest

ROOT = Path(__file__).parents[2]
PAGES = ("find", "aggregations", "heatmaps", "overlaps", "evaluation", "collection")
OF_A_CASE = ("find", "aggregations", "heatmaps", "overlaps")
BM25 = ["bm25:srrf", "bm25:doc"]
PASTE = "paste"
OWN_CASE = "collection"


def open_app(page=None, **address):
    """The app as `address`, the part after "?", opens it; one page alone where `page` names it."""
    script = ROOT / (f"pages/{page}.py" if page else "app.py")
    app = AppTest.from_file(script, default_timeout=120)
    for name, value in address.items():
        app.query_params[name] = value
    return app.run()


def paste(app, text):
    """Give a case by the form."""
    app.text_area(key="pasted").set_value(text)
    return app.button[0].click().run()


def opened_with(text, page="find", **address):
    """A page with a pasted case."""
    return paste(open_app(page, source=PASTE, **address), text)


def columns(app):
    """System -> rows of its ranking, as the component gets them."""
    component = app.get("bidi_component")[0]
    return {one["system"]: one["rows"] for one in json.loads(component.proto.json)["columns"]}


def chosen(app):
    """Key of each input -> what is chosen."""
    kinds = (app.selectbox, app.multiselect, app.segmented_control, app.select_slider, app.slider)
    return {widget.key: widget.value for kind in kinds for widget in kind}


def pick_first(app):
    """Look into the first case of the first ranking."""
    best = next(iter(columns(app).values()))[0]["case_id"]
    return app.selectbox(key="result").set_value(best).run()


def said(elements):
    """What a reader reads: Markdown's escapes gone."""
    return " ".join(re.sub(r"\\([\W_])", r"\1", element.value) for element in elements)


def cut(app):
    """How the case was cut, in one line."""
    return re.sub(r"\\([\W_])", r"\1", app.expander[0].label)


def markup(app):
    """Every piece of HTML on the page but the style sheets."""
    return [e.proto.body for e in app.html if not e.proto.body.lstrip().startswith("<style")]


def sample_texts():
    """Title -> text of each sample case."""
    lines = (ROOT / "assets/landmark-cases/queries.jsonl").read_text(encoding="utf-8").splitlines()
    return {case["title"]: case["text"] for case in map(json.loads, lines)}
