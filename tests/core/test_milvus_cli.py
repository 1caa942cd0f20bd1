"""`parm index --backend milvus`, and the commands that take what it writes."""

from __future__ import annotations

import json

import pytest
from conftest import QUERY_CASE
from small_milvus import open_file

from parm_core.collections.writing import write_beir
from parm_core.index.milvus import RemoteIndex
from parm_core.index.store import open_index


@pytest.fixture
def place(tmp_path, collection):
    """A folder with the small collection and a query case, beside a Milvus Lite file."""
    open_file(tmp_path)
    write_beir(collection, tmp_path / "collection")
    (tmp_path / "case.txt").write_text(QUERY_CASE.text, encoding="utf-8")
    return tmp_path


def built(parm, place, source="collection"):
    words = ["--encoder", "none", "--backend", "milvus", "--uri", place / "milvus.db"]
    return parm("index", place / source, place / "index", *words)


def test_an_index_in_milvus_is_built_searched_described_and_verified(parm, place):
    code, out, _ = built(parm, place)
    assert (code, isinstance(open_index(place / "index"), RemoteIndex)) == (0, True)
    assert "milvus:       ../milvus.db, rows' SHA-256 " in out
    assert not list(place.glob(".index*"))
    parm("index", place / "collection", place / "local", "--encoder", "none")
    found = {}
    for name in ("index", "local"):
        code, out, err = parm(
            "search", place / name, place / "case.txt", "--system", "bm25:srrf", "--json"
        )
        assert (code, err) == (0, "")
        found[name] = [
            {key: value for key, value in report.items() if key != "seconds"}
            for report in json.loads(out)
        ]
    assert found["index"] == found["local"]
    assert parm("index", "--verify", place / "index")[0] == 0
    assert "milvus: " in parm("index", "--info", place / "index")[1]


def test_an_index_on_this_machine_is_moved_and_stays(parm, place):
    parm("index", place / "collection", place / "local", "--encoder", "none")
    before = (place / "local" / "manifest.sha256").read_bytes()
    assert built(parm, place, "local")[0] == 0
    assert (place / "local" / "manifest.sha256").read_bytes() == before
    assert isinstance(open_index(place / "index"), RemoteIndex)


def test_the_collection_that_an_index_no_longer_names_is_told(parm, place):
    built(parm, place)
    old = open_index(place / "index").collection_name
    words = ["--k1", "2", "--encoder", "none", "--backend", "milvus", "--uri", place / "milvus.db"]
    code, _, err = parm("index", place / "collection", place / "index", *words)
    assert code == 0
    assert f"the collection {old} at " in err
    assert "stays in Milvus" in err
    assert built(parm, place)[2].count("stays in Milvus") == 1


def test_a_damaged_row_fails_verify_with_one_line(parm, place):
    built(parm, place)
    collection = open_index(place / "index").collection
    row = next(collection.blocks()).entities()[3] | {"position": 77}
    collection._call("upsert", data=[row])
    code, out, err = parm("index", "--verify", place / "index")
    assert (code, out) == (2, "")
    assert f"the collection {collection.name} at " in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    "words",
    [
        ["--backend", "milvus"],
        ["--uri", "http://127.0.0.1:19530"],
        ["--backend", "elsewhere", "--uri", "x.db"],
    ],
)
def test_a_backend_without_its_uri_is_refused(parm, place, words):
    code, _, err = parm("index", place / "collection", place / "index", *words)
    assert code == 2
    assert "--backend is local, or milvus with --uri URI" in err
    assert not (place / "index").exists()


def test_a_milvus_that_is_down_is_said_before_anything_is_built(parm, place):
    words = ["--encoder", "none", "--backend", "milvus", "--uri", "http://127.0.0.1:9"]
    code, _, err = parm("index", place / "collection", place / "index", *words)
    assert code == 2
    assert "Milvus at http://127.0.0.1:9 does not answer" in err
    assert err.count("\n") == 1
    assert sorted(p.name for p in place.iterdir()) == ["case.txt", "collection", "milvus.db"]
