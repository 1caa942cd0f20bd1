"""Case text -> safe HTML. What a case says is escaped here, and nowhere trusted.

The strings are for `st.html`; `STYLESHEET` goes through `st.html` once a run.
"""

from __future__ import annotations

import html
from collections.abc import Sequence
from pathlib import Path

from parm_core.tokenisation import Tokeniser
from parm_core.types import Case, Kind, Paragraph

STYLESHEET = Path(__file__).parents[1] / "assets" / "evidence.css"

MAX_CHARACTERS = 20_000
"""Of one paragraph on the screen; the rest is counted, not shown."""

MAX_CASE_CHARACTERS = 200_000
"""Of one segmented case on the screen."""

_SCROLLS_FROM = 1_000
"""Characters from which a paragraph may outgrow its box, so that the keyboard must reach it."""

Span = tuple[int, int]

_KINDS = {
    Kind.INTRO: "introduction",
    Kind.SUMMARY: "summary",
    Kind.NUMBERED: "numbered",
    Kind.BODY: "body",
}

_REPLACEMENT, _INVISIBLE = "\ufffd", "\u2060"
_HARMLESS = {
    **dict.fromkeys((*range(9), 11, 12, *range(14, 32), *range(127, 160)), _REPLACEMENT),
    **dict.fromkeys(range(0xD800, 0xE000), _REPLACEMENT),
    **dict.fromkeys((*range(0x202A, 0x202F), *range(0x2066, 0x206A)), _INVISIBLE),
}


def harmless(text: str) -> str:
    """Control characters, lone surrogates and direction overrides replaced; every offset holds."""
    return text.translate(_HARMLESS)


def opening(text: str, limit: int = 100) -> str:
    """The first words of a text, at most `limit` characters, white space folded; not escaped."""
    words = " ".join(harmless(text[: 4 * limit]).split())
    if len(words) <= limit and len(text) <= 4 * limit:
        return words
    cut = words[:limit]
    return (cut[: cut.rfind(" ")] if " " in cut else cut).rstrip(" ,;:.") + "…"


def shared_spans(a: str, b: str, tokeniser: Tokeniser) -> tuple[list[Span], list[Span]]:
    """(start, end) of every word in a, and in b, whose term occurs in both."""
    in_a, in_b = tokeniser.spans(a), tokeniser.spans(b)
    shared = {term for _, _, term in in_a} & {term for _, _, term in in_b}
    return _of_terms(in_a, shared), _of_terms(in_b, shared)


def _of_terms(spans: list[tuple[int, int, str]], shared: set[str]) -> list[Span]:
    return [(start, end) for start, end, term in spans if term in shared]


def paragraph(text: str, *, label: str, shared_spans: Sequence[Span] = ()) -> str:
    """One paragraph under its label, the spans marked; spans ascend and do not overlap."""
    shown = text[:MAX_CHARACTERS]
    return (
        f'<section class="parm-paragraph"><p class="parm-label" dir="auto">{_escaped(label)}</p>'
        f"{_text(shown, shared_spans, label)}{_more(len(text) - len(shown))}</section>"
    )


def pair(
    query_text: str,
    case_text: str,
    *,
    query_label: str,
    case_label: str,
    share: float,
    tokeniser: Tokeniser,
) -> str:
    """Two paragraphs beside each other, their shared words marked, what they add said above them.

    share: of the score's terms, in [-1, 1], as `parm_core.explanation.Pair` has it. The labels
    complete "your …" and "its …", e.g. "paragraph 12".
    """
    spans = shared_spans(query_text[:MAX_CHARACTERS], case_text[:MAX_CHARACTERS], tokeniser)
    your, its = f"your {query_label}", f"its {case_label}"
    rule = '<span class="parm-rule" aria-hidden="true"></span>'
    return (
        '<div class="parm-pair"><p class="parm-link">'
        f'<span>{_escaped(your)}</span>{rule}<span class="parm-share">{percent(share)}</span>'
        f"{rule}<span>{_escaped(its)}</span></p>"
        f"{paragraph(query_text, label=your, shared_spans=spans[0])}"
        f"{paragraph(case_text, label=its, shared_spans=spans[1])}</div>"
    )


def segmented(case: Case) -> str:
    """How a case was cut: each paragraph with its number, kind and text, in a scrolling region."""
    items, room = [], MAX_CASE_CHARACTERS
    for number, part in enumerate(case.paragraphs, 1):
        if room <= 0:
            break
        shown = part.text[: min(MAX_CHARACTERS, room)]
        items.append(_item(number, part, shown))
        room -= len(shown)
    left = len(case.paragraphs) - len(items)
    rest = f'<p class="parm-more">… {_counted(left, "more paragraph")}</p>' if left else ""
    count = _counted(len(case.paragraphs), "paragraph")
    name = _escaped(f"{case.title or case.id}, {count}")
    return (
        f'<div class="parm-case" role="region" tabindex="0" aria-label="{name}">'
        f"<ol>{''.join(items)}</ol>{rest}</div>"
    )


def percent(share: float) -> str:
    """A share as a reader sees it: whole per cents, "under 1 %" for what rounds away."""
    if 0 < abs(share) < 0.01:
        return "under 1 %" if share > 0 else "−(under 1 %)"
    return f"{'−' if share < 0 else ''}{abs(share):.0%}".replace("%", " %")


def _item(number: int, part: Paragraph, shown: str) -> str:
    note = "" if part.retrieved else '<span class="parm-note">not searched: recurring text</span>'
    return (
        f'<li class="{"parm-kept" if part.retrieved else "parm-left-out"}"><div>'
        f'<span class="parm-number">{number}</span>'
        f'<span class="parm-badge">{_KINDS[part.kind]}</span>{note}</div>'
        f'<div><p class="parm-text" dir="auto">{_escaped(shown)}</p>'
        f"{_more(len(part.text) - len(shown))}</div></li>"
    )


def _text(text: str, spans: Sequence[Span], label: str) -> str:
    pieces, done = [], 0
    for start, end in spans:
        if end > len(text):
            break
        pieces += [_escaped(text[done:start]), f"<mark>{_escaped(text[start:end])}</mark>"]
        done = end
    pieces.append(_escaped(text[done:]))
    scrolls = f' role="region" tabindex="0" aria-label="{_escaped(label)}"'
    region = scrolls if len(text) > _SCROLLS_FROM else ""
    return f'<p class="parm-text" dir="auto"{region}>{"".join(pieces)}</p>'


def _more(count: int) -> str:
    return f'<p class="parm-more">… {_counted(count, "more character")}</p>' if count else ""


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def _escaped(text: str) -> str:
    return html.escape(harmless(text))
