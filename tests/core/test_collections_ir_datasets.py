"""Collections by their ir_datasets id."""

from __future__ import annotations

import sys
from typing import NamedTuple

import pytest

from parm_core.collections import ir_datasets_ids, load_collection
from parm_core.errors import DataError


class Document(NamedTuple):
    doc_id: str
    title: str
    body: str

    def default_text(self):
        return f"{self.title} {self.body}"


class Query(NamedTuple):
    query_id: str
    text: str


class Judgement(NamedTuple):
    query_id: str
    doc_id: str
    relevance: int
    iteration: str = "0"


class Dataset:
    """What ir_datasets gives, as far as it is used."""

    def docs_iter(self):
        yield from (Document("c1", "Mills", "The barge sank."), Document("c2", "", "Bees."))
        yield from (Document("c1", "Again", "."), Document("c3", " ", " "))

    def queries_iter(self):
        yield from (Query("q1", "A barge."), Query("q2", "Bees."))

    def qrels_iter(self):
        yield from (Judgement("q1", "c1", 2), Judgement("q1", "c9", 1), Judgement("q9", "c1", 1))


class Documents:
    """A data set without queries or judgements."""

    docs_iter = Dataset.docs_iter


def test_a_data_set_becomes_a_collection():
    read = ir_datasets_ids.from_dataset(Dataset(), "northmark/2017")
    assert read.name == "northmark-2017"
    assert [(case.id, case.title, case.text) for case in read.cases] == [
        ("c1", "Mills", "Mills The barge sank."),
        ("c2", "", " Bees."),
    ]
    assert [(query.id, query.text) for query in read.queries] == [
        ("q1", "A barge."),
        ("q2", "Bees."),
    ]
    assert read.qrels == {"q1": {"c1": 2, "c9": 1}}
    assert read.notes == (
        "cases whose id another has, left out: 1 (doc_id: 'c1')",
        "empty cases, left out: 1 (doc_id: 'c3')",
        "labels for cases that the collection lacks, counted as not found: 1 (label 2: 'q1' 'c9')",
        "labels for queries that the collection lacks, left out: 1 (label 3: 'q9')",
    )


def test_a_data_set_may_have_no_labels():
    read = ir_datasets_ids.from_dataset(Documents(), "northmark")
    assert (len(read.cases), read.queries, read.qrels) == (2, (), {})


def refused(message, source="ir_datasets:nowhere", **options):
    with pytest.raises(DataError) as caught:
        load_collection(source, **options)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_nothing_is_fetched_without_leave():
    refused("ir_datasets:nowhere may have to be fetched; do so while online (parm import ir_data")


def test_without_the_extra_the_message_names_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "ir_datasets", None)
    monkeypatch.setattr(ir_datasets_ids, "find_spec", lambda name: None)
    refused("ir_datasets:nowhere needs ir_datasets: pip install 'parm-expl", download=True)


@pytest.fixture
def real(tmp_path, monkeypatch):
    """The real ir_datasets, keeping what it fetches in a folder of the test's."""
    monkeypatch.setenv("IR_DATASETS_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("IR_DATASETS_TMP", str(tmp_path / "tmp"))
    return pytest.importorskip("ir_datasets")


def test_the_real_ir_datasets_is_read(real, tmp_path):
    texts = {
        "docs.tsv": "c1\tThe barge sank.\nc2\tThe bees died.\n",
        "queries.tsv": "q1\tA barge.\n",
        "qrels.txt": "q1 0 c1 1\nq1 0 c2 0\n",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    made = real.create_dataset(
        docs_tsv=str(tmp_path / "docs.tsv"),
        queries_tsv=str(tmp_path / "queries.tsv"),
        qrels_trec=str(tmp_path / "qrels.txt"),
    )
    if "parm-test" not in real.registry:
        real.registry.register("parm-test", made)
    read = load_collection("ir_datasets:parm-test", download=True)
    assert [(case.id, case.text) for case in read.cases] == [
        ("c1", "The barge sank."),
        ("c2", "The bees died."),
    ]
    assert [(query.id, query.text) for query in read.queries] == [("q1", "A barge.")]
    assert read.qrels == {"q1": {"c1": 1, "c2": 0}}


def test_an_id_that_ir_datasets_does_not_know_is_named(real):
    refused("ir_datasets knows no 'nowhere'; see ir-datasets.com", download=True)


def test_offline_the_message_says_what_failed(real):
    refused("ir_datasets:vaswani could not be read: ", "ir_datasets:vaswani", download=True)
