"""Sweeps: settings tried on one part of the queries, the best of them reported once on another."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from parm_core._version import __version__
from parm_core.errors import ConfigError, IndexStoreError
from parm_core.evaluation import DEFAULT_MEASURES, Comparison, compare, evaluate
from parm_core.evaluation.tables import as_json
from parm_core.evaluation.tables import as_text as as_table
from parm_core.experiments.labelled import (
    SEED,
    Labelled,
    check_same_collection,
    dev_and_test,
    own_dev_split,
)
from parm_core.experiments.memory import Memory
from parm_core.experiments.plans import Plan, Setting, Value
from parm_core.experiments.runs import rank_queries
from parm_core.index.build import IndexOptions, build_index
from parm_core.index.opened import Index
from parm_core.index.reweighting import RowTerms, reweighted, row_terms
from parm_core.index.store import open_index
from parm_core.retrieval import Searcher
from parm_core.segmentation import SegmentOptions
from parm_core.types import Collection, Encoder, Float64, Progress, Run


@dataclass(frozen=True)
class Point:
    """A setting, its name, and its mean over the development queries."""

    values: Mapping[str, Value]
    name: str
    dev: float

    @property
    def described(self) -> str:
        """The values in words: "k1 0.9, b 0.4"."""
        return ", ".join(
            f"{name} {value:g}" if isinstance(value, float) else f"{name} {value}"
            for name, value in self.values.items()
        )


@dataclass(frozen=True)
class Sweep:
    """What was tried, what was chosen, and how the choice does on queries that it never saw.

    points: in the order of the axes' product. chosen: the first of the best. test: the base system
    and the chosen setting, by name, on the test part; the base alone where it was chosen.
    splits: name -> query ids of both parts. seed: None where the collection's own splits were used.
    """

    plan: Plan
    points: tuple[Point, ...]
    chosen: Point
    test: Comparison
    splits: Mapping[str, tuple[str, ...]]
    seed: int | None
    collection_sha256: str

    def as_dict(self) -> dict[str, Any]:
        """Everything, ready for JSON."""
        return {
            "product": __version__,
            "collection_sha256": self.collection_sha256,
            "base": str(self.plan.base),
            "measure": self.plan.measure,
            "axes": {name: list(values) for name, values in self.plan.axes.items()},
            "points": [asdict(point) for point in self.points],
            "chosen": asdict(self.chosen),
            "test": as_json(self.test),
            "splits": {name: list(ids) for name, ids in self.splits.items()},
            "seed": self.seed,
        }

    def grid(self) -> Float64:
        """(R, C) development means over the two axes, the first one's values as rows.

        Raises ConfigError unless exactly two things were varied.
        """
        if len(self.plan.axes) != 2:
            raise ConfigError(
                f"a grid shows two axes, e.g. k1 and b; this sweep has {len(self.plan.axes)}"
            )
        rows, columns = map(len, self.plan.axes.values())
        return np.array([point.dev for point in self.points]).reshape(rows, columns)

    def as_text(self) -> str:
        """The points, best first, the choice, and the report on the test part."""
        dev, test = self.splits
        drawn = "" if self.seed is None else f", drawn with seed {self.seed}"
        best = sorted(self.points, key=lambda point: -point.dev)
        return "\n".join(
            [
                f"{self.plan.measure} on {len(self.splits[dev])} queries ({dev}{drawn})",
                *(f"{point.dev:8.4f}  {point.described}" for point in best),
                f"chosen: {self.chosen.described}; on {len(self.splits[test])} other queries ({test}):",
                as_table(self.test),
            ]
        )


def sweep(
    index: Index,
    collection: Collection,
    plan: Plan,
    *,
    memory: Memory,
    seed: int = SEED,
    progress: Progress | None = None,
) -> Sweep:
    """Try every setting of a plan on the development queries; report the best on the test queries.

    memory: keeps what was done, so that a sweep that is stopped goes on where it was; an index that
    another segmentation rule needs is built beside it. progress counts "queries" over all settings,
    and "paragraphs encoded" where an index is built. Raises DataError as `dev_and_test` does.
    """
    check_same_collection(index, collection)
    dev, test = dev_and_test(collection, seed)
    settings = list(plan.settings())
    bench = _Bench(index, collection, memory, progress)
    bench.needs_vectors = any(setting.system.needs_vectors for setting in settings)
    values = bench.means(settings, dev, plan.measure)
    points = tuple(Point(s.values, s.name, v) for s, v in zip(settings, values, strict=True))
    best = max(range(len(points)), key=lambda i: (points[i].dev, -i))
    base = Setting({}, plan.base, {})
    runs = {s.name: bench.run(s, test) for s in (base, settings[best])}
    measures = list(dict.fromkeys([plan.measure, *DEFAULT_MEASURES]))
    return Sweep(
        plan,
        points,
        points[best],
        compare(runs, test.qrels, measures, baseline=base.name),
        {part.split: tuple(case.id for case in part.cases) for part in (dev, test)},
        None if own_dev_split(collection) else seed,
        index.manifest["collection"]["sha256"],
    )


class _Bench:
    """The indexes of a sweep, each opened, weighed or built once."""

    def __init__(
        self, index: Index, collection: Collection, memory: Memory, progress: Progress | None
    ) -> None:
        self._collection, self._memory, self._progress = collection, memory, progress
        self._base = index
        self._cut: dict[str, Index] = {str(index.manifest["segmentation"]["rule"]): index}
        self._terms: dict[str, RowTerms] = {}
        self.needs_vectors = False

    def means(self, settings: list[Setting], queries: Labelled, measure: str) -> list[float]:
        """The mean of a measure for every setting; settings of one index share a query's hits."""
        groups: dict[str, list[Setting]] = {}
        for setting in settings:
            groups.setdefault(json.dumps(setting.of_index, sort_keys=True), []).append(setting)
        found: dict[str, float] = {}
        total, before = len(groups) * len(queries.cases), 0
        for group in groups.values():
            searcher = self._searcher(group[0])
            deepest_first = sorted({s.system for s in group}, key=lambda s: -(s.depth or 0))
            ranked = rank_queries(
                searcher,
                queries.cases,
                deepest_first,
                memory=self._memory,
                progress=self._shifted(before, total),
            )
            before += len(queries.cases)
            for setting in group:
                run = ranked.runs[str(setting.system)]
                found[setting.name] = evaluate(run, queries.qrels, [measure])[measure]
        return [found[setting.name] for setting in settings]

    def run(self, setting: Setting, queries: Labelled) -> Run:
        """The run of one setting."""
        searcher = self._searcher(setting)
        ranked = rank_queries(searcher, queries.cases, [setting.system], memory=self._memory)
        return ranked.runs[str(setting.system)]

    def _shifted(self, before: int, total: int) -> Progress | None:
        progress = self._progress
        if progress is None:
            return None
        return lambda done, _, what: progress(before + done, total, what)

    def _searcher(self, setting: Setting) -> Searcher:
        rule = str(setting.of_index.get("segment", self._base.manifest["segmentation"]["rule"]))
        index = self._index(rule)
        weights = {
            name: float(value) for name, value in setting.of_index.items() if name in ("k1", "b")
        }
        if weights:
            if rule not in self._terms:
                self._terms[rule] = row_terms(index)
            index = reweighted(index, replace(index.bm25, **weights), self._terms[rule])
        return Searcher(index, memo=self._memory)

    def _index(self, rule: str) -> Index:
        if rule not in self._cut:
            self._cut[rule] = self._built(rule)
        return self._cut[rule]

    def _built(self, rule: str) -> Index:
        """The collection cut by another rule; kept beside the results, since encoding takes long."""
        recorded = self._base.manifest
        cut = SegmentOptions(**recorded["segmentation"] | {"rule": rule})
        encoder: Encoder | None = Searcher(self._base).encoder if self.needs_vectors else None
        key = [recorded["collection"], asdict(cut), recorded["bm25"], recorded["tokeniser"]]
        key += [encoder.weights_sha256 if encoder else None, __version__]
        name = hashlib.sha256(json.dumps(key, sort_keys=True).encode()).hexdigest()[:16]
        path = Path(self._memory.path.parent, "indexes", f"{rule}-{name}")
        try:
            return open_index(path)
        except IndexStoreError:
            options = IndexOptions(
                segment=cut, bm25=self._base.bm25, tokeniser=self._base.tokeniser
            )
            return build_index(
                self._collection, path, encoder=encoder, options=options, progress=self._progress
            )
