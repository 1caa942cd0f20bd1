"""A researcher's paths: evaluate, stop and go on, look behind a number, open a query."""

from __future__ import annotations

import re

from playwright.sync_api import expect

TWO = "evaluated=bm25:doc&evaluated=bm25:rrf"
STOP = "Stop and keep what is done"


def press(page, name):
    page.get_by_role("button", name=name, exact=True).click()


def evaluated(visitor, address):
    """The page with every query ranked."""
    page = visitor.open(address)
    table = page.get_by_role("table")
    button = page.get_by_role("button", name="Evaluate", exact=True)
    expect(table.or_(button).or_(page.get_by_role("figure")).first).to_be_visible()
    if button.is_visible():
        button.click()
        expect(button).to_have_count(0)
    return visitor.settle()


class TestEvaluation:
    def test_a_newcomer_gets_the_table_of_measures(self, visitor):
        page = evaluated(visitor, f"/evaluation?{TWO}")
        rows = page.get_by_role("table").get_by_role("row")
        expect(rows).to_have_count(3)
        expect(rows.nth(1)).to_contain_text(re.compile(r"bm25:doc.*0\.9800"))
        expect(rows.nth(1).locator("strong").first).to_have_text("0.9800")
        expect(page.get_by_text("17 queries, Bonferroni's correction")).to_be_visible()

    def test_tables_and_runs_can_be_taken_away(self, visitor):
        page = evaluated(visitor, f"/evaluation?{TWO}")
        for name, beginning in (
            ("Table (LaTeX)", b"% \\usepackage{booktabs}"),
            ("Runs (TREC)", b"PK"),
        ):
            with page.expect_download() as download:
                press(page, name)
            assert download.value.path().read_bytes().startswith(beginning)

    def test_the_picture_of_the_recall_curves_is_a_file(self, visitor):
        page = evaluated(visitor, f"/evaluation?{TWO}&view=recall")
        with page.expect_download() as download:
            press(page, "Picture (PNG)")
        assert download.value.path().read_bytes().startswith(b"\x89PNG")

    def test_a_stopped_evaluation_goes_on(self, unvisited, visitors):
        visitor = visitors(unvisited)
        page = visitor.open(
            "/evaluation?evaluated=bm25:rrf&evaluated=dense:rrf&evaluated=hybrid:rrf"
        )
        press(page, "Evaluate")
        expect(page.get_by_text(re.compile(r"queries: \d+ of 17, about"))).to_be_visible(
            timeout=120_000
        )
        press(page, STOP)
        expect(page.get_by_text(re.compile(r"^\d+ of 17 queries so far"))).to_be_visible()
        expect(page.get_by_role("table")).to_be_visible()
        press(page, "Go on")
        expect(page.get_by_text("17 queries, Bonferroni's correction")).to_be_visible(
            timeout=120_000
        )
        expect(page.get_by_role("button", name="Go on")).to_have_count(0)

    def test_a_bar_picks_its_query_which_opens_with_its_relevant_cases_marked(self, visitor):
        page = evaluated(visitor, f"/evaluation?{TWO}&view=pairs&systems=bm25:rrf")
        box = page.get_by_role("combobox", name="Query to open")
        before = box.input_value()
        bars = page.locator('.nsewdrag[data-subplot="xy"]')
        bars.scroll_into_view_if_needed()
        frame = bars.bounding_box()
        page.mouse.click(
            frame["x"] + frame["width"] * 16.5 / 17, frame["y"] + frame["height"] * 0.3
        )
        expect(box).not_to_have_value(before)
        title = box.input_value().partition(" [")[0]
        press(page, "Open this query: Find similar cases")
        expect(page.get_by_role("heading", name="Find similar cases", level=1)).to_be_visible()
        visitor.settle()
        expect(page.get_by_role("combobox", name="Sample case")).to_have_value(title)
        expect(page.locator(".rankings .relevant").first).to_have_text("relevant")

    def test_a_phone_shows_the_table_without_scrolling_the_page_sideways(self, visitors):
        visitor = visitors(viewport={"width": 390, "height": 844})
        page = evaluated(visitor, f"/evaluation?{TWO}")
        expect(page.get_by_role("table")).to_be_visible()
        width, room = page.get_by_test_id("stMain").evaluate("e => [e.scrollWidth, e.clientWidth]")
        assert width <= room


class TestAllLabelledQueries:
    def test_the_sets_of_the_overlap_open(self, visitor):
        page = visitor.open(
            f"/overlaps?scope=all&compare=own&{TWO.replace('evaluated', 'split_by')}"
        )
        button = page.get_by_role("button", name="Rank the queries")
        figure = page.get_by_role("figure", name=re.compile("^Relevant cases in the first 10"))
        expect(button.or_(figure).first).to_be_visible()
        if button.is_visible():
            button.click()
        expect(figure).to_be_visible()
        visitor.settle()
        sizes = map(int, re.findall(r": (\d+) \(", figure.get_attribute("aria-label")))
        assert sum(sizes) == 62
        visitor.choose("Set", re.compile("found by bm25:doc alone"))
        expect(page.get_by_test_id("stDataFrame")).to_be_visible()

    def test_the_heatmaps_say_where_paragraphs_meet(self, visitor):
        page = visitor.open("/heatmaps?scope=all&shown=lift")
        press(page, "Count")
        for name in ("BM25", "Dense"):
            figure = page.get_by_role("figure", name=re.compile(f"^{name}: times what chance"))
            expect(figure).to_be_visible(timeout=120_000)
