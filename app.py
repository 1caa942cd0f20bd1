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
shell.navigation().run()
