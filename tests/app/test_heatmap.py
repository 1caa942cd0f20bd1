"""The heatmap shows the matrix it was given, answers clicks, and quotes case text harmlessly."""

import numpy as np
import pytest

from ui import charts

CELLS = np.array([[0.0, 0.5, 0.0], [2.0, 0.0, 1.5]])
HOSTILE = "<b>bold</b> & \"quoted\" 'text'"
SAFE = "&lt;b&gt;bold&lt;/b&gt; &amp; \"quoted\" 'text'"


def heatmap(cells=CELLS, **options):
    rows, columns = cells.shape
    given = {
        "query_labels": [str(i + 1) for i in range(rows)],
        "case_labels": [str(i + 1) for i in range(columns)],
        "query_openings": [f"query text {i + 1}" for i in range(rows)],
        "case_openings": [f"case text {i + 1}" for i in range(columns)],
        "title": "A v B under bm25:rrf",
    }
    return charts.heatmap(cells, **{**given, **options})


def parts(chart):
    """grid, column totals, row totals, markers."""
    return chart.figure.data


def test_cells_and_totals_are_the_matrix_and_its_sums():
    grid, across, down, _ = parts(heatmap())
    np.testing.assert_array_equal(grid.z, CELLS)
    np.testing.assert_array_equal(across.y, [2.0, 0.5, 1.5])
    np.testing.assert_array_equal(down.x, [0.5, 3.5])
    assert (across.xaxis, across.yaxis) == (None, "y2")
    assert (down.xaxis, down.yaxis, down.orientation) == ("x2", None, "h")


def test_totals_say_whose_they_are():
    _, across, down, _ = parts(heatmap())
    assert across.hovertext[0] == "its paragraph 1: 2 in all"
    assert down.hovertext[1] == "your paragraph 2: 3.5 in all"


def test_a_marker_over_every_cell_carries_its_row_and_column():
    markers = parts(heatmap())[3]
    assert [list(place) for place in markers.customdata] == [
        *([0, 0], [0, 1], [0, 2]),
        *([1, 0], [1, 1], [1, 2]),
    ]
    assert list(markers.x) == [0, 1, 2, 0, 1, 2]
    assert list(markers.y) == [0, 0, 0, 1, 1, 1]


def test_customdata_travels_as_lists():
    """Packed as an array, a selected point would come back as a dict."""
    sent = heatmap().figure.to_plotly_json()["data"][3]["customdata"]
    assert isinstance(sent[0], list | tuple)
    assert isinstance(sent[0][0], int)


def test_hover_quotes_both_openings_and_the_share():
    assert parts(heatmap())[3].hovertext[3] == (
        "<b>your paragraph 2 × its paragraph 1</b><br>adds 2, 50 % of the score's terms"
        "<br>your: “query text 2”<br>its: “case text 1”"
    )
    assert "adds nothing" in parts(heatmap())[3].hovertext[0]


def test_labels_that_are_words_stand_as_they_are():
    chart = heatmap(query_labels=["introduction", "1"], case_labels=["opening", "1", "2"])
    assert parts(chart)[3].hovertext[0].startswith("<b>your introduction × its opening</b>")
    assert list(chart.figure.layout.yaxis.ticktext) == ["introduction", "1"]
    assert list(chart.figure.layout.xaxis.ticktext) == ["openi", "1", "2"]


def test_case_text_is_escaped_wherever_it_is_quoted():
    chart = heatmap(
        query_labels=[HOSTILE] * 2,
        case_labels=[HOSTILE] * 3,
        query_openings=[HOSTILE] * 2,
        case_openings=[HOSTILE] * 3,
        title=HOSTILE,
    )
    assert parts(chart)[3].hovertext[0].count(SAFE) == 4
    assert SAFE in parts(chart)[1].hovertext[0]
    assert chart.figure.layout.title.text == SAFE
    assert "<b>bold" not in chart.figure.to_json()
    assert chart.figure.layout.xaxis.ticktext[0] == "&lt;b&gt;bo"


def test_a_long_opening_is_cut_and_broken_into_lines():
    chart = heatmap(query_openings=["duty of care " * 100, "x"])
    quote = parts(chart)[3].hovertext[0].split("your: ")[1].split("<br>its:")[0]
    assert quote.startswith("“duty of care duty")
    assert quote.endswith("…”")
    assert max(map(len, quote.split("<br>"))) <= 52
    assert len(quote) <= 110


def test_axes_and_title_are_named():
    layout = heatmap().figure.layout
    assert layout.title.text == "A v B under bm25:rrf"
    assert layout.xaxis.title.text == "the found case's paragraphs"
    assert layout.yaxis.title.text == "your case's paragraphs"


def test_the_first_paragraph_is_at_the_top():
    assert list(heatmap().figure.layout.yaxis.range) == [1.5, -0.5]


def test_the_scale_starts_at_0_where_nothing_is_negative():
    axis = heatmap().figure.layout.coloraxis
    assert (axis.cmin, axis.cmax) == (0, 2)
    assert list(axis.colorbar.ticktext) == ["0", "2 added"]


def test_the_scale_is_centred_on_0_where_a_cell_is_negative():
    axis = heatmap(np.array([[0.5, -3.0]])).figure.layout.coloraxis
    assert (axis.cmin, axis.cmax) == (-3, 3)
    assert list(axis.colorbar.ticktext) == ["−3", "0", "3 added"]


def test_panels_share_the_scale_they_are_given():
    axis = heatmap(scale_max=8.0, diverging=True).figure.layout.coloraxis
    assert (axis.cmin, axis.cmax) == (-8, 8)
    assert heatmap(scale_max=8.0).figure.layout.coloraxis.cmin == 0


def test_a_selected_cell_is_framed():
    assert len(heatmap().figure.layout.shapes) == 0
    for shape in heatmap(selected=(1, 2)).figure.layout.shapes:
        assert (shape.x0, shape.x1, shape.y0, shape.y1) == (1.5, 2.5, 0.5, 1.5)
    assert len(heatmap(selected=(1, 2)).figure.layout.shapes) == 2


def test_a_large_matrix_marks_its_strongest_cells_that_are_not_0():
    cells = np.zeros((100, 100))
    cells[:50] = np.arange(5_000).reshape(50, 100) + 1.0
    places = [tuple(p) for p in parts(heatmap(cells))[3].customdata]
    assert len(places) == charts.MAX_MARKERS
    assert places[0] == (49, 99)
    assert set(places) == {divmod(i, 100) for i in range(1_000, 5_000)}


def test_a_large_sparse_matrix_marks_only_what_is_not_0_and_what_is_selected():
    cells = np.zeros((100, 100))
    cells[3, 4] = -1.0
    chart = heatmap(cells, selected=(9, 9))
    assert [list(p) for p in parts(chart)[3].customdata] == [[3, 4], [9, 9]]


def test_ticks_thin_out_by_round_steps():
    layout = heatmap(np.ones((90, 45))).figure.layout
    assert list(layout.xaxis.tickvals) == list(range(0, 45, 5))
    assert list(layout.yaxis.tickvals) == list(range(0, 90, 5))
    assert list(layout.xaxis.ticktext)[:2] == ["1", "6"]


def test_the_alternative_text_has_size_sum_and_strongest_pair():
    assert heatmap().alt == (
        "A v B under bm25:rrf: 2 paragraphs of your case by 3 paragraphs of the found case; "
        "3 pairs add 4 in all. The strongest is your paragraph 2 with its paragraph 1: 2, 50 %."
    )


def test_the_strongest_pair_may_be_negative():
    assert heatmap(np.array([[1.0, -3.0]])).alt.endswith(
        "The strongest is your paragraph 1 with its paragraph 2: -3, −75 %."
    )


def test_a_matrix_of_zeros_says_so():
    chart = heatmap(np.zeros((1, 2)))
    assert chart.alt.endswith(
        "1 paragraph of your case by 2 paragraphs of the found case; no pair adds anything."
    )
    assert chart.figure.layout.coloraxis.cmax == 1


def test_labels_that_do_not_fit_the_cells_are_refused():
    with pytest.raises(ValueError, match="zip"):
        heatmap(query_labels=["1"])


def test_every_alternative_text_can_be_sent():
    assert heatmap(title="lone \ud800").alt.startswith("lone \ufffd:")
    heatmap(title="lone \ud800", query_openings=["\ud800", "\x00"]).figure.to_json().encode()


def test_a_figure_leaves_paper_and_text_colours_to_the_theme():
    layout = heatmap().figure.layout
    assert layout.paper_bgcolor == layout.plot_bgcolor == "rgba(0,0,0,0)"
    assert layout.font.color is None
    assert layout.coloraxis.colorscale is None
