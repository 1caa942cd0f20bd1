"""An index's manifest: what the index is, and the size and SHA-256 of its other files."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from parm_core.errors import IndexStoreError

FORMAT = 1
MANIFEST, MANIFEST_HASH = "manifest.json", "manifest.sha256"
_MANIFEST_KEYS = {
    "format",
    "collection",
    "counts",
    "segmentation",
    "tokeniser",
    "bm25",
    "encoder",
    "files",
}


def is_index(path: Path) -> bool:
    """Whether a folder holds an index, of any version, whole or damaged."""
    return (path / MANIFEST).is_file() and (path / MANIFEST_HASH).is_file()


def open_manifest(folder: Path) -> dict[str, Any]:
    """Read a manifest; checks the version, what it must name, and every file's size; hashes nothing.

    Raises IndexStoreError: no index there, another format version, a file missing or cut.
    """
    manifest = _read_manifest(folder)
    if manifest.get("format") != FORMAT:
        raise IndexStoreError(
            f"{folder} is an index of format {manifest.get('format')!r}, this version reads format "
            f"{FORMAT}; build it again with: parm index COLLECTION {folder}"
        )
    if _MANIFEST_KEYS - manifest.keys():
        raise IndexStoreError(
            f"{folder / MANIFEST} lacks {', '.join(sorted(_MANIFEST_KEYS - manifest.keys()))}; "
            "build the index again"
        )
    for name, expected in manifest["files"].items():
        file = folder / name
        size = file.stat().st_size if file.is_file() else None
        if size != expected["bytes"]:
            raise IndexStoreError(
                f"{file} "
                + ("is missing" if size is None else f"has {size} bytes")
                + f", expected {expected['bytes']} bytes; build the index again"
            )
    return manifest


def verify_files(folder: Path, manifest: dict[str, Any]) -> None:
    """Hash every file. Raises IndexStoreError naming the first that is not as it was built."""
    _check_manifest_hash(folder)
    for name, expected in manifest["files"].items():
        found = sha256(folder / name)
        if found != expected["sha256"]:
            raise IndexStoreError(
                f"{folder / name} is damaged: its SHA-256 is {found[:12]}…, the manifest says "
                f"{expected['sha256'][:12]}…; build the index again"
            )


def _read_manifest(folder: Path) -> dict[str, Any]:
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise IndexStoreError(
            f"no index at {folder}; build one with: parm index COLLECTION {folder}"
        ) from None
    except (OSError, ValueError) as error:
        raise IndexStoreError(f"{folder / MANIFEST} cannot be read: {error}") from error
    if not isinstance(manifest, dict):
        raise IndexStoreError(f"{folder / MANIFEST} is not an index's manifest")
    return manifest


def _check_manifest_hash(folder: Path) -> None:
    try:
        written = (folder / MANIFEST_HASH).read_text(encoding="utf-8").split()
    except (OSError, UnicodeDecodeError):
        written = []
    if not written or written[0] != sha256(folder / MANIFEST):
        raise IndexStoreError(
            f"{folder / MANIFEST} is not the one that {MANIFEST_HASH} was written for; "
            "build the index again"
        )


def sha256(path: Path) -> str:
    """The SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
