"""The store of one tenant in a SQLite file: statements, keys, transactions, errors."""

from __future__ import annotations

import sqlite3
import weakref
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import ClassVar

from text2mem.adapters.registry import IN_MEMORY
from text2mem.adapters.sql.codec import to_json
from text2mem.adapters.sql.database import Dialect
from text2mem.adapters.sql.store import ID_BITS, Store
from text2mem.adapters.sqlite import damage
from text2mem.adapters.sqlite.vectors import VectorIndex
from text2mem.adapters.sqlite.words import WordIndex
from text2mem.errors import StoreBusy


class SqliteDialect(Dialect):
    """Lists are bound as JSON."""

    mine: ClassVar[str] = ""
    own: ClassVar[str] = "number = :tenant"
    key: ClassVar[tuple[str, ...]] = ("pk",)
    join: ClassVar[str] = "CROSS JOIN"
    skip_locked: ClassVar[str] = ""
    facets: ClassVar[str] = """(
    SELECT count(*) FROM json_each(:facets) AS wanted
    JOIN json_each(m.facets) AS held
        ON held.key = wanted.key AND held.type = wanted.type AND held.value IS wanted.value
) = :facet_count"""
    listed: ClassVar[str] = """EXISTS (
    SELECT 1 FROM json_each(m.facets, '$.' || json_quote(:facet)) AS held
    WHERE held.type = 'text' AND held.value = :entry
)"""
    role: ClassVar[str] = "json_extract(facets, '$.role')"
    # "+" keeps SQLite's planner from using another index than that of the key.
    by_keys: ClassVar[str] = "pk IN (SELECT value FROM json_each(:pks)) AND +tenant = :tenant"

    def array(self, values: Sequence[object]) -> str:
        return to_json(list(values))

    def among(self, column: str, parameter: str) -> str:
        return f"{column} IN (SELECT value FROM json_each(:{parameter}))"  # noqa: S608

    def each(self, parameter: str, name: str, *, numbers: bool = False) -> str:
        return f"json_each(:{parameter}) AS {name}"

    def holds(self, column: str, parameter: str) -> str:
        return f"EXISTS (SELECT 1 FROM json_each({column}) WHERE value = :{parameter})"  # noqa: S608


class SqliteStore(Store):
    """The memories of one tenant in a SQLite file."""

    dialect: ClassVar[Dialect] = SqliteDialect()
    faults = damage.DAMAGE
    words: WordIndex
    vectors: VectorIndex

    def __init__(self, connection: sqlite3.Connection, tenant: str, path: str) -> None:
        super().__init__()
        self.connection = connection
        # The connection is closed when the store is garbage-collected, as a file would be.
        weakref.finalize(self, connection.close).atexit = False
        self.name = path
        self.number: int = self._number(tenant)
        self._base = self.number << ID_BITS
        self.words = WordIndex(self)
        self.vectors = VectorIndex(self)
        self._begin_words()

    def execute(self, sql: str, **parameters: object) -> sqlite3.Cursor:
        return self.connection.execute(sql, {"tenant": self.number, **parameters})

    def many(self, sql: str, rows: Iterable[Sequence[object]]) -> None:
        self.connection.executemany(sql, rows)

    def pk(self, id_: str) -> int:
        """The tenant's number × 2^40 + the id."""
        return self._base + int(id_)

    @property
    def in_transaction(self) -> bool:
        return self.connection.in_transaction

    def open(self, *, write: bool) -> None:
        try:
            self.connection.execute("BEGIN IMMEDIATE" if write else "BEGIN")
        except sqlite3.OperationalError as error:
            raise StoreBusy(
                f"{self.name} is in use by another program: {error}", hint="try again"
            ) from error

    def commit(self) -> None:
        self.connection.execute("COMMIT")

    def rollback(self) -> None:
        self.connection.rollback()

    def _close(self) -> None:
        self.connection.close()

    def has(self, tenant: str) -> bool:
        return self.scalar("SELECT 1 FROM tenants WHERE tenant = :named", named=tenant) is not None

    def overlaps(self, error: Exception) -> bool:
        """Whether the error comes from the unique index or a trigger of migration 0007."""
        told = "fact-overlap" in str(error) or "memories.fact_key" in str(error)
        return told and isinstance(error, sqlite3.IntegrityError)

    busy = staticmethod(damage.busy)
    said = staticmethod(damage.said)
    hint = staticmethod(damage.hint_for)
    cause = staticmethod(damage.cause)

    def malformed(self, error: BaseException) -> bool:
        return isinstance(error, sqlite3.Error) and "malformed JSON" in str(error)

    def size(self) -> int | None:
        """The size of the file and its write-ahead log in bytes; None in memory."""
        if self.name == IN_MEMORY:
            return None
        files = (Path(f"{self.name}{end}") for end in ("", "-wal"))
        return sum(file.stat().st_size for file in files if file.exists())

    def _number(self, tenant: str) -> int:
        """The number of a tenant, who is added if new."""
        find = "SELECT number FROM tenants WHERE tenant = ?"
        row = self.connection.execute(find, (tenant,)).fetchone()
        if row is None:
            self.connection.execute(
                "INSERT INTO tenants (tenant) VALUES (?) ON CONFLICT DO NOTHING", (tenant,)
            )
            row = self.connection.execute(find, (tenant,)).fetchone()
        return int(row[0])
