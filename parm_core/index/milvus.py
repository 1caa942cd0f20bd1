"""An index whose postings and vectors are in Milvus, past one machine.

The folder keeps what is small and what is shown: the manifest with the URI, cases and paragraphs,
the vocabulary, case-level postings, openings. A paragraph's BM25 impacts and its vector are a row of
one Milvus collection, named after the hash of all its rows: another index is another collection.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

from parm_core.errors import ConfigError, IndexStoreError
from parm_core.index.lexical import Postings
from parm_core.index.milvus_collection import MilvusCollection
from parm_core.index.milvus_connection import Connection, opened_uri
from parm_core.index.milvus_engines import MilvusDenseEngine, MilvusLexicalEngine, MilvusVectors
from parm_core.index.milvus_rows import content_sha256
from parm_core.index.opened import Index
from parm_core.index.postings import PARAGRAPHS


class RemoteIndex(Index):
    """An index whose manifest has a part `milvus`: uri, sha256 of the rows.

    Nothing is connected to before the first search; titles and texts need no Milvus.
    """

    @cached_property
    def uri(self) -> str:
        """Where its rows are. Raises ConfigError, IndexStoreError for an address that cannot be."""
        return opened_uri(_milvus(self)["uri"], self.path)

    @property
    def collection_name(self) -> str:
        """What its rows are called in Milvus."""
        return _collection_name(_milvus(self)["sha256"])

    @cached_property
    def collection(self) -> MilvusCollection:
        """Its rows, connected to and checked. Raises IndexStoreError."""
        collection = collection_of(Connection(self.uri), self, _milvus(self)["sha256"])
        collection.check()
        return collection

    @cached_property
    def lexical_engine(self) -> MilvusLexicalEngine:
        """BM25 search: one round trip a query case."""
        terms = self.files.words(f"{PARAGRAPHS}.terms.json")
        vocabulary = {term: t for t, term in enumerate(terms)}
        return MilvusLexicalEngine(self.collection, vocabulary, self.twins)

    @cached_property
    def dense_engine(self) -> MilvusDenseEngine:
        """Dense search: one round trip a query case. Raises IndexStoreError without vectors."""
        self.openings  # noqa: B018  raises, and says what to do, where there is no encoder
        return MilvusDenseEngine(self.collection, self.twins)

    @cached_property
    def vectors(self) -> Any:
        """(P, dim) float32 of which rows asked for are fetched: a round trip for each 4,096."""
        self.openings  # noqa: B018
        return MilvusVectors(self.collection)

    @cached_property
    def paragraph_postings(self) -> Postings:
        """Raises ConfigError: they are in Milvus."""
        raise ConfigError(
            f"the index of {self.name!r} has its paragraphs' postings in Milvus; use the default "
            "engine, or build an index on this machine"
        )

    def verify(self) -> None:
        """Hash every file and every row. Raises IndexStoreError naming what is not as it was built."""
        super().verify()
        self.verify_rows()

    def verify_rows(self) -> None:
        """Fetch and hash every row: a round trip for each 1,000. Raises IndexStoreError."""
        found, expected = content_sha256(self.collection.blocks()), _milvus(self)["sha256"]
        if found != expected:
            raise IndexStoreError(
                f"the collection {self.collection_name} at {self.uri} is damaged: the SHA-256 of its "
                f"rows is {found[:12]}…, the manifest says {expected[:12]}…; build the index again"
            )


def collection_of(connection: Connection, index: Index, sha256: str) -> MilvusCollection:
    """The collection for an index's rows, of this hash; nothing is sent for it."""
    dim = index.manifest["encoder"]["dim"] if index.has_vectors else None
    return MilvusCollection(connection, _collection_name(sha256), index.n_paragraphs, dim)


def _collection_name(sha256: str) -> str:
    return f"parm_{sha256[:32]}"


def _milvus(index: Index) -> dict[str, str]:
    """The manifest's part. Raises IndexStoreError where it is not one."""
    part = index.manifest["milvus"]
    if not isinstance(part, dict) or not all(
        isinstance(part.get(name), str) for name in ("uri", "sha256")
    ):
        raise IndexStoreError(
            f"the manifest of {index.path} does not say where in Milvus its paragraphs are; "
            "build the index again"
        )
    return part
