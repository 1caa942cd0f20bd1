"""Cases added, replaced and removed: what a fresh build makes of the same cases, and little encoded."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from conftest import CASES, COLLECTION, FRONT, QUERY_CASE, FakeEncoder

from parm_core import encoders
from parm_core.errors import DataError, EncoderError, IndexStoreError
from parm_core.index import build, updating
from parm_core.index.build import IndexOptions, build_index, collection_sha256
from parm_core.index.contents import case_sha256
from parm_core.index.lexical import BM25Params
from parm_core.index.manifest import write_manifest
from parm_core.index.migration import FORMAT, is_of
from parm_core.index.store import open_index, verify_index
from parm_core.index.updating import Changes, update_index
from parm_core.retrieval import Searcher
from parm_core.segmentation import SegmentOptions
from parm_core.tokenisation import Tokeniser
from parm_core.types import Case, Collection

NEW = Case(
    "ferry", "Ferry v Pier", f"{FRONT}\n1. The ferry struck the pier.\n2. Its bell was silent.\n"
)
CHANGED = replace(
    CASES[0], text=CASES[0].text + "5. The appeal is allowed, and the barge paid for.\n"
)
OPTIONS = IndexOptions(
    segment=SegmentOptions(rule="numbered"),
    bm25=BM25Params(k1=2),
    tokeniser=Tokeniser(stemmer="none"),
)


class BatchEncoder(FakeEncoder):
    """A vector's last digits depend on the batch that the text was in, as a real encoder's do."""

    def encode_passages(self, texts, *, progress=None):
        return super().encode_passages(texts, progress=progress) + np.float32(1e-6 * len(texts))


def contents(folder):
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def fresh(path, cases, encoder, options=None):
    collection = Collection("northmark", tuple(cases))
    return build_index(collection, path, encoder=encoder, options=options)


def rankings(index, encoder):
    searcher = Searcher(index, encoder)
    query = searcher.query(QUERY_CASE.text)
    systems = ["bm25:doc", "bm25:rrf", *(["dense:vrrf", "dense:firstp"] if encoder else [])]
    return [[tuple(case) for case in searcher.rank(query, system)] for system in systems]


CHANGES = {
    "nothing": (Changes(), CASES),
    "one added": (Changes(add=[NEW]), [*CASES, NEW]),
    "one replaced": (Changes(add=[CHANGED]), [CHANGED, *CASES[1:]]),
    "one removed": (Changes(remove=["lamp"]), [case for case in CASES if case.id != "lamp"]),
    "all at once": (
        Changes(add=[NEW, CHANGED], remove=["lamp", "bees"]),
        [NEW, CHANGED, *(case for case in CASES[1:] if case.id not in ("lamp", "bees"))],
    ),
    "nothing recurs any more": (
        Changes(remove=[case.id for case in CASES[2:]]),
        CASES[:2],
    ),
    "removed and added": (Changes(add=[CASES[2]], remove=["lamp"]), CASES),
    "another first": (Changes(add=[replace(NEW, id="zebra")]), [*CASES, replace(NEW, id="zebra")]),
}


@pytest.mark.parametrize("dense", [True, False])
@pytest.mark.parametrize("options", [None, OPTIONS])
@pytest.mark.parametrize("what", CHANGES)
def test_a_changed_index_is_a_fresh_build_of_the_same_cases(tmp_path, what, options, dense):
    """To the byte: statistics, postings, tables, what recurs, hashes; so ids and scores too."""
    changes, cases = CHANGES[what]
    encoder = FakeEncoder() if dense else None
    wanted = fresh(tmp_path / "fresh", cases, encoder, options)
    fresh(tmp_path / "changed", CASES, encoder, options)
    changed = update_index(tmp_path / "changed", changes, encoder=encoder)
    assert contents(changed.path) == contents(wanted.path)
    assert rankings(changed, encoder) == rankings(wanted, encoder)
    assert changed.manifest["collection"]["sha256"] == collection_sha256(cases)
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_what_recurs_is_marked_anew_when_cases_come_and_go(tmp_path):
    """The front matter stands in too few cases to be boilerplate until a third case brings it."""
    index = fresh(tmp_path / "index", CASES[:2], None)
    assert index.case("barge").paragraphs[0].retrieved
    index = update_index(index.path, Changes(add=[CASES[4]]), encoder=None)
    assert not index.case("barge").paragraphs[0].retrieved
    index = update_index(index.path, Changes(remove=["mooring"]), encoder=None)
    assert index.case("barge").paragraphs[0].retrieved


def test_with_an_encoder_as_real_ones_are_only_the_vectors_last_digits_differ(tmp_path):
    encoder = BatchEncoder()
    wanted = fresh(tmp_path / "fresh", [*CASES, NEW], encoder)
    fresh(tmp_path / "changed", CASES, encoder)
    changed = update_index(tmp_path / "changed", Changes(add=[NEW]), encoder=encoder)
    one, other = contents(changed.path), contents(wanted.path)
    assert {name for name in one if one[name] != other[name]} <= {
        "vectors.npy",
        "openings.npy",
        "manifest.json",
        "manifest.sha256",
    }
    np.testing.assert_allclose(changed.vectors, wanted.vectors, atol=1e-4)
    for manifest in (changed.manifest, wanted.manifest):
        for name in ("vectors.npy", "openings.npy"):
            del manifest["files"][name]
    assert changed.manifest == wanted.manifest


def test_only_new_texts_are_encoded_and_only_new_cases_cut(tmp_path, monkeypatch):
    encoder = FakeEncoder()
    index = fresh(tmp_path / "index", CASES, encoder)
    encoder.encoded.clear()
    cut = []
    segment = build.segment_cases
    monkeypatch.setattr(
        updating, "segment_cases", lambda cases, *rest: cut.extend(cases) or segment(cases, *rest)
    )
    update_index(index.path, Changes(add=[CHANGED], remove=["lamp"]), encoder=encoder)
    assert cut == [CHANGED]
    assert encoder.encoded == ["5. The appeal is allowed, and the barge paid for."]


def test_building_again_encodes_only_what_is_new(tmp_path):
    encoder = FakeEncoder()
    fresh(tmp_path / "index", CASES, encoder)
    encoder.encoded.clear()
    fresh(tmp_path / "index", CASES, encoder, IndexOptions(bm25=BM25Params(k1=2)))
    assert encoder.encoded == []
    index = fresh(tmp_path / "index", [CHANGED, *CASES[1:]], encoder)
    assert encoder.encoded == ["5. The appeal is allowed, and the barge paid for."]
    wanted = fresh(tmp_path / "fresh", [CHANGED, *CASES[1:]], FakeEncoder())
    assert contents(index.path) == contents(wanted.path)


@pytest.mark.parametrize(
    "other",
    [
        {"weights_sha256": "0" * 64},
        {"dim": 8},
        {"max_tokens": 9},
        {"prompt": "passage: "},
        {"precision": "bfloat16"},
    ],
)
def test_vectors_of_another_encoder_are_not_used(tmp_path, other):
    class Other(FakeEncoder):
        max_tokens = other.get("max_tokens", FakeEncoder.max_tokens)

    options = {name: value for name, value in other.items() if name != "max_tokens"}
    fresh(tmp_path / "index", CASES, FakeEncoder())
    encoder = Other(**options)
    index = fresh(tmp_path / "index", CASES, encoder)
    assert len(encoder.encoded) > 20
    assert contents(index.path) == contents(fresh(tmp_path / "fresh", CASES, Other(**options)).path)


@pytest.mark.parametrize("name", ["vectors.npy", "paragraphs.arrow", "manifest.json"])
def test_nothing_is_taken_from_a_damaged_index(tmp_path, name):
    index = fresh(tmp_path / "index", CASES, FakeEncoder())
    wanted = contents(index.path)
    held = bytearray(wanted[name])
    held[-9] ^= 1
    (index.path / name).write_bytes(held)
    with pytest.raises(IndexStoreError, match=name):
        update_index(index.path, Changes(add=[NEW]), encoder=FakeEncoder())
    encoder = FakeEncoder()
    assert contents(fresh(index.path, CASES, encoder).path) == wanted
    assert len(encoder.encoded) > 20


def test_cases_cut_by_another_version_are_cut_again_and_not_added_to(tmp_path, monkeypatch):
    monkeypatch.setattr(build, "__version__", "0.0.1")
    index = fresh(tmp_path / "index", CASES, FakeEncoder())
    monkeypatch.undo()
    with pytest.raises(IndexStoreError, match=r"built by version 0\.0\.1, this is"):
        update_index(index.path, Changes(add=[NEW]), encoder=FakeEncoder())
    encoder = FakeEncoder()
    assert fresh(tmp_path / "index", CASES, encoder).manifest["product"] != "0.0.1"
    assert encoder.encoded == []


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (Changes(remove=["nobody"]), "holds no case 'nobody'"),
        (Changes(remove=[case.id for case in CASES]), "would leave no case"),
        (Changes(add=[Case("blank", "", " ")]), "case 'blank': the text is empty"),
        (Changes(add=[NEW, NEW]), "two cases have the id 'ferry'"),
    ],
)
def test_what_cannot_be_changed_is_said_and_changes_nothing(tmp_path, changes, said):
    index = fresh(tmp_path / "index", CASES, None)
    before = contents(index.path)
    with pytest.raises(DataError, match=said):
        update_index(index.path, changes, encoder=None)
    assert contents(index.path) == before
    assert [path.name for path in tmp_path.iterdir()] == ["index"]


def test_an_index_is_added_to_with_its_own_encoder_only(tmp_path):
    index = fresh(tmp_path / "index", CASES, FakeEncoder())
    for encoder in (None, FakeEncoder(weights_sha256="0" * 64)):
        with pytest.raises(EncoderError, match="was built with fake"):
            update_index(index.path, Changes(add=[NEW]), encoder=encoder)
    bare = fresh(tmp_path / "bare", CASES, None)
    with pytest.raises(EncoderError, match="was built with no encoder"):
        update_index(bare.path, Changes(add=[NEW]), encoder=FakeEncoder())


def test_there_must_be_an_index_to_change(tmp_path):
    with pytest.raises(IndexStoreError, match="no index at"):
        update_index(tmp_path / "index", Changes(add=[NEW]), encoder=None)


# -------------------------------------------------------------------------------- an older format


def as_format_1(path):
    """The index as the first format had it: cases without hashes, the hash over the texts."""
    table = pa.ipc.open_file((path / "cases.arrow").read_bytes()).read_all()
    with (
        pa.OSFile(str(path / "cases.arrow"), "wb") as sink,
        pa.ipc.new_file(sink, table.drop("sha256").schema) as writer,
    ):
        writer.write_table(table.drop("sha256"))
    manifest = open_index_manifest(path) | {"format": 1}
    manifest["collection"] = {"name": "northmark", "sha256": SHA256_1}
    for name in ("manifest.json", "manifest.sha256"):
        (path / name).unlink()
    write_manifest(path, manifest)
    return path


def open_index_manifest(path):
    return json.loads((path / "manifest.json").read_text(encoding="utf-8"))


SHA256_1 = "81ea320f9aead3272760343115c1edceed09bc12efa74cb3b7eec9a9b37f3e36"
"""The hash of the small collection as the first format defined it, written down then."""


def test_an_index_of_format_1_opens_verifies_and_searches_as_before(tmp_path):
    encoder = FakeEncoder()
    wanted = rankings(fresh(tmp_path / "new", CASES, encoder), encoder)
    old = open_index(as_format_1(fresh(tmp_path / "old", CASES, encoder).path))
    verify_index(old.path)
    assert old.manifest["format"] == 1
    assert rankings(old, encoder) == wanted
    assert is_of(old.manifest, CASES)
    assert not is_of(old.manifest, CASES[1:])


def test_an_index_of_format_1_is_built_again_without_encoding_and_only_then_added_to(tmp_path):
    old = as_format_1(fresh(tmp_path / "old", CASES, FakeEncoder()).path)
    with pytest.raises(IndexStoreError, match=r"format 1, .* build it again once with: parm index"):
        update_index(old, Changes(add=[NEW]), encoder=FakeEncoder())
    encoder = FakeEncoder()
    index = fresh(old, CASES, encoder)
    assert encoder.encoded == []
    assert index.manifest["format"] == FORMAT
    assert contents(index.path) == contents(fresh(tmp_path / "new", CASES, FakeEncoder()).path)


def test_cases_carry_their_hashes(index):
    assert dict(zip(index.case_ids, index.case_hashes, strict=True)) == {
        case.id: case_sha256(case) for case in CASES
    }
    assert is_of(index.manifest, COLLECTION.cases)
    assert not is_of(index.manifest, [CHANGED, *CASES[1:]])


# ------------------------------------------------------------------------------- the command line


@pytest.fixture
def cases_file(tmp_path):
    path = tmp_path / "new.jsonl"
    path.write_text(json.dumps({"_id": NEW.id, "title": NEW.title, "text": NEW.text}) + "\n")
    return path


def test_the_command_adds_and_removes(parm, monkeypatch, tmp_path, cases_file):
    monkeypatch.setattr(encoders, "load_encoder", lambda *_, **__: FakeEncoder())
    path = fresh(tmp_path / "index", CASES, FakeEncoder()).path
    code, out, _ = parm("index", "--add", cases_file, "--remove", "lamp,bees", path)
    assert code == 0
    assert "cases:        5" in out
    cases = [NEW, *(case for case in CASES if case.id not in ("lamp", "bees"))]
    assert contents(path) == contents(fresh(tmp_path / "fresh", cases, FakeEncoder()).path)


def test_the_command_adds_with_the_packaged_encoder(parm, monkeypatch, tmp_path, cases_file):
    """From the index alone, as a person would: what built it is found again by its id."""
    monkeypatch.setenv("PARM_INDEXES", str(tmp_path / "indexes"))
    lines = [json.dumps({"_id": c.id, "title": c.title, "text": c.text}) for c in CASES[:2]]
    (tmp_path / "corpus.jsonl").write_text("\n".join(lines), encoding="utf-8")
    assert parm("index", tmp_path, tmp_path / "index")[0] == 0
    code, out, err = parm("index", "--add", cases_file, tmp_path / "index")
    assert (code, "cases:        3" in out) == (0, True), err
    assert "encoder:      all-MiniLM-L6-v2, 384 wide" in out


def test_an_id_with_a_comma_can_be_removed(parm, tmp_path):
    path = fresh(tmp_path / "index", [*CASES, replace(NEW, id="a,b")], None).path
    assert parm("index", "--remove", "a,b", path)[0] == 0
    assert not open_index(path).holds("a,b")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--remove", "nobody", "INDEX"], "holds no case 'nobody'"),
        (["--remove", "lamp"], "needs one INDEX"),
        (["--remove", "lamp", "COLLECTION", "INDEX"], "needs one INDEX"),
        (["--add", "nowhere.jsonl", "INDEX"], "no file nowhere.jsonl"),
    ],
)
def test_a_wrong_change_is_one_line_and_exit_2(parm, tmp_path, words, said):
    path = fresh(tmp_path / "INDEX", CASES, None).path
    code, out, err = parm("index", *[str(path) if word == "INDEX" else word for word in words])
    assert (code, out) == (2, "")
    assert said in err
    assert err.count("\n") == 1
