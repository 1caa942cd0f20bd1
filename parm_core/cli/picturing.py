"""`parm stats`, `parm recall`, `parm overlap`, `parm heatmap`: the paper's table 1 and figures 2 to 4."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from parm_core.cli.application import app, progress_bar, write
from parm_core.cli.laboratory import (
    PICTURES,
    AsJson,
    CollectionPath,
    Fresh,
    IndexPath,
    Split,
    SystemNames,
    listed,
    open_laboratory,
    suffix_of,
    tell,
)
from parm_core.errors import ConfigError
from parm_core.spreadsheets import csv_text


@app.command()
def stats(
    collection: Annotated[Path, typer.Argument(help="A collection, labelled or not.")],
    segment: Annotated[str, typer.Option(help="How cases are cut into paragraphs.")] = "auto",
    encoder: Annotated[
        str, typer.Option(help="The encoder whose limit counts; none for no count.")
    ] = "",
    as_json: AsJson = False,
) -> None:
    """What a collection is: queries, cases, labels, paragraphs and their lengths."""
    from parm_core.collections import load_collection
    from parm_core.encoders import PACKAGED, load_encoder
    from parm_core.experiments.description import describe_collection
    from parm_core.segmentation import SegmentOptions

    read = load_collection(collection)
    tell(read.notes)
    loaded = None if encoder == "none" else load_encoder(encoder or PACKAGED)
    cut = SegmentOptions(rule=segment)
    cut = SegmentOptions.fitting(loaded.max_tokens, rule=segment) if loaded else cut
    with progress_bar() as progress:
        found = describe_collection(read, cut, loaded, progress)
    if as_json:
        print(json.dumps(found.as_dict(), indent=1, ensure_ascii=False))
    else:
        width = max(len(label) for label, _ in found.rows())
        print("\n".join(f"{label:{width}}  {value}" for label, value in found.rows()))


@app.command()
def recall(
    index: IndexPath,
    collection: CollectionPath,
    out: Annotated[Path, typer.Option(help="A file: .csv, .png, .svg or .pdf.")],
    systems: SystemNames = "bm25:doc,bm25:rrf",
    limit: Annotated[int, typer.Option(min=1, help="The last cut-off.")] = 1000,
    split: Split = "",
    fresh: Fresh = False,
) -> None:
    """Recall by cut-off, on a log axis (figure 2 of the paper)."""
    from parm_core import figures
    from parm_core.analysis.cutoffs import cut_offs, recall_by_cutoff

    suffix = suffix_of(out, (".csv", *PICTURES))
    laboratory = open_laboratory(index, collection, split, fresh)
    cuts = cut_offs(limit)
    found = {
        name: recall_by_cutoff(run, laboratory.queries.qrels, cuts)
        for name, run in laboratory.runs(listed(systems)).items()
    }
    if suffix == ".csv":
        rows = [[k, *(f"{curve[i]:.6f}" for curve in found.values())] for i, k in enumerate(cuts)]
        write(out, csv_text([["cut-off", *found], *rows]))
    else:
        figures.save(figures.recall_curves(cuts, found), out)
    print(f"-> {out}")


@app.command()
def overlap(
    index: IndexPath,
    collection: CollectionPath,
    systems: SystemNames = "bm25:rrf,bm25:doc",
    k: Annotated[int, typer.Option(min=1, help="The cut-off.")] = 1000,
    split: Split = "",
    as_json: AsJson = False,
    out: Annotated[
        Path | None, typer.Option(help="A file with every pair (.csv) or a picture.")
    ] = None,
    fresh: Fresh = False,
) -> None:
    """Which relevant cases two or three systems find, both or alone (figure 3 of the paper)."""
    from parm_core.analysis.overlap import relevant_regions

    suffix = suffix_of(out, (".csv", *PICTURES)) if out else ""
    asked = listed(systems)
    if not 2 <= len(asked) <= 3:
        raise ConfigError(f"an overlap is between two or three systems, got {len(asked)}")
    laboratory = open_laboratory(index, collection, split, fresh)
    found = relevant_regions(laboratory.runs(asked), laboratory.queries.qrels, k)
    named = {_region(region, list(map(str, asked))): pairs for region, pairs in found.items()}
    if out and suffix == ".csv":
        rows = [[name, *pair] for name, pairs in named.items() for pair in pairs]
        write(out, csv_text([["found by", "query", "case"], *rows]))
    elif out:
        from parm_core import figures

        figures.save(figures.overlap_bars({" and ".join(map(str, asked)): found}), out)
    _tell_overlap(named, k, as_json)


def _tell_overlap(named: dict[str, tuple[tuple[str, str], ...]], k: int, as_json: bool) -> None:
    if as_json:
        print(json.dumps({"k": k, "regions": named}, indent=1, ensure_ascii=False))
        return
    total = sum(map(len, named.values()))
    print(f"{total} relevant pairs of query and case; found within the first {k} by")
    for name, pairs in sorted(named.items(), key=lambda item: -len(item[1])):
        print(f"{len(pairs):7d}  {len(pairs) / max(total, 1):6.1%}  {name}")


def _region(region: frozenset[str], order: list[str]) -> str:
    """The systems of a region in words, in the order they were asked for."""
    names = [name for name in order if name in region]
    if not names:
        return "none"
    together = " and ".join(names)
    return together if len(names) == len(order) else f"{together} only"


@app.command()
def heatmap(
    index: IndexPath,
    collection: CollectionPath,
    out: Annotated[Path, typer.Option(help="A file: .csv, .html, .png, .svg or .pdf.")],
    system: Annotated[
        list[str] | None, typer.Option(help="A system with paragraph hits; may be repeated.")
    ] = None,
    show: Annotated[str, typer.Option(help="counts, shares or lift.")] = "counts",
    split: Split = "",
) -> None:
    """Which query paragraphs retrieve which paragraphs of relevant cases (figure 4 of the paper)."""
    from parm_core import figures
    from parm_core.experiments import meetings

    suffix = suffix_of(out, (".csv", ".html", *PICTURES))
    if show not in ("counts", "shares", "lift"):
        raise ConfigError(f"--show takes counts, shares or lift; got {show!r}")
    asked = listed(",".join(system or []), ["bm25:rrf"])
    if suffix == ".csv" and len(asked) > 1:
        raise ConfigError("a CSV file holds one heatmap: name one --system")
    laboratory = open_laboratory(index, collection, split, fresh=False)
    found = {}
    for one in asked:
        with progress_bar() as progress:
            found[str(one)] = meetings.heatmap(
                laboratory.searcher, laboratory.queries, one, progress
            )
    if suffix == ".csv":
        write(out, figures.heatmap_csv(next(iter(found.values()))))
    elif suffix == ".html":
        write(out, figures.heatmap_html(found, laboratory.queries.name))
    else:
        figures.save(figures.paragraph_heatmaps(found, show), out)
    print(f"-> {out}")
