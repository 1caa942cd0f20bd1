"""CaseLaw and REG-IR, on small folders in exactly their layout."""

from __future__ import annotations

import gzip
import json
import time

import pytest

from parm_core.collections import load_collection
from parm_core.collections.html_text import html_text
from parm_core.errors import DataError

PAGE = (
    '<pre class="inline">Held, that the barge sank. See Trust v. Weir, </pre>'
    '<span class="citation" data-id="12"><a href="/opinion/12/x/">200 <b>U.S.</b> 321</a></span>'
    '<pre class="inline">, 337.\n\n  Reversed &amp; remanded.</pre>'
)


def write(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")


def refused(folder, message):
    with pytest.raises(DataError) as caught:
        load_collection(folder)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.fixture
def caselaw(tmp_path):
    """CourtListener's numbers as int and str, a text as plain text, HTML and older HTML."""
    root = tmp_path / "airs"
    opinion = {"id": 11, "title": "A v. B", "date_filed": "1999-03-02", "plain_text": "The lamp."}
    write(root / "docs" / "11.json", opinion)
    write(root / "docs" / "12.json", {"id": "12", "plain_text": " ", "html_with_citations": PAGE})
    write(root / "docs" / "13.json", {"plain_text": "", "html": "<p>One.</p><p>Two.</p>"})
    topic = {
        "id": 1,
        "case_id": 11,
        "case_title": "A v. B",
        "plain_text": "",
        "html": "A <i>lamp</i>.",
    }
    write(root / "topic" / "1.json", topic | {"date_filed": "1999-03-02"})
    write(root / "topic" / "2.json", {"id": 2, "plain_text": "A barge."})
    write(root / "qrel.txt", "1 0 11 1\n1 0 12 0\n2 0 12 3\n2 0 13 1\n")
    return root


def test_caselaw_is_read_whole(caselaw):
    read = load_collection(caselaw)
    assert [case.id for case in read.cases] == ["11", "12", "13"]
    first, second, third = read.cases
    assert (first.title, first.date, first.text) == ("A v. B", "1999-03-02", "The lamp.")
    assert second.text == (
        "Held, that the barge sank. See Trust v. Weir, 200 U.S. 321, 337.\n\nReversed & remanded."
    )
    assert third.text == "One.\n\nTwo."
    assert [(query.id, query.text) for query in read.queries] == [
        ("1", "A lamp."),
        ("2", "A barge."),
    ]
    assert read.queries[0].title == "A v. B"
    assert read.qrels == {"1": {"11": 1, "12": 0}, "2": {"12": 3, "13": 1}}
    assert (read.splits, read.notes) == ({}, ())


def test_caselaw_may_lie_a_folder_below(caselaw, tmp_path):
    below = load_collection(tmp_path)
    assert below.cases == load_collection(caselaw).cases
    assert len(below.queries) == 2


def test_files_that_hold_no_opinion_are_left_out_and_noted(caselaw):
    write(caselaw / "clusters" / "7.json", {"case_name": "A v. B"})
    write(caselaw / "docs" / "14.json", "{")
    (caselaw / "docs" / "15.json").write_bytes(b'{"id": 15, "plain_text": "\xff"}')
    write(caselaw / "docs" / "16.json", {"id": 11, "plain_text": "Again."})
    read = load_collection(caselaw)
    assert read.cases[0].text == "The lamp." and len(read.cases) == 3
    assert read.notes[0] == "JSON files that hold no text, left out: 1 (7.json)"
    assert read.notes[1].startswith(
        "files that could not be read, left out: 2 (14.json: not valid JSON"
    )
    assert "15.json is not UTF-8" in read.notes[1]
    assert read.notes[2] == "cases whose id another has, left out: 1 (16.json: '11')"


def test_a_broken_label_of_caselaw_is_named(caselaw):
    write(caselaw / "qrel.txt", "1 0 11 1\n1 0 12\tx y\n")
    refused(
        caselaw, "qrel.txt, line 2: expected query, 0, case, grade or query, case, grade; got 5"
    )


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("plain", "plain"),
        ("a  b\n c", "a b c"),
        ("one<br>two<br/>three", "one\ntwo\nthree"),
        ("<div>one</div><div>two</div>", "one\n\ntwo"),
        ("<ul><li>one<li>two</ul>", "one\ntwo"),
        ("<pre>one\n   two</pre>", "one\ntwo"),
        ("<b>one</b><i>two</i>", "onetwo"),
        ("a<script>if (a < b) alert()</script><style>p {}</style>c", "ac"),
        ("<title>no</title>yes", "yes"),
        ("&sect;&nbsp;51 &#8212; A&amp;B", "§ 51 — A&B"),
        ("an <!-- unseen --> word", "an word"),
        ("<!DOCTYPE html><?xml version='1'?>a<![CDATA[ b ]]>c", "ac"),
        ("all <!-- unclosed", "all"),
        ("<PRE CLASS=inline>a</PRE>b", "ab"),
        ("5 < 6 and <b>unclosed", "5 < 6 and unclosed"),
        ("</pre></div>stray", "stray"),
        ("", ""),
    ],
)
def test_html_is_read_as_it_would_be_seen(page, text):
    assert html_text(page) == text


@pytest.mark.parametrize("text", ["<a ", "<a x='", "<!--", "<![", "</", "<?", "<pre ", "&#", "<"])
def test_hostile_html_is_read_at_once(text):
    """Three hundred thousand unclosed tags: in quadratic time, hours."""
    began = time.perf_counter()
    html_text(text * 300_000)
    assert time.perf_counter() - began < 20


LAWS = [
    {"document_id": "UK1", "publication_year": "1980", "text": "Of barges.\nOf moorings."},
    {"document_id": "UK2", "publication_year": 1999, "text": ["Of bees.", "Of hives."]},
]
DIRECTIVES = {
    "train": [("EU1", ["UK1", "UK2"])],
    "dev": [("EU2", ["UK2"])],
    "test": [("EU3", ["UK1"])],
}


def lines(records):
    return "".join(json.dumps(record) + "\n" for record in records)


def directives(split):
    return [
        {
            "document_id": name,
            "publication_year": "1977",
            "text": f"Text of {name}.",
            "relevant_documents": relevant,
        }
        for name, relevant in DIRECTIVES[split]
    ]


@pytest.fixture
def regir(tmp_path):
    root = tmp_path / "eu2uk"
    write(root / "corpus.jsonl", lines(LAWS))
    for split in DIRECTIVES:
        write(root / f"{split}.jsonl", lines(directives(split)))
    return root


def test_regir_is_read_whole(regir):
    read = load_collection(regir)
    assert [(case.id, case.date, case.text) for case in read.cases] == [
        ("UK1", "1980", "Of barges.\nOf moorings."),
        ("UK2", "1999", "Of bees.\nOf hives."),
    ]
    query = read.queries[0]
    assert (query.id, query.date, query.text) == ("EU1", "1977", "Text of EU1.")
    assert read.splits == {"train": ("EU1",), "dev": ("EU2",), "test": ("EU3",)}
    assert read.qrels == {"EU1": {"UK1": 1, "UK2": 1}, "EU2": {"UK2": 1}, "EU3": {"UK1": 1}}
    assert read.notes == ()


@pytest.mark.parametrize("indent", [None, 1])
def test_regir_reads_the_same_as_an_array_or_gzip(regir, indent):
    plain = load_collection(regir)
    write(regir / "corpus.jsonl", json.dumps(LAWS, indent=indent))
    dev = regir / "dev.jsonl"
    (regir / "dev.jsonl.gz").write_bytes(gzip.compress(dev.read_bytes()))
    dev.unlink()
    assert load_collection(regir) == plain


def test_one_split_of_regir_is_none(regir):
    for split in ("train", "dev"):
        (regir / f"{split}.jsonl").unlink()
    read = load_collection(regir)
    assert (read.splits, list(read.qrels)) == ({}, ["EU3"])


def test_what_is_wrong_in_regir_is_noted(regir):
    write(regir / "corpus.jsonl", lines([*LAWS, LAWS[0], {"document_id": "UK3", "text": ""}]))
    more = {"document_id": "EU4", "text": "x", "relevant_documents": ["UK9", "UK1", "UK1"]}
    write(regir / "dev.jsonl", lines([*directives("dev"), more]))
    read = load_collection(regir)
    assert read.qrels["EU4"] == {"UK9": 1, "UK1": 1}
    assert read.notes == (
        "cases whose id another has, left out: 1 (corpus.jsonl, line 3: 'UK1')",
        "empty cases, left out: 1 (corpus.jsonl, line 4: 'UK3')",
        "labels for cases that the collection lacks, counted as not found: 1 "
        "(dev.jsonl, line 2: 'EU4' 'UK9')",
        "labels given twice: 1 (dev.jsonl, line 2: 'EU4' 'UK1')",
    )


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ({"text": "x"}, 'test.jsonl, line 1: "document_id" is missing or not a string'),
        ({"document_id": "EU4"}, "test.jsonl, line 1: document 'EU4' has no \"text\""),
        ({"document_id": "EU4", "text": [1]}, "test.jsonl, line 1: document 'EU4' has no \"text\""),
        (
            {"document_id": "EU4", "text": "x", "relevant_documents": "UK1"},
            "test.jsonl, line 1: \"relevant_documents\" of 'EU4' is not a list of ids",
        ),
        (
            {"document_id": "EU4", "text": "x", "relevant_documents": []},
            "test.jsonl: it holds no labels",
        ),
    ],
)
def test_a_bad_line_of_regir_is_named(regir, record, message):
    write(regir / "test.jsonl", lines([record]))
    refused(regir, message)


def test_a_bad_item_of_an_array_is_named(regir):
    write(regir / "test.jsonl", "[3]")
    refused(regir, "test.jsonl, item 1: expected a JSON object, got int")
