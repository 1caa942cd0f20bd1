"""Figures hold the data they were given, say what they show, and quote case text harmlessly."""

import tomllib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from ui import charts

ROOT = Path(__file__).parents[2]
HOSTILE = "<b>bold</b> & \"quoted\" 'text'"
SAFE = "&lt;b&gt;bold&lt;/b&gt; &amp; \"quoted\" 'text'"


def ranks():
    return pd.DataFrame(
        {"bm25:rrf": [1, 2, 3], "dense:vrrf": [3, np.nan, 1], "hybrid:rrf": [2, 12, 1]},
        index=["a", "b", "c"],
    )


TITLES = {"a": "A & Sons", "b": "B <i>", "c": "C"}


class TestBump:
    def line(self, chart, case_id):
        return next(trace for trace in chart.figure.data if trace.name == case_id)

    def test_each_case_is_a_line_of_its_ranks(self):
        chart = charts.bump(ranks(), titles=TITLES, top=10)
        line = self.line(chart, "A &amp; Sons")
        assert list(line.x) == ["bm25:rrf", "dense:vrrf", "hybrid:rrf"]
        assert list(line.y) == [1, 3, 2]

    def test_a_missing_case_and_one_below_the_top_leave_the_chart(self):
        chart = charts.bump(ranks(), titles=TITLES, top=10)
        line = self.line(chart, "B &lt;i&gt;")
        assert list(line.y) == [2, None, None]
        assert line.connectgaps is False

    def test_the_last_rank_of_the_top_is_within_it(self):
        chart = charts.bump(ranks(), titles=TITLES, top=3)
        assert list(self.line(chart, "A &amp; Sons").y) == [1, 3, 2]

    def test_rank_1_is_on_top(self):
        layout = charts.bump(ranks(), titles=TITLES, top=10).figure.layout
        low, high = layout.yaxis.range
        assert low > 10 > 1 > high
        assert layout.yaxis.range == layout.yaxis2.range

    def test_the_last_rankings_cases_are_named_at_the_right(self):
        axis = charts.bump(ranks(), titles=TITLES, highlighted="a").figure.layout.yaxis2
        assert list(axis.tickvals) == [1, 2]
        assert list(axis.ticktext) == ["C", "<b>A &amp; Sons</b>"]

    def test_the_highlighted_case_is_drawn_over_the_others_in_the_accent(self):
        chart = charts.bump(ranks(), titles=TITLES, highlighted="a")
        named = [trace for trace in chart.figure.data if trace.name]
        assert [trace.line.color == charts.ACCENT for trace in named] == [False, False, True]
        assert named[-1].name == "A &amp; Sons"

    def test_hover_names_case_aggregation_and_rank_escaped(self):
        chart = charts.bump(ranks(), titles=TITLES)
        line = self.line(chart, "B &lt;i&gt;")
        assert line.hovertext[0] == "<b>B &lt;i&gt;</b><br>bm25:rrf: rank 2"

    def test_the_alternative_text_counts_and_follows_the_highlighted(self):
        chart = charts.bump(ranks(), titles=TITLES, top=10, highlighted="b")
        assert chart.alt == (
            "How each case moves between aggregations: 3 cases in the top 10 of 3 rankings, "
            "2 of them in every one. B <i>: bm25:rrf rank 2, dense:vrrf not found, "
            "hybrid:rrf rank 12."
        )

    def test_relevant_cases_have_a_diamond(self):
        chart = charts.bump(ranks(), titles=TITLES, relevant=frozenset({"c", "elsewhere"}))
        symbols = {trace.name: trace.marker.symbol for trace in chart.figure.data if trace.name}
        assert symbols == {"A &amp; Sons": "circle", "B &lt;i&gt;": "circle", "◆ C": "diamond"}
        assert chart.figure.layout.yaxis2.ticktext[0] == "◆ C"
        assert chart.alt.endswith("With a diamond, as relevant by label: 1 case.")

    def test_axes_are_named(self):
        layout = charts.bump(ranks(), titles=TITLES).figure.layout
        assert (layout.xaxis.title.text, layout.yaxis.title.text) == ("aggregation", "rank")


class TestAgreement:
    matrix = pd.DataFrame(
        [[1.0, 0.25, np.nan], [0.25, 1.0, 0.75], [np.nan, 0.75, 1.0]],
        index=list("xyz"),
        columns=list("xyz"),
    )

    def test_values_stand_in_their_cells(self):
        grid = charts.agreement(self.matrix, measure="Kendall's tau").figure.data[0]
        np.testing.assert_array_equal(grid.z, self.matrix.to_numpy())
        assert list(grid.text[0]) == ["1.00", "0.25", ""]
        assert grid.hovertext[1][2] == "y and z: Kendall's tau 0.75"
        assert grid.hovertext[0][2] == "x and z: Kendall's tau not defined"

    def test_the_scale_is_centred_on_0_only_where_a_value_is_negative(self):
        axis = charts.agreement(self.matrix, measure="RBO").figure.layout.coloraxis
        assert (axis.cmin, axis.cmax) == (0, 1)
        axis = charts.agreement(-self.matrix, measure="tau").figure.layout.coloraxis
        assert (axis.cmin, axis.cmax) == (-1, 1)

    def test_the_alternative_text_names_the_most_and_the_least_alike(self):
        assert charts.agreement(self.matrix, measure="RBO").alt == (
            "How far the rankings agree by RBO: most alike are y and z (0.75), "
            "least alike x and y (0.25)."
        )

    def test_a_single_system_has_nothing_to_compare(self):
        alt = charts.agreement(self.matrix.iloc[:1, :1], measure="RBO").alt
        assert alt.endswith("no two rankings to compare.")


class TestOverlapBars:
    def regions(self):
        return {
            frozenset({"s"}): ("c1",),
            frozenset({"t"}): (),
            frozenset({"s", "t"}): ("c2", "c3", "c4"),
        }

    def test_each_region_is_a_bar_of_its_size_most_shared_first(self):
        figure = charts.overlap_bars(self.regions()).figure
        bars = figure.data[0]
        assert list(bars.y) == list(figure.layout.yaxis.tickvals) == [0, 1, 2]
        assert list(figure.layout.yaxis.ticktext) == ["both", "only s", "only t"]
        assert list(bars.x) == [3, 1, 0]
        assert list(bars.hovertext) == ["both: 3 cases", "only s: 1 case", "only t: 0 cases"]

    def test_regions_of_three_are_told_in_words(self):
        keys = ["a", "ab", "abc", "b", "ac", "bc", "c"]
        regions = {frozenset(key): tuple("x" * n) for n, key in enumerate(keys)}
        figure = charts.overlap_bars(regions).figure
        bars = figure.data[0]
        assert list(figure.layout.yaxis.ticktext)[:3] == ["all 3", "only b and c", "only a and c"]
        assert list(bars.x)[:3] == [2, 5, 4]

    def test_given_names_are_shown_escaped(self):
        figure = charts.overlap_bars(self.regions(), names={"s": HOSTILE}).figure
        assert figure.layout.yaxis.ticktext[1] == f"only {SAFE}"
        assert figure.data[0].hovertext[1] == f"only {SAFE}: 1 case"

    def test_long_names_that_look_alike_once_cut_keep_their_own_bars(self):
        regions = {frozenset({"s" * 80 + end}): ("c",) for end in "xyz"}
        assert list(charts.overlap_bars(regions).figure.data[0].y) == [0, 1, 2]

    def test_the_alternative_text_has_every_size(self):
        assert charts.overlap_bars(self.regions(), title="Top 20").alt == (
            "Top 20: 4 cases. both: 3; only s: 1; only t: 0."
        )


class TestContributionBar:
    def test_the_rest_completes_the_whole(self):
        chart = charts.contribution_bar([0.5, -0.25], labels=["1 × 2", "3 × 4"])
        assert [trace.x[0] for trace in chart.figure.data] == [0.5, 0.25, 0.25]
        assert chart.alt == (
            "What the score is made of: 1 × 2: 50 %; 3 × 4: −25 %; all the rest: 25 %."
        )

    def test_negative_parts_are_hatched(self):
        first, second, _ = charts.contribution_bar([0.5, -0.25], labels=["a", "b"]).figure.data
        assert first.marker.pattern.shape is None
        assert second.marker.pattern.shape == "/"

    def test_nothing_is_left_where_the_parts_are_the_whole(self):
        assert len(charts.contribution_bar([0.75, 0.25], labels=["a", "b"]).figure.data) == 2

    def test_hover_quotes_label_and_opening_escaped(self):
        part = charts.contribution_bar([1.0], labels=[HOSTILE], openings=[HOSTILE]).figure.data[0]
        assert part.hovertext[0] == f"<b>{SAFE}</b><br>100 %<br>“{SAFE}”"


class TestHistogram:
    def test_whole_numbers_have_a_bin_each(self):
        bars = charts.histogram([3, 1, 3], title="T", axis="paragraphs a case").figure.data[0]
        assert list(bars.x) == [1, 2, 3]
        assert list(bars.y) == [1, 0, 2]
        assert bars.hovertext[2] == "3 paragraphs a case: 2 cases"

    def test_a_wide_spread_shares_at_most_40_equal_bins(self):
        bars = charts.histogram(range(100), title="T", axis="words").figure.data[0]
        assert len(bars.y) == 34
        assert list(bars.y)[:33] == [3] * 33
        assert bars.hovertext[0] == "0 to 2 words: 3 cases"
        assert sum(bars.y) == 100

    def test_fractions_are_all_counted(self):
        values = np.linspace(0, 1, 50)
        assert sum(charts.histogram(values, title="T", axis="score").figure.data[0].y) == 50

    def test_marks_stand_at_their_values(self):
        figure = charts.histogram([1, 2], title="T", axis="words", marks=[(2, HOSTILE)]).figure
        assert (figure.layout.shapes[0].x0, figure.layout.shapes[0].x1) == (2, 2)
        assert figure.layout.annotations[0].text == SAFE

    def test_the_alternative_text_has_range_median_and_marks(self):
        chart = charts.histogram(
            [1, 2, 9], title="Length", axis="paragraphs a case", marks=[(2, "your case")]
        )
        assert chart.alt == (
            "Length: 3 cases, from 1 to 9 paragraphs a case, half of them at most 2. "
            "Marked: your case at 2."
        )

    def test_no_values_say_so(self):
        chart = charts.histogram([], title="T", axis="words")
        assert chart.alt == "T: nothing to show."


class TestColours:
    def test_a_case_keeps_its_colour_by_the_order_given(self):
        colours = charts.case_colours(["b", "a", "b"])
        assert list(colours) == ["b", "a"]
        assert colours["b"] == charts.case_colours(["b", "z"])["b"]
        assert colours["a"] != colours["b"]

    def test_six_are_told_apart_and_the_others_are_grey(self):
        colours = list(charts.case_colours("abcdefgh").values())
        assert len(set(colours[:6])) == 6
        assert set(colours[6:]).isdisjoint(colours[:6])
        assert len(set(colours[6:])) == 1

    @pytest.mark.parametrize("mode", ["light", "dark"])
    def test_the_themes_scales_have_the_ten_colours_that_streamlit_wants(self, mode):
        theme = _theme()[mode]
        assert len(theme["chartSequentialColors"]) == len(theme["chartDivergingColors"]) == 10

    @pytest.mark.parametrize("mode", ["light", "dark"])
    def test_scales_run_evenly_from_the_paper_outwards_in_lightness(self, mode):
        """Read in grey, stronger is always further from the paper: safe for every colour vision."""
        theme = _theme()[mode]
        paper = _luminance(theme["backgroundColor"])
        away = [abs(_luminance(c) - paper) for c in theme["chartSequentialColors"]]
        assert away == sorted(away)
        away = [abs(_luminance(c) - paper) for c in theme["chartDivergingColors"]]
        assert away[4::-1] == sorted(away[:5])
        assert away[5:] == sorted(away[5:])

    @pytest.mark.parametrize("mode", ["light", "dark"])
    def test_text_links_and_the_accent_stand_out_on_the_paper(self, mode):
        theme = _theme()[mode]
        paper = theme["backgroundColor"]
        assert _contrast(theme["textColor"], paper) >= 7
        assert _contrast(theme["linkColor"], paper) >= 4.5
        assert _contrast(theme["primaryColor"], "#ffffff") >= 4.5
        assert _contrast(theme["primaryColor"], paper) >= 3
        assert _contrast(charts.ACCENT, paper) >= 3


def _theme():
    config = ROOT / ".streamlit" / "config.toml"
    return tomllib.loads(config.read_text(encoding="utf-8"))["theme"]


def _luminance(colour):
    """Relative luminance, WCAG 2.2."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return float(np.dot(linear, (0.2126, 0.7152, 0.0722)))


def _contrast(a, b):
    dark, light = sorted((_luminance(a), _luminance(b)))
    return (light + 0.05) / (dark + 0.05)
