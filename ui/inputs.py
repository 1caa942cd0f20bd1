"""Widgets that return values. Each owns its key; what may be shared lives in the URL."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from parm_core.aggregation import AGGREGATIONS
from parm_core.errors import ConfigError, DataError
from parm_core.query import Query
from parm_core.retrieval import Searcher
from parm_core.segmentation import RULES
from parm_core.systems import DEFAULT_DEPTH, System, parse_system
from ui import resources

SUGGESTED = (
    "bm25:doc", "bm25:rrf", "bm25:srrf", "bm25:max", "dense:firstp", "dense:maxp", "dense:rrf",
    "dense:srrf", "dense:vrrf", "dense:max", "hybrid:rrf",
)  # fmt: skip
DEFAULT_SYSTEMS = ["bm25:srrf", "dense:srrf", "hybrid:rrf"]
MAX_SYSTEMS = 4
_SOURCES = {
    "sample": "A sample case",
    "paste": "Paste a case",
    "upload": "Upload a file",
    "collection": "A case of the collection",
}


@dataclass(frozen=True)
class Chosen:
    """A query case as a person gave it; `case_id` where it is one of the collection's own."""

    text: str
    title: str
    case_id: str | None = None


def collection() -> str:
    """The name of a collection: the sample, or an index in the person's folder."""
    return st.selectbox(
        "Collection",
        list(resources.collections()),
        key="collection",
        bind="query-params",
        help="The sample, and every index in your own folder (page “Collection”).",
    )


def case(engine: Searcher) -> Chosen | None:
    """The query case: a sample, pasted, uploaded, or one of the collection's own; None for none yet."""
    sample = engine.index.name == resources.SAMPLE
    names = [name for name in _SOURCES if sample or name != "sample"]
    source = st.segmented_control(
        "Your case",
        names,
        default=names[0],
        required=True,
        format_func=_SOURCES.__getitem__,
        key="source" if sample else "own_source",
        bind="query-params",
    )
    widget = {"sample": _sample, "paste": _paste, "upload": _upload, "collection": _own}
    return widget[source or names[0]](engine)


def _sample(engine: Searcher) -> Chosen | None:
    cases = {case.title: case for case in resources.sample_collection().queries}
    title = st.selectbox("Sample case", list(cases), key="case", bind="query-params")
    return Chosen(cases[title].text, title)


def _own(engine: Searcher) -> Chosen | None:
    ids = engine.index.case_ids[::-1]
    titles = dict(zip(ids, engine.index.titles(ids), strict=True))
    chosen = st.selectbox(
        "Case of the collection (left out of its own results)",
        ids,
        index=None,
        placeholder="Type to find a case",
        format_func=lambda case_id: f"{titles[case_id] or 'Untitled'} [{case_id}]",
        key="own_case",
        bind="query-params" if engine.index.name == resources.SAMPLE else None,
        persist_state="session",
    )
    return Chosen("", titles[chosen], chosen) if chosen else None


def _paste(engine: Searcher) -> Chosen | None:
    with st.form("paste", border=False):
        st.text_area(
            "Text of the case",
            height=220,
            key="pasted",
            persist_state="session",
            placeholder="Paste a whole case here. It stays on this machine.",
        )
        given = st.form_submit_button("Find similar cases", type="primary")
    if given:
        st.session_state["given"] = st.session_state["pasted"]
    return _checked(st.session_state.get("given"), "Your pasted case")


def _upload(engine: Searcher) -> Chosen | None:
    file = st.file_uploader("A plain-text file", type=["txt", "md"], key="uploaded_file")
    if file is not None:
        try:
            st.session_state["uploaded"] = file.getvalue().decode("utf-8-sig")
        except UnicodeDecodeError:
            st.session_state.pop("uploaded", None)
            st.error(
                "This file is not UTF-8 text. Save the case as plain text (UTF-8) and try again."
            )
    return _checked(st.session_state.get("uploaded"), "Your uploaded case")


def _checked(text: str | None, title: str) -> Chosen | None:
    """The empty string was given too, and deserves its message."""
    return None if text is None else Chosen(text, title)


def rule(*, fixed: bool) -> str:
    """The rule the query case is cut by; fixed for a case of the collection, which was cut before."""
    return st.selectbox(
        "How it is cut into paragraphs",
        list(RULES),
        key="rule",
        bind="query-params",
        disabled=fixed,
        help="auto looks at the text; choose another rule if the case was cut badly. "
        "A case of the collection stays as it was cut for its index.",
    )


def systems() -> list[System]:
    """Up to four systems to compare; a name that is none is said and left out."""
    names = st.multiselect(
        "Systems to compare",
        SUGGESTED,
        default=DEFAULT_SYSTEMS,
        max_selections=MAX_SYSTEMS,
        accept_new_options=True,
        key="systems",
        bind="query-params",
        help="retriever:aggregation, the first one is what the others are compared with. "
        "Type your own, with parameters: bm25:rrf@k=20@depth=100",
    )
    found: list[System] = []
    for name in names:
        try:
            system = parse_system(name)
        except ConfigError as error:
            st.warning(str(error).capitalize() + ".")
            continue
        if system not in found:
            found.append(system)
    return found


def top() -> int:
    """How many cases a ranking shows."""
    return st.select_slider("Cases shown", [10, 20, 50, 100], 10, key="top", bind="query-params")


def depth() -> int:
    """N, hits per query paragraph."""
    return st.select_slider(
        "Depth N: hits per query paragraph",
        [10, 20, 50, 100, 200, 500, 1000, 2000, 5000],
        DEFAULT_DEPTH,
        key="depth",
        bind="query-params",
    )


def rrf_k() -> int:
    """k of `rrf` and `vrrf`."""
    return st.slider("k of rrf and vrrf", 0, 200, 60, key="k", bind="query-params")


def retriever(engine: Searcher) -> str:
    """bm25 or dense; bm25 alone where the index has no vectors."""
    names = ["bm25", "dense"] if engine.index.has_vectors else ["bm25"]
    chosen = st.segmented_control(
        "Retriever", names, default=names[-1], required=True, key="retriever", bind="query-params"
    )
    return chosen or names[-1]


def aggregation() -> str:
    """The aggregation that stands for PARM."""
    names = [name for name in AGGREGATIONS if not AGGREGATIONS[name].needs_vectors]
    names += [name for name in AGGREGATIONS if AGGREGATIONS[name].needs_vectors]
    return st.selectbox(
        "PARM's aggregation", names, names.index("rrf"), key="aggregation", bind="query-params"
    )


def cut_off(limit: int) -> int:
    """A rank to cut rankings at."""
    choices = [k for k in (5, 10, 20, 50, 100, 200, 500, 1000) if k < limit] + [limit]
    value = 10 if 10 in choices else choices[-1]
    return st.select_slider("Cut-off", choices, value, key="cut", bind="query-params")


def result(engine: Searcher, case_ids: Sequence[str]) -> str | None:
    """One of the cases found, kept from page to page."""
    titles = dict(zip(case_ids, engine.index.titles(case_ids), strict=True))
    sample = engine.index.name == resources.SAMPLE
    if not sample and st.session_state.get("result") not in (None, *case_ids):
        del st.session_state["result"]
    return st.selectbox(
        "Result to look into",
        list(case_ids),
        index=None,
        placeholder="Pick a case above, or here",
        format_func=lambda case_id: titles.get(case_id) or case_id,
        key="result",
        bind="query-params" if sample else None,
        persist_state="session",
    )


def fingerprint(*parts: str) -> str:
    """A short key for widgets that must start afresh when their data change; it reveals no text."""
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:12]


def asked() -> tuple[Searcher, Query] | None:
    """Collection and case, as every page begins; None, with its message shown, where either lacks."""
    left, right = st.columns([1, 2], gap="large")
    with left:
        name = collection()
        engine = resources.searcher(name)
    with right:
        chosen = case(engine)
    with left:
        chosen_rule = rule(fixed=chosen is not None and chosen.case_id is not None)
    if chosen is None:
        st.info("Choose or paste a case to begin. Nothing you paste leaves this machine.")
        return None
    try:
        query = resources.query(
            engine, text=chosen.text, title=chosen.title, case_id=chosen.case_id, rule=chosen_rule
        )
    except DataError as error:
        st.error(f"This case cannot be searched with: {error}.")
        return None
    return engine, query
