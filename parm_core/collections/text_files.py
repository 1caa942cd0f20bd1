"""A folder of text files, a case each: *.txt, *.md, *.pdf, *.docx. There are no labels."""

from __future__ import annotations

from pathlib import Path

from parm_core.collections.gathering import UNREADABLE, CaseList, Faults, collect, safe_id
from parm_core.collections.sources import LONGEST
from parm_core.documents import read_document
from parm_core.errors import DataError
from parm_core.types import Case, Collection

ENDINGS = (".txt", ".md", ".pdf", ".docx")
_ABOUT = ("readme", "license", "licence", "changelog")


def looks_like(folder: Path) -> bool:
    """Whether there is a text file that is not only about the folder, as README is."""
    return bool(_paths(folder))


def read(folder: Path) -> Collection:
    """Read it, named after the folder; a file's name is its case's title and, made safe, its id.

    Empty and unreadable files, and those of a name that another has, are noted and left out.
    Raises DataError where no case is left.
    """
    faults = Faults()
    cases = CaseList(faults)
    for path in _paths(folder):
        if case := read_file(path, safe_id(path.stem), path.stem, faults):
            cases.add(case, path.name)
    return collect(folder, cases.as_tuple(), (), (), faults)


def read_file(path: Path, case_id: str, title: str, faults: Faults) -> Case | None:
    """A file as a case; one that cannot be read is noted."""
    try:
        if path.stat().st_size > LONGEST:
            raise DataError(f"longer than {LONGEST} bytes")
        return Case(case_id, title, read_document(path.read_bytes()))
    except OSError as error:
        faults.add(UNREADABLE, f"{path.name}: {case_id!r}: {error.strerror}")
    except DataError as error:
        faults.add(UNREADABLE, f"{path.name}: {case_id!r}: {error}")
    return None


def _paths(folder: Path) -> list[Path]:
    return sorted(
        path
        for path in folder.iterdir()
        if path.suffix.lower() in ENDINGS
        and path.is_file()
        and not path.name.startswith(".")
        and path.stem.lower() not in _ABOUT
    )
