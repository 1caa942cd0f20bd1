"""`parm evaluate`, `parm agreement`, `parm queries`, `parm sweep`: how good systems are, and on what."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from parm_core.cli.application import app, progress_bar, write
from parm_core.cli.laboratory import (
    EVERY_SYSTEM,
    PICTURES,
    AsJson,
    CollectionPath,
    Fresh,
    IndexPath,
    Split,
    SystemNames,
    give,
    listed,
    open_laboratory,
    suffix_of,
    tell,
)
from parm_core.errors import ConfigError
from parm_core.systems import System
from parm_core.types import Qrels, Run

if TYPE_CHECKING:
    from parm_core.experiments.runs import Runs
    from parm_core.experiments.sweeps import Sweep

Measures = Annotated[
    str,
    typer.Option(help="Measures as ir_measures writes them (default nDCG@10 R@100 R@500 R@1000)."),
]
Baseline = Annotated[str, typer.Option(help="The system that the others are tested against.")]
Test = Annotated[str, typer.Option(help="t (paired) or randomisation, both two-sided.")]
Out = Annotated[Path | None, typer.Option(help="A file to write instead of printing.")]


@app.command()
def evaluate(
    index: Annotated[Path | None, typer.Argument(help="An index.")] = None,
    collection: Annotated[
        Path | None, typer.Argument(help="The labelled collection it was built from.")
    ] = None,
    systems: SystemNames = "",
    measures: Measures = "",
    baseline: Baseline = "",
    test: Test = "t",
    split: Split = "",
    form: Annotated[
        str, typer.Option("--format", help="table, csv, markdown, latex or json.")
    ] = "table",
    as_json: AsJson = False,
    out: Out = None,
    runs: Annotated[Path | None, typer.Option(help="A folder for the TREC runs.")] = None,
    per_query: Annotated[Path | None, typer.Option(help="A CSV file, query by query.")] = None,
    run: Annotated[
        list[Path] | None, typer.Option(help="Evaluate a TREC run instead; may be repeated.")
    ] = None,
    qrels: Annotated[Path | None, typer.Option(help="The labels for --run.")] = None,
    fresh: Fresh = False,
) -> None:
    """Measure systems on a labelled collection, or TREC runs against qrels."""
    from parm_core.evaluation import DEFAULT_MEASURES, RENDERERS, compare, per_query_csv

    form = "json" if as_json else form
    if form not in RENDERERS:
        raise ConfigError(f"unknown format {form!r}; one of {', '.join(RENDERERS)}")
    found: Runs
    if run or qrels:
        found, labels = _read_runs(run, qrels)
    elif index is None or collection is None:
        raise ConfigError("parm evaluate needs an INDEX and a COLLECTION, or --run and --qrels")
    else:
        laboratory = open_laboratory(index, collection, split, fresh)
        found = laboratory.runs(_asked(systems, laboratory.searcher.index.has_vectors))
        labels = laboratory.queries.qrels
    named = measures.replace(",", " ").split() or DEFAULT_MEASURES
    base = _known(baseline, found)
    comparison = compare(found, labels, named, baseline=base, test=test)
    if runs:
        _write_runs(runs, found)
    if per_query:
        write(per_query, per_query_csv(comparison))
    give(RENDERERS[form](comparison), out)


def _asked(systems: str, has_vectors: bool) -> list[System]:
    every = [name for name in EVERY_SYSTEM if has_vectors or name.startswith("bm25:")]
    return listed(systems, every)


def _known(baseline: str, found: dict[str, Any]) -> str | None:
    """The baseline's name as the table has it: bm25:rrf@k=60 is bm25:rrf."""
    from parm_core.systems import parse_system

    if not baseline or baseline in found:
        return baseline or None
    return str(parse_system(baseline))


def _read_runs(paths: list[Path] | None, qrels: Path | None) -> tuple[dict[str, Run], Qrels]:
    from parm_core.collections.trec import read_qrels, read_run

    if not paths or qrels is None:
        raise ConfigError("a TREC run needs labels, and labels a run: give both --run and --qrels")
    labels, notes = read_qrels(qrels)
    tell(notes)
    found: dict[str, Run] = {}
    for path in paths:
        name = path.name.removesuffix(".gz").removesuffix(".trec")
        if name in found:
            raise ConfigError(f"two runs are named {name!r}; rename one of the files")
        found[name], notes = read_run(path)
        tell(notes)
        unjudged = len(set(found[name]) - set(labels))
        missing = len(set(labels) - set(found[name]))
        tell([f"{name}: {unjudged} queries have no label and are left out"] if unjudged else [])
        tell([f"{name}: {missing} judged queries are missing and count 0"] if missing else [])
    return found, labels


def _write_runs(folder: Path, found: dict[str, Any]) -> None:
    from parm_core.reports import as_trec, run_name

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(f"cannot make the folder {folder}: {error.strerror}") from error
    for system, run in found.items():
        write(folder / f"{run_name(system)}.trec", as_trec(run, system))


@app.command()
def agreement(
    index: IndexPath,
    collection: CollectionPath,
    systems: SystemNames = "",
    k: Annotated[int, typer.Option(min=1, help="The cut-off.")] = 100,
    p: Annotated[float, typer.Option(help="The patience of rank-biased overlap.")] = 0.9,
    split: Split = "",
    as_json: AsJson = False,
    fresh: Fresh = False,
) -> None:
    """How far systems agree, as means over all queries: RBO, Kendall's tau, Jaccard."""
    from parm_core.analysis.agreement import mean_agreement

    laboratory = open_laboratory(index, collection, split, fresh)
    found = laboratory.runs(_asked(systems, laboratory.searcher.index.has_vectors))
    agreed = mean_agreement(found, k=k, p=p)
    if as_json:
        print(json.dumps({"k": k, "p": p, **agreed.as_dict()}, indent=1))
    else:
        print(f"means over the queries; first {k} cases, p of rank-biased overlap {p:g}")
        print(agreed.as_text())


@app.command()
def queries(
    index: IndexPath,
    collection: CollectionPath,
    systems: SystemNames = "bm25:doc,bm25:rrf",
    measure: Annotated[str, typer.Option(help="The measure compared.")] = "R@100",
    split: Split = "",
    as_json: AsJson = False,
    out: Out = None,
    fresh: Fresh = False,
) -> None:
    """Query by query, what the second system gains over the first, and which queries gain."""
    from parm_core.experiments.queries import query_differences

    both = listed(systems)
    if len(both) != 2:
        raise ConfigError(f"name two systems to compare, got {len(both)}")
    laboratory = open_laboratory(index, collection, split, fresh)
    found = laboratory.runs(both)
    with progress_bar() as progress:
        table = query_differences(
            laboratory.searcher, laboratory.queries, found, measure, progress=progress
        )
    if as_json:
        give(json.dumps(table.as_dict(), indent=1, allow_nan=False), out)
    else:
        give(table.as_csv() if out else table.as_text(), out)


@app.command()
def sweep(
    index: IndexPath,
    collection: CollectionPath,
    system: Annotated[str, typer.Option(help="The system to vary.")] = "bm25:rrf",
    vary: Annotated[
        list[str] | None,
        typer.Option(help="name=value,value… of depth, k, p, a, aggregation, k1, b, segment."),
    ] = None,
    measure: Annotated[str, typer.Option(help="The measure to choose by.")] = "R@100",
    seed: Annotated[int, typer.Option(min=0, help="Draws the split where there is none.")] = 0,
    as_json: AsJson = False,
    out: Out = None,
    picture: Annotated[
        Path | None, typer.Option(help="A picture of two axes, e.g. of k1 and b.")
    ] = None,
    fresh: Fresh = False,
) -> None:
    """Choose parameters on a development split; report the choice once, on the test split."""
    from parm_core.collections import load_collection
    from parm_core.experiments import sweeps
    from parm_core.experiments.memory import Memory
    from parm_core.experiments.plans import Plan, read_axis
    from parm_core.index.store import open_index
    from parm_core.library import results_file
    from parm_core.systems import parse_system

    plan = Plan(parse_system(system), dict(map(read_axis, vary or [])), measure)
    if picture:
        suffix_of(picture, PICTURES)
    memory = Memory(results_file(), fresh=fresh)
    read = load_collection(collection)
    tell(read.notes)
    with progress_bar() as progress:
        swept = sweeps.sweep(
            open_index(index), read, plan, memory=memory, seed=seed, progress=progress
        )
    if picture:
        _draw(swept, picture)
    text = json.dumps(swept.as_dict(), indent=1, allow_nan=False, ensure_ascii=False)
    give(text if as_json or out else swept.as_text(), out)


def _draw(swept: Sweep, path: Path) -> None:
    from parm_core import figures

    values = swept.grid()
    (rows, of_rows), (columns, of_columns) = swept.plan.axes.items()
    title = f"{swept.plan.measure} of {swept.plan.base}, development queries"
    drawn = figures.grid(
        values,
        [f"{value:g}" if isinstance(value, float) else value for value in of_rows],
        [f"{value:g}" if isinstance(value, float) else value for value in of_columns],
        title,
        (rows, columns),
    )
    figures.save(drawn, path)
    print(f"-> {path}")
