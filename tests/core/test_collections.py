"""BEIR's layout: what is read, and every bad input named with its file and line."""

from __future__ import annotations

import gzip
import json

import pytest

from parm_core.collections import load_collection
from parm_core.collections.beir import read_cases
from parm_core.errors import DataError

CORPUS = [
    {"_id": "c1", "title": "Mills", "text": "The barge sank.", "date": "1999-03-02"},
    {"_id": "c2", "text": "The bees died.\nThe honey was lost.", "court": "Northmark"},
]
QUERIES = [{"_id": "q1", "text": "A barge."}, {"_id": "q2", "title": "Bees", "text": "The bees."}]
QRELS = "query-id\tcorpus-id\tscore\nq1\tc1\t2\nq2\tc2\t1\nq2\tc1\t0\n"


def lines(records):
    return "".join(json.dumps(record) + "\n" for record in records)


@pytest.fixture
def folder(tmp_path):
    root = tmp_path / "northmark"
    (root / "qrels").mkdir(parents=True)
    (root / "corpus.jsonl").write_text(lines(CORPUS), encoding="utf-8")
    (root / "queries.jsonl").write_text(lines(QUERIES), encoding="utf-8")
    (root / "qrels" / "test.tsv").write_text(QRELS, encoding="utf-8")
    return root


def pack(folder, *names):
    for name in names:
        plain = folder / name
        (folder / f"{name}.gz").write_bytes(gzip.compress(plain.read_bytes()))
        plain.unlink()


def refused(folder, message):
    """The collection is refused with one line that says this."""
    with pytest.raises(DataError) as caught:
        load_collection(folder)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_collection_is_read_whole(folder):
    read = load_collection(folder)
    assert read.name == "northmark"
    first, second = read.cases
    assert (first.id, first.title, first.text) == ("c1", "Mills", "The barge sank.")
    assert (first.date, first.court) == ("1999-03-02", None)
    assert (second.title, second.date, second.court) == ("", None, "Northmark")
    assert second.text == "The bees died.\nThe honey was lost."
    assert second.paragraphs == ()
    assert [query.id for query in read.queries] == ["q1", "q2"]
    assert read.qrels == {"q1": {"c1": 2}, "q2": {"c2": 1, "c1": 0}}


def test_gzip_reads_the_same(folder):
    plain = load_collection(folder)
    pack(folder, "corpus.jsonl", "queries.jsonl")
    assert load_collection(folder) == plain


def test_one_file_may_be_gzip_and_the_other_plain(folder):
    plain = load_collection(folder)
    pack(folder, "queries.jsonl")
    assert load_collection(folder) == plain


def test_queries_and_labels_may_be_missing(folder):
    (folder / "queries.jsonl").unlink()
    (folder / "qrels" / "test.tsv").unlink()
    read = load_collection(folder)
    assert (read.queries, read.qrels) == ((), {})
    assert len(read.cases) == 2


def test_labels_need_no_header_and_join_over_files(folder):
    (folder / "qrels" / "test.tsv").write_text("q1\tc1\t1\n", encoding="utf-8")
    (folder / "qrels" / "train.tsv").write_text(QRELS.partition("\n")[0] + "\nq2\tc2\t3\n")
    assert load_collection(folder).qrels == {"q1": {"c1": 1}, "q2": {"c2": 3}}


def test_blank_lines_between_cases_are_nothing(folder):
    text = (folder / "corpus.jsonl").read_text().replace("\n", "\n\n")
    (folder / "corpus.jsonl").write_text(text)
    assert len(load_collection(folder).cases) == 2


def test_a_blank_last_line_of_labels_is_nothing(folder):
    (folder / "qrels" / "test.tsv").write_text(QRELS + "\n")
    assert load_collection(folder).qrels["q1"] == {"c1": 2}


def test_a_folder_without_a_corpus_says_what_a_collection_is(tmp_path):
    refused(tmp_path, f"no corpus.jsonl or corpus.jsonl.gz in {tmp_path}; a collection is a folder")
    refused(tmp_path / "nowhere", "no corpus.jsonl or corpus.jsonl.gz in")


def test_an_empty_corpus_is_refused(folder):
    (folder / "corpus.jsonl").write_text("\n")
    refused(folder, "the corpus is empty")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"_id": "c3", "text": ', "corpus.jsonl, line 3: not valid JSON"),
        ("[" * 200_000, "corpus.jsonl, line 3: not valid JSON"),
        ('["c3"]', "corpus.jsonl, line 3: expected a JSON object, got list"),
        ('{"text": "x"}', 'corpus.jsonl, line 3: "_id" is missing or not a string'),
        ('{"_id": 3, "text": "x"}', 'corpus.jsonl, line 3: "_id" is missing or not a string'),
        ('{"_id": " ", "text": "x"}', 'corpus.jsonl, line 3: "_id" is missing or not a string'),
        ('{"_id": "c 3", "text": "x"}', "the \"_id\" 'c 3' holds white space"),
        ('{"_id": "c3"}', "corpus.jsonl, line 3: case 'c3' has no \"text\""),
        ('{"_id": "c3", "text": ["x"]}', "corpus.jsonl, line 3: case 'c3' has no \"text\""),
        ('{"_id": "c3", "text": " \\n "}', "corpus.jsonl, line 3: case 'c3' is empty"),
        (
            '{"_id": "c1", "text": "x"}',
            "corpus.jsonl, line 3: the id 'c1' was already used in line 1",
        ),
        pytest.param(
            '{"_id": "c3", "text": "x", "n": ' + "1" * 5000 + "}",
            "corpus.jsonl, line 3: not valid JSON",
            id="a number of 5,000 digits",
        ),
    ],
)
def test_a_bad_line_is_named(folder, line, message):
    (folder / "corpus.jsonl").write_text(lines(CORPUS) + line + "\n")
    refused(folder, message)


def test_a_bad_query_is_named_with_its_file(folder):
    (folder / "queries.jsonl").write_text(lines([QUERIES[0], QUERIES[0]]))
    refused(folder, "queries.jsonl, line 2: the id 'q1' was already used in line 1")


def test_a_bad_line_in_gzip_is_named(folder):
    (folder / "corpus.jsonl").write_text(lines(CORPUS) + "{\n")
    pack(folder, "corpus.jsonl")
    refused(folder, "corpus.jsonl.gz, line 3: not valid JSON")


def test_text_that_is_not_utf_8_is_refused(folder):
    (folder / "corpus.jsonl").write_bytes('{"_id": "c", "text": "Ämter"}'.encode("latin-1"))
    refused(folder, "corpus.jsonl is not UTF-8")


@pytest.mark.parametrize(
    "damage",
    [
        "cut",
        "plain",
        pytest.param("flipped"),
    ],
)
def test_damaged_gzip_is_refused(folder, damage):
    (folder / "corpus.jsonl").write_text(
        "".join(f'{{"_id": "c{n}", "text": "{n * 7919 % 1000} posts"}}\n' for n in range(500))
    )
    pack(folder, "corpus.jsonl")
    path = folder / "corpus.jsonl.gz"
    whole = path.read_bytes()
    middle = len(whole) // 2
    turned = bytes(byte ^ 255 for byte in whole[middle : middle + 30])
    path.write_bytes(
        {
            "cut": whole[:middle],
            "plain": b"{}",
            "flipped": whole[:middle] + turned + whole[middle + 30 :],
        }[damage]
    )
    refused(folder, "corpus.jsonl.gz")


@pytest.mark.parametrize(
    ("label", "message"),
    [
        ("q1\tc1", "test.tsv, line 2: expected query id, case id and a whole number"),
        ("q1 c1 1", "test.tsv, line 2: expected query id, case id and a whole number"),
        ("q1\tc1\tyes", "test.tsv, line 2: expected query id, case id and a whole number"),
        ("q1\tc1\t1.5", "test.tsv, line 2: expected query id, case id and a whole number"),
        ("q9\tc1\t1", "test.tsv, line 2: no query has the id 'q9'"),
        ("q1\tc9\t1", "test.tsv, line 2: no case has the id 'c9'"),
        pytest.param(
            "q1\tc1\t" + "1" * 200_000,
            "test.tsv",
            id="a long field",
        ),
    ],
)
def test_a_bad_label_is_named(folder, label, message):
    header = QRELS.partition("\n")[0]
    (folder / "qrels" / "test.tsv").write_text(f"{header}\n{label}\n")
    refused(folder, message)


def test_labels_that_are_not_utf_8_are_refused(folder):
    (folder / "qrels" / "test.tsv").write_bytes(b"q1\tc\xff\t1\n")
    refused(folder, "test.tsv is not UTF-8")


def test_query_cases_alone_are_read_plain_and_gzip(folder):
    plain = read_cases(folder / "queries.jsonl")
    assert [case.title for case in plain] == ["", "Bees"]
    pack(folder, "queries.jsonl")
    assert read_cases(folder / "queries.jsonl.gz") == plain
    with pytest.raises(DataError, match=r"no file .*queries\.jsonl"):
        read_cases(folder / "queries.jsonl")
