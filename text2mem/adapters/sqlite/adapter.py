"""The adapter of a store in a SQLite file."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from text2mem.adapters.registry import IN_MEMORY
from text2mem.adapters.sql.adapter import SqlAdapter
from text2mem.adapters.sql.damage import guarded
from text2mem.adapters.sql.vectors import MANY
from text2mem.adapters.sqlite import erasure
from text2mem.adapters.sqlite.damage import DAMAGE, cause
from text2mem.adapters.sqlite.database import open_database, pragma, unusable
from text2mem.adapters.sqlite.store import SqliteStore
from text2mem.errors import ConfigurationError, require_installed
from text2mem.ir.json_values import half_a_character
from text2mem.settings import EXACT, VECTOR_INDEXES, Settings


@guarded
class SqliteAdapter(SqlAdapter):
    """An adapter of one tenant of a database file, or of a database in memory (``:memory:``)."""

    name: ClassVar[str] = "sqlite"
    _store: SqliteStore

    def __init__(
        self,
        path: str | Path = IN_MEMORY,
        *,
        tenant: str = "default",
        synchronous: str = "NORMAL",
        vector_index: str | None = None,
        vector_index_from: int = MANY,
    ) -> None:
        """Open the file, and make it if it is missing. Raises ConfigurationError, StoreError,
        MissingExtra.

        ``synchronous`` is SQLite's setting, "NORMAL" or "FULL"; ``vector_index`` is "exact" or
        "usearch" (None is what TEXT2MEM_VECTOR_INDEX says), used from ``vector_index_from`` vectors
        on (docs/store.md).
        """
        super().__init__(tenant)
        by_graph = _by_graph(vector_index)
        self.path = str(path)
        connection = open_database(path, synchronous=synchronous)
        try:
            self._store = SqliteStore(connection, tenant, self.path)
        except UnicodeEncodeError:
            connection.close()
            raise half_a_character() from None
        except (*DAMAGE, TypeError, ValueError) as error:
            connection.close()
            raise unusable(path, error) from cause(error)
        if self.path != IN_MEMORY:
            self.again = lambda tenant: SqliteAdapter(
                path, tenant=tenant, synchronous=synchronous, vector_index=vector_index,
                vector_index_from=vector_index_from,
            )  # fmt: skip
        if by_graph:
            self._store.vectors.use_graph(vector_index_from)

    def state(self) -> int:
        """SQLite's ``data_version``, which changes when another connection commits."""
        return pragma(self._store.connection, "data_version")

    def finish_erasures(self, *, patient: bool = False) -> bool:
        return erasure.finish(self._store, patient=patient)


def _by_graph(named: str | None) -> bool:
    """Whether to search by usearch's graph. Raises ConfigurationError, MissingExtra."""
    index = Settings.from_environment().vector_index if named is None else named
    if index not in VECTOR_INDEXES:
        hint = f"TEXT2MEM_VECTOR_INDEX is one of: {', '.join(VECTOR_INDEXES)}"
        raise ConfigurationError(f"there is no index of vectors '{index}'", hint=hint)
    if index != EXACT:  # before a file is made
        require_installed("an index of vectors", "usearch", extra="ann")
    return index != EXACT
