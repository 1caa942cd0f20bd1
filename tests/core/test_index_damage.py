"""A damaged index: every file of it is missed by `--verify`, and nothing of it crashes a search."""

from __future__ import annotations

import json
import random
import warnings
from dataclasses import replace

import pytest
from conftest import CASES, COLLECTION, QUERY_CASE, FakeEncoder

from parm_core.errors import DataError, IndexStoreError, ParmError
from parm_core.explanation import contributions
from parm_core.index import manifest
from parm_core.index.build import build_index
from parm_core.index.manifest import sha256, write_manifest
from parm_core.index.store import open_index, verify_index
from parm_core.retrieval import Searcher
from parm_core.systems import parse_system
from parm_core.types import Collection

SYSTEMS = ["bm25:doc", "bm25:srrf", "dense:vrrf", "dense:firstp", "dense:maxp", "dense:vmax"]

FILES = sorted(
    ["manifest.json", "manifest.sha256", "cases.arrow", "paragraphs.arrow", "unretrieved.arrow"]
    + ["case_starts.npy", "twins.npy", "vectors.npy", "openings.npy"]
    + [
        f"bm25-{units}.{part}"
        for units in ("cases", "paragraphs")
        for part in ("impacts.npy", "units.npy", "starts.npy", "terms.json")
    ]
)


@pytest.fixture
def built(tmp_path):
    return build_index(COLLECTION, tmp_path / "index", encoder=FakeEncoder()).path


def everything(path):
    """What a reader gets of an index: rankings, why, and every case."""
    index = open_index(path)
    searcher = Searcher(index, FakeEncoder())
    query = searcher.query(QUERY_CASE.text)
    found = []
    for system in map(parse_system, SYSTEMS):
        ranking = searcher.rank(query, system)
        found += [(case.case_id, float(case.score)) for case in ranking]
        if len(ranking):
            why = contributions(searcher, query, system, ranking.case_ids[0])
            found += [pair.contribution for pair in why.pairs(3)]
    found += [index.case(case_id) for case_id in index.case_ids]
    return [*found, index.kinds, index.positions.tolist(), index.texts(slice(None))]


def damages(whole, draw):
    """Ways to damage a file: flipped bits, cut, empty, one byte longer."""
    for _ in range(25):
        flipped = bytearray(whole)
        flipped[draw.randrange(len(whole))] ^= 1 << draw.randrange(8)
        yield bytes(flipped)
    for end in (0, 1, len(whole) // 2, len(whole) - 1):
        yield whole[:end]
    yield whole + b"\0"


def test_every_file_is_tested(built):
    assert sorted(path.name for path in built.iterdir()) == FILES


@pytest.mark.parametrize("name", FILES)
def test_whatever_is_damaged_a_reader_gets_an_answer_or_one_clear_error(built, name):
    file, draw = built / name, random.Random(name)
    whole, right = file.read_bytes(), everything(built)
    for held in damages(whole, draw):
        file.write_bytes(held)
        with warnings.catch_warnings():
            # A flipped bit can make a number huge, and sums of it overflow: a wrong answer, no crash.
            warnings.simplefilter("ignore", RuntimeWarning)
            try:
                found = everything(built)
            except ParmError as error:
                assert "\n" not in str(error)
                found = None
        if name.startswith("manifest") or len(held) != len(whole):
            assert found is None
    file.unlink()
    with pytest.raises(IndexStoreError, match=name.partition(".")[0]):
        open_index(built)
    file.write_bytes(whole)
    assert everything(built) == right


@pytest.mark.parametrize("name", FILES)
def test_verify_names_whatever_file_is_damaged(built, name):
    file, draw = built / name, random.Random(name)
    whole = file.read_bytes()
    for held in [*damages(whole, draw), None]:
        file.unlink() if held is None else file.write_bytes(held)
        with pytest.raises(IndexStoreError, match=name.replace(".", r"\.")):
            verify_index(built)
    file.write_bytes(whole)
    verify_index(built)


def test_verify_names_every_file_that_is_damaged_missing_or_unexpected(built):
    held = bytearray((built / "vectors.npy").read_bytes())
    held[-1] ^= 1
    (built / "vectors.npy").write_bytes(held)
    (built / "twins.npy").unlink()
    (built / "cases.arrow").write_bytes(b"cut")
    (built / "letter.txt").write_text("dear")
    with pytest.raises(IndexStoreError) as caught:
        verify_index(built)
    said = str(caught.value)
    assert "vectors.npy is damaged" in said
    assert "twins.npy is missing" in said
    assert "cases.arrow has 3 bytes" in said
    assert "letter.txt is no part of it" in said
    assert "openings.npy" not in said
    assert "\n" not in said


def test_a_file_that_may_not_be_read_is_named(built, monkeypatch):
    """The system's refusal is made up: who runs the tests may be allowed everything."""

    def refusing(path):
        if path.name == "vectors.npy":
            raise PermissionError(13, "Permission denied")
        return sha256(path)

    monkeypatch.setattr(manifest, "sha256", refusing)
    with pytest.raises(IndexStoreError, match=r"index: vectors\.npy cannot be read; build"):
        verify_index(built)


def rewritten(folder, change):
    """The same index with another manifest, the hash of which is right."""
    manifest = dict(open_index(folder).manifest)
    change(manifest)
    (folder / "manifest.json").unlink()
    (folder / "manifest.sha256").unlink()
    write_manifest(folder, manifest)


@pytest.mark.parametrize(
    ("part", "value", "said"),
    [
        ("counts", {"cases": 7, "paragraphs": 21}, "case_starts.npy"),
        ("counts", {"cases": 6, "paragraphs": 20}, "case_starts.npy"),
        ("counts", {"cases": "6", "paragraphs": 21}, "counts.cases"),
        ("counts", None, "counts"),
        ("tokeniser", {"stemmer": "finnish"}, "options that this version does not know"),
        ("tokeniser", {"stemmer": "none", "speed": 3}, "options that this version does not know"),
        ("bm25", {"k1": -1}, "options that this version does not know"),
        ("segmentation", {"rule": "runes"}, "options that this version does not know"),
        ("encoder", {"id": "fake"}, "encoder.dim"),
    ],
)
def test_a_manifest_that_does_not_fit_its_files_is_refused(built, part, value, said):
    rewritten(built, lambda manifest: manifest.update({part: value}))
    with pytest.raises(IndexStoreError, match=said):
        everything(built)


@pytest.mark.parametrize("name", ["../secret.npy", "/etc/hostname", "a/b", "..", "", "a\\b"])
def test_a_manifest_may_not_name_files_elsewhere(built, name):
    path = built / "manifest.json"
    manifest = json.loads(path.read_text())
    manifest["files"][name] = {"bytes": 1, "sha256": "0" * 64}
    path.write_text(json.dumps(manifest))
    (built / "manifest.sha256").write_text(f"{sha256(path)}  manifest.json\n")
    for ask in (open_index, verify_index):
        with pytest.raises(IndexStoreError, match=r"lacks or garbles files\."):
            ask(built)


def test_two_cases_of_one_id_are_refused(tmp_path):
    twice = Collection("twice", (*CASES, replace(CASES[0], title="Another")))
    with pytest.raises(DataError, match="two cases have the id 'barge'"):
        build_index(twice, tmp_path / "index", encoder=None)
