"""How long a person waits: from click to tables in a real browser, against encoding alone.

    python -m benchmarks.page INDEX CASE.txt [CASE.txt …]

Each case is pasted and ranked by four systems side by side, then a parameter of an aggregation is
changed. The same run times encoding the same paragraphs alone, in turn with the page.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any
from urllib.request import urlopen

from benchmarks.whole_path import FOUR
from parm_core.index.store import open_index
from parm_core.retrieval import Searcher

READY = '[data-testid="stApp"][data-test-script-state="notRunning"]'


def main(index: str, *cases: str) -> None:
    searcher = Searcher(open_index(index))
    texts = [Path(case).read_text(encoding="utf-8") for case in cases]
    with served(Path(index)) as address, browser() as page:
        page.goto(f"{address}?collection=measured&systems=" + "&systems=".join(FOUR))
        page.get_by_role("radio", name="Paste a case").click()
        paste(page, texts[0] + " Once more, to warm up.")
        rows = []
        for text in texts:
            query = searcher.query(text)
            searcher.encoder.encode_queries(query.texts[:2])
            start = time.perf_counter()
            searcher.encoder.encode_queries(query.texts)
            encoding = time.perf_counter() - start
            rows.append((len(query.texts), encoding, paste(page, text), change(page)))
    for paragraphs, encoding, waited, changed in rows:
        print(
            f"{paragraphs} paragraphs: encoding alone {encoding:.2f} s, click to tables {waited:.2f} s "
            f"({waited / encoding:.2f} x), another system {1000 * changed:.0f} ms"
        )
    print(f"median ratio {median(w / e for _, e, w, _ in rows):.2f} (bar: 1.5)")
    print(f"median change {1000 * median(c for *_, c in rows):.0f} ms (bar: 500 ms)")


def paste(page: Any, text: str) -> float:
    """Seconds from the click until the rankings of this text stand on the page, and it rests."""
    page.get_by_label("Text of the case").fill(text)
    page.wait_for_selector(READY)
    before = shown(page)
    start = time.perf_counter()
    page.get_by_role("button", name="Find similar cases").click()
    page.wait_for_function(WAITED, arg=before, polling=10)
    return time.perf_counter() - start


def change(page: Any) -> float:
    """Seconds until the tables of another system stand, the hits being there already."""
    replace_last(page, "dense:srrf@k=10")
    return replace_last(page, "hybrid:rrf")


def replace_last(page: Any, system: str) -> float:
    """Take the last system away and give another; seconds from giving it to its table."""
    field = page.get_by_role("combobox", name="Systems to compare")
    _press(page, field, "Backspace")
    field.press_sequentially(system)
    return _press(page, field, "Enter")


def _press(page: Any, field: Any, key: str) -> float:
    """Seconds from a key until the tables have changed."""
    page.wait_for_selector(READY)
    before = shown(page)
    start = time.perf_counter()
    field.press(key)
    page.wait_for_function(WAITED, arg=before, polling=10)
    return time.perf_counter() - start


ROWS = """() => {
  const all = [...document.querySelectorAll('*')];
  const host = all.find((one) => one.shadowRoot?.querySelector('.rankings'));
  const cells = host ? [...host.shadowRoot.querySelectorAll('h3, .title, .score')] : [];
  return cells.map((cell) => cell.textContent).join('|');
}"""
WAITED = f"(before) => {{ const now = ({ROWS})(); return now !== '' && now !== before; }}"


def shown(page: Any) -> str:
    return str(page.evaluate(ROWS))


@contextmanager
def served(index: Path) -> Iterator[str]:
    """The app on a free port, with this index among a person's own."""
    with socket.socket() as probe, tempfile.TemporaryDirectory() as folder:
        probe.bind(("localhost", 0))
        port = probe.getsockname()[1]
        probe.close()
        (Path(folder) / "measured").symlink_to(index.resolve())
        command = [
            "streamlit",
            "run",
            "app.py",
            "--server.headless",
            "true",
            "--server.port",
            str(port),
        ]
        server = subprocess.Popen(
            [sys.executable, "-m", *command],
            env=os.environ | {"PARM_INDEXES": folder},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            address = f"http://localhost:{port}/"
            for _ in range(150):
                try:
                    urlopen(f"{address}_stcore/health").read()
                    break
                except OSError:
                    time.sleep(0.2)
            yield address
        finally:
            server.terminate()
            server.wait()


@contextmanager
def browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        page = chromium.new_page(viewport={"width": 1440, "height": 1000})
        page.set_default_timeout(120_000)
        yield page
        chromium.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
