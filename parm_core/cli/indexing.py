"""`parm index`: building an index, saying what one is, checking one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from parm_core import reports
from parm_core.cli.application import app, progress_bar
from parm_core.cli.laboratory import tell
from parm_core.errors import ConfigError


@app.command()
def index(
    collection: Annotated[Path | None, typer.Argument(help="A folder in BEIR's layout.")] = None,
    index: Annotated[Path | None, typer.Argument(help="Where the index goes.")] = None,
    segment: Annotated[str, typer.Option(help="How cases are cut into paragraphs.")] = "auto",
    encoder: Annotated[
        str, typer.Option(help="A folder or a model's id; none for BM25 alone.")
    ] = "",
    query_encoder: Annotated[str, typer.Option(help="Another one for the query side.")] = "",
    k1: Annotated[float, typer.Option(help="BM25's k1.")] = 1.3,
    b: Annotated[float, typer.Option(help="BM25's b.")] = 0.8,
    info: Annotated[Path | None, typer.Option(help="Print what an index is.")] = None,
    verify: Annotated[Path | None, typer.Option(help="Check every file of an index.")] = None,
) -> None:
    """Build an index, or say what one is (--info), or check one (--verify)."""
    from parm_core.index.store import open_index

    if info:
        print(reports.describe_index(open_index(info)))
    elif verify:
        open_index(verify).verify()
        print(f"{verify}: every file is as it was built")
    elif collection is None or index is None:
        raise ConfigError("parm index needs a COLLECTION and an INDEX; see parm index --help")
    else:
        _build(collection, index, segment, (encoder, query_encoder), (k1, b))


def _build(
    collection: Path,
    target: Path,
    segment: str,
    encoder: tuple[str, str],
    bm25: tuple[float, float],
) -> None:
    from parm_core.collections import load_collection
    from parm_core.encoders import PACKAGED, load_encoder
    from parm_core.index.build import IndexOptions, build_index
    from parm_core.index.lexical import BM25Params
    from parm_core.library import remember_collection, remember_encoder
    from parm_core.segmentation import SegmentOptions

    name, query = encoder
    cut, weights = SegmentOptions(rule=segment), BM25Params(k1=bm25[0], b=bm25[1])
    read = load_collection(collection)
    loaded = None if name == "none" else load_encoder(name or PACKAGED, query=query, download=True)
    if loaded:
        remember_encoder(loaded)
        cut = SegmentOptions.fitting(loaded.max_tokens, rule=segment)
    options = IndexOptions(segment=cut, bm25=weights)
    with progress_bar() as progress:
        built = build_index(read, target, encoder=loaded, options=options, progress=progress)
    remember_collection(built, collection)
    tell(read.notes)
    print(reports.describe_index(built))
