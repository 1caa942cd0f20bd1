"""Speed and growth on this machine: one table, each row a ratio measured in one run.

    python -m benchmarks [--sizes 1000,10000] [--vectors INDEX] [--json FILE] [--chart FILE]

Collections are generated from a seed, see `benchmarks.generated`. The largest size takes some six
gigabytes of memory.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks import aggregations, dense, encoding, growth, lexical, whole_path
from benchmarks.generated import BAR_SIZE, Sample, read_sample
from benchmarks.growth import Rates
from benchmarks.measuring import Row, machine, table

SIZES = (1000, 10_000, 100_000, BAR_SIZE, 1_000_000)
MOST_ON_DISK = 200_000
"""Paragraphs of the largest index that is built on disk: cutting its cases takes the time."""

MOST_AGGREGATED = 100_000

LEAST_TO_GO_ON_FROM = 100_000
"""Paragraphs from which the times grow with the collection, and tell what larger ones would take."""


def main() -> None:
    asked = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    asked.formatter_class = argparse.RawDescriptionHelpFormatter
    asked.add_argument("--sizes", default=",".join(map(str, SIZES)), help="paragraphs; %(default)s")
    asked.add_argument(
        "--vectors",
        type=Path,
        help="an index to mix vectors from, instead of the sample collection",
    )
    asked.add_argument("--json", type=Path, help="a file for the figures")
    asked.add_argument("--chart", type=Path, help="a .png, .svg or .pdf for the chart of growth")
    given = asked.parse_args()
    sizes = sorted({int(size) for size in given.sizes.split(",")})
    with tempfile.TemporaryDirectory() as cache:
        os.environ["PARM_CACHE"] = cache
        start, before = time.perf_counter(), machine()
        sample = read_sample(given.vectors)
        rows = measured(sample, sizes)
        after = machine()
    print(
        f"{before['cores']} cores; load {before['load']} at the beginning, {after['load']} at the end"
    )
    print(table(rows))
    if sizes[-1] >= LEAST_TO_GO_ON_FROM:
        print(growth.us_case_law(rows, rates(sample, rows)))
    print(f"all in {time.perf_counter() - start:.0f} s")
    if given.json:
        figures = {"before": before, "after": after, "rows": [row.as_dict() for row in rows]}
        given.json.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    if given.chart:
        growth.draw(rows, given.chart)


def measured(sample: Sample, sizes: Sequence[int]) -> list[Row]:
    """Every row, those of one kind together.

    Encoding comes first: beside numba's threads, which plain bm25s starts, bfloat16 crawls.
    """
    rows = told("encoding", encoding.TEXTS, encoding.rows(sample))
    rows += [row for n in sizes for row in told("BM25", n, lexical.rows(sample, n))]
    rows += [row for n in sizes for row in told("dense", n, dense.rows(sample, n))]
    n = min(sizes[-1], MOST_AGGREGATED)
    rows += told("aggregations", n, aggregations.rows(sample, n))
    n = max([size for size in sizes if size <= MOST_ON_DISK], default=SIZES[0])
    return rows + told("the whole path", n, whole_path.rows(sample, n))


def told(what: str, n: int, rows: list[Row]) -> list[Row]:
    print(f"measured: {what} at {n:,} paragraphs", flush=True)
    return rows


def rates(sample: Sample, rows: Sequence[Row], n: int = 10_000) -> Rates:
    """What one paragraph costs in postings and in encoding."""
    postings = lexical.searchable(sample, n).postings
    held = postings.impacts.nbytes + postings.units.nbytes
    encoded = next(row for row in rows if row.what.startswith("encoding") and row.bar)
    return Rates(held / n, encoded.paragraphs / encoded.own)


if __name__ == "__main__":
    main()
