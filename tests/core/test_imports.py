"""Imports point one way, the public surface is whole, and importing it is cheap."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import parm_core

ROOT = Path(__file__).parents[2]

FOUNDATION = {"errors", "spreadsheets", "types", "_version"}
MIDDLE = {
    "aggregation",
    "analysis",
    "batches",
    "collections",
    "documents",
    "encoders",
    "evaluation",
    "segmentation",
    "tokenisation",
}
ALLOWED = {
    "_version": set(),
    "errors": set(),
    "spreadsheets": set(),
    "types": {"errors"},
    **dict.fromkeys(MIDDLE, FOUNDATION),
    "collections": FOUNDATION | {"documents"},
    "encoders": FOUNDATION | {"batches"},
    "index": FOUNDATION | MIDDLE,
    "library": FOUNDATION | MIDDLE | {"index"},
    "query": FOUNDATION | MIDDLE,
    "systems": FOUNDATION | MIDDLE,
    "retrieval": FOUNDATION | MIDDLE | {"index", "library", "systems", "query"},
    "records": FOUNDATION | MIDDLE | {"index", "systems", "query", "retrieval"},
    "explanation": FOUNDATION | MIDDLE | {"index", "systems", "query", "retrieval"},
    "experiments": FOUNDATION | MIDDLE | {"index", "library", "systems", "query", "retrieval"},
    "figures": FOUNDATION | MIDDLE,
    "reports": FOUNDATION | MIDDLE | {"index", "systems", "query", "retrieval", "explanation"},
}
"""What each part of parm_core may import of the others; cli, __main__ and __init__ all of them."""

TOP = {"cli", "__main__", "__init__"}


def part_of(path):
    return path.relative_to(ROOT / "parm_core").parts[0].removesuffix(".py")


def imports(path):
    """Dotted names of everything that a file imports, anywhere within it."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} imports relatively"
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def roots(path):
    return {name.split(".")[0] for name in imports(path)}


CORE = sorted((ROOT / "parm_core").rglob("*.py"))


@pytest.mark.parametrize("path", CORE, ids=lambda path: str(path.relative_to(ROOT)))
def test_parm_core_imports_point_one_way(path):
    part = part_of(path)
    others = {name.split(".")[1] for name in imports(path) if name.startswith("parm_core.")}
    assert part in ALLOWED.keys() | TOP, f"{part} has no place in ALLOWED"
    if part not in TOP:
        allowed = ALLOWED[part] | {part}
        assert others <= allowed, f"{part} imports {sorted(others - allowed)}"


@pytest.mark.parametrize("path", CORE, ids=lambda path: str(path.relative_to(ROOT)))
def test_parm_core_never_imports_the_interface(path):
    assert not roots(path) & {"streamlit", "ui", "pages", "plotly", "app"}


CHARTS = [*sorted((ROOT / "ui" / "charts").glob("*.py")), ROOT / "ui" / "evidence.py"]


@pytest.mark.parametrize("path", CHARTS, ids=lambda path: path.name)
def test_charts_and_evidence_know_nothing_of_streamlit(path):
    assert not roots(path) & {"streamlit", "pages"}


@pytest.mark.parametrize("path", sorted((ROOT / "pages").glob("*.py")), ids=lambda path: path.name)
def test_a_page_imports_only_streamlit_and_ui(path):
    assert roots(path) <= {"__future__", "streamlit", "ui"}


@pytest.mark.parametrize("path", sorted((ROOT / "ui").rglob("*.py")), ids=lambda path: path.name)
def test_ui_never_imports_pages(path):
    assert not roots(path) & {"pages", "app"}


def test_the_public_surface_is_sorted_and_every_name_resolves():
    assert parm_core.__all__ == sorted(set(parm_core.__all__))
    for name in parm_core.__all__:
        assert getattr(parm_core, name) is not None
    assert dir(parm_core) == parm_core.__all__


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="has no attribute 'nonsense'"):
        _ = parm_core.nonsense


def test_the_public_surface_holds_what_a_session_needs():
    """Loading, building, opening, searching, explaining, measuring; and every error and noun."""
    needed = "load_collection build_index open_index Searcher contributions evaluate segment "
    needed += "parse_system load_encoder ParmError DataError ConfigError IndexStoreError "
    needed += "EncoderError Case Paragraph Collection Hits Ranking System Query Index"
    assert set(needed.split()) <= set(parm_core.__all__)


HEAVY = ["torch", "streamlit", "pandas", "faiss", "sentence_transformers", "transformers"]
HEAVY += [
    "pymilvus",
    "grpc",
    "bm25s",
    "pyarrow",
    "scipy",
    "ir_measures",
    "rank_bm25",
    "plotly",
    "matplotlib",
]


@pytest.mark.parametrize("module", ["parm_core", "parm_core.cli"])
def test_importing_is_light(module):
    code = f"import sys, {module}; print(*sorted(set({HEAVY}) & set(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert done.stdout.split() == []
