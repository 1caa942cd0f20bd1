"""Whole searches against their slow twin, and what a search promises."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import CASES, COLLECTION, COSTS, QUERY_CASE, FakeEncoder
from slow_search import SYSTEMS, assert_ranking, slow_twin

from parm_core.errors import ConfigError, DataError, EncoderError, IndexStoreError
from parm_core.index.build import build_index
from parm_core.retrieval import Searcher
from parm_core.systems import parse_system
from parm_core.types import Case, Collection


def scores_of(ranking):
    return dict(zip(ranking.case_ids, ranking.scores.tolist(), strict=True))


@pytest.mark.parametrize("depth", [1000, 5, 1])
@pytest.mark.parametrize("system", SYSTEMS)
def test_every_system_ranks_as_its_slow_twin(searcher, query, encoder, system, depth):
    wanted = slow_twin(searcher, query, encoder).scores(system, depth)
    assert_ranking(searcher.rank(query, parse_system(system).with_depth(depth)), wanted)


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_case_as_its_own_query_is_not_found(searcher, encoder, system):
    query = searcher.query_from_index("barge")
    wanted = slow_twin(searcher, query, encoder).scores(system)
    assert "barge" not in wanted
    assert_ranking(searcher.rank(query, system), wanted)


@pytest.mark.parametrize(
    ("system", "parts", "k"),
    [
        ("hybrid:rrf", ["bm25:srrf", "dense:srrf"], 60),
        ("hybrid:rrf@k=3@of=bm25:doc+dense:firstp+dense:vmax", None, 3),
        ("hybrid:rrf@of=dense:maxp+bm25:combsum", None, 60),
    ],
)
def test_a_hybrid_ranks_as_its_slow_twin(searcher, query, encoder, system, parts, k):
    parts = parts or system.partition("of=")[2].split("+")
    wanted = slow_twin(searcher, query, encoder).fused(parts, k=k)
    assert_ranking(searcher.rank(query, system), wanted)


def test_a_hybrid_by_hand(searcher, query):
    """score = 1 / (60 + its rank here) + 1 / (60 + its rank there); absent adds nothing."""
    lexical = searcher.rank(query, "bm25:srrf@depth=2").ranks()
    dense = searcher.rank(query, "dense:srrf@depth=2").ranks()
    fused = scores_of(searcher.rank(query, "hybrid:rrf@depth=2"))
    assert fused.keys() == lexical.keys() | dense.keys()
    assert lexical.keys() ^ dense.keys()
    for case_id, score in fused.items():
        here = 1 / (60 + lexical[case_id]) if case_id in lexical else 0
        there = 1 / (60 + dense[case_id]) if case_id in dense else 0
        assert score == pytest.approx(here + there)


@pytest.mark.parametrize("retriever", ["bm25", "dense"])
@pytest.mark.parametrize("depth", [1, 3, 8, 1000])
def test_hits_are_the_best_of_a_full_sort(searcher, query, encoder, retriever, depth):
    hits = searcher.hits(query, parse_system(f"{retriever}:combsum@depth={depth}"))
    wanted = slow_twin(searcher, query, encoder).hits(retriever, depth)
    index = searcher.index
    for rows, scores, slow in zip(hits.rows, hits.scores, wanted, strict=True):
        held = rows[rows >= 0]
        places = [(index.case_ids[index.case_of_row[r]], int(index.positions[r])) for r in held]
        assert places == [(hit.case_id, hit.position) for hit in slow]
        np.testing.assert_allclose(scores[: held.size], [h.score for h in slow], rtol=1e-5)
        assert (rows[held.size :] == -1).all()
        assert (scores[held.size :] == 0).all()


def test_a_smaller_depth_after_a_larger_one_is_as_if_it_came_first(searcher):
    asked, fresh = searcher.query(QUERY_CASE.text), searcher.query(QUERY_CASE.text)
    searcher.rank(asked, "dense:rrf")
    small = parse_system("dense:rrf@depth=3")
    assert scores_of(searcher.rank(asked, small)) == scores_of(searcher.rank(fresh, small))


def test_a_smaller_depth_is_the_head_of_hits_already_found(searcher, query):
    """Moving a depth slider searches no more."""
    deep = searcher.hits(query, parse_system("dense:rrf@depth=20"))
    head = searcher.hits(query, parse_system("dense:combsum@depth=3"))
    assert np.shares_memory(head.rows, deep.rows)
    assert head.rows.tolist() == deep.rows[:, :3].tolist()


def test_hits_of_equal_text_tie_and_stand_by_case_id_descending(searcher, query):
    """The paragraph on costs is in the query, and word for word in two places, but for its number."""
    hits = searcher.hits(query, parse_system("dense:combsum"))
    index = searcher.index
    twins = {
        index.case_ids[index.case_of_row[r]]: r
        for r in range(index.n_paragraphs)
        if index.texts(slice(r, r + 1))[0] == f"4. {COSTS}"
    }
    assert twins.keys() == {"barge", "bees"}
    for rows, scores in zip(hits.rows.tolist(), hits.scores, strict=True):
        first, second = rows.index(twins["bees"]), rows.index(twins["barge"])
        assert second == first + 1
        assert scores[first] == scores[second]


def test_at_the_depth_cut_too_ties_go_by_case_id_descending(searcher):
    query = searcher.query(f"4. {COSTS}")
    ranking = searcher.rank(query, "dense:combsum@depth=1")
    assert ranking.case_ids == ("bees",)
    assert ranking.scores[0] == pytest.approx(1)


def test_an_added_case_leaves_the_others_dense_combsum_alone(tmp_path, encoder, searcher, query):
    added = Case("zither", "Added", "1. A zither was left upon the quay.\n2. It was never fetched.")
    more = Collection("more", (*CASES, added))
    wider = Searcher(build_index(more, tmp_path / "index", encoder=encoder), encoder)
    before = scores_of(searcher.rank(query, "dense:combsum"))
    after = scores_of(wider.rank(wider.query(QUERY_CASE.text), "dense:combsum"))
    assert after.keys() == before.keys() | {"zither"}
    for case_id, score in before.items():
        assert after[case_id] == pytest.approx(score, abs=1e-5)


TWINS = [f"{letter}{n:02}" for letter in "at" for n in range(33)]
TWIN_SAFE = ["bm25:doc", "bm25:combsum"]
TWIN_SAFE += [
    f"dense:{name}"
    for name in ("firstp", "maxp", "combsum", "max", "vsum", "vavg", "vmax", "vmin", "vscores")
]


@pytest.fixture(scope="module")
def twin_searcher(tmp_path_factory):
    """Cases of one text at both ends, 121 others between them, with vectors as wide as real ones."""
    cases = [
        Case(f"o{n}", "", f"Paragraph {n} is about the quay and its {n} posts.") for n in range(121)
    ]
    cases += [Case(twin, "", "The quay was let to a miller by the harbour.") for twin in TWINS]
    encoder = FakeEncoder(dim=384)
    path = tmp_path_factory.mktemp("twins") / "index"
    return Searcher(build_index(Collection("twins", tuple(cases)), path, encoder=encoder), encoder)


@pytest.mark.parametrize("system", TWIN_SAFE)
def test_cases_of_one_text_tie_in_all_that_read_scores_and_vectors(twin_searcher, system):
    """At full depth, where no cut parts them; then the larger id stands first."""
    for text in ("A miller may let a boat at the quay.", "The quay fell.", "A boat on the quay."):
        found = scores_of(twin_searcher.rank(twin_searcher.query(text), system))
        tied = [(case_id, score) for case_id, score in found.items() if case_id in TWINS]
        assert len({score for _, score in tied}) == 1
        assert [case_id for case_id, _ in tied] == TWINS[::-1]


def test_a_query_without_a_shared_word_finds_nothing_by_bm25(searcher):
    query = searcher.query("Quizzical zebras juggle xylophones.")
    for system in SYSTEMS:
        if system.startswith("bm25"):
            assert len(searcher.rank(query, system)) == 0


def test_search_is_query_then_rank(searcher, query):
    ranking = searcher.search(QUERY_CASE.text, "bm25:rrf")
    assert scores_of(ranking) == scores_of(searcher.rank(query, "bm25:rrf"))
    assert [case.rank for case in ranking] == list(range(1, len(ranking) + 1))


def test_a_query_case_is_cut_as_the_collection_was(searcher, query):
    assert [text.split(".")[0] for text in query.texts] == ["1", "2", "3", "4"]
    assert query.positions.tolist() == [0, 1, 2, 3]


def test_a_querys_positions_skip_what_is_not_retrieved(searcher):
    """The front that recurs across the collection is the case's first paragraph, and no query."""
    query = searcher.query_from_index("lamp")
    assert query.positions.tolist() == [1, 2]
    assert not query.case.paragraphs[0].retrieved


@pytest.mark.parametrize("text", ["", " \n\t ", "12 34 — 5", "\x00\x01"])
def test_a_text_without_words_is_refused(searcher, text):
    with pytest.raises(DataError, match="give the text of a case"):
        searcher.query(text)


def test_an_unknown_case_is_named(searcher):
    with pytest.raises(DataError, match="'northmark' holds no case 'nobody'"):
        searcher.query_from_index("nobody")


def test_an_unknown_system_is_refused(searcher, query):
    with pytest.raises(ConfigError, match="unknown system"):
        searcher.rank(query, "bm25:mean")


def test_each_distinct_query_text_is_encoded_once(index):
    encoder = FakeEncoder()
    searcher = Searcher(index, encoder)
    query = searcher.query("1. The mill burned.\n2. The mill was old.\n3. The mill burned.\n")
    searcher.rank(query, "dense:rrf")
    searcher.rank(query, "dense:vrrf")
    assert sorted(encoder.encoded) == sorted(set(query.texts))


def test_an_encoder_of_other_weights_is_refused(index):
    other = FakeEncoder(weights_sha256="0" * 64)
    searcher = Searcher(index, other)
    with pytest.raises(EncoderError, match="built with fake, weights ffffffffffff"):
        searcher.search("The barge sank.", "dense:rrf")


def test_bm25_needs_no_encoder(index):
    searcher = Searcher(index, FakeEncoder(weights_sha256="0" * 64))
    assert searcher.search("The barge sank.", "bm25:rrf").case_ids[0] == "barge"


@pytest.mark.parametrize("system", ["dense:rrf", "dense:firstp", "bm25:vrrf", "hybrid:rrf"])
def test_a_dense_system_needs_an_index_with_vectors(lexical_index, encoder, system):
    with pytest.raises(IndexStoreError, match="was built without an encoder"):
        Searcher(lexical_index, encoder).search("The barge sank.", system)


def test_where_the_time_went_is_told_by_step(searcher):
    query = searcher.query(QUERY_CASE.text)
    assert query.seconds.keys() == {"segment"}
    searcher.rank(query, "hybrid:rrf")
    assert query.seconds.keys() == {"segment", "encode", "retrieve", "aggregate"}
    assert all(spent >= 0 for spent in query.seconds.values())


def test_the_collections_own_labels_can_be_measured(searcher):
    from parm_core.evaluation import evaluate

    run = {q.id: searcher.search(q.text, "bm25:rrf") for q in COLLECTION.queries}
    assert evaluate(run, COLLECTION.qrels, ["R@3"]) == {"R@3": 1.0}
