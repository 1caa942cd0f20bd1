"""What is searched."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from parm_core.collections import FORMATS
from parm_core.index.opened import Index
from parm_core.library import indexes_folder
from ui import charts, resources, shell


def facts(index: Index) -> None:
    """The manifest's main figures, and what the encoder does not read."""
    encoder = index.manifest["encoder"]
    columns = st.columns(4)
    columns[0].metric("Cases", f"{index.n_cases:,}")
    columns[1].metric("Paragraphs", f"{index.n_paragraphs:,}")
    columns[2].metric(
        "Paragraphs a case, mean", f"{index.n_paragraphs / max(index.n_cases, 1):.1f}"
    )
    columns[3].metric("Tokens not read", f"{encoder['truncated_share']:.2%}" if encoder else "–")
    cut = index.manifest["segmentation"]
    bm25 = index.manifest["bm25"]
    read = (
        f"Encoder {encoder['id']}, which reads {encoder['max_tokens']} tokens of a paragraph; "
        f"{encoder['truncated_paragraphs']:,} paragraphs are longer."
        if encoder
        else "No encoder: only BM25 systems can search it."
    )
    st.markdown(
        shell.plain(
            f"Cut by the rule {cut['rule']}, at most {cut['max_words']} words a paragraph. "
            f"BM25 with k1 = {bm25['k1']}, b = {bm25['b']}. {read}"
        )
    )


@st.cache_data(max_entries=4, show_spinner="Counting words…")
def _words(path: str, sha256: str) -> list[int]:
    from parm_core.index.store import open_index

    return [len(text.split()) for text in open_index(path).texts(slice(None))]


def distributions(index: Index) -> None:
    """Paragraphs a case and words a paragraph."""
    left, right = st.columns(2, gap="large")
    sizes = index.case_sizes
    with left:
        chart = charts.histogram(
            sizes.tolist(), title="Paragraphs a case", axis="paragraphs",
            marks=[(float(np.median(sizes)), "median")],
        )  # fmt: skip
        shell.chart(chart, key="paragraphs-a-case")
    with right:
        words = np.array(_words(str(index.path), index.manifest["collection"]["sha256"]))
        chart = charts.histogram(
            words.tolist(), title="Words a paragraph", axis="words", counted_as="paragraph",
            marks=[(float(np.median(words)), "median")],
        )  # fmt: skip
        shell.chart(chart, key="words-a-paragraph")


def cases(index: Index) -> None:
    """Every case, to be searched and sorted."""
    st.subheader("Cases", anchor=False)
    ids = index.case_ids[::-1]
    described = [index.described(case_id) for case_id in ids]
    table = pd.DataFrame(described, columns=["title", "date", "court"])
    table.insert(0, "id", ids)
    table["paragraphs"] = index.case_sizes[::-1]
    st.dataframe(table, hide_index=True, height=360)
    shell.download("Download the list (CSV)", table, "cases.csv")


def own_collections() -> None:
    """How to bring one's own cases."""
    st.subheader("Your own collection", anchor=False)
    st.markdown(
        "Put your cases into a folder as `corpus.jsonl`, one JSON object a line with `_id`, `title`, "
        "`text` and, if you like, `date` and `court`; query cases likewise into `queries.jsonl`, labels "
        "into `qrels/test.tsv`. Or import a collection in another format: "
        + ", ".join(f"`{name}` ({known.known_by})" for name, known in FORMATS.items())
        + ". Build its index into your folder of indexes; where its labels lie is noted then:"
    )
    folder = indexes_folder()
    st.code(
        f'parm import SOURCE MY-FOLDER\nparm index MY-FOLDER "{folder}/my-cases"', language="bash"
    )
    names = [name for name in resources.collections() if name != resources.SAMPLE]
    told = f"Found there now: {', '.join(names)}." if names else "None is there yet."
    st.caption(shell.plain(told))
