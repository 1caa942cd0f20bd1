"""Formats of an index on disk: which are read, and what older ones were like.

    1   as 2, but for cases.arrow, which lacks `sha256`, and the collection's hash, taken over its texts
    2   cases.arrow holds each case's SHA-256; the collection's hash is taken over these

An index of format 1 opens and searches as before. Its cases' hashes cannot be known without their
texts, so cases can neither be added to it nor removed; `parm index COLLECTION INDEX` writes it in
format 2, and takes the vectors of all texts that it held already from it: nothing is encoded.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

from parm_core.index.contents import case_fields, collection_sha256
from parm_core.types import Case

FORMAT = 2
"""What is written."""

READABLE = (1, 2)
"""What is read."""


def is_of(manifest: Mapping[str, Any], cases: Sequence[Case]) -> bool:
    """Whether an index was built from exactly these cases, by the hash of the index's own format."""
    hashed = _collection_sha256_1 if manifest["format"] == 1 else collection_sha256
    return bool(manifest["collection"]["sha256"] == hashed(cases))


def _collection_sha256_1(cases: Sequence[Case]) -> str:
    digest = hashlib.sha256()
    for case in sorted(cases, key=lambda case: case.id, reverse=True):
        fields = json.dumps(case_fields(case), ensure_ascii=False)
        digest.update(fields.encode("utf-8", "surrogatepass"))
    return digest.hexdigest()
