"""Evaluation over all labelled queries: what is shown is what the library measures."""

from __future__ import annotations

import re
import zipfile
from io import BytesIO

import pytest
import streamlit as st
from conftest import CASES, COLLECTION, QUERY_CASE
from driving import columns, open_app, paste, said

from parm_core.collections import write_beir
from parm_core.collections.trec import read_run
from parm_core.evaluation import RENDERERS, compare, evaluate
from parm_core.experiments.labelled import labelled
from parm_core.experiments.memory import Memory
from parm_core.experiments.plans import Plan
from parm_core.experiments.queries import query_differences
from parm_core.experiments.runs import rank_queries
from parm_core.experiments.sweeps import sweep
from parm_core.index.build import build_index
from parm_core.index.store import open_index
from parm_core.library import remember_collection, results_file
from parm_core.retrieval import Searcher
from parm_core.systems import parse_system
from parm_core.types import Case, Collection
from ui import laboratory
from ui.panels.evaluation.table import runs_zip
from ui.resources import sample_collection, sample_path

SYSTEMS = ["bm25:doc", "bm25:rrf"]
MEASURES = ["nDCG@10", "R@5", "R@10", "R@20"]


@pytest.fixture(autouse=True)
def indexes(sample_indexes, monkeypatch):
    monkeypatch.setenv("PARM_INDEXES", str(sample_indexes))
    monkeypatch.setenv("PARM_CACHE", str(sample_indexes / "results"))
    return sample_indexes


@pytest.fixture
def fresh(tmp_path, monkeypatch):
    """No result is known yet, neither on disk nor in this process."""
    monkeypatch.setenv("PARM_CACHE", str(tmp_path / "results"))
    _forget()
    yield
    _forget()


def _forget():
    st.cache_resource.clear()
    st.cache_data.clear()


@pytest.fixture(scope="module")
def searcher(sample_indexes):
    return Searcher(open_index(sample_indexes / sample_path().name))


@pytest.fixture(scope="module")
def queries():
    return labelled(sample_collection(), "all")


@pytest.fixture(scope="module")
def runs(searcher, queries):
    return rank_queries(searcher, queries.cases, [parse_system(s) for s in SYSTEMS]).runs


def opened(page="evaluation", evaluated=SYSTEMS, **address):
    return open_app(page, evaluated=evaluated, **address)


def press(app, label):
    return next(b for b in app.button if b.label == label).click().run()


def evaluated(**address):
    """The page with every query ranked."""
    app = opened(**address)
    return press(app, "Evaluate") if any(b.label == "Evaluate" for b in app.button) else app


@pytest.mark.usefixtures("fresh")
class TestWork:
    def test_waits_to_be_asked_for(self):
        app = opened()
        assert not app.exception and not app.error
        assert said(app.info).startswith("17 queries, each to be ranked by 2 systems.")
        assert [b.label for b in app.button] == ["Evaluate"]

    def test_once_done_shows_at_once_in_another_session_and_process(self):
        press(opened(), "Evaluate")
        st.cache_resource.clear()
        app = opened()
        assert not app.info and "`bm25:rrf`" in said(app.markdown)

    def test_a_stopped_evaluation_shows_what_is_done_and_goes_on(self, searcher, queries):
        systems = [parse_system(name) for name in SYSTEMS]
        memory = Memory(results_file())
        done = rank_queries(searcher, queries.cases[:5], systems, memory=memory).runs
        app = opened()
        assert said(app.info) == "5 of 17 queries so far: what follows is over these."
        part = queries.part([case.id for case in queries.cases[:5]], "all")
        expected = compare(done, part.qrels, MEASURES, baseline="bm25:doc")
        assert app.markdown[0].value == RENDERERS["markdown"](expected).strip()
        press(app, "Go on")
        assert not app.info and "17 queries" in said(app.markdown)

    def test_one_query_alone_is_measured_but_not_tested(self, searcher, queries):
        systems = [parse_system(name) for name in SYSTEMS]
        rank_queries(searcher, queries.cases[:1], systems, memory=Memory(results_file()))
        app = opened()
        assert not app.exception and not app.error
        assert "One query alone cannot be tested" in said(app.caption)

    def test_a_further_system_ranks_again_only_what_is_new(self, monkeypatch):
        press(opened(), "Evaluate")
        ranked = []
        rank = Searcher.rank
        monkeypatch.setattr(
            Searcher, "rank", lambda self, query, s: ranked.append(str(s)) or rank(self, query, s)
        )
        app = opened(evaluated=[*SYSTEMS, "bm25:max"])
        press(app, "Evaluate")
        assert ranked == ["bm25:max"] * 17


class TestTable:
    def test_is_the_librarys_own(self, runs, queries):
        expected = compare(runs, queries.qrels, MEASURES, baseline="bm25:doc")
        app = evaluated()
        assert app.markdown[0].value == RENDERERS["markdown"](expected).strip()

    def test_another_baseline_and_test_are_as_the_library_has_them(self, runs, queries):
        app = evaluated(baseline="bm25:rrf", test="randomisation", measures=["AP"])
        expected = compare(runs, queries.qrels, ["AP"], baseline="bm25:rrf", test="randomisation")
        assert app.markdown[0].value == RENDERERS["markdown"](expected).strip()

    def test_a_split_has_its_own_queries(self):
        app = evaluated(split="test")
        assert not app.exception and not app.error
        assert "9 queries" in said(app.markdown)

    def test_a_measure_that_is_none_is_left_out(self):
        app = evaluated(measures=["R@10", "![a](https://192.0.2.1/a.png)"])
        assert not app.exception
        assert "unknown measure" in said(app.warning) and "![" not in app.warning[0].value
        assert "| system | R@10 |" in app.markdown[0].value

    def test_without_a_system_says_what_to_do(self):
        app = evaluated()
        app.multiselect(key="evaluated").set_value([]).run()
        assert not app.exception
        assert said(app.info).startswith("Choose a system")

    def test_the_runs_to_take_away_measure_the_same(self, runs, queries, tmp_path):
        ranked = laboratory.Ranked(queries, runs, {}, len(queries.cases), "key")
        packed = zipfile.ZipFile(BytesIO(runs_zip(ranked)))
        assert packed.namelist() == ["01-bm25-doc.trec", "02-bm25-rrf.trec", "qrels.txt"]
        assert runs_zip(ranked) == runs_zip(ranked)
        for name, system in zip(packed.namelist(), SYSTEMS, strict=False):
            run, _ = read_run(packed.extract(name, tmp_path))
            assert evaluate(run, queries.qrels) == pytest.approx(
                evaluate(runs[system], queries.qrels), abs=1e-6
            )


class TestViews:
    def test_recall_by_cut_off_has_a_line_a_system(self):
        app = evaluated(view="recall")
        assert not app.exception
        assert len(app.get("plotly_chart")) == 1
        assert list(app.dataframe[0].value.columns) == ["cut-off", *SYSTEMS]

    def test_two_systems_are_told_query_by_query(self, runs, queries, searcher):
        app = evaluated(view="pairs")
        assert not app.exception
        found = query_differences(searcher, queries, runs, "nDCG@10")
        gain, lose, tie = found.counts()
        assert f"{gain} queries gain, {lose} lose, {tie} tie" in said(app.markdown)
        shown = app.dataframe[-1].value
        assert list(shown["difference"]) == [round(row.difference, 4) for row in found.rows]

    def test_one_system_alone_asks_for_a_second(self):
        for view in ("pairs", "factors", "agreement"):
            app = evaluated(view=view, evaluated=["bm25:rrf"])
            assert not app.exception
            assert said(app.info) == "Choose a second system to compare with."

    def test_what_helps_is_the_librarys_own(self, runs, queries, searcher):
        app = evaluated(view="factors")
        press(app, "Count")
        assert not app.exception and not app.error
        assert len(app.get("plotly_chart")) == 5
        found = query_differences(searcher, queries, runs, "nDCG@10").correlations
        for rho, p, n in found.values():
            assert f"Spearman's rho {rho:+.2f}, p = {p:.3f}, {n} queries." in said(app.caption)

    def test_agreement_is_over_all_queries(self):
        app = evaluated(view="agreement", measure="Jaccard")
        assert not app.exception
        assert "the mean over 17 queries" in said(app.caption)
        assert len(app.get("plotly_chart")) == 1

    def test_a_sweep_is_the_librarys_own(self, indexes):
        app = opened(view="sweeps", base="bm25:rrf", chosen_by="R@5")
        app.text_input(key="values-k").set_value("0, 60 200").run()
        press(app, "Run the sweep")
        assert not app.exception and not app.error
        plan = Plan(parse_system("bm25:rrf"), {"k": (0.0, 60.0, 200.0)}, "R@5")
        index = open_index(indexes / sample_path().name)
        found = sweep(index, sample_collection(), plan, memory=Memory(results_file()))
        assert found.chosen.name in said(app.markdown)
        assert app.markdown[-1].value == RENDERERS["markdown"](found.test).strip()
        assert list(app.dataframe[0].value["R@5"]) == [round(p.dev, 4) for p in found.points]

    def test_two_parameters_make_a_grid(self):
        app = opened(view="sweeps", base="bm25:rrf", axes=["k1", "b"], chosen_by="R@5")
        app.text_input(key="values-k1").set_value("0.9 1.3").run()
        app.text_input(key="values-b").set_value("0.4 0.8").run()
        press(app, "Run the sweep")
        assert not app.exception and not app.error
        assert len(app.dataframe[0].value) == 4 and len(app.get("plotly_chart")) == 1

    @pytest.mark.parametrize(
        ("axis", "values", "why"),
        [
            ("k", "", "write what to vary as"),
            ("k", "many", "k takes numbers, got 'many'"),
            ("b", "7", "b must be"),
            ("segment", "chapters", "segment takes"),
            ("k", "1e999", "k takes numbers, got '1e999'"),
        ],
    )
    def test_a_sweep_that_cannot_be_is_told_why(self, axis, values, why):
        app = opened(view="sweeps", base="bm25:rrf", axes=[axis])
        app.text_input(key=f"values-{axis}").set_value(values).run()
        assert not app.exception
        assert why in said(app.warning)
        assert "Run the sweep" not in [b.label for b in app.button]


class TestOpeningAQuery:
    def test_brings_it_to_the_other_pages_with_its_relevant_cases_marked(self):
        app = open_app(evaluated=SYSTEMS, systems=SYSTEMS, view="pairs")
        app.switch_page("pages/evaluation.py").run()
        if any(b.label == "Evaluate" for b in app.button):
            press(app, "Evaluate")
        app.selectbox(key="query").set_value("caparo-industries-v-dickman-1990").run()
        press(app, "Open this query: Find similar cases")
        assert not app.exception
        assert app.selectbox(key="case").value == "Caparo Industries plc v Dickman"
        qrels = sample_collection().qrels["caparo-industries-v-dickman-1990"]
        for rows in columns(app).values():
            assert {r["case_id"] for r in rows if r["relevant"]} <= set(qrels)
            assert any(r["relevant"] for r in rows)
        assert f"{len(qrels)} relevant cases known by label" in app.expander[1].label

    def test_a_pasted_case_has_no_marks(self):
        app = paste(open_app("find", source="paste", systems=SYSTEMS), QUERY_CASE.text)
        assert all("relevant" not in row for rows in columns(app).values() for row in rows)


class TestOverlapsOfAll:
    def test_every_relevant_case_is_in_one_region(self, queries):
        app = open_app("overlaps", scope="all", compare="own", split_by=SYSTEMS)
        if any(b.label == "Rank the queries" for b in app.button):
            press(app, "Rank the queries")
        assert not app.exception and not app.error
        labels = app.selectbox[-2].options
        counts = [int(label.rsplit(", ", 1)[1]) for label in labels]
        relevant = sum(g > 0 for grades in queries.qrels.values() for g in grades.values())
        assert sum(counts) == relevant

    def test_the_four_cells_of_bm25_and_dense(self):
        app = open_app("overlaps", scope="all")
        if any(b.label == "Rank the queries" for b in app.button):
            press(app, "Rank the queries")
        assert not app.exception and not app.error
        assert len(app.get("plotly_chart")) == 2


class TestHeatmapsOfAll:
    def test_bm25_and_dense_stand_side_by_side(self):
        app = press(open_app("heatmaps", scope="all"), "Count")
        assert not app.exception and not app.error
        assert len(app.get("plotly_chart")) == 2
        table = app.dataframe[0].value
        assert set(table["retriever"]) == {"BM25", "Dense"}
        assert table["queries"].max() <= 17
        rows = table.groupby(["retriever", "query paragraph"])
        assert rows["share of the row"].sum().between(0.99, 1.01).all()
        for shown in ("shares", "lift"):
            app.segmented_control(key="shown").set_value(shown).run()
            assert not app.exception and len(app.get("plotly_chart")) == 2


QUERIES = (QUERY_CASE, Case("digits", "Digits", "12 345 678 901"))
LABELS = {"query": {"barge": 1, "mooring": 1}, "digits": {"lamp": 1}}


class TestOwnLabelledCollection:
    @pytest.fixture
    def own(self, tmp_path, monkeypatch):
        """An index of one's own, whose labels are known; one of its queries has no letters."""
        monkeypatch.setenv("PARM_INDEXES", str(tmp_path / "indexes"))
        whole = Collection("northmark", CASES, QUERIES, LABELS)
        folder = write_beir(whole, tmp_path / "northmark")
        index = build_index(COLLECTION, tmp_path / "indexes" / "northmark", encoder=None)
        remember_collection(index, folder)
        return folder

    @pytest.mark.usefixtures("own")
    def test_a_query_that_cannot_be_searched_with_counts_0_and_is_named(self):
        app = press(opened(collection="northmark", measures=["R@10"]), "Evaluate")
        assert not app.exception and not app.error
        assert re.search("counts 0: digits \\(.*letters", said(app.warning))
        assert "0.5000" in app.markdown[0].value

    @pytest.mark.usefixtures("own")
    def test_what_needs_an_encoder_is_left_out(self):
        app = opened(collection="northmark", evaluated=["bm25:rrf", "dense:rrf"])
        assert "Left out dense:rrf" in said(app.warning)

    @pytest.mark.usefixtures("own")
    def test_a_labelled_query_is_a_case_and_never_in_the_address(self):
        app = open_app("find", collection="northmark", own_source="labelled", systems=SYSTEMS)
        key = next(s.key for s in app.selectbox if s.label == "Labelled query")
        app.selectbox(key=key).set_value("query").run()
        assert not app.exception and not app.error
        marked = {r["case_id"] for r in columns(app)["bm25:rrf"] if r["relevant"]}
        assert marked == {"barge", "mooring"}
        assert "query" not in str(dict(app.query_params).values())

    @pytest.mark.usefixtures("own")
    def test_relevant_cases_are_marked_among_the_aggregations(self):
        app = open_app("aggregations", collection="northmark", own_source="labelled")
        key = next(s.key for s in app.selectbox if s.label == "Labelled query")
        app.selectbox(key=key).set_value("query").run()
        assert not app.exception and not app.error
        ranks = next(t.value for t in app.dataframe if "relevant case" in t.value.columns)
        assert set(ranks["id"]) == {"barge", "mooring"}
        assert "rank, combsum" in ranks.columns
        assert "A diamond marks a case that is relevant" in said(app.caption)

    def test_labels_of_another_collection_are_refused(self, own):
        (own / "corpus.jsonl").write_text('{"_id": "barge", "text": "Another case."}\n')
        (own / "qrels" / "test.tsv").write_text("query\tbarge\t1\n")
        app = opened(collection="northmark")
        assert not app.exception
        assert "built from other cases" in said(app.error)

    def test_no_labels_known_says_what_to_do(self, tmp_path, monkeypatch):
        monkeypatch.setenv("PARM_INDEXES", str(tmp_path))
        build_index(COLLECTION, tmp_path / "northmark", encoder=None)
        app = opened(collection="northmark")
        assert not app.exception and not app.error
        assert "parm evaluate" in said(app.info)
        app = open_app("overlaps", collection="northmark", own_source="paste")
        assert "scope" not in [control.key for control in app.segmented_control]


@pytest.mark.usefixtures("fresh")
def test_the_statistics_of_a_collection_are_counted_on_request():
    app = press(open_app("collection"), "Count")
    assert not app.exception and not app.error
    table = app.dataframe[0].value.set_index("what")["value"]
    assert table["judged queries"] == "17" and table["cases"] == "64"
    assert len(app.get("plotly_chart")) == 6
