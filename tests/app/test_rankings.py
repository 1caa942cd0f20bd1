"""Rankings side by side as tables, and what they share in a sentence."""

from __future__ import annotations

from parm_core.types import Ranking
from ui import rankings

FOUND = {
    "bm25:rrf": Ranking(("lamp", "bees", "barge"), (3.0, 2.0, 1.0)),
    "bm25:max": Ranking(("barge", "lease", "bees"), (9.0, 8.0, 7.0)),
}


class TestRankingTables:
    def test_movement_is_counted_from_the_first_column(self, searcher):
        tables = rankings.tables(searcher, FOUND, 10)
        first, second = (table[["case_id", "first_rank", "moved"]] for table in tables.values())
        assert first.to_numpy().tolist() == [["lamp", 1, 0], ["bees", 2, 0], ["barge", 3, 0]]
        assert second.to_numpy().tolist() == [
            ["barge", 3, 2],
            ["lease", None, None],
            ["bees", 2, -1],
        ]

    def test_movement_counts_ranks_below_those_shown(self, searcher):
        shown = rankings.tables(searcher, FOUND, 1)["bm25:max"]
        assert shown[["case_id", "first_rank", "moved"]].to_numpy().tolist() == [["barge", 3, 2]]

    def test_a_row_describes_its_case(self, searcher):
        row = rankings.tables(searcher, FOUND, 10)["bm25:rrf"].iloc[1]
        assert (row.title, row.date, row.court, row.score) == (
            "Reed v Orchard Farms", "2004-11-19", "Northmark", 2.0,
        )  # fmt: skip

    def test_no_rankings_no_tables(self, searcher):
        assert rankings.tables(searcher, {}, 10) == {}

    def test_a_sentence_tells_what_systems_share(self):
        regions = {
            frozenset({"a", "b"}): ("c1", "c2"),
            frozenset({"a"}): ("c3",),
            frozenset({"b"}): (),
        }
        sentence = rankings.agreement_sentence(regions, 5)
        assert sentence == "2 of the top 5 in both · 1 only a · 0 only b"
