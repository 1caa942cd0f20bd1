import streamlit as st

from ui import cases, inputs, resources, shell
from ui.panels import heatmaps, heatmaps_of_all, results

with shell.page(
    "Heatmaps",
    "Which paragraph of your case met which paragraph of a result, under each system.",
):
    begun = cases.begin()
    if cases.over_all_queries(begun):
        heatmaps_of_all.show(begun)
        st.stop()
    engine, query, relevant = cases.asked(begun)
    systems = inputs.systems(engine)
    if not systems:
        st.info("Choose a system to see its paragraph matrix, for example bm25:rrf.")
        st.stop()
    found = resources.rankings(engine, query, systems)
    case_id = results.pick(engine, found, 50, relevant)
    if case_id is None:
        st.info("Pick a result to see which of its paragraphs met yours.")
        st.stop()
    heatmaps.side_by_side(engine, query, systems, case_id, relevant)
    shell.seconds(query.seconds)
