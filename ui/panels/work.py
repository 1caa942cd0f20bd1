"""Long work on labelled queries: what is done already, a button to begin, a button to stop."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar, cast

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from parm_core.experiments.labelled import Labelled
from parm_core.retrieval import Searcher
from parm_core.systems import System
from parm_core.types import Progress
from ui import laboratory, resources, shell
from ui.laboratory import Ranked
from ui.sharing import fingerprint

Result = TypeVar("Result")

_NAMED = 5


def rankings(
    engine: Searcher, asked: Labelled, systems: Sequence[System], *, button: str = "Evaluate"
) -> Ranked:
    """The rankings of all queries that are done; a button for the others.

    The page ends with a message where none is done yet.
    """
    able = _usable(engine, systems)
    so_far = laboratory.ranked(engine, asked, able)
    if not so_far.whole:
        _offer(engine, so_far, asked, able, button)
    if not so_far.done:
        st.stop()
    if so_far.failed:
        st.warning(shell.plain(_failures(so_far.failed)))
    return so_far


def _failures(failed: Mapping[str, str]) -> str:
    told = "; ".join(f"{query_id} ({why})" for query_id, why in list(failed.items())[:_NAMED])
    more = f"; and {len(failed) - _NAMED} more" if len(failed) > _NAMED else ""
    return f"Cannot be searched with, hence counts 0: {told}{more}."


def _usable(engine: Searcher, systems: Sequence[System]) -> list[System]:
    """Those that this index can run; the page ends where none is left."""
    able = [system for system in systems if engine.index.has_vectors or not system.needs_vectors]
    if len(able) < len(systems):
        left_out = ", ".join(str(system) for system in systems if system not in able)
        told = f"Left out {left_out}: this index was built without an encoder."
        st.warning(shell.plain(told))
    if not able:
        st.info("Choose a system to rank the cases with, for example bm25:rrf.")
        st.stop()
    return able


def _offer(
    engine: Searcher, so_far: Ranked, asked: Labelled, systems: Sequence[System], button: str
) -> None:
    """Say how far it is; rank the rest when asked to."""
    area, done, total = st.empty(), so_far.done, so_far.total
    told = f"{done} of {total} queries so far: what follows is over these."
    if not done:
        told = (
            f"{total} queries, each to be ranked by {len(systems)} "
            f"system{'s' * (len(systems) != 1)}. What is done is kept, should you stop."
        )
    if not _wanted(area, told, "Go on" if done else button, "go"):
        return
    able, why_not = resources.usable(engine, systems)
    if why_not:
        st.error(shell.plain(f"{why_not}."))
        st.stop()
    with area.container(), laboratory.stoppable("Ranking…", before=done) as progress:
        laboratory.rank(engine, so_far, asked, able, progress)
    st.rerun()


def computed(
    key: str, told: str, compute: Callable[[Progress], Result], *, button: str = "Count"
) -> Result | None:
    """What `compute` gives, kept under `key`; a button where it is not there yet, and then None."""
    held = laboratory.results()
    if key not in held:
        area = st.empty()
        if not _wanted(area, told, button, f"count-{fingerprint(key)}"):
            return None
        with area.container(), laboratory.stoppable("Beginning…") as progress:
            made = compute(progress)
        laboratory.keep(key, made)
        st.rerun()
    return cast("Result", held[key])


def _wanted(area: DeltaGenerator, told: str, label: str, key: str) -> bool:
    """Say what would be done; whether it was asked for just now."""
    with area.container():
        st.info(shell.plain(told))
        return st.button(label, type="primary", key=key)
