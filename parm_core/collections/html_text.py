"""The text of an HTML page, its blocks on lines of their own, in time linear in its length.

The standard library's parser needs quadratic time for unclosed tags and fails on some marked
sections, so tags are found here: what stands between "<" and the next ">" without a "<" between.
"""

from __future__ import annotations

import re
from html import unescape

_TAG = re.compile(r"<(?:\?|(?P<end>/?)(?P<name>[A-Za-z][\w:-]*+))(?P<rest>[^<>]*+)>")
_CLASS = re.compile(r"\bclass\s*+=\s*+[\"']?(?P<names>[^\"']*)", re.IGNORECASE)
_BLOCK = re.compile(
    r"address|article|blockquote|br|center|d[dlt]|div|footer|h[1-6r]|header|[ou]l|li|p|pre|section"
    r"|table|t[dhr]"
)
_VOID = frozenset({"br", "hr"})
_UNREAD = frozenset({"script", "style", "title"})
_SPACE = re.compile(r"[^\S\n]+")
_EDGES = re.compile(r" *\n *")
_GAPS = re.compile(r"\n{3,}")


def html_text(page: str) -> str:
    """What a page says: blocks on lines of their own, characters for entities, no script, no style.

    Line breaks count inside <pre> alone. CourtListener's `<pre class="inline">` runs on.
    """
    page = _without_declarations(page)
    reader, at = _Reader(), 0
    for tag in _TAG.finditer(page):
        reader.read_text(page[at : tag.start()])
        reader.read_tag(tag)
        at = tag.end()
    reader.read_text(page[at:])
    text = _EDGES.sub("\n", _SPACE.sub(" ", "".join(reader.parts)))
    return _GAPS.sub("\n\n", text).strip()


def _without_declarations(page: str) -> str:
    """Without comments, doctypes and marked sections."""
    kept, at = [], 0
    while (start := page.find("<!", at)) >= 0:
        kept.append(page[at:start])
        close = "-->" if page.startswith("<!--", start) else ">"
        end = page.find(close, start)
        at = end + len(close) if end >= 0 else len(page)
    return "".join([*kept, page[at:]])


class _Reader:
    def __init__(self) -> None:
        self.parts: list[str] = []
        self._unread = ""
        self._pre: list[bool] = []
        """Whether each <pre> that is open is a block."""

    def read_text(self, text: str) -> None:
        if not self._unread:
            plain = unescape(text)
            self.parts.append(plain if self._pre else plain.replace("\n", " "))

    def read_tag(self, tag: re.Match[str]) -> None:
        name, ends = (tag["name"] or "").lower(), bool(tag["end"])
        if self._unread:
            self._unread = "" if ends and name == self._unread else self._unread
        elif name in _UNREAD:
            self._unread = "" if ends else name
        elif name == "pre":
            self._break_if(self._leave_pre() if ends else self._enter_pre(tag["rest"]))
        else:
            self._break_if(bool(_BLOCK.fullmatch(name)) and not (ends and name in _VOID))

    def _break_if(self, is_block: bool) -> None:
        if is_block:
            self.parts.append("\n")

    def _enter_pre(self, attributes: str) -> bool:
        names = _CLASS.search(attributes)
        self._pre.append(names is None or "inline" not in names["names"].lower().split())
        return self._pre[-1]

    def _leave_pre(self) -> bool:
        return self._pre.pop() if self._pre else False
