"""`parm import`: any collection that is known, written in BEIR's layout."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from parm_core.cli.application import app
from parm_core.cli.laboratory import tell
from parm_core.types import Collection


@app.command("import")
def import_collection(
    source: Annotated[
        str, typer.Argument(help="A folder, a hub's id such as mteb/AILA_casedocs, ir_datasets:ID.")
    ],
    collection: Annotated[Path, typer.Argument(help="The folder to write.")],
    format: Annotated[
        str, typer.Option(help="The source's format, where looking is not enough.")
    ] = "",
) -> None:
    """Bring a collection in: read it, fetching it if it is named by an id, and write it anew."""
    from parm_core.collections import load_collection
    from parm_core.collections.writing import check_target, write_beir

    check_target(collection.expanduser())
    read = load_collection(source, format=format, download=True)
    target = write_beir(read, collection)
    tell(read.notes)
    print(f"{_counts(read)} -> {target}")


def _counts(read: Collection) -> str:
    labels = sum(map(len, read.qrels.values()))
    line = f"{read.name}: {len(read.cases)} cases, {len(read.queries)} queries, {labels} labels"
    splits = ", ".join(f"{split} {len(queries)}" for split, queries in read.splits.items())
    return f"{line}, labelled queries by split: {splits}" if splits else line
