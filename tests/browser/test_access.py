"""Every page on a phone, in the dark, and for those who do not see it."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

VIEWS = {
    "find": "/?systems=bm25:srrf&systems=bm25:doc&result=anns-v-merton-1977",
    "paste": "/?source=paste",
    "upload": "/?source=upload",
    "own case": "/?source=collection",
    "aggregations": "/aggregations?retriever=bm25",
    "heatmaps": "/heatmaps?systems=bm25:srrf&result=anns-v-merton-1977",
    "overlaps": "/overlaps",
    "heatmaps of all": "/heatmaps?scope=all&shown=lift",
    "overlaps of all": "/overlaps?scope=all&compare=own",
    "evaluation": "/evaluation",
    "sweeps": "/evaluation?view=sweeps&axes=k1&axes=b",
    "collection": "/collection",
}
INPUTS = ("textbox", "combobox", "slider", "button", "radio", "checkbox", "link")
LUMINANCE = """element => {
  const style = getComputedStyle(element);
  const shade = colour => {
    const [r, g, b] = colour.match(/[\\d.]+/g).map(Number);
    return (0.2126 * r + 0.7152 * g + 0.0722 * b) / 255;
  };
  let ground = element;
  const clear = node => ["rgba(0, 0, 0, 0)", "transparent"].includes(getComputedStyle(node).backgroundColor);
  while (clear(ground)) ground = ground.parentElement ?? ground.getRootNode().host;
  return [shade(style.color), shade(getComputedStyle(ground).backgroundColor)];
}"""


@pytest.fixture(params=VIEWS.values(), ids=VIEWS.keys())
def view(request):
    return request.param


def test_a_phone_shows_every_page_without_scrolling_sideways(visitors, view):
    page = visitors(viewport={"width": 390, "height": 844}).open(view)
    for selector in ("html", "[data-testid=stMain]"):
        width, room = page.locator(selector).evaluate("e => [e.scrollWidth, e.clientWidth]")
        assert 0 < width <= room <= 390, selector


def test_every_input_and_picture_has_a_name(visitor, view):
    page = visitor.open(view)
    session = visitor.context.new_cdp_session(page)
    nodes = session.send("Accessibility.getFullAXTree")["nodes"]
    shown = [node for node in nodes if not node.get("ignored")]
    inputs = [node for node in shown if node["role"]["value"] in INPUTS]
    assert len(inputs) > 5
    assert [n["role"]["value"] for n in inputs if not n.get("name", {}).get("value")] == []
    charts = page.locator(".stPlotlyChart")
    assert all(len(chart.get_attribute("aria-label") or "") > 20 for chart in charts.all())
    assert all(image.get_attribute("alt") for image in page.locator("img").all())


def test_the_charts_of_a_page_are_pictures_with_a_text(visitor):
    page = visitor.open(VIEWS["aggregations"])
    expect(page.get_by_role("figure")).to_have_count(2)


@pytest.mark.parametrize(
    ("scheme", "dark"), [("light", False), ("dark", True)], ids=["light", "dark"]
)
def test_a_page_follows_the_system_s_light_or_dark(visitors, scheme, dark):
    page = visitors(color_scheme=scheme).open(VIEWS["find"])
    shown = [page.locator("h1"), page.locator(".parm-pair .parm-text").first]
    shown += [page.locator(".rankings .title").nth(3), page.locator(".rankings h3").first]
    for element in shown:
        expect(element).to_be_visible()
        text, ground = element.evaluate(LUMINANCE)
        assert (text > 0.7 and ground < 0.35) if dark else (text < 0.3 and ground > 0.7)


def test_evidence_and_charts_are_drawn_in_the_dark(visitors):
    page = visitors(color_scheme="dark").open(VIEWS["heatmaps"])
    label = page.locator(".xtick text").first
    expect(label).to_be_visible()
    fill = label.evaluate("e => getComputedStyle(e).fill.match(/[\\d.]+/g).map(Number)")
    assert min(fill[:3]) > 150
