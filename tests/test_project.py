"""What the project promises about itself: README, lock, sample collection."""

import json
import re
import tomllib
from collections import defaultdict
from itertools import chain
from pathlib import Path

import pytest

from parm_core import load_collection

ROOT = Path(__file__).parents[1]
SAMPLE = ROOT / "assets" / "landmark-cases"
DIGESTS = [
    json.loads(line)
    for name in ("corpus", "queries")
    for line in (SAMPLE / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
]
STATUTES = re.compile(r"\b(?:[A-Z][\w()]+ )+(?:Act|Order|Convention)(?: \d{4})?")


def words(text):
    return re.findall(r"[a-z0-9']+", text.lower())


def own_words(paragraph):
    """Without its number or `Summary:`."""
    return re.sub(r"^(?:Summary:|\d+\.)\s*", "", paragraph)


def test_the_readme_s_python_runs(tmp_path, capsys):
    """Run as written, but for where the index goes."""
    code = re.search(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.S).group(1)
    assert '"sample-index"' in code and '"assets/landmark-cases"' in code
    code = code.replace('"sample-index"', repr(str(tmp_path / "sample-index")))
    exec(code.replace('"assets/landmark-cases"', repr(str(SAMPLE))), {})
    assert "1 donoghue-v-stevenson-1932" in capsys.readouterr().out


def test_every_requirement_is_pinned_to_one_version():
    lines = (ROOT / "requirements.txt").read_text().split()
    assert all(re.fullmatch(r"[A-Za-z0-9_.-]+==[0-9][0-9A-Za-z.]*", line) for line in lines)


def test_the_lock_holds_what_the_project_asks_for():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    asked = {*project["dependencies"], *project["optional-dependencies"]["dev"]}
    locked = {line.lower() for line in (ROOT / "requirements.txt").read_text().split()}
    assert {line.lower() for line in asked} <= locked


def test_the_sample_is_large_enough():
    sample = load_collection(SAMPLE)
    assert len(sample.cases) >= 36 and len(sample.queries) >= 9
    assert sum(len(grades) for grades in sample.qrels.values()) >= 24
    assert set(sample.qrels) == {query.id for query in sample.queries}
    assert len({digest["area"] for digest in DIGESTS}) >= 6


@pytest.mark.parametrize("digest", DIGESTS, ids=lambda digest: digest["_id"])
def test_a_digest_has_an_introduction_a_summary_and_numbered_paragraphs(digest):
    introduction, summary, *numbered = digest["text"].split("\n")
    assert summary.startswith("Summary: ") and not introduction[0].isdigit()
    assert [int(p.split(".")[0]) for p in numbered] == list(range(1, len(numbered) + 1))
    assert len(numbered) >= 8
    lengths = [len(own_words(p).split()) for p in (introduction, summary, *numbered)]
    assert all(60 <= length <= 110 for length in lengths)


def test_no_run_of_eight_words_occurs_in_two_digests():
    holders = defaultdict(set)
    for digest in DIGESTS:
        for paragraph in digest["text"].split("\n"):
            run = words(STATUTES.sub(" § ", own_words(paragraph)))
            for i in range(len(run) - 7):
                holders[tuple(run[i : i + 8])].add(digest["_id"])
    assert [run for run, ids in holders.items() if len(ids) > 1] == []


def test_a_label_names_an_earlier_case():
    dates = {digest["_id"]: digest["date"] for digest in DIGESTS}
    for query, grades in load_collection(SAMPLE).qrels.items():
        assert all(dates[case] <= dates[query] for case in grades)


def test_a_query_does_not_name_the_cases_that_answer_it():
    titles = {digest["_id"]: digest["title"] for digest in DIGESTS}
    texts = {digest["_id"]: digest["text"] for digest in DIGESTS}
    for query, grades in load_collection(SAMPLE).qrels.items():
        for case in grades:
            parties = chain.from_iterable(p.split(" (")[:1] for p in titles[case].split(" v "))
            named = [p for p in parties if re.search(rf"\b{re.escape(p)}\b", texts[query])]
            named = [p for p in named if p not in ("R", "The Queen")]
            assert named == [], f"{query} names {named}"


def test_the_project_speaks_of_no_machine():
    for path in [ROOT / "README.md", ROOT / "Makefile", ROOT / "pyproject.toml"]:
        assert "/work/" not in path.read_text() and "index-url=" not in path.read_text()
