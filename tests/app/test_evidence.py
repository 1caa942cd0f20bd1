"""Case text becomes HTML that says what the text says, and does nothing else."""

from html.parser import HTMLParser
from pathlib import Path

import pytest
import streamlit

from parm_core.tokenisation import Tokeniser
from parm_core.types import Case, Kind, Paragraph
from ui import evidence

HOSTILE = "<script>alert(\"x\")</script> & <img src=x onerror='y'>"
ESCAPED = (
    "&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt; &amp; "
    "&lt;img src=x onerror=&#x27;y&#x27;&gt;"
)


class Read(HTMLParser):
    """Every tag, attribute and text of some HTML; fails on a tag closed out of turn."""

    def __init__(self, source):
        super().__init__()
        self.tags, self.attributes, self.texts, self.marked = [], [], [], []
        self._open = []
        self.feed(source)
        assert self._open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        self._open.append(tag)

    def handle_endtag(self, tag):
        assert self._open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)
        if self._open and self._open[-1] == "mark":
            self.marked.append(data)


def pair(query_text, case_text, **options):
    given = {"query_label": "paragraph 12", "case_label": "paragraph 7", "share": 0.34}
    return evidence.pair(query_text, case_text, tokeniser=Tokeniser(), **{**given, **options})


def case(*paragraphs):
    return Case("c1", "A v B", "", paragraphs=paragraphs)


def test_a_paragraph_escapes_its_text_and_its_label():
    made = evidence.paragraph(HOSTILE, label=HOSTILE)
    assert made.count(ESCAPED) == 2
    assert set(Read(made).tags) == {"section", "p"}
    assert HOSTILE in Read(made).texts


def test_a_label_cannot_leave_its_attribute():
    made = evidence.paragraph("a" * 2_000, label='x" onclick="y')
    assert ("aria-label", 'x" onclick="y') in Read(made).attributes
    assert "onclick" not in dict(Read(made).attributes)


def test_a_pair_escapes_both_texts_and_both_labels():
    made = pair(HOSTILE, HOSTILE, query_label=HOSTILE, case_label=HOSTILE)
    assert {"script", "img"}.isdisjoint(Read(made).tags)
    assert made.count(ESCAPED) == 4
    assert "".join(Read(made).texts).count(HOSTILE) == 6


def test_marks_stand_on_the_words_whose_terms_both_texts_hold():
    a, b = "The duties of auditors were clear.", "An auditor owes a duty to the company."
    in_a, in_b = evidence.shared_spans(a, b, Tokeniser())
    assert [a[i:j] for i, j in in_a] == ["duties", "auditors"]
    assert [b[i:j] for i, j in in_b] == ["auditor", "duty"]
    assert in_a[0] == (4, 10)


def test_a_pair_marks_shared_words_and_keeps_the_text_whole():
    made = Read(pair("Reliance & proximity.", "No reliance <here>."))
    assert made.marked == ["Reliance", "reliance"]
    assert "Reliance & proximity." in "".join(made.texts)
    assert "No reliance <here>." in "".join(made.texts)


def test_marks_hold_their_places_behind_characters_that_are_escaped_or_replaced():
    text = "<&>\x07\u202e duty"
    made = evidence.paragraph(text, label="p", shared_spans=[(6, 10)])
    assert "&lt;&amp;&gt;\ufffd\u2060 <mark>duty</mark>" in made


def test_a_pair_says_what_it_adds():
    texts = Read(pair("a", "b")).texts
    assert texts[:3] == ["your paragraph 12", "34 %", "its paragraph 7"]


@pytest.mark.parametrize(
    ("share", "said"),
    [
        (0.344, "34 %"),
        (1.0, "100 %"),
        (0.0, "0 %"),
        (0.004, "under 1 %"),
        (-0.12, "−12 %"),
        (-0.004, "−(under 1 %)"),
    ],
)
def test_shares_are_told_in_whole_per_cents(share, said):
    assert evidence.percent(share) == said


def test_control_characters_are_replaced_one_for_one():
    text = "a\x00b\x1bc\x85d\ud800e\u202ef\u2066g\th\ni"
    assert evidence.harmless(text) == "a\ufffdb\ufffdc\ufffdd\ufffde\u2060f\u2060g\th\ni"
    assert len(evidence.harmless(text)) == len(text)


def test_what_is_made_can_be_sent_even_where_the_text_cannot():
    evidence.paragraph("lone \ud800 surrogate", label="\udfff").encode("utf-8")


def test_a_long_paragraph_is_cut_and_the_rest_counted():
    made = evidence.paragraph("y" * 2_000_000, label="long")
    assert made.count("y") == evidence.MAX_CHARACTERS
    assert "… 1,980,000 more characters" in made
    assert "more character" not in evidence.paragraph("short", label="p")


def test_a_mark_beyond_the_cut_is_left_out():
    end = evidence.MAX_CHARACTERS
    spans = [(0, 4), (end - 2, end + 2)]
    made = evidence.paragraph("duty" * end, label="long", shared_spans=spans)
    assert Read(made).marked == ["duty"]


def test_text_finds_its_own_direction():
    assert ("dir", "auto") in Read(evidence.paragraph("בית המשפט", label="p")).attributes


def test_a_paragraph_that_scrolls_can_be_reached_by_keyboard():
    assert "tabindex" in dict(Read(evidence.paragraph("a " * 1_000, label="p")).attributes)
    assert "tabindex" not in dict(Read(evidence.paragraph("short", label="p")).attributes)


def test_a_segmented_case_shows_number_kind_and_text_of_each_paragraph():
    made = evidence.segmented(
        case(
            Paragraph("Boilerplate.", Kind.INTRO, 0, 12, retrieved=False),
            Paragraph("In short.", Kind.SUMMARY, 12, 21),
            Paragraph("A claim.", Kind.NUMBERED, 21, 29),
        )
    )
    assert Read(made).texts == [
        *("1", "introduction", "not searched: recurring text", "Boilerplate."),
        *("2", "summary", "In short."),
        *("3", "numbered", "A claim."),
    ]
    attributes = Read(made).attributes
    assert {("role", "region"), ("tabindex", "0"), ("aria-label", "A v B, 3 paragraphs")} <= set(
        attributes
    )


def test_a_segmented_case_escapes_title_and_text():
    one = Paragraph(HOSTILE, Kind.BODY, 0, 9)
    made = evidence.segmented(Case("c", HOSTILE, "", paragraphs=(one,)))
    assert made.count(ESCAPED) == 2
    assert {"script", "img"}.isdisjoint(Read(made).tags)


def test_a_segmented_case_is_bounded_and_the_rest_counted():
    parts = [Paragraph("y" * 15_000, Kind.BODY, 0, 1) for _ in range(20)]
    made = evidence.segmented(case(*parts))
    assert made.count("y" * 100) > 0
    assert sum(text.count("y") for text in Read(made).texts if set(text) == {"y"}) == 200_000
    assert "… 10,000 more characters" in made
    assert "… 6 more paragraphs" in made


@pytest.mark.parametrize(
    ("text", "limit", "said"),
    [
        ("A  short\n one", 100, "A short one"),
        ("The duty of care, once owed", 18, "The duty of care…"),
        ("unbroken" * 10, 8, "unbroken…"),
        ("word " * 1_000, 12, "word word…"),
        ("", 10, ""),
    ],
)
def test_an_opening_is_cut_between_words(text, limit, said):
    assert evidence.opening(text, limit) == said


def test_every_class_that_is_used_has_its_style():
    sheet = evidence.STYLESHEET.read_text(encoding="utf-8")
    made = pair("a", "b") + evidence.segmented(case(Paragraph("t", Kind.BODY, 0, 1, False)))
    made += evidence.paragraph("x" * 30_000, label="p")
    used = {
        name for key, value in Read(made).attributes if key == "class" for name in value.split()
    }
    assert {name for name in used if f".{name}" not in sheet} == set()


def test_the_style_sheet_asks_nothing_of_the_network():
    sheet = evidence.STYLESHEET.read_text(encoding="utf-8")
    assert "url(" not in sheet
    assert "@import" not in sheet


def test_the_serif_of_case_text_comes_with_streamlit():
    """The style sheet names it; were it dropped, no page would look for it elsewhere."""
    assert '"Source Serif"' in evidence.STYLESHEET.read_text(encoding="utf-8")
    media = Path(streamlit.__file__).parent / "static" / "static" / "media"
    assert list(media.glob("SourceSerif*.woff2"))
    assert list(media.glob("SourceSans*.woff2"))
