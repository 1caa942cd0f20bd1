"""A comparison as text, CSV, Markdown, LaTeX and JSON."""

from __future__ import annotations

import csv
import io
import json
import re
from math import inf

import pytest

from parm_core.evaluation import RENDERERS, Comparison, Difference, as_json, per_query_csv
from parm_core.evaluation.tables import as_csv, as_latex, as_markdown, as_text

SYSTEMS = {
    "bm25:doc": {"nDCG@10": {"q1": 0.25, "q2": 0.5}, "R@100": {"q1": 1.0, "q2": 0.5}},
    "dense:vrrf@k=20": {"nDCG@10": {"q1": 0.5, "q2": 0.75}, "R@100": {"q1": 0.0, "q2": 1.0}},
}
PLAIN = Comparison(SYSTEMS, None, "t", {})
AGAINST = Comparison(
    SYSTEMS,
    "bm25:doc",
    "t",
    {
        "dense:vrrf@k=20": {
            "nDCG@10": Difference(0.25, 0.0, 0.0, inf),
            "R@100": Difference(-0.25, 0.5, 0.5, -0.125),
        }
    },
)
HOSTILE = [
    "=1+2",
    "+a",
    "-b",
    "@c",
    "a|b",
    "`x``y`",
    r"a_b&c%d#e$f{g}h~i^j\k",
    "<b>",
    "[1]",
    "*",
    "two\nlines",
    'a,"b"',
]


def named(*systems):
    """A comparison of systems by these names, each better than the one before."""
    per_query = {name: {"R@10": {"-q1": n / 20, "q2": n / 20}} for n, name in enumerate(systems, 1)}
    differences = {name: {"R@10": Difference(0.1, 0.01, 0.02, 0.3)} for name in systems[1:]}
    return Comparison(per_query, systems[0], "randomisation", differences)


def test_text():
    assert as_text(AGAINST) == (
        "system           nDCG@10      R@100\n"
        "bm25:doc          0.3750    *0.7500\n"
        "dense:vrrf@k=20  *0.6250†‡   0.5000\n"
        "\n"
        "† p < 0.05 against bm25:doc: paired t-test, 2 queries, Bonferroni's correction for "
        "1 comparison. ‡ Cohen's d above 0.2 in size. A star: the best of each measure.\n"
    )


def test_text_without_a_baseline():
    assert as_text(PLAIN) == (
        "system           nDCG@10    R@100\n"
        "bm25:doc          0.3750  *0.7500\n"
        "dense:vrrf@k=20  *0.6250   0.5000\n"
        "\n"
        "2 queries. A star: the best of each measure.\n"
    )


def test_markdown():
    assert as_markdown(AGAINST) == (
        "| system | nDCG@10 | R@100 |\n"
        "| --- | --- | --- |\n"
        "| `bm25:doc` | 0.3750 | **0.7500** |\n"
        "| `dense:vrrf@k=20` | **0.6250**†‡ | 0.5000 |\n"
        "\n"
        "† p < 0.05 against `bm25:doc`: paired t-test, 2 queries, Bonferroni's correction for "
        "1 comparison. ‡ Cohen's d above 0.2 in size. Bold: the best of each measure.\n"
    )


def test_latex():
    assert as_latex(AGAINST) == (
        "% \\usepackage{booktabs}\n"
        "\\begin{tabular}{lll}\n"
        "\\toprule\n"
        "System & nDCG@10 & R@100 \\\\\n"
        "\\midrule\n"
        "\\texttt{bm25:doc} & 0.3750 & \\textbf{0.7500} \\\\\n"
        "\\texttt{dense:vrrf@k=20} & \\textbf{0.6250}\\textsuperscript{\\dag{}\\ddag{}} & 0.5000 \\\\\n"
        "\\bottomrule\n"
        "\\end{tabular}\n"
        "\\par\\smallskip{\\footnotesize \\dag{} p $<$ 0.05 against bm25:doc: paired t-test, "
        "2 queries, Bonferroni's correction for 1 comparison. \\ddag{} Cohen's d above 0.2 in size. "
        "Bold: the best of each measure.\\par}\n"
    )


def test_csv_holds_the_values_whole():
    assert as_csv(AGAINST) == (
        "system,nDCG@10,nDCG@10 difference,nDCG@10 p,nDCG@10 corrected p,nDCG@10 d,nDCG@10 marks,"
        "R@100,R@100 difference,R@100 p,R@100 corrected p,R@100 d,R@100 marks\n"
        "bm25:doc,0.375,,,,,,0.75,,,,,\n"
        "dense:vrrf@k=20,0.625,0.25,0.0,0.0,inf,†‡,0.5,-0.25,0.5,0.5,-0.125,\n"
    )
    assert as_csv(PLAIN) == "system,nDCG@10,R@100\nbm25:doc,0.375,0.75\ndense:vrrf@k=20,0.625,0.5\n"
    third = Comparison({"a": {"AP": {"q": 1 / 3}}}, None, "t", {})
    assert as_csv(third) == f"system,AP\na,{1 / 3!r}\n"


def test_csv_query_by_query():
    assert per_query_csv(AGAINST) == (
        "query,system,measure,value\n"
        "q1,bm25:doc,nDCG@10,0.25\n"
        "q1,bm25:doc,R@100,1.0\n"
        "q1,dense:vrrf@k=20,nDCG@10,0.5\n"
        "q1,dense:vrrf@k=20,R@100,0.0\n"
        "q2,bm25:doc,nDCG@10,0.5\n"
        "q2,bm25:doc,R@100,0.5\n"
        "q2,dense:vrrf@k=20,nDCG@10,0.75\n"
        "q2,dense:vrrf@k=20,R@100,1.0\n"
    )


def test_json_is_finite():
    wanted = {
        "measures": {
            "bm25:doc": {"nDCG@10": 0.375, "R@100": 0.75},
            "dense:vrrf@k=20": {"nDCG@10": 0.625, "R@100": 0.5},
        },
        "significance": {
            "baseline": "bm25:doc",
            "test": "t",
            "comparisons": 1,
            "queries": 2,
            "systems": {
                "dense:vrrf@k=20": {
                    "nDCG@10": {
                        "difference": 0.25,
                        "p": 0.0,
                        "corrected_p": 0.0,
                        "d": None,
                        "significant": True,
                        "sizeable": True,
                    },
                    "R@100": {
                        "difference": -0.25,
                        "p": 0.5,
                        "corrected_p": 0.5,
                        "d": -0.125,
                        "significant": False,
                        "sizeable": False,
                    },
                }
            },
        },
    }
    assert as_json(AGAINST) == wanted
    assert json.loads(json.dumps(as_json(AGAINST), allow_nan=False)) == wanted
    assert json.loads(RENDERERS["json"](AGAINST)) == wanted
    assert as_json(PLAIN) == {"measures": wanted["measures"], "significance": None}


def test_values_equal_as_printed_are_equally_best():
    per_query = {name: {"AP": {"q": value}} for name, value in (("a", 0.50001), ("b", 0.50002))}
    assert as_markdown(Comparison(per_query, None, "t", {})).count("**0.5000**") == 2


def test_a_system_alone_is_no_best():
    for baseline in (None, "a"):
        alone = Comparison({"a": {"AP": {"q": 0.5}}}, baseline, "t", {})
        assert as_text(alone) == "system      AP\na       0.5000\n\n1 query.\n"
        assert "**" not in as_markdown(alone) and "textbf" not in as_latex(alone)


def test_the_legend_names_the_test():
    assert "against `x`: randomisation test, 2 queries" in as_markdown(named("x", "y"))


@pytest.mark.parametrize("table", [as_csv, per_query_csv])
def test_csv_holds_no_formulas(table):
    rows = list(csv.reader(io.StringIO(table(named(*HOSTILE)))))
    assert len({len(row) for row in rows}) == 1
    for cell in (cell for row in rows for cell in row if cell[:1] in "=+-@\t\r" and cell):
        float(cell)
    held = {cell for row in rows for cell in row}
    assert {"'=1+2", "'+a", "'-b", "'@c", "two\nlines", 'a,"b"'} <= held


def test_markdown_keeps_its_cells_whatever_a_system_is_called():
    *table, blank, _ = as_markdown(named(*HOSTILE)).splitlines()
    assert blank == "" and len(table) == 2 + len(HOSTILE)
    for line in table:
        assert len(re.findall(r"(?<!\\)\|", line)) == 3
    assert table[7] == "| ``` `x``y` ``` | 0.3000†‡ |"
    assert table[6] == r"| `a\|b` | 0.2500†‡ |"


def test_latex_is_balanced_whatever_a_system_is_called():
    written = as_latex(named(*HOSTILE))
    for command in (r"\textbackslash{}", r"\textasciitilde{}", r"\textasciicircum{}"):
        assert command in written
    bare = re.sub(r"\\[&%$#_{}]", "", written)
    assert bare.count("{") == bare.count("}") and bare.count("$") % 2 == 0
    assert not re.search(r"[#_~^]", bare)
    table = bare.split("\\midrule\n")[1].split("\\bottomrule")[0].splitlines()
    assert len(table) == len(HOSTILE)
    assert all(row.count("&") == 1 and row.endswith(r" \\") for row in table)
    assert all(row.startswith(r"\texttt{") for row in table)


def test_text_has_a_line_a_system_whatever_it_is_called():
    lines = as_text(named(*HOSTILE, "\x1b[31mred")).splitlines()
    assert len(lines) == 1 + len(HOSTILE) + 1 + 2
    assert "two lines" in lines[11] and "\x1b" not in "".join(lines)


@pytest.mark.parametrize("comparison", [PLAIN, AGAINST])
def test_every_format_names_every_system_and_ends_in_a_line_break(comparison):
    assert set(RENDERERS) == {"table", "csv", "markdown", "latex", "json"}
    for render in RENDERERS.values():
        written = render(comparison)
        assert all(system in written for system in SYSTEMS) and written.endswith("\n")
