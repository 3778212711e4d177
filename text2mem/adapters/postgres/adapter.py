"""The adapter of a store in a schema of a Postgres database."""

from __future__ import annotations

from typing import ClassVar

from text2mem.adapters.postgres.connections import address
from text2mem.adapters.postgres.damage import unusable
from text2mem.adapters.postgres.migrations import migrate
from text2mem.adapters.postgres.store import PostgresStore
from text2mem.adapters.sql.adapter import SqlAdapter
from text2mem.adapters.sql.damage import guarded
from text2mem.adapters.sql.journal import changes_so_far
from text2mem.adapters.sql.vectors import MANY
from text2mem.errors import StoreError

_ERASED_FROM = (
    "memories", "memory_tags", "terms", "vectors", "beliefs", "journal", "queue", "heard", "broken",
)  # fmt: skip
"""The tables that held content of erased memories."""


@guarded
class PostgresAdapter(SqlAdapter):
    """An adapter of one tenant of a schema of a database."""

    name: ClassVar[str] = "postgres"
    opens: ClassVar[type[PostgresStore]] = PostgresStore
    """The class of its store. The bench opens one that explains its statements."""
    _store: PostgresStore

    def __init__(
        self, url: str = "", *, tenant: str = "default", vector_index_from: int = MANY
    ) -> None:
        """Connect to the server, and make or migrate the tables. Raises StoreError,
        ConfigurationError, MissingExtra.

        ``url`` is ``postgresql://…`` or what else libpq takes; empty means its environment
        variables. From ``vector_index_from`` vectors on, ``reindex`` makes an index of them.
        """
        super().__init__(tenant)
        self.url = url
        self.again = lambda tenant: PostgresAdapter(
            url, tenant=tenant, vector_index_from=vector_index_from
        )
        where = address(url)
        migrate(where)
        self._store = self.opens(where, tenant)
        self._store.vectors.many = vector_index_from
        try:
            self._store.begin_tenant()
        except StoreError:
            self._store.close()
            raise
        except self._store.faults as error:
            self._store.close()
            message = f"{where.shown} cannot be used as a store"
            raise unusable(message, where.conninfo, error) from None

    def state(self) -> int:
        """The number of the tenant's changes and registries; other tenants do not count."""
        registries = self._store.scalar("SELECT count(*) FROM registries WHERE tenant = :tenant")
        return changes_so_far(self._store) + int(registries)

    def finish_erasures(self, *, patient: bool = False) -> bool:
        """Vacuum the tables, if the call is ``patient``. Always True: no statement finds erased
        rows. docs/postgres.md says what the server's files, logs and copies may still hold."""
        if patient and not self._store.in_transaction and (erased := self._store.erasing):
            self._store.vacuum(_ERASED_FROM)
            self._store.set_tenant("erasing = erasing - :erased", erased=erased)
        return True
