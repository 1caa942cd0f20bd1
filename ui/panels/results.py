"""Results of one query: how the rankings agree, downloads, and the evidence for one case."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
import streamlit as st

from parm_core.analysis.overlap import regions
from parm_core.explanation import OPENING, Contributions, HybridContributions, Pair, contributions
from parm_core.query import Query
from parm_core.reports import paragraph_number
from parm_core.retrieval import Searcher
from parm_core.systems import System, parse_system
from parm_core.types import Case, Ranking
from ui import charts, evidence, inputs, rankings, shell
from ui.sharing import fingerprint, held

PAIRS_SHOWN = 5


def agreement(found: Mapping[str, Ranking], top: int) -> None:
    """One sentence: how many of the top cases the systems share."""
    if len(found) > 1:
        st.markdown(shell.plain(rankings.agreement_sentence(regions(found, top), top)))


def approximations(engine: Searcher, systems: Sequence[System]) -> None:
    """What each approximate system finds of exact search."""
    for system in systems:
        if known := engine.approximation(system):
            st.caption(shell.plain(f"{system} is approximate: it {known}."))


def downloads(tables: Mapping[str, pd.DataFrame]) -> None:
    """The rankings as one CSV."""
    table = pd.concat([t.assign(system=name) for name, t in tables.items()], ignore_index=True)
    if len(table):
        columns = ["system", *[name for name in table.columns if name != "system"]]
        shell.download("Download the rankings (CSV)", table[columns], "rankings.csv")


def pick(
    engine: Searcher,
    found: Mapping[str, Ranking],
    top: int,
    relevant: frozenset[str] | None = None,
) -> str | None:
    """One of the cases at the top of any ranking, or one that is relevant by label."""
    heads = [ranking.case_ids[:top] for ranking in found.values()]
    tops = [case_id for head in heads for case_id in head]
    chosen = held(inputs.result_key(engine))
    ranked = set().union(*(r.case_ids for r in found.values()))
    known = [chosen] if chosen in ranked else []
    labelled = sorted((relevant or frozenset()) & ranked)
    return inputs.result(engine, list(dict.fromkeys([*tops, *known, *labelled])), relevant)


def why(
    engine: Searcher,
    query: Query,
    found: Mapping[str, Ranking],
    top: int,
    relevant: frozenset[str] | None = None,
) -> None:
    """The evidence for one result under one of the systems."""
    st.subheader("Evidence", anchor="evidence")
    case_id = pick(engine, found, top, relevant)
    if case_id is None:
        st.caption("Pick a case in a ranking to read the paragraph pairs that gave its score.")
        return
    name = st.segmented_control(
        "Under", list(found), default=next(iter(found)), required=True,
        format_func=shell.plain, key=f"under-{fingerprint(*found)}",
    )  # fmt: skip
    if relevant is not None:
        st.caption(judged(case_id, relevant))
    explain(engine, query, parse_system(name or next(iter(found))), case_id)


def judged(case_id: str, relevant: frozenset[str]) -> str:
    """What the labels say of a case."""
    if case_id in relevant:
        return "This case is relevant by label."
    return "No label says that this case is relevant."


def explain(engine: Searcher, query: Query, system: System, case_id: str) -> None:
    """Why a case has its score: its strongest pairs, or a hybrid's rankings, each of which opens."""
    reasons = contributions(engine, query, system, case_id)
    title = engine.index.described(case_id)[0] or case_id
    if isinstance(reasons, HybridContributions):
        part = _hybrid(reasons, title)
        reasons = contributions(engine, query, part, case_id)
    assert isinstance(reasons, Contributions)
    pairs = reasons.pairs()
    if not pairs:
        told = f"{reasons.system} did not find {title}: no paragraph of it is among the hits."
        st.info(shell.plain(told))
        return
    st.markdown(shell.plain(_headline(reasons, title, pairs)))
    few = pairs[:PAIRS_SHOWN]
    own, its = paragraphs(query.case), paragraphs(engine.index.case(case_id))
    chart = charts.contribution_bar(
        [pair.share for pair in few],
        labels=[f"your {label(p.query_position)} × its {label(p.case_position)}" for p in few],
        openings=[
            f"{evidence.opening(text_at(own, p.query_position), 60)} × "
            f"{evidence.opening(text_at(its, p.case_position), 60)}"
            for p in few
        ],
        title=f"Shares of the score under {reasons.system}",
    )
    shell.chart(chart, key="contribution-bar")
    _pairs(engine, query, case_id, pairs)


def _hybrid(reasons: HybridContributions, title: str) -> System:
    st.markdown(shell.plain(f"{title} under {reasons.system}: score {reasons.score:.4g}"))
    table = pd.DataFrame(reasons.terms).rename(
        columns={"system": "ranking", "rank": "rank there", "contribution": "adds"}
    )
    st.dataframe(table, hide_index=True, width="content")
    names = [term.system for term in reasons.terms]
    part = st.segmented_control(
        "Open the matrix of", names, default=names[0], required=True,
        format_func=shell.plain, key=f"part-{fingerprint(*names)}",
    )  # fmt: skip
    return parse_system(part or names[0])


def _headline(reasons: Contributions, title: str, pairs: Sequence[Pair]) -> str:
    few = pairs[:3]
    share = sum(pair.share for pair in few)
    noun = "paragraph pair gives" if len(few) == 1 else "paragraph pairs give"
    return (
        f"{title} under {reasons.system}: score {reasons.score:.5g}. "
        f"{len(few)} {noun} {share:.0%} of it, out of {len(pairs):,}."
    )


def _pairs(engine: Searcher, query: Query, case_id: str, pairs: Sequence[Pair]) -> None:
    key = fingerprint(case_id, query.case.text, str(len(pairs)))
    shown = st.session_state.setdefault(f"shown-{key}", PAIRS_SHOWN)
    for pair in pairs[:shown]:
        texts(engine, query, case_id, pair)
    if shown < len(pairs) and st.button(f"Show {PAIRS_SHOWN} more pairs", key=f"more-{key}"):
        st.session_state[f"shown-{key}"] = shown + PAIRS_SHOWN
        st.rerun()
    everything = pd.DataFrame(
        [(number(p[0]), number(p[1]), p.contribution, p.share) for p in pairs],
        columns=["query_paragraph", "case_paragraph", "contribution", "share"],
    )
    shell.download("Download the evidence (CSV)", everything, "evidence.csv")


def texts(engine: Searcher, query: Query, case_id: str, pair: Pair) -> None:
    """The two paragraphs of a pair beside each other."""
    own, its = paragraphs(query.case), paragraphs(engine.index.case(case_id))
    st.html(
        evidence.pair(
            text_at(own, pair.query_position),
            text_at(its, pair.case_position),
            query_label=label(pair.query_position, len(own)),
            case_label=label(pair.case_position, len(its)),
            share=pair.share,
            tokeniser=engine.index.tokeniser,
        )
    )


def paragraphs(case: Case) -> list[str]:
    """The texts of a case's paragraphs, by position."""
    return [paragraph.text for paragraph in case.paragraphs]


def text_at(texts: Sequence[str], position: int) -> str:
    """A paragraph's text; the beginning of the case for its opening."""
    return "\n".join(texts)[:2000] if position == OPENING else texts[position]


def label(position: int, count: int = 0) -> str:
    """How a paragraph is named: its place, counted from 1, of how many."""
    if position == OPENING:
        return "opening"
    return f"paragraph {position + 1}" + (f" of {count}" if count else "")


def number(position: int) -> str:
    """A paragraph's number as in the exports."""
    return str(paragraph_number(position))
