import streamlit as st

from ui import shell
from ui.panels import work
from ui.panels.evaluation import agreement, factors, pairs, recall, settings, sweeps, table
from ui.sharing import choice

VIEWS = {
    "table": "Measures",
    "recall": "Recall by cut-off",
    "pairs": "Query by query",
    "factors": "What helps",
    "agreement": "Agreement",
    "sweeps": "Sweeps",
}

with shell.page(
    "Evaluation",
    "Every system over all labelled queries: how well, how surely, and where it fails.",
):
    engine, chosen = settings.settings()
    view = choice(
        st.segmented_control, "View", list(VIEWS), key="view", default="table", required=True,
        format_func=VIEWS.__getitem__, label_visibility="collapsed",
    )  # fmt: skip
    if view == "sweeps":
        sweeps.show(engine, chosen)
        st.stop()
    ranked = work.rankings(engine, chosen.asked, chosen.systems)
    if view == "table":
        table.show(ranked, chosen)
    elif view == "recall":
        recall.show(ranked, engine.index.n_cases)
    elif view == "pairs":
        pairs.show(engine, ranked, chosen)
    elif view == "factors":
        factors.show(engine, ranked, chosen)
    elif view == "agreement":
        agreement.show(ranked, engine.index.n_cases)
