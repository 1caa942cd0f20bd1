"""What the app keeps of labelled collections: their queries, and what was computed for these.

Pasted and uploaded cases never come here: they belong to one session, and nothing of them is kept.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import streamlit as st

from parm_core.collections import load_collection
from parm_core.errors import DataError
from parm_core.experiments.labelled import ALL, Labelled, check_same_collection, labelled
from parm_core.experiments.memory import Memory
from parm_core.experiments.runs import Runs, kept_runs, rank_queries
from parm_core.index.manifest import MANIFEST
from parm_core.index.store import open_index
from parm_core.library import collection_source, results_file
from parm_core.retrieval import Searcher
from parm_core.systems import System
from parm_core.types import Case, Collection, Progress, Run
from ui import resources
from ui.sharing import fingerprint

NOT_KNOWN = (
    "it is not known where the labels of this collection lie; run parm evaluate INDEX COLLECTION "
    "once, or build its index again with parm index"
)
_RUNS_KEPT, _RESULTS_KEPT = 64, 32
_SPLITS_DRAWN = ("dev", "test")


@dataclass(frozen=True)
class Ranked:
    """What is ranked so far: queries and runs of the same ids, those that failed apart.

    total: how many queries there are. key: short, and another one whenever anything else is in here.
    """

    labelled: Labelled
    runs: Runs
    failed: Mapping[str, str]
    total: int
    key: str

    @property
    def done(self) -> int:
        """Queries that were ranked, or cannot be."""
        return len(self.labelled.cases)

    @property
    def whole(self) -> bool:
        """Whether no query is left to rank."""
        return self.done == self.total


@dataclass
class _Held:
    """What this process has of a system's whole run."""

    runs: OrderedDict[tuple[str, str], Run] = field(default_factory=OrderedDict)
    failed: dict[str, dict[str, str]] = field(default_factory=dict)
    results: OrderedDict[str, Any] = field(default_factory=OrderedDict)


def collection_of(engine: Searcher) -> Collection | None:
    """Queries, labels and splits of an index's collection, without its cases; None for none.

    Raises DataError where the collection cannot be read, or is not what the index was built from.
    """
    if resources.is_sample(engine):
        return resources.sample_collection()
    source = collection_source(engine.index)
    if source is None:
        return None
    known = _collection(str(source), _changed(source), str(engine.index.path))
    if isinstance(known, DataError):
        raise known
    return known if known.qrels else None


def queries(engine: Searcher, split: str = ALL) -> Labelled | None:
    """The judged queries of a split of an index's collection; None where there are no labels."""
    known = collection_of(engine)
    return labelled(known, split) if known else None


def may_be_labelled(engine: Searcher) -> bool:
    """Whether it is known where labels would lie; nothing is read."""
    return resources.is_sample(engine) or collection_source(engine.index) is not None


def whole_collection(engine: Searcher) -> Collection:
    """An index's collection with its cases, read anew: it is large, and seldom needed."""
    if resources.is_sample(engine):
        return resources.sample_collection()
    source = collection_source(engine.index)
    if source is None:
        raise DataError(NOT_KNOWN)
    return load_collection(source)


def splits(known: Collection) -> list[str]:
    """The splits to choose from; of a collection without any, two that are drawn."""
    return [ALL, *(known.splits or _SPLITS_DRAWN)]


def searcher(engine: Searcher) -> Searcher:
    """A searcher of the same index for labelled queries alone: it keeps their vectors on disk."""
    path = engine.index.path
    return _searcher(str(path), (path / MANIFEST).stat().st_mtime_ns, str(results_file()))


def memory() -> Memory:
    """Where rankings and vectors of labelled queries are kept."""
    return _memory(str(results_file()))


def ranked(engine: Searcher, asked: Labelled, systems: Sequence[System]) -> Ranked:
    """What is known by now of these systems' rankings; nothing is computed."""
    at = searcher(engine)
    of = key(engine, asked)
    names = [str(system) for system in systems]
    held = _held()
    failed = held.failed.get(of, {})
    if all((of, name) in held.runs for name in names):
        return _ranked(asked, {name: held.runs[of, name] for name in names}, failed, of)
    so_far = _ranked(asked, kept_runs(at, asked.cases, systems, memory()), failed, of)
    if so_far.whole:
        _hold(of, so_far.runs, failed)
    return so_far


def rank(
    engine: Searcher, so_far: Ranked, asked: Labelled, systems: Sequence[System], progress: Progress
) -> None:
    """Rank what `so_far` lacks; every query that is done is kept, should this be interrupted."""
    known = {case.id for case in so_far.labelled.cases}
    left = [case for case in asked.cases if case.id not in known]
    at = searcher(engine)
    found = rank_queries(at, left, systems, memory=memory(), progress=progress)
    runs = {name: {**so_far.runs[name], **run} for name, run in found.runs.items()}
    _hold(key(engine, asked), runs, found.failed)


def results() -> Mapping[str, Any]:
    """What else was computed of labelled queries, by a key of all that it depends on."""
    return _held().results


def keep(key: str, result: Any) -> None:
    """Keep such a result for as long as the app runs, or until many others have come."""
    held = _held().results
    held[key] = result
    while len(held) > _RESULTS_KEPT:
        held.popitem(last=False)


def key(engine: Searcher, asked: Labelled) -> str:
    """Everything that a result on these queries depends on, but for its own parameters."""
    built = (engine.index.path / MANIFEST).stat().st_mtime_ns
    return fingerprint(
        str(engine.index.path), str(built), asked.split, repr(asked.qrels), *_texts(asked.cases)
    )


@contextmanager
def stoppable(label: str, before: int = 0) -> Iterator[Progress]:
    """A bar with the time left, and a button to stop: pressing it runs the page anew without this."""
    with st.container(key="work"):
        st.button("Stop and keep what is done", key="stop")
        with resources.progress_bar(label, before=before) as progress:
            yield progress


def _ranked(asked: Labelled, runs: Runs, failed: Mapping[str, str], of: str) -> Ranked:
    done = [case.id for case in asked.cases if all(case.id in r for r in runs.values())]
    done += [query for query in failed if query not in done]
    part = asked if len(done) == len(asked.cases) else asked.part(done, asked.split)
    return Ranked(part, runs, failed, len(asked.cases), fingerprint(of, *runs, "", *done))


def _hold(of: str, runs: Runs, failed: Mapping[str, str]) -> None:
    held = _held()
    held.failed[of] = held.failed.get(of, {}) | dict(failed)
    for name, run in runs.items():
        held.runs[of, name] = run
        held.runs.move_to_end((of, name))
    while len(held.runs) > _RUNS_KEPT:
        held.runs.popitem(last=False)


def _texts(cases: Sequence[Case]) -> Iterator[str]:
    for case in cases:
        yield from (case.id, case.text)


@st.cache_resource(show_spinner=False)
def _held() -> _Held:
    return _Held()


@st.cache_resource(max_entries=2, show_spinner=False)
def _memory(path: str) -> Memory:
    return Memory(Path(path))


@st.cache_resource(max_entries=2, show_spinner=False)
def _searcher(path: str, built: int, results: str) -> Searcher:
    """`built` and `results` are part of the key."""
    return Searcher(open_index(path), memo=_memory(results))


@st.cache_resource(max_entries=2, show_spinner="Reading the labelled queries…")
def _collection(source: str, changed: int, index: str) -> Collection | DataError:
    """`changed` is part of the key: a collection that was edited is read again. Errors are kept too."""
    try:
        known = load_collection(source)
        check_same_collection(open_index(index), known)
    except DataError as error:
        return error
    return replace(known, cases=())


def _changed(source: Path) -> int:
    """When anything in a collection's folder, or in its qrels, was last changed."""
    files = [source, *source.iterdir(), *(source / "qrels").glob("*")]
    return max(file.stat().st_mtime_ns for file in files)
