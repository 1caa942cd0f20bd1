"""The commands on labelled collections: what they write, and what they say of bad input."""

from __future__ import annotations

import csv
import json

import pytest
from conftest import COLLECTION, QUERY_CASES

from parm_core.collections.writing import write_beir
from parm_core.index.build import build_index
from parm_core.types import Collection

QRELS = {"q0": {"barge": 1}, "q1": {"mooring": 1, "lamp": 1}, "q2": {"barge": 1}, "q3": {"bees": 1}}
BOTH = ("--systems", "bm25:doc,bm25:rrf")


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """A labelled collection and its index, for BM25 alone."""
    folder = tmp_path_factory.mktemp("lab")
    collection = Collection("labelled", COLLECTION.cases, QUERY_CASES, QRELS)
    write_beir(collection, folder / "labelled")
    build_index(collection, folder / "index", encoder=None)
    return folder / "index", folder / "labelled"


@pytest.fixture(autouse=True)
def own_results(monkeypatch, tmp_path):
    monkeypatch.setenv("PARM_CACHE", str(tmp_path / "cache"))


def read_csv(text):
    return list(csv.DictReader(text.splitlines()))


# ------------------------------------------------------------------------------------- evaluate


@pytest.mark.parametrize("form", ["table", "csv", "markdown", "latex", "json"])
def test_every_format_holds_every_system(parm, lab, form):
    code, out, _ = parm("evaluate", *lab, *BOTH, "--baseline", "bm25:doc", "--format", form)
    assert code == 0
    assert "bm25:doc" in out and "bm25:rrf" in out


def test_without_systems_all_that_the_index_can_run_are_evaluated(parm, lab):
    _, out, _ = parm("evaluate", *lab, "--json")
    assert list(json.loads(out)["measures"]) == ["bm25:doc", "bm25:rrf", "bm25:srrf"]


def test_runs_that_were_written_evaluate_to_the_same_figures(parm, lab, tmp_path):
    _, out, _ = parm("evaluate", *lab, *BOTH, "--json", "--runs", tmp_path / "runs")
    written = sorted((tmp_path / "runs").iterdir())
    assert [path.name for path in written] == ["bm25-doc.trec", "bm25-rrf.trec"]
    _, again, _ = parm(
        "evaluate", "--run", written[0], "--run", written[1], "--json",
        "--qrels", lab[1] / "qrels" / "test.tsv",
    )  # fmt: skip
    direct, reread = json.loads(out)["measures"], json.loads(again)["measures"]
    assert list(direct.values()) == list(reread.values())


def test_parm_run_writes_the_run_that_is_evaluated(parm, lab, tmp_path):
    parm("evaluate", *lab, *BOTH, "--runs", tmp_path / "runs")
    queries = lab[1] / "queries.jsonl"
    parm("run", lab[0], queries, "--system", "bm25:rrf", "--out", tmp_path / "own.trec")
    assert (tmp_path / "own.trec").read_text() == (tmp_path / "runs" / "bm25-rrf.trec").read_text()


def test_values_query_by_query_average_to_the_table(parm, lab, tmp_path):
    _, out, _ = parm(
        "evaluate", *lab, *BOTH, "--json", "--measures", "RR", "--per-query", tmp_path / "each.csv"
    )
    rows = read_csv((tmp_path / "each.csv").read_text())
    own = [float(row["value"]) for row in rows if row["system"] == "bm25:rrf"]
    assert sum(own) / 4 == pytest.approx(json.loads(out)["measures"]["bm25:rrf"]["RR"])


def test_results_are_kept_and_the_collection_noted(parm, lab, tmp_path):
    parm("evaluate", *lab, *BOTH)
    assert (tmp_path / "cache" / "results.sqlite").is_file()
    noted = json.loads((tmp_path / "indexes" / ".collections.json").read_text())
    assert list(noted.values()) == [str(lab[1])]


def test_a_baseline_may_be_written_with_its_defaults(parm, lab):
    code, out, _ = parm("evaluate", *lab, *BOTH, "--baseline", "bm25:rrf@k=60", "--json")
    assert code == 0
    assert json.loads(out)["significance"]["baseline"] == "bm25:rrf"


def test_a_judged_query_that_a_run_lacks_is_told_and_counts_0(parm, tmp_path):
    (tmp_path / "half.trec").write_text("q1 Q0 a 1 2.0 x\nunjudged Q0 a 1 1.0 x\n")
    (tmp_path / "qrels.txt").write_text("q1 0 a 1\nq2 0 a 1\n")
    code, out, err = parm(
        "evaluate", "--run", tmp_path / "half.trec", "--qrels", tmp_path / "qrels.txt",
        "--measures", "RR", "--json",
    )  # fmt: skip
    assert code == 0
    assert json.loads(out)["measures"]["half"]["RR"] == 0.5
    assert "1 judged queries are missing and count 0" in err
    assert "1 queries have no label" in err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--systems", "bm25:doc,bm25:doc"), "named twice"),
        ((*BOTH, "--format", "word"), "unknown format 'word'"),
        ((*BOTH, "--measures", "nonsense"), "unknown measure 'nonsense'"),
        ((*BOTH, "--baseline", "bm25:srrf"), "is not among the systems"),
        ((*BOTH, "--baseline", "bm25:doc", "--test", "z"), "unknown test 'z'"),
        ((*BOTH, "--split", "summer"), "no split 'summer'"),
        (("--systems", "dense:rrf"), "built without an encoder"),
    ],
)
def test_what_cannot_be_evaluated_is_one_line_and_exit_2(parm, lab, words, told):
    code, _, err = parm("evaluate", *lab, *words)
    assert code == 2
    assert told in err.splitlines()[-1]


def test_an_index_of_another_collection_is_refused(parm, lab, tmp_path):
    write_beir(
        Collection("other", COLLECTION.cases[1:], QUERY_CASES, {"q0": {"bees": 1}}),
        tmp_path / "other",
    )
    code, _, err = parm("evaluate", lab[0], tmp_path / "other", *BOTH)
    assert (code, "built from other cases" in err) == (2, True)


@pytest.mark.parametrize("words", [(), ("--run", "a.trec"), ("--qrels", "a.tsv")])
def test_what_is_missing_is_told(parm, words):
    code, _, err = parm("evaluate", *words)
    assert code == 2
    assert "INDEX and a COLLECTION" in err or "both --run and --qrels" in err


# ----------------------------------------------------------------------- stats and the figures


def test_stats_count_the_collection(parm, lab):
    code, out, _ = parm("stats", lab[1], "--encoder", "none")
    assert code == 0
    told = dict(line.split("  ", 1) for line in out.splitlines())
    assert told["queries"].strip() == "4"
    assert told["cases"].strip() == "6"
    found = json.loads(parm("stats", lab[1], "--encoder", "none", "--json")[1])
    assert json.dumps(found)


def test_stats_hold_the_paragraphs_against_the_encoders_limit(parm, lab):
    _, out, _ = parm("stats", lab[1])
    assert "over 256 tokens" in out


@pytest.mark.parametrize("name", ["recall.csv", "recall.png", "recall.svg"])
def test_recall_by_cutoff_is_written(parm, lab, tmp_path, name):
    code, _, _ = parm("recall", *lab, *BOTH, "--out", tmp_path / name, "--limit", "6")
    assert code == 0
    assert (tmp_path / name).stat().st_size > 60


def test_recall_by_cutoff_is_recall(parm, lab, tmp_path):
    parm("recall", *lab, *BOTH, "--out", tmp_path / "r.csv", "--limit", "6")
    rows = {row["cut-off"]: row for row in read_csv((tmp_path / "r.csv").read_text())}
    _, out, _ = parm("evaluate", *lab, *BOTH, "--measures", "R@1 R@5", "--json")
    measured = json.loads(out)["measures"]
    for system in ("bm25:doc", "bm25:rrf"):
        for k in ("1", "5"):
            assert float(rows[k][system]) == pytest.approx(measured[system][f"R@{k}"], abs=1e-6)


def test_overlap_files_every_relevant_pair_once(parm, lab, tmp_path):
    out = json.loads(parm("overlap", *lab, *BOTH, "--k", "1", "--json")[1])
    pairs = [tuple(pair) for pairs in out["regions"].values() for pair in pairs]
    assert sorted(pairs) == sorted((q, c) for q, grades in QRELS.items() for c in grades)
    parm("overlap", *lab, *BOTH, "--k", "1", "--out", tmp_path / "o.csv")
    assert len(read_csv((tmp_path / "o.csv").read_text())) == len(pairs)
    assert parm("overlap", *lab, *BOTH, "--out", tmp_path / "o.png")[0] == 0
    assert (tmp_path / "o.png").stat().st_size > 1000


@pytest.mark.parametrize("ending", ["csv", "html", "png", "svg"])
def test_the_heatmap_is_written_in_every_form(parm, lab, tmp_path, ending):
    code, _, _ = parm("heatmap", *lab, "--system", "bm25:rrf", "--out", tmp_path / f"h.{ending}")
    assert code == 0
    assert (tmp_path / f"h.{ending}").stat().st_size > 60


def test_agreement_of_a_system_with_itself_is_whole(parm, lab):
    found = json.loads(parm("agreement", *lab, *BOTH, "--k", "3", "--json")[1])
    assert found["systems"] == ["bm25:doc", "bm25:rrf"]
    for name in ("rank_biased_overlap", "kendall_tau", "jaccard"):
        assert [found[name][i][i] for i in range(2)] == [1.0, 1.0]
    assert "Jaccard" in parm("agreement", *lab, *BOTH)[1]


def test_queries_are_listed_with_what_they_gain(parm, lab, tmp_path):
    found = json.loads(parm("queries", *lab, *BOTH, "--measure", "RR", "--json")[1])
    assert sorted(row["query"] for row in found["queries"]) == ["q0", "q1", "q2", "q3"]
    parm("queries", *lab, *BOTH, "--out", tmp_path / "q.csv")
    assert len(read_csv((tmp_path / "q.csv").read_text())) == 4


def test_a_sweep_reports_its_choice_on_other_queries(parm, lab, tmp_path):
    words = ("sweep", *lab, "--vary", "k=1,60", "--vary", "b=0.2,0.8", "--measure", "RR")
    code, out, _ = parm(*words)
    assert code == 0
    assert "chosen: k" in out
    parm(*words, "--out", tmp_path / "sweep.json")
    found = json.loads((tmp_path / "sweep.json").read_text())
    assert len(found["points"]) == 4
    assert not set(found["splits"]["dev"]) & set(found["splits"]["test"])


def test_a_sweep_over_two_axes_is_drawn(parm, lab, tmp_path):
    words = ("sweep", *lab, "--vary", "k1=0.5,1.3", "--vary", "b=0.2,0.8", "--measure", "RR")
    assert parm(*words, "--picture", tmp_path / "grid.png")[0] == 0
    assert (tmp_path / "grid.png").read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    code, _, err = parm("sweep", *lab, "--vary", "k=1,2", "--picture", tmp_path / "g.png")
    assert (code, "a grid shows two axes" in err) == (2, True)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("recall", "--out", "r.docx"), "ends in one of .csv, .png"),
        (("heatmap", "--out", "nowhere/h.png"), "there is no folder"),
        (("heatmap", "--out", "h.png", "--show", "all"), "counts, shares or lift"),
        (("heatmap", "--out", "h.png", "--system", "bm25:doc"), "no paragraph hits"),
        (
            ("heatmap", "--out", "h.csv", "--system", "bm25:rrf", "--system", "bm25:max"),
            "one --system",
        ),
        (("overlap", "--systems", "bm25:doc"), "two or three systems, got 1"),
        (("queries", "--systems", "bm25:doc"), "two systems to compare, got 1"),
        (("sweep",), "something to vary"),
        (("sweep", "--vary", "k"), "name=value"),
        (("agreement", "--p", "2"), "p must be between 0 and 1"),
    ],
)
def test_bad_input_is_one_line_and_exit_2(parm, lab, words, told):
    code, _, err = parm(words[0], *lab, *words[1:])
    assert code == 2
    assert told in err.splitlines()[-1]
