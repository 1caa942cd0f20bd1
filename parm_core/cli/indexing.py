"""`parm index`: building an index, changing its cases, saying what one is, checking one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from parm_core import reports
from parm_core.cli.application import app, progress_bar
from parm_core.cli.laboratory import tell
from parm_core.cli.remote import check_rows, index_in_milvus
from parm_core.errors import ConfigError, IndexStoreError, ParmError

if TYPE_CHECKING:  # heavy: `parm --help` must answer at once
    from parm_core.index.opened import Index


@app.command()
def index(
    collection: Annotated[Path | None, typer.Argument(help="A folder in BEIR's layout.")] = None,
    index: Annotated[Path | None, typer.Argument(help="Where the index goes.")] = None,
    segment: Annotated[str, typer.Option(help="How cases are cut into paragraphs.")] = "auto",
    encoder: Annotated[
        str, typer.Option(help="A folder or a model's id; none for BM25 alone.")
    ] = "",
    query_encoder: Annotated[str, typer.Option(help="Another one for the query side.")] = "",
    precision: Annotated[
        str,
        typer.Option(help="Of the vectors' making: float32, bfloat16, or auto for the quicker."),
    ] = "auto",
    k1: Annotated[float, typer.Option(help="BM25's k1.")] = 1.3,
    b: Annotated[float, typer.Option(help="BM25's b.")] = 0.8,
    add: Annotated[
        Path | None,
        typer.Option(help="Add the cases of a JSONL file, or replace those of its ids."),
    ] = None,
    remove: Annotated[str, typer.Option(help="Remove cases: their ids, with commas.")] = "",
    wait: Annotated[bool, typer.Option("--wait", help="Wait for whoever is building it.")] = False,
    backend: Annotated[str, typer.Option(help="Where paragraphs go: local or milvus.")] = "local",
    uri: Annotated[str, typer.Option(help="With milvus: http://HOST:19530, or a FILE.db.")] = "",
    info: Annotated[Path | None, typer.Option(help="Print what an index is.")] = None,
    verify: Annotated[Path | None, typer.Option(help="Check every file of an index.")] = None,
) -> None:
    """Build an index; change its cases (--add, --remove); say what one is (--info); check one (--verify).

    Building or changing again encodes only what is new; a build that was stopped goes on.
    """
    from parm_core.index.store import open_index, verify_index

    if info:
        print(reports.describe_index(open_index(info)))
    elif verify:
        verify_index(verify)
        check_rows(verify)
        print(f"{verify}: every file is as it was built")
    elif add or remove:
        if collection is None or index is not None:
            raise ConfigError("parm index --add CASES.jsonl or --remove ID needs one INDEX")
        _change(collection, add, remove, wait)
    elif collection is None or index is None:
        raise ConfigError("parm index needs a COLLECTION and an INDEX; see parm index --help")
    elif backend not in ("local", "milvus") or (backend == "milvus") != bool(uri):
        raise ConfigError(
            f"--backend is local, or milvus with --uri URI; got --backend {backend} "
            f"{f'--uri {uri}' if uri else 'without --uri'}"
        )
    else:

        def build(place: Path) -> Index:
            return _build(
                collection, place, segment, (encoder, query_encoder, precision), (k1, b), wait
            )

        built = index_in_milvus(collection, index, uri, build, wait=wait) if uri else build(index)
        print(reports.describe_index(built))


def _build(
    collection: Path,
    target: Path,
    segment: str,
    encoder: tuple[str, str, str],
    bm25: tuple[float, float],
    wait: bool,
) -> Index:
    from parm_core.collections import load_collection
    from parm_core.encoders import PACKAGED, load_encoder
    from parm_core.index.build import IndexOptions, build_index
    from parm_core.index.lexical import BM25Params
    from parm_core.library import remember_collection, remember_encoder
    from parm_core.segmentation import SegmentOptions

    name, query, precision = encoder
    cut, weights = SegmentOptions(rule=segment), BM25Params(k1=bm25[0], b=bm25[1])
    read = load_collection(collection)
    loaded = None
    if name != "none":
        loaded = load_encoder(name or PACKAGED, query=query, download=True, precision=precision)
        remember_encoder(loaded)
        cut = SegmentOptions.fitting(loaded.max_tokens, rule=segment)
    options = IndexOptions(segment=cut, bm25=weights)
    with _kept_when_stopped(), progress_bar() as progress:
        built = build_index(
            read, target, encoder=loaded, options=options, progress=progress, wait=wait
        )
    remember_collection(built, collection)
    tell(read.notes)
    return built


def _change(target: Path, add: Path | None, remove: str, wait: bool) -> None:
    from parm_core.collections.beir import read_cases
    from parm_core.index.store import open_index
    from parm_core.index.updating import Changes, update_index
    from parm_core.library import recorded_encoder

    older = open_index(target)
    ids = [remove] if older.holds(remove) else [name for name in remove.split(",") if name]
    changes = Changes(add=read_cases(add) if add else (), remove=ids)
    recorded = older.manifest["encoder"]
    encoder = recorded_encoder(recorded) if recorded else None
    with _kept_when_stopped(), progress_bar() as progress:
        built = update_index(target, changes, encoder=encoder, progress=progress, wait=wait)
    print(reports.describe_index(built))


@contextmanager
def _kept_when_stopped() -> Iterator[None]:
    """An error within is told with its notes: what a stopped build keeps, and how it goes on."""
    try:
        yield
    except (ParmError, KeyboardInterrupt) as error:
        notes = getattr(error, "__notes__", [])
        if not notes:
            raise
        said = str(error) or "stopped; nothing that was already there has changed"
        raise IndexStoreError("; ".join([said, *notes])) from error
