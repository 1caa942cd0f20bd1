"""Which relevant cases each system finds, over all labelled queries: the PARM paper's figure 3."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from parm_core.analysis.overlap import relevant_regions
from parm_core.retrieval import Searcher
from parm_core.systems import System, parse_system
from ui import cases, charts, inputs, shell
from ui.laboratory import Ranked
from ui.panels import labelled, pictures, work
from ui.sharing import choice, fingerprint

_WHAT = {"parm": "PARM and document-level retrieval", "own": "Systems I choose"}
Regions = Mapping[frozenset[str], Sequence[tuple[str, str]]]


def show(begun: cases.Begun) -> None:
    """The relevant cases split by which systems find them: as bars, and as sets to open."""
    engine = begun.engine
    with begun.right:
        asked = labelled.queries(engine)
    groups, cut = _groups(engine)
    systems = list(dict.fromkeys(system for group in groups.values() for system in group))
    ranked = work.rankings(engine, asked, systems, button="Rank the queries")
    split = _split(ranked, groups, cut)
    for column, (name, regions) in zip(
        st.columns(max(len(split), 1), gap="large"), split.items(), strict=True
    ):
        with column:
            title = f"Relevant cases in the first {cut}: {name}"
            shell.chart(charts.overlap_bars(regions, title=title, shares=True), key=f"all-{name}")
    with st.container(horizontal=True, gap="small"):
        shell.download("Every relevant case (CSV)", _everything(split), "overlaps.csv")
        pictures.downloads(lambda: _picture(split), "overlaps")
    _sets(engine, ranked, split)


def _groups(engine: Searcher) -> tuple[dict[str, list[System]], int]:
    """Name -> the systems to split by, and the cut-off."""
    left, right = st.columns(2, gap="large")
    with left:
        what = choice(
            st.segmented_control, "Compare", list(_WHAT), key="compare", default="parm",
            required=True, wrap=True, format_func=_WHAT.__getitem__,
        )  # fmt: skip
    with right:
        cut = inputs.cut_off(engine.index.n_cases)
    if what == "own":
        default = ["bm25:rrf", "bm25:doc", "hybrid:rrf"]
        chosen = inputs.several_systems(
            "Two or three systems", key="split_by", default=default, most=3
        )
        return {"the systems chosen": chosen}, cut
    with left:
        aggregation = inputs.aggregation()
    pairs = {"BM25": (f"bm25:{aggregation}", "bm25:doc")}
    pairs["dense"] = (f"dense:{aggregation}", "dense:firstp")
    return {name: [parse_system(one) for one in pair] for name, pair in pairs.items()}, cut


def _split(ranked: Ranked, groups: Mapping[str, Sequence[System]], cut: int) -> dict[str, Regions]:
    """Without the groups of which a system could not be run."""
    able = {
        name: {str(s): ranked.runs[str(s)] for s in group}
        for name, group in groups.items()
        if all(str(s) in ranked.runs for s in group)
    }
    qrels = ranked.labelled.qrels
    return {name: relevant_regions(runs, qrels, cut) for name, runs in able.items()}


def _sets(engine: Searcher, ranked: Ranked, split: Mapping[str, Regions]) -> None:
    """One of the sets as a table; a query of it can be opened."""
    st.subheader("Look into a set", anchor=False)
    known = {
        (name, key): f"{name}: {_told(key)}, {len(pairs)}"
        for name, regions in split.items()
        for key, pairs in sorted(regions.items(), key=lambda item: (not item[0], len(item[0])))
        if pairs
    }
    if not known:
        st.caption("No relevant case is known.")
        return
    name, key = st.selectbox(
        "Set", list(known), format_func=known.__getitem__, key=f"set-{fingerprint(*known.values())}"
    )
    pairs = split[name][key]
    table = _table(engine, ranked, pairs, sorted(set().union(*split[name])))
    st.dataframe(table, hide_index=True, height=min(38 + 35 * len(table), 320))
    queries = {query.id: query for query in ranked.labelled.cases}
    ids = dict.fromkeys(query_id for query_id, _ in pairs)
    labelled.buttons(engine, labelled.pick(engine, [queries[i] for i in ids if i in queries]))


def _told(key: frozenset[str]) -> str:
    return f"found by {' and '.join(sorted(key))} alone" if key else "found by none"


def _table(
    engine: Searcher, ranked: Ranked, pairs: Sequence[tuple[str, str]], systems: Sequence[str]
) -> pd.DataFrame:
    """Query, case, title, and the case's rank in each system; <NA> where it is not found."""
    titles = {query.id: query.title or query.id for query in ranked.labelled.cases}
    ranks = {
        system: {query: ranking.ranks() for query, ranking in ranked.runs[system].items()}
        for system in systems
    }
    found = {
        f"rank, {system}": pd.array([own.get(q, {}).get(c) for q, c in pairs], "Int64")
        for system, own in ranks.items()
    }
    held = [c if engine.index.holds(c) else None for _, c in pairs]
    named = [engine.index.described(c)[0] or c if c else "not in the collection" for c in held]
    return pd.DataFrame(
        {
            "query": [titles[q] for q, _ in pairs],
            "relevant case": named,
            "id": [c for _, c in pairs],
        }
        | found
    )


def _everything(split: Mapping[str, Regions]) -> pd.DataFrame:
    rows = [
        (name, " ".join(sorted(key)) or "none", query, case_id)
        for name, regions in split.items()
        for key, pairs in regions.items()
        for query, case_id in pairs
    ]
    return pd.DataFrame(rows, columns=["compared", "found by", "query", "case"])


def _picture(split: Mapping[str, Regions]) -> Any:
    from parm_core import figures

    return figures.overlap_bars(split)
