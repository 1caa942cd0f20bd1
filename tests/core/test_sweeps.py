"""Sweeps: what may be varied, what is chosen, and on which queries it is reported."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from conftest import COLLECTION, QUERY_CASE, QUERY_CASES

from parm_core.errors import ConfigError, DataError
from parm_core.evaluation import evaluate
from parm_core.experiments.memory import Memory
from parm_core.experiments.plans import MOST_POINTS, Plan, read_axis
from parm_core.experiments.sweeps import sweep
from parm_core.index.build import IndexOptions, build_index
from parm_core.index.lexical import BM25Params
from parm_core.index.reweighting import reweighted, row_terms
from parm_core.retrieval import Searcher
from parm_core.systems import parse_system

RELEVANT = ("barge", "mooring", "lamp", "lease")
MANY = replace(
    COLLECTION,
    queries=QUERY_CASES,
    qrels={query.id: {case_id: 1} for query, case_id in zip(QUERY_CASES, RELEVANT, strict=True)},
)


@pytest.fixture
def memory(tmp_path):
    return Memory(tmp_path / "kept" / "results.sqlite")


# ---------------------------------------------------------------------------------------- plans


@pytest.mark.parametrize(
    ("text", "axis"),
    [
        ("k=1,10, 60", ("k", (1.0, 10.0, 60.0))),
        ("aggregation=rrf,srrf", ("aggregation", ("rrf", "srrf"))),
        (" segment = lines ", ("segment", ("lines",))),
    ],
)
def test_an_axis_is_read_from_its_text(text, axis):
    assert read_axis(text) == axis


@pytest.mark.parametrize("text", ["k", "k=", "=1", "k=ten", "k=1e999", "k=nan", ""])
def test_what_is_no_axis_is_told(text):
    with pytest.raises(ConfigError):
        read_axis(text)


@pytest.mark.parametrize(
    ("base", "axes", "told"),
    [
        ("bm25:rrf", {}, "something to vary"),
        ("bm25:rrf", {"colour": ("red",)}, "cannot be varied"),
        ("bm25:rrf", {"k": ()}, "needs different values"),
        ("bm25:rrf", {"k": (1.0, 1.0)}, "needs different values"),
        ("bm25:rrf", {"p": (1.0,)}, "has no p to vary"),
        ("bm25:doc", {"depth": (10.0,)}, "has no depth"),
        ("bm25:rrf", {"depth": (0.0,)}, "depth must be"),
        ("bm25:rrf", {"k": (-1.0,)}, "k must be"),
        ("bm25:rrf", {"b": (1.5,)}, "b must be"),
        ("dense:rrf", {"k1": (1.0,)}, "no BM25"),
        ("bm25:rrf", {"aggregation": ("maxp",)}, "bm25 takes"),
        ("bm25:rrf", {"segment": ("chapters",)}, "segment takes"),
        ("bm25:rrf", {"k": tuple(map(float, range(MOST_POINTS + 1)))}, "too many"),
    ],
)
def test_a_plan_that_makes_no_sense_is_told(base, axes, told):
    with pytest.raises(ConfigError, match=told):
        Plan(parse_system(base), axes)


def test_the_settings_are_the_axes_product_in_order():
    plan = Plan(parse_system("bm25:rrf"), {"depth": (10.0, 20.0), "k": (1.0, 60.0), "b": (0.5,)})
    assert [setting.name for setting in plan.settings()] == [
        "bm25:rrf@k=1@depth=10 [b=0.5]",
        "bm25:rrf@depth=10 [b=0.5]",
        "bm25:rrf@k=1@depth=20 [b=0.5]",
        "bm25:rrf@depth=20 [b=0.5]",
    ]


def test_another_aggregation_keeps_depth_and_what_parameters_it_has():
    plan = Plan(parse_system("bm25:rrf@k=7@depth=50"), {"aggregation": ("rrf", "vrrf", "combsum")})
    assert [str(setting.system) for setting in plan.settings()] == [
        "bm25:rrf@k=7@depth=50",
        "bm25:vrrf@k=7@depth=50",
        "bm25:combsum@depth=50",
    ]


def test_a_parameter_beside_aggregations_that_lack_it_changes_nothing_for_them():
    plan = Plan(parse_system("bm25:rrf"), {"aggregation": ("rrf", "combsum"), "k": (1.0, 2.0)})
    assert [str(setting.system) for setting in plan.settings()] == [
        "bm25:rrf@k=1", "bm25:rrf@k=2", "bm25:combsum", "bm25:combsum",
    ]  # fmt: skip


# ---------------------------------------------------------------------------------- reweighting


@pytest.mark.parametrize("params", [BM25Params(k1=0.4, b=0.1), BM25Params(k1=3, b=1)])
@pytest.mark.parametrize("system", ["bm25:rrf", "bm25:doc"])
def test_a_reweighted_index_ranks_as_one_built_with_these_parameters(
    lexical_index, tmp_path, params, system
):
    options = IndexOptions(bm25=params)
    built = Searcher(build_index(COLLECTION, tmp_path / "i", encoder=None, options=options))
    other = Searcher(reweighted(lexical_index, params, row_terms(lexical_index)))
    expected = built.rank(built.query(QUERY_CASE.text), system)
    found = other.rank(other.query(QUERY_CASE.text), system)
    assert found.case_ids == expected.case_ids
    assert list(found.scores) == list(expected.scores)


# --------------------------------------------------------------------------------------- sweeps


def test_the_best_on_the_development_queries_is_reported_on_the_others(lexical_index, memory):
    plan = Plan(parse_system("bm25:rrf"), {"depth": (1.0, 2.0, 30.0), "k": (1.0, 60.0)}, "RR")
    found = sweep(lexical_index, MANY, plan, memory=memory, seed=2)
    assert len(found.points) == 6
    dev, test = found.splits["dev"], found.splits["test"]
    assert sorted([*dev, *test]) == [query.id for query in QUERY_CASES]
    assert set(found.test.queries) == set(test)
    searcher = Searcher(lexical_index)
    cases = {query.id: query for query in QUERY_CASES}
    for point in found.points:
        run = {q: searcher.rank(searcher.query(cases[q].text), point.name) for q in dev}
        qrels = {q: MANY.qrels[q] for q in dev}
        assert point.dev == pytest.approx(evaluate(run, qrels, ["RR"])["RR"])
    assert found.chosen.dev == max(point.dev for point in found.points)


def test_the_first_of_equals_is_chosen(lexical_index, memory):
    plan = Plan(parse_system("bm25:rrf"), {"depth": (30.0, 40.0, 50.0)}, "R@1000")
    found = sweep(lexical_index, MANY, plan, memory=memory)
    assert found.chosen == found.points[0]


def test_bm25s_parameters_are_varied_over_the_same_paragraphs(lexical_index, memory):
    plan = Plan(parse_system("bm25:doc"), {"k1": (0.0, 1.3), "b": (0.0, 0.8)}, "RR")
    found = sweep(lexical_index, MANY, plan, memory=memory)
    base = next(p for p in found.points if p.values == {"k1": 1.3, "b": 0.8})
    searcher = Searcher(lexical_index)
    cases = {query.id: query for query in QUERY_CASES}
    run = {q: searcher.rank(searcher.query(cases[q].text), "bm25:doc") for q in found.splits["dev"]}
    qrels = {q: MANY.qrels[q] for q in run}
    assert base.dev == pytest.approx(evaluate(run, qrels, ["RR"])["RR"])
    assert len({point.name for point in found.points}) == 4


def test_another_rule_is_tried_on_an_index_of_its_own_built_once(lexical_index, memory):
    plan = Plan(parse_system("bm25:rrf"), {"segment": ("auto", "windows")}, "RR")
    first = sweep(lexical_index, MANY, plan, memory=memory)
    built = sorted((memory.path.parent / "indexes").iterdir())
    assert [path.name.split("-")[0] for path in built] == ["windows"]
    before = (built[0] / "manifest.json").stat().st_mtime_ns
    again = sweep(lexical_index, MANY, plan, memory=memory)
    assert (built[0] / "manifest.json").stat().st_mtime_ns == before
    assert again.points == first.points


def test_a_sweep_is_recorded_whole_and_reads_as_json(lexical_index, memory):
    plan = Plan(parse_system("bm25:rrf"), {"k": (1.0, 60.0)}, "RR")
    found = json.loads(json.dumps(sweep(lexical_index, MANY, plan, memory=memory).as_dict()))
    assert found["seed"] == 0
    assert set(found["splits"]) == {"dev", "test"}
    assert found["axes"] == {"k": [1.0, 60.0]}
    assert found["test"]["measures"].keys() >= {"bm25:rrf"}


def test_a_collections_own_split_is_recorded_without_a_seed(lexical_index, memory):
    splits = {"dev": ("q0", "q1"), "test": ("q2", "q3")}
    plan = Plan(parse_system("bm25:rrf"), {"k": (1.0,)}, "RR")
    found = sweep(lexical_index, replace(MANY, splits=splits), plan, memory=memory)
    assert (found.seed, dict(found.splits)) == (None, splits)


def test_a_split_that_was_drawn_is_recorded_with_its_seed(lexical_index, memory):
    """A test split alone leaves nothing to choose on."""
    plan = Plan(parse_system("bm25:rrf"), {"k": (1.0,)}, "RR")
    only_test = replace(MANY, splits={"test": ("q2", "q3")})
    assert sweep(lexical_index, only_test, plan, memory=memory, seed=7).seed == 7


def test_the_chosen_setting_stands_beside_the_base_on_the_test_queries(lexical_index, memory):
    plan = Plan(parse_system("bm25:rrf"), {"b": (0.1,)}, "RR")
    found = sweep(lexical_index, MANY, plan, memory=memory)
    assert found.test.systems == ("bm25:rrf", "bm25:rrf [b=0.1]")
    assert found.test.baseline == "bm25:rrf"


def test_progress_runs_once_over_all_settings(lexical_index, memory):
    seen = []
    plan = Plan(parse_system("bm25:rrf"), {"b": (0.1, 0.2, 0.3)}, "RR")
    sweep(lexical_index, MANY, plan, memory=memory, progress=lambda *step: seen.append(step))
    assert [step[:2] for step in seen] == [(n, 6) for n in range(1, 7)]


def test_an_index_of_another_collection_is_refused(lexical_index, memory):
    plan = Plan(parse_system("bm25:rrf"), {"k": (1.0,)})
    with pytest.raises(DataError, match="built from other cases"):
        sweep(lexical_index, replace(MANY, cases=MANY.cases[1:]), plan, memory=memory)
