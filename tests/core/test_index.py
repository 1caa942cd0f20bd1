"""An index on disk: the same bytes for the same input, whole or refused, never half replaced."""

from __future__ import annotations

import getpass
import json
import socket
from pathlib import Path

import numpy as np
import pytest
from conftest import CASES, COLLECTION, COSTS, FRONT, FakeEncoder

from parm_core.errors import DataError, IndexStoreError
from parm_core.index import draft
from parm_core.index.build import IndexOptions, build_index, collection_sha256, opening
from parm_core.index.lexical import BM25Params
from parm_core.index.manifest import sha256
from parm_core.index.store import open_index
from parm_core.segmentation import SegmentOptions, segment_collection
from parm_core.tokenisation import Tokeniser
from parm_core.types import Case, Collection

ONE = Collection("one", (Case("only", "Only", "The only case is about one mill."),))


def contents(folder):
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


@pytest.fixture
def built(tmp_path):
    """An index of its own, to be damaged."""
    return build_index(COLLECTION, tmp_path / "index", encoder=FakeEncoder())


def test_the_same_input_gives_the_same_bytes_in_every_file(tmp_path, index):
    again = build_index(COLLECTION, tmp_path / "elsewhere" / "other", encoder=FakeEncoder())
    assert contents(again.path) == contents(index.path)


def test_the_order_of_the_cases_does_not_matter(tmp_path, index):
    turned = Collection("northmark", CASES[::-1])
    again = build_index(turned, tmp_path / "index", encoder=FakeEncoder())
    assert contents(again.path) == contents(index.path)


def test_queries_and_labels_are_no_part_of_an_index(tmp_path, index):
    bare = Collection("northmark", CASES)
    again = build_index(bare, tmp_path / "index", encoder=FakeEncoder())
    assert contents(again.path) == contents(index.path)


def test_another_text_or_option_gives_another_manifest(tmp_path, index):
    def manifest(cases=CASES, **options):
        path = tmp_path / "changed"
        made = Collection("northmark", cases)
        build_index(made, path, encoder=FakeEncoder(), options=IndexOptions(**options))
        return (path / "manifest.json").read_bytes()

    changed = Case("barge", "Mills v Harbour Trust", CASES[0].text + "5. So held.\n")
    manifests = [
        manifest(),
        manifest(cases=(changed, *CASES[1:])),
        manifest(bm25=BM25Params(k1=2)),
        manifest(segment=SegmentOptions(rule="windows")),
        manifest(tokeniser=Tokeniser(stemmer="none")),
    ]
    assert manifests[0] == (index.path / "manifest.json").read_bytes()
    assert len(set(manifests)) == 5


def test_no_path_host_user_or_time_is_in_any_file(index):
    names = {str(index.path), str(index.path.parent), str(Path.home()), socket.gethostname()}
    names |= {str(Path.cwd())}
    if getpass.getuser() != "root":
        names.add(getpass.getuser())
    for name, held in contents(index.path).items():
        for word in names:
            assert word.encode() not in held, f"{word} in {name}"
    manifest = json.loads((index.path / "manifest.json").read_text())
    assert not {"time", "date", "created", "host", "path"} & set(manifest)


def test_what_was_cut_is_what_is_read_back(index):
    """Texts, kinds, offsets, what is not retrieved; titles, dates and courts."""
    cut = segment_collection(sorted(CASES, key=lambda case: case.id, reverse=True))
    assert [case.id for case in cut] == index.case_ids
    for case in cut:
        read = index.case(case.id)
        assert read.paragraphs == case.paragraphs
        assert (read.id, read.title, read.date, read.court) == (
            case.id,
            case.title,
            case.date,
            case.court,
        )
        assert read.paragraphs[0].text == FRONT
        assert not read.paragraphs[0].retrieved


def test_rows_are_the_retrieved_paragraphs_by_case_id_descending_then_position(index, encoder):
    wanted = [
        (case_id, position, paragraph.text)
        for case_id in sorted((case.id for case in CASES), reverse=True)
        for position, paragraph in enumerate(index.case(case_id).paragraphs)
        if paragraph.retrieved
    ]
    assert index.n_paragraphs == len(wanted)
    case_ids = [index.case_ids[c] for c in index.case_of_row]
    rows = zip(case_ids, index.positions.tolist(), index.texts(slice(None)), strict=True)
    assert list(rows) == wanted
    vectors = encoder.encode_passages([text for _, _, text in wanted])
    np.testing.assert_array_equal(index.vectors, vectors)
    for case_id in index.case_ids:
        held = index.rows_of(case_id)
        assert set(case_ids[held]) == {case_id}
        assert held.stop - held.start == index.case_sizes[index.case_index(case_id)]


def test_openings_are_the_first_words_that_the_encoder_reads(index, encoder):
    for c, case_id in enumerate(index.case_ids):
        words = " ".join(index.texts(index.rows_of(case_id))).split()
        wanted = encoder.encode_passages([" ".join(words[: encoder.max_tokens])])[0]
        np.testing.assert_array_equal(index.openings[c], wanted)


def test_opening_by_hand():
    assert opening(["one two", "three four"], 3) == "one two three"
    assert opening(["one"], 3) == "one"
    assert opening([], 3) == ""


def test_each_distinct_text_is_encoded_once(built, tmp_path):
    encoder = FakeEncoder()
    build_index(COLLECTION, tmp_path / "counted", encoder=encoder)
    costs = [text for text in encoder.encoded if text == f"4. {COSTS}"]
    assert costs == [f"4. {COSTS}"]
    twins = [r for r in range(built.n_paragraphs) if built.twins[r] != r]
    assert [built.texts(slice(r, r + 1)) for r in twins] == [[f"4. {COSTS}"]]
    np.testing.assert_array_equal(built.vectors[twins[0]], built.vectors[built.twins[twins[0]]])


def test_the_manifest_says_what_the_index_is(index):
    manifest = index.manifest
    assert manifest["collection"] == {"name": "northmark", "sha256": collection_sha256(CASES)}
    assert manifest["counts"] == {"cases": 6, "paragraphs": 21}
    assert manifest["bm25"] == {"k1": 1.3, "b": 0.8}
    assert manifest["tokeniser"] == {"stopwords": "english", "stemmer": "english"}
    assert manifest["segmentation"]["rule"] == "auto"
    files = {path.name for path in index.path.iterdir()}
    assert manifest["files"].keys() == files - {"manifest.json", "manifest.sha256"}
    for name, said in manifest["files"].items():
        file = index.path / name
        assert said == {"bytes": file.stat().st_size, "sha256": sha256(file)}


def test_the_manifest_counts_what_the_encoder_does_not_read(index, encoder):
    tokens = [len(text.split()) for text in index.texts(slice(None))]
    unread = [max(0, count - encoder.max_tokens) for count in tokens]
    recorded = index.manifest["encoder"]
    assert recorded["truncated_share"] == pytest.approx(sum(unread) / sum(tokens), abs=1e-6)
    assert recorded["truncated_paragraphs"] == sum(count > 0 for count in unread)
    assert {key: recorded[key] for key in ("id", "revision", "weights_sha256", "dim")} == {
        "id": "fake",
        "revision": "1",
        "weights_sha256": "f" * 64,
        "dim": 16,
    }


def test_without_an_encoder_there_are_no_vectors(lexical_index):
    assert not lexical_index.has_vectors
    assert lexical_index.manifest["encoder"] is None
    assert not (lexical_index.path / "vectors.npy").exists()
    with pytest.raises(IndexStoreError, match="built without an encoder"):
        _ = lexical_index.vectors


def test_the_collections_hash_ignores_order_and_sees_every_field():
    base = collection_sha256(CASES)
    assert collection_sha256(CASES[::-1]) == base
    first = CASES[0]
    for change in (
        Case("x", first.title, first.text, first.date, first.court),
        Case(first.id, "x", first.text, first.date, first.court),
        Case(first.id, first.title, "x", first.date, first.court),
        Case(first.id, first.title, first.text, "x", first.court),
        Case(first.id, first.title, first.text, first.date, None),
    ):
        assert collection_sha256((change, *CASES[1:])) != base


# ------------------------------------------------------------------------------- opening, verifying


def test_a_folder_without_an_index_is_refused_and_says_what_to_do(tmp_path):
    with pytest.raises(IndexStoreError, match="build one with: parm index COLLECTION"):
        open_index(tmp_path)


@pytest.mark.parametrize("version", [0, 3, "1", True, None])
def test_another_format_version_is_refused(built, version):
    manifest = json.loads((built.path / "manifest.json").read_text())
    (built.path / "manifest.json").write_text(json.dumps(manifest | {"format": version}))
    with pytest.raises(IndexStoreError, match=f"of format {version!r}, this version reads format"):
        open_index(built.path)


@pytest.mark.parametrize("text", ["{", "[]", "", "\xff"])
def test_a_broken_manifest_is_refused(built, text):
    (built.path / "manifest.json").write_bytes(text.encode("latin-1"))
    with pytest.raises(IndexStoreError, match=r"manifest\.json"):
        open_index(built.path)


def test_a_manifest_that_lacks_a_part_is_refused(built):
    (built.path / "manifest.json").write_text('{"format": 1}')
    with pytest.raises(IndexStoreError, match=r"manifest\.json"):
        open_index(built.path)


DATA_FILES = sorted(
    ["cases.arrow", "paragraphs.arrow", "unretrieved.arrow", "case_starts.npy", "twins.npy"]
    + ["vectors.npy", "openings.npy"]
    + [
        f"bm25-{units}.{part}"
        for units in ("cases", "paragraphs")
        for part in ("impacts.npy", "units.npy", "starts.npy", "terms.json")
    ]
)


def test_every_data_file_is_tested(index):
    assert sorted(index.manifest["files"]) == DATA_FILES


@pytest.mark.parametrize("name", DATA_FILES)
def test_a_missing_or_cut_file_is_named_on_opening(built, name):
    file = built.path / name
    whole = file.read_bytes()
    file.write_bytes(whole[:-1])
    with pytest.raises(IndexStoreError, match=f"{name} has {len(whole) - 1} bytes, expected"):
        open_index(built.path)
    file.unlink()
    with pytest.raises(IndexStoreError, match=f"{name} is missing"):
        open_index(built.path)


@pytest.mark.parametrize("name", DATA_FILES)
def test_verify_finds_one_flipped_byte_and_names_the_file(built, name):
    file = built.path / name
    held = bytearray(file.read_bytes())
    held[len(held) // 2] ^= 1
    file.write_bytes(held)
    with pytest.raises(IndexStoreError, match=f"{name} is damaged"):
        open_index(built.path).verify()


@pytest.mark.parametrize("name", ["manifest.json", "manifest.sha256"])
def test_verify_finds_one_flipped_byte_in_the_manifest_and_its_hash(built, name):
    file = built.path / name
    held = file.read_bytes()
    place = held.index(b"northmark") if name == "manifest.json" else 5
    flipped = bytearray(held)
    flipped[place] ^= 1
    file.write_bytes(flipped)
    with pytest.raises(
        IndexStoreError,
        match=r"manifest\.json is not the one that manifest\.sha256 was written for",
    ):
        open_index(built.path).verify()


@pytest.mark.parametrize("held", [None, b"\xff\xfe"])
def test_verify_names_a_manifests_hash_that_is_missing_or_no_text(built, held):
    file = built.path / "manifest.sha256"
    file.unlink() if held is None else file.write_bytes(held)
    with pytest.raises(IndexStoreError, match="manifest"):
        open_index(built.path).verify()


def test_verify_is_content_with_a_whole_index(built):
    assert open_index(built.path).verify() is None


# ----------------------------------------------------------------------------- building, replacing


def test_a_new_index_replaces_an_old_one(built):
    replaced = build_index(ONE, built.path, encoder=None)
    assert replaced.case_ids == ["only"]
    assert open_index(built.path).name == "one"
    assert not (built.path / "vectors.npy").exists()
    assert [path.name for path in built.path.parent.iterdir()] == ["index"]


def test_an_index_may_go_into_an_empty_folder_or_a_new_one(tmp_path):
    (tmp_path / "empty").mkdir()
    assert build_index(ONE, tmp_path / "empty", encoder=None).n_cases == 1
    assert build_index(ONE, tmp_path / "a" / "b" / "c", encoder=None).n_cases == 1


def test_a_folder_with_something_else_in_it_is_refused_and_left_alone(tmp_path):
    (tmp_path / "letter.txt").write_text("dear")
    with pytest.raises(IndexStoreError, match="exists and is not an index; nothing was written"):
        build_index(ONE, tmp_path, encoder=None)
    assert contents(tmp_path) == {"letter.txt": b"dear"}


def test_a_file_is_refused_and_left_alone(tmp_path):
    (tmp_path / "letter.txt").write_text("dear")
    with pytest.raises(IndexStoreError, match="is not an index"):
        build_index(ONE, tmp_path / "letter.txt", encoder=None)
    assert (tmp_path / "letter.txt").read_text() == "dear"


@pytest.mark.parametrize("lost", ["manifest.json", "manifest.sha256"])
def test_an_index_that_lost_one_of_its_manifests_can_be_built_again(built, lost):
    (built.path / lost).unlink()
    with pytest.raises(IndexStoreError, match="manifest"):
        open_index(built.path)
    assert build_index(ONE, built.path, encoder=None).case_ids == ["only"]


def test_a_folder_with_another_programs_manifest_is_refused_and_left_alone(tmp_path):
    """Web apps and browser extensions have a manifest.json too."""
    (tmp_path / "manifest.json").write_text('{"name": "an extension"}')
    (tmp_path / "precious.js").write_text("keep()")
    with pytest.raises(IndexStoreError, match="is not an index"):
        build_index(ONE, tmp_path, encoder=None)
    assert contents(tmp_path).keys() == {"manifest.json", "precious.js"}


class Failing(FakeEncoder):
    def __init__(self, error):
        super().__init__()
        self.error = error

    def encode_passages(self, texts, *, progress=None):
        raise self.error


@pytest.mark.parametrize(
    ("error", "raised"),
    [
        (OSError("disk full"), IndexStoreError),
        (KeyboardInterrupt(), KeyboardInterrupt),
        (ValueError("encoder"), ValueError),
    ],
)
def test_a_build_that_fails_at_once_leaves_the_old_index_and_no_litter(built, error, raised):
    before = contents(built.path)
    with pytest.raises(raised):
        build_index(ONE, built.path, encoder=Failing(error))
    assert contents(built.path) == before
    assert [path.name for path in built.path.parent.iterdir()] == ["index"]


def fail_to_rename(monkeypatch, path, error, *, times):
    """Two folders cannot be exchanged, and renaming one to `path` fails, so many times."""
    monkeypatch.setattr(draft, "_exchange", lambda one, other: False)
    rename, left = Path.rename, [times]

    def failing(self, target):
        if Path(target) == path and left[0]:
            left[0] -= 1
            raise error
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", failing)


def test_where_the_new_index_cannot_be_put_in_place_the_old_one_is_put_back(built, monkeypatch):
    before = contents(built.path)
    fail_to_rename(monkeypatch, built.path, OSError("refused"), times=1)
    with pytest.raises(IndexStoreError, match="refused"):
        build_index(ONE, built.path, encoder=None)
    assert contents(built.path) == before
    assert [path.name for path in built.path.parent.iterdir()] == ["index"]


@pytest.mark.parametrize(("error", "times"), [(KeyboardInterrupt(), 1), (OSError("refused"), 2)])
def test_whatever_stops_the_replacing_an_old_index_is_never_deleted_first(
    built, monkeypatch, error, times
):
    before = contents(built.path)
    beside = built.path.parent
    fail_to_rename(monkeypatch, built.path, error, times=times)
    with pytest.raises((KeyboardInterrupt, IndexStoreError)):
        build_index(ONE, built.path, encoder=None)
    kept = [path.parent for path in beside.rglob("manifest.json")]
    assert before in [contents(folder) for folder in kept]


def test_a_case_that_cannot_be_used_is_named(tmp_path):
    bad = Collection("bad", (*CASES, Case("blank", "", " \n ")))
    with pytest.raises(DataError, match="case 'blank': the text is empty"):
        build_index(bad, tmp_path / "index", encoder=None)
    assert not (tmp_path / "index").exists()


@pytest.mark.parametrize("case", [Case("a", "\ud800", "A mill."), Case("\ud800", "", "A mill.")])
def test_an_id_or_title_that_is_no_unicode_is_refused_or_mended(tmp_path, case):
    try:
        assert build_index(Collection("x", (case,)), tmp_path / "i", encoder=None).n_cases == 1
    except DataError as error:
        assert "case" in str(error)


def test_text_in_any_script_is_kept(tmp_path):
    text = "Die Klägerin verlor die Bienen — 「蜂」 😀 naïve."
    made = build_index(
        Collection("Ämter", (Case("é-1", "Çà et là", text),)), tmp_path / "i", encoder=FakeEncoder()
    )
    case = open_index(made.path).case("é-1")
    assert (case.title, case.paragraphs[0].text) == ("Çà et là", text)


def test_unknown_cases_are_named(index):
    for unknown in ("", "aaa", "barge2", "zzz"):
        with pytest.raises(DataError, match=f"holds no case {unknown!r}"):
            index.case(unknown)
    assert index.titles(["lamp", "barge"]) == ["Ashby v Theatre Royal", "Mills v Harbour Trust"]


def test_progress_counts_to_the_end(tmp_path):
    seen = []

    def progress(done, total, what):
        seen.append((what, done, total))

    build_index(COLLECTION, tmp_path / "i", encoder=FakeEncoder(), progress=progress)
    last = {what: (done, total) for what, done, total in seen}
    assert last["cases segmented"] == (6, 6)
    assert all(done == total for done, total in last.values())
