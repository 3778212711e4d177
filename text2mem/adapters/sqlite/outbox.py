"""The outbox in SQLite: three tables of keys (schema/sql/0008_outbox.sql)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence

from text2mem.adapters.sql.damage import guarded
from text2mem.adapters.sql.store import ID_BITS
from text2mem.adapters.sqlite.store import SqliteStore
from text2mem.ir.record import is_id

_EVERYTHING = (
    "INSERT OR IGNORE INTO outbox (pk, tenant) "
    "SELECT pk, tenant FROM memories WHERE tenant = :tenant"
)


@guarded
class SqliteOutbox:
    """One tenant's."""

    def __init__(self, store: SqliteStore) -> None:
        self._store = store

    def begin(self, keeper: str, vectors: str) -> None:
        """Within the caller's transaction."""
        known = self._store.execute(
            "SELECT keeper, vectors FROM mirrors WHERE tenant = :tenant"
        ).fetchone()
        if known is not None and tuple(known) == (keeper, vectors):
            return
        if known is None or known["keeper"] != keeper:
            self._store.execute("DELETE FROM kept WHERE tenant = :tenant")
        self._store.execute(
            "INSERT INTO mirrors (tenant, keeper, vectors, origin) "
            "VALUES (:tenant, :keeper, :vectors, lower(hex(randomblob(4)))) "
            "ON CONFLICT (tenant) DO UPDATE SET keeper = :keeper, vectors = :vectors",
            keeper=keeper, vectors=vectors,
        )  # fmt: skip
        self._store.execute(_EVERYTHING)

    @property
    def origin(self) -> str:
        """Made when the mirror began."""
        return str(self._store.scalar("SELECT origin FROM mirrors WHERE tenant = :tenant"))

    @property
    def removed(self) -> int:
        """Since the last ``cleaned``."""
        found = self._store.scalar("SELECT removed FROM mirrors WHERE tenant = :tenant")
        return 0 if found is None else int(found)

    def cleaned(self, removed: int) -> None:
        """Those that have left meanwhile are for the next time."""
        self._store.execute(
            "UPDATE mirrors SET removed = removed - :removed WHERE tenant = :tenant",
            removed=removed,
        )

    def mark(self, ids: Iterable[str]) -> None:
        """Within the caller's transaction."""
        self._store.connection.executemany(
            "INSERT OR IGNORE INTO outbox (pk, tenant) VALUES (?, ?)",
            [(self._store.pk(id_), self._store.number) for id_ in ids],
        )

    def waiting(self, limit: int) -> Sequence[str]:
        """In id order."""
        rows = self._store.execute(
            "SELECT pk FROM outbox WHERE tenant = :tenant ORDER BY pk LIMIT :limit", limit=limit
        )
        return [_id(row[0]) for row in rows]

    def delivered(self, kept: Mapping[str, str], gone: Iterable[str]) -> None:
        """Within the caller's transaction."""
        number, left = self._store.number, [(self._store.pk(id_),) for id_ in gone]
        there = [(self._store.pk(id_), number, key) for id_, key in kept.items()]
        run = self._store.connection.executemany
        run("DELETE FROM outbox WHERE pk = ?", [*left, *((pk,) for pk, *_ in there)])
        was_held = run("DELETE FROM kept WHERE pk = ?", left).rowcount
        run("INSERT OR REPLACE INTO kept (pk, tenant, key) VALUES (?, ?, ?)", there)
        if left and was_held:
            self._store.execute(
                "UPDATE mirrors SET removed = removed + :more WHERE tenant = :tenant",
                more=was_held,
            )

    def adopt(self, id_: str, key: str) -> None:
        """Within the caller's transaction."""
        self._store.execute(
            "INSERT OR REPLACE INTO kept (pk, tenant, key) VALUES (:pk, :tenant, :key)",
            pk=self._store.pk(id_), key=key,
        )  # fmt: skip

    def keys(self, ids: Sequence[str]) -> Mapping[str, str]:
        """By the key of the memory."""
        rows = self._store.execute(
            "SELECT pk, key FROM kept WHERE pk IN (SELECT value FROM json_each(:pks)) "
            "AND +tenant = :tenant",
            pks=json.dumps([self._store.pk(id_) for id_ in ids if is_id(id_)]),
        )
        return {_id(row["pk"]): row["key"] for row in rows}

    def ids(self, keys: Sequence[str]) -> Mapping[str, str]:
        """By the index of keys."""
        rows = self._store.execute(
            "SELECT pk, key FROM kept WHERE tenant = :tenant "
            "AND key IN (SELECT value FROM json_each(:keys))",
            keys=json.dumps(list(keys)),
        )
        return {row["key"]: _id(row["pk"]) for row in rows}

    def held(self, after: str, limit: int) -> Sequence[str]:
        """In id order."""
        rows = self._store.execute(
            "SELECT pk FROM kept WHERE pk > :after AND pk < :end ORDER BY pk LIMIT :limit",
            after=self._store.pk(after), end=self._store.end, limit=limit,
        )  # fmt: skip
        return [_id(row[0]) for row in rows]


def _id(pk: int) -> str:
    return str(pk & ((1 << ID_BITS) - 1))
