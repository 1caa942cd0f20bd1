"""What is evaluated, and how."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from parm_core.errors import ConfigError
from parm_core.evaluation import DEFAULT_MEASURES, Comparison, compare
from parm_core.experiments.labelled import Labelled
from parm_core.experiments.runs import Runs
from parm_core.retrieval import Searcher
from parm_core.systems import System
from parm_core.types import Qrels
from ui import cases, inputs, shell
from ui.laboratory import Ranked
from ui.panels import labelled
from ui.sharing import choice, several

SYSTEMS = ["bm25:doc", "bm25:rrf", "bm25:srrf", "dense:firstp", "dense:vrrf", "hybrid:rrf"]
_MEASURES = [*DEFAULT_MEASURES, "R@10", "R@50", "AP", "RR", "P@5", "P@10", "nDCG@100", "Rprec"]
_SMALL = 100
_OF_FEW = ("nDCG@10", "R@5", "R@10", "R@20")
"""Of so small a collection; the first 100 cases are all of it."""

_TESTS = {"t": "paired t-test", "randomisation": "randomisation"}


@dataclass(frozen=True)
class Settings:
    """Which queries, which systems, and how they are compared."""

    asked: Labelled
    systems: tuple[System, ...]
    measures: tuple[str, ...]
    baseline: str
    test: str

    def compare(self, ranked: Ranked) -> Comparison:
        """Every system against the baseline; without tests where there is one query alone.

        Where the baseline could not be run, the first system stands in its place.
        """
        names = list(ranked.runs)
        baseline = self.baseline if self.baseline in names else names[0]
        testable = len(ranked.labelled.qrels) > 1
        return _compared(
            ranked.key, self.measures, baseline if testable else None, self.test,
            ranked.runs, ranked.labelled.qrels,
        )  # fmt: skip


@st.cache_data(max_entries=16, show_spinner="Measuring…")
def _compared(
    key: str,
    measures: tuple[str, ...],
    baseline: str | None,
    test: str,
    _runs: Runs,
    _qrels: Qrels,
) -> Comparison:
    """`key` stands for runs and qrels."""
    return compare(_runs, _qrels, measures, baseline=baseline, test=test)


def settings() -> tuple[Searcher, Settings]:
    """The collection, and every other input of the page."""
    engine, _, right = cases.begin()
    with right:
        systems = inputs.several_systems("Systems to evaluate", key="evaluated", default=SYSTEMS)
    first, second, third, fourth = st.columns([2, 4, 2, 2], gap="medium")
    with first:
        asked = labelled.queries(engine)
    with second:
        measures = _measures(engine.index.n_cases)
    with third:
        names = [str(system) for system in systems]
        baseline = choice(
            st.selectbox, "Baseline", names, key="baseline", default=names[0] if names else "",
            help="Every other system is tested against it.",
        )  # fmt: skip
    with fourth:
        test = choice(
            st.selectbox, "Test", list(_TESTS), key="test", default="t",
            format_func=_TESTS.__getitem__,
        )  # fmt: skip
    return engine, Settings(asked, tuple(systems), measures, baseline, test)


def _measures(n_cases: int) -> tuple[str, ...]:
    """Measures by the names of ir_measures; what is none is said and left out."""
    default = list(DEFAULT_MEASURES if n_cases > _SMALL else _OF_FEW)
    given = several(
        "Measures", _MEASURES, key="measures", default=default,
        accept_new_options=True, wrap=True,
        help="As ir_measures writes them; type your own, for example nDCG@20.",
    )  # fmt: skip
    known = []
    for name in given:
        try:
            compare({"": {}}, {"query": {"case": 1}}, [name])
        except ConfigError as error:
            st.warning(shell.plain(f"Left out: {error}."))
        else:
            known.append(name)
    return tuple(known) or tuple(default)
