"""MTEB's layouts, JSONL and Parquet, and collections fetched from a hub."""

from __future__ import annotations

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from huggingface_hub import constants

from parm_core.collections import load_collection
from parm_core.collections.hub import is_hub_id
from parm_core.errors import DataError

CASES = [("c1", "Mills", "The barge sank."), ("c2", "", "The bees died.")]
QUERIES = [("q1", "A barge."), ("q2", "The bees.")]
LABELS = [("q1", "c1", 1.0), ("q2", "c2", 2.0), ("q2", "c1", 0.0)]
QRELS = {"q1": {"c1": 1}, "q2": {"c2": 2, "c1": 0}}


def lines(names, rows):
    records = (dict(zip(names, row, strict=True)) for row in rows)
    return "".join(json.dumps(record) + "\n" for record in records)


def write_jsonl(root, id_name="_id"):
    (root / "qrels").mkdir(parents=True)
    (root / "corpus.jsonl").write_text(lines([id_name, "title", "text"], CASES))
    (root / "queries.jsonl").write_text(lines([id_name, "text"], QUERIES))
    (root / "qrels" / "test.jsonl").write_text(lines(["query-id", "corpus-id", "score"], LABELS))
    return root


def table(path, **columns):
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table(columns), path)


def labels(path, rows):
    queries, cases, scores = zip(*rows, strict=True)
    table(path, **{"query-id": queries, "corpus-id": cases, "score": scores})


@pytest.fixture
def folder(tmp_path):
    """Parquet files as the hub holds them, the corpus in two parts."""
    root = tmp_path / "northmark"
    for part, (case, title, text) in enumerate(CASES):
        name = f"corpus-0000{part}-of-00002.parquet"
        table(root / "corpus" / name, _id=[case], title=[title], text=[text])
    ids, texts = zip(*QUERIES, strict=True)
    table(root / "queries" / "queries-00000-of-00001.parquet", _id=ids, text=texts)
    labels(root / "data" / "test-00000-of-00001.parquet", LABELS)
    return root


def refused(folder, message, **options):
    with pytest.raises(DataError) as caught:
        load_collection(folder, **options)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def whole(read):
    assert [(case.id, case.title, case.text) for case in read.cases] == CASES
    assert [(query.id, query.text) for query in read.queries] == QUERIES
    assert read.qrels == QRELS
    assert (read.splits, read.notes) == ({}, ())


@pytest.mark.parametrize("id_name", ["_id", "id"])
def test_labels_in_jsonl_are_read(tmp_path, id_name):
    whole(load_collection(write_jsonl(tmp_path / "northmark", id_name)))


def test_of_a_split_in_two_formats_one_is_read(tmp_path):
    root = write_jsonl(tmp_path / "northmark")
    (root / "qrels" / "test.tsv").write_text("q1\tc1\t1\n")
    read = load_collection(root)
    assert read.qrels == {"q1": {"c1": 1}}
    assert read.notes == (
        "qrels files of a split that another file holds, left out: 1 (test.jsonl)",
    )


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"query-id": "q1", "score": 1}', 'test.jsonl, line 1: "query-id" or "corpus-id" is mi'),
        ('{"query-id": "q1", "corpus-id": "c1", "score": 0.5}', "test.jsonl, line 1: expected"),
        ('{"query-id": "q1", "corpus-id": "c1", "score": NaN}', "test.jsonl, line 1: expected"),
        ('{"query-id": "q1", "corpus-id": "c1", "score": true}', "test.jsonl, line 1: expected"),
        ('{"query-id": "q1", "corpus-id": "c1"}', "test.jsonl, line 1: expected query id, case"),
    ],
)
def test_a_bad_label_in_jsonl_is_named(tmp_path, line, message):
    root = write_jsonl(tmp_path / "northmark")
    (root / "qrels" / "test.jsonl").write_text(line + "\n")
    refused(root, message)


def test_parquet_is_read_whole(folder):
    read = load_collection(folder)
    assert read.name == "northmark"
    whole(read)


@pytest.mark.parametrize("place", ["qrels", "default"])
def test_labels_in_parquet_may_lie_elsewhere(folder, place):
    (folder / "data").rename(folder / place)
    whole(load_collection(folder))


def test_parquet_files_of_another_name_are_a_split_and_parts_are_not(folder):
    for part, row in enumerate(LABELS[1:]):
        labels(folder / "data" / f"train-0000{part}-of-00002.parquet", [row])
    labels(folder / "data" / "test-00000-of-00001.parquet", LABELS[:1])
    read = load_collection(folder)
    assert read.splits == {"test": ("q1",), "train": ("q2",)}
    assert read.qrels == QRELS


def test_an_empty_case_and_an_id_that_comes_twice_are_left_out_and_noted(folder):
    table(folder / "corpus" / "more.parquet", id=["c1", "c3"], text=["Other.", " "])
    read = load_collection(folder)
    assert [case.text for case in read.cases] == [text for _, _, text in CASES]
    assert read.notes == (
        "cases whose id another has, left out: 1 (more.parquet, row 1: 'c1')",
        "empty cases, left out: 1 (more.parquet, row 2: 'c3')",
    )


def test_bad_parquet_is_named(folder):
    table(folder / "queries" / "more.parquet", name=["q3"], text=["x"])
    refused(folder, "more.parquet: no column '_id' or 'id'; it has ['name', 'text']")
    (folder / "queries" / "more.parquet").write_bytes(b"PAR1 is not what this is")
    refused(folder, "more.parquet could not be read as Parquet")


def test_a_bad_label_in_parquet_is_named(folder):
    labels(folder / "data" / "train.parquet", [("q1", "c1", 0.5)])
    refused(folder, "train.parquet, row 1: expected a whole number as score, got 0.5")


def test_an_id_with_white_space_in_parquet_is_refused(folder):
    table(folder / "corpus" / "more.parquet", _id=["c 3"], text=["x"])
    refused(folder, "more.parquet, row 1: the id 'c 3' holds white space")


@pytest.fixture
def hub_cache(tmp_path, monkeypatch):
    """Where huggingface_hub keeps what it fetched; empty."""
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    return tmp_path / "hub"


def test_a_collection_fetched_before_is_read_from_the_hub_s_cache(hub_cache):
    place = hub_cache / "datasets--mteb--Northmark"
    write_jsonl(place / "snapshots" / "abc123")
    (place / "refs").mkdir()
    (place / "refs" / "main").write_text("abc123")
    read = load_collection("mteb/Northmark")
    assert read.name == "Northmark"
    whole(read)


def test_without_leave_to_fetch_the_message_says_how(hub_cache):
    refused("mteb/Northmark", "'mteb/Northmark' is neither a folder here nor a collection fetched")
    refused("mteb/Northmark", "fetch it while online (parm import mteb/Northmark FOLDER)")
    assert not hub_cache.exists()


def test_offline_the_message_says_so(hub_cache):
    """Really offline: no test may open a connection."""
    message = "'mteb/Northmark' is neither a folder here nor could it be fetched from the hub: "
    refused("mteb/Northmark", message, download=True)


@pytest.mark.parametrize(
    "source", ["a", "a/b/c", "/a/b", "../b", "./b", "a/..", "a b/c", "~/b", ""]
)
def test_paths_are_no_hub_ids(source):
    assert not is_hub_id(source)
