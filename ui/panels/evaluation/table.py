"""The table of measures: the PARM paper's tables 2 and 3."""

from __future__ import annotations

from io import BytesIO
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import streamlit as st

from parm_core.evaluation import Comparison
from parm_core.evaluation.tables import RENDERERS, per_query_csv
from parm_core.reports import as_trec
from ui import shell
from ui.laboratory import Ranked
from ui.panels.evaluation.settings import Settings

_FORMATS = {
    "csv": ("Table (CSV)", "measures.csv", "text/csv"),
    "markdown": ("Table (Markdown)", "measures.md", "text/markdown"),
    "latex": ("Table (LaTeX)", "measures.tex", "application/x-tex"),
    "json": ("Table (JSON)", "measures.json", "application/json"),
}


def show(ranked: Ranked, settings: Settings) -> None:
    """Means with † and ‡, the best of each measure in bold, and everything to take away."""
    compared = settings.compare(ranked)
    st.markdown(RENDERERS["markdown"](compared))
    if compared.baseline is None:
        st.caption("One query alone cannot be tested against a baseline.")
    elif compared.comparisons:
        st.caption(_in_words(compared))
    for note in ranked.labelled.notes:
        st.caption(shell.plain(f"Of the collection: {note}."))
    _downloads(ranked, compared)


def _in_words(compared: Comparison) -> str:
    """What † and ‡ say of the systems, as one reads it."""
    pairs = [
        (system, measure, difference)
        for system, own in compared.differences.items()
        for measure, difference in own.items()
        if difference.significant
    ]
    if not pairs:
        return "No difference from the baseline is significant."
    said = [
        f"{system} {'above' if difference.mean > 0 else 'below'} the baseline in {measure} "
        f"(by {abs(difference.mean):.3f}, p {_p(difference.corrected_p)})"
        for system, measure, difference in pairs[:6]
    ]
    more = f"; and {len(pairs) - 6} more" if len(pairs) > 6 else ""
    return shell.plain(f"Significant: {'; '.join(said)}{more}.")


def _p(p: float) -> str:
    return f"= {p:.3f}" if p >= 0.001 else "< 0.001"


def _downloads(ranked: Ranked, compared: Comparison) -> None:
    with st.container(horizontal=True, gap="small"):
        for name, (label, file, kind) in _FORMATS.items():
            _button(label, RENDERERS[name](compared), file, kind)
        _button("Query by query (CSV)", per_query_csv(compared), "per-query.csv", "text/csv")
        st.download_button(
            "Runs (TREC)", lambda: runs_zip(ranked), "runs.zip", "application/zip",
            on_click="ignore", help="A run a system, which any other tool evaluates.",
        )  # fmt: skip


def _button(label: str, text: str, file: str, kind: str) -> None:
    st.download_button(label, text, file, kind, on_click="ignore")


def runs_zip(ranked: Ranked) -> bytes:
    """A zip of the runs in TREC's format, and of the qrels they are measured against."""
    packed = BytesIO()
    qrels = ranked.labelled.qrels
    with ZipFile(packed, "w", ZIP_DEFLATED) as zipped:
        for number, (system, run) in enumerate(ranked.runs.items(), 1):
            longest = max((len(ranking) for ranking in run.values()), default=0)
            _write(zipped, f"{number:02d}-{_file_name(system)}.trec", as_trec(run, system, longest))
        lines = [
            f"{q} 0 {c} {grade}\n" for q, grades in qrels.items() for c, grade in grades.items()
        ]
        _write(zipped, "qrels.txt", "".join(lines))
    return packed.getvalue()


def _write(zipped: ZipFile, name: str, text: str) -> None:
    """Without the time, so that the same runs give the same bytes."""
    info = ZipInfo(name)
    info.compress_type = ZIP_DEFLATED
    zipped.writestr(info, text.encode("utf-8", "replace"))


def _file_name(system: str) -> str:
    return "".join(c if c.isalnum() or c in "-." else "-" for c in system)[:80]
