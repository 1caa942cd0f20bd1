"""Rankings side by side: a component whose cases can be traced across columns, by mouse or keyboard."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from parm_core.retrieval import Searcher
from parm_core.types import Ranking

_ASSETS = Path(__file__).parents[1] / "assets"


@st.cache_resource(show_spinner=False)
def _component() -> Any:
    """The component's code is this product's own; data reach it as text nodes only."""
    return st.components.v2.component(
        "rankings",
        html='<div class="rankings"></div>',
        css=(_ASSETS / "rankings.css").read_text(encoding="utf-8"),
        js=(_ASSETS / "rankings.js").read_text(encoding="utf-8"),
    )


def side_by_side(shown: Mapping[str, pd.DataFrame], *, selected: str | None) -> str | None:
    """Show each of `tables` as a column; returns the case just picked, None for none."""
    columns = [{"system": name, "rows": rows.to_dict("records")} for name, rows in shown.items()]
    mounted = _component()(
        data={"columns": columns, "selected": selected},
        key="rankings",
        on_picked_change=lambda: None,
    )
    return getattr(mounted, "picked", None)


def tables(
    engine: Searcher,
    rankings: Mapping[str, Ranking],
    top: int,
    relevant: frozenset[str] | None = None,
) -> dict[str, pd.DataFrame]:
    """System -> its top as a table: rank, case_id, title, date, court, score, first_rank, moved.

    first_rank: rank under the first system, None where that lacks the case; moved: places gained.
    Where the relevant cases are known, a column says which these are.
    """
    first = next(iter(rankings.values())).ranks() if rankings else {}
    made = {name: _table(engine, ranking, first, top) for name, ranking in rankings.items()}
    if relevant is None:
        return made
    return {name: t.assign(relevant=[c in relevant for c in t.case_id]) for name, t in made.items()}


def _table(engine: Searcher, ranking: Ranking, first: Mapping[str, int], top: int) -> pd.DataFrame:
    rows = []
    for case in list(ranking)[:top]:
        title, date, court = engine.index.described(case.case_id)
        before = first.get(case.case_id)
        rows.append(
            {
                "rank": case.rank,
                "case_id": case.case_id,
                "title": title or case.case_id,
                "date": date or "",
                "court": court or "",
                "score": case.score,
                "first_rank": before,
                "moved": None if before is None else before - case.rank,
            }
        )
    names = ["rank", "case_id", "title", "date", "court", "score", "first_rank", "moved"]
    return pd.DataFrame(rows, columns=names, dtype=object)


def agreement_sentence(regions: Mapping[frozenset[str], Sequence[str]], top: int) -> str:
    """How many of the top cases all systems share, and how many each finds alone."""
    names = sorted(set().union(*regions), key=str)
    shared = len(regions[frozenset(names)])
    whole = {1: "one system", 2: "both"}.get(len(names), f"all {len(names)}")
    alone = [f"{len(regions[frozenset([n])])} only {n}" for n in names if len(names) > 1]
    return " · ".join([f"{shared} of the top {top} in {whole}", *alone])
