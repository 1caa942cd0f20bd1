import streamlit as st

from ui import inputs, resources, shell
from ui.panels import collection, statistics

with shell.page(
    "Collection", "What is searched: its cases, how they were cut, and what reads them."
):
    engine = resources.searcher(inputs.collection())
    collection.facts(engine.index)
    collection.distributions(engine.index)
    statistics.show(engine)
    collection.cases(engine.index)
    collection.own_collections()
    st.caption(shell.plain(resources.privacy(engine)))
