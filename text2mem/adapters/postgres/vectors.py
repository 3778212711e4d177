"""The vectors of a tenant in a column of pgvector, searched exactly or by an HNSW index. All
tenants with vectors of the same length share an index. It only proposes: the vectors are compared
exactly."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from text2mem.adapters.base import Vector
from text2mem.adapters.ranking import SIMILARITY_DIGITS, near
from text2mem.adapters.sql.vectors import WIDTHS, Vectors

if TYPE_CHECKING:
    from text2mem.adapters.postgres.store import PostgresStore

MOST_NUMBERS = 2_000
"""The greatest length of vectors that pgvector can index."""

_EXACT = """SELECT pk, -(vector <#> CAST(:asked AS vector)) AS cosine FROM vectors
WHERE tenant = :tenant AND -(vector <#> CAST(:asked AS vector)) >= :least"""
_NEAREST = """SELECT pk, -(vector <#> CAST(:asked AS vector)) AS cosine FROM vectors
WHERE tenant = :tenant AND vector_dims(vector) = {dimension}
ORDER BY CAST(vector AS vector({dimension})) <#> CAST(:asked AS vector({dimension})) LIMIT :count"""
_SCAN = """SELECT set_config('hnsw.iterative_scan', 'strict_order', true),
set_config('hnsw.ef_search', '400', true)"""
"""The settings of a search by the index: 400 candidates at a time. With 40, one in five of the
twenty nearest were missed (docs/bench/postgres.md)."""
_INDEX = """CREATE INDEX IF NOT EXISTS vectors_near_{dimension} ON vectors
USING hnsw (CAST(vector AS vector({dimension})) vector_ip_ops)
WHERE vector_dims(vector) = {dimension}"""


class VectorIndex(Vectors):
    """The vectors of one tenant, stored and searched."""

    _mine: ClassVar[str] = "tenant = :tenant"
    _column: ClassVar[str] = "CAST(vector AS real[])"
    _store: PostgresStore

    def __init__(self, store: PostgresStore) -> None:
        super().__init__(store, {})
        self._were_many = False

    def _put(self, vectors: Mapping[str, Vector]) -> int:
        replaced = len(self._each("SELECT pk", vectors))
        self._store.many(
            "INSERT INTO vectors (tenant, pk, vector) VALUES (?, ?, CAST(? AS vector)) "
            "ON CONFLICT (tenant, pk) DO UPDATE SET vector = excluded.vector",
            [(self._store.tenant, int(id_), _text(v)) for id_, v in vectors.items()],
        )
        return replaced

    def remove(self, ids: Iterable[str]) -> None:
        self._were_many = False
        super().remove(ids)

    def drop(self) -> None:
        self._were_many = False
        super().drop()

    def _rankings(self, vector: Vector, threshold: float, count: int | None) -> Iterator[list[int]]:
        if count is not None and self._by_index(len(vector)):
            nearest = _NEAREST.format(dimension=len(vector))
            for width in WIDTHS:
                wanted = width * count
                rows = self._store.execute(nearest, asked=_text(vector), count=wanted).fetchall()
                hits = _ranked(rows, threshold)
                yield hits
                if len(rows) < wanted or 2 * len(hits) <= wanted:
                    return  # all other vectors are taken to be below the threshold
        least = threshold - 10.0**-SIMILARITY_DIGITS
        yield _ranked(self._store.execute(_EXACT, asked=_text(vector), least=least), threshold)

    def rebuild_index(self) -> None:
        held = self.held()
        if held is not None and held[1] <= MOST_NUMBERS and self._are_many():
            # CREATE INDEX takes no parameters; the length is an integer.
            self._store.execute(_INDEX.format(dimension=int(held[1])))

    def _by_index(self, dimension: int) -> bool:
        """Whether to search by the index; if so, set how it is scanned in this transaction."""
        name = f"vectors_near_{int(dimension)}"
        exists = self._store.scalar("SELECT to_regclass(:name) IS NOT NULL", name=name)
        if not exists or not self._are_many():
            return False
        # The scan continues until it has found as many vectors of this tenant as are wanted.
        self._store.execute(_SCAN)
        return True

    def _are_many(self) -> bool:
        """Whether there are many vectors. True is remembered until vectors are removed, because
        counting them takes longer than a search."""
        if not self._were_many:
            self._were_many = super()._are_many()
        return self._were_many


def _text(vector: Vector) -> str:
    return f"[{','.join(repr(float(number)) for number in vector)}]"


def _ranked(rows: Iterable[Any], threshold: float) -> list[int]:
    """The ids of rows (pk, cosine) that reach the threshold, most similar first, then by id."""
    return [int(id_) for id_ in near({str(row[0]): float(row[1]) for row in rows}, threshold)]
