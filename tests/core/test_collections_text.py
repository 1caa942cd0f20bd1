"""A folder of text files."""

from __future__ import annotations

import io

import pytest
from docx import Document

from parm_core.collections import load_collection, text_files
from parm_core.errors import DataError


def word(text):
    document, file = Document(), io.BytesIO()
    document.add_paragraph(text)
    document.save(file)
    return file.getvalue()


@pytest.fixture
def folder(tmp_path):
    root = tmp_path / "northmark"
    root.mkdir()
    (root / "Mills v Harbour Trust.txt").write_text("The barge sank.\n")
    (root / "bees.MD").write_text("The bees died.\n")
    return root


def test_every_text_file_is_a_case(folder):
    read = load_collection(folder)
    assert read.name == "northmark"
    assert [(case.id, case.title, case.text) for case in read.cases] == [
        ("Mills-v-Harbour-Trust", "Mills v Harbour Trust", "The barge sank.\n"),
        ("bees", "bees", "The bees died.\n"),
    ]
    assert (read.queries, read.qrels, read.splits, read.notes) == ((), {}, {}, ())


def test_word_is_read_too(folder):
    (folder / "lamp.docx").write_bytes(word("The lamp fell."))
    assert load_collection(folder).cases[-1].text.strip() == "The lamp fell."


def test_other_hidden_and_explaining_files_are_no_cases(folder):
    plain = load_collection(folder)
    for name in (".hidden.txt", "README.md", "LICENSE.txt", "table.csv"):
        (folder / name).write_text("x")
    (folder / "a folder.txt").mkdir()
    assert load_collection(folder) == plain


def test_what_cannot_be_read_is_left_out_and_named(folder, monkeypatch):
    monkeypatch.setattr(text_files, "LONGEST", 1000)
    (folder / "empty.txt").write_text("\n")
    (folder / "bees.txt").write_text("Other bees.")
    (folder / "old.txt").write_bytes("Ämter".encode("latin-1"))
    (folder / "long.txt").write_text("x" * 1001)
    read = load_collection(folder)
    assert {case.text for case in read.cases} == {"The barge sank.\n", "The bees died.\n"}
    assert read.notes == (
        "cases whose id another has, left out: 1 (bees.txt: 'bees')",
        "empty cases, left out: 1 (empty.txt: 'empty')",
        "files that could not be read, left out: 2 (long.txt: 'long': longer than 1000 bytes; "
        "old.txt: 'old': the file is neither UTF-8 text, nor PDF, nor Word (.docx); "
        "save it as one of these)",
    )


def test_a_collection_is_never_without_cases(tmp_path):
    (tmp_path / "old.txt").write_bytes(b"\xff")
    with pytest.raises(DataError, match=r"no case to read in it; files that could .*'old'"):
        load_collection(tmp_path)


def test_a_folder_of_explanations_alone_is_no_collection(tmp_path):
    (tmp_path / "README.md").write_text("x")
    with pytest.raises(DataError, match="no collection in"):
        load_collection(tmp_path)
