"""What the app keeps: the sample's index, opened indexes, a session's query."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from conftest import CASES, COLLECTION, QUERY_CASE, FakeEncoder

from parm_core.errors import DataError
from parm_core.index.build import build_index
from parm_core.retrieval import Searcher
from parm_core.systems import parse_system
from parm_core.types import Collection
from ui import resources
from ui.resources import SAMPLE


@pytest.fixture
def indexes(tmp_path, monkeypatch):
    """An empty folder of indexes, and an encoder that needs no model."""
    monkeypatch.setenv("PARM_INDEXES", str(tmp_path / "indexes"))
    monkeypatch.setattr(resources, "load_encoder", FakeEncoder)
    return tmp_path / "indexes"


@pytest.fixture
def small_sample(monkeypatch):
    """The sample collection, as small as it can be."""
    monkeypatch.setattr(resources, "sample_collection", lambda: COLLECTION)


@pytest.fixture
def built(monkeypatch):
    """The paths of the indexes built so far."""
    paths = []

    def counted(collection, path, **options):
        paths.append(path)
        return build_index(collection, path, **options)

    monkeypatch.setattr(resources, "build_index", counted)
    return paths


@pytest.fixture
def session(monkeypatch):
    """A session's state, empty."""
    state = {}
    monkeypatch.setattr(resources.st, "session_state", state)
    return state


class TestCollections:
    def test_are_the_sample_and_then_the_indexes_by_name(self, indexes):
        for name in ("weir", "anchor"):
            build_index(COLLECTION, indexes / name, encoder=None)
        assert list(resources.collections()) == [SAMPLE, "anchor", "weir"]

    def test_are_the_sample_alone_where_there_is_no_folder(self, indexes):
        assert resources.collections() == {SAMPLE: resources.sample_path()}
        assert not indexes.exists()

    def test_are_looked_up_anew_each_time(self, indexes):
        before = list(resources.collections())
        build_index(COLLECTION, indexes / "weir", encoder=None)
        assert (before, list(resources.collections())) == ([SAMPLE], [SAMPLE, "weir"])


@pytest.mark.usefixtures("small_sample")
class TestSample:
    def test_lies_in_the_folder_of_indexes_and_is_hidden_there(self, indexes):
        assert resources.sample_path().parent == indexes
        assert resources.sample_path().name.startswith(".")

    def test_is_never_built_in_the_place_of_an_index_of_one_s_own(self, indexes):
        build_index(Collection(SAMPLE, CASES[:2]), indexes / SAMPLE, encoder=None)
        assert resources.searcher(SAMPLE).index.n_cases == 6
        assert resources.searcher(f"{SAMPLE} (yours)").index.n_cases == 2

    def test_is_told_from_an_index_of_one_s_own(self, indexes):
        build_index(COLLECTION, indexes / SAMPLE, encoder=None)
        assert resources.is_sample(resources.searcher(SAMPLE))
        assert not resources.is_sample(resources.searcher(f"{SAMPLE} (yours)"))

    def test_is_built_once_and_then_opened(self, indexes, built):
        assert resources.searcher(SAMPLE).index.n_cases == 6
        assert resources.searcher(SAMPLE) is resources.searcher(SAMPLE)
        assert built == [resources.sample_path()]

    def test_is_built_once_for_two_who_come_at_the_same_time(self, indexes, built):
        with ThreadPoolExecutor(2) as pool:
            first, second = pool.map(resources.searcher, [SAMPLE, SAMPLE])
        assert first.index.path == second.index.path == resources.sample_path()
        assert len(built) == 1

    def test_is_built_again_from_other_texts(self, indexes, built):
        build_index(Collection(SAMPLE, CASES[:3]), resources.sample_path(), encoder=FakeEncoder())
        assert resources.searcher(SAMPLE).index.n_cases == 6
        assert len(built) == 1

    def test_is_built_again_where_it_has_no_vectors(self, indexes, built):
        build_index(COLLECTION, resources.sample_path(), encoder=None)
        assert resources.searcher(SAMPLE).index.has_vectors
        assert len(built) == 1

    @pytest.mark.parametrize("damage", ["cut", "missing"])
    def test_is_built_again_where_a_file_is_damaged(self, indexes, built, damage):
        build_index(COLLECTION, resources.sample_path(), encoder=FakeEncoder())
        file = resources.sample_path() / "vectors.npy"
        file.write_bytes(file.read_bytes()[:-4]) if damage == "cut" else file.unlink()
        vectors = resources.searcher(SAMPLE).index.vectors
        assert vectors.shape == (21, 16)
        assert len(built) == 1


class TestSearcher:
    def test_opens_an_index_that_was_built_again_again(self, indexes):
        build_index(COLLECTION, indexes / "weir", encoder=None)
        before = resources.searcher("weir")
        assert resources.searcher("weir") is before
        build_index(Collection("weir", CASES[:2]), indexes / "weir", encoder=None)
        assert (before.index.n_cases, resources.searcher("weir").index.n_cases) == (6, 2)


class TestQuery:
    @staticmethod
    def ask(searcher, **changed):
        asked = {"text": QUERY_CASE.text, "title": "Finch", "case_id": None, "rule": "auto"}
        return resources.query(searcher, **asked | changed)

    def test_is_kept_while_nothing_changes(self, session, searcher):
        assert self.ask(searcher) is self.ask(searcher)

    @pytest.mark.parametrize(
        "changed", [{"text": "Bees."}, {"title": "Weir"}, {"rule": "windows"}, {"case_id": "bees"}]
    )
    def test_is_made_anew_when_something_changes(self, session, searcher, changed):
        before = self.ask(searcher)
        after = self.ask(searcher, **changed)
        assert after is not before and after.case != before.case

    def test_is_made_anew_for_another_index(self, session, searcher, lexical_index):
        before = self.ask(searcher)
        assert self.ask(Searcher(lexical_index)) is not before

    def test_belongs_to_one_session(self, monkeypatch, searcher):
        held = []
        for state in ({}, {}):
            monkeypatch.setattr(resources.st, "session_state", state)
            held.append(self.ask(searcher))
        assert held[0] is not held[1]

    def test_of_the_collection_leaves_itself_out(self, session, searcher):
        query = self.ask(searcher, text="", case_id="bees")
        assert (query.case.id, query.excluded) == ("bees", "bees")

    def test_without_text_is_refused_and_the_last_one_kept(self, session, searcher):
        before = self.ask(searcher)
        with pytest.raises(DataError, match="the text is empty"):
            self.ask(searcher, text=" ")
        assert self.ask(searcher) is before


class TestRankings:
    def test_are_one_a_system_by_its_shortest_name(self, searcher, query):
        systems = [parse_system(name) for name in ("bm25:rrf@k=60", "dense:max", "bm25:rrf@k=7")]
        found = resources.rankings(searcher, query, systems)
        assert list(found) == ["bm25:rrf", "dense:max", "bm25:rrf@k=7"]
        assert found["dense:max"].case_ids == searcher.rank(query, "dense:max").case_ids

    def test_encode_a_query_once(self, index, encoder):
        searcher = Searcher(index, encoder)
        query = searcher.query(QUERY_CASE.text)
        before = len(encoder.encoded)
        for names in (["bm25:rrf"], ["dense:rrf"], ["dense:vrrf", "dense:max"], ["hybrid:rrf"]):
            resources.rankings(searcher, query, [parse_system(name) for name in names])
        assert encoder.encoded[before:] == query.texts


class TestUsable:
    SYSTEMS = tuple(map(parse_system, ("bm25:rrf", "bm25:vrrf", "dense:max", "hybrid:rrf")))

    def test_is_every_system_where_there_are_vectors_and_their_encoder(self, searcher):
        assert resources.usable(searcher, self.SYSTEMS) == (list(self.SYSTEMS), "")

    def test_is_what_needs_no_vectors_where_there_are_none(self, lexical_index):
        able, why_not = resources.usable(Searcher(lexical_index), self.SYSTEMS)
        assert able == [parse_system("bm25:rrf")]
        assert "built without an encoder" in why_not

    def test_is_what_needs_no_encoder_where_it_is_not_here(self, index):
        able, why_not = resources.usable(Searcher(index), self.SYSTEMS)
        assert able == [parse_system("bm25:rrf")]
        assert "the encoder 'fake' is not on this machine" in why_not
