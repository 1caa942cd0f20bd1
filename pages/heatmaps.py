import streamlit as st

from ui import inputs, resources, shell
from ui.panels import heatmaps, results

with shell.page(
    "Heatmaps",
    "Which paragraph of your case met which paragraph of a result, under each system.",
):
    engine, query = inputs.asked()
    systems = inputs.systems(engine)
    if not systems:
        st.info("Choose a system to see its paragraph matrix, for example bm25:rrf.")
        st.stop()
    found = resources.rankings(engine, query, systems)
    case_id = results.pick(engine, found, 50)
    if case_id is None:
        st.info("Pick a result to see which of its paragraphs met yours.")
        st.stop()
    heatmaps.side_by_side(engine, query, systems, case_id)
    shell.seconds(query.seconds)
