"""PARM against document-level retrieval, as sets of cases."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from parm_core.analysis.overlap import regions
from parm_core.query import Query
from parm_core.retrieval import Searcher
from parm_core.systems import parse_system
from parm_core.types import Ranking
from ui import charts, resources, shell


def parm_against_document(engine: Searcher, query: Query, aggregation: str, cut: int) -> None:
    """BM25's two rankings and dense's two, each pair split into its three regions."""
    pairs = [(f"bm25:{aggregation}", "bm25:doc"), (f"dense:{aggregation}", "dense:firstp")]
    usable = [p for p in pairs if engine.index.has_vectors or not _needs_vectors(p)]
    for column, (parm, document) in zip(st.columns(len(usable), gap="large"), usable, strict=True):
        found = resources.rankings(engine, query, [parse_system(parm), parse_system(document)])
        with column:
            _panel(engine, found, parm, document, cut)
    if len(usable) < len(pairs):
        st.info("This index was built without an encoder, so that only BM25 can be shown.")


def _needs_vectors(names: Sequence[str]) -> bool:
    return any(parse_system(name).needs_vectors for name in names)


def _panel(engine: Searcher, found: dict[str, Ranking], parm: str, document: str, cut: int) -> None:
    split = regions(found, cut)
    chart = charts.overlap_bars(split, title=f"First {cut} of {parm} and {document}")
    shell.chart(chart, key=f"overlap-{parm}")
    told = {
        f"Only {parm} (PARM∖Doc)": split[frozenset([parm])],
        "Both": split[frozenset([parm, document])],
        f"Only {document} (Doc∖PARM)": split[frozenset([document])],
    }
    for name, case_ids in told.items():
        with st.expander(f"{name}: {len(case_ids)}", expanded=name.endswith("(PARM∖Doc)")):
            _region(engine, found, name, case_ids)


def _region(
    engine: Searcher, found: dict[str, Ranking], name: str, case_ids: Sequence[str]
) -> None:
    if not case_ids:
        st.caption("No case.")
        return
    described = [engine.index.described(case_id) for case_id in case_ids]
    ranks = {system: ranking.ranks() for system, ranking in found.items()}
    columns = {f"rank, {system}": [r.get(c) for c in case_ids] for system, r in ranks.items()}
    table = pd.DataFrame(
        {"case": [d[0] or c for d, c in zip(described, case_ids, strict=True)]}
        | {"date": [d[1] for d in described]}
        | {label: pd.array(values, dtype="Int64") for label, values in columns.items()}
    )
    st.dataframe(table, hide_index=True)
