"""The query case: a sample, pasted, uploaded, one of the collection's own, or a labelled query."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from parm_core.documents import read_document
from parm_core.errors import DataError
from parm_core.query import Query
from parm_core.retrieval import Searcher
from parm_core.types import Case
from ui import inputs, laboratory, resources, shell
from ui.sharing import choice, leave

_SOURCES = {
    "sample": "A sample case",
    "labelled": "A labelled query",
    "paste": "Paste a case",
    "upload": "Upload a file",
    "collection": "A case of the collection",
}
_SCOPES = {"case": "This case", "all": "All labelled queries"}


@dataclass(frozen=True)
class Chosen:
    """A query case as a person gave it; `case_id` where it is one of the collection's own.

    labelled: the query of the labelled collection that it is, and relevant: its grades, by case id.
    """

    text: str
    title: str
    case_id: str | None = None
    labelled: Case | None = None
    relevant: Mapping[str, int] | None = None


class Begun(NamedTuple):
    """A page's collection, and the columns that its further inputs go into."""

    engine: Searcher
    left: DeltaGenerator
    right: DeltaGenerator


class Asked(NamedTuple):
    """Collection, query, and the ids of its relevant cases; None where they are not known."""

    engine: Searcher
    query: Query
    relevant: frozenset[str] | None


def begin() -> Begun:
    """The collection, as every page begins."""
    left, right = st.columns([1, 2], gap="large")
    with left:
        engine = resources.searcher(inputs.collection())
    return Begun(engine, left, right)


def over_all_queries(begun: Begun) -> bool:
    """Whether the page is about all labelled queries; about one case where there are no labels."""
    if not laboratory.may_be_labelled(begun.engine):
        return False
    with begun.right:
        scope = choice(
            st.segmented_control, "What to look at", list(_SCOPES), key="scope", default="case",
            required=True, format_func=_SCOPES.__getitem__,
        )  # fmt: skip
    return scope == "all"


def asked(begun: Begun | None = None) -> Asked:
    """Collection and case; the page ends with a message where there is no case."""
    engine, left, right = begun or begin()
    with right:
        chosen = case(engine)
    with left:
        rule = inputs.rule(fixed=chosen is not None and _cut_before(chosen, engine))
    if chosen is None:
        st.info(shell.plain(f"Choose or paste a case to begin. {resources.privacy(engine)}"))
        st.stop()
    try:
        query = _query(engine, chosen, rule)
    except DataError as error:
        st.error(shell.plain(f"This case cannot be searched with: {error}."))
        st.stop()
    grades = chosen.relevant
    found = None if grades is None else frozenset(c for c, grade in grades.items() if grade > 0)
    return Asked(engine, query, found)


def case(engine: Searcher) -> Chosen | None:
    """The query case, from one of the sources that this collection has; None for none yet."""
    sample = resources.is_sample(engine)
    left_out = {"labelled"} if sample else {"sample"}
    if not laboratory.may_be_labelled(engine):
        left_out.add("labelled")
    names = [name for name in _SOURCES if name not in left_out]
    source = choice(
        st.segmented_control,
        "Your case",
        names,
        key=_source_key(engine),
        default="sample" if sample else "paste",
        required=True,
        format_func=_SOURCES.__getitem__,
    )
    widget = {
        "sample": _sample,
        "labelled": _labelled,
        "paste": _paste,
        "upload": _upload,
        "collection": _own,
    }
    return widget[source](engine)


def choose_labelled(engine: Searcher, query: Case) -> None:
    """Let the next page begin with this labelled query as its case."""
    sample = resources.is_sample(engine)
    leave(_source_key(engine), "sample" if sample else "labelled")
    leave("case" if sample else _labelled_key(engine), query.title if sample else query.id)
    leave("scope", "case")


def named(query: Case) -> str:
    """A labelled query's title and id, not escaped."""
    return f"{query.title} [{query.id}]" if query.title else query.id


def _source_key(engine: Searcher) -> str:
    return "source" if resources.is_sample(engine) else "own_source"


def _labelled_key(engine: Searcher) -> str:
    return inputs.private("labelled_query", engine)


def _cut_before(chosen: Chosen, engine: Searcher) -> bool:
    """Whether how a case is cut is not to be chosen: as its index, or its evaluation, has it."""
    labelled = chosen.labelled is not None and not resources.is_sample(engine)
    return chosen.case_id is not None or labelled


def _query(engine: Searcher, chosen: Chosen, rule: str) -> Query:
    if chosen.labelled is not None and not resources.is_sample(engine):
        return resources.labelled_query(engine, chosen.labelled)
    return resources.query(
        engine, text=chosen.text, title=chosen.title, case_id=chosen.case_id, rule=rule
    )


def _sample(engine: Searcher) -> Chosen | None:
    sample = resources.sample_collection()
    cases = {case.title: case for case in sample.queries}
    title = choice(st.selectbox, "Sample case", list(cases), key="case", default=next(iter(cases)))
    query = cases[title]
    return Chosen(query.text, title, labelled=query, relevant=sample.qrels.get(query.id))


def _labelled(engine: Searcher) -> Chosen | None:
    """A query of the labelled collection; its id never stands in an address."""
    known = laboratory.queries(engine)
    if known is None:
        st.caption("This collection has no labelled query.")
        return None
    queries = {query.id: query for query in known.cases}
    chosen = choice(
        st.selectbox, "Labelled query", list(queries), key=_labelled_key(engine), default=None,
        share=False, index=None, placeholder="Type to find a query",
        format_func=lambda query_id: named(queries[query_id]),
    )  # fmt: skip
    if chosen is None:
        return None
    query = queries[chosen]
    return Chosen(query.text, query.title or query.id, labelled=query, relevant=known.qrels[chosen])


def _own(engine: Searcher) -> Chosen | None:
    ids = engine.index.case_ids[::-1]
    titles = dict(zip(ids, engine.index.titles(ids), strict=True))
    chosen = choice(
        st.selectbox,
        "Case of the collection (left out of its own results)",
        ids,
        key=inputs.private("own_case", engine),
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
            placeholder="Paste a whole case here. Its text stays on this machine.",
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
