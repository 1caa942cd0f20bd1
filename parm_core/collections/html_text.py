"""The text of an HTML page, its blocks on lines of their own."""

from __future__ import annotations

import re
from html.parser import HTMLParser

_BLOCKS = re.compile(
    r"address|article|blockquote|br|center|d[dlt]|div|footer|h[1-6r]|header|[ou]l|li|p|pre|section"
    r"|table|t[dhr]"
)
_VOID = frozenset({"br", "hr"})
_UNREAD = frozenset({"script", "style", "title"})
_SPACE = re.compile(r"[^\S\n]+")
_EDGES = re.compile(r" *\n *")
_GAPS = re.compile(r"\n{3,}")


def html_text(page: str) -> str:
    """What a page says: a line a block, characters for entities, no script, no style.

    Line breaks count inside <pre> alone. CourtListener's `<pre class="inline">` runs on.
    """
    reader = _Reader()
    reader.feed(_without_declarations(page))
    reader.close()
    text = _EDGES.sub("\n", _SPACE.sub(" ", "".join(reader.parts)))
    return _GAPS.sub("\n\n", text).strip()


def _without_declarations(page: str) -> str:
    """Without comments, doctypes and marked sections: the parser fails on some, and is slow on others."""
    kept, at = [], 0
    while (start := page.find("<!", at)) >= 0:
        kept.append(page[at:start])
        close = "-->" if page.startswith("<!--", start) else ">"
        end = page.find(close, start)
        at = end + len(close) if end >= 0 else len(page)
    return "".join([*kept, page[at:]])


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self._unread = ""
        self._pre: list[bool] = []
        """Whether each <pre> that is open is a block."""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        is_block = _BLOCKS.fullmatch(tag) is not None
        if tag == "pre":
            is_block = "inline" not in (dict(attrs).get("class") or "").split()
            self._pre.append(is_block)
        elif tag in _UNREAD:
            self._unread = self._unread or tag
        if is_block:
            self.parts.append("\n")

    def handle_endtag(self, tag: str) -> None:
        if tag == self._unread:
            self._unread = ""
        is_block = tag not in _VOID and _BLOCKS.fullmatch(tag) is not None
        if tag == "pre" and self._pre:
            is_block = self._pre.pop()
        if is_block:
            self.parts.append("\n")

    def handle_data(self, data: str) -> None:
        if not self._unread:
            self.parts.append(data if self._pre else data.replace("\n", " "))
