"""COLIEE's Task 2, case law entailment: which paragraph of a noticed case entails a decision.

A folder a query, holding `entailed_fragment.txt`, `base_case.txt` and `paragraphs/*.txt`, and labels
`{"001": ["013.txt"]}` in or above the folder of these.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from parm_core.collections.coliee_labels import label_paths, read_labels
from parm_core.collections.gathering import CaseList, Faults, collect, safe_id
from parm_core.collections.text_files import read_file
from parm_core.types import Collection

FRAGMENT = "entailed_fragment.txt"
PARAGRAPHS = "paragraphs"


def looks_like(folder: Path) -> bool:
    """Whether there is a folder with an entailed fragment, here or one folder below."""
    return bool(_query_folders(folder, FRAGMENT))


def read(folder: Path) -> Collection:
    """Read it, named after the folder: paragraph-level labels.

    Query `001` is the entailed fragment (the base case around it is not read). Each candidate
    paragraph is a case of one paragraph, its line breaks spaces: `001_013`. The candidates of all
    queries are searched together; COLIEE's own task ranks those of one query among themselves.
    Empty, missing and unreadable files are noted and left out. Raises DataError as Task 1 does.
    """
    faults = Faults()
    cases, queries = CaseList(faults), CaseList(faults)
    for own in sorted({*_query_folders(folder, FRAGMENT), *_query_folders(folder, PARAGRAPHS)}):
        query = safe_id(own.name)
        if fragment := read_file(own / FRAGMENT, query, f"Fragment {query}", faults):
            queries.add(fragment, FRAGMENT)
        for path in sorted((own / PARAGRAPHS).glob("*.txt")):
            title = f"Paragraph {path.stem}, candidate for {query}"
            if case := read_file(path, _case_id(query, safe_id(path.stem)), title, faults):
                cases.add(replace(case, text=" ".join(case.text.split())), path.name)
    known = {query.id for query in queries.as_tuple()}
    files, _ = read_labels(label_paths(folder), known, _case_id, faults)
    return collect(folder, cases.as_tuple(), queries.as_tuple(), files, faults)


def _case_id(query: str, paragraph: str) -> str:
    return f"{query}_{paragraph}"


def _query_folders(folder: Path, name: str) -> list[Path]:
    """The folders, here or one folder below, that hold a file or folder of this name."""
    found = (*folder.glob(f"*/{name}"), *folder.glob(f"*/*/{name}"))
    return [path.parent for path in found]
