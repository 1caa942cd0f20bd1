"""Charts of measures, meetings and sweeps hold what they were given, and say it in words."""

from __future__ import annotations

import numpy as np
import pytest

from ui import charts

HOSTILE, SAFE = "<b>R v G</b>", "&lt;b&gt;R v G&lt;/b&gt;"
CURVES = {"bm25:doc": np.array([0.1, 0.4, 0.9]), "bm25:rrf": np.array([0.2, 0.5, 0.8])}


class TestRecallCurves:
    def test_a_line_holds_a_systems_recall(self):
        chart = charts.recall_curves((1, 10, 100), CURVES)
        assert [list(line.y) for line in chart.figure.data] == [[0.1, 0.4, 0.9], [0.2, 0.5, 0.8]]
        assert chart.figure.layout.xaxis.type == "log"

    def test_lines_are_told_apart_without_colour(self):
        many = {f"s{i}": np.array([0.5]) for i in range(10)}
        lines = charts.recall_curves((1,), many).figure.data
        looks = {(line.line.dash, line.marker.symbol) for line in lines}
        assert len(looks) == 10

    def test_the_text_says_the_ends_and_the_usual_cut_offs(self):
        alt = charts.recall_curves((1, 10, 100), CURVES).alt
        assert "bm25:doc: 0.10 at 1, 0.40 at 10, 0.90 at 100" in alt

    def test_the_axis_ends_with_the_cut_offs(self):
        low, high = charts.recall_curves((1, 10, 64), CURVES).figure.layout.xaxis.range
        assert low < 0 and 64 < 10**high < 80


class TestDifferences:
    VALUES, NAMES = [0.5, 0.0, -0.25], ["A", "B", HOSTILE]

    def chart(self, **more):
        names = {"names": self.NAMES, "title": "t", "measure": "R@10"}
        return charts.differences(self.VALUES, **names, **more)

    def test_gains_losses_and_ties_are_told(self):
        assert "1 gain, 1 lose, 1 tie" in self.chart().alt
        assert charts.gained(self.VALUES) == (1, 1, 1)

    def test_a_loss_is_hatched(self):
        assert self.chart().figure.data[0].marker.pattern.shape == ("", "/", "/")

    def test_a_bar_knows_its_place_and_names_its_query_harmlessly(self):
        bars = self.chart().figure.data[0]
        assert [list(place) for place in bars.customdata] == [[0], [1], [2]]
        assert SAFE in bars.hovertext[2] and "−0.250" in bars.hovertext[2]

    def test_the_selected_query_is_framed(self):
        assert self.chart(selected=2).figure.data[0].marker.line.width == (0, 0, 3)

    def test_no_query_is_no_error(self):
        chart = charts.differences([], names=[], title="t", measure="R@10")
        assert chart.alt == "t: 0 gain, 0 lose, 0 tie."


class TestScatter:
    def test_a_point_without_a_value_is_left_out(self):
        x, y = np.array([1.0, np.nan, 3.0]), np.array([0.5, 0.1, -0.5])
        chart = charts.scatter(x, y, names=["A", "B", HOSTILE], title="t", across="w", upwards="d")
        points = chart.figure.data[0]
        assert list(points.x) == [1.0, 3.0] and list(points.y) == [0.5, -0.5]
        assert SAFE in points.hovertext[1]
        assert chart.alt == "t: 2 queries, w from 1 to 3, d from −0.500 to +0.500."


class TestMeetings:
    def chart(self, values, **more):
        told = [[f"{v:.0f}" for v in line] for line in values]
        return charts.meetings(
            values, rows=["I", "1"], columns=["I", "S"], queries=np.array([[1, 2], [3, 4]]),
            title="t", told=told, limit=9.0, **more,
        )  # fmt: skip

    def test_a_cell_says_how_many_queries_stand_behind_it(self):
        cells = self.chart(np.array([[5.0, 6.0], [9.0, 0.0]])).figure.data[0]
        assert "your paragraph 1 × its introduction" in cells.hovertext[1][0]
        assert "queries behind it: 3" in cells.hovertext[1][0]

    def test_the_text_names_the_largest_cell(self):
        alt = self.chart(np.array([[5.0, 6.0], [9.0, 0.0]])).alt
        assert alt.endswith("the query's paragraph 1 with the case's introduction, 9.")

    def test_panels_share_their_scale(self):
        layout = self.chart(np.ones((2, 2))).figure.layout
        assert (layout.coloraxis.cmin, layout.coloraxis.cmax) == (0, 9.0)
        layout = self.chart(np.ones((2, 2)), diverging=True).figure.layout
        assert (layout.coloraxis.cmin, layout.coloraxis.cmax) == (-9.0, 9.0)

    def test_nothing_met_is_said(self):
        assert "no paragraph met" in self.chart(np.full((2, 2), np.nan)).alt


class TestSweepCharts:
    def test_a_grid_frames_the_chosen_setting_and_names_the_best(self):
        chart = charts.grid(
            np.array([[0.1, 0.2], [0.4, 0.3]]), rows=["0.9", "1.3"], columns=["0", "0.8"],
            down="k1", across="b", measure="R@100", title="t", chosen=(1, 0),
        )  # fmt: skip
        frame = chart.figure.layout.shapes[-1]
        assert (frame.x0, frame.x1, frame.y0, frame.y1) == (-0.5, 0.5, 0.5, 1.5)
        assert chart.alt.endswith("the best with k1 1.3 and b 0.")

    def test_a_curve_marks_the_chosen_setting(self):
        chart = charts.curve(
            ["0", "60"], [0.2, 0.3], across="k", measure="R@100", title="t", chosen=1
        )
        assert chart.figure.data[0].marker.symbol == ("circle", "star")
        assert "the best, 0.300, at 60" in chart.alt


REGIONS = {
    frozenset({"a", "b"}): ("1", "2", "3"),
    frozenset({"a"}): ("4",),
    frozenset({"b"}): (),
    frozenset(): ("5", "6", "7", "8"),
}


class TestOverlapShares:
    def test_each_bar_has_its_count_and_its_share(self):
        chart = charts.overlap_bars(REGIONS, shares=True)
        assert chart.figure.data[0].text == ("3 (38 %)", "1 (12 %)", "0 (0 %)", "4 (50 %)")

    def test_what_none_finds_is_named(self):
        chart = charts.overlap_bars(REGIONS)
        assert list(chart.figure.layout.yaxis.ticktext) == ["both", "only a", "only b", "neither"]

    @pytest.mark.parametrize(("n", "name"), [(1, "not found"), (3, "none of them")])
    def test_what_none_finds_is_named_for_other_numbers_of_systems(self, n, name):
        regions = {frozenset(str(i) for i in range(n)): ("1",), frozenset(): ("2",)}
        chart = charts.overlap_bars(regions)
        assert chart.figure.layout.yaxis.ticktext[-1] == name
