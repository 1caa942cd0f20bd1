"""The command line: what it writes, and one line with exit 2 for whatever a person can mend."""

from __future__ import annotations

import json
import re
import subprocess
import sys

import numpy as np
import pytest
import pytrec_eval
from conftest import CASES, COLLECTION, QUERY_CASE, FakeEncoder

from parm_core import encoders
from parm_core.index.store import open_index
from parm_core.retrieval import Searcher
from parm_core.systems import parse_system


@pytest.fixture(autouse=True)
def _fake_encoder(monkeypatch):
    monkeypatch.setattr(encoders, "load_encoder", lambda *_, **__: FakeEncoder())


def write_cases(path, cases):
    records = [
        {"_id": case.id, "title": case.title, "text": case.text, "date": case.date}
        for case in cases
    ]
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The small collection as a folder."""
    root = tmp_path_factory.mktemp("cli") / "northmark"
    root.mkdir()
    write_cases(root / "corpus.jsonl", CASES)
    write_cases(root / "queries.jsonl", COLLECTION.queries)
    return root


@pytest.fixture
def case_file(tmp_path):
    path = tmp_path / "case.txt"
    path.write_text(QUERY_CASE.text, encoding="utf-8")
    return path


@pytest.fixture
def refused(parm):
    """refused(message, words): exit 2, nothing on standard output, one line on standard error."""

    def check(message, *words):
        code, out, err = parm(*words)
        assert (code, out) == (2, "")
        assert err.startswith("parm: ")
        assert err.count("\n") == 1
        assert message in err

    return check


# ------------------------------------------------------------------------------------ parm index


def test_index_builds_what_info_tells_and_verify_finds_whole(parm, folder, tmp_path):
    code, out, _ = parm("index", folder, tmp_path / "index")
    assert code == 0
    assert re.search(r"^cases: +6$", out, re.MULTILINE)
    assert re.search(r"^paragraphs: +21$", out, re.MULTILINE)
    (bm25,) = [line for line in out.splitlines() if line.startswith("BM25:")]
    assert "k1 1.3" in bm25
    assert "b 0.8" in bm25
    assert re.search(
        r"^encoder: +fake, 16 wide, float32; .* of all tokens are not read", out, re.MULTILINE
    )
    assert parm("index", "--info", tmp_path / "index")[:2] == (0, out)
    code, out, _ = parm("index", "--verify", tmp_path / "index")
    assert (code, out) == (0, f"{tmp_path / 'index'}: every file is as it was built\n")


def test_index_options_are_recorded(parm, folder, tmp_path):
    given = ["--encoder", "none", "--segment", "lines", "--k1", "2", "--b", "0.5"]
    code, out, _ = parm("index", folder, tmp_path / "index", *given)
    assert code == 0
    assert "none (BM25 alone)" in out
    manifest = open_index(tmp_path / "index").manifest
    assert manifest["encoder"] is None
    assert manifest["segmentation"]["rule"] == "lines"
    assert manifest["bm25"] == {"k1": 2.0, "b": 0.5}


def test_verify_refuses_a_damaged_index(parm, refused, folder, tmp_path):
    assert parm("index", folder, tmp_path / "index")[0] == 0
    file = tmp_path / "index" / "vectors.npy"
    held = bytearray(file.read_bytes())
    held[-1] ^= 1
    file.write_bytes(held)
    refused("vectors.npy is damaged", "index", "--verify", tmp_path / "index")
    file.write_bytes(held[:-1])
    for ask in ("--verify", "--info"):
        refused("vectors.npy has", "index", ask, tmp_path / "index")


# ----------------------------------------------------------------------------------- parm search


def test_search_prints_a_table(parm, index, case_file, searcher, query):
    code, out, _ = parm("search", index.path, case_file, "--system", "dense:vrrf", "--top", 2)
    assert code == 0
    first, second = list(searcher.rank(query, "dense:vrrf"))[:2]
    lines = out.splitlines()
    assert lines[0] == "dense:vrrf"
    assert lines[1].split()[:2] == ["1", f"{first.score:.4f}"]
    assert lines[1].endswith(f"[{first.case_id}]")
    assert index.titles([first.case_id])[0] in lines[1]
    assert sum(line.endswith(f"[{second.case_id}]") for line in lines) == 1
    assert sum(line.endswith("]") for line in lines) == 2
    assert re.search(r"your paragraph \d+ × its paragraph \d+: ", out)
    assert re.search(r"segment \d+ ms, encode \d+ ms, retrieve \d+ ms, aggregate \d+ ms", out)


SYSTEMS = ["bm25:doc", "bm25:rrf", "dense:firstp", "dense:maxp", "dense:vmax", "dense:vrrf"]


def test_search_json_evidence_sums_to_the_score(parm, index, case_file, searcher, query):
    given = [word for system in SYSTEMS for word in ("--system", system)]
    code, out, err = parm("search", index.path, case_file, "--json", *given)
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert [report["system"] for report in found] == SYSTEMS
    for report in found:
        ranking = searcher.rank(query, report["system"])
        assert [row["case_id"] for row in report["ranking"]] == list(ranking.case_ids)
        assert [row["rank"] for row in report["ranking"]] == list(range(1, len(ranking) + 1))
        for row, score in zip(report["ranking"], ranking.scores, strict=True):
            assert row["score"] == pytest.approx(float(score))
            assert row["title"] == index.titles([row["case_id"]])[0]
            terms = [pair["contribution"] for pair in row["evidence"]]
            assert abs(sum(terms) - row["score"]) <= 1e-4 * sum(map(abs, terms))
    assert "segment" in found[0]["seconds"]
    assert all(report["seconds"] for report in found)


def test_search_json_counts_paragraphs_from_1_and_names_openings(parm, index, tmp_path):
    (tmp_path / "case.txt").write_text("A stage lamp fell upon the singer during the second act.")
    words = ["search", index.path, tmp_path / "case.txt", "--json"]
    _, out, _ = parm(*words, "--system", "bm25:rrf", "--depth", 1)
    row = json.loads(out)[0]["ranking"][0]
    assert row["case_id"] == "lamp"
    assert row["evidence"] == [
        {"query_paragraph": 1, "case_paragraph": 2, "contribution": pytest.approx(1 / 61)}
    ]
    _, out, _ = parm(*words, "--system", "dense:firstp")
    pair = json.loads(out)[0]["ranking"][0]["evidence"][0]
    assert (pair["query_paragraph"], pair["case_paragraph"]) == ("opening", "opening")


def test_search_json_of_a_hybrid_names_its_rankings_terms(parm, index, case_file):
    _, out, _ = parm("search", index.path, case_file, "--json")
    (report,) = json.loads(out)
    assert report["system"] == "hybrid:rrf"
    for row in report["ranking"]:
        assert [term["system"] for term in row["evidence"]] == ["bm25:srrf", "dense:srrf"]
        assert sum(term["contribution"] for term in row["evidence"]) == pytest.approx(row["score"])
        assert all(term.keys() == {"system", "rank", "contribution"} for term in row["evidence"])


def test_search_depth_top_and_evidence_cut(parm, index, case_file, searcher, query):
    words = ["search", index.path, case_file, "--json", "--system", "dense:rrf"]
    _, out, _ = parm(*words, "--depth", 2, "--top", 3, "--evidence", 1)
    (report,) = json.loads(out)
    assert report["system"] == "dense:rrf@depth=2"
    wanted = list(searcher.rank(query, parse_system("dense:rrf@depth=2")))[:3]
    assert [(row["rank"], row["case_id"]) for row in report["ranking"]] == [
        (case.rank, case.case_id) for case in wanted
    ]
    assert {len(row["evidence"]) for row in report["ranking"]} == {1}


def test_search_reads_standard_input(parm, index, case_file, monkeypatch):
    import io

    words = ["--json", "--system", "bm25:rrf"]
    _, wanted, _ = parm("search", index.path, case_file, *words)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(QUERY_CASE.text.encode())))
    code, out, _ = parm("search", index.path, "-", *words)
    assert code == 0
    assert json.loads(out)[0]["ranking"] == json.loads(wanted)[0]["ranking"]


# -------------------------------------------------------------------------------------- parm run


@pytest.mark.parametrize("packed", [False, True])
def test_run_writes_what_trec_eval_reads(parm, index, folder, tmp_path, searcher, query, packed):
    import gzip

    queries = folder / "queries.jsonl"
    if packed:
        plain, queries = queries, tmp_path / "queries.jsonl.gz"
        queries.write_bytes(gzip.compress(plain.read_bytes()))
    out = tmp_path / "out.trec"
    code, said, _ = parm("run", index.path, queries, "--system", "dense:vsum", "--out", out)
    assert code == 0
    assert said == f"1 queries, dense:vsum -> {out}\n"
    with out.open() as file:
        read = pytrec_eval.parse_run(file)
    ranking = searcher.rank(query, "dense:vsum")
    wanted = dict(zip(ranking.case_ids, ranking.scores.tolist(), strict=True))
    assert read == {"query": wanted}
    lines = [line.split() for line in out.read_text().splitlines()]
    assert [line[2] for line in lines] == list(ranking.case_ids)
    assert [line[3] for line in lines] == [str(n) for n in range(1, len(ranking) + 1)]
    assert {(line[0], line[1], line[5]) for line in lines} == {("query", "Q0", "dense:vsum")}


def test_run_keeps_float32_ties_and_the_top(parm, index, folder, tmp_path, searcher, query):
    out = tmp_path / "out.trec"
    words = ["--system", "bm25:rrf", "--depth", 3, "--top", 2, "--out", out]
    assert parm("run", index.path, folder / "queries.jsonl", *words)[0] == 0
    lines = [line.split() for line in out.read_text().splitlines()]
    ranking = searcher.rank(query, parse_system("bm25:rrf@depth=3"))
    assert [line[2] for line in lines] == list(ranking.case_ids[:2])
    assert [np.float32(line[4]) for line in lines] == list(ranking.scores[:2])
    assert {line[5] for line in lines} == {"bm25:rrf@depth=3"}


# ------------------------------------------------------------------------------------- bad input


def test_words_that_are_no_command_or_option_are_refused(refused, index, case_file):
    refused("nosuch", "nosuch")
    refused("--nope", "search", index.path, case_file, "--nope")
    refused("--top", "search", index.path, case_file, "--top", 0)
    refused("--top", "search", index.path, case_file, "--top", "ten")
    refused("--k1", "index", "a", "b", "--k1", "much")
    refused("Missing argument 'case'", "search", index.path)


def test_without_words_the_help_is_shown_or_asked_for(parm):
    code, out, err = parm()
    assert code in (0, 2)
    assert "Traceback" not in err
    assert "help" in (out + err).lower()


def test_help_tells_the_commands(parm):
    code, out, err = parm("--help")
    assert (code, err) == (0, "")
    assert {"index", "search", "run"} <= set(out.split())


def test_index_refuses_what_is_no_collection(refused, folder, tmp_path):
    refused("no corpus.jsonl", "index", tmp_path, tmp_path / "index")
    refused("needs a COLLECTION and an INDEX", "index", folder)
    (tmp_path / "corpus.jsonl").write_text('{"_id": "a"\n')
    refused("corpus.jsonl, line 1: not valid JSON", "index", tmp_path, tmp_path / "index")
    assert not (tmp_path / "index").exists()


def test_index_refuses_options_out_of_range(refused, folder, tmp_path):
    target = tmp_path / "index"
    refused("unknown segmentation rule 'x'", "index", folder, target, "--segment", "x")
    refused("b must be in [0, 1], got 1.5", "index", folder, target, "--b", 1.5)
    refused("k1 must be in [0, 100], got nan", "index", folder, target, "--k1", "nan")
    assert not target.exists()


def test_index_refuses_an_encoder_that_is_not_there(monkeypatch, refused, folder, tmp_path):
    from parm_core.encoders import SentenceTransformerEncoder

    def load(name, *, query="", download=False, precision="float32"):
        return SentenceTransformerEncoder(name, query, download=False)

    monkeypatch.setattr(encoders, "load_encoder", load)
    words = ["index", folder, tmp_path / "index", "--encoder", "nobody/no-such-model"]
    refused("the encoder 'nobody/no-such-model' is not on this machine", *words)


def test_index_leaves_another_folder_alone(refused, folder, tmp_path):
    (tmp_path / "letter.txt").write_text("dear")
    refused("exists and is not an index; nothing was written", "index", folder, tmp_path)


def test_index_names_a_case_without_letters_in_one_line(refused, tmp_path):
    (tmp_path / "corpus.jsonl").write_text('{"_id": "a", "text": "12. 34"}\n')
    refused("case 'a': the text has no letters", "index", tmp_path, tmp_path / "index")


def test_what_needs_an_index_refuses_what_is_none(refused, folder, case_file, tmp_path):
    message = f"no index at {tmp_path}; build one with: parm index COLLECTION"
    refused(message, "search", tmp_path, case_file)
    refused(message, "run", tmp_path, folder / "queries.jsonl")
    refused(message, "index", "--info", tmp_path)
    refused(message, "index", "--verify", tmp_path)


def test_search_refuses_a_case_it_cannot_read(refused, index, tmp_path):
    (tmp_path / "binary.txt").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "empty.txt").write_text(" \n")
    refused("cannot read", "search", index.path, tmp_path / "nowhere.txt")
    refused("cannot read", "search", index.path, tmp_path)
    refused(
        "binary.txt: the file is neither UTF-8 text, nor PDF",
        "search",
        index.path,
        tmp_path / "binary.txt",
    )
    refused("the text is empty", "search", index.path, tmp_path / "empty.txt")


def test_search_refuses_systems_it_does_not_know(refused, index, lexical_index, case_file):
    search = ["search", index.path, case_file]
    refused("unknown system 'bm25:mean'", *search, "--system", "bm25:mean")
    refused("k must be a number", *search, "--system", "bm25:rrf", "--system", "bm25:rrf@k=x")
    refused("depth must be a whole number from 1", *search, "--depth", 0)
    words = ["search", lexical_index.path, case_file, "--system", "dense:rrf"]
    refused("was built without an encoder", *words)


def test_search_refuses_an_encoder_of_other_weights(monkeypatch, refused, index, case_file):
    other = FakeEncoder(weights_sha256="0" * 64)
    monkeypatch.setattr(encoders, "load_encoder", lambda *_, **__: other)
    refused("use the same encoder or build the index again", "search", index.path, case_file)


def test_run_refuses_bad_queries_and_names_them(refused, index, folder, tmp_path):
    out = ["--system", "bm25:rrf", "--out", tmp_path / "run.trec"]
    refused("no file", "run", index.path, tmp_path / "nowhere.jsonl", *out)
    bad = tmp_path / "bad.jsonl"
    bad.write_text('{"_id": "q1", "text": "A barge."}\n{"_id": "q2"}\n')
    refused("bad.jsonl, line 2: case 'q2' has no \"text\"", "run", index.path, bad, *out)
    assert not (tmp_path / "run.trec").exists()
    refused("unknown system", "run", index.path, folder / "queries.jsonl", "--system", "x")


def test_run_names_a_query_without_letters(parm, index, tmp_path):
    (tmp_path / "bad.jsonl").write_text('{"_id": "q2", "text": "12"}\n')
    code, out, err = parm("run", index.path, tmp_path / "bad.jsonl", "--system", "bm25:rrf")
    assert (code, out) == (2, "")
    assert "query 'q2': the text has no letters" in err
    assert "Traceback" not in err


def test_run_refuses_a_place_it_cannot_write(parm, index, folder, tmp_path):
    out = ["--system", "bm25:rrf", "--out", tmp_path / "nowhere" / "run.trec"]
    code, said, err = parm("run", index.path, folder / "queries.jsonl", *out)
    assert (code, said) == (2, "")
    assert f"cannot write {tmp_path / 'nowhere' / 'run.trec'}" in err.splitlines()[-1]


# --------------------------------------------------------------------------- as a person starts it


def python(*words):
    done = [sys.executable, "-m", "parm_core", *map(str, words)]
    return subprocess.run(done, capture_output=True, text=True, check=False)


def test_python_m_parm_core_is_parm(folder, tmp_path, case_file):
    built = python("index", folder, tmp_path / "index", "--encoder", "none")
    assert built.returncode == 0
    words = ["--system", "bm25:srrf", "--json", "--top", 1]
    found = python("search", tmp_path / "index", case_file, *words)
    assert (found.returncode, found.stderr) == (0, "")
    searcher = Searcher(open_index(tmp_path / "index"))
    best = searcher.search(QUERY_CASE.text, "bm25:srrf").case_ids[0]
    assert json.loads(found.stdout)[0]["ranking"][0]["case_id"] == best


def test_bad_input_exits_2_with_one_line_and_no_traceback(tmp_path):
    for words in (["search", tmp_path, "case.txt"], ["search", "--nope"], ["nosuch"]):
        done = python(*words)
        assert done.returncode == 2
        assert done.stdout == ""
        assert done.stderr.startswith("parm: ")
        assert done.stderr.count("\n") == 1
