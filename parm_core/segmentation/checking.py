"""The border: untrusted text in, clean text or a clear error out."""

from __future__ import annotations

import re

from parm_core.errors import DataError

MAX_CHARACTERS = 2_000_000
"""About 350,000 words: some thirty times the longest judgments."""

_LINE_BREAK = re.compile("\r\n|[\r\v\f\x85\u2028\u2029]")
_INVISIBLE = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\xad\ufeff\ud800-\udfff\ufffe\uffff]")


def check_text(text: str) -> str:
    """The text with line breaks as \\n and control characters gone, or DataError saying why not.

    Offsets of paragraphs refer to the text returned. Dropped besides NUL and the other control
    characters: soft hyphens, byte-order marks and lone surrogates, none of which can be read.
    """
    if not isinstance(text, str):
        raise DataError(f"a case's text must be a string, got {type(text).__name__}")
    if len(text) > MAX_CHARACTERS:
        raise DataError(
            f"the text has {len(text):,} characters; at most {MAX_CHARACTERS:,} are read:"
            " shorten it, or save it as several cases"
        )
    clean = _INVISIBLE.sub("", _LINE_BREAK.sub("\n", text))
    if not clean.strip():
        raise DataError("the text is empty: give the text of a case")
    if not any(map(str.isalpha, clean)):
        raise DataError("the text has no letters in any script: give the text of a case")
    return clean
