import streamlit as st

from ui import cases, inputs, shell
from ui.panels import aggregations, case, labelled

with shell.page(
    "Aggregations",
    "One case under every aggregation: the same paragraph hits, ranked by different formulas.",
):
    engine, query, relevant = cases.asked()
    case.cut(query)
    left, middle, right = st.columns(3, gap="large")
    with left:
        retriever = inputs.retriever(engine)
    with middle:
        depth = inputs.depth()
    with right:
        k = inputs.rrf_k()
    found = aggregations.every_aggregation(engine, query, retriever, depth, k)
    aggregations.movement(engine, found, relevant)
    if relevant is not None:
        labelled.relevant_ranks(engine, relevant, found)
    aggregations.agreements(found)
    shell.seconds(query.seconds)
