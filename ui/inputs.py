"""Widgets that return values. Each owns its key; what may be shared lives in the URL."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from parm_core.aggregation import AGGREGATIONS
from parm_core.documents import read_document
from parm_core.errors import ConfigError, DataError
from parm_core.query import Query
from parm_core.retrieval import Searcher
from parm_core.segmentation import RULES
from parm_core.systems import DEFAULT_DEPTH, System, parse_system
from ui import resources, shell
from ui.sharing import choice, number, several

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
    return choice(
        st.selectbox,
        "Collection",
        list(resources.collections()),
        key="collection",
        default=resources.SAMPLE,
        help="The sample, and every index in your own folder (page “Collection”).",
    )


def case(engine: Searcher) -> Chosen | None:
    """The query case: a sample, pasted, uploaded, or one of the collection's own; None for none yet."""
    sample = resources.is_sample(engine)
    names = [name for name in _SOURCES if sample or name != "sample"]
    source = choice(
        st.segmented_control,
        "Your case",
        names,
        key="source" if sample else "own_source",
        default=names[0],
        required=True,
        format_func=_SOURCES.__getitem__,
    )
    widget = {"sample": _sample, "paste": _paste, "upload": _upload, "collection": _own}
    return widget[source](engine)


def _sample(engine: Searcher) -> Chosen | None:
    cases = {case.title: case for case in resources.sample_collection().queries}
    title = choice(st.selectbox, "Sample case", list(cases), key="case", default=next(iter(cases)))
    return Chosen(cases[title].text, title)


def _own(engine: Searcher) -> Chosen | None:
    ids = engine.index.case_ids[::-1]
    titles = dict(zip(ids, engine.index.titles(ids), strict=True))
    chosen = choice(
        st.selectbox,
        "Case of the collection (left out of its own results)",
        ids,
        key=_private("own_case", engine),
        default=None,
        share=resources.is_sample(engine),
        index=None,
        placeholder="Type to find a case",
        format_func=lambda case_id: f"{titles[case_id] or 'Untitled'} [{case_id}]",
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
    file = st.file_uploader(
        "A text, PDF or Word file", type=["txt", "md", "pdf", "docx"], key="uploaded_file"
    )
    if file is not None and file.file_id != st.session_state.get("uploaded_id"):
        st.session_state["uploaded_id"] = file.file_id
        st.session_state.pop("uploaded", None)
        try:
            with st.spinner("Reading the file…"):
                st.session_state["uploaded"] = read_document(file.getvalue())
        except DataError as error:
            st.session_state["upload_error"] = str(error)
        else:
            st.session_state.pop("upload_error", None)
    if "upload_error" in st.session_state:
        st.error(shell.plain(f"This file cannot be used: {st.session_state['upload_error']}."))
    return _checked(st.session_state.get("uploaded"), "Your uploaded case")


def _checked(text: str | None, title: str) -> Chosen | None:
    """The empty string was given too, and deserves its message."""
    return None if text is None else Chosen(text, title)


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
    names = several(
        "Systems to compare",
        SUGGESTED,
        key="systems",
        default=DEFAULT_SYSTEMS,
        max_selections=MAX_SYSTEMS,
        accept_new_options=True,
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
    able, why_not = resources.usable(engine, found)
    if why_not:
        left_out = ", ".join(str(system) for system in found if system not in able)
        st.warning(shell.plain(f"Left out {left_out}: {why_not}."))
    return able


def top() -> int:
    """How many cases a ranking shows."""
    return choice(st.select_slider, "Cases shown", [10, 20, 50, 100], key="top", default=10)


def depth() -> int:
    """N, hits per query paragraph."""
    choices = [10, 20, 50, 100, 200, 500, 1000, 2000, 5000]
    label = "Depth N: hits per query paragraph"
    return choice(st.select_slider, label, choices, key="depth", default=DEFAULT_DEPTH)


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
    return _private("result", engine)


def _private(key: str, engine: Searcher) -> str:
    """A key of the collection's own, unless it is the sample: ids must not wander between them."""
    return key if resources.is_sample(engine) else f"{key}_{fingerprint(str(engine.index.path))}"


def result(engine: Searcher, case_ids: Sequence[str]) -> str | None:
    """One of the cases found, kept from page to page."""
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
        format_func=lambda case_id: titles.get(case_id) or case_id,
    )


def fingerprint(*parts: str) -> str:
    """A short key for widgets that must start afresh when their data change; it reveals no text."""
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:12]


def asked() -> tuple[Searcher, Query]:
    """Collection and case, as every page begins; the page ends with a message where there is no case."""
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
        st.stop()
    try:
        query = resources.query(
            engine, text=chosen.text, title=chosen.title, case_id=chosen.case_id, rule=chosen_rule
        )
    except DataError as error:
        st.error(shell.plain(f"This case cannot be searched with: {error}."))
        st.stop()
    return engine, query
