"""An index with cases added, replaced and removed, made without the collection it was built from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from parm_core._version import __version__
from parm_core.errors import DataError, EncoderError, IndexStoreError
from parm_core.index.build import IndexOptions, Recipe, write_index
from parm_core.index.contents import Contents, all_retrieved, case_sha256, segment_cases
from parm_core.index.draft import drafting
from parm_core.index.encoding import is_recorded
from parm_core.index.opened import Index
from parm_core.index.store import open_index, verify_index
from parm_core.segmentation.boilerplate import without_boilerplate
from parm_core.types import Case, Encoder, Progress


@dataclass(frozen=True, kw_only=True)
class Changes:
    """Cases to add, each replacing the one of its id if there is one, and ids of cases to remove."""

    add: Sequence[Case] = ()
    remove: Sequence[str] = ()


def update_index(
    path: Path | str,
    changes: Changes,
    *,
    encoder: Encoder | None,
    progress: Progress | None = None,
    wait: bool = False,
) -> Index:
    """Change the cases of an index and open it; texts that it knows are not encoded again.

    The result is what `build_index` makes of the same cases at an empty place with the same options,
    to the byte, but for the last digits of vectors, which depend on the batch they were encoded in.
    encoder: the one the index was built with; None for an index without vectors.
    Raises DataError: an unusable case, an unknown id to remove, no case left. IndexStoreError: no
    index, a damaged one, one of an older format or another version, or held by another process.
    EncoderError: another encoder.
    """
    with drafting(path, wait=wait) as draft:
        verify_index(draft.target)
        older = open_index(draft.target)
        _check_version(older)
        _check_encoder(older, encoder)
        contents = _changed(older, changes, progress)
        options = IndexOptions(
            segment=older.segmentation, bm25=older.bm25, tokeniser=older.tokeniser
        )
        write_index(draft, contents, Recipe(options, encoder), older, progress)
    return open_index(draft.target)


def _changed(older: Index, changes: Changes, progress: Progress | None) -> Contents:
    unknown = [case_id for case_id in changes.remove if not older.holds(case_id)]
    if unknown:
        raise DataError(
            f"the index of {older.name!r} holds no case {', '.join(map(repr, unknown))}"
        )
    added = segment_cases(changes.add, older.segmentation, progress)
    hashes = dict(zip(older.case_ids, older.case_hashes, strict=True))
    hashes |= {case.id: case_sha256(case) for case in changes.add}
    new = {case.id: all_retrieved(case) for case in added}
    out = set(changes.remove) - new.keys()
    ids = sorted(hashes.keys() - out, reverse=True)
    if not ids:
        raise DataError("this would leave no case in the index; delete its folder instead")
    cut = [new.get(case_id) or all_retrieved(older.case(case_id)) for case_id in ids]
    return Contents(older.name, without_boilerplate(cut), tuple(hashes[i] for i in ids))


def _check_version(older: Index) -> None:
    """Refuse an index whose cases cannot be kept as they are."""
    if "milvus" in older.manifest:
        raise IndexStoreError(
            f"{older.path} has its paragraphs in Milvus; change an index on this machine and move "
            "it there anew"
        )
    _ = older.case_hashes
    if older.manifest["product"] != __version__:
        raise IndexStoreError(
            f"{older.path} was built by version {older.manifest['product']}, this is {__version__}, "
            "which may cut cases differently; build it again once with: parm index COLLECTION "
            f"{older.path} (nothing it knows is encoded again)"
        )


def _check_encoder(older: Index, encoder: Encoder | None) -> None:
    recorded = older.manifest["encoder"]
    if (encoder is None) != (recorded is None):
        raise EncoderError(
            f"{older.path} was built with {recorded['id'] if recorded else 'no encoder'}; "
            "add to it with the same"
        )
    if encoder and not is_recorded(recorded, encoder):
        raise EncoderError(
            f"{older.path} was built with {recorded['id']}, weights "
            f"{recorded['weights_sha256'][:12]}…, {recorded.get('precision', 'float32')}, prompt "
            f"{recorded.get('prompt', '')!r}; {encoder.id} has {encoder.weights_sha256[:12]}…, "
            f"{encoder.precision}, prompt {encoder.prompt!r}: use the same encoder or build the "
            "index again"
        )
