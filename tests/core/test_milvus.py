"""An index in Milvus: the same answers, loads that go on where they stopped, faults named in one line."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import sys
import threading

import numpy as np
import pytest
from conftest import COLLECTION, QUERY_CASE, FakeEncoder
from small_milvus import Server, open_file

from parm_core.errors import ConfigError, IndexStoreError, ParmError
from parm_core.explanation import contributions
from parm_core.index import milvus_collection, milvus_connection, milvus_rows
from parm_core.index.build import build_index
from parm_core.index.milvus import RemoteIndex
from parm_core.index.milvus_connection import Connection, checked_uri, opened_uri, stored_uri
from parm_core.index.milvus_loading import IN_MILVUS, move_to_milvus
from parm_core.index.milvus_rows import RowBlock, content_sha256, row_blocks
from parm_core.index.store import open_index
from parm_core.retrieval import Searcher
from parm_core.systems import RETRIEVERS, parse_system

SYSTEMS = [f"{way}:{name}" for way, names in RETRIEVERS.items() for name in names]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("remote")
    open_file(folder)
    return folder


@pytest.fixture(scope="module")
def remote(index, folder):
    """The small collection's index, its paragraphs in a Milvus Lite file beside it."""
    return move_to_milvus(index, folder / "index", str(folder / "milvus.db"))


@pytest.fixture
def server(folder, tmp_path, monkeypatch):
    """Milvus Lite behind a port, not yet started; lost connections are tried again for two seconds."""
    monkeypatch.setattr(milvus_connection, "PAUSES_S", (0.2, 0.6, 1.2))
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    server = Server(tmp_path, port)
    yield server
    server.kill()


def both(searcher, remote, encoder, make):
    """(searcher, query) of the local index and of the remote one."""
    there = Searcher(remote, encoder)
    return (searcher, make(searcher)), (there, make(there))


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("own", [False, True], ids=["pasted", "of the collection"])
def test_every_system_ranks_and_explains_as_on_this_machine(system, own, searcher, remote, encoder):
    def make(s):
        return s.query_from_index("barge") if own else s.query(QUERY_CASE.text)

    (here, query), (there, same) = both(searcher, remote, encoder, make)
    wanted, found = here.rank(query, system), there.rank(same, system)
    assert found.case_ids == wanted.case_ids
    np.testing.assert_allclose(found.scores, wanted.scores, rtol=1e-5)
    for case_id in wanted.case_ids:
        why = contributions(here, query, system, case_id)
        told = contributions(there, same, system, case_id)
        assert told.score == pytest.approx(why.score, rel=1e-5, abs=1e-7)


def test_titles_texts_and_cases_need_no_milvus(index, remote, tmp_path):
    """A copy whose Milvus is gone still shows what it holds."""
    shutil.copytree(remote.path, tmp_path / "index")
    alone = open_index(tmp_path / "index")
    assert alone.case("barge") == index.case("barge")
    assert alone.titles(["lamp"]) == index.titles(["lamp"])
    assert alone.texts(slice(0, 3)) == index.texts(slice(0, 3))
    with pytest.raises(IndexStoreError, match=r"the Milvus Lite file .*milvus\.db .* is missing"):
        _ = alone.collection


def test_the_folder_holds_neither_postings_nor_vectors(index, remote):
    held = {path.name for path in remote.path.iterdir()}
    assert held == {path.name for path in index.path.iterdir()} - IN_MILVUS
    assert isinstance(remote, RemoteIndex)
    assert remote.manifest["milvus"]["uri"] == "../milvus.db"


def test_index_and_file_can_be_moved_together(remote, index, encoder, tmp_path):
    shutil.copytree(remote.path, tmp_path / "index")
    shutil.copytree(remote.path.parent / "milvus.db", tmp_path / "milvus.db")
    moved = open_index(tmp_path / "index")
    assert moved.uri == str(tmp_path / "milvus.db")
    found = Searcher(moved, encoder).search(QUERY_CASE.text, "bm25:rrf")
    assert found.case_ids == Searcher(index, encoder).search(QUERY_CASE.text, "bm25:rrf").case_ids


def test_an_index_for_bm25_alone_has_no_vectors_there_either(lexical_index, folder):
    remote = move_to_milvus(lexical_index, folder / "lexical", str(folder / "milvus.db"))
    local = Searcher(lexical_index).search(QUERY_CASE.text, "bm25:srrf")
    assert Searcher(remote).search(QUERY_CASE.text, "bm25:srrf").case_ids == local.case_ids
    with pytest.raises(IndexStoreError, match="built without an encoder"):
        _ = remote.vectors
    with pytest.raises(IndexStoreError, match="built without an encoder"):
        _ = remote.dense_engine


def test_vectors_are_fetched_by_row_in_the_order_asked_for(index, remote, monkeypatch):
    monkeypatch.setattr(milvus_collection, "_ROWS_A_FETCH", 3)
    rows = np.array([7, 0, 20, 3, 3, 11])
    assert remote.vectors[rows].tolist() == index.vectors[rows].tolist()


def test_a_fetch_of_nothing_gives_nothing(remote, encoder):
    assert remote.vectors[np.zeros(0, np.int64)].shape == (0, encoder.dim)


def test_hits_in_several_calls_are_those_of_one(remote, encoder, monkeypatch):
    system = parse_system("dense:rrf")
    whole = Searcher(remote, encoder)
    wanted = whole.hits(whole.query(QUERY_CASE.text), system)
    monkeypatch.setattr(milvus_collection, "_HITS_A_CALL", 1)
    found = whole.hits(whole.query(QUERY_CASE.text), system)
    assert found.rows.tolist() == wanted.rows.tolist()


def test_a_depth_beyond_milvus_limit_is_refused(remote, encoder):
    with pytest.raises(
        ConfigError, match=r"at most 16384 hits .*, got depth 16385; .*@depth=16384"
    ):
        remote.lexical_engine.search([["barge"]], depth=16_385)


def test_best_paragraphs_beyond_the_limit_score_minus_infinity(remote, encoder, monkeypatch):
    """What `dense:maxp` reads: exact as far as Milvus gives hits, nothing invented after that."""
    query = encoder.encode_queries(["A duty of care."])
    every = remote.dense_engine.scores(query)[0]
    monkeypatch.setattr("parm_core.index.milvus_engines.MOST_HITS", 5)
    some = remote.dense_engine.scores(query)[0]
    kept = np.isfinite(some)
    assert kept.sum() == 5
    assert some[kept].tolist() == every[kept].tolist()
    assert every[~kept].max() <= some[kept].min()


def test_verify_reads_every_row_back(index, folder):
    other = move_to_milvus(index, folder / "verified", str(folder / "milvus.db"))
    other.verify()
    row = next(iter(row_blocks(index))).entities()[4]
    changed = row | {"impacts": {0: 9.0}}
    try:
        other.collection._call("upsert", data=[changed])
        with pytest.raises(IndexStoreError, match="is damaged: the SHA-256 of its rows is"):
            other.verify()
    finally:
        other.collection._call("upsert", data=[row])
    other.verify()


def test_the_hash_of_rows_is_that_of_their_content_alone(index, lexical_index, monkeypatch):
    whole = content_sha256(row_blocks(index))
    assert content_sha256(map(read_back, row_blocks(index))) == whole
    assert content_sha256(row_blocks(lexical_index)) != whole
    monkeypatch.setattr(milvus_rows, "BLOCK", 4)
    assert content_sha256(row_blocks(index)) == whole


def read_back(block):
    return RowBlock.read(reversed(block.entities()))


def test_a_load_that_was_stopped_goes_on_where_it_was(index, tmp_path, monkeypatch):
    """The blocks that are there are counted, not sent again; half a block is sent whole."""
    monkeypatch.setattr(milvus_rows, "BLOCK", 5)
    connection = open_file(tmp_path)
    sent = []
    call = Connection.call

    def counted(self, method, /, **given):
        if method == "upsert":
            sent.append(given["data"][0]["row"])
            if sent == [0, 5, 10]:
                raise KeyboardInterrupt
        return call(self, method, **given)

    monkeypatch.setattr(Connection, "call", counted)
    with pytest.raises(KeyboardInterrupt):
        move_to_milvus(index, tmp_path / "index", connection.uri)
    assert not (tmp_path / "index").exists()
    name = f"parm_{content_sha256(row_blocks(index))[:32]}"
    call(connection, "delete", collection_name=name, filter="row == 6")
    sent.clear()
    move_to_milvus(index, tmp_path / "index", connection.uri).verify()
    assert sent == [5, 10, 15, 20]


def test_what_is_loaded_already_is_not_sent_again(index, remote, folder, monkeypatch):
    asked = []
    call = Connection.call

    def noted(self, method, /, **given):
        asked.append(method)
        return call(self, method, **given)

    monkeypatch.setattr(Connection, "call", noted)
    again = move_to_milvus(index, folder / "again", str(folder / "milvus.db"))
    assert "upsert" not in asked
    assert again.collection_name == remote.collection_name


def test_a_collection_of_another_schema_is_named_and_left_alone(index, tmp_path):
    connection = open_file(tmp_path)
    name = f"parm_{content_sha256(row_blocks(index))[:32]}"
    connection.call("create_collection", collection_name=name, dimension=7)
    with pytest.raises(IndexStoreError, match=f"the collection {name} at .* nothing was written"):
        move_to_milvus(index, tmp_path / "index", connection.uri)
    assert not (tmp_path / "index").exists()
    stats = connection.call("get_collection_stats", collection_name=name)
    assert stats["row_count"] == 0


def test_a_collection_with_rows_missing_is_named(index, tmp_path):
    connection = open_file(tmp_path)
    remote = move_to_milvus(index, tmp_path / "index", connection.uri)
    connection.call("delete", collection_name=remote.collection_name, filter="row == 2")
    with pytest.raises(IndexStoreError, match=r"holds 20 rows, expected 21; build the index again"):
        _ = open_index(tmp_path / "index").collection
    connection.call("drop_collection", collection_name=remote.collection_name)
    with pytest.raises(IndexStoreError, match="is not there; build the index again"):
        _ = open_index(tmp_path / "index").collection


def test_what_is_in_milvus_is_not_moved_again(remote, tmp_path):
    with pytest.raises(ConfigError, match="has its paragraphs in Milvus already"):
        move_to_milvus(remote, tmp_path / "index", str(tmp_path / "milvus.db"))


def test_engines_that_read_everything_say_that_it_is_elsewhere(remote, encoder):
    with pytest.raises(ConfigError, match="has its paragraphs' postings in Milvus"):
        _ = remote.paragraph_postings
    with pytest.raises(ConfigError, match="the vectors of this index are in Milvus"):
        Searcher(remote, encoder).search(QUERY_CASE.text, "dense:rrf@engine=faiss")
    with pytest.raises(ConfigError, match="the vectors of this index are in Milvus"):
        _ = remote.vectors[0:3]


def test_rank_bm25_reads_texts_and_needs_no_milvus(remote, searcher, encoder):
    found = Searcher(remote, encoder).search(QUERY_CASE.text, "bm25:rrf@engine=rank-bm25")
    assert found.case_ids == searcher.search(QUERY_CASE.text, "bm25:rrf").case_ids


def test_cases_beyond_the_limit_of_hits_are_left_out_and_the_others_ranked_alike(
    remote, searcher, encoder, monkeypatch
):
    """`dense:maxp` where Milvus gives 5 hits: the head of the ranking, then nothing."""
    wanted = searcher.search(QUERY_CASE.text, "dense:maxp")
    monkeypatch.setattr("parm_core.index.milvus_engines.MOST_HITS", 5)
    there = Searcher(remote, encoder)
    query = there.query(QUERY_CASE.text)
    found = there.rank(query, "dense:maxp")
    assert 0 < len(found) < len(wanted)
    assert found.case_ids == wanted.case_ids[: len(found)]
    lost = contributions(there, query, "dense:maxp", wanted.case_ids[-1])
    assert (lost.score, lost.cells.any()) == (0, False)


def test_a_file_that_another_process_has_open_is_named(remote, tmp_path):
    open_file(tmp_path)
    code = "import sys; from parm_core.index.milvus_connection import Connection\n"
    code += "try: Connection(sys.argv[1])\nexcept OSError as error: print(error)\n"
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "milvus.db")],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "another process has it open" in done.stdout
    assert done.stdout.count("\n") == 1
    assert done.stderr == ""


def test_a_milvus_that_is_down_is_one_line_and_nothing_is_written(index, server, tmp_path, capfd):
    with pytest.raises(IndexStoreError) as raised:
        move_to_milvus(index, tmp_path / "index", server.uri)
    assert str(raised.value).startswith(f"Milvus at {server.uri} does not answer (")
    assert "\n" not in str(raised.value)
    assert not (tmp_path / "index").exists()
    assert "".join(capfd.readouterr()) == ""


def test_a_connection_lost_while_loading_is_named_and_the_load_goes_on(
    index, server, tmp_path, monkeypatch
):
    """First the server dies for good; then, at the next try, it dies and comes back."""
    monkeypatch.setattr(milvus_rows, "BLOCK", 5)
    server.start()
    with pytest.raises(IndexStoreError, match=r"does not answer .* what was loaded is kept"):
        move_to_milvus(index, tmp_path / "index", server.uri, progress=at(10, server.kill))
    server.start()
    monkeypatch.setattr(milvus_connection, "PAUSES_S", (0.5,) * 60)
    restart = threading.Timer(0.3, server.start)

    def die():
        server.kill()
        restart.start()

    remote = move_to_milvus(index, tmp_path / "index", server.uri, progress=at(15, die))
    restart.join()
    remote.verify()


def test_a_search_outlives_a_restart_of_the_server(index, server, tmp_path, encoder, monkeypatch):
    monkeypatch.setattr(milvus_connection, "PAUSES_S", (0.5,) * 60)
    server.start()
    searcher = Searcher(move_to_milvus(index, tmp_path / "index", server.uri), encoder)
    before = searcher.search(QUERY_CASE.text, "bm25:rrf")
    server.kill()
    server.start()
    assert searcher.search(QUERY_CASE.text, "bm25:rrf").case_ids == before.case_ids


def at(place, act):
    """A progress report that acts when `place` rows are done."""

    def progress(done, total, what):
        if done == place:
            act()

    return progress


def test_a_token_is_sent_and_never_written(index, folder, tmp_path, monkeypatch):
    monkeypatch.setenv("PARM_MILVUS_TOKEN", "root:secret-word")
    remote = move_to_milvus(index, tmp_path / "index", str(folder / "milvus.db"))
    config = remote.collection.connection._client._config
    assert config.token == "root:secret-word"
    for path in remote.path.iterdir():
        assert b"secret-word" not in path.read_bytes()


@pytest.mark.parametrize(
    ("uri", "message"),
    [
        ("localhost:19530", "got 'localhost:19530'"),
        ("ftp://host/x.db", "got 'ftp://host/x.db'"),
        ("http://", "got 'http://'"),
        ("milvus", "got 'milvus'"),
        ("", "got ''"),
        (".db", "got '.db'"),
        ("http://root:word@host:19530", "may hold no password; .* PARM_MILVUS_TOKEN"),
        ("https://x.global-cluster.example:443", "stands for several addresses"),
    ],
)
def test_an_address_that_cannot_be_is_refused(uri, message):
    with pytest.raises(ConfigError, match=message):
        checked_uri(uri)


def test_a_password_in_a_uri_is_not_repeated_in_the_message():
    with pytest.raises(ConfigError) as raised:
        checked_uri("http://root:word@host:19530")
    assert "word@" not in str(raised.value)


def test_a_file_is_kept_relative_to_the_index_and_a_server_as_it_is(tmp_path):
    (tmp_path / "milvus.db" / "collections").mkdir(parents=True)
    stored = stored_uri(str(tmp_path / "milvus.db"), tmp_path / "indexes" / "index")
    assert stored == "../../milvus.db"
    assert opened_uri(stored, tmp_path / "indexes" / "index") == str(tmp_path / "milvus.db")
    server = "http://host:19530"
    assert opened_uri(stored_uri(server, tmp_path), tmp_path) == server


def test_a_folder_that_is_no_milvus_lite_is_not_made_one(tmp_path):
    (tmp_path / "other.db").mkdir()
    with pytest.raises(IndexStoreError, match=r"other\.db .* is missing"):
        opened_uri("other.db", tmp_path)
    assert list((tmp_path / "other.db").iterdir()) == []


@pytest.mark.parametrize("part", [None, [], {}, {"uri": 3, "sha256": "x"}, {"uri": "milvus.db"}])
def test_a_manifest_that_does_not_say_where_is_named(remote, part):
    garbled = RemoteIndex(remote.path, remote.manifest | {"milvus": part}, remote.files)
    with pytest.raises(ParmError, match="does not say where in Milvus its paragraphs are"):
        _ = garbled.uri


def test_without_pymilvus_the_extra_is_named(monkeypatch):
    monkeypatch.setattr(milvus_connection, "find_spec", lambda module: None)
    with pytest.raises(IndexStoreError, match=r"pip install 'parm-explorer\[milvus\]'"):
        Connection("http://127.0.0.1:1")


def test_building_again_over_an_index_in_milvus_leaves_its_rows(index, folder, encoder):
    """A local build takes its place; who opened the one in Milvus goes on reading."""
    before = move_to_milvus(index, folder / "replaced", str(folder / "milvus.db"))
    build_index(COLLECTION, folder / "replaced", encoder=FakeEncoder())
    assert not isinstance(open_index(folder / "replaced"), RemoteIndex)
    assert Searcher(before, encoder).search(QUERY_CASE.text, "dense:vrrf").case_ids
    assert json.loads((index.path / "manifest.json").read_text())["counts"]["paragraphs"] == 21
