"""COLIEE's Task 1, case law retrieval: a folder of *.txt, and labels in or above it.

Queries are cases of the same folder. Layout of COLIEE 2021 and later; the files may lie in
subfolders such as `task1_train_files_2021`. Texts stay as they are: the segmentation rule `coliee`
does to them what the PARM paper did (Althammer et al. 2022).
"""

from __future__ import annotations

from pathlib import Path

from parm_core.collections.coliee_labels import label_paths, read_labels
from parm_core.collections.gathering import CaseList, Faults, collect, safe_id
from parm_core.collections.text_files import read_file
from parm_core.types import Collection


def looks_like(folder: Path) -> bool:
    """Whether there are labels in or above this folder, and text files in or right below it."""
    return bool(label_paths(folder)) and bool(_paths(folder))


def read(folder: Path) -> Collection:
    """Read it, named after the folder; ids are the files' names without ".txt".

    Queries are the cases that labels name as such; several label files are splits. Empty and
    unreadable cases, and labels of queries that are not there, are noted and left out. Raises
    DataError naming the file: labels of another shape, or none in it; no case left.
    """
    faults = Faults()
    cases = CaseList(faults)
    for path in _paths(folder):
        if case := read_file(path, safe_id(path.stem), path.stem, faults):
            cases.add(case, path.name)
    known = {case.id for case in cases.as_tuple()}
    files, asked = read_labels(label_paths(folder), known, lambda _, name: name, faults)
    queries = [case for case in map(cases.get, asked) if case]
    return collect(folder, cases.as_tuple(), queries, files, faults)


def _paths(folder: Path) -> list[Path]:
    return sorted([*folder.glob("*.txt"), *folder.glob("*/*.txt")])
