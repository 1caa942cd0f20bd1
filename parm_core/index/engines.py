"""The engines by name: an index -> what searches it. `parm_core.systems.ENGINES` lists the names."""

from __future__ import annotations

import hashlib
from pathlib import Path

from parm_core.index.dense import DenseEngine, FaissEngine, ProductEngine
from parm_core.index.kept_clusters import clustered_engine
from parm_core.index.lexical import ImpactEngine, LexicalEngine, RankBM25Engine
from parm_core.index.milvus import RemoteIndex
from parm_core.index.opened import Index


def lexical_engine(index: Index, name: str) -> LexicalEngine:
    """The BM25 engine of an index; "" is the default. Raises IndexStoreError for a damaged file."""
    if name == "rank-bm25":
        terms = [index.tokeniser.terms(text) for text in index.texts(slice(None))]
        return RankBM25Engine(terms, index.bm25)
    if isinstance(index, RemoteIndex):
        return index.lexical_engine
    return ImpactEngine(index.paragraph_postings)


def dense_engine(index: Index, name: str, cache: Path) -> DenseEngine:
    """The dense engine of an index; "" is the default. cache: the folder for what is built once.

    Raises IndexStoreError for an index without vectors, a damaged file, a cache that is not writable.
    """
    if isinstance(index, RemoteIndex):
        if name:
            raise index.vectors.refusal()
        return index.dense_engine
    if name == "faiss":
        return FaissEngine(index.vectors, index.twins)
    if name == "ivf":
        place = hashlib.sha256(str(index.path).encode()).hexdigest()[:32]
        folder = cache / "clusters" / place
        return clustered_engine(folder, _vectors_key(index), index.vectors, index.twins)
    return ProductEngine(index.vectors, index.twins)


def _vectors_key(index: Index) -> str:
    """A hash of an index's vectors and of which of its texts are equal."""
    files = index.manifest["files"]
    hashes = "".join(str(files[name]["sha256"]) for name in ("vectors.npy", "twins.npy"))
    return hashlib.sha256(hashes.encode()).hexdigest()
