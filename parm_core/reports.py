"""Results as text, JSON and TREC runs: what the command line prints."""

from __future__ import annotations

import re
from dataclasses import asdict
from typing import Any

from parm_core.explanation import OPENING, Contributions, HybridContributions, contributions
from parm_core.index.opened import Index
from parm_core.query import Query
from parm_core.retrieval import Searcher
from parm_core.systems import System
from parm_core.types import Run


def search_report(
    searcher: Searcher, query: Query, system: System, *, top: int, evidence: int | None
) -> dict[str, Any]:
    """One system's ranking with its evidence, ready for JSON; paragraphs count from 1.

    evidence: pairs of paragraphs a case, strongest first; None for all of them. seconds: what this
    system took beyond what earlier ones had left ready (vectors, hits). approximate: what an
    approximate system finds of exact search, None for an exact one.
    """
    before = dict(query.seconds) if query.searched else {}
    ranking = searcher.rank(query, system)
    best = list(ranking)[:top]
    titles = searcher.index.titles([case.case_id for case in best])
    rows = [
        {
            "rank": case.rank,
            "case_id": case.case_id,
            "title": title,
            "score": case.score,
            "evidence": _evidence(contributions(searcher, query, system, case.case_id), evidence),
        }
        for case, title in zip(best, titles, strict=True)
    ]
    spent = {step: total - before.get(step, 0.0) for step, total in query.seconds.items()}
    seconds = {step: round(own, 6) for step, own in spent.items() if own > 0}
    known = searcher.approximation(system)
    approximate = asdict(known) | {"said": str(known)} if known else None
    return {
        "system": str(system),
        "approximate": approximate,
        "ranking": rows,
        "seconds": seconds,
    }


def _evidence(why: Contributions | HybridContributions, limit: int | None) -> list[dict[str, Any]]:
    if isinstance(why, HybridContributions):
        return [term._asdict() for term in why.terms]
    return [
        {
            "query_paragraph": paragraph_number(pair.query_position),
            "case_paragraph": paragraph_number(pair.case_position),
            "contribution": pair.contribution,
        }
        for pair in why.pairs(limit)
    ]


def paragraph_number(position: int) -> int | str:
    """A paragraph's number as people count, from 1, or "opening"."""
    return "opening" if position == OPENING else position + 1


def as_text(report: dict[str, Any]) -> str:
    """A report as a plain table."""
    lines = [report["system"]]
    if report["approximate"]:
        lines.append(f"      {report['approximate']['said']}")
    for row in report["ranking"]:
        name = row["title"] or row["case_id"]
        lines.append(f"{row['rank']:4d}  {row['score']:10.4f}  {name}  [{row['case_id']}]")
        lines += [f"{'':18}{_sentence(term)}" for term in row["evidence"][:3]]
    spent = ", ".join(f"{step} {1000 * s:.0f} ms" for step, s in report["seconds"].items())
    return "\n".join([*lines, spent])


def _sentence(term: dict[str, Any]) -> str:
    if "system" in term:
        place = f"rank {term['rank']}" if term["rank"] else "not found"
        return f"{term['system']}: {place}, adds {term['contribution']:.4f}"
    return (
        f"your paragraph {term['query_paragraph']} × its paragraph {term['case_paragraph']}: "
        f"{term['contribution']:.4f}"
    )


def as_trec(run: Run, tag: str, top: int | None = None) -> str:
    """A run in TREC's format, `top` cases a query or all: query Q0 case rank score tag."""
    lines = [
        f"{query} Q0 {case.case_id} {case.rank} {case.score!r} {tag}\n"
        for query, ranking in run.items()
        for case in list(ranking)[:top]
    ]
    return "".join(lines)


def run_name(system: str) -> str:
    """A system's name as a file's: letters that a file system may refuse become "-"."""
    return re.sub(r"[^\w.=+-]+", "-", system).strip("-")


def describe_index(index: Index) -> str:
    """The manifest for people."""
    manifest, files = index.manifest, index.manifest["files"].values()
    mebibytes = sum(file["bytes"] for file in files) / 2**20
    rows = {
        "index": index.path,
        "collection": f"{index.name}, SHA-256 {manifest['collection']['sha256'][:12]}…",
        "cases": f"{index.n_cases:,}",
        "paragraphs": f"{index.n_paragraphs:,}",
        "segmentation": ", ".join(f"{k} {v}" for k, v in manifest["segmentation"].items()),
        "BM25": ", ".join(
            f"{k} {v}" for k, v in (manifest["bm25"] | manifest["tokeniser"]).items()
        ),
        "encoder": _encoder(manifest["encoder"]),
        **_milvus(manifest.get("milvus")),
        "on disk": f"{len(files)} files beside the manifest, {mebibytes:,.1f} MiB",
        "format": f"{manifest['format']}, by PARM Explorer {manifest['product']}",
    }
    return "\n".join(f"{name + ':':14}{value}" for name, value in rows.items())


def _milvus(part: dict[str, Any] | None) -> dict[str, str]:
    if not isinstance(part, dict):
        return {}
    return {"milvus": f"{part.get('uri')}, rows' SHA-256 {str(part.get('sha256'))[:12]}…"}


def _encoder(encoder: dict[str, Any] | None) -> str:
    if encoder is None:
        return "none (BM25 alone)"
    return (
        f"{encoder['id']}, {encoder['dim']} wide, {encoder.get('precision', 'float32')}; "
        f"{encoder['truncated_paragraphs']:,} paragraphs "
        f"are longer than the {encoder['max_tokens']} tokens it reads: "
        f"{encoder['truncated_share']:.1%} of all tokens are not read "
        f"(revision {encoder['revision']}, weights' SHA-256 {encoder['weights_sha256'][:12]}…)"
    )
