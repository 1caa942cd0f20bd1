"""What tests share: a small invented collection, its index, an encoder that needs no model."""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings
from pytest_socket import socket_allow_hosts

from parm_core import cli
from parm_core.collections import load_collection
from parm_core.index.build import build_index
from parm_core.retrieval import Searcher
from parm_core.types import Case, Collection

DATA = Path(__file__).parents[1] / ".." / "shared" / "data"

settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")

FRONT = "Court of Appeal of Northmark, Civil Division. The appeal is decided as follows."
COSTS = "The costs of the whole appeal follow the event, as the usual rule of this court has it."


def pytest_configure(config):
    config.addinivalue_line("markers", "slow: encodes a whole collection, which takes minutes")


def pytest_runtest_setup():
    """Nothing a test or its fixtures do may leave the machine."""
    socket_allow_hosts(["127.0.0.1", "::1", "localhost"], allow_unix_socket=True)


class FakeEncoder:
    """Unit vectors drawn from a hash of the text: the same text always gets the same vector."""

    id = "fake"
    revision = "1"
    max_tokens = max_query_tokens = 8
    folders = ()

    def __init__(self, dim=16, weights_sha256="f" * 64, precision="float32", prompt=""):
        self.dim = dim
        self.precision = precision
        self.prompt = prompt
        self.weights_sha256 = weights_sha256
        self.encoded = []

    def encode_queries(self, texts, *, progress=None):
        return self._encode(texts, progress)

    def encode_passages(self, texts, *, progress=None):
        return self._encode(texts, progress)

    def count_tokens(self, texts):
        return np.array([len(text.split()) for text in texts], dtype=np.int64)

    def _encode(self, texts, progress):
        self.encoded += texts
        vectors = np.zeros((len(texts), self.dim), dtype=np.float32)
        for i, text in enumerate(texts):
            seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
            drawn = np.random.default_rng(seed).normal(size=self.dim)
            vectors[i] = drawn / np.linalg.norm(drawn)
        if progress:
            progress(len(texts), len(texts), "paragraphs encoded")
        return vectors


def _case(case_id, title, *paragraphs, date=None, court=None):
    numbered = [f"{n}. {text}" for n, text in enumerate(paragraphs, 1)]
    return Case(case_id, title, "\n".join([FRONT, *numbered]) + "\n", date, court)


CASES = (
    _case(
        "barge",
        "Mills v Harbour Trust",
        "The claimant moored her barge in the harbour, and the trust let the mooring chain rust.",
        "A duty of care is owed by those who keep a mooring to those who pay for the use of it.",
        "The barge sank in the storm of that winter, and its cargo of wool was lost to the sea.",
        COSTS,
        date="1999-03-02",
        court="Northmark",
    ),
    _case(
        "bees",
        "Reed v Orchard Farms",
        "The farm sprayed its orchard, and the spray drifted over the neighbour's bees in flower.",
        "A duty of care is owed to a neighbour whose hives can be seen from the orchard's fence.",
        "The bees died within the week, and the honey harvest of that summer was wholly lost.",
        COSTS,
        date="2004-11-19",
        court="Northmark",
    ),
    _case(
        "lamp",
        "Ashby v Theatre Royal",
        "A stage lamp fell upon the singer during the second act of a crowded evening's opera.",
        "The theatre had been warned that the lamp was loose, and had done nothing about the lamp.",
    ),
    _case(
        "lease",
        "Crown Mills v Tanner",
        "The lease of the mill forbade the tenant to let any part of it without written consent.",
        "The tenant let the loft of the mill to a tanner, and the smell drove two weavers away.",
        "Consent unreasonably withheld is consent given, but none was ever asked for in this case.",
        "The lease is forfeit, and the tenant has three months to leave the mill to its owner.",
        COSTS,
        date="1987-06-30",
    ),
    _case(
        "mooring",
        "Harbour Trust v Weir",
        "The trust sued for harbour dues upon a barge that had lain at its mooring all winter.",
        "Dues are owed for the mooring though the chain was rusted and the harbour full of ice.",
        COSTS,
        court="Eastmark",
    ),
    _case(
        "witness",
        "In re Sealed Letters",
        "A witness may not be asked for letters that were written for the purpose of a lawsuit.",
        "The letters were written to an insurer before any storm, loss or lawsuit was in sight.",
        "The letters must therefore be shown to the other side within fourteen days of this order.",
        date="2011-01-07",
        court="Eastmark",
    ),
)

QUERY_CASE = Case(
    "query",
    "Finch v Lock Company",
    "1. The company kept a mooring whose chain had rusted, and the claimant's barge was lost.\n"
    "2. A duty of care is owed to those who pay, and the tenant of the mooring paid each month.\n"
    "3. The lamp on the lock was loose, and nobody had been warned about the lamp or the storm.\n"
    f"4. {COSTS}\n",
)

QUERY_LINES = QUERY_CASE.text.splitlines(keepends=True)
QUERY_CASES = tuple(
    Case(f"q{n}", "", "".join(QUERY_LINES[:n] + QUERY_LINES[n + 1 :])) for n in range(4)
)
"""The query case without its first, second, third and fourth paragraph."""

COLLECTION = Collection(
    "northmark", CASES, (QUERY_CASE,), {"query": {"barge": 2, "mooring": 1, "lamp": 0}}
)


@pytest.fixture(scope="session")
def collection():
    return COLLECTION


@pytest.fixture(scope="session")
def encoder():
    return FakeEncoder()


@pytest.fixture(scope="session")
def index(tmp_path_factory, encoder):
    """The small collection's index, with the fake encoder's vectors."""
    return build_index(COLLECTION, tmp_path_factory.mktemp("small") / "index", encoder=encoder)


@pytest.fixture(scope="session")
def searcher(index, encoder):
    return Searcher(index, encoder)


@pytest.fixture(scope="session")
def lexical_index(tmp_path_factory):
    """The small collection's index for BM25 alone."""
    return build_index(COLLECTION, tmp_path_factory.mktemp("lexical") / "index", encoder=None)


@pytest.fixture
def query(searcher):
    return searcher.query(QUERY_CASE.text, title=QUERY_CASE.title)


@pytest.fixture(scope="session")
def aila():
    """The real collection `aila-casedocs`, where it is on this machine."""
    folder = DATA / "aila-casedocs"
    if not folder.is_dir():
        pytest.skip("the real collections are not on this machine (shared/data)")
    return load_collection(folder)


@pytest.fixture(scope="session")
def aila_lexical(aila, tmp_path_factory):
    """A BM25 searcher on `aila-casedocs`."""
    path = tmp_path_factory.mktemp("aila") / "index"
    return Searcher(build_index(aila, path, encoder=None))


@pytest.fixture(scope="session")
def aila_dense(aila, tmp_path_factory):
    """A searcher on `aila-casedocs` with the packaged encoder's vectors; takes minutes."""
    from parm_core.encoders import load_encoder

    path = tmp_path_factory.mktemp("aila-dense") / "index"
    return Searcher(build_index(aila, path, encoder=load_encoder()))


@pytest.fixture(scope="session")
def sample_indexes(tmp_path_factory):
    """A folder of indexes with the app's sample collection in it, encoded by the packaged encoder."""
    from parm_core.encoders import load_encoder
    from ui.resources import sample_collection, sample_path

    folder = tmp_path_factory.mktemp("indexes")
    build_index(sample_collection(), folder / sample_path().name, encoder=load_encoder())
    return folder


@pytest.fixture
def parm(monkeypatch, capsys, tmp_path):
    """parm(words) -> (exit code, standard output, standard error)."""
    monkeypatch.setenv("PARM_INDEXES", str(tmp_path / "indexes"))

    def run(*words):
        monkeypatch.setattr(sys, "argv", ["parm", *map(str, words)])
        code = 0
        try:
            cli.main()
        except SystemExit as leaving:
            code = leaving.code or 0
        said = capsys.readouterr()
        return code, said.out, said.err

    return run
