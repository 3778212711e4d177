"""Vectors in a column of pgvector: every one of a tenant compared, or the near ones by HNSW.

An index of HNSW is one for all tenants with vectors of the same length. It proposes; what it
proposes is compared exactly, so that nothing is found that is not there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from text2mem.adapters.base import Embedding, Vector
from text2mem.adapters.ranking import SIMILARITY_DIGITS, near
from text2mem.adapters.sql.vectors import WIDTHS, Vectors

if TYPE_CHECKING:
    from text2mem.adapters.postgres.store import PostgresStore

MOST_NUMBERS = 2_000
"""The longest vectors that pgvector indexes."""

_EXACT = """SELECT pk, -(vector <#> CAST(:asked AS vector)) AS cosine FROM vectors
WHERE tenant = :tenant AND -(vector <#> CAST(:asked AS vector)) >= :least"""
_NEAREST = """SELECT pk, -(vector <#> CAST(:asked AS vector)) AS cosine FROM vectors
WHERE tenant = :tenant AND vector_dims(vector) = {dimension}
ORDER BY CAST(vector AS vector({dimension})) <#> CAST(:asked AS vector({dimension})) LIMIT :count"""
_SCAN = """SELECT set_config('hnsw.iterative_scan', 'strict_order', true),
set_config('hnsw.ef_search', '400', true)"""
"""How the index is walked: 400 candidates at a time. With 40 one in five of the twenty nearest were
missed (docs/bench/postgres.md)."""
_INDEX = """CREATE INDEX IF NOT EXISTS vectors_near_{dimension} ON vectors
USING hnsw (CAST(vector AS vector({dimension})) vector_ip_ops)
WHERE vector_dims(vector) = {dimension}"""


class VectorIndex(Vectors):
    """The vectors of one tenant."""

    _mine: ClassVar[str] = "tenant = :tenant"
    _store: PostgresStore

    def __init__(self, store: PostgresStore) -> None:
        super().__init__(store, {})
        self._were_many = False

    # --- writing ---------------------------------------------------------------------------

    def put(self, vectors: Mapping[str, Vector], embedding: Embedding) -> None:
        if not vectors:
            return
        self._suit(vectors, embedding)
        there = self._store.scalar(
            "SELECT count(*) FROM vectors WHERE tenant = :tenant AND pk = ANY(:pks)",
            pks=[int(id_) for id_ in vectors],
        )
        self._store.many(
            "INSERT INTO vectors (tenant, pk, vector) VALUES (?, ?, CAST(? AS vector)) "
            "ON CONFLICT (tenant, pk) DO UPDATE SET vector = excluded.vector",
            [(self._store.tenant, int(id_), _text(v)) for id_, v in vectors.items()],
        )
        self._counted(made=len(vectors) - there, changed=there)

    def remove(self, ids: Iterable[str]) -> None:
        gone = self._store.execute(
            "DELETE FROM vectors WHERE tenant = :tenant AND pk = ANY(:pks)",
            pks=[int(id_) for id_ in ids],
        ).rowcount
        if gone:
            self._were_many = False
            self._counted(changed=gone)

    def drop(self) -> None:
        self._were_many = False
        super().drop()

    # --- reading ---------------------------------------------------------------------------

    def of(self, ids: Iterable[str]) -> Mapping[str, Vector]:
        rows = self._store.execute(
            "SELECT pk, CAST(vector AS real[]) FROM vectors "
            "WHERE tenant = :tenant AND pk = ANY(:pks)",
            pks=[int(id_) for id_ in ids],
        )
        return {str(pk): numbers for pk, numbers in rows}

    def _rankings(self, vector: Vector, threshold: float, count: int | None) -> Iterator[list[int]]:
        if count is not None and self._by_index(len(vector)):
            nearest = _NEAREST.format(dimension=len(vector))
            for width in WIDTHS:
                wanted = width * count
                found = self._store.execute(nearest, asked=_text(vector), count=wanted).fetchall()
                hits = _ranked(found, threshold)
                yield hits
                if len(found) < wanted or 2 * len(hits) <= wanted:
                    return  # the rest of all vectors is too far away
        least = threshold - 10.0**-SIMILARITY_DIGITS
        yield _ranked(self._store.execute(_EXACT, asked=_text(vector), least=least), threshold)

    # --- the index -------------------------------------------------------------------------

    def rebuild_index(self) -> None:
        """An index for vectors as long as the tenant's, where it has many."""
        held = self.held()
        if held is not None and held[1] <= MOST_NUMBERS and self._are_many():
            # A statement of definition takes no parameters; the number is an integer of ours.
            self._store.execute(_INDEX.format(dimension=int(held[1])))

    def _by_index(self, dimension: int) -> bool:
        name = f"vectors_near_{int(dimension)}"
        there = self._store.scalar("SELECT to_regclass(:name) IS NOT NULL", name=name)
        if not there or not self._are_many():
            return False
        # Ever further along the index, until there are as many of this tenant's as are wanted.
        self._store.execute(_SCAN)
        return True

    def _are_many(self) -> bool:
        """Once there are, they are not counted with every search, which takes longer than it."""
        if not self._were_many:
            self._were_many = super()._are_many()
        return self._were_many


def _text(vector: Vector) -> str:
    return f"[{','.join(repr(float(number)) for number in vector)}]"


def _ranked(rows: Iterable[Any], threshold: float) -> list[int]:
    found = near({str(row[0]): float(row[1]) for row in rows}, threshold)
    return [int(id_) for id_ in found]
