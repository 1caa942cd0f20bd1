"""COLIEE's two case law tasks, on small folders in exactly their layout."""

from __future__ import annotations

import json

import pytest

from parm_core.collections import load_collection
from parm_core.errors import DataError
from parm_core.segmentation import segment

RETRIEVAL = {
    "000001.txt": "Mills v Harbour Trust\n\n[1] <FRAGMENT_SUPPRESSED> The barge sank.\n",
    "000002.txt": "Reed v Orchard Farms\n\n[1] The bees died.\n",
    "000003.txt": "Ashby v Theatre Royal\n\n[1] The lamp fell.\n",
}
ENTAILMENT = {
    "001": (
        "The trust owed a duty.",
        {"001": "[1] A duty is owed.", "013": "[13] Dues\nare owed."},
    ),
    "002": ("The bees were lost.", {"001": "[1] The lamp fell."}),
}


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text if isinstance(text, str) else json.dumps(text), encoding="utf-8")


def refused(folder, message):
    with pytest.raises(DataError) as caught:
        load_collection(folder)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.fixture
def task1(tmp_path):
    root = tmp_path / "coliee"
    for name, text in RETRIEVAL.items():
        write(root / "task1_train_files_2021" / name, text)
    write(root / "task1_train_labels_2021.json", {"000001.txt": ["000002.txt", "000003.txt"]})
    return root


@pytest.fixture
def task2(tmp_path):
    root = tmp_path / "coliee"
    for query, (fragment, paragraphs) in ENTAILMENT.items():
        own = root / "task2_train_files_2021" / query
        write(own / "base_case.txt", "The whole of the decision.")
        write(own / "entailed_fragment.txt", fragment)
        for name, text in paragraphs.items():
            write(own / "paragraphs" / f"{name}.txt", text)
    write(root / "task2_train_labels_2021.json", {"001": ["013.txt"], "002": ["001.txt"]})
    return root


def test_task_1_is_read_whole_and_raw(task1):
    read = load_collection(task1)
    assert read.name == "coliee"
    assert {f"{case.id}.txt": case.text for case in read.cases} == RETRIEVAL
    assert [case.title for case in read.cases] == ["000001", "000002", "000003"]
    assert read.queries == read.cases[:1]
    assert read.qrels == {"000001": {"000002": 1, "000003": 1}}
    assert (read.splits, read.notes) == ({}, ())


def test_task_1_is_read_from_the_folder_of_its_files_too(task1):
    whole = load_collection(task1)
    read = load_collection(task1 / "task1_train_files_2021")
    assert (read.cases, read.queries, read.qrels) == (whole.cases, whole.queries, whole.qrels)


def test_labels_lie_beside_the_files_and_need_no_ending(task1):
    (task1 / "task1_train_labels_2021.json").unlink()
    files = task1 / "task1_train_files_2021"
    write(files / "labels.json", {"000003": ["000001"]})
    read = load_collection(files)
    assert read.qrels == {"000003": {"000001": 1}}
    assert [query.id for query in read.queries] == ["000003"]


def test_train_and_test_labels_are_splits(task1):
    write(task1 / "task1_test_files_2021" / "000004.txt", "[1] The lease is forfeit.")
    write(task1 / "task1_test_labels_2021.json", {"000004.txt": ["000002.txt"]})
    read = load_collection(task1)
    assert read.splits == {"test": ("000004",), "train": ("000001",)}
    assert len(read.cases) == 4


def test_the_labels_above_a_folder_are_those_of_its_name(task1):
    """The other year's name the same files."""
    write(task1 / "task1_train_labels_2020.json", {"000002.txt": ["000001.txt"]})
    read = load_collection(task1 / "task1_train_files_2021")
    assert list(read.qrels) == ["000001"]


def test_label_files_that_name_none_of_the_queries_are_left_out_and_noted(task1):
    write(task1 / "task2_train_labels_2021.json", {"001": ["013.txt"]})
    read = load_collection(task1)
    assert read.splits == {}
    assert read.notes == (
        "label files that name no query of this folder, left out: 1 (task2_train_labels_2021.json)",
    )


def test_two_label_files_of_one_split_keep_their_names(task1):
    write(task1 / "task1_train_labels_more.json", {"000002.txt": ["000001.txt"]})
    assert load_collection(task1).splits == {
        "task1_train_labels_2021": ("000001",),
        "task1_train_labels_more": ("000002",),
    }


def test_a_list_names_queries_without_labels(task1):
    write(task1 / "task1_test_no_labels_2021.json", ["000003.txt"])
    read = load_collection(task1)
    assert [query.id for query in read.queries] == ["000003", "000001"]
    assert read.qrels == {"000001": {"000002": 1, "000003": 1}}


def test_an_empty_case_is_left_out_noted_and_counts_as_not_found(task1):
    write(task1 / "task1_train_files_2021" / "000002.txt", " \n")
    read = load_collection(task1)
    assert [case.id for case in read.cases] == ["000001", "000003"]
    assert read.qrels == {"000001": {"000002": 1, "000003": 1}}
    assert read.notes == (
        "empty cases, left out: 1 (000002.txt: '000002')",
        "labels for cases that the collection lacks, counted as not found: 1 "
        "(task1_train_labels_2021.json: '000001' '000002')",
    )


def test_a_query_that_is_missing_or_empty_is_left_out_and_noted(task1):
    labels = {"000002.txt": ["000003.txt"], "000001.txt": ["000003.txt"], "000009": ["000003"]}
    write(task1 / "task1_train_labels_2021.json", labels)
    write(task1 / "task1_train_files_2021" / "000001.txt", "")
    read = load_collection(task1)
    assert read.qrels == {"000002": {"000003": 1}}
    assert read.notes == (
        "empty cases, left out: 1 (000001.txt: '000001')",
        "labels for queries that the collection lacks, left out: 2 "
        "(task1_train_labels_2021.json: '000001'; task1_train_labels_2021.json: '000009')",
    )


def test_a_file_in_another_encoding_is_left_out_and_noted(task1):
    (task1 / "task1_train_files_2021" / "000003.txt").write_bytes("Ämter".encode("latin-1"))
    read = load_collection(task1)
    assert [case.id for case in read.cases] == ["000001", "000002"]
    assert read.notes[0].startswith(
        "files that could not be read, left out: 1 (000003.txt: '000003': the file is neither UTF-8"
    )


def test_where_no_case_is_left_the_notes_say_why(task1):
    for path in (task1 / "task1_train_files_2021").iterdir():
        path.write_text("")
    refused(task1, "there is no case to read in it; empty cases, left out: 3 (000001.txt")


def test_a_query_named_twice_in_the_labels_keeps_both_lists(task1):
    text = '{"000001.txt": ["000002.txt"], "000001.txt": ["000002.txt", "000003.txt"]}'
    write(task1 / "task1_train_labels_2021.json", text)
    read = load_collection(task1)
    assert read.qrels == {"000001": {"000002": 1, "000003": 1}}
    assert read.notes == (
        "labels given twice: 1 (task1_train_labels_2021.json: '000001' '000002')",
    )


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ("{", "labels_2021.json: not valid JSON"),
        ("3", 'labels_2021.json: expected {"query.txt": ["case.txt", …]}'),
        ("[3]", 'labels_2021.json: expected {"query.txt": ["case.txt", …]}'),
        ('{"000001.txt": 3}', "labels_2021.json: the labels of '000001.txt' are not a list of"),
        ('{"000001.txt": [["x"]]}', "labels_2021.json: the labels of '000001.txt' are not a li"),
        ('{" ": ["x"]}', "labels_2021.json: the labels of ' ' are not a list of file names"),
        ("{}", "labels_2021.json: it holds no labels"),
        ('{"000001.txt": []}', "labels_2021.json: it holds no labels"),
    ],
)
def test_bad_labels_are_named(task1, labels, message):
    write(task1 / "task1_train_labels_2021.json", labels)
    refused(task1, message)


def test_labels_in_another_encoding_are_refused(task1):
    (task1 / "task1_train_labels_2021.json").write_bytes(b'{"\xff": []}')
    refused(task1, "task1_train_labels_2021.json is not UTF-8")


def test_task_2_gives_a_case_a_candidate_paragraph(task2):
    read = load_collection(task2)
    assert [(case.id, case.text) for case in read.cases] == [
        ("001_001", "[1] A duty is owed."),
        ("001_013", "[13] Dues are owed."),
        ("002_001", "[1] The lamp fell."),
    ]
    assert read.cases[1].title == "Paragraph 013, candidate for 001"
    assert [(query.id, query.text) for query in read.queries] == [
        ("001", "The trust owed a duty."),
        ("002", "The bees were lost."),
    ]
    assert read.qrels == {"001": {"001_013": 1}, "002": {"002_001": 1}}
    assert (read.splits, read.notes) == ({}, ())


def test_task_2_is_read_from_the_folder_of_its_queries_too(task2):
    whole = load_collection(task2)
    read = load_collection(task2 / "task2_train_files_2021")
    assert (read.cases, read.queries, read.qrels) == (whole.cases, whole.queries, whole.qrels)


@pytest.mark.parametrize("labels", [{"001": ["013"]}, {"001": "013.txt"}, {"001": "013.txt, 001"}])
def test_task_2_s_labels_need_no_ending_and_may_be_one_string(task2, labels):
    write(task2 / "task2_train_labels_2021.json", labels)
    assert load_collection(task2).qrels["001"]["001_013"] == 1


def test_a_missing_fragment_leaves_its_labels_out_and_its_paragraphs_in(task2):
    write(task2 / "task2_train_files_2021" / "001" / "entailed_fragment.txt", "")
    read = load_collection(task2)
    assert len(read.cases) == 3
    assert read.qrels == {"002": {"002_001": 1}}
    assert read.notes == (
        "empty cases, left out: 1 (entailed_fragment.txt: '001')",
        "labels for queries that the collection lacks, left out: 1 "
        "(task2_train_labels_2021.json: '001')",
    )


def test_a_folder_without_a_fragment_is_noted_and_its_paragraphs_are_in(task2):
    (task2 / "task2_train_files_2021" / "001" / "entailed_fragment.txt").unlink()
    read = load_collection(task2)
    assert len(read.cases) == 3 and [query.id for query in read.queries] == ["002"]
    assert read.notes[0] == (
        "files that could not be read, left out: 1 "
        "(entailed_fragment.txt: '001': No such file or directory)"
    )


def test_task_2_s_candidates_are_of_one_paragraph(task2):
    for case in load_collection(task2).cases:
        assert len(segment(case.text).paragraphs) == 1
