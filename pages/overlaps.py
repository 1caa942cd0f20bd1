import streamlit as st

from ui import inputs, shell
from ui.panels import overlaps

with shell.page(
    "Overlaps",
    "What paragraph-level retrieval finds that document-level retrieval misses (PARM∖Doc), and the reverse.",
):
    engine, query = inputs.asked()
    left, right = st.columns(2, gap="large")
    with left:
        aggregation = inputs.aggregation()
    with right:
        cut = inputs.cut_off(engine.index.n_cases)
    overlaps.parm_against_document(engine, query, aggregation, cut)
    shell.seconds(query.seconds)
