import streamlit as st

from ui import cases, inputs, rankings, resources, shell
from ui.panels import case, labelled, results
from ui.sharing import held, hold

with shell.page(
    "Find similar cases",
    "Your case, paragraph by paragraph, against every paragraph of the collection.",
):
    engine, query, relevant = cases.asked()
    case.cut(query)
    left, right = st.columns([3, 1], gap="large")
    with left:
        systems = inputs.systems(engine)
    with right:
        top = inputs.top()
    if not systems:
        st.info("Choose a system to rank the cases with, for example hybrid:rrf.")
        st.stop()
    found = resources.rankings(engine, query, systems)
    results.agreement(found, top)
    results.approximations(engine, systems)
    key = inputs.result_key(engine)
    tables = rankings.tables(engine, found, top, relevant)
    picked = rankings.side_by_side(tables, selected=held(key))
    if picked:
        hold(key, picked)
        st.rerun()
    if relevant is not None:
        labelled.relevant_ranks(engine, relevant, found)
    results.downloads(tables)
    shell.seconds(query.seconds)
    results.why(engine, query, found, top, relevant)
