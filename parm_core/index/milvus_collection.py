"""One Milvus collection: a row a paragraph, with its BM25 impacts and its vector, searched by product."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from parm_core.errors import ConfigError, IndexStoreError
from parm_core.index.milvus_connection import Connection
from parm_core.index.milvus_rows import BLOCK, CASE, IMPACTS, POSITION, ROW, VECTOR, RowBlock
from parm_core.types import Float32, Int64, Progress

MOST_HITS = 16_384
"""The most hits that Milvus gives a query, and the most rows it gives a fetch."""

_HITS_A_CALL = 2_000_000
_ROWS_A_FETCH = 4096


@dataclass(frozen=True)
class MilvusCollection:
    """Rows 0 to n_rows - 1 under a name that is their hash; dim: None where there are no vectors."""

    connection: Connection
    name: str
    n_rows: int
    dim: int | None

    def check(self) -> None:
        """Raises IndexStoreError: no such collection, another schema, rows missing or too many."""
        if not self.exists():
            raise self._error("is not there; build the index again")
        self._check_schema()
        self.connection.load(self.name)
        found = self.count()
        if found != self.n_rows:
            raise self._error(f"holds {found} rows, expected {self.n_rows}; build the index again")

    def exists(self) -> bool:
        """Whether Milvus has a collection of this name."""
        return bool(self.connection.call("has_collection", collection_name=self.name))

    def load(self, blocks: Iterable[RowBlock], progress: Progress | None = None) -> None:
        """Write what is not there yet: an interrupted load goes on where it stopped.

        Raises IndexStoreError: a collection of this name has another schema, or Milvus is lost.
        """
        if self.exists():
            self._check_schema()
        else:
            self._create()
        self.connection.load(self.name)
        fresh = self.count() == 0
        for block in blocks:
            stop = block.first + len(block.impacts)
            if fresh or self.count(block.first, stop) < stop - block.first:
                # An upsert, since one repeated after a lost answer must not double the rows.
                self._call("upsert", data=block.entities())
            if progress:
                progress(stop, self.n_rows, "paragraphs sent to Milvus")
        self._call("flush")
        self.check()

    def count(self, first: int = 0, stop: int | None = None) -> int:
        """How many of rows first to stop - 1 are there; all rows without `stop`."""
        rows = "" if stop is None else f"{ROW} >= {first} and {ROW} < {stop}"
        found = self._call(
            "query", filter=rows, output_fields=["count(*)"], consistency_level="Strong"
        )
        return int(found[0]["count(*)"])

    def search(
        self, field: str, queries: Sequence[Any], reach: int, excluded: slice
    ) -> list[tuple[Int64, Float32]]:
        """The best `reach` rows of each query, (rows, scores), in Milvus's order.

        excluded: rows left out. All queries go in one call, but for more than 2,000,000 hits.
        """
        start, stop, _ = excluded.indices(self.n_rows)
        given = {
            "anns_field": field,
            "limit": reach,
            "filter": f"{ROW} < {start} or {ROW} >= {stop}" if start < stop else "",
            "output_fields": [ROW],
            "search_params": {"metric_type": "IP"},
            "consistency_level": "Bounded",
        }
        at_once = max(1, _HITS_A_CALL // reach)
        found = [
            hits
            for i in range(0, len(queries), at_once)
            for hits in self._call("search", data=list(queries[i : i + at_once]), **given)
        ]
        return [(np.array(h.ids, np.int64), np.array(h.distances, np.float32)) for h in found]

    def vectors(self, rows: Int64) -> Float32:
        """(u,) rows -> (u, dim) their vectors, in one fetch for each 4,096."""
        vectors = np.empty((rows.size, self.dim or 0), dtype=np.float32)
        for i in range(0, rows.size, _ROWS_A_FETCH):
            wanted = rows[i : i + _ROWS_A_FETCH]
            held = {
                int(entity[ROW]): entity[VECTOR]
                for entity in self._fetch([VECTOR], ids=wanted.tolist())
            }
            if missing := set(wanted.tolist()) - held.keys():
                raise self._error(f"lacks row {min(missing)}; build the index again")
            vectors[i : i + wanted.size] = [held[row] for row in wanted.tolist()]
        return vectors

    def blocks(self) -> Iterator[RowBlock]:
        """All rows read back, in order, as they were written."""
        fields = [CASE, POSITION, IMPACTS, *([] if self.dim is None else [VECTOR])]
        for first in range(0, self.n_rows, BLOCK):
            stop = min(first + BLOCK, self.n_rows)
            entities = self._fetch(fields, filter=f"{ROW} >= {first} and {ROW} < {stop}")
            if len(entities) != stop - first:
                raise self._error(
                    f"holds {len(entities)} of the rows {first} to {stop - 1}; build the index again"
                )
            yield RowBlock.read(entities)

    def _fetch(self, fields: list[str], **which: Any) -> list[Any]:
        found = self._call(
            "query", output_fields=[ROW, *fields], consistency_level="Bounded", **which
        )
        return list(found)

    def _call(self, method: str, **given: Any) -> Any:
        return self.connection.call(method, collection_name=self.name, **given)

    def _create(self) -> None:
        from pymilvus import MilvusClient

        schema = MilvusClient.create_schema(auto_id=False, enable_dynamic_field=False)
        for name, (kind, dim) in self._fields().items():
            width = {} if dim is None else {"dim": dim}
            schema.add_field(name, kind, is_primary=name == ROW, **width)
        indexes = MilvusClient.prepare_index_params()
        indexes.add_index(IMPACTS, index_type="SPARSE_INVERTED_INDEX", metric_type="IP")
        if self.dim is not None:
            indexes.add_index(VECTOR, index_type="FLAT", metric_type="IP")
        self._call("create_collection", schema=schema, index_params=indexes)

    def _fields(self) -> dict[str, tuple[int, int | None]]:
        """Field -> its type and, for a vector, its width."""
        from pymilvus import DataType

        fields: dict[str, tuple[int, int | None]] = {
            name: (int(DataType.INT64), None) for name in (ROW, CASE, POSITION)
        }
        fields[IMPACTS] = int(DataType.SPARSE_FLOAT_VECTOR), None
        if self.dim is not None:
            fields[VECTOR] = int(DataType.FLOAT_VECTOR), self.dim
        return fields

    def _check_schema(self) -> None:
        described = self._call("describe_collection")
        found = {
            field["name"]: (int(field["type"]), field.get("params", {}).get("dim"))
            for field in described["fields"]
        }
        if found != self._fields():
            raise self._error(
                f"has the fields {', '.join(sorted(found))} or types that this product did not give "
                "it; nothing was written: drop it, or choose another Milvus"
            )

    def _error(self, what: str) -> IndexStoreError:
        return IndexStoreError(f"the collection {self.name} at {self.connection.uri} {what}")


def check_depth(depth: int) -> None:
    """Raises ConfigError for more hits than Milvus gives."""
    if depth > MOST_HITS:
        raise ConfigError(
            f"Milvus gives at most {MOST_HITS} hits a query paragraph, got depth {depth}; "
            f"ask for fewer: @depth={MOST_HITS}"
        )
