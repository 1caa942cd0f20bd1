"""The labelled queries of a collection, ready to be asked of an index."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from parm_core.errors import ConfigError, DataError
from parm_core.index.migration import is_of
from parm_core.index.opened import Index
from parm_core.types import Case, Collection, Qrels

ALL = "all"
"""The split that holds every judged query."""

SEED = 0
_DEV = ("dev", "val", "validation", "train")


@dataclass(frozen=True)
class Labelled:
    """Judged query cases of one split, with the labels of these queries alone.

    split: its name, or ALL. notes: a line for each kind of thing that was left out, counted.
    """

    name: str
    cases: tuple[Case, ...]
    qrels: Qrels
    split: str
    notes: tuple[str, ...] = ()

    def part(self, ids: Sequence[str], split: str) -> Labelled:
        """Some of the queries, by id, as a split of its own."""
        wanted = set(ids)
        return replace(
            self,
            cases=tuple(case for case in self.cases if case.id in wanted),
            qrels={query: grades for query, grades in self.qrels.items() if query in wanted},
            split=split,
        )


def check_same_collection(index: Index, collection: Collection) -> None:
    """Raises DataError where the index was built from other cases than the collection's."""
    if not is_of(index.manifest, collection.cases):
        raise DataError(
            f"the index of {index.name!r} was built from other cases than {collection.name!r} holds "
            "now; build it again from this collection, or give the one it was built from"
        )


def labelled(collection: Collection, split: str = "") -> Labelled:
    """The judged queries of a split: by default the test split where there is one, else all.

    "dev" and "test" of a collection without splits are drawn with a seed, half and half.
    Raises DataError where nothing is judged, ConfigError for an unknown split.
    """
    whole = _every_judged(collection)
    chosen = split or ("test" if "test" in collection.splits else ALL)
    if chosen == ALL:
        return whole
    splits = collection.splits or split_queries([case.id for case in whole.cases])
    if chosen not in splits:
        names = ", ".join([ALL, *splits])
        raise ConfigError(f"{collection.name!r} has no split {chosen!r}; it has {names}")
    part = whole.part(splits[chosen], chosen)
    if not part.cases:
        raise DataError(f"the split {chosen!r} of {collection.name!r} has no judged query")
    return part


def dev_and_test(collection: Collection, seed: int = SEED) -> tuple[Labelled, Labelled]:
    """A part to choose on and a part to report on, no query in both.

    The collection's own splits where it has both ("dev", "val", "validation" or else "train" to
    choose on, "test" to report on), else a split drawn with the seed. Raises DataError where fewer
    than two queries are judged.
    """
    whole = _every_judged(collection)
    own = own_dev_split(collection)
    if own:
        shared = set(collection.splits[own])
        dev = whole.part(collection.splits[own], own)
        test = whole.part([q for q in collection.splits["test"] if q not in shared], "test")
    else:
        drawn = split_queries([case.id for case in whole.cases], seed=seed)
        dev, test = (whole.part(drawn[name], name) for name in ("dev", "test"))
    for part in (dev, test):
        if not part.cases:
            raise DataError(
                f"the split {part.split!r} of {collection.name!r} has no judged query; "
                "choosing and reporting need different queries"
            )
    return dev, test


def own_dev_split(collection: Collection) -> str | None:
    """The split to choose on, where the collection has one beside a test split; else None."""
    named = [name for name in _DEV if name in collection.splits]
    return named[0] if named and "test" in collection.splits else None


def split_queries(ids: Sequence[str], *, seed: int = SEED) -> Mapping[str, tuple[str, ...]]:
    """ "dev" and "test", half each (test the larger), whatever the order the ids come in."""
    ordered = np.array(sorted(ids), dtype=object)
    drawn = ordered[np.random.default_rng(seed).permutation(len(ordered))].tolist()
    half = len(drawn) // 2
    return {"dev": tuple(sorted(drawn[:half])), "test": tuple(sorted(drawn[half:]))}


def _every_judged(collection: Collection) -> Labelled:
    known = {case.id for case in collection.queries}
    qrels = {query: grades for query, grades in collection.qrels.items() if query in known}
    cases = tuple(case for case in collection.queries if case.id in qrels)
    if not cases:
        raise DataError(
            f"{collection.name!r} has no labelled query; put query cases into queries.jsonl and "
            "labels into qrels/test.tsv (README, “Your own collection”)"
        )
    unjudged = len(collection.queries) - len(cases)
    notes = (f"{unjudged} queries without a label are left out",) if unjudged else ()
    return Labelled(collection.name, cases, qrels, ALL, (*collection.notes, *notes))
