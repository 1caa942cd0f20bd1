"""A labelled query among many: picked from a list or a table, opened in the other pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
import streamlit as st

from parm_core.experiments.labelled import ALL, Labelled
from parm_core.retrieval import Searcher
from parm_core.types import Case, Ranking
from ui import cases, inputs, laboratory, resources, shell
from ui.sharing import choice

_PAGES = {"pages/find.py": "Find similar cases", "pages/heatmaps.py": "Heatmaps"}


def queries(engine: Searcher) -> Labelled:
    """The queries of a split; the page ends with a message where there are no labels."""
    known = laboratory.collection_of(engine)
    if known is None:
        st.info(shell.plain(f"There is nothing to evaluate here: {laboratory.NOT_KNOWN}."))
        st.stop()
    names = laboratory.splits(known)
    split = choice(
        st.selectbox, "Queries", names, key="split", default=ALL,
        format_func=lambda name: _split_told(name, drawn=not known.splits),
        help="A split of the collection; where it has none, dev and test are drawn, half each.",
    )  # fmt: skip
    found = laboratory.queries(engine, split)
    assert found is not None
    return found


def _split_told(name: str, *, drawn: bool) -> str:
    if name == ALL:
        return "all labelled"
    return f"{name} (drawn)" if drawn else name


def pick(engine: Searcher, queries: Sequence[Case]) -> Case:
    """One of the queries, by name."""
    known = {query.id: query for query in queries}
    chosen = choice(
        st.selectbox, "Query to open", list(known), key=picked_key(engine),
        default=queries[0].id, share=resources.is_sample(engine),
        format_func=lambda query_id: cases.named(known[query_id]),
    )  # fmt: skip
    return known[chosen]


def picked_key(engine: Searcher) -> str:
    """Where the query picked is kept."""
    return inputs.private("query", engine)


def buttons(engine: Searcher, query: Case) -> None:
    """Open a query in the pages about one case, its relevant cases marked there."""
    with st.container(horizontal=True, gap="small"):
        for page, title in _PAGES.items():
            if st.button(f"Open this query: {title}", key=f"open-{page}"):
                cases.choose_labelled(engine, query)
                st.switch_page(page)


def ranks_table(
    engine: Searcher, relevant: Sequence[str], rankings: Mapping[str, Ranking]
) -> pd.DataFrame:
    """A row a relevant case: its title, and its rank in each system, <NA> where it is not found."""
    known = [case_id for case_id in relevant if engine.index.holds(case_id)]
    ranks = {system: ranking.ranks() for system, ranking in rankings.items()}
    titles = [title or c for c, title in zip(known, engine.index.titles(known), strict=True)]
    columns = {f"rank, {s}": pd.array([r.get(c) for c in known], "Int64") for s, r in ranks.items()}
    return pd.DataFrame({"relevant case": titles, "id": known} | columns)


def relevant_ranks(
    engine: Searcher, relevant: frozenset[str], rankings: Mapping[str, Ranking]
) -> None:
    """Where each system has each relevant case, in words where it has it nowhere."""
    table = ranks_table(engine, sorted(relevant), rankings)
    found = sum(bool(c in set().union(*(r.case_ids for r in rankings.values()))) for c in relevant)
    noun = "case" if len(relevant) == 1 else "cases"
    with st.expander(
        shell.plain(f"{len(relevant)} relevant {noun} known by label, {found} found: their ranks")
    ):
        shown = table.copy()
        for column in shown.columns[2:]:
            shown[column] = [f"{r:,}" if pd.notna(r) else "not found" for r in shown[column]]
        st.dataframe(shown, hide_index=True)
