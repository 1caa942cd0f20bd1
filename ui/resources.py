"""Everything the app keeps between runs of a page: indexes shared by all, queries for one session."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import streamlit as st

from parm_core.collections import load_collection
from parm_core.encoders import load_encoder
from parm_core.errors import IndexStoreError, ParmError
from parm_core.index.build import build_index, collection_sha256
from parm_core.index.manifest import MANIFEST
from parm_core.index.milvus_connection import other_machine
from parm_core.index.store import open_index
from parm_core.library import indexes_folder, list_indexes
from parm_core.query import Query
from parm_core.retrieval import Searcher
from parm_core.segmentation import SegmentOptions
from parm_core.systems import System
from parm_core.types import Case, Collection, Progress, Ranking

SAMPLE = "landmark-cases"
LONG = 200
"""Paragraphs above which encoding shows a bar: some seconds on a laptop."""
_SAMPLE_FOLDER = Path(__file__).parents[1] / "assets" / SAMPLE
_building = threading.Lock()


@st.cache_resource(max_entries=1, show_spinner=False)
def sample_collection() -> Collection:
    """The sample collection, its query cases included."""
    return load_collection(_SAMPLE_FOLDER)


def collections() -> dict[str, Path]:
    """Name -> index, the sample first, then every index in the person's folder."""
    own = {
        f"{name} (yours)" if name == SAMPLE else name: path for name, path in list_indexes().items()
    }
    return {SAMPLE: sample_path()} | own


def sample_path() -> Path:
    """Where the sample's index is: beside a person's own, but never in the place of one."""
    return indexes_folder() / f".{SAMPLE}"


def is_sample(engine: Searcher) -> bool:
    """Whether this is the sample, whose case ids may stand in an address."""
    return engine.index.path == sample_path().resolve()


def privacy(engine: Searcher) -> str:
    """What of a case leaves this machine when it is searched with."""
    milvus = engine.index.manifest.get("milvus")
    host = other_machine(milvus["uri"]) if milvus else ""
    if not host:
        return "Nothing you paste leaves this machine."
    return (
        "This collection is kept on another machine: a search sends the numbers of your case’s terms "
        f"and its vectors, never its text, to {host}."
    )


def usable(engine: Searcher, systems: Sequence[System]) -> tuple[list[System], str]:
    """The systems that this index and machine can run, and why the others cannot."""
    try:
        if any(system.needs_vectors for system in systems):
            with st.spinner("Loading the encoder…"):
                _ = engine.encoder
    except ParmError as error:
        return [system for system in systems if not system.needs_vectors], str(error)
    return list(systems), ""


def searcher(name: str) -> Searcher:
    """Open a collection's index, building the sample's first where it is not there."""
    path = collections()[name]
    if name == SAMPLE:
        _ensure_sample(path)
    return _searcher(str(path), (path / MANIFEST).stat().st_mtime_ns)


@st.cache_resource(max_entries=4, show_spinner="Opening the collection…")
def _searcher(path: str, built: int) -> Searcher:
    """`built` is part of the key: an index built again is opened again."""
    return Searcher(open_index(path))


def _ensure_sample(path: Path) -> None:
    """Build the sample's index if it is missing or was built from other texts."""
    with _building:
        if _sample_is_current(path):
            return
        with st.status("Setting up the sample collection (once)…", expanded=True) as status:
            with progress_bar("Loading the encoder…") as progress:
                encoder = load_encoder(precision="auto")
                build_index(sample_collection(), path, encoder=encoder, progress=progress)
            status.update(label="The sample collection is ready.", state="complete", expanded=False)


@st.cache_data(max_entries=8, show_spinner=False)
def _current(path: str, built: int, wanted: str) -> bool:
    try:
        index = open_index(path)
    except IndexStoreError:
        return False
    return index.has_vectors and bool(index.manifest["collection"]["sha256"] == wanted)


def _sample_is_current(path: Path) -> bool:
    manifest = path / MANIFEST
    if not manifest.is_file():
        return False
    wanted = collection_sha256(sample_collection().cases)
    return _current(str(path), manifest.stat().st_mtime_ns, wanted)


def query(engine: Searcher, *, text: str, title: str, case_id: str | None, rule: str) -> Query:
    """The session's query, made anew when the case, its rule or the collection changes."""

    def make() -> Query:
        if case_id is not None:
            return engine.query_from_index(case_id)
        recorded = engine.index.manifest["segmentation"]
        return engine.query(text, title=title, segment=SegmentOptions(**recorded | {"rule": rule}))

    return _of_session((str(engine.index.path), id(engine), case_id, title, text, rule), make)


def labelled_query(engine: Searcher, case: Case) -> Query:
    """The session's query, of a labelled collection: cut as in its evaluation, itself left out."""
    key = (str(engine.index.path), id(engine), case.id, case.title, case.text)
    return _of_session(key, lambda: engine.query_of(case))


def _of_session(key: tuple[object, ...], make: Callable[[], Query]) -> Query:
    """Kept in the session and nowhere else: a case is never another session's business."""
    held = st.session_state.get("_query")
    if held is None or held[0] != key:
        held = (key, make())
        st.session_state["_query"] = held
    return held[1]  # type: ignore[no-any-return]


@contextmanager
def progress_bar(label: str, *, before: int = 0) -> Iterator[Progress]:
    """A bar with the time left; it goes when the work is done.

    before: how much was done earlier, beyond what the progress counts.
    """
    start, bar = time.perf_counter(), st.progress(0.0, label)

    def show(done: int, total: int, what: str) -> None:
        spent = time.perf_counter() - start
        left = f", about {_span(spent / done * (total - done))} left" if done else ""
        share = (before + done) / max(before + total, 1)
        bar.progress(share, f"{what}: {before + done:,} of {before + total:,}{left}")

    yield show
    bar.empty()


def _span(seconds: float) -> str:
    """Seconds, or minutes from two on, as a person says them."""
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} minutes"


def rankings(engine: Searcher, asked: Query, systems: Sequence[System]) -> dict[str, Ranking]:
    """System -> ranking, saying what is being computed while it is."""
    paragraphs = f"{len(asked.texts)} paragraph" + "s" * (len(asked.texts) != 1)
    if any(system.needs_vectors for system in systems) and not asked.has_vectors:
        if len(asked.texts) > LONG:
            with progress_bar(f"Encoding {paragraphs}…") as progress:
                engine.query_vectors(asked, progress)
        else:
            with st.spinner(f"Encoding {paragraphs}…"):
                engine.query_vectors(asked)
    with st.spinner(f"Searching {engine.index.n_paragraphs:,} paragraphs…"):
        return {str(system): engine.rank(asked, system) for system in systems}
