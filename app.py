"""PARM Explorer: find similar cases when the query is itself a whole case."""

import streamlit as st

from ui import shell

st.set_page_config(
    page_title="PARM Explorer",
    page_icon="⚖️",
    layout="wide",
    # The menu is also where one chooses light or dark.
    menu_items={"About": shell.ABOUT},
)
shell.style()
st.navigation(
    [
        st.Page(
            "pages/find.py", title="Find similar cases", icon=":material/search:", default=True
        ),
        st.Page(
            "pages/aggregations.py", title="Aggregations", icon=":material/stacked_line_chart:"
        ),
        st.Page("pages/heatmaps.py", title="Heatmaps", icon=":material/grid_on:"),
        st.Page("pages/overlaps.py", title="Overlaps", icon=":material/join_inner:"),
        st.Page("pages/collection.py", title="Collection", icon=":material/library_books:"),
    ],
    position="top",
).run()
