"""The address of a page brings its choices back, and holds no case text."""

from __future__ import annotations

import re
from functools import cache

import pytest
from driving import (
    BM25,
    PAGES,
    PASTE,
    chosen,
    columns,
    markup,
    open_app,
    opened_with,
    pick_first,
)

SHORT = "The auditor owed no duty of care to those who bought shares on the faith of the accounts."


@cache
def defaults(page):
    """What each input of a page begins with."""
    return chosen(open_app(page, systems=BM25))


@pytest.fixture(autouse=True)
def indexes(sample_indexes, monkeypatch):
    monkeypatch.setenv("PARM_INDEXES", str(sample_indexes))
    monkeypatch.setenv("PARM_CACHE", str(sample_indexes / "results"))


class TestAddress:
    @pytest.mark.parametrize(
        ("page", "kind", "name", "given", "value"),
        [
            ("find", "selectbox", "case", "R v G", None),
            ("find", "selectbox", "rule", "windows", None),
            ("find", "select_slider", "top", "50", 50),
            ("find", "multiselect", "systems", ["bm25:doc", "bm25:rrf@k=7"], None),
            ("find", "segmented_control", "source", PASTE, None),
            ("aggregations", "select_slider", "depth", "50", 50),
            ("aggregations", "slider", "k", "7", 7),
            ("aggregations", "segmented_control", "retriever", "bm25", None),
            ("aggregations", "segmented_control", "measure", "Jaccard", None),
            ("aggregations", "select_slider", "cut", "100", 100),
            ("overlaps", "selectbox", "aggregation", "combsum", None),
            ("overlaps", "select_slider", "cut", "5", 5),
            ("overlaps", "segmented_control", "scope", "all", None),
            ("heatmaps", "segmented_control", "scope", "all", None),
            ("evaluation", "segmented_control", "view", "recall", None),
            ("evaluation", "selectbox", "split", "dev", None),
            ("evaluation", "selectbox", "baseline", "bm25:rrf", None),
            ("evaluation", "selectbox", "test", "randomisation", None),
            ("evaluation", "multiselect", "evaluated", ["bm25:rrf@k=7"], None),
            ("evaluation", "multiselect", "measures", ["nDCG@20"], None),
        ],
    )
    def test_brings_a_choice_back(self, page, kind, name, given, value):
        app = open_app(page, **{"retriever": "bm25", "systems": BM25, name: given})
        assert not app.exception
        assert getattr(app, kind)(key=name).value == (given if value is None else value)

    def test_brings_a_result_back(self):
        app = open_app("find", systems=BM25, result="anns-v-merton-1977")
        assert app.selectbox(key="result").value == "anns-v-merton-1977"

    @pytest.mark.parametrize("page", PAGES)
    @pytest.mark.parametrize("value", ["", "nobody", "-1", "../<b>" * 1_000])
    def test_with_bad_values_is_as_good_as_none(self, page, value):
        names = ("collection", "source", "case", "rule", "top", "depth", "k", "retriever")
        names += ("aggregation", "cut", "result", "measure", "by", "own_case", "nonsense")
        names += ("scope", "split", "baseline", "test", "view", "compare", "shown", "query")
        bad = open_app(page, systems=BM25, **dict.fromkeys(names, value))
        assert not bad.exception and not bad.error and not bad.warning
        assert chosen(bad) == defaults(page)

    @pytest.mark.parametrize("page", ["aggregations", "heatmaps", "overlaps"])
    def test_is_followed_to_another_page_and_back(self, page):
        app = open_app(case="R v G", rule="windows", systems=BM25, top="50")
        app.switch_page(f"pages/{page}.py").run()
        assert app.selectbox(key="case").value == "R v G"
        assert app.selectbox(key="rule").value == "windows"
        assert app.query_params["case"] == "R v G"
        app.switch_page("pages/find.py").run()
        assert not app.exception
        assert list(columns(app)) == BM25
        assert app.select_slider(key="top").value == 50

    def test_of_a_page_is_a_link_to_it(self):
        first = open_app("find", systems=BM25)
        first.selectbox(key="case").set_value("R v G").run()
        first.multiselect(key="systems").set_value(["bm25:rrf@k=7", "bm25:max"]).run()
        first.select_slider(key="top").set_value(20).run()
        pick_first(first)
        second = open_app("find", **first.query_params)
        assert chosen(second) == chosen(first)
        assert columns(second) == columns(first)
        assert markup(second) == markup(first)

    def test_holds_no_word_of_a_pasted_case(self):
        app = opened_with(SHORT, systems=BM25)
        pick_first(app)
        app.select_slider(key="top").set_value(20).run()
        address = str(dict(app.query_params)).lower()
        assert "bm25:srrf" in address
        assert not [word for word in re.findall(r"\w{5,}", SHORT.lower()) if word in address]
