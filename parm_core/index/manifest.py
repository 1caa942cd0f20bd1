"""An index's manifest: what the index is, and the size and SHA-256 of its other files."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from parm_core.errors import IndexStoreError
from parm_core.index.migration import READABLE

MANIFEST, MANIFEST_HASH = "manifest.json", "manifest.sha256"

_PARTS: Mapping[str, type | tuple[type, ...]] = {
    "format": int,
    "product": str,
    "collection": dict,
    "counts": dict,
    "segmentation": dict,
    "tokeniser": dict,
    "bm25": dict,
    "encoder": (dict, type(None)),
    "files": dict,
}
_WITHIN: Mapping[str, Mapping[str, type]] = {
    "collection": {"name": str, "sha256": str},
    "counts": {"cases": int, "paragraphs": int},
    "encoder": {
        "id": str,
        "revision": str,
        "weights_sha256": str,
        "dim": int,
        "max_tokens": int,
        "truncated_share": float,
        "truncated_paragraphs": int,
    },
}


def is_index(path: Path) -> bool:
    """Whether a folder holds an index, of any version, whole or damaged.

    Either of its two own files is enough: web pages have a manifest.json too, but not its parts.
    """
    manifest, its_hash = path / MANIFEST, path / MANIFEST_HASH
    if manifest.is_file() and its_hash.is_file():
        return True
    try:
        if its_hash.is_file():
            return its_hash.read_bytes()[64:] == _after_hash()
        return manifest.is_file() and _PARTS.keys() <= _read(path).keys()
    except OSError:
        return False


def open_manifest(folder: Path) -> dict[str, Any]:
    """Read a manifest; checks the version, its own hash, what it must name, and every file's size.

    Raises IndexStoreError: no index there, another format version, a damaged manifest, a file
    missing or cut.
    """
    manifest = _read(folder)
    _check_format(folder, manifest)
    _check_parts(folder, manifest)
    _check_hash(folder)
    for name, expected in manifest["files"].items():
        if wrong := _wrong_size(folder, name, expected):
            raise IndexStoreError(f"{folder / name} {wrong}; {_again(folder)}")
    return manifest


def write_manifest(folder: Path, manifest: Mapping[str, Any]) -> None:
    """Write the manifest of a folder's files, and its hash. Raises OSError."""
    files = sorted(path for path in folder.iterdir() if path.is_file())
    held = {path.name: {"bytes": path.stat().st_size, "sha256": sha256(path)} for path in files}
    text = json.dumps({**manifest, "files": held}, indent=2, ensure_ascii=False, sort_keys=True)
    (folder / MANIFEST).write_text(text + "\n", encoding="utf-8")
    line = sha256(folder / MANIFEST).encode() + _after_hash()
    (folder / MANIFEST_HASH).write_bytes(line)


def verify_files(folder: Path) -> None:
    """Hash every file. Raises IndexStoreError naming all that are damaged, missing or unexpected."""
    manifest = _read(folder)
    _check_format(folder, manifest)
    _check_parts(folder, manifest)
    faults = list(_faults(folder, manifest))
    if faults:
        raise IndexStoreError(f"{folder}: {'; '.join(faults)}; {_again(folder)}")


def _faults(folder: Path, manifest: Mapping[str, Any]) -> Iterator[str]:
    """What is wrong with each file that is not as it was built, a phrase a file."""
    if not _hash_fits(folder):
        yield _NOT_ITS_HASH
    for name, expected in manifest["files"].items():
        if wrong := _wrong_size(folder, name, expected):
            yield f"{name} {wrong}"
        elif (found := _hash_found(folder / name)) is None:
            yield f"{name} cannot be read"
        elif found != expected["sha256"]:
            yield (
                f"{name} is damaged (its SHA-256 is {found[:12]}…, the manifest says "
                f"{expected['sha256'][:12]}…)"
            )
    known = {MANIFEST, MANIFEST_HASH, *manifest["files"]}
    for path in sorted(folder.iterdir()):
        if path.name not in known:
            yield f"{path.name} is no part of it (move it elsewhere)"


_NOT_ITS_HASH = f"{MANIFEST} is not the one that {MANIFEST_HASH} was written for"


def _read(folder: Path) -> dict[str, Any]:
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        if (folder / MANIFEST_HASH).is_file():
            raise IndexStoreError(f"{folder / MANIFEST} is missing; {_again(folder)}") from None
        raise IndexStoreError(
            f"no index at {folder}; build one with: parm index COLLECTION {folder}"
        ) from None
    except (OSError, ValueError, RecursionError) as error:
        why = getattr(error, "strerror", None) or error
        raise IndexStoreError(
            f"{folder / MANIFEST} cannot be read: {why}; {_again(folder)}"
        ) from error
    if not isinstance(manifest, dict):
        raise IndexStoreError(f"{folder / MANIFEST} is not an index's manifest; {_again(folder)}")
    return manifest


def _check_format(folder: Path, manifest: Mapping[str, Any]) -> None:
    version = manifest.get("format")
    if type(version) is int and version in READABLE:
        return
    newer = type(version) is int and version > max(READABLE)
    raise IndexStoreError(
        f"{folder} is an index of format {version!r}, this version reads format "
        f"{' and '.join(map(str, READABLE))} (by its {MANIFEST}); "
        f"{'update PARM Explorer, or ' if newer else ''}"
        f"{_again(folder)}"
    )


def _check_parts(folder: Path, manifest: Mapping[str, Any]) -> None:
    lacking = [name for name, kind in _PARTS.items() if not _is(manifest.get(name, ...), kind)]
    for part, fields in _WITHIN.items():
        held = manifest.get(part)
        if isinstance(held, dict):
            wrong = (name for name, kind in fields.items() if not _is(held.get(name, ...), kind))
            lacking += [f"{part}.{name}" for name in wrong]
    files = manifest.get("files")
    if isinstance(files, dict):
        lacking += [f"files.{name}" for name, said in files.items() if not _is_entry(name, said)]
    if lacking:
        raise IndexStoreError(
            f"{folder / MANIFEST} lacks or garbles {', '.join(sorted(lacking))}; {_again(folder)}"
        )


def _is(value: object, kind: type | tuple[type, ...]) -> bool:
    if kind in (int, float):
        numbers = int if kind is int else (int, float)
        return isinstance(value, numbers) and not isinstance(value, bool) and value >= 0
    return isinstance(value, kind)


def _is_entry(name: str, said: object) -> bool:
    """A plain name within the folder, with a size and a hash: a name may not lead elsewhere."""
    if name in ("", ".", "..") or set(name) & set("/\\\0"):
        return False
    return isinstance(said, dict) and _is(said.get("bytes"), int) and _is(said.get("sha256"), str)


def _wrong_size(folder: Path, name: str, expected: Mapping[str, Any]) -> str:
    try:
        size = (folder / name).stat().st_size if (folder / name).is_file() else None
    except OSError:
        size = None
    if size == expected["bytes"]:
        return ""
    found = "is missing" if size is None else f"has {size} bytes"
    return f"{found}, expected {expected['bytes']} bytes"


def _check_hash(folder: Path) -> None:
    if not _hash_fits(folder):
        raise IndexStoreError(f"{folder}: {_NOT_ITS_HASH}; {_again(folder)}")


def _hash_fits(folder: Path) -> bool:
    try:
        written = (folder / MANIFEST_HASH).read_bytes()
        return written == sha256(folder / MANIFEST).encode() + _after_hash()
    except OSError:
        return False


def _after_hash() -> bytes:
    """What follows the hash on the line of manifest.sha256, as sha256sum writes it."""
    return f"  {MANIFEST}\n".encode()


def _hash_found(path: Path) -> str | None:
    try:
        return sha256(path)
    except OSError:
        return None


def _again(folder: Path) -> str:
    return f"build the index again with: parm index COLLECTION {folder}"


def sha256(path: Path) -> str:
    """The SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
