"""What people come for, page by page."""

from __future__ import annotations

import re

from playwright.sync_api import expect

THREE = ("bm25:srrf", "dense:srrf", "hybrid:rrf")
ANNS = "Anns v Merton London Borough Council"
ONE = "systems=bm25:srrf"


def entries(page, system):
    return page.get_by_role("region", name=f"Ranking by {system}", exact=True).get_by_role("button")


def figure(page, name):
    return page.get_by_role("figure", name=re.compile(name))


class TestFind:
    def test_a_pasted_case_is_ranked_by_three_systems_side_by_side(self, visitor, murphy):
        visitor.open("/?source=paste")
        page = visitor.paste(murphy)
        expect(page.get_by_text("Your pasted case: 11 paragraphs")).to_be_visible()
        for system in THREE:
            expect(entries(page, system)).to_have_count(10)
            assert visitor.ranking(system)[0] == ANNS
        expect(page.get_by_text(re.compile(r"^\d+ of the top 10 in all 3 · "))).to_be_visible()
        tops = [entries(page, system).first.bounding_box() for system in THREE]
        assert len({box["y"] for box in tops}) == 1
        assert sorted(box["x"] for box in tops) == [box["x"] for box in tops]

    def test_choices_that_were_away_are_shown_as_they_were(self, visitor):
        page = visitor.open("/?systems=bm25:srrf&systems=bm25:doc&top=20")
        page.get_by_role("radio", name="Paste a case").click()
        expect(page.get_by_text("Choose or paste a case to begin.")).to_be_visible()
        page.get_by_role("radio", name="A sample case").click()
        expect(entries(page, "bm25:doc")).to_have_count(20)
        chosen = page.get_by_test_id("stMultiSelect")
        expect(chosen).to_contain_text("bm25:srrf")
        expect(chosen).to_contain_text("bm25:doc")
        expect(page.get_by_test_id("stSliderThumbValue")).to_have_text("20")

    def test_a_text_file_is_ranked(self, visitor, murphy):
        page = visitor.open(f"/?source=upload&{ONE}")
        file = {"name": "case.txt", "mimeType": "text/plain", "buffer": murphy.encode()}
        page.locator("input[type=file]").set_input_files(file)
        expect(page.get_by_text("Your uploaded case: 11 paragraphs")).to_be_visible()
        assert visitor.ranking("bm25:srrf")[0] == ANNS

    def test_a_file_in_another_encoding_is_told_so(self, visitor):
        page = visitor.open(f"/?source=upload&{ONE}")
        file = {"name": "fall.txt", "mimeType": "text/plain", "buffer": "Prüfer".encode("latin-1")}
        page.locator("input[type=file]").set_input_files(file)
        expect(page.get_by_role("alert")).to_contain_text("neither UTF-8 text, nor PDF")

    def test_arrow_keys_move_within_a_ranking_and_across_to_the_same_case(self, visitor):
        page = visitor.open("/?systems=bm25:srrf&systems=bm25:doc")
        first, second = (entries(page, system) for system in ("bm25:srrf", "bm25:doc"))
        first.nth(0).focus()
        page.keyboard.press("ArrowDown")
        expect(first.nth(1)).to_be_focused()
        title = visitor.ranking("bm25:srrf")[1]
        page.keyboard.press("ArrowRight")
        place = visitor.ranking("bm25:doc").index(title)
        expect(second.nth(place)).to_be_focused()
        page.keyboard.press("ArrowLeft")
        expect(first.nth(1)).to_be_focused()
        page.keyboard.press("ArrowUp")
        page.keyboard.press("ArrowUp")
        expect(first.nth(0)).to_be_focused()

    def test_enter_picks_a_case_and_opens_its_evidence(self, visitor):
        page = visitor.open(f"/?{ONE}")
        expect(page.get_by_text("Pick a case in a ranking")).to_be_visible()
        entries(page, "bm25:srrf").nth(0).focus()
        page.keyboard.press("Enter")
        pairs = page.locator(".parm-pair")
        expect(pairs).to_have_count(5)
        expect(entries(page, "bm25:srrf").nth(0)).to_have_attribute("aria-pressed", "true")
        expect(pairs.first.locator(".parm-text")).to_have_count(2)
        assert all(pairs.nth(i).locator("mark").count() >= 2 for i in range(5))
        expect(pairs.first.locator(".parm-share")).to_have_text(re.compile(r"^\d+ %$"))
        expect(figure(page, "^Shares of the score under bm25:srrf: ")).to_be_visible()

    def test_a_click_picks_a_case_and_the_select_box_follows(self, visitor):
        page = visitor.open(f"/?{ONE}")
        title = visitor.ranking("bm25:srrf")[2]
        entries(page, "bm25:srrf").nth(2).click()
        expect(page.get_by_role("combobox", name="Result to look into")).to_have_value(
            re.compile(rf"^{re.escape(title)}( \(relevant\))?$")
        )
        assert "result=" in page.url

    def test_a_case_under_the_pointer_is_traced_through_the_rankings(self, visitor):
        page = visitor.open("/?systems=bm25:srrf&systems=bm25:doc")
        assert ANNS in visitor.ranking("bm25:doc")
        expect(page.locator(".rankings path")).to_have_count(0)
        entries(page, "bm25:srrf").nth(0).hover()
        expect(page.locator(".rankings path")).to_have_count(1)
        traced = page.locator(".rankings button.traced .title")
        assert traced.all_inner_texts() == [ANNS, ANNS]

    def test_more_pairs_are_shown_on_request(self, visitor):
        page = visitor.open(f"/?{ONE}&result=anns-v-merton-1977")
        expect(page.locator(".parm-pair")).to_have_count(5)
        page.get_by_role("button", name="Show 5 more pairs").click()
        expect(page.locator(".parm-pair")).to_have_count(10)

    def test_the_rankings_can_be_downloaded(self, visitor):
        page = visitor.open("/?systems=bm25:srrf&systems=bm25:doc")
        with page.expect_download() as download:
            page.get_by_role("button", name="Download the rankings (CSV)").click()
        lines = download.value.path().read_text(encoding="utf-8").splitlines()
        assert lines[0].startswith("system,rank,case_id,title")
        assert len(lines) == 21
        assert lines[1].startswith("bm25:srrf,1,anns-v-merton-1977,")

    def test_how_the_case_was_cut_can_be_seen(self, visitor):
        page = visitor.open(f"/?{ONE}")
        page.get_by_text("See how it was cut").click()
        expect(page.locator(".parm-case li")).to_have_count(11)
        expect(page.locator(".parm-case li .parm-badge").nth(1)).to_have_text("summary")


class TestHeatmaps:
    PATH = f"/heatmaps?{ONE}&result=anns-v-merton-1977"
    ROWS, COLUMNS = 11, 10

    def test_the_cell_under_a_click_opens_its_two_paragraphs(self, visitor):
        page = visitor.open(self.PATH)
        grid = page.locator('.nsewdrag[data-subplot="xy"]')
        grid.scroll_into_view_if_needed()
        for row, column in ((4, 2), (9, 7)):
            box = grid.bounding_box()
            x = box["width"] * (column + 0.5) / self.COLUMNS
            y = box["height"] * (row + 0.5) / self.ROWS
            page.mouse.click(box["x"] + x, box["y"] + y)
            link = page.locator(".parm-link")
            expect(link).to_contain_text(f"your paragraph {row + 1} of 11")
            expect(link).to_contain_text(f"its paragraph {column + 1} of 10")
            visitor.settle()
        expect(page.locator(".parm-pair .parm-text")).to_have_count(2)

    def test_a_cell_can_be_picked_by_name(self, visitor):
        page = visitor.open(self.PATH)
        before = page.locator(".parm-pair .parm-text").all_inner_texts()
        visitor.choose("Cell to read", re.compile("your paragraph 3 × its"))
        expect(page.locator(".parm-link")).to_contain_text("your paragraph 3 of 11")
        assert page.locator(".parm-pair .parm-text").all_inner_texts() != before

    def test_each_system_has_its_matrix_and_a_hybrid_its_rankings_ones(self, visitor):
        page = visitor.open(
            "/heatmaps?result=anns-v-merton-1977&systems=hybrid:rrf&systems=bm25:doc"
        )
        for system in ("bm25:srrf", "dense:srrf", "bm25:doc"):
            expect(figure(page, f"^{system} × {ANNS}")).to_be_visible()
        expect(page.get_by_role("figure")).to_have_count(3)


class TestOtherPages:
    def test_another_depth_redraws_the_aggregations(self, visitor):
        page = visitor.open("/aggregations?retriever=bm25")
        agreement = figure(page, "How far the rankings agree")
        before = agreement.get_attribute("aria-label")
        page.get_by_role("slider", name="Depth N").focus()
        page.keyboard.press("Home")
        expect(agreement).not_to_have_attribute("aria-label", before)
        visitor.settle()
        assert "depth=10" in page.url

    def test_a_case_is_followed_through_the_aggregations(self, visitor):
        page = visitor.open("/aggregations?retriever=bm25")
        visitor.choose("Result to look into", ANNS)
        moves = figure(page, "How each case moves between aggregations")
        expect(moves).to_have_attribute("aria-label", re.compile(f"{ANNS}: combsum rank 1,"))

    def test_another_cut_off_redraws_the_overlaps(self, visitor):
        page = visitor.open("/overlaps")
        expect(figure(page, "^First 10 of bm25:rrf and bm25:doc: ")).to_be_visible()
        page.get_by_role("slider", name="Cut-off").focus()
        page.keyboard.press("ArrowLeft")
        bars = figure(page, "^First 5 of bm25:rrf and bm25:doc: ")
        expect(bars).to_be_visible()
        sizes = re.findall(r": (\d+)[;.]", bars.get_attribute("aria-label"))
        both, only_parm, only_document = map(int, sizes)
        assert both + only_parm == both + only_document == 5
        expect(page.get_by_text(f"Both: {both}").first).to_be_visible()

    def test_the_collection_is_counted(self, visitor):
        page = visitor.open("/collection")
        cases = page.get_by_test_id("stMetric").filter(has_text="Cases")
        expect(cases.get_by_test_id("stMetricValue")).to_have_text("64")
        expect(figure(page, "^Paragraphs a case: .*64 cases")).to_be_visible()
