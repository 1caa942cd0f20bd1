"""Every page from its inputs to what it shows, without a browser."""

from __future__ import annotations

import re
from io import BytesIO

import pytest
from docx import Document
from driving import (
    BM25,
    OF_A_CASE,
    OWN_CASE,
    PAGES,
    PASTE,
    columns,
    cut,
    markup,
    open_app,
    opened_with,
    paste,
    pick_first,
    said,
    sample_texts,
)

from parm_core.encoders import SentenceTransformerEncoder

SHORT = "The auditor owed no duty of care to those who bought shares on the faith of the accounts."
HEBREW = "בית המשפט קבע כי רואה החשבון אינו חב חובת זהירות כלפי המשקיעים. " * 5
CHINESE = "法院认为审计师对购买股票的投资者不承担注意义务。" * 5


@pytest.fixture(autouse=True)
def indexes(sample_indexes, monkeypatch):
    monkeypatch.setenv("PARM_INDEXES", str(sample_indexes))
    monkeypatch.setenv("PARM_CACHE", str(sample_indexes / "results"))


class TestEveryPage:
    @pytest.mark.parametrize("page", PAGES)
    def test_shows_a_sample_case_without_error(self, page):
        app = open_app(systems=BM25)
        app.switch_page(f"pages/{page}.py").run()
        assert not app.exception and not app.error and not app.warning
        title = {"find": "Find similar cases"}.get(page, page.capitalize())
        assert [element.value for element in app.title] == [title]

    @pytest.mark.parametrize("page", OF_A_CASE)
    def test_says_what_to_do_where_there_is_no_case_yet(self, page):
        app = open_app(page, source=PASTE)
        assert not app.exception
        assert said(app.info).startswith("Choose or paste a case to begin.")
        assert not app.get("plotly_chart") and not app.get("bidi_component")

    @pytest.mark.parametrize(
        ("page", "charts"), [("aggregations", 2), ("overlaps", 2), ("collection", 2)]
    )
    def test_draws_its_charts(self, page, charts):
        app = open_app(page, retriever="bm25")
        assert len(app.get("plotly_chart")) == charts

    def test_a_heatmap_for_each_system_once_a_result_is_picked(self):
        app = open_app("heatmaps", systems=BM25)
        assert said(app.info).startswith("Pick a result")
        app.selectbox(key="result").set_value("anns-v-merton-1977").run()
        assert not app.exception
        assert len(app.get("plotly_chart")) == 2
        assert len(re.findall("<mark>", "".join(markup(app)))) > 2

    def test_the_evidence_of_a_picked_result_quotes_both_cases(self):
        app = open_app("find", systems=BM25)
        app.selectbox(key="result").set_value("anns-v-merton-1977").run()
        assert said(app.markdown).count("Anns v Merton London Borough Council under bm25:srrf") == 1
        pairs = [html for html in markup(app) if 'class="parm-pair"' in html]
        assert len(pairs) == 5
        assert all(html.count('class="parm-paragraph"') == 2 for html in pairs)

    def test_a_hybrid_is_opened_by_its_rankings(self):
        app = open_app("find", systems=["hybrid:rrf"])
        app.selectbox(key="result").set_value("anns-v-merton-1977").run()
        table = next(t.value for t in app.dataframe if "ranking" in t.value)
        assert list(table["ranking"]) == ["bm25:srrf", "dense:srrf"]
        score = columns(app)["hybrid:rrf"][0]["score"]
        assert table["adds"].sum() == pytest.approx(score, rel=1e-4)


class TestPastedCase:
    @pytest.mark.parametrize(
        ("text", "why"),
        [
            ("", "the text is empty"),
            (" \n\t ", "the text is empty"),
            ("1. 2. 3. §§ 12–14 (…)", "no letters in any script"),
            ("duty " * 400_001, "2,000,005 characters; at most 2,000,000 are read"),
        ],
        ids=["empty", "blank", "no letters", "too long"],
    )
    def test_that_cannot_be_searched_with_is_told_why(self, text, why):
        app = opened_with(text, systems=BM25)
        assert not app.exception
        assert why in said(app.error)
        assert not app.get("bidi_component")

    @pytest.mark.parametrize("page", ["aggregations", "heatmaps", "overlaps"])
    def test_without_letters_is_told_on_every_page(self, page):
        app = opened_with("12345", page)
        assert not app.exception
        assert "no letters in any script" in said(app.error)

    def test_of_one_short_paragraph_is_ranked(self):
        app = opened_with(SHORT, systems=["bm25:rrf", "dense:firstp", "hybrid:rrf"])
        assert not app.exception and not app.error
        assert cut(app).startswith("Your pasted case: 1 paragraph (1 body)")
        assert all(len(rows) == 10 for rows in columns(app).values())

    @pytest.mark.parametrize("text", [HEBREW, CHINESE], ids=["right to left", "Chinese"])
    def test_in_another_script_is_ranked_by_meaning_and_matches_no_word(self, text):
        app = opened_with(text, systems=["bm25:rrf", "dense:rrf"])
        assert not app.exception and not app.error
        assert columns(app)["bm25:rrf"] == []
        assert len(columns(app)["dense:rrf"]) == 10

    @pytest.mark.parametrize("page", ["aggregations", "heatmaps", "overlaps"])
    def test_that_shares_no_word_breaks_no_page(self, page):
        app = open_app(page, source=PASTE, systems=BM25, retriever="bm25")
        paste(app, CHINESE)
        assert not app.exception and not app.error

    def test_is_shown_without_its_control_characters(self):
        app = opened_with(f"\x00{SHORT}\x1b[31m\x07 The end\u202e of it.", systems=BM25)
        assert not app.exception and not app.error
        shown = "".join(markup(app))
        assert "The end" in shown
        assert not re.search("[\x00-\x08\x0e-\x1f\x7f\u202e]", shown)

    def test_with_markup_is_shown_as_text(self):
        hostile = '<script>window.x=1</script> <img src="x" onerror="alert(1)"> & </p></section>'
        app = opened_with(f"{hostile} {SHORT}", systems=BM25)
        pick_first(app)
        assert not app.exception
        shown = [html for html in markup(app) if "window.x" in html]
        assert len(shown) >= 2  # how it was cut, and the evidence
        for html in shown:
            assert not re.search("<(script|img)", html)
            assert html.count("<section") == html.count("</section")

    def test_longer_than_any_case_is_ranked(self):
        app = opened_with(f"{SHORT} " * 20_000, systems=BM25)
        assert not app.exception and not app.error
        assert int(re.search(r"(\d+) paragraphs", cut(app)).group(1)) > 1_000
        assert len(columns(app)["bm25:srrf"]) == 10

    def test_is_replaced_by_the_next(self):
        app = opened_with(SHORT, systems=BM25)
        first = columns(app)["bm25:srrf"][0]["case_id"]
        paste(app, "The defendant shot at the stranger; malice aforethought is intent to kill.")
        assert columns(app)["bm25:srrf"][0]["case_id"] != first

    def test_may_be_corrected_after_an_error(self):
        app = opened_with("12345", systems=BM25)
        paste(app, SHORT)
        assert not app.error
        assert len(columns(app)["bm25:srrf"]) == 10

    @pytest.mark.parametrize("page", ["aggregations", "heatmaps", "overlaps"])
    def test_stays_on_the_next_page(self, page):
        app = paste(open_app(source=PASTE, systems=BM25), SHORT)
        app.switch_page(f"pages/{page}.py").run()
        assert not app.exception and not app.error
        assert app.segmented_control(key="source").value == "paste"
        assert "Choose or paste a case" not in said(app.info)

    def test_is_seen_by_no_other_session(self):
        mine = opened_with(SHORT, systems=BM25)
        other = open_app("find", source=PASTE, systems=BM25)
        assert said(other.info).startswith("Choose or paste a case to begin.")
        assert other.text_area(key="pasted").value == ""
        paste(other, "The defendant shot at the stranger.")
        assert SHORT in "".join(markup(mine.run()))
        assert SHORT not in "".join(markup(other))


class TestUploadedCase:
    @staticmethod
    def upload(content):
        app = open_app("find", source="upload", systems=BM25)
        app.file_uploader[0].upload("case.txt", content, "text/plain")
        return app.run()

    @pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
    def test_in_utf_8_is_ranked(self, encoding):
        app = self.upload(SHORT.encode(encoding))
        assert not app.exception and not app.error
        assert cut(app).startswith("Your uploaded case: 1 paragraph (1 body)")
        assert len(columns(app)["bm25:srrf"]) == 10

    def test_a_word_file_is_ranked(self):
        document, held = Document(), BytesIO()
        document.add_paragraph(SHORT)
        document.save(held)
        app = self.upload(held.getvalue())
        assert not app.exception and not app.error
        assert cut(app).startswith("Your uploaded case: 1 paragraph (1 body)")

    @pytest.mark.parametrize("content", ["Der Prüfer haftet".encode("latin-1"), b"\x80\x81"])
    def test_in_another_encoding_is_told_so(self, content):
        app = self.upload(content)
        assert not app.exception
        assert "neither UTF-8 text" in said(app.error)
        assert not app.get("bidi_component")

    def test_that_is_empty_is_told_so(self):
        app = self.upload(b"")
        assert not app.exception
        assert "the text is empty" in said(app.error)


class TestSystems:
    def test_a_name_that_is_none_is_left_out_and_the_choices_named(self):
        app = open_app("find", systems=BM25)
        app.multiselect(key="systems").set_value([*BM25, "bm52:rrf"]).run()
        assert not app.exception
        assert re.search("unknown system 'bm52:rrf'.*bm25, dense, hybrid", said(app.warning))
        assert list(columns(app)) == BM25

    @pytest.mark.parametrize(
        "name",
        [
            "bm25:rrf@k=1e999",
            "bm25:rrf@depth=0",
            "hybrid:rrf@of=hybrid:rrf+bm25:rrf",
            "<script>alert(1)</script>",
            "bm25:rrf@" * 2_000,
            "../../etc/passwd",
        ],
        ids=lambda name: name[:24],
    )
    def test_a_tampered_address_is_harmless(self, name):
        app = open_app("find", systems=["bm25:srrf", name])
        assert not app.exception and not app.error
        assert list(columns(app)) == ["bm25:srrf"]
        assert len(app.warning) == 1

    def test_a_name_from_an_address_is_no_markdown(self):
        app = open_app("find", systems=["![a](https://192.0.2.1/a.png)", "bm25:srrf"])
        assert "unknown system" in said(app.warning)
        assert "![" not in app.warning[0].value and "](" not in app.warning[0].value

    def test_none_chosen_is_told_what_to_do(self):
        app = open_app("find", systems=BM25)
        app.multiselect(key="systems").set_value([]).run()
        assert not app.exception
        assert said(app.info).startswith("Choose a system")

    def test_parameters_count(self):
        app = open_app("find", systems=["bm25:rrf", "bm25:rrf@k=1"])
        plain, sharp = (rows[0]["score"] for rows in columns(app).values())
        assert sharp > plain

    def test_another_aggregation_encodes_nothing_again(self, monkeypatch):
        encoded = []
        encode = SentenceTransformerEncoder.encode_queries

        def counted(self, texts, **options):
            encoded.append(len(texts))
            return encode(self, texts, **options)

        monkeypatch.setattr(SentenceTransformerEncoder, "encode_queries", counted)
        app = open_app("find", systems=["dense:rrf"])
        once = [11]  # paragraphs of the first sample case
        assert encoded == once
        app.multiselect(key="systems").set_value(["dense:vrrf", "dense:max@depth=50"]).run()
        app.multiselect(key="systems").set_value(["dense:rrf@k=3", "hybrid:rrf"]).run()
        assert not app.exception and encoded == once
        app.selectbox(key="case").set_value("R v G").run()
        assert len(encoded) == 2


class TestCaseOfTheCollection:
    def test_is_not_among_its_own_results(self):
        systems = ["bm25:doc", "bm25:rrf", "dense:firstp", "hybrid:rrf"]
        app = open_app("find", source=OWN_CASE, systems=systems, top="100")
        app.selectbox(key="own_case").set_value("anns-v-merton-1977").run()
        assert not app.exception
        assert cut(app).startswith("Anns v Merton London Borough Council: ")
        for system, rows in columns(app).items():
            assert "anns-v-merton-1977" not in {row["case_id"] for row in rows}, system
        assert len(columns(app)["dense:firstp"]) == 63

    def test_stays_as_it_was_cut(self):
        app = open_app("find", source=OWN_CASE, systems=BM25, rule="windows")
        assert app.selectbox(key="rule").disabled is False
        app.selectbox(key="own_case").set_value("anns-v-merton-1977").run()
        assert app.selectbox(key="rule").disabled is True


def test_every_sample_case_is_ranked_and_finds_a_case():
    app = open_app("find", systems=BM25)
    for title in sample_texts():
        app.selectbox(key="case").set_value(title).run()
        assert not app.exception and not app.error
        assert cut(app).startswith(f"{title}: ")
        assert len(columns(app)["bm25:srrf"]) == 10
