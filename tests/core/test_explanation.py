"""Contributions: the cells of the formula, and their sum the score as ranked."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import FakeEncoder
from slow_search import SYSTEMS, slow_twin

from parm_core.errors import ConfigError, DataError
from parm_core.explanation import OPENING, contributions
from parm_core.index.build import build_index
from parm_core.retrieval import Searcher
from parm_core.systems import parse_system
from parm_core.types import Case, Collection

MANY = "So many words that no rule takes this for a heading or a scrap of some other paragraph:"
WAYS = ["retrieval", "similarity"]
HYBRIDS = ["hybrid:rrf", "hybrid:rrf@k=2@of=bm25:doc+dense:firstp+dense:vmin"]


def cells_of(why):
    """{(query paragraph, case paragraph): value} of the cells that are not 0."""

    def name(position):
        return "opening" if position == OPENING else int(position)

    rows, columns = np.nonzero(why.cells)
    return {
        (name(why.query_positions[i]), name(why.case_positions[j])): float(why.cells[i, j])
        for i, j in zip(rows, columns, strict=True)
    }


@pytest.mark.parametrize("by", WAYS)
@pytest.mark.parametrize("depth", [1000, 6])
@pytest.mark.parametrize("system", SYSTEMS)
def test_cells_are_those_of_the_formula(searcher, query, encoder, system, depth, by):
    slow = slow_twin(searcher, query, encoder)
    parsed = parse_system(system).with_depth(depth)
    for case_id in slow.scores(system, depth):
        found = cells_of(contributions(searcher, query, parsed, case_id, by=by))
        wanted = slow.contributions(system, case_id, by, depth)
        slack = 1e-5 * sum(abs(value) for value in wanted.values())
        for cell in found.keys() | wanted.keys():
            assert found.get(cell, 0) == pytest.approx(wanted.get(cell, 0), abs=slack)


@pytest.mark.parametrize("by", WAYS)
@pytest.mark.parametrize("depth", [1000, 4])
@pytest.mark.parametrize("system", SYSTEMS)
def test_cells_sum_to_the_score_as_ranked(searcher, query, system, depth, by):
    parsed = parse_system(system).with_depth(depth)
    ranking = searcher.rank(query, parsed)
    assert len(ranking) > 0
    for case in ranking:
        why = contributions(searcher, query, parsed, case.case_id, by=by)
        slack = 1e-4 * np.abs(why.cells).sum()
        assert abs(why.cells.sum() - case.score) <= slack
        assert abs(why.score - case.score) <= slack
        assert (why.system, why.case_id) == (str(parsed), case.case_id)


@pytest.mark.parametrize("by", WAYS)
@pytest.mark.parametrize("system", HYBRIDS)
def test_a_hybrids_terms_sum_to_the_score_as_ranked(searcher, query, system, by):
    for case in searcher.rank(query, system):
        why = contributions(searcher, query, system, case.case_id, by=by)
        assert sum(term.contribution for term in why.terms) == pytest.approx(case.score)
        assert why.score == pytest.approx(case.score)


def test_a_hybrids_terms_are_its_rankings_ranks(searcher, query):
    system = parse_system("hybrid:rrf@depth=2")
    lexical, dense = (searcher.rank(query, part).ranks() for part in system.parts)
    for case_id in searcher.index.case_ids:
        first, second = contributions(searcher, query, system, case_id).terms
        assert (first.system, second.system) == ("bm25:srrf@depth=2", "dense:srrf@depth=2")
        for term, ranks in ((first, lexical), (second, dense)):
            assert term.rank == ranks.get(case_id)
            wanted = 1 / (60 + term.rank) if term.rank else 0
            assert term.contribution == pytest.approx(wanted)


@pytest.mark.parametrize("system", [s for s in SYSTEMS if s not in ("bm25:doc",)])
def test_a_case_that_was_not_found_has_no_score(searcher, query, system):
    """Depth 1 finds at most one case a query paragraph."""
    parsed = parse_system(system).with_depth(1)
    found = set(searcher.rank(query, parsed).case_ids)
    for case_id in set(searcher.index.case_ids) - found:
        why = contributions(searcher, query, parsed, case_id)
        assert why.score == 0
        assert not why.cells.any()


@pytest.mark.parametrize("system", SYSTEMS)
def test_the_query_case_itself_has_no_score(searcher, system):
    query = searcher.query_from_index("lease")
    why = contributions(searcher, query, system, "lease")
    assert why.score == 0
    assert not why.cells.any()


@pytest.mark.parametrize("by", WAYS)
@pytest.mark.parametrize("system", ["dense:vrrf", "bm25:rrf", "bm25:doc", "dense:vmax"])
def test_rows_and_columns_are_the_retrieved_paragraphs(searcher, system, by):
    query = searcher.query_from_index("barge")
    why = contributions(searcher, query, system, "lease", by=by)
    assert why.query_positions.tolist() == [1, 2, 3, 4]
    assert why.case_positions.tolist() == [1, 2, 3, 4, 5]
    assert why.cells.shape == (4, 5)


def test_whole_document_cells_say_so(searcher, query):
    why = contributions(searcher, query, "dense:firstp", "barge")
    assert (why.query_positions.tolist(), why.case_positions.tolist()) == ([OPENING], [OPENING])
    why = contributions(searcher, query, "dense:maxp", "barge")
    assert why.query_positions.tolist() == [OPENING]
    assert np.count_nonzero(why.cells) == 1


def test_pairs_are_strongest_first_and_shares_are_of_all_absolute_cells(searcher, query):
    why = contributions(searcher, query, "dense:combsum", "lease")
    assert (why.cells < 0).any()
    pairs = why.pairs()
    sizes = [abs(pair.contribution) for pair in pairs]
    assert sizes == sorted(sizes, reverse=True)
    assert sum(abs(pair.share) for pair in pairs) == pytest.approx(1)
    assert pairs[0].share == pytest.approx(pairs[0].contribution / np.abs(why.cells).sum())
    assert why.pairs(2) == pairs[:2]
    assert len(pairs) == np.count_nonzero(why.cells)


@pytest.mark.parametrize("name", ["vmax", "vmin"])
@pytest.mark.parametrize("by", WAYS)
def test_what_supplies_a_component_together_shares_it_equally(tmp_path, name, by):
    """Both query paragraphs have one vector, and so have both of the case's: a quarter each."""

    class Same(FakeEncoder):
        def _encode(self, texts, progress):
            return super()._encode([text.split()[-1] for text in texts], progress)

    encoder = Same(dim=4)
    case = Case("only", "", f"1. {MANY} one mill burned\n2. {MANY} a second mill burned\n")
    made = build_index(Collection("two", (case,)), tmp_path / "index", encoder=encoder)
    searcher = Searcher(made, encoder)
    query = searcher.query(f"1. {MANY} one barge sank\n2. {MANY} a second barge sank\n")
    why = contributions(searcher, query, f"dense:{name}", "only", by=by)
    assert why.cells.shape == (2, 2)
    np.testing.assert_allclose(why.cells, why.score / 4, rtol=1e-6)


def test_a_paragraph_on_its_own_gets_all_of_it(searcher):
    """One query paragraph, depth 1: one hit, whose term is the score."""
    query = searcher.query("A stage lamp fell upon the singer.")
    for name in ("rrf", "srrf", "combsum", "max", "vsum", "vavg", "vranks", "vscores", "vrrf"):
        why = contributions(searcher, query, f"bm25:{name}@depth=1", "lamp")
        assert list(cells_of(why)) == [(0, 1)]


@pytest.mark.parametrize("system", ["bm25:rrf", "dense:firstp", "hybrid:rrf"])
def test_unknown_cases_and_ways_are_refused(searcher, query, system):
    with pytest.raises(DataError, match="holds no case 'nobody'"):
        contributions(searcher, query, system, "nobody")
    with pytest.raises(ConfigError, match="by must be 'retrieval' or 'similarity', got 'rank'"):
        contributions(searcher, query, system, "barge", by="rank")
