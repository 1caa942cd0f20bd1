"""The query case, as it was cut."""

from __future__ import annotations

from collections import Counter

import streamlit as st

from parm_core.query import Query
from parm_core.types import Kind
from ui import evidence, shell

_TOLD = {
    Kind.INTRO: ("introduction", "introductions"),
    Kind.SUMMARY: ("summary", "summaries"),
    Kind.NUMBERED: ("numbered", "numbered"),
    Kind.BODY: ("body", "body"),
}


def cut(query: Query) -> None:
    """One line on how the case was cut; the paragraphs themselves on request."""
    with st.expander(shell.plain(sentence(query))):
        st.html(evidence.segmented(query.case))


def sentence(query: Query) -> str:
    """E.g. "Caparo: 12 paragraphs: 1 introduction, 1 summary, 10 numbered"."""
    counts = Counter(paragraph.kind for paragraph in query.case.paragraphs)
    kinds = ", ".join(f"{n} {_TOLD[kind][n != 1]}" for kind in Kind if (n := counts.get(kind, 0)))
    whole = len(query.case.paragraphs)
    name = query.case.title or query.case.id
    noun = "paragraph" if whole == 1 else "paragraphs"
    return f"{name}: {whole} {noun} ({kinds}). See how it was cut"
