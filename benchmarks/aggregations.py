"""Each aggregation of one case's hits, against its slow twin of dictionaries and loops."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.generated import DEPTH, QUERY_PARAGRAPHS, SEED, Sample, case_sizes, vectors
from benchmarks.measuring import Row, least, once
from parm_core.aggregation import AGGREGATIONS
from parm_core.aggregation.hit_table import HitTable
from parm_core.index.dense import ProductEngine
from parm_core.types import Float32, Hits, Int64

ORACLES = Path(__file__).parents[1] / "tests" / "oracles.py"
BARS = {"vmax": 5.0, "vmin": 5.0}


def rows(sample: Sample, n: int) -> list[Row]:
    """Hits as dense search gives them. The table of hits is made within the product's own time."""
    held, queries = vectors(sample, n), vectors(sample, QUERY_PARAGRAPHS, SEED + 1)
    twins, sizes = np.arange(n), case_sizes(sample, n)
    hits = ProductEngine(held, twins).search(queries, depth=DEPTH)
    case_of_row = np.repeat(np.arange(sizes.size), sizes)

    def table() -> HitTable:
        return HitTable(hits, case_of_row, sizes, queries, held, twins)

    slow = _twins(hits, case_of_row, sizes, queries, held)
    ready = table()
    found = [_row(n, name, ready, slow[name]) for name in sorted(AGGREGATIONS)]
    own = least({"all": lambda: _every(table())})["all"]
    what, against = f"all {len(found)} aggregations, with their table", "their dictionary twins"
    other = sum(row.other for row in found)
    return [Row(what=what, paragraphs=n, own=own, against=against, other=other, bar=20), *found]


def _row(n: int, name: str, table: HitTable, slow: Callable[[], object]) -> Row:
    """One aggregation once the hits stand in their table, as when only it is changed."""
    known = AGGREGATIONS[name]
    own = least({name: lambda: known.scores(table, **known.params)})[name]
    other = min(once(slow) for _ in range(3))
    bar, against = BARS.get(name, 20.0), "its dictionary twin"
    return Row(what=f"  {name}", paragraphs=n, own=own, against=against, other=other, bar=bar)


def _every(table: HitTable) -> None:
    for known in AGGREGATIONS.values():
        known.scores(table, **known.params)


def _twins(
    hits: Hits, case_of_row: Int64, sizes: Int64, queries: Float32, held: Float32
) -> dict[str, Callable[[], object]]:
    """The oracles on the same hits, as the plain lists and dictionaries that they take."""
    oracles = _oracles()
    case = case_of_row.tolist()
    lists = [
        [oracles.Hit(case[r], r, s) for r, s in zip(of.tolist(), scores.tolist(), strict=True)]
        for of, scores in zip(hits.rows, hits.scores, strict=True)
    ]
    distinct = np.unique(hits.rows).tolist()
    given = {
        "sizes": dict(enumerate(sizes.tolist())),
        "queries": queries.tolist(),
        "vectors": {(case[r], r): held[r].tolist() for r in distinct},
    }
    return {
        name: lambda twin=twin: twin(lists, **given)  # type: ignore[misc]
        for name, twin in oracles.AGGREGATIONS.items()
    }


def _oracles() -> Any:
    spec = importlib.util.spec_from_file_location("oracles", ORACLES)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
