"""Writing BEIR's layout, and `parm import`."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parm_core.collections import load_collection, write_beir
from parm_core.errors import DataError
from parm_core.types import Case, Collection


def read_back(collection, folder):
    return replace(load_collection(write_beir(collection, folder)), name=collection.name, notes=())


SMALL = Collection(
    "northmark",
    (
        Case("c1", "Mills", "The barge sank.\nIt was lost.", "1999-03-02", "Northmark"),
        Case('"c2"', "", "Bees – and “hives”, lone \ud800 too."),
    ),
    (Case("q1", "", "A barge."), Case("q2", "Bees", "The bees."), Case("q3", "", "No labels.")),
    {"q1": {"c1": 2, "c9": 1}, "q2": {'"c2"': 1, "c1": 0}},
)
SPLIT = replace(SMALL, splits={"train": ("q2",), "test": ("q1",)})


@pytest.mark.parametrize("collection", [SMALL, SPLIT, replace(SMALL, queries=(), qrels={})])
def test_what_is_written_is_read_back(tmp_path, collection):
    assert read_back(collection, tmp_path / "new" / "folder") == collection


texts = st.text(min_size=1, max_size=30).filter(lambda text: text.strip())
ids = st.text(min_size=1, max_size=6).filter(
    lambda text: not any(c.isspace() for c in text) and text.isprintable()
)


@given(st.dictionaries(ids, texts, min_size=1, max_size=4), st.dictionaries(ids, texts, max_size=4))
def test_any_text_and_id_is_read_back(tmp_path_factory, cases, queries):
    qrels = {query: {case: i for i, case in enumerate(cases)} for query in queries}
    collection = Collection(
        "any",
        tuple(Case(name, "", text) for name, text in cases.items()),
        tuple(Case(name, text.strip(), text) for name, text in queries.items()),
        qrels,
    )
    assert read_back(collection, tmp_path_factory.mktemp("any")) == collection


def test_a_real_collection_is_read_back(aila, tmp_path):
    assert read_back(aila, tmp_path / "aila") == aila


def test_nothing_but_the_layout_is_written(tmp_path):
    write_beir(SPLIT, tmp_path / "folder")
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]
    names = {str(p.relative_to(tmp_path / "folder")) for p in (tmp_path / "folder").rglob("*.*")}
    assert names == {"corpus.jsonl", "queries.jsonl", "qrels/train.tsv", "qrels/test.tsv"}


def test_text_is_written_as_it_reads(tmp_path):
    write_beir(SMALL, tmp_path / "folder")
    case = replace(SMALL.cases[1], text="“hives”")
    write_beir(replace(SMALL, cases=(case,)), tmp_path / "other")
    assert "“hives”" in (tmp_path / "other" / "corpus.jsonl").read_text(encoding="utf-8")
    assert (tmp_path / "folder" / "qrels" / "test.tsv").read_text().splitlines()[:3] == [
        "query-id\tcorpus-id\tscore",
        "q1\tc1\t2",
        "q1\tc9\t1",
    ]


@pytest.mark.parametrize(
    ("collection", "message"),
    [
        (replace(SMALL, cases=(Case("c 1", "", "x"),)), "the id 'c 1' holds white space"),
        (replace(SMALL, qrels={"q1": {"c\t1": 1}}), "the id 'c\\t1' holds white space"),
        (replace(SPLIT, splits={"../up": ("q1", "q2")}), "'../up' cannot be a file's name"),
        (replace(SPLIT, splits={"..": ("q1", "q2")}), "the split '..' cannot be a file's name"),
        (replace(SPLIT, splits={"test": ("q1",)}), "the labelled query 'q2' is in no split"),
    ],
)
def test_what_could_not_be_read_back_is_refused_and_leaves_nothing(tmp_path, collection, message):
    with pytest.raises(DataError) as caught:
        write_beir(collection, tmp_path / "folder")
    assert message in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_holds_something_is_left_alone(tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    for target in (tmp_path, tmp_path / "mine.txt"):
        with pytest.raises(DataError, match="is there and not empty; choose another place"):
            write_beir(SMALL, target)
    assert (tmp_path / "mine.txt").read_text() == "mine"


def test_an_empty_folder_is_filled(tmp_path):
    assert read_back(SMALL, tmp_path) == SMALL


def test_a_place_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(DataError, match=r"cannot write .*folder: "):
        write_beir(SMALL, tmp_path / "file" / "folder")


@pytest.fixture
def source(tmp_path):
    return write_beir(SPLIT, tmp_path / "source")


def test_import_writes_what_it_read_and_counts_it(parm, source, tmp_path):
    code, out, err = parm("import", source, tmp_path / "new")
    assert (code, out) == (
        0,
        "source: 2 cases, 3 queries, 4 labels, labelled queries by split: test 1, train 1 -> "
        f"{tmp_path / 'new'}\n",
    )
    assert err == (
        "parm: note: labels for cases that the collection lacks, counted as not found: 1 "
        "(test.tsv, line 3: 'q1' 'c9')\n"
    )
    assert replace(load_collection(tmp_path / "new"), name="source") == load_collection(source)


def test_import_takes_any_format(parm, tmp_path):
    files = tmp_path / "files"
    files.mkdir()
    (files / "barge.txt").write_text("The barge sank.")
    code, out, err = parm("import", files, tmp_path / "new", "--format", "text")
    assert (code, out, err) == (
        0,
        f"files: 1 cases, 0 queries, 0 labels -> {tmp_path / 'new'}\n",
        "",
    )
    assert load_collection(tmp_path / "new").cases == (Case("barge", "barge", "The barge sank."),)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("{tmp}/nowhere", "{tmp}/new"), "nowhere is no folder; a collection is one, or an id"),
        (("{source}", "{source}"), "source is there and not empty; choose another place"),
        (("{source}", "{tmp}/new", "--format", "csv"), "unknown format 'csv'; one of regir, beir"),
        (("{source}", "{tmp}/new", "--format", "regir"), '"document_id" is missing'),
        (("mteb/Northmark", "{tmp}/new"), "nor could it be fetched from the hub"),
    ],
)
def test_import_says_what_is_wrong_in_one_line(parm, source, tmp_path, words, message):
    code, out, err = parm("import", *(w.format(tmp=tmp_path, source=source) for w in words))
    assert (code, out) == (2, "")
    assert message in err and err.count("\n") == 1
    assert not (tmp_path / "new").exists()
