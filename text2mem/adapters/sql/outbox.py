"""The outbox of a tenant: the memories whose changes are still to be delivered to a framework
(docs/backends.md).

The tables are ``mirrors`` (the framework), ``outbox`` (memories to be delivered) and ``kept`` (the
key of each delivered memory). Call ``mark`` in the transaction of the change, and ``delivered`` in
the one in which the memories were read and handed over.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from secrets import token_hex

from text2mem.adapters.sql.damage import guarded
from text2mem.adapters.sql.store import Store, id_of
from text2mem.ir.record import is_id

_EVERYTHING = (
    "INSERT INTO outbox (pk, tenant) SELECT pk, tenant FROM memories WHERE tenant = :tenant "
    "ON CONFLICT DO NOTHING"
)
_MARK = "INSERT INTO outbox (pk, tenant) VALUES (?, ?) ON CONFLICT DO NOTHING"
_FORGET = "DELETE FROM kept WHERE tenant = ? AND (pk = ? OR key = ?)"
_KEEP = "INSERT INTO kept (pk, tenant, key) VALUES (?, ?, ?)"


@guarded
class SqlOutbox:
    """The outbox of one tenant. It holds ids and the keys used in the framework, no content."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def begin(self, keeper: str, vectors: str) -> None:
        """Name the framework that mirrors the store from now on and the model of its vectors,
        within a transaction. A new one of either marks every memory; a new framework's keys are
        empty."""
        known = self._store.execute(
            "SELECT keeper, vectors FROM mirrors WHERE tenant = :tenant"
        ).fetchone()
        if known is not None and tuple(known) == (keeper, vectors):
            return
        if known is None or known["keeper"] != keeper:
            self._store.execute("DELETE FROM kept WHERE tenant = :tenant")
        self._store.execute(
            "INSERT INTO mirrors (tenant, keeper, vectors, origin) "
            "VALUES (:tenant, :keeper, :vectors, :origin) "
            "ON CONFLICT (tenant) DO UPDATE SET keeper = :keeper, vectors = :vectors",
            keeper=keeper, vectors=vectors, origin=token_hex(4),
        )  # fmt: skip
        self._store.execute(_EVERYTHING)

    @property
    def origin(self) -> str:
        """The random prefix of the keys that this store makes."""
        return str(self._store.scalar("SELECT origin FROM mirrors WHERE tenant = :tenant"))

    @property
    def removed(self) -> int:
        """How many memories were removed from the framework since it was last cleaned."""
        removed = self._store.scalar("SELECT removed FROM mirrors WHERE tenant = :tenant")
        return int(removed or 0)

    def record_cleaning(self, removed: int) -> None:
        """Record that the framework has been cleaned of ``removed`` of the removed memories."""
        self._store.execute(
            "UPDATE mirrors SET removed = removed - :removed WHERE tenant = :tenant",
            removed=removed,
        )

    def mark(self, ids: Iterable[str]) -> None:
        """Mark memories that have changed or are gone. Call it in the transaction of the change."""
        self._store.many(_MARK, [(self._store.pk(id_), self._store.number) for id_ in ids])

    def waiting(self, limit: int) -> Sequence[str]:
        """At most ``limit`` ids that are to be delivered, in order."""
        rows = self._store.rows(
            "SELECT pk FROM outbox WHERE tenant = :tenant ORDER BY pk LIMIT :limit", limit=limit
        )
        return [id_of(row[0]) for row in rows]

    def record_delivery(self, kept: Mapping[str, str], gone: Iterable[str]) -> None:
        """Record a delivery, within a transaction, and unmark its memories: ``kept`` are the keys
        by id that the framework now holds, ``gone`` the ids that it does not hold any more."""
        left = list(gone)
        self._of("DELETE FROM outbox", [*left, *kept])
        removed = self._of("DELETE FROM kept", left)
        self.adopt(kept)
        if removed:
            self._store.execute(
                "UPDATE mirrors SET removed = removed + :more WHERE tenant = :tenant", more=removed
            )

    def adopt(self, kept: Mapping[str, str]) -> None:
        """Record keys of the framework by id, in place of earlier ones of a memory or a key."""
        rows = [(self._store.pk(id_), self._store.number, key) for id_, key in kept.items()]
        self._store.many(_FORGET, [(number, pk, key) for pk, number, key in rows])
        self._store.many(_KEEP, rows)

    def keys(self, ids: Sequence[str]) -> Mapping[str, str]:
        """The keys of those memories that the framework holds, by id."""
        rows = self._store.rows(
            f"SELECT pk, key FROM kept WHERE {self._store.dialect.by_keys}",  # noqa: S608
            pks=self._pks(id_ for id_ in ids if is_id(id_)),
        )
        return {id_of(row["pk"]): row["key"] for row in rows}

    def ids(self, keys: Sequence[str]) -> Mapping[str, str]:
        """The ids of the memories that are held under these keys, by key."""
        dialect = self._store.dialect
        rows = self._store.rows(
            "SELECT pk, key FROM kept WHERE tenant = :tenant "  # noqa: S608
            f"AND {dialect.among('key', 'keys')}",
            keys=dialect.array(list(keys)),
        )
        return {row["key"]: id_of(row["pk"]) for row in rows}

    def held(self) -> Mapping[str, str]:
        """The keys of all memories that the framework holds, by id, in the order of ids."""
        rows = self._store.rows("SELECT pk, key FROM kept WHERE tenant = :tenant ORDER BY pk")
        return {id_of(row["pk"]): row["key"] for row in rows}

    def _of(self, statement: str, ids: Sequence[str]) -> int:
        """Execute a statement for the rows of these memories; how many rows it changed."""
        return self._store.execute(
            f"{statement} WHERE {self._store.dialect.by_keys}", pks=self._pks(ids)
        ).rowcount

    def _pks(self, ids: Iterable[str]) -> object:
        return self._store.dialect.array([self._store.pk(id_) for id_ in ids])
