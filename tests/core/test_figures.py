"""Pictures: what they show, that they can be read, and that they are the same each time."""

from __future__ import annotations

import csv
import subprocess
import sys
from html.parser import HTMLParser
from xml.etree import ElementTree

import matplotlib
import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.patches import Rectangle

from parm_core import figures
from parm_core.analysis.heatmap import ParagraphHeatmap
from parm_core.analysis.overlap import relevant_regions
from parm_core.errors import ConfigError, DataError

HOSTILE = 'a $b$ $ <i>&"\x00\n\ud800'
READ = 'a $b$ $ <i>&"   '

HEATMAP = ParagraphHeatmap(
    ("I", "1"),
    ("S", "1", "2"),
    np.array([[1200, 300, 0], [0, 0, 0]]),
    np.array([[400.0, 600.0, 500.0], [0.0, 0.0, 0.0]]),
    np.array([[12, 3, 0], [0, 0, 0]]),
    outside=4,
)
SMALL = ParagraphHeatmap(
    ("1",), ("1",), np.array([[5]]), np.array([[5.0]]), np.array([[1]]), outside=0
)
REGIONS = {
    frozenset(): (("q1", "a"),),
    frozenset(["bm25:rrf"]): (("q1", "b"), ("q1", "c")),
    frozenset(["bm25:doc"]): (),
    frozenset(["bm25:rrf", "bm25:doc"]): (("q2", "a"),),
}
CUTS = (1, 2, 5, 10, 20)


def pictures(name="bm25:rrf", title=""):
    """One of each, freshly drawn, every text of it the given one."""
    regions = {frozenset(name if n == "bm25:rrf" else n for n in k): v for k, v in REGIONS.items()}
    return {
        "recall": figures.recall_curves(CUTS, {name: np.linspace(0, 1, 5)}, title=title),
        "heatmap": figures.paragraph_heatmaps({name: HEATMAP}, title=title),
        "overlap": figures.overlap_bars({name: regions}, title=title),
        "grid": figures.grid(np.eye(2), [name, 0.9], [0, name], title, (name, name)),
    }


PICTURES = sorted(pictures())


def texts(figure, tmp_path):
    """All texts of a picture, as its SVG holds them."""
    figures.save(figure, tmp_path / "picture.svg")
    root = ElementTree.parse(tmp_path / "picture.svg").getroot()
    return ["".join(node.itertext()) for node in root.iter("{http://www.w3.org/2000/svg}text")]


def told(axes):
    return [text.get_text() for text in axes.texts]


# --------------------------------------------------------------------------------------- any picture


@pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf", ".PNG"])
@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_is_the_same_bytes_each_time(name, suffix, tmp_path):
    paths = [tmp_path / f"{n}{suffix}" for n in (1, 2)]
    for path in paths:
        figures.save(pictures()[name], path)
    first, second = (path.read_bytes() for path in paths)
    assert first == second
    begins = {".png": b"\x89PNG", ".svg": b"<?xml", ".pdf": b"%PDF"}
    assert first.startswith(begins[suffix.lower()])


@pytest.mark.parametrize("suffix", [".svg", ".pdf", ".png"])
def test_a_picture_does_not_say_when_or_by_what_it_was_made(suffix, tmp_path):
    figures.save(pictures()["grid"], tmp_path / f"grid{suffix}")
    written = (tmp_path / f"grid{suffix}").read_bytes().lower()
    for word in (b"matplotlib v", b"matplotlib version", b"creationdate", b"<dc:date", b"software"):
        assert word not in written


@pytest.mark.parametrize("name", PICTURES)
def test_no_text_is_read_as_mathematics_or_markup(name, tmp_path):
    """Nor does what cannot be printed break the file."""
    found = texts(pictures(HOSTILE, HOSTILE)[name], tmp_path)
    assert [text for text in found if "$" in text]
    assert all(READ.strip() in " ".join(text.split("\n")) for text in found if "$" in text)


@pytest.mark.parametrize("name", ["picture.jpg", "picture", "picture.png.html"])
def test_a_picture_of_an_unknown_kind_is_refused(name, tmp_path):
    with pytest.raises(ConfigError, match=r"end it in \.png, \.svg, \.pdf"):
        figures.save(pictures()["grid"], tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_a_picture_that_cannot_be_written_is_told(tmp_path):
    with pytest.raises(ConfigError, match=r"cannot write .*none.grid\.png: No such file"):
        figures.save(pictures()["grid"], tmp_path / "none" / "grid.png")


def test_drawing_leaves_no_trace(tmp_path):
    before = dict(matplotlib.rcParams)
    for name, picture in pictures().items():
        figures.save(picture, tmp_path / f"{name}.svg")
    assert dict(matplotlib.rcParams) == before


def test_figures_are_drawn_without_pyplot_and_imported_without_matplotlib():
    code = """
import sys
from parm_core import figures
print("matplotlib" in sys.modules)
figures.recall_curves([1], {"a": [1.0]})
print("matplotlib.pyplot" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]


# -------------------------------------------------------------------------------------------- recall


def test_recall_is_drawn_over_a_log_axis():
    curves = {"bm25:doc": np.linspace(0, 0.5, 5), "bm25:rrf": np.linspace(0.1, 0.9, 5)}
    figure = figures.recall_curves(CUTS, curves)
    (axes,) = figure.axes
    assert axes.get_xscale() == "log"
    for line, curve in zip(axes.lines, curves.values(), strict=True):
        np.testing.assert_array_equal(line.get_xydata(), np.column_stack([CUTS, curve]))
    assert [text.get_text() for text in figure.legends[0].get_texts()] == list(curves)


def test_curves_are_told_apart_without_colour():
    """By marker and dashes; twenty systems still have a look of their own."""
    figure = figures.recall_curves(CUTS, {f"s{n}": np.zeros(5) for n in range(20)})
    looks = [(line.get_marker(), line.get_linestyle()) for line in figure.axes[0].lines]
    assert len(set(looks)) == 20


def test_recall_that_does_not_fit_is_refused():
    with pytest.raises(DataError, match="bm25:rrf has 2 values for 5 cut-offs"):
        figures.recall_curves(CUTS, {"bm25:rrf": np.zeros(2)})
    with pytest.raises(DataError, match="no recall to draw"):
        figures.recall_curves(CUTS, {})


# ------------------------------------------------------------------------------------------ heatmaps


@pytest.mark.parametrize(
    ("show", "cells"),
    [
        ("counts", ["1,200", "12 q.", "300", "3 q.", "0", "0", "0", "0"]),
        ("shares", ["80 %", "12 q.", "20 %", "3 q.", "0 %", "0 %", "0 %", "0 %"]),
        ("lift", ["3.00", "12 q.", "0.50", "3 q.", "0.00"]),
    ],
)
def test_a_heatmap_tells_each_cell_and_the_queries_behind_it(show, cells):
    """Where chance never leads there is no lift to tell."""
    axes = figures.paragraph_heatmaps({"bm25:rrf": HEATMAP}, show).axes[0]
    assert told(axes) == cells
    assert axes.get_title() == "bm25:rrf"
    assert [label.get_text() for label in axes.get_yticklabels()] == ["I", "1"]
    assert [label.get_text() for label in axes.get_xticklabels()] == ["S", "1", "2"]


@pytest.mark.parametrize(
    ("show", "scale"), [("counts", (0, 1200)), ("shares", (0, 100)), ("lift", (-2, 2))]
)
def test_heatmaps_side_by_side_have_one_scale(show, scale):
    """For lift it runs from 1/4 to 4, as 3 is the farthest from 1 in powers of two."""
    figure = figures.paragraph_heatmaps({"bm25:rrf": HEATMAP, "dense:vrrf": SMALL}, show)
    assert [axes.images[0].get_clim() for axes in figure.axes[:2]] == [scale, scale]


def test_a_lift_of_0_has_the_colour_of_the_least():
    figure = figures.paragraph_heatmaps({"bm25:rrf": HEATMAP}, "lift")
    image = figure.axes[0].images[0]
    colours = image.to_rgba(image.get_array())
    np.testing.assert_array_equal(colours[0, 2], image.get_cmap()(0.0))


def luminance(colour):
    """Relative luminance, WCAG 2.1."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in colour]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(a, b):
    light, dark = sorted([luminance(a), luminance(b)], reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("show", ["counts", "lift"])
def test_the_number_in_a_cell_can_be_read(show):
    counts = np.arange(1, 101).reshape(10, 10)
    names = tuple(map(str, range(1, 11)))
    chance = np.full((10, 10), 20.0)
    heatmap = ParagraphHeatmap(names, names, counts, chance, np.zeros_like(counts), 0)
    axes = figures.paragraph_heatmaps({"x": heatmap}, show).axes[0]
    image = axes.images[0]
    colours = image.to_rgba(image.get_array()).reshape(-1, 4)
    assert len(axes.texts) == len(colours)
    for text, colour in zip(axes.texts, colours, strict=True):
        assert contrast(to_rgb(text.get_color()), colour[:3]) >= 4.5


def test_a_heatmap_that_cannot_be_drawn_is_refused():
    empty = ParagraphHeatmap((), (), *[np.zeros((0, 0), dtype=np.int64)] * 3, 0)
    with pytest.raises(ConfigError, match="'ratio' of a heatmap; one of counts, shares, lift"):
        figures.paragraph_heatmaps({"x": HEATMAP}, "ratio")
    with pytest.raises(DataError, match="no labelled paragraph met a relevant case: dense:rrf"):
        figures.paragraph_heatmaps({"bm25:rrf": HEATMAP, "dense:rrf": empty})


# ------------------------------------------------------------------------------------------ overlaps


def test_overlap_bars_tell_every_region():
    axes = figures.overlap_bars({"BM25": REGIONS}).axes[0]
    labels = [label.get_text() for label in axes.get_yticklabels()]
    assert labels == ["both", "only bm25:rrf", "only bm25:doc", "neither"]
    assert [bar.get_width() for bar in axes.patches] == [1, 2, 0, 1]
    assert told(axes) == ["1 (25 %)", "2 (50 %)", "0 (0 %)", "1 (25 %)"]
    assert axes.get_title(loc="left") == "BM25"


def test_three_systems_have_eight_bars():
    """Named in the order of the systems, here not the alphabet's; nothing found is no share."""
    regions = relevant_regions({"y": {}, "x": {}, "z": {}}, {}, 1)
    axes = figures.overlap_bars({"three": regions}).axes[0]
    assert [label.get_text() for label in axes.get_yticklabels()] == [
        *("all", "only y and x", "only y and z", "only x and z"),
        *("only y", "only x", "only z", "none"),
    ]
    assert told(axes) == ["0"] * 8


def test_overlaps_have_one_scale():
    longer = {key: range(10) for key in REGIONS}
    first, second = figures.overlap_bars({"BM25": REGIONS, "dense": longer}).axes
    assert first.get_xlim() == second.get_xlim()
    assert first.get_xlim()[1] > 10


@pytest.mark.parametrize("overlaps", [{}, {"BM25": {}}])
def test_no_overlap_is_refused(overlaps):
    with pytest.raises(DataError, match="no overlap to draw"):
        figures.overlap_bars(overlaps)


# ---------------------------------------------------------------------------------------------- grid


def frames(axes):
    """(row, column) of the cells that have a frame."""
    corners = [patch.get_xy() for patch in axes.patches if isinstance(patch, Rectangle)]
    return [(round(y + 0.47), round(x + 0.47)) for x, y in corners]


def test_a_grid_frames_its_best_cells():
    values = np.array([[0.1, 0.3, np.nan], [0.3, 0.2, 0.05]])
    figure = figures.grid(values, [0.9, 1.3], [0, 0.5, 1], "R@100")
    axes = figure.axes[0]
    assert frames(axes) == [(0, 1), (1, 0)]
    assert told(axes) == ["0.100", "0.300", "0.300", "0.200", "0.050"]
    assert (axes.get_ylabel(), axes.get_xlabel()) == ("k1", "b")
    assert figure.get_suptitle() == "R@100"


def test_a_grid_of_nothing_known_is_drawn_empty():
    axes = figures.grid(np.full((1, 2), np.nan), [1], [1, 2]).axes[0]
    assert told(axes) == frames(axes) == []


@pytest.mark.parametrize("shape", [(2, 2), (0, 1), (1, 2)])
def test_a_grid_that_does_not_fit_is_refused(shape):
    with pytest.raises(DataError, match="1 rows and 1 columns are named for values"):
        figures.grid(np.zeros(shape), [1], [1])


# -------------------------------------------------------------------------------------------- tables


def test_a_heatmap_as_csv():
    assert figures.heatmap_csv(HEATMAP).split("\n") == [
        "row,column,count,share,expected,lift,queries",
        "I,S,1200,0.800000,400.000000,3.000000,12",
        "I,1,300,0.200000,600.000000,0.500000,3",
        "I,2,0,0.000000,500.000000,0.000000,0",
        "1,S,0,0.000000,0.000000,,0",
        "1,1,0,0.000000,0.000000,,0",
        "1,2,0,0.000000,0.000000,,0",
        "",
    ]
    rows = list(csv.DictReader(figures.heatmap_csv(HEATMAP).splitlines()))
    assert sum(int(row["count"]) for row in rows) == HEATMAP.counts.sum()


class Page(HTMLParser):
    """Tags with their attributes, and the text within each cell."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.open, self.texts = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append((self.open[-1] if self.open else "", data))

    def within(self, tag):
        return [text for where, text in self.texts if where == tag]


def test_a_heatmap_as_a_page_is_a_table_with_headers():
    page = Page(figures.heatmap_html({"bm25:rrf": HEATMAP, "dense:vrrf": SMALL}, "northmark"))
    assert page.open == []
    assert page.within("title") == page.within("h1") == ["northmark"]
    assert page.within("caption") == [
        "bm25:rrf: 1,500 hits (4 more outside the table)",
        "dense:vrrf: 5 hits",
    ]
    scopes = [attributes["scope"] for tag, attributes in page.tags if tag == "th"]
    assert scopes == ["col"] * 3 + ["row"] * 2 + ["col", "row"]
    assert page.within("th") == ["S", "1", "2", "I", "1", "1", "1"]
    assert page.within("td") == ["1,200", "300", "0", "0", "0", "0", "5"]
    assert page.within("small")[:6] == ["3.00×", "12 q.", "0.50×", "3 q.", "0.00×", "0 q."]
    assert page.within("small")[6] == "–"


def test_a_page_needs_nothing_from_elsewhere_and_runs_nothing():
    hostile = '</title><script>alert("1")</script><img src=x>'
    assert "\ud800" not in figures.heatmap_html({"\ud800": SMALL}, "\ud800")
    text = figures.heatmap_html({hostile: HEATMAP}, hostile)
    page = Page(text)
    assert page.within("h1") == [hostile]
    assert page.within("caption")[0].startswith(hostile)
    assert not {tag for tag, _ in page.tags} & {"script", "img", "link", "iframe"}
    assert "http" not in text and "url(" not in text


def test_the_numbers_on_a_page_can_be_read_on_the_darkest_shade():
    text = figures.heatmap_html({"x": SMALL}, "x")
    shade = text.split("background: rgb(")[1].split(")")[0]
    colour = [int(channel) / 255 for channel in shade.split(",")]
    assert colour == [126 / 255, 190 / 255, 236 / 255]
    assert contrast(colour, to_rgb("#1a1a1a")) >= 4.5
