"""`parm search`, `parm run`, `parm replay`: one case, many cases, the same search again."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from parm_core import records, reports
from parm_core.cli.application import Depth, Systems, app, progress_bar, systems_named, write
from parm_core.cli.laboratory import tell
from parm_core.documents import read_document
from parm_core.errors import DataError
from parm_core.systems import DEFAULT_SYSTEM


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

    systems = systems_named(system, depth)
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
        write(record, json.dumps(written, ensure_ascii=False, indent=1) + "\n")


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
    from parm_core.experiments.runs import rank_queries
    from parm_core.index.store import open_index
    from parm_core.retrieval import Searcher

    parsed = systems_named([system], depth)[0]
    searcher = Searcher(open_index(index))
    cases = read_cases(queries)
    with progress_bar() as progress:
        ranked = rank_queries(searcher, cases, [parsed], progress=progress)
    tell(f"query {query!r}: {why}; it is left out" for query, why in ranked.failed.items())
    found = ranked.runs[str(parsed)]
    if not found:
        raise DataError(f"no query of {queries} could be searched with; nothing was written")
    write(out, reports.as_trec(found, str(parsed), top))
    print(f"{len(found)} queries, {parsed} -> {out}")


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


def _read_text(path: str) -> str:
    try:
        return read_document(sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes())
    except OSError as error:
        raise DataError(f"cannot read {path}: {error.strerror}") from None
    except DataError as error:
        raise DataError(f"{path}: {error}") from None
