"""A build that is stopped, killed, or meets another one: nothing good is lost, the bytes are the same."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from conftest import CASES, COLLECTION, FakeEncoder

from benchmarks.survival import survive
from parm_core import encoders
from parm_core.collections import write_beir
from parm_core.errors import DataError, IndexStoreError
from parm_core.index import draft, encoding
from parm_core.index.build import IndexOptions, build_index
from parm_core.index.lexical import BM25Params
from parm_core.index.store import open_index, verify_index
from parm_core.types import Case, Collection

ROOT = Path(__file__).parents[2]
ONE = Collection("one", (Case("only", "Only", "The only case is about one mill."),))


def contents(folder):
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def beside(path):
    return sorted(other.name for other in path.parent.iterdir() if other != path)


@pytest.fixture(autouse=True)
def _small_chunks(monkeypatch):
    monkeypatch.setattr(encoding, "CHUNK", 4)


@pytest.fixture
def unbroken(tmp_path):
    return contents(build_index(COLLECTION, tmp_path / "whole" / "i", encoder=FakeEncoder()).path)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "place" / "index"


class Stopping(FakeEncoder):
    """Raises an error once it has encoded so many chunks."""

    def __init__(self, chunks, error=None, **options):
        super().__init__(**options)
        self.left, self.error = chunks, error or KeyboardInterrupt()

    def encode_passages(self, texts, *, progress=None):
        if not self.left:
            raise self.error
        self.left -= 1
        return super().encode_passages(texts, progress=progress)


def stop(path, chunks, collection=COLLECTION, **options):
    with pytest.raises(KeyboardInterrupt):
        build_index(collection, path, encoder=Stopping(chunks, **options))


@pytest.mark.parametrize("chunks", [1, 2, 5])
def test_a_stopped_build_goes_on_after_its_last_whole_chunk(path, unbroken, chunks):
    stop(path, chunks)
    assert not path.exists()
    assert beside(path) == [".index.draft"]
    encoder, seen = FakeEncoder(), []
    build_index(COLLECTION, path, encoder=encoder, progress=lambda *told: seen.append(told))
    assert contents(path) == unbroken
    assert beside(path) == []
    whole = FakeEncoder()
    build_index(COLLECTION, path.with_name("other"), encoder=whole)
    assert encoder.encoded == whole.encoded[4 * chunks :]
    total = len(whole.encoded)
    encoded = [done for done, of, what in seen if what == "paragraphs encoded" and of == total]
    assert encoded == sorted(encoded)
    assert (encoded[0], encoded[-1]) == (4 * chunks, total)


def test_a_build_may_be_stopped_again_and_again(path, unbroken):
    for _ in range(4):
        stop(path, 1)
    assert build_index(COLLECTION, path, encoder=FakeEncoder()).path == path
    assert contents(path) == unbroken


@pytest.mark.parametrize(
    "error", [OSError(28, "No space left on device"), ValueError("encoder"), KeyboardInterrupt()]
)
def test_whatever_stops_a_build_it_says_that_what_was_encoded_is_kept(path, error):
    with pytest.raises((IndexStoreError, ValueError, KeyboardInterrupt)) as caught:
        build_index(COLLECTION, path, encoder=Stopping(2, error))
    said = " ".join([str(caught.value), *getattr(caught.value, "__notes__", [])])
    assert "the same command goes on where this one stopped" in said
    assert ("No space left on device" in said) == isinstance(error, OSError)
    assert beside(path) == [".index.draft"]


@pytest.mark.parametrize("name", ["encoded.f32", "encoded.sha256"])
@pytest.mark.parametrize("at", [0, 70, 200, -1])
@pytest.mark.parametrize("how", ["flipped", "cut", "gone"])
def test_a_damaged_draft_is_encoded_again_from_there(path, unbroken, name, at, how):
    stop(path, 5)
    file = path.parent / ".index.draft" / name
    held = bytearray(file.read_bytes())
    held[at] ^= 1
    file.write_bytes(held if how == "flipped" else held[:at])
    if how == "gone":
        file.unlink()
    build_index(COLLECTION, path, encoder=FakeEncoder())
    assert contents(path) == unbroken


def test_a_draft_for_other_texts_or_another_encoder_is_begun_afresh(path, unbroken):
    stop(path, 3, Collection("fewer", CASES[1:]))
    encoder = FakeEncoder()
    build_index(COLLECTION, path, encoder=encoder)
    assert contents(path) == unbroken
    assert len(encoder.encoded) == len(set(encoder.encoded)) > 20
    stop(path.with_name("two"), 3, weights_sha256="0" * 64)
    encoder = FakeEncoder()
    build_index(COLLECTION, path.with_name("two"), encoder=encoder)
    assert contents(path.with_name("two")) == unbroken
    assert len(encoder.encoded) > 20


def test_what_does_not_change_the_vectors_keeps_the_draft(path):
    stop(path, 3)
    encoder = FakeEncoder()
    options = IndexOptions(bm25=BM25Params(k1=2))
    index = build_index(COLLECTION, path, encoder=encoder, options=options)
    assert index.bm25.k1 == 2
    assert len(encoder.encoded) == len({*encoder.encoded}) < 20


def test_an_unusable_case_leaves_an_earlier_draft_and_does_not_speak_of_it(path):
    stop(path, 2)
    with pytest.raises(DataError) as caught:
        build_index(Collection("bad", (Case("blank", "", " "),)), path, encoder=FakeEncoder())
    assert not hasattr(caught.value, "__notes__")
    encoder = FakeEncoder()
    build_index(COLLECTION, path, encoder=encoder)
    assert len(encoder.encoded) < 20


def test_three_killed_builds_end_with_the_bytes_of_an_unbroken_one():
    tally = survive("small", 3, seed=2)
    assert tally.identical == tally.kills == 3


def test_the_command_that_was_interrupted_says_so_and_goes_on(parm, monkeypatch, tmp_path):
    collection, path = tmp_path / "northmark", tmp_path / "index"
    write_beir(Collection("northmark", CASES), collection)
    monkeypatch.setattr(encoders, "load_encoder", lambda *_, **__: Stopping(2))
    code, out, err = parm("index", collection, path)
    assert (code, out) == (2, "")
    assert "stopped; nothing that was already there has changed; what was encoded is kept" in err
    encoder = FakeEncoder()
    monkeypatch.setattr(encoders, "load_encoder", lambda *_, **__: encoder)
    assert parm("index", collection, path)[0] == 0
    assert len(encoder.encoded) < 20
    assert beside(path) == ["indexes", "northmark"]


# ------------------------------------------------------------------------- two builders, one reader


HOLD = """
import sys, time
from parm_core.index.draft import drafting
with drafting(sys.argv[1]):
    print("held", flush=True)
    time.sleep(float(sys.argv[2]))
"""


def holding(path, seconds):
    """A process that holds the draft of an index for a while."""
    command = [sys.executable, "-c", HOLD, str(path), str(seconds)]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "held\n"
    return process


def test_a_second_builder_is_told_who_holds_the_index(path):
    process = holding(path, 60)
    try:
        with pytest.raises(IndexStoreError, match=f"the process {process.pid} is building") as said:
            build_index(ONE, path, encoder=None)
        assert "--wait" in str(said.value)
    finally:
        process.kill()
        process.communicate()


def test_a_dead_builders_lock_is_free(path):
    process = holding(path, 60)
    process.kill()
    process.communicate()
    assert ".index.lock" in beside(path)
    assert build_index(ONE, path, encoder=None).n_cases == 1
    assert beside(path) == []


def test_a_second_builder_waits_where_asked(path):
    process = holding(path, 1.0)
    assert build_index(ONE, path, encoder=None, wait=True).n_cases == 1
    assert process.wait(timeout=10) == 0
    process.communicate()
    assert beside(path) == []


def test_two_threads_building_one_index_do_not_meet(path):
    """Each gets the index, or is told; what stands at the end is whole."""
    told = []

    def build():
        try:
            build_index(COLLECTION, path, encoder=FakeEncoder())
        except IndexStoreError as error:
            told.append(str(error))

    threads = [threading.Thread(target=build) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all("is building" in said for said in told)
    verify_index(path)
    assert beside(path) == []


@pytest.mark.parametrize("in_one_step", [True, False])
def test_a_reader_keeps_the_index_it_opened_while_another_takes_its_place(
    path, monkeypatch, in_one_step
):
    if not in_one_step:
        monkeypatch.setattr(draft, "_exchange", lambda one, other: False)
    kept = build_index(COLLECTION, path, encoder=FakeEncoder())
    again = build_index(COLLECTION, path.with_name("copy"), encoder=FakeEncoder())
    build_index(ONE, path, encoder=None)
    assert [kept.case(case_id) for case_id in kept.case_ids] == [
        again.case(case_id) for case_id in again.case_ids
    ]
    assert (kept.vectors == again.vectors).all()
    assert kept.paragraph_postings.vocabulary == again.paragraph_postings.vocabulary
    assert open_index(path).name == "one"
    assert beside(path) == ["copy"]


def test_opening_while_indexes_change_places_gives_the_one_or_the_other(path):
    build_index(ONE, path, encoder=None)
    done = threading.Event()
    wrong = []

    def read():
        while not done.is_set():
            index = open_index(path)
            if (index.name, index.case_ids) not in (
                ("one", ["only"]),
                ("northmark", [case.id for case in CASES[::-1]]),
            ):
                wrong.append(index.name)

    reader = threading.Thread(target=read)
    reader.start()
    try:
        for _ in range(5):
            build_index(COLLECTION, path, encoder=None)
            build_index(ONE, path, encoder=None)
    finally:
        done.set()
        reader.join()
    assert wrong == []


def test_an_index_that_a_dead_process_left_half_replaced_is_found_and_put_back(path):
    wanted = contents(build_index(COLLECTION, path, encoder=None).path)
    path.rename(path.with_name(".index.old"))
    assert open_index(path).case_ids == [case.id for case in CASES[::-1]]
    verify_index(path)
    with pytest.raises(DataError):
        build_index(Collection("bad", (Case("blank", "", " "),)), path, encoder=None)
    assert contents(path) == wanted
    assert beside(path) == []


# ------------------------------------------------------------------------------------- bad places


LIMITED = """
import resource, signal, sys
from conftest import COLLECTION, FakeEncoder
from parm_core.errors import IndexStoreError
from parm_core.index.build import build_index
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]),) * 2)
try:
    build_index(COLLECTION, sys.argv[1], encoder=FakeEncoder(dim=64))
except IndexStoreError as error:
    print(error)
"""


@pytest.mark.parametrize("most_bytes", [100, 1_500, 3_000, 6_000])
def test_where_no_more_can_be_written_the_old_index_stays_and_one_line_says_so(path, most_bytes):
    """A limit on the size of a file stands for a full disk: writing fails in the same way."""
    before = contents(build_index(ONE, path, encoder=FakeEncoder()).path)
    command = [sys.executable, "-c", LIMITED, str(path), str(most_bytes)]
    paths = os.pathsep.join([str(ROOT), str(ROOT / "tests")])
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": paths}
    )
    assert done.returncode == 0, done.stderr
    assert f"could not be written to {path}" in done.stdout
    assert done.stdout.count("\n") == 1
    assert contents(path) == before
    assert build_index(COLLECTION, path, encoder=FakeEncoder(dim=64)).n_cases == 6
    assert beside(path) == []


def test_a_place_beneath_a_file_is_refused(tmp_path):
    (tmp_path / "letter.txt").write_text("dear")
    with pytest.raises(IndexStoreError, match=r"cannot (write beside|read)"):
        build_index(ONE, tmp_path / "letter.txt" / "index", encoder=None)


def test_a_folder_without_permission_is_refused(tmp_path):
    if os.geteuid() == 0:
        pytest.skip("nothing is forbidden to root")
    tmp_path.chmod(0o500)
    with pytest.raises(IndexStoreError, match=r"cannot write beside .*Permission denied"):
        build_index(ONE, tmp_path / "index", encoder=None)
