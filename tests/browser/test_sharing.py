"""The address is a link to the view, and no more than that."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from browser.conftest import HOSTILE

TWO = "systems=bm25:srrf&systems=bm25:doc"
PAGES = ("Aggregations", "Heatmaps", "Overlaps", "Collection", "Find similar cases")
SECRET = "Zanzibarian auditors whispered clandestinely about investors."


def sample_case(page):
    return page.get_by_role("combobox", name="Sample case")


class TestLink:
    def test_opens_the_same_case_systems_and_first_result(self, visitors):
        one = visitors()
        page = one.open()
        one.choose("Sample case", "R v G")
        page.get_by_role("button", name="Remove dense:srrf").click()
        one.settle()
        expect(page.get_by_role("region", name="Ranking by dense:srrf")).to_have_count(0)
        other = visitors()
        other.open(page.url)
        expect(sample_case(other.page)).to_have_value("R v G")
        for system in ("bm25:srrf", "hybrid:rrf"):
            assert other.ranking(system) == one.ranking(system)
        expect(other.page.get_by_role("region", name="Ranking by")).to_have_count(2)

    def test_opens_a_page_though_nobody_has_asked_the_app_for_anything_yet(
        self, unvisited, visitors
    ):
        """Streamlit would run the page's file by itself, had app.py not run before."""
        page = visitors(unvisited).open(f"{unvisited}/overlaps?case=R+v+G")
        expect(page.get_by_role("link", name="Find similar cases")).to_be_visible()
        expect(sample_case(page)).to_have_value("R v G")
        assert page.url == f"{unvisited}/overlaps?case=R+v+G"

    def test_opens_the_same_page_with_its_parameters(self, visitors):
        one = visitors()
        one.open("/?case=R+v+G")
        page = one.go("Aggregations")
        page.get_by_role("radio", name="bm25").click()
        one.settle()
        page.get_by_role("slider", name="Depth N").focus()
        page.keyboard.press("Home")
        expect(page).to_have_url(re.compile("depth=10"))
        one.settle()
        other = visitors()
        copy = other.open(page.url)
        expect(copy.get_by_role("heading", name="Aggregations", level=1)).to_be_visible()
        expect(sample_case(copy)).to_have_value("R v G")
        expect(copy.get_by_role("figure")).to_have_count(2)
        figures = [
            [figure.get_attribute("aria-label") for figure in each.get_by_role("figure").all()]
            for each in (page, copy)
        ]
        assert len(figures[0]) == 2 and figures[0] == figures[1]

    def test_keeps_its_case_and_systems_from_page_to_page(self, visitor):
        visitor.open(f"/?case=R+v+G&{TWO}")
        for title in PAGES:
            page = visitor.go(title)
            if title != "Collection":
                expect(sample_case(page)).to_have_value("R v G")
                assert "case=R+v+G" in page.url
        assert visitor.ranking("bm25:doc")
        expect(page.get_by_role("region", name="Ranking by")).to_have_count(2)

    def test_follows_a_picked_result_to_its_heatmap(self, visitor):
        page = visitor.open(f"/?{TWO}")
        page.get_by_role("region", name="Ranking by bm25:doc").get_by_role("button").first.click()
        expect(page.locator(".parm-pair").first).to_be_visible()
        picked = page.get_by_role("combobox", name="Result to look into").input_value()
        picked = picked.removesuffix(" (relevant)")
        page = visitor.go("Heatmaps")
        expect(page.get_by_role("figure")).to_have_count(2)
        expect(page.get_by_role("figure", name=re.compile(re.escape(picked)))).to_have_count(2)

    def test_survives_a_reload(self, visitor):
        page = visitor.open(f"/?{TWO}")
        visitor.choose("Sample case", "R v G")
        page.reload()
        expect(sample_case(page)).to_have_value("R v G")
        expect(page.get_by_role("region", name="Ranking by")).to_have_count(2)

    def test_back_returns_to_the_page_before(self, visitor):
        visitor.open(f"/?{TWO}&case=R+v+G")
        visitor.go("Collection")
        page = visitor.page
        page.go_back()
        expect(page.get_by_role("heading", name="Find similar cases", level=1)).to_be_visible()
        expect(sample_case(page)).to_have_value("R v G")


class TestPrivacy:
    def test_a_request_to_a_stranger_would_be_noticed(self, visitor):
        page = visitor.open("/collection")
        page.route("http://192.0.2.1/**", lambda route: route.abort())
        page.evaluate("fetch('http://192.0.2.1/').catch(() => null)")
        assert visitor.strangers() == ["http://192.0.2.1/"]
        visitor.asked.clear()
        visitor.complaints.clear()

    def test_no_address_holds_a_word_of_a_pasted_case(self, visitor):
        visitor.open(f"/?source=paste&{TWO}")
        page = visitor.paste(SECRET)
        expect(page.get_by_text("Your pasted case: 1 paragraph")).to_be_visible()
        words = re.findall(r"\w{5,}", SECRET.lower())
        for title in PAGES:
            page = visitor.go(title)
            assert not [word for word in words if word in page.url.lower()]
        assert page.get_by_role("textbox", name="Text of the case").input_value() == SECRET
        assert not [url for url in visitor.asked for word in words if word in url.lower()]

    def test_no_address_holds_a_case_of_a_collection_of_one_s_own(self, visitor):
        visitor.open(f"/?collection=hostile&own_source=collection&{TWO}")
        page = visitor.choose("Case of the collection", "barge")
        page.get_by_role("region", name="Ranking by bm25:doc").get_by_role("button").first.click()
        expect(page.locator(".parm-pair").first).to_be_visible()
        for title in ("Heatmaps", "Aggregations", "Overlaps", "Find similar cases"):
            page = visitor.go(title)
            assert "collection=hostile" in page.url
            assert not re.search("barge|Mills|Harbour|mooring|Weir", page.url)

    def test_a_pasted_case_is_seen_by_nobody_else(self, visitors):
        mine, other = visitors(), visitors()
        mine.open(f"/?source=paste&{TWO}")
        mine.paste(SECRET)
        page = other.open(mine.page.url)
        expect(page.get_by_text("Choose or paste a case to begin")).to_be_visible()
        assert "Zanzibarian" not in page.content()
        assert page.get_by_role("textbox", name="Text of the case").input_value() == ""

    def test_a_pasted_script_is_shown_and_not_run(self, visitor):
        visitor.open(f"/?source=paste&{TWO}")
        script = "<script>window.x1=1</script><img src=y onerror='window.x1=1'>"
        page = visitor.paste(f"{script} {SECRET}")
        page.get_by_text("See how it was cut").click()
        expect(page.locator(".parm-case .parm-text").first).to_contain_text(script)
        page.get_by_role("region", name="Ranking by bm25:doc").get_by_role("button").first.click()
        expect(page.locator(".parm-pair .parm-text").first).to_contain_text(script)
        assert page.evaluate("window.x1") is None

    def test_markup_in_a_link_asks_nobody(self, visitor):
        hostile = "!%5Ba%5D(https://192.0.2.1/a.png)"
        page = visitor.open(f"/?systems={hostile}&systems=bm25:doc&case={hostile}&result={hostile}")
        expect(page.get_by_role("alert")).to_contain_text("![a](https://192.0.2.1/a.png)")
        assert visitor.ranking("bm25:doc")
        assert page.locator("main img, [data-testid=stMain] img").count() == 0

    def test_markup_in_a_title_asks_nobody(self, visitor):
        visitor.open(f"/?collection=hostile&own_source=collection&{TWO}")
        page = visitor.choose("Case of the collection", "barge")
        expect(page.get_by_text(f"{HOSTILE} Mills v Harbour Trust: 5 paragraphs")).to_be_visible()
        assert visitor.ranking("bm25:doc")[0] == f"{HOSTILE} Harbour Trust v Weir"
        page.get_by_role("region", name="Ranking by bm25:doc").get_by_role("button").first.click()
        expect(page.locator(".parm-pair").first).to_be_visible()
        for title in ("Heatmaps", "Aggregations", "Overlaps", "Collection"):
            page = visitor.go(title)
            assert page.locator("[data-testid=stMain] img").count() == 0
