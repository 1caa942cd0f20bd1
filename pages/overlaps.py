import streamlit as st

from ui import cases, inputs, shell
from ui.panels import overlaps, overlaps_of_all

with shell.page(
    "Overlaps",
    "What paragraph-level retrieval finds that document-level retrieval misses (PARM∖Doc), and the reverse.",
):
    begun = cases.begin()
    if cases.over_all_queries(begun):
        overlaps_of_all.show(begun)
        st.stop()
    engine, query, _ = cases.asked(begun)
    left, right = st.columns(2, gap="large")
    with left:
        aggregation = inputs.aggregation()
    with right:
        cut = inputs.cut_off(engine.index.n_cases)
    overlaps.parm_against_document(engine, query, aggregation, cut)
    shell.seconds(query.seconds)
