"""Labelled queries, their runs and what is kept of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from conftest import COLLECTION, QUERY_CASE, QUERY_CASES, FakeEncoder

from parm_core.errors import ConfigError, DataError
from parm_core.experiments.labelled import (
    ALL,
    check_same_collection,
    dev_and_test,
    labelled,
    split_queries,
)
from parm_core.experiments.meetings import heatmap, places
from parm_core.experiments.memory import Memory
from parm_core.experiments.queries import query_differences
from parm_core.experiments.runs import kept_runs, rank_queries
from parm_core.retrieval import Searcher
from parm_core.systems import parse_system
from parm_core.types import Case

SYSTEMS = [parse_system(name) for name in ("bm25:doc", "bm25:rrf", "dense:vrrf", "hybrid:rrf")]


LABELS = {
    "q0": {"barge": 1},
    "q1": {"mooring": 1, "lamp": 1},
    "q2": {"barge": 0},
    "q3": {"bees": 1},
}
MANY = replace(COLLECTION, queries=QUERY_CASES, qrels=LABELS)


@pytest.fixture
def memory(tmp_path):
    return Memory(tmp_path / "kept" / "results.sqlite")


# --------------------------------------------------------------------------------------- splits


def test_every_judged_query_is_taken_where_there_is_no_split():
    found = labelled(MANY)
    assert found.split == ALL
    assert [case.id for case in found.cases] == ["q0", "q1", "q2", "q3"]


def test_the_test_split_is_the_default_where_there_is_one():
    found = labelled(replace(MANY, splits={"train": ("q0",), "test": ("q1", "q3")}))
    assert (found.split, list(found.qrels)) == ("test", ["q1", "q3"])


def test_queries_without_labels_are_left_out_and_counted():
    found = labelled(replace(MANY, qrels={"q1": {"lamp": 1}}))
    assert list(found.qrels) == ["q1"]
    assert found.notes == ("3 queries without a label are left out",)


def test_labels_of_unknown_queries_are_no_part_of_the_mean():
    assert list(labelled(replace(MANY, qrels={"q1": {"lamp": 1}, "gone": {"lamp": 1}})).qrels) == [
        "q1"
    ]


@pytest.mark.parametrize(
    ("collection", "split", "error", "told"),
    [
        (replace(MANY, qrels={}), "", DataError, "no labelled query"),
        (MANY, "training", ConfigError, "no split 'training'; it has all, dev, test"),
        (replace(MANY, splits={"test": ("gone",)}), "test", DataError, "no judged query"),
    ],
)
def test_what_cannot_be_asked_is_told(collection, split, error, told):
    with pytest.raises(error, match=told):
        labelled(collection, split)


def test_a_drawn_split_is_two_halves_that_depend_on_the_seed_alone():
    ids = [f"q{n}" for n in range(21)]
    drawn = split_queries(ids, seed=3)
    assert sorted([*drawn["dev"], *drawn["test"]]) == sorted(ids)
    assert (len(drawn["dev"]), len(drawn["test"])) == (10, 11)
    assert split_queries(ids[::-1], seed=3) == drawn
    assert split_queries(ids, seed=4) != drawn


def test_a_collections_own_splits_are_used_to_choose_and_to_report():
    splits = {"train": ("q0",), "dev": ("q1",), "test": ("q1", "q2")}
    dev, test = dev_and_test(replace(MANY, splits=splits))
    assert (list(dev.qrels), list(test.qrels)) == (["q1"], ["q2"]), "no query is in both"


def test_training_queries_are_chosen_on_where_nothing_is_set_aside_for_it():
    dev, _ = dev_and_test(replace(MANY, splits={"train": ("q0",), "test": ("q2",)}))
    assert dev.split == "train"


def test_one_query_cannot_be_split():
    with pytest.raises(DataError, match="no judged query"):
        dev_and_test(COLLECTION)


def test_an_index_of_other_cases_is_refused(index):
    check_same_collection(index, MANY)
    with pytest.raises(DataError, match="built from other cases"):
        check_same_collection(index, replace(MANY, cases=MANY.cases[1:]))


# ----------------------------------------------------------------------------------------- runs


def test_runs_are_what_searching_each_query_gives(searcher):
    found = rank_queries(searcher, QUERY_CASES, SYSTEMS)
    for case in QUERY_CASES:
        query = searcher.query(case.text)
        for system in SYSTEMS:
            expected = searcher.rank(query, system)
            assert found.runs[str(system)][case.id].case_ids == expected.case_ids
            assert list(found.runs[str(system)][case.id].scores) == list(expected.scores)


def test_a_query_that_cannot_be_searched_with_is_told_and_the_others_go_on(searcher):
    empty = Case("empty", "", " \n ")
    found = rank_queries(searcher, [QUERY_CASES[0], empty, QUERY_CASES[1]], SYSTEMS[:2])
    assert list(found.failed) == ["empty"]
    assert list(found.runs["bm25:rrf"]) == ["q0", "q1"]


def test_a_query_that_is_a_case_of_the_collection_does_not_find_itself(searcher):
    own = COLLECTION.cases[0]
    found = rank_queries(searcher, [own], SYSTEMS).runs
    assert all(own.id not in run[own.id].case_ids and len(run[own.id]) for run in found.values())


def test_a_query_that_shares_but_the_id_of_a_case_may_find_it(searcher):
    other = replace(QUERY_CASE, id="barge")
    assert (
        "barge" in rank_queries(searcher, [other], SYSTEMS[:1]).runs["bm25:doc"]["barge"].case_ids
    )


def test_progress_counts_the_queries(searcher):
    seen = []
    rank_queries(searcher, QUERY_CASES, SYSTEMS[:1], progress=lambda *step: seen.append(step))
    assert seen == [(n, 4, "queries") for n in (1, 2, 3, 4)]


# --------------------------------------------------------------------------------------- memory


def counting(index):
    encoder = FakeEncoder()
    return encoder, encoder.encoded


def test_what_was_kept_is_given_back_the_same_without_encoding_again(index, memory):
    encoder, encoded = counting(index)
    first = rank_queries(Searcher(index, encoder, memo=memory), QUERY_CASES, SYSTEMS, memory=memory)
    assert encoded
    encoded.clear()
    again = rank_queries(Searcher(index, encoder, memo=memory), QUERY_CASES, SYSTEMS, memory=memory)
    assert not encoded
    for system, run in first.runs.items():
        for query_id, ranking in run.items():
            kept = again.runs[system][query_id]
            assert kept.case_ids == ranking.case_ids
            assert kept.scores.dtype == np.float32
            assert list(kept.scores) == list(ranking.scores)


def test_a_further_dense_system_finds_the_vectors_kept(index, memory):
    encoder, encoded = counting(index)
    rank_queries(Searcher(index, encoder, memo=memory), QUERY_CASES, SYSTEMS[2:3], memory=memory)
    encoded.clear()
    further = [parse_system("dense:combsum")]
    rank_queries(Searcher(index, encoder, memo=memory), QUERY_CASES, further, memory=memory)
    assert not encoded


def test_an_ordinary_searcher_keeps_nothing_of_a_query(index, memory, encoder):
    searcher = Searcher(index, encoder)
    searcher.rank(searcher.query(QUERY_CASE.text), "dense:rrf")
    assert b"mooring" not in memory.path.read_bytes()
    assert kept_runs(searcher, [QUERY_CASE], SYSTEMS[2:3], memory) == {"dense:vrrf": {}}


def test_no_text_is_in_the_file_of_results(index, memory, encoder):
    rank_queries(Searcher(index, encoder, memo=memory), QUERY_CASES, SYSTEMS, memory=memory)
    written = b"".join(path.read_bytes() for path in memory.path.parent.iterdir())
    assert b"mooring" not in written and b"Finch" not in written


def test_a_run_that_was_stopped_leaves_whole_queries(searcher, memory):
    class StoppedError(Exception):
        pass

    def stop(done, total, what):
        if done == 2:
            raise StoppedError

    with pytest.raises(StoppedError):
        rank_queries(searcher, QUERY_CASES, SYSTEMS, memory=memory, progress=stop)
    kept = kept_runs(searcher, QUERY_CASES, SYSTEMS, memory)
    assert {system: list(run) for system, run in kept.items()} == {
        str(system): ["q0", "q1"] for system in SYSTEMS
    }


def test_another_text_system_or_index_is_not_taken_for_the_one_kept(
    searcher, lexical_index, memory
):
    rank_queries(searcher, QUERY_CASES[:1], SYSTEMS[1:2], memory=memory)
    changed = replace(
        QUERY_CASES[0], text=QUERY_CASES[0].text + "5. One more paragraph, about the storm.\n"
    )
    assert memory.ranking(searcher.index, QUERY_CASES[0], SYSTEMS[1]) is not None
    assert memory.ranking(searcher.index, changed, SYSTEMS[1]) is None
    assert memory.ranking(searcher.index, QUERY_CASES[0], parse_system("bm25:rrf@k=9")) is None
    assert memory.ranking(lexical_index, QUERY_CASES[0], SYSTEMS[1]) is None


def test_fresh_results_are_computed_anew_and_then_kept(searcher, memory):
    rank_queries(searcher, QUERY_CASES[:1], SYSTEMS[1:2], memory=memory)
    fresh = Memory(memory.path, fresh=True)
    assert fresh.ranking(searcher.index, QUERY_CASES[0], SYSTEMS[1]) is None
    rank_queries(searcher, QUERY_CASES[:1], SYSTEMS[1:2], memory=fresh)
    assert fresh.ranking(searcher.index, QUERY_CASES[0], SYSTEMS[1]) is not None


def test_a_damaged_file_of_results_is_begun_afresh(tmp_path, searcher):
    path = tmp_path / "results.sqlite"
    path.write_bytes(b"this is no database, but it is long enough to be taken for one" * 40)
    memory = Memory(path)
    assert memory.ranking(searcher.index, QUERY_CASES[0], SYSTEMS[0]) is None
    rank_queries(searcher, QUERY_CASES[:1], SYSTEMS[:1], memory=memory)
    assert memory.ranking(searcher.index, QUERY_CASES[0], SYSTEMS[0]) is not None


def test_a_place_where_nothing_can_be_kept_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(DataError, match="cannot be kept"):
        Memory(tmp_path / "file" / "results.sqlite")


# ---------------------------------------------------------------------------- meetings, queries


def test_the_heatmap_counts_what_the_hits_hold(searcher):
    """By loops: every hit of every query paragraph on a paragraph of a relevant case."""
    system = parse_system("dense:rrf@depth=6")
    found = heatmap(searcher, labelled(MANY), system)
    expected = 0
    for case in QUERY_CASES:
        query = searcher.query(case.text)
        relevant = {case_id for case_id, grade in LABELS[case.id].items() if grade > 0}
        for of_paragraph in searcher.hits(query, system).rows:
            for row in of_paragraph:
                held_by = searcher.index.case_ids[searcher.index.case_of_row[row]]
                expected += held_by in relevant
    assert found.counts.sum() + found.outside == expected > 0


@pytest.mark.parametrize("name", ["bm25:doc", "dense:firstp", "hybrid:rrf"])
def test_a_system_without_paragraph_hits_has_no_heatmap(searcher, name):
    with pytest.raises(ConfigError, match="no paragraph hits"):
        heatmap(searcher, labelled(MANY), parse_system(name))


def test_places_lie_between_the_first_paragraph_and_the_last(searcher):
    found = places(searcher, labelled(MANY), parse_system("bm25:rrf"))
    assert list(found) == ["q0", "q1", "q2", "q3"]
    assert all(0 <= place <= 1 for query in ("q0", "q1", "q3") for place in found[query])
    assert np.isnan(found["q2"]).all(), "no case is relevant to it"


def test_query_differences_are_those_of_the_measure_greatest_gain_first(searcher):
    chosen = labelled(MANY)
    runs = rank_queries(searcher, chosen.cases, SYSTEMS[:3:2]).runs
    found = query_differences(searcher, chosen, runs, "RR")
    assert (found.baseline, found.system) == ("bm25:doc", "dense:vrrf")
    assert [row.difference for row in found.rows] == sorted(
        (row.difference for row in found.rows), reverse=True
    )
    for row in found.rows:
        ranking = runs["dense:vrrf"][row.query].case_ids
        ranks = [ranking.index(c) + 1 for c, grade in LABELS[row.query].items() if grade]
        assert row.system == pytest.approx(1 / min(ranks) if ranks else 0)
        assert row.paragraphs == 3
        assert row.relevant == len(ranks)
    assert sum(found.counts()) == 4
    assert len(found.as_csv().splitlines()) == 5
    assert "4 queries" in found.as_text() or "queries gain" in found.as_text()


def test_two_systems_are_compared_query_by_query_no_more(searcher):
    with pytest.raises(ConfigError, match="got 1"):
        query_differences(searcher, labelled(MANY), {"bm25:rrf": {}}, "RR")
