"""A case's text out of a file: plain text, PDF or Word. Files are untrusted.

PDF and Word are read in a process of their own, with bounded time and memory, which can only hand
text back: `python -m parm_core.documents < FILE`.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

from parm_core.errors import DataError

SECONDS = 60
MEMORY = 1 << 30
CHARACTERS = 2_000_000
"""What the reading process may use, and at most how much text it hands back."""

_PDF, _ZIP = b"%PDF-", b"PK\x03\x04"


def read_document(data: bytes) -> str:
    """The text of a file, told by its first bytes, whatever it is called.

    Raises DataError: neither plain text (UTF-8 or, with its mark, UTF-16), PDF nor Word; damaged,
    locked by a password, a scan without text, or one that takes too long.
    """
    if _PDF in data[:1024] or data.startswith(_ZIP):
        return _read_apart(data)
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        raise DataError(
            "the file is neither UTF-8 text, nor PDF, nor Word (.docx); save it as one of these"
        ) from None


def _read_apart(data: bytes) -> str:
    try:
        done = subprocess.run(
            [sys.executable, "-m", "parm_core.documents"],
            input=data,
            capture_output=True,
            timeout=SECONDS,
            check=False,
            env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[1])},
        )
    except subprocess.TimeoutExpired:
        raise DataError(
            f"the file took longer than {SECONDS} s to read; paste its text instead"
        ) from None
    if done.returncode != 0:
        raise DataError("the file is damaged or locked by a password; paste its text instead")
    text = done.stdout.decode("utf-8")
    if not text.strip():
        raise DataError("the file holds no text, as a scan does; paste its text instead")
    return text


def _main() -> None:
    """Read a file from standard input, write its text to standard output."""
    _limit_memory()
    data = sys.stdin.buffer.read()
    read = _pdf_pages if _PDF in data[:1024] else _word_blocks
    room = CHARACTERS
    for part in read(data):
        kept = part[:room].encode("utf-8", "replace")
        sys.stdout.buffer.write(kept + b"\n")
        room -= len(part)
        if room <= 0:
            break


def _limit_memory() -> None:
    """Where the system knows how; elsewhere only time is bounded."""
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    except (ImportError, ValueError, OSError):
        return


def _pdf_pages(data: bytes) -> Iterator[str]:
    from pypdf import PdfReader

    return (page.extract_text() for page in PdfReader(BytesIO(data)).pages)


def _word_blocks(data: bytes) -> Iterator[str]:
    from docx import Document
    from docx.table import Table

    for block in Document(BytesIO(data)).iter_inner_content():
        if isinstance(block, Table):
            yield from ("\t".join(cell.text for cell in row.cells) for row in block.rows)
        else:
            yield block.text


if __name__ == "__main__":
    _main()
