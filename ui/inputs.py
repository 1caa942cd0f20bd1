"""Widgets that return values. Each owns its key; what may be shared lives in the URL."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from parm_core.aggregation import AGGREGATIONS
from parm_core.errors import ConfigError
from parm_core.retrieval import Searcher
from parm_core.segmentation import RULES
from parm_core.systems import DEFAULT_DEPTH, System, parse_system
from ui import resources, shell
from ui.sharing import choice, fingerprint, number, several

SUGGESTED = (
    "bm25:doc", "bm25:rrf", "bm25:srrf", "bm25:max", "dense:firstp", "dense:maxp", "dense:rrf",
    "dense:srrf", "dense:vrrf", "dense:max", "hybrid:rrf",
)  # fmt: skip
DEFAULT_SYSTEMS = ["bm25:srrf", "dense:srrf", "hybrid:rrf"]
MAX_SYSTEMS = 4


def collection() -> str:
    """The name of a collection: the sample, or an index in the person's folder."""
    return choice(
        st.selectbox,
        "Collection",
        list(resources.collections()),
        key="collection",
        default=resources.SAMPLE,
        help="The sample, and every index in your own folder (page “Collection”).",
    )


def rule(*, fixed: bool) -> str:
    """The rule the query case is cut by; fixed for a case of the collection, which was cut before."""
    return choice(
        st.selectbox,
        "How it is cut into paragraphs",
        list(RULES),
        key="rule",
        default="auto",
        disabled=fixed,
        help="auto looks at the text; choose another rule if the case was cut badly. "
        "A case of the collection stays as it was cut for its index.",
    )


def systems(engine: Searcher) -> list[System]:
    """Up to four systems to compare; what is no system, or cannot run here, is said and left out."""
    found = several_systems(
        "Systems to compare", key="systems", default=DEFAULT_SYSTEMS, most=MAX_SYSTEMS
    )
    able, why_not = resources.usable(engine, found)
    if why_not:
        left_out = ", ".join(str(system) for system in found if system not in able)
        st.warning(shell.plain(f"Left out {left_out}: {why_not}."))
    return able


def several_systems(
    label: str, *, key: str, default: list[str], most: int | None = None
) -> list[System]:
    """Systems by their names; what is no system is said and left out."""
    names = several(
        label,
        SUGGESTED,
        key=key,
        default=default,
        max_selections=most,
        accept_new_options=True,
        wrap=True,
        help="retriever:aggregation, the first one is what the others are compared with. "
        "Type your own, with parameters: bm25:rrf@k=20@depth=100",
    )
    found: list[System] = []
    for name in names:
        try:
            system = parse_system(name)
        except ConfigError as error:
            st.warning(shell.plain(f"Left out: {error}."))
            continue
        if system not in found:
            found.append(system)
    return found


def top() -> int:
    """How many cases a ranking shows."""
    return choice(st.select_slider, "Cases shown", [10, 20, 50, 100], key="top", default=10)


def depth(*, key: str = "depth", default: int = DEFAULT_DEPTH) -> int:
    """N, hits per query paragraph."""
    choices = [10, 20, 50, 100, 200, 500, 1000, 2000, 5000]
    label = "Depth N: hits per query paragraph"
    return choice(st.select_slider, label, choices, key=key, default=default)


def rrf_k() -> int:
    """k of `rrf` and `vrrf`."""
    return number("k of rrf and vrrf", 0, 200, key="k", default=60)


def retriever(engine: Searcher) -> str:
    """bm25 or dense; bm25 alone where the index has no vectors."""
    names = ["bm25", "dense"] if engine.index.has_vectors else ["bm25"]
    return choice(
        st.segmented_control, "Retriever", names, key="retriever", default=names[-1], required=True
    )


def aggregation() -> str:
    """The aggregation that stands for PARM."""
    names = sorted(AGGREGATIONS, key=lambda name: AGGREGATIONS[name].needs_vectors)
    return choice(st.selectbox, "PARM's aggregation", names, key="aggregation", default="rrf")


def cut_off(limit: int) -> int:
    """A rank to cut rankings at."""
    choices = [k for k in (5, 10, 20, 50, 100, 200, 500, 1000) if k < limit] + [limit]
    default = 10 if 10 in choices else choices[-1]
    return choice(st.select_slider, "Cut-off", choices, key="cut", default=default)


def result_key(engine: Searcher) -> str:
    """Where the result looked into is kept."""
    return private("result", engine)


def private(key: str, engine: Searcher) -> str:
    """A key of the collection's own, unless it is the sample: ids must not wander between them."""
    return key if resources.is_sample(engine) else f"{key}_{fingerprint(str(engine.index.path))}"


def result(
    engine: Searcher, case_ids: Sequence[str], relevant: frozenset[str] | None = None
) -> str | None:
    """One of the cases found, kept from page to page; the relevant ones say so."""
    titles = dict(zip(case_ids, engine.index.titles(case_ids), strict=True))
    return choice(
        st.selectbox,
        "Result to look into",
        list(case_ids),
        key=result_key(engine),
        default=None,
        share=resources.is_sample(engine),
        index=None,
        placeholder="Pick a case above, or here",
        format_func=lambda case_id: (
            (titles.get(case_id) or case_id)
            + (" (relevant)" if case_id in (relevant or ()) else "")
        ),
    )
