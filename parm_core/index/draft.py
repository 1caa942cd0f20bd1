"""Where an index is made before it takes its place, and how it takes it.

Beside an index NAME there are, hidden, while one is built:

    .NAME.lock      held by whoever builds; it names that process. A dead holder's lock is free
    .NAME.draft/    what was made so far. It outlives a build that was stopped, for the next to go on:
                    encoded.* (see encoding.py), and new/, the files that will be the index
    .NAME.old/      the index being replaced, where two folders cannot be exchanged in one step, from
                    the moment it makes way until the new one is in its place

The new index is written to disk to the last byte before it takes its place. On Linux it changes
places with the old one in a single step. Elsewhere there are two, and whoever opens the index
between them reads `.NAME.old`; a process that dies between them leaves it there, where it is still
found, and the next build puts it back first.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from parm_core.errors import IndexStoreError
from parm_core.index.manifest import is_index

GOES_ON = "what was encoded is kept: the same command goes on where this one stopped"

_AT_CWD, _EXCHANGE = -100, 2
"""Linux: AT_FDCWD and RENAME_EXCHANGE of renameat2(2)."""


@dataclass(frozen=True)
class Draft:
    """The folder in which the index that belongs at `target` is made."""

    target: Path

    @property
    def folder(self) -> Path:
        """What is kept when a build is stopped."""
        return self.target.with_name(f".{self.target.name}.draft")

    @property
    def new(self) -> Path:
        """The files that will be the index, and no others."""
        return self.folder / "new"

    def begin(self) -> None:
        """Make the folders. Raises OSError."""
        self.new.mkdir(parents=True)

    def publish(self) -> None:
        """Put `new` in the target's place and delete the draft. Raises OSError; the old index stays."""
        for path in self.new.iterdir():
            _to_disk(path)
        _to_disk(self.new)
        if is_index(self.target):
            _replace(self.new, self.target)
        else:
            with suppress(FileNotFoundError):
                self.target.rmdir()
            self.new.rename(self.target)
        _to_disk(self.target.parent)
        shutil.rmtree(_old(self.target), ignore_errors=True)
        shutil.rmtree(self.folder, ignore_errors=True)


@contextmanager
def drafting(path: Path | str, *, wait: bool = False) -> Iterator[Draft]:
    """Hold the one draft of an index; what a build stopped at is kept where anything was encoded.

    wait: for another process that holds it, however long; else it is named at once.
    Raises IndexStoreError: held by another process, a place that cannot be written to or holds
    something other than an index; OSErrors within become one too.
    """
    target = Path(path).expanduser().resolve()
    _check_target(target)
    draft = Draft(target)
    with _held(target, wait=wait):
        try:
            recover(target)
            shutil.rmtree(draft.new, ignore_errors=True)
            yield draft
        except BaseException as error:
            kept = draft.new.is_dir() and _keep(draft)
            if isinstance(error, OSError) and not isinstance(error, IndexStoreError):
                why = f"{error.strerror or error}{'; ' + GOES_ON if kept else ''}"
                raise IndexStoreError(
                    f"the index could not be written to {target}: {why}"
                ) from error
            if kept:
                error.add_note(GOES_ON)
            raise


def standing(target: Path) -> Path:
    """The folder that holds an index now: its own, or `.NAME.old` between the two steps."""
    old = _old(target)
    return old if is_index(old) and not is_index(target) else target


def recover(target: Path) -> None:
    """Put an index back that a dead process left between the two steps. Raises OSError."""
    old = _old(target)
    if is_index(old) and not is_index(target):
        with suppress(FileNotFoundError):
            target.rmdir()
        old.rename(target)
    shutil.rmtree(old, ignore_errors=True)


def _keep(draft: Draft) -> bool:
    """Whether something encoded is worth keeping; deletes the draft where nothing is."""
    shutil.rmtree(draft.new, ignore_errors=True)
    kept = any(path.stat().st_size for path in draft.folder.glob("encoded.sha256"))
    if not kept:
        shutil.rmtree(draft.folder, ignore_errors=True)
    return kept


def _check_target(target: Path) -> None:
    try:
        usable = not target.exists() or (
            target.is_dir() and (is_index(target) or not any(target.iterdir()))
        )
    except OSError as error:
        raise IndexStoreError(f"cannot read {target}: {error.strerror}") from error
    if not usable:
        raise IndexStoreError(
            f"{target} exists and is not an index; nothing was written: choose another place for it"
        )


@contextmanager
def _held(target: Path, *, wait: bool) -> Iterator[None]:
    import filelock

    path = target.with_name(f".{target.name}.lock")
    lock = filelock.FileLock(path)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        lock.acquire(timeout=-1 if wait else 0)
    except filelock.Timeout:
        raise IndexStoreError(
            f"{_holder(path)} is building {target}; wait for it with --wait, or try again later"
        ) from None
    except OSError as error:
        raise IndexStoreError(f"cannot write beside {target}: {error.strerror or error}") from error
    try:
        with suppress(OSError):
            path.write_text(f"{os.getpid()}\n", encoding="ascii")
        yield
    finally:
        with suppress(OSError):
            path.unlink()
        lock.release()


def _holder(lock: Path) -> str:
    try:
        return f"the process {int(lock.read_text(encoding='ascii'))}"
    except (OSError, ValueError):
        return "another process"


def _old(target: Path) -> Path:
    return target.with_name(f".{target.name}.old")


def _replace(new: Path, target: Path) -> None:
    """Put `new` in place of an index. What was there stays until the new one is in."""
    if _exchange(new, target):
        return
    old = _old(target)
    target.rename(old)
    try:
        new.rename(target)
    except BaseException:
        old.rename(target)
        raise


def _exchange(one: Path, other: Path) -> bool:
    """Let two folders change names in one step; False where system or file system cannot."""
    if not sys.platform.startswith("linux"):
        return False
    try:
        rename: Any = ctypes.CDLL(None, use_errno=True).renameat2
    except (OSError, AttributeError):
        return False
    names = os.fsencode(one), os.fsencode(other)
    return bool(rename(_AT_CWD, names[0], _AT_CWD, names[1], _EXCHANGE) == 0)


def _to_disk(path: Path) -> None:
    """Have a file, or a folder's list of names, written to disk."""
    try:
        handle = os.open(path, os.O_RDONLY)
    except PermissionError:  # Windows opens no folder
        return
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
