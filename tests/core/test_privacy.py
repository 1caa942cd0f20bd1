"""Nothing leaves the machine: the whole path with the real encoder, the network shut."""

from __future__ import annotations

import logging
import os
import socket
import subprocess
import sys

import pytest
from conftest import CASES, QUERY_CASE
from pytest_socket import SocketConnectBlockedError

from parm_core import (
    Collection,
    Searcher,
    build_index,
    contributions,
    encoders,
    load_encoder,
    open_index,
)


def test_the_network_is_shut_in_every_test():
    blocked = pytest.raises(SocketConnectBlockedError)
    warned = pytest.warns(UserWarning, match=r"192\.0\.2\.1")
    with socket.socket() as sock, warned, blocked:
        sock.connect(("192.0.2.1", 80))


def test_loopback_stays_open():
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        socket.create_connection(server.getsockname()) as sock,
    ):
        assert sock.getpeername() == server.getsockname()


@pytest.fixture
def no_lookups(monkeypatch):
    """Names are looked up by no one."""
    asked = []

    def refuse(*args, **_):
        asked.append(args)
        raise OSError("no network")

    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    return asked


def test_text_to_ranking_and_evidence_needs_no_network(tmp_path, no_lookups):
    encoders._loaded.cache_clear()
    build_index(Collection("northmark", CASES), tmp_path / "index", encoder=load_encoder())
    searcher = Searcher(open_index(tmp_path / "index"))
    query = searcher.query(QUERY_CASE.text)
    for system in ("bm25:srrf", "dense:vrrf", "dense:firstp", "hybrid:rrf"):
        ranking = searcher.rank(query, system)
        assert ranking.case_ids[0] in ("barge", "mooring")
        why = contributions(searcher, query, system, ranking.case_ids[0])
        assert why.score == pytest.approx(float(ranking.scores[0]), rel=1e-4)
    assert no_lookups == []


def test_no_case_text_is_logged_or_printed(tmp_path, caplog, capfd):
    caplog.set_level(logging.DEBUG)
    build_index(Collection("northmark", CASES), tmp_path / "index", encoder=load_encoder())
    searcher = Searcher(open_index(tmp_path / "index"))
    searcher.search(QUERY_CASE.text, "hybrid:rrf")
    with pytest.raises(Exception, match="holds no case"):
        searcher.query_from_index("nobody")
    said = caplog.text + "".join(capfd.readouterr())
    for word in ("mooring", "barge", "claimant", "Finch"):
        assert word not in said


def test_nothing_is_written_but_the_index(tmp_path):
    """No cache, no settings, no trace in a person's home or the working folder."""
    home, here = tmp_path / "home", tmp_path / "here"
    home.mkdir()
    here.mkdir()
    code = (
        "import sys; from parm_core import *\n"
        "from parm_core.types import Case, Collection\n"
        "cases = (Case('a', '', 'The barge sank in the storm.'), Case('b', '', 'Bees died.'))\n"
        "build_index(Collection('two', cases), sys.argv[1], encoder=None)\n"
        "print(*Searcher(open_index(sys.argv[1])).search('The barge.', 'bm25:rrf').case_ids)\n"
    )
    environment = {
        "HOME": str(home),
        "PATH": os.environ.get("PATH", ""),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "index")],
        capture_output=True,
        text=True,
        check=False,
        cwd=here,
        env=environment,
    )
    assert (done.stdout, done.returncode) == ("a\n", 0)
    assert list(home.iterdir()) == []
    assert list(here.iterdir()) == []
