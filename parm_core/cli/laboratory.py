"""What the commands on labelled collections share: the queries, the searcher, where results go."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from parm_core.cli.application import write
from parm_core.errors import ConfigError, DataError
from parm_core.systems import System, parse_system
from parm_core.types import Ranking

if TYPE_CHECKING:  # heavy: `parm --help` must answer at once
    from parm_core.experiments.labelled import Labelled
    from parm_core.experiments.memory import Memory
    from parm_core.retrieval import Searcher

IndexPath = Annotated[Path, typer.Argument(help="An index.")]
CollectionPath = Annotated[Path, typer.Argument(help="The labelled collection it was built from.")]
SystemNames = Annotated[
    str, typer.Option("--systems", help="Systems, separated by commas: bm25:doc,bm25:rrf")
]
Split = Annotated[
    str, typer.Option(help="Which queries: all, or a split (default: test if there is one).")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Fresh = Annotated[bool, typer.Option("--fresh", help="Use no results that an earlier run kept.")]

PICTURES = (".png", ".svg", ".pdf")

EVERY_SYSTEM = (
    "bm25:doc", "bm25:rrf", "bm25:srrf", "dense:firstp", "dense:maxp", "dense:rrf", "dense:vrrf",
    "dense:srrf", "hybrid:rrf",
)  # fmt: skip
"""What is evaluated unless one says otherwise."""


class Laboratory(NamedTuple):
    """A labelled collection, its index opened, and what was computed before."""

    searcher: Searcher
    queries: Labelled
    memory: Memory

    def runs(self, systems: Sequence[System]) -> dict[str, dict[str, Ranking]]:
        """A run a system, with a bar; queries that cannot be searched with are told."""
        from parm_core.cli.application import progress_bar
        from parm_core.experiments.runs import rank_queries

        with progress_bar() as progress:
            ranked = rank_queries(
                self.searcher, self.queries.cases, systems, memory=self.memory, progress=progress
            )
        notes = [f"query {query!r}: {why}; it counts 0" for query, why in ranked.failed.items()]
        tell(notes)
        return ranked.runs


def open_laboratory(index: Path, collection: Path, split: str, fresh: bool) -> Laboratory:
    """Raises DataError, ConfigError or IndexStoreError: not labelled, not this index's, no such split."""
    from parm_core.collections import load_collection
    from parm_core.experiments.labelled import check_same_collection, labelled
    from parm_core.experiments.memory import Memory
    from parm_core.index.store import open_index
    from parm_core.library import remember_collection, results_file
    from parm_core.retrieval import Searcher

    opened, read = open_index(index), load_collection(collection)
    check_same_collection(opened, read)
    queries = labelled(read, split)
    remember_collection(opened, collection)
    memory = Memory(results_file(), fresh=fresh)
    tell(queries.notes)
    return Laboratory(Searcher(opened, memo=memory), queries, memory)


def tell(notes: Iterable[str]) -> None:
    """What was passed over, on standard error."""
    for note in notes:
        print(f"parm: note: {note}", file=sys.stderr)


def listed(names: str, default: Sequence[str] = ()) -> list[System]:
    """Systems separated by commas. Raises ConfigError for none, or one named twice."""
    systems = [parse_system(name) for name in names.split(",") if name.strip()]
    systems = systems or [parse_system(name) for name in default]
    if not systems:
        raise ConfigError("name some systems, separated by commas: --systems bm25:doc,bm25:rrf")
    if len(set(systems)) < len(systems):
        raise ConfigError(f"a system is named twice in {names!r}")
    return systems


def give(text: str, out: Path | None) -> None:
    """Print, or write to a file."""
    if out is None:
        print(text.rstrip("\n"))
    else:
        write(out, text if text.endswith("\n") else f"{text}\n")
        print(f"-> {out}")


def suffix_of(out: Path, choices: Sequence[str]) -> str:
    """The ending of a file to write. Raises ConfigError naming the choices, DataError for no folder."""
    suffix = out.suffix.lower()
    if suffix not in choices:
        raise ConfigError(f"{out}: the file's name ends in one of {', '.join(choices)}")
    if not out.parent.is_dir():
        raise DataError(f"cannot write {out}: there is no folder {out.parent}")
    return suffix
