"""The application that commands are added to, and what several of them share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from parm_core.errors import DataError
from parm_core.systems import DEFAULT_SYSTEM, System, parse_system
from parm_core.types import Progress

app = typer.Typer(
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="Find similar legal cases when the query is itself a whole case.",
)

Systems = Annotated[
    list[str] | None,
    typer.Option("--system", help="retriever:aggregation, e.g. dense:vrrf; may be repeated"),
]

Depth = Annotated[int | None, typer.Option(help="Hits per query paragraph (default 1000).")]


def write(path: Path, text: str) -> None:
    """Write a file. Raises DataError where that cannot be."""
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise DataError(f"cannot write {path}: {error.strerror}") from error


def systems_named(names: Sequence[str] | None, depth: int | None) -> list[System]:
    """Systems by name, at another depth where one is given. Raises ConfigError."""
    systems = [parse_system(name) for name in names or [DEFAULT_SYSTEM]]
    return [system.with_depth(depth) if depth is not None else system for system in systems]


@contextmanager
def progress_bar() -> Iterator[Progress]:
    """A bar with the time left, on standard error."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    bar = Bar(*columns, console=Console(stderr=True))
    tasks: dict[str, Any] = {}

    def show(done: int, total: int, what: str) -> None:
        if what not in tasks:
            bar.start()
            tasks[what] = bar.add_task(what, total=total)
        bar.update(tasks[what], completed=done, total=total)

    try:
        yield show
    finally:
        if tasks:
            bar.stop()
