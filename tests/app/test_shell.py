"""What every page shares."""

import pandas as pd
import pytest

from ui import shell


@pytest.fixture
def saved(monkeypatch):
    """What a download would hold."""
    held = []
    monkeypatch.setattr(
        shell.st, "download_button", lambda label, data, *_, **__: held.append(data)
    )
    return held


def test_a_title_is_no_formula_in_a_downloaded_table(saved):
    table = pd.DataFrame({"title": ["=1+1", "@x", "-y", "R v G"], "score": [-1.5, 2, 3, 4]})
    shell.download("Download", table, "x.csv")
    assert saved == ["title,score\n'=1+1,-1.5\n'@x,2.0\n'-y,3.0\nR v G,4.0\n"]


@pytest.mark.parametrize(
    "text", ["![x](https://a.b/c)", "**b** `c` $d$", ":red[e] <i>", "#1 _f_ ~g~ |h|"]
)
def test_plain_text_says_nothing_to_markdown(text):
    from markdown_it import MarkdownIt

    shown = MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(shell.plain(text))
    marked = shown.removeprefix("<p>").removesuffix("</p>\n")
    assert "<" not in marked and text.replace("<", "&lt;").replace(">", "&gt;") == marked
