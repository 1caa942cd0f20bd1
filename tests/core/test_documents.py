"""Files of cases: each kind is read, and what is none, damaged or hostile is told in a sentence."""

from __future__ import annotations

import zipfile
from io import BytesIO

import pytest
from docx import Document
from pypdf import PdfWriter

from parm_core import documents
from parm_core.documents import read_document
from parm_core.errors import DataError

LINES = ("1. The mill was let to a tanner.", "2. Leave to appeal is granted.")


def pdf(*lines):
    """A PDF of one page, written out by hand."""
    shown = " 0 -20 Td ".join(f"({line}) Tj" for line in lines)
    content = f"BT /F1 12 Tf 50 700 Td {shown} ET".encode()
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R"
        b"/Resources<</Font<</F1 5 0 R>>>>>>",
        b"<</Length %d>>stream\n%s\nendstream" % (len(content), content),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    made, places = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(made))
        made += b"%d 0 obj%s endobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    trailer = b"trailer<</Root 1 0 R/Size 6>>\nstartxref\n%d\n%%%%EOF" % len(made)
    return made + b"xref\n0 6\n0000000000 65535 f \n" + table + trailer


def word(*lines, table=()):
    document, held = Document(), BytesIO()
    for line in lines:
        document.add_paragraph(line)
    if table:
        cells = document.add_table(1, len(table)).rows[0].cells
        for cell, text in zip(cells, table, strict=True):
            cell.text = text
    document.save(held)
    return held.getvalue()


def test_plain_text_is_itself():
    assert read_document("Die Mühle — 蜂\n".encode()) == "Die Mühle — 蜂\n"


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_byte_order_mark_tells_the_encoding(encoding):
    assert read_document("Die Mühle".encode(encoding)) == "Die Mühle"


def test_a_pdf_is_read_line_by_line():
    assert read_document(pdf(*LINES)).split("\n")[:2] == list(LINES)


def test_a_word_file_is_read_with_its_tables_in_their_place():
    read = read_document(word(*LINES, table=("rent", "ten pounds")))
    assert read.rstrip("\n").split("\n") == [*LINES, "rent\tten pounds"]


@pytest.mark.parametrize(
    "data", [b"\x80\x81 no text", "Die Mühle".encode("latin-1"), b"\x89PNG\r\n\x1a\n\xff"]
)
def test_another_kind_of_file_is_told(data):
    with pytest.raises(DataError, match=r"neither UTF-8 text, nor PDF, nor Word"):
        read_document(data)


@pytest.mark.parametrize(
    "data", [b"%PDF-1.7\nnothing of the kind", b"PK\x03\x04 not a zip", word("x")[:900]]
)
def test_a_damaged_file_is_told(data):
    with pytest.raises(DataError, match="damaged or locked by a password; paste its text"):
        read_document(data)


def test_a_locked_pdf_is_told():
    writer, held = PdfWriter(), BytesIO()
    writer.add_blank_page(100, 100)
    writer.encrypt("secret", algorithm="RC4-128")
    writer.write(held)
    with pytest.raises(DataError, match="locked by a password"):
        read_document(held.getvalue())


def test_a_scan_is_told():
    writer, held = PdfWriter(), BytesIO()
    writer.add_blank_page(100, 100)
    writer.write(held)
    with pytest.raises(DataError, match="holds no text, as a scan does"):
        read_document(held.getvalue())


def test_a_file_that_swells_without_end_is_stopped():
    """1.3 GB of white space in little more than a megabyte: the process that reads may not take so much."""
    held = BytesIO()
    with (
        zipfile.ZipFile(BytesIO(word("x"))) as old,
        zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as new,
    ):
        for name in old.namelist():
            with new.open(name, "w") as member:
                if name != "word/document.xml":
                    member.write(old.read(name))
                    continue
                for _ in range(20):
                    member.write(b" " * (1 << 26))
    with pytest.raises(DataError, match="damaged or locked"):
        read_document(held.getvalue())


def test_a_file_that_takes_too_long_is_stopped(monkeypatch):
    monkeypatch.setattr(documents, "SECONDS", 0.01)
    with pytest.raises(DataError, match="took longer than"):
        read_document(pdf(*LINES))


def test_no_more_text_comes_back_than_can_be_searched_with():
    read = read_document(word("w" * 1_500_000, "x" * 1_500_000))
    assert read.count("w") == 1_500_000 and read.count("x") == 500_000
