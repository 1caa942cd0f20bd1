"""Saved searches: replayed they give the same, or say exactly what differs."""

from __future__ import annotations

import json

import pytest
from conftest import CASES, COLLECTION, QUERY_CASE, FakeEncoder

from parm_core import encoders, records
from parm_core.errors import DataError
from parm_core.index.build import IndexOptions, build_index
from parm_core.index.lexical import BM25Params
from parm_core.retrieval import Searcher
from parm_core.types import Case, Collection

SYSTEMS = ["bm25:doc", "dense:vrrf", "hybrid:rrf@k=2.5@depth=7"]


@pytest.fixture
def recorded(searcher, query):
    rankings = {system: searcher.rank(query, system) for system in SYSTEMS}
    made = records.record(searcher.index, QUERY_CASE.text, rankings, None)
    return json.loads(json.dumps(made))


def replayed(searcher, recorded, text=QUERY_CASE.text):
    return list(records.differences(searcher, searcher.query(text), text, recorded))


def test_the_same_search_replays_without_a_difference(searcher, recorded):
    assert replayed(searcher, recorded) == []
    assert list(recorded["rankings"]) == SYSTEMS


def test_a_record_names_all_that_its_rankings_depend_on(searcher, recorded):
    manifest = searcher.index.manifest
    for name in ("collection", "segmentation", "tokeniser", "bm25", "encoder", "product"):
        assert recorded[name] == manifest[name]
    assert recorded["collection"]["sha256"]
    assert recorded["encoder"]["revision"]


def test_a_record_does_not_hold_the_case(recorded):
    held = json.dumps(recorded)
    for word in ("claimant", "mooring whose chain", "Finch"):
        assert word not in held


def test_another_case_is_told(searcher, recorded):
    found = replayed(searcher, recorded, QUERY_CASE.text + "5. The mill burned down.\n")
    assert found[0] == "the case's text is another one"


def test_another_collection_is_told(tmp_path, encoder, recorded):
    changed = Case("barge", CASES[0].title, CASES[0].text + "5. So it was held in the end.\n")
    other = Collection("northmark", (changed, *CASES[1:]))
    index = build_index(other, tmp_path / "index", encoder=encoder)
    found = replayed(Searcher(index, encoder), recorded)
    assert found[0].startswith("collection was ")
    assert index.manifest["collection"]["sha256"] in found[0]


def test_other_parameters_are_told(tmp_path, encoder, recorded):
    options = IndexOptions(bm25=BM25Params(k1=2))
    index = build_index(COLLECTION, tmp_path / "index", encoder=encoder, options=options)
    found = replayed(Searcher(index, encoder), recorded)
    assert found[0] == 'bm25 was {"b": 0.8, "k1": 1.3}, is {"b": 0.8, "k1": 2}'
    assert any(line.startswith("bm25:doc: rank 1, ") for line in found)


def test_another_version_of_the_code_is_told(searcher, recorded):
    found = replayed(searcher, recorded | {"product": "0.0.1"})
    assert len(found) == 1
    assert found[0].startswith('product was "0.0.1", is ')


def test_an_order_a_score_and_a_count_that_differ_are_told(searcher, recorded):
    def told(change):
        copy = json.loads(json.dumps(recorded))
        change(copy["rankings"]["dense:vrrf"])
        return replayed(searcher, copy)

    first, second = (case_id for case_id, _ in recorded["rankings"]["dense:vrrf"][:2])
    assert told(lambda ranking: ranking.insert(0, ranking.pop(1))) == [
        f"dense:vrrf: rank 1 was {second}, is {first}"
    ]
    (line,) = told(lambda ranking: ranking[0].__setitem__(1, 9.5))
    assert line.startswith(f"dense:vrrf: rank 1, {first}, scored 9.5, now ")
    assert told(lambda ranking: ranking.pop()) == ["dense:vrrf: 5 cases were found, now 6"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "{}",
        '{"format": 2, "rankings": {}}',
        pytest.param('{"format": 1, "rankings": {}}'),
        pytest.param(
            '{"format": 1, "rankings": {"bm25:rrf": 3}, "case": {"sha256": ""}, "index": "x"}',
        ),
    ],
)
def test_what_is_no_record_is_refused(tmp_path, searcher, text):
    (tmp_path / "record.json").write_text(text)
    with pytest.raises(DataError, match=r"record\.json"):
        replayed(searcher, records.read_record(tmp_path / "record.json"))


def test_a_record_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(DataError, match="cannot read the record"):
        records.read_record(tmp_path / "nowhere.json")


# -------------------------------------------------------------------------- on the command line


@pytest.fixture
def parm(parm, monkeypatch):
    """The command line, with the fake encoder."""
    monkeypatch.setattr(encoders, "load_encoder", lambda *_, **__: FakeEncoder())
    return parm


@pytest.fixture
def saved(parm, index, tmp_path):
    """A search of case.txt, saved as record.json; its folder."""
    (tmp_path / "case.txt").write_text(QUERY_CASE.text, encoding="utf-8")
    words = ["--system", "dense:vrrf", "--record", tmp_path / "record.json"]
    assert parm("search", index.path, tmp_path / "case.txt", *words)[0] == 0
    return tmp_path


def test_replay_exits_0_where_all_is_the_same(parm, saved):
    code, out, err = parm("replay", saved / "record.json")
    assert (code, out, err) == (0, "the same: every ranking as recorded\n", "")


def test_replay_takes_a_case_that_has_moved(parm, saved):
    (saved / "case.txt").rename(saved / "moved.txt")
    assert parm("replay", saved / "record.json")[0] == 2
    assert parm("replay", saved / "record.json", "--case", saved / "moved.txt")[0] == 0


def test_replay_exits_1_where_something_differs_and_says_what(parm, saved):
    (saved / "case.txt").write_text(QUERY_CASE.text + "5. The mill burned down.\n")
    code, out, _ = parm("replay", saved / "record.json")
    assert out.splitlines()[0] == "the case's text is another one"
    assert code == 1


def test_replay_refuses_what_is_no_record(parm, tmp_path):
    (tmp_path / "record.json").write_text("{}")
    code, out, err = parm("replay", tmp_path / "record.json")
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert "is not a record" in err
