"""Indexes of one's own, beside the sample: whole, damaged, old, without vectors, hostile."""

from __future__ import annotations

import json
import re
import shutil

import pytest
from conftest import CASES, COLLECTION, QUERY_CASE, FakeEncoder
from driving import BM25, OWN_CASE, PAGES, PASTE, chosen, columns, markup, open_app, paste, said

from parm_core.index.build import build_index
from parm_core.index.manifest import write_manifest
from parm_core.types import Case, Collection
from ui.resources import sample_path

MIXED = ["bm25:srrf", "dense:srrf", "hybrid:rrf"]


@pytest.fixture
def indexes(sample_indexes, tmp_path, monkeypatch):
    """A person's folder of indexes, the sample's in it."""
    shutil.copytree(sample_indexes, tmp_path / "indexes")
    monkeypatch.setenv("PARM_INDEXES", str(tmp_path / "indexes"))
    monkeypatch.setenv("PARM_CACHE", str(tmp_path / "results"))
    return tmp_path / "indexes"


def build(indexes, name="northmark", collection=COLLECTION, encoder=None):
    return build_index(collection, indexes / name, encoder=encoder).path


def rewrite_manifest(path, change):
    manifest = json.loads((path / "manifest.json").read_text(encoding="utf-8"))
    change(manifest)
    (path / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")


def of_another_version(path):
    rewrite_manifest(path, lambda manifest: manifest.update(format=99))
    return "is an index of format 99, this version reads format 1"


def with_a_file_cut(path):
    file = path / "paragraphs.arrow"
    file.write_bytes(file.read_bytes()[:-10])
    return "paragraphs.arrow has"


def with_a_file_missing(path):
    (path / "case_starts.npy").unlink()
    return "case_starts.npy is missing"


def with_cases_damaged(path):
    return _damage(path / "cases.arrow")


def with_postings_damaged(path):
    return _damage(path / "bm25-paragraphs.impacts.npy")


def with_terms_damaged(path):
    return _damage(path / "bm25-paragraphs.terms.json")


def _damage(file):
    """As long as before, so that only reading it tells."""
    file.write_bytes(b"\x93" * file.stat().st_size)
    return file.name


def with_half_a_manifest(path):
    rewrite_manifest(path, lambda manifest: (manifest.pop("collection"), manifest.pop("encoder")))
    return "manifest.json"


class TestUnusableIndex:
    @pytest.mark.parametrize("page", PAGES)
    @pytest.mark.parametrize("spoil", [of_another_version, with_a_file_cut, with_a_file_missing])
    def test_is_told_on_every_page_and_the_sample_still_works(self, indexes, page, spoil):
        message = spoil(build(indexes))
        app = open_app(page, collection="northmark", systems=BM25)
        assert not app.exception
        assert message in said(app.error)
        assert re.search("build (it|the index) again", said(app.error))
        app.selectbox(key="collection").set_value("landmark-cases").run()
        assert not app.exception and not app.error

    @pytest.mark.parametrize(
        "spoil",
        [
            with_cases_damaged,
            with_postings_damaged,
            with_terms_damaged,
            with_half_a_manifest,
        ],
    )
    def test_whose_damage_shows_when_read_is_told(self, indexes, spoil):
        message = spoil(build(indexes))
        app = open_app("aggregations", collection="northmark", own_source=PASTE)
        if not app.error:
            paste(app, QUERY_CASE.text)
        assert not app.exception
        assert message in said(app.error)

    def test_is_the_sample_s_and_is_built_again(self, indexes, monkeypatch):
        monkeypatch.setattr("ui.resources.load_encoder", FakeEncoder)
        with_a_file_cut(indexes / sample_path().name)
        app = open_app("find", systems=BM25)
        assert not app.exception and not app.error
        assert len(columns(app)["bm25:srrf"]) == 10


class TestIndexWithoutVectors:
    def test_is_searched_by_bm25(self, indexes):
        build(indexes)
        app = open_app("find", collection="northmark", own_source=PASTE, systems=BM25)
        paste(app, QUERY_CASE.text)
        assert not app.exception and not app.error
        assert columns(app)["bm25:doc"][0]["case_id"] == "barge"

    @pytest.mark.parametrize("page", ["find", "heatmaps"])
    def test_tells_what_a_dense_system_lacks(self, indexes, page):
        build(indexes)
        app = open_app(page, collection="northmark", own_source=PASTE, systems=MIXED)
        paste(app, QUERY_CASE.text)
        assert not app.exception
        assert "built without an encoder" in said([*app.error, *app.warning])

    def test_ranks_by_the_systems_that_can(self, indexes):
        build(indexes)
        app = open_app("find", collection="northmark", own_source=PASTE, systems=MIXED)
        paste(app, QUERY_CASE.text)
        assert list(columns(app)) == ["bm25:srrf"]

    @pytest.mark.parametrize("page", ["aggregations", "overlaps", "collection"])
    def test_breaks_no_page(self, indexes, page):
        build(indexes)
        app = open_app(page, collection="northmark", own_source=PASTE)
        if page != "collection":
            paste(app, QUERY_CASE.text)
        assert not app.exception and not app.error
        assert app.get("plotly_chart")

    @pytest.mark.parametrize("page", ["find", "aggregations", "heatmaps", "overlaps"])
    def test_nor_does_one_whose_encoder_is_not_here(self, indexes, page):
        build(indexes, encoder=FakeEncoder())
        app = open_app(page, collection="northmark", own_source=PASTE, systems=MIXED)
        paste(app, QUERY_CASE.text)
        assert not app.exception
        assert "the encoder 'fake' is not on this machine" in said(
            [*app.error, *app.warning, *app.info]
        )


class TestOwnCollection:
    def test_is_offered_by_its_folder_s_name(self, indexes):
        build(indexes, "my-cases")
        (indexes / "notes").mkdir()
        (indexes / ".my-cases-draft").mkdir()
        app = open_app("collection")
        assert app.selectbox(key="collection").options == ["landmark-cases", "my-cases"]
        assert "Found there now: my-cases." in said(app.caption)

    def test_is_described(self, indexes):
        build(indexes)
        app = open_app("collection", collection="northmark")
        told = {metric.label: metric.value for metric in app.metric}
        assert told["Cases"] == "6" and told["Paragraphs"] == "21"
        assert set(app.dataframe[0].value["id"]) == {case.id for case in CASES}

    def test_has_no_sample_case(self, indexes):
        build(indexes)
        app = open_app("find", collection="northmark")
        assert "A sample case" not in app.segmented_control[0].options

    def test_is_not_the_sample_whatever_its_collection_is_called(self, indexes):
        build(indexes, "mine", Collection("landmark-cases", CASES))
        app = open_app("find", collection="mine", systems=BM25)
        assert "A sample case" not in app.segmented_control[0].options

    def test_keeps_its_case_and_result_out_of_the_address(self, indexes):
        build(indexes)
        app = open_app("find", collection="northmark", own_source=OWN_CASE, systems=BM25)
        own = next(key for key in chosen(app) if key.startswith("own_case"))
        app.selectbox(key=own).set_value("barge").run()
        result = next(key for key in chosen(app) if key.startswith("result"))
        app.selectbox(key=result).set_value("mooring").run()
        app.select_slider(key="top").set_value(20).run()
        assert not app.exception and "Harbour Trust v Weir" in said(app.markdown)
        address = str(dict(app.query_params))
        assert "northmark" in address
        assert not re.search("barge|mooring|Mills|Weir", address)

    def test_may_be_left_for_the_sample_and_taken_up_again(self, indexes):
        build(indexes)
        app = open_app("find", collection="northmark", own_source=OWN_CASE, systems=BM25)
        own = next(key for key in chosen(app) if key.startswith("own_case"))
        app.selectbox(key=own).set_value("barge").run()
        app.selectbox(key="collection").set_value("landmark-cases").run()
        assert not app.exception and columns(app)["bm25:srrf"][0]["case_id"] == "anns-v-merton-1977"
        app.selectbox(key="collection").set_value("northmark").run()
        assert not app.exception and not app.error

    def test_with_markup_in_its_titles_is_shown_as_text(self, indexes):
        hostile = "![a](https://192.0.2.1/a.png) <img src=x onerror=alert(1)> :red[b] $x$"
        cases = [Case(case.id, f"{hostile} {case.title}", case.text, case.date) for case in CASES]
        build(indexes, "hostile", Collection("hostile", tuple(cases)))
        app = open_app("find", collection="hostile", own_source=OWN_CASE, systems=BM25)
        own = next(key for key in chosen(app) if key.startswith("own_case"))
        app.selectbox(key=own).set_value("barge").run()
        result = next(key for key in chosen(app) if key.startswith("result"))
        app.selectbox(key=result).set_value("mooring").run()
        assert not app.exception and not app.error
        markdown = [e.value for kind in (app.markdown, app.caption) for e in kind]
        markdown += [expander.label for expander in app.expander]
        assert sum("192" in text for text in markdown) >= 2
        assert not [text for text in markdown if re.search(r"(?<!\\)(!\[|\]\(|<img|:red|\$)", text)]
        assert not [html for html in markup(app) if "<img" in html]


@pytest.mark.parametrize(
    ("uri", "told"),
    [
        ("http://milvus.example:19530", "never its text, to milvus.example."),
        ("http://localhost:19530", "Nothing you paste leaves this machine."),
        ("../milvus.db", "Nothing you paste leaves this machine."),
    ],
)
@pytest.mark.parametrize("page", ["find", "collection"])
def test_where_a_search_goes_is_told(indexes, page, uri, told):
    """Nothing is connected to for it: no machine answers at these addresses."""
    path = build(indexes)
    manifest = json.loads((path / "manifest.json").read_text(encoding="utf-8"))
    (path / "manifest.sha256").unlink()
    (path / "manifest.json").unlink()
    write_manifest(path, manifest | {"milvus": {"uri": uri, "sha256": "0" * 64}})
    app = open_app(page, collection="northmark")
    assert not app.exception
    assert told in said([*app.info, *app.caption])
