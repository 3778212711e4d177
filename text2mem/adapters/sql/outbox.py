"""The outbox of a tenant: which memories a framework beside the store has still to be told of.

It is three tables of keys, for whatever dialect (docs/backends.md). ``mark`` belongs into the
transaction of the change, so that no change is forgotten. ``delivered`` belongs into the one in
which the memories were read and handed over: nobody changes them meanwhile.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

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
    """One tenant's. It holds ids and the keys that a framework keeps memories under, no content."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def begin(self, keeper: str, vectors: str) -> None:
        """Mirror in this framework from now on, where it holds vectors of this model.

        One that is new here is to be told everything, and so is one of another model. Within the
        caller's transaction.
        """
        known = self._store.execute(
            "SELECT keeper, vectors FROM mirrors WHERE tenant = :tenant"
        ).fetchone()
        if known is not None and tuple(known) == (keeper, vectors):
            return
        if known is None or known["keeper"] != keeper:
            self._store.execute("DELETE FROM kept WHERE tenant = :tenant")
        self._store.execute(
            "INSERT INTO mirrors (tenant, keeper, vectors, origin) "  # noqa: S608
            f"VALUES (:tenant, :keeper, :vectors, {self._store.dialect.origin}) "
            "ON CONFLICT (tenant) DO UPDATE SET keeper = :keeper, vectors = :vectors",
            keeper=keeper, vectors=vectors,
        )  # fmt: skip
        self._store.execute(_EVERYTHING)

    @property
    def origin(self) -> str:
        """What the keys begin with that this store gives to its memories."""
        return str(self._store.scalar("SELECT origin FROM mirrors WHERE tenant = :tenant"))

    @property
    def removed(self) -> int:
        """How many memories have left the framework since it was last cleaned."""
        found = self._store.scalar("SELECT removed FROM mirrors WHERE tenant = :tenant")
        return 0 if found is None else int(found)

    def cleaned(self, removed: int) -> None:
        """The framework holds nothing any more of the first ``removed``."""
        self._store.execute(
            "UPDATE mirrors SET removed = removed - :removed WHERE tenant = :tenant",
            removed=removed,
        )

    def mark(self, ids: Iterable[str]) -> None:
        """These memories have changed, or are gone. Within the caller's transaction."""
        self._store.many(_MARK, [(self._store.pk(id_), self._store.number) for id_ in ids])

    def waiting(self, limit: int) -> Sequence[str]:
        """Ids that are to be told, in their order."""
        rows = self._store.execute(
            "SELECT pk FROM outbox WHERE tenant = :tenant ORDER BY pk LIMIT :limit", limit=limit
        )
        return [id_of(row[0]) for row in rows]

    def delivered(self, kept: Mapping[str, str], gone: Iterable[str]) -> None:
        """Held under these keys by id, and not held any more. Within the caller's transaction."""
        left = list(gone)
        self._of("DELETE FROM outbox", [*left, *kept])
        was_held = self._of("DELETE FROM kept", left)
        self._keep(kept)
        if was_held:
            self._store.execute(
                "UPDATE mirrors SET removed = removed + :more WHERE tenant = :tenant", more=was_held
            )

    def adopt(self, id_: str, key: str) -> None:
        """A memory is held under this key already, which is not one of ours."""
        self._keep({id_: key})

    def keys(self, ids: Sequence[str]) -> Mapping[str, str]:
        """The keys of those of the memories that are held, by id."""
        rows = self._store.execute(
            f"SELECT pk, key FROM kept WHERE {self._store.dialect.by_keys}",  # noqa: S608
            pks=self._pks(id_ for id_ in ids if is_id(id_)),
        )
        return {id_of(row["pk"]): row["key"] for row in rows}

    def ids(self, keys: Sequence[str]) -> Mapping[str, str]:
        """The ids behind keys, by key."""
        dialect = self._store.dialect
        rows = self._store.execute(
            "SELECT pk, key FROM kept WHERE tenant = :tenant "  # noqa: S608
            f"AND {dialect.among('key', 'keys')}",
            keys=dialect.array(list(keys)),
        )
        return {row["key"]: id_of(row["pk"]) for row in rows}

    def held(self) -> Mapping[str, str]:
        """The keys of all memories that are held, by id and in the order of ids."""
        rows = self._store.execute("SELECT pk, key FROM kept WHERE tenant = :tenant ORDER BY pk")
        return {id_of(row["pk"]): row["key"] for row in rows}

    def _keep(self, kept: Mapping[str, str]) -> None:
        rows = [(self._store.pk(id_), self._store.number, key) for id_, key in kept.items()]
        self._store.many(_FORGET, [(number, pk, key) for pk, number, key in rows])
        self._store.many(_KEEP, rows)

    def _of(self, statement: str, ids: Sequence[str]) -> int:
        """A statement on these memories; how many rows it has touched."""
        return self._store.execute(
            f"{statement} WHERE {self._store.dialect.by_keys}", pks=self._pks(ids)
        ).rowcount

    def _pks(self, ids: Iterable[str]) -> object:
        return self._store.dialect.array([self._store.pk(id_) for id_ in ids])
