"""The BM25 files of an index: postings of its paragraphs, and of its cases as wholes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import chain
from pathlib import Path

import numpy as np

from parm_core.index.files import MappedFiles
from parm_core.index.lexical import BM25Params, Postings
from parm_core.tokenisation import Tokeniser

PARAGRAPHS, CASES = "bm25-paragraphs", "bm25-cases"


def write_postings(
    folder: Path, retrieved: Sequence[Sequence[str]], tokeniser: Tokeniser, params: BM25Params
) -> None:
    """Write both; retrieved: (C,) the texts of each case's paragraphs. Raises OSError."""
    by_case = [[tokeniser.terms(text) for text in texts] for texts in retrieved]
    paragraphs = list(chain.from_iterable(by_case))
    joined = [list(chain.from_iterable(terms)) for terms in by_case]
    for stem, units in ((PARAGRAPHS, paragraphs), (CASES, joined)):
        postings = Postings.build(units, params)
        for name in ("impacts", "units", "starts"):
            np.save(folder / f"{stem}.{name}.npy", getattr(postings, name))
        terms = json.dumps(list(postings.vocabulary), ensure_ascii=False)
        (folder / f"{stem}.terms.json").write_text(terms, encoding="utf-8")


def read_postings(files: MappedFiles, stem: str, n_units: int) -> Postings:
    """Read one of them. Raises IndexStoreError naming a file that is damaged or does not fit."""
    terms = files.words(f"{stem}.terms.json")
    impacts = files.array(f"{stem}.impacts.npy", "<f4", -1)
    units = files.array(f"{stem}.units.npy", "<i4", impacts.size)
    starts = files.starts(f"{stem}.starts.npy", len(terms), impacts.size)
    if units.size and not (units.min() >= 0 and units.max() < n_units):
        raise files.damaged(f"{stem}.units.npy", f"names units beyond the {n_units} there are")
    if impacts.size and not (impacts.min() >= 0 and impacts.max() < np.inf):
        raise files.damaged(f"{stem}.impacts.npy", "holds numbers that are no impacts")
    vocabulary = {term: t for t, term in enumerate(terms)}
    return Postings(impacts, units, starts, vocabulary, n_units)
