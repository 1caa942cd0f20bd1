"""Building an index: segment, index terms, encode, write beside, rename into place."""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from parm_core._version import __version__
from parm_core.errors import DataError, IndexStoreError
from parm_core.index.lexical import BM25Params, Postings
from parm_core.index.manifest import FORMAT, MANIFEST, MANIFEST_HASH, is_index, sha256
from parm_core.index.store import Index, open_index
from parm_core.segmentation import SegmentOptions, check_text, segment_collection
from parm_core.tokenisation import Tokeniser
from parm_core.types import Case, Collection, Encoder, Float32, Int64, Paragraph, Progress


@dataclass(frozen=True, kw_only=True)
class IndexOptions:
    """How a collection is cut and its terms weighed; recorded in the manifest."""

    segment: SegmentOptions = field(default_factory=SegmentOptions)
    bm25: BM25Params = field(default_factory=BM25Params)
    tokeniser: Tokeniser = field(default_factory=Tokeniser)


def build_index(
    collection: Collection,
    path: Path | str,
    *,
    encoder: Encoder | None,
    options: IndexOptions | None = None,
    progress: Progress | None = None,
) -> Index:
    """Build an index at `path` and open it; an index already there is replaced once the new one is whole.

    encoder: None builds for BM25 alone. progress: called as paragraphs are encoded.
    Raises DataError for an unusable case, named; IndexStoreError where `path` cannot be written, or
    is a folder with something other than an index in it.
    """
    target = Path(path).expanduser().resolve()
    _check_target(target)
    options = options or IndexOptions()
    cases = segment_cases(collection.cases, options.segment, progress)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        draft = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.parent))
    except OSError as error:
        raise IndexStoreError(f"cannot write beside {target}: {error.strerror}") from error
    try:
        _write(draft, collection, cases, encoder, options, progress)
        _publish(draft, target)
    except OSError as error:
        raise IndexStoreError(f"the index could not be written to {target}: {error}") from error
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return open_index(target)


def segment_cases(
    cases: Sequence[Case], options: SegmentOptions, progress: Progress | None = None
) -> tuple[Case, ...]:
    """Cut every case into paragraphs, ordered by id descending. Raises DataError naming the case."""
    checked = []
    for case in sorted(cases, key=lambda case: case.id, reverse=True):
        try:
            text = check_text(case.text)
            "".join((case.id, case.title, case.date or "", case.court or "")).encode()
        except DataError as error:
            raise DataError(f"case {case.id!r}: {error}") from None
        except UnicodeEncodeError:
            raise DataError(
                f"case {case.id!r}: its id, title, date or court is no Unicode text"
            ) from None
        checked.append(Case(case.id, case.title, text, case.date, case.court))
    return segment_collection(checked, options, progress)


def opening(paragraphs: Sequence[str], max_tokens: int) -> str:
    """A case's text as far as an encoder can read it; a word is a token or more."""
    words = " ".join(paragraphs).split(maxsplit=max_tokens)
    return " ".join(words[:max_tokens])


def _check_target(target: Path) -> None:
    if target.exists() and not (
        target.is_dir() and (is_index(target) or not any(target.iterdir()))
    ):
        raise IndexStoreError(
            f"{target} exists and is not an index; nothing was written: choose another place for it"
        )


def _write(
    draft: Path,
    collection: Collection,
    cases: Sequence[Case],
    encoder: Encoder | None,
    options: IndexOptions,
    progress: Progress | None,
) -> None:
    retrieved = [[p.text for p in case.paragraphs if p.retrieved] for case in cases]
    texts = [text for case_texts in retrieved for text in case_texts]
    _write_tables(draft, cases)
    np.save(draft / "case_starts.npy", np.cumsum([0, *map(len, retrieved)], dtype=np.int64))
    np.save(draft / "twins.npy", _first_of_equals(texts))
    _write_all_postings(draft, retrieved, options)
    encoded = _write_vectors(draft, texts, retrieved, encoder, progress) if encoder else None
    manifest = {
        "format": FORMAT,
        "product": __version__,
        "collection": {"name": collection.name, "sha256": collection_sha256(collection.cases)},
        "counts": {"cases": len(cases), "paragraphs": len(texts)},
        "segmentation": asdict(options.segment),
        "tokeniser": {
            "stopwords": options.tokeniser.stopwords,
            "stemmer": options.tokeniser.stemmer,
        },
        "bm25": asdict(options.bm25),
        "encoder": encoded,
    }
    _write_manifest(draft, manifest)


def collection_sha256(cases: Sequence[Case]) -> str:
    """A hash of the cases' ids, titles, dates, courts and texts, whatever their order."""
    digest = hashlib.sha256()
    for case in sorted(cases, key=lambda case: case.id, reverse=True):
        fields = [case.id, case.title, case.date, case.court, case.text]
        digest.update(json.dumps(fields, ensure_ascii=False).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def _write_tables(draft: Path, cases: Sequence[Case]) -> None:
    import pyarrow as pa

    columns = {
        name: [getattr(case, name) for case in cases] for name in ("id", "title", "date", "court")
    }
    _write_table(
        draft / "cases.arrow",
        pa.table({k: pa.array(v, pa.large_string()) for k, v in columns.items()}),
    )
    for name, wanted in (("paragraphs", True), ("unretrieved", False)):
        held = [
            (c, position, paragraph)
            for c, case in enumerate(cases)
            for position, paragraph in enumerate(case.paragraphs)
            if paragraph.retrieved == wanted
        ]
        _write_table(draft / f"{name}.arrow", _paragraph_table(held))


def _paragraph_table(held: Sequence[tuple[int, int, Paragraph]]) -> Any:
    import pyarrow as pa

    paragraphs = [paragraph for _, _, paragraph in held]
    return pa.table(
        {
            "case": pa.array([c for c, _, _ in held], pa.int64()),
            "position": pa.array([position for _, position, _ in held], pa.int64()),
            "kind": pa.array([str(p.kind) for p in paragraphs], pa.string()),
            "start": pa.array([p.start for p in paragraphs], pa.int64()),
            "end": pa.array([p.end for p in paragraphs], pa.int64()),
            "text": pa.array([p.text for p in paragraphs], pa.large_string()),
        }
    )


def _write_table(path: Path, table: Any) -> None:
    import pyarrow as pa

    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)


def _write_all_postings(
    draft: Path, retrieved: Sequence[Sequence[str]], options: IndexOptions
) -> None:
    by_case = [[options.tokeniser.terms(text) for text in texts] for texts in retrieved]
    paragraphs = [terms for case_terms in by_case for terms in case_terms]
    joined = [[term for terms in case_terms for term in terms] for case_terms in by_case]
    for stem, units in (("bm25-paragraphs", paragraphs), ("bm25-cases", joined)):
        postings = Postings.build(units, options.bm25)
        for name in ("impacts", "units", "starts"):
            np.save(draft / f"{stem}.{name}.npy", getattr(postings, name))
        terms = json.dumps(list(postings.vocabulary), ensure_ascii=False)
        (draft / f"{stem}.terms.json").write_text(terms, encoding="utf-8")


def _first_of_equals(texts: Sequence[str]) -> Int64:
    first: dict[str, int] = {}
    return np.array([first.setdefault(text, row) for row, text in enumerate(texts)], dtype=np.int64)


def _write_vectors(
    draft: Path,
    texts: Sequence[str],
    retrieved: Sequence[Sequence[str]],
    encoder: Encoder,
    progress: Progress | None,
) -> dict[str, Any]:
    np.save(draft / "vectors.npy", encode_distinct(encoder, texts, progress))
    openings = [opening(case_texts, encoder.max_tokens) for case_texts in retrieved]
    np.save(draft / "openings.npy", encode_distinct(encoder, openings, progress))
    tokens = encoder.count_tokens(texts)
    unread = np.maximum(tokens - encoder.max_tokens, 0)
    return {
        "id": encoder.id,
        "revision": encoder.revision,
        "weights_sha256": encoder.weights_sha256,
        "dim": encoder.dim,
        "max_tokens": encoder.max_tokens,
        "truncated_share": round(float(unread.sum() / max(tokens.sum(), 1)), 6),
        "truncated_paragraphs": int((unread > 0).sum()),
    }


def encode_distinct(
    encoder: Encoder, texts: Sequence[str], progress: Progress | None = None
) -> Float32:
    """(n,) passages -> (n, dim) float32; each distinct text is encoded once, so equals are equal."""
    place: dict[str, int] = {}
    where = np.array([place.setdefault(text, len(place)) for text in texts], dtype=np.int64)
    return encoder.encode_passages(list(place), progress=progress)[where]


def _write_manifest(draft: Path, manifest: dict[str, Any]) -> None:
    files = sorted(path for path in draft.iterdir() if path.is_file())
    manifest["files"] = {
        path.name: {"bytes": path.stat().st_size, "sha256": sha256(path)} for path in files
    }
    text = json.dumps(manifest, indent=2, ensure_ascii=False, sort_keys=True) + "\n"
    (draft / MANIFEST).write_text(text, encoding="utf-8")
    (draft / MANIFEST_HASH).write_text(
        f"{sha256(draft / MANIFEST)}  {MANIFEST}\n", encoding="utf-8"
    )


def _publish(draft: Path, target: Path) -> None:
    """Put a whole draft in place. What was there stays until the new one is in."""
    draft.chmod(0o755)
    if not is_index(target):
        if target.is_dir():
            target.rmdir()
        draft.rename(target)
        return
    old = Path(tempfile.mkdtemp(prefix=f".{target.name}-old-", dir=target.parent))
    target.rename(old / "index")
    try:
        draft.rename(target)
    except BaseException:
        (old / "index").rename(target)
        old.rmdir()
        raise
    shutil.rmtree(old, ignore_errors=True)
