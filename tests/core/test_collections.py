"""BEIR's layout: what is read, and every bad input named with its file and line."""

from __future__ import annotations

import gzip
import json

import pytest

from parm_core.collections import load_collection, sources
from parm_core.collections.beir import read_cases
from parm_core.errors import ConfigError, DataError

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
    refused(tmp_path, f"no collection in {tmp_path}: no corpus.jsonl or corpus.jsonl.gz, nor")
    refused(tmp_path, "looked for: corpus.jsonl with document_id (regir); corpus.jsonl (beir); ")
    refused(tmp_path / "nowhere", "nowhere is no folder; a collection is one, or an id such as")
    (tmp_path / "file").write_text("x")
    refused(tmp_path / "file", "file is no folder")


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
        ('{"_id": "c 3", "text": "x"}', "corpus.jsonl, line 3: the id 'c 3' holds white space"),
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
        ("q1\tc1\t3000000000", "test.tsv, line 2: expected query id, case id and a whole number"),
        ("q1\tc1\t1\nq1\tc1\t2", "test.tsv, line 3: 'q1' and 'c1' already have another grade, 1"),
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


def label(folder, *rows, file="test.tsv"):
    header = QRELS.partition("\n")[0]
    text = "\n".join([header, *("\t".join(row.split()) for row in rows)])
    (folder / "qrels" / file).write_text(text + "\n")


def test_labels_of_an_unknown_query_are_left_out_counted_and_named(folder):
    label(folder, "q9 c1 1", "q1 c1 1", "q8 c1 1", "q7 c1 1", "q6 c1 1", "q9 c2 1")
    read = load_collection(folder)
    assert read.qrels == {"q1": {"c1": 1}}
    assert read.notes == (
        "labels for queries that the collection lacks, left out: 5 (test.tsv, line 2: 'q9'; "
        "test.tsv, line 4: 'q8'; test.tsv, line 5: 'q7'; and 2 more)",
    )


def test_labels_of_an_unknown_case_stay_and_are_named(folder):
    label(folder, "q1 c9 2", "q1 c1 1")
    read = load_collection(folder)
    assert read.qrels == {"q1": {"c9": 2, "c1": 1}}
    assert read.notes == (
        "labels for cases that the collection lacks, counted as not found: 1 "
        "(test.tsv, line 2: 'q1' 'c9')",
    )


def test_a_label_given_twice_counts_once_and_is_named(folder):
    label(folder, "q1 c1 1", "q1 c1 1")
    read = load_collection(folder)
    assert read.qrels == {"q1": {"c1": 1}}
    assert read.notes == ("labels given twice: 1 (test.tsv, line 3: 'q1' 'c1')",)


def test_a_clean_collection_has_no_notes_and_one_labels_file_is_no_split(folder):
    read = load_collection(folder)
    assert (read.notes, read.splits) == ((), {})


def test_each_of_several_labels_files_is_a_split(folder):
    label(folder, "q1 c1 1")
    label(folder, "q2 c2 1", "q1 c2 1", "q2 c1 1", file="train.tsv")
    read = load_collection(folder)
    assert read.splits == {"test": ("q1",), "train": ("q2", "q1")}
    assert read.qrels == {"q1": {"c1": 1, "c2": 1}, "q2": {"c2": 1, "c1": 1}}


def test_a_split_without_a_known_query_is_none(folder):
    label(folder, "q1 c1 1")
    label(folder, "q9 c2 1", file="train.tsv")
    assert load_collection(folder).splits == {}


@pytest.mark.parametrize("text", ["", "\n\n", "query-id\tcorpus-id\tscore\n"])
def test_a_labels_file_without_labels_is_refused(folder, text):
    (folder / "qrels" / "train.tsv").write_text(text)
    refused(folder, "train.tsv: it holds no labels; fill or remove it")


def test_a_grade_may_be_written_as_a_decimal(folder):
    label(folder, "q1 c1 1.0", "q1 c2 -2")
    assert load_collection(folder).qrels == {"q1": {"c1": 1, "c2": -2}}


def test_the_mark_that_some_editors_put_before_utf_8_is_no_text(folder):
    plain = load_collection(folder)
    for name in ("corpus.jsonl", "qrels/test.tsv"):
        path = folder / name
        path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert load_collection(folder) == plain


def test_a_line_without_end_is_refused_unread(folder, monkeypatch):
    monkeypatch.setattr(sources, "LONGEST", 1000)
    (folder / "corpus.jsonl").write_text(lines(CORPUS) + " " * 2000 + "\n")
    refused(folder, "corpus.jsonl, line 3: longer than 1000 characters")


def test_a_format_may_be_named(folder):
    assert load_collection(folder, format="beir") == load_collection(folder)
    with pytest.raises(ConfigError, match="unknown format 'trec'; one of regir, beir, parquet"):
        load_collection(folder, format="trec")
    with pytest.raises(DataError, match=r"no corpus\.jsonl or corpus\.jsonl\.gz in"):
        load_collection(folder / "qrels", format="beir")


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
