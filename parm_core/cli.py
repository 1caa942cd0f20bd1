"""`parm …` and `python -m parm_core`: exit 0 on success, 2 with one clear line on bad input."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from parm_core import records, reports
from parm_core.documents import read_document
from parm_core.errors import ConfigError, DataError, ParmError
from parm_core.systems import DEFAULT_SYSTEM, parse_system
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
UsageError: Any = typer.BadParameter.__base__
"""What typer raises for words it cannot read; it exports the subclass only."""

Depth = Annotated[int | None, typer.Option(help="Hits per query paragraph (default 1000).")]


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
    from parm_core.library import remember_encoder
    from parm_core.segmentation import SegmentOptions

    name, query = encoder
    cut, weights = SegmentOptions(rule=segment), BM25Params(k1=bm25[0], b=bm25[1])
    read = load_collection(collection)
    loaded = None if name == "none" else load_encoder(name or PACKAGED, query=query, download=True)
    if loaded:
        remember_encoder(loaded)
        cut = SegmentOptions.fitting(loaded.max_tokens, rule=segment)
    options = IndexOptions(segment=cut, bm25=weights)
    with _progress() as progress:
        built = build_index(read, target, encoder=loaded, options=options, progress=progress)
    print(reports.describe_index(built))


@app.command()
def search(
    index: Annotated[Path, typer.Argument(help="An index.")],
    case: Annotated[
        str, typer.Argument(help="A text, PDF or Word file with the case, or - for input.")
    ],
    system: Systems = None,
    top: Annotated[int, typer.Option(min=1, help="Cases shown.")] = 20,
    depth: Depth = None,
    evidence: Annotated[
        int | None, typer.Option(min=0, help="Pairs of paragraphs a case; all unless given.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    record: Annotated[
        Path | None, typer.Option(help="Write what is needed to replay this search.")
    ] = None,
) -> None:
    """Rank the cases of an index for one case, with the evidence."""
    from parm_core.index.store import open_index
    from parm_core.retrieval import Searcher

    systems = _parsed(system, depth)
    searcher = Searcher(open_index(index))
    text = _read_text(case)
    query = searcher.query(text)
    found = [reports.search_report(searcher, query, s, top=top, evidence=evidence) for s in systems]
    if as_json:
        json.dump(found, sys.stdout, ensure_ascii=False, indent=1)
        print()
    else:
        print("\n\n".join(reports.as_text(report) for report in found))
    if record:
        rankings = {str(s): searcher.rank(query, s) for s in systems}
        path = None if case == "-" else Path(case)
        written = records.record(searcher.index, text, rankings, path)
        _write(record, json.dumps(written, ensure_ascii=False, indent=1) + "\n")


@app.command()
def run(
    index: Annotated[Path, typer.Argument(help="An index.")],
    queries: Annotated[Path, typer.Argument(help="Query cases, one JSON object a line.")],
    system: Annotated[str, typer.Option(help="The system to run.")] = DEFAULT_SYSTEM,
    out: Annotated[Path, typer.Option(help="The TREC run to write.")] = Path("run.trec"),
    depth: Depth = None,
    top: Annotated[int, typer.Option(min=1, help="Cases written a query.")] = 1000,
) -> None:
    """Rank the cases of an index for many query cases; writes a TREC run."""
    from parm_core.collections.beir import read_cases
    from parm_core.index.store import open_index
    from parm_core.retrieval import Searcher

    parsed = _parsed([system], depth)[0]
    searcher = Searcher(open_index(index))
    cases = read_cases(queries)
    with _progress() as progress:
        ranked = reports.run_queries(searcher, cases, parsed, progress)
    _write(out, reports.as_trec(ranked, str(parsed), top))
    print(f"{len(ranked)} queries, {parsed} -> {out}")


@app.command()
def replay(
    record: Annotated[Path, typer.Argument(help="A record that parm search --record wrote.")],
    case: Annotated[str, typer.Option(help="The case, where it has moved since.")] = "",
    index: Annotated[Path | None, typer.Option(help="The index, where it has moved.")] = None,
) -> None:
    """Search again as recorded: exit 0 where all is the same, 1 where it differs, and how."""
    from parm_core.index.store import open_index
    from parm_core.retrieval import Searcher

    recorded = records.read_record(record)
    path = case or recorded["case"]["path"]
    if not path:
        raise DataError("the record names no file for the case; give it with --case")
    searcher = Searcher(open_index(index or recorded["index"]))
    text = _read_text(path)
    found = list(records.differences(searcher, searcher.query(text), text, recorded))
    print("\n".join(found) if found else "the same: every ranking as recorded")
    raise typer.Exit(1 if found else 0)


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise DataError(f"cannot write {path}: {error.strerror}") from error


def _parsed(names: list[str] | None, depth: int | None) -> list[Any]:
    systems = [parse_system(name) for name in names or [DEFAULT_SYSTEM]]
    return [system.with_depth(depth) if depth is not None else system for system in systems]


def _read_text(path: str) -> str:
    try:
        return read_document(sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes())
    except OSError as error:
        raise DataError(f"cannot read {path}: {error.strerror}") from None
    except DataError as error:
        raise DataError(f"{path}: {error}") from None


@contextmanager
def _progress() -> Iterator[Progress]:
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


def main() -> None:
    """Run the command line; one line on standard error and exit 2 for anything a person can mend."""
    try:
        raise SystemExit(app(standalone_mode=False))
    except ParmError as error:
        _fail(str(error))
    except UsageError as error:
        _fail(f"{error.format_message()} See parm --help.")
    except (typer.Abort, KeyboardInterrupt):
        _fail("stopped; nothing that was already there has changed")


def _fail(message: str) -> None:
    print(f"parm: {' '.join(message.split())}", file=sys.stderr)
    raise SystemExit(2)
