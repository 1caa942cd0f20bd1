"""The app on a port of its own, a browser, and pages that watch what they ask for."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from contextlib import contextmanager
from pathlib import Path

import pytest
from conftest import CASES
from playwright.sync_api import expect, sync_playwright

from parm_core.index.build import build_index
from parm_core.types import Case, Collection

ROOT = Path(__file__).parents[2]
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
PATIENCE = 30_000
IDLE = '[data-testid="stApp"][data-test-script-state="notRunning"]'

HOSTILE = "![a](https://192.0.2.1/a.png) <img src=https://192.0.2.1/b.png>"
"""Begins each title of the collection `hostile`."""

# Opened on a sub-page, Streamlit looks for its server there before it looks at the root.
EXPECTED_404 = re.compile(r"http://localhost:\d+/[a-z]+/_stcore/(health|host-config)")


@pytest.fixture(scope="package")
def address(sample_indexes, tmp_path_factory):
    """Where the app answers."""
    folder = tmp_path_factory.mktemp("browser")
    indexes = shutil.copytree(sample_indexes, folder / "indexes")
    cases = [Case(case.id, f"{HOSTILE} {case.title}", case.text, case.date) for case in CASES]
    build_index(Collection("hostile", tuple(cases)), indexes / "hostile", encoder=None)
    with serving(indexes, folder / "server.log") as at:
        yield at


@pytest.fixture
def unvisited(sample_indexes, tmp_path):
    """Where an app answers that nobody has asked for anything yet."""
    with serving(sample_indexes, tmp_path / "server.log") as at:
        yield at


@contextmanager
def serving(indexes, log):
    """The app as a process of its own, ended by its own number."""
    with socket.socket() as free:
        free.bind(("localhost", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", "app.py"]
    command += ["--server.headless", "true", "--server.port", str(port)]
    environment = {**os.environ, "PARM_INDEXES": str(indexes)}
    environment["PARM_CACHE"] = str(log.parent / "results")
    with log.open("w") as out:
        server = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=out, stderr=out)
    try:
        _wait_for(f"http://localhost:{port}/_stcore/health", server, log)
        yield f"http://localhost:{port}"
    finally:
        server.terminate()
        server.wait(timeout=30)


def _wait_for(url, server, log):
    for _ in range(600):
        assert server.poll() is None, f"the app did not start:\n{log.read_text()}"
        try:
            with urllib.request.urlopen(url, timeout=5) as answer:
                if answer.status == 200:
                    return
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
    pytest.fail(f"the app did not answer:\n{log.read_text()}")


@pytest.fixture(scope="package")
def chromium():
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        pytest.skip(f"no browser is installed: none of {', '.join(BROWSERS)}")
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


class Visitor:
    """One person's browser: what it asked for and complained of is kept."""

    def __init__(self, chromium, address, **options):
        self.address = address
        self.asked, self.complaints = [], []
        options = {"viewport": {"width": 1280, "height": 900}} | options
        self.context = chromium.new_context(**options)
        self.context.set_default_timeout(PATIENCE)
        self.page = self.context.new_page()
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.on("websocket", lambda one: self.asked.append(one.url.replace("ws", "http", 1)))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("console", self._note)

    def _note(self, message):
        url = message.location.get("url", "")
        if message.type == "error" and not EXPECTED_404.fullmatch(url):
            self.complaints.append(f"{message.text} ({url})")

    def open(self, path="/"):
        """Open a page of the app, or a whole address, and wait until it is drawn."""
        self.page.goto(path if path.startswith("http") else f"{self.address}{path}")
        expect(self.page.locator("h1")).to_be_visible()
        return self.settle()

    def settle(self):
        """Wait until the page is drawn and stays so."""
        self.page.wait_for_timeout(250)
        expect(self.page.locator(IDLE)).to_be_visible()
        return self.page

    def go(self, title):
        """To another page by the menu."""
        self.page.get_by_role("link", name=title).first.click()
        expect(self.page.get_by_role("heading", name=title, level=1)).to_be_visible()
        return self.settle()

    def paste(self, text):
        """Give a case by the form."""
        self.page.get_by_role("textbox", name="Text of the case").fill(text)
        self.page.get_by_role("button", name="Find similar cases").click()
        return self.settle()

    def choose(self, label, option):
        """Choose by a select box; a list that opens while the page still scrolls closes again."""
        box = self.page.get_by_role("combobox", name=label)
        box.scroll_into_view_if_needed()
        self.page.wait_for_timeout(500)
        box.click()
        self.page.get_by_role("option", name=option).first.click()
        return self.settle()

    def ranking(self, system):
        """The titles under one system."""
        region = self.page.get_by_role("region", name=f"Ranking by {system}", exact=True)
        expect(region).to_be_visible()
        return region.locator(".title").all_inner_texts()

    def strangers(self):
        """What was asked of anyone but the app."""
        own = (f"{self.address}/", "data:", "blob:")
        return [url for url in self.asked if not url.startswith(own)]


@pytest.fixture
def visitors(chromium, address):
    """Makes visitors; at the end, none asked a stranger or complained."""
    made = []

    def make(at=address, **options):
        made.append(Visitor(chromium, at, **options))
        return made[-1]

    yield make
    for visitor in made:
        visitor.context.close()
    assert [url for visitor in made for url in visitor.strangers()] == []
    assert [complaint for visitor in made for complaint in visitor.complaints] == []


@pytest.fixture
def visitor(visitors):
    return visitors()


@pytest.fixture(scope="session")
def murphy():
    """The text of the first sample case."""
    path = ROOT / "assets/landmark-cases/queries.jsonl"
    return json.loads(path.read_text(encoding="utf-8").splitlines()[0])["text"]
