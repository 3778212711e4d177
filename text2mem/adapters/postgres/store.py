"""The store of one tenant in a Postgres database: statements, keys, transactions, errors."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import lru_cache
from typing import Any, ClassVar

from text2mem.adapters.postgres import damage
from text2mem.adapters.postgres.connections import POOLS, Address
from text2mem.adapters.postgres.damage import driver, faults, unusable
from text2mem.adapters.postgres.vectors import VectorIndex
from text2mem.adapters.postgres.words import WordIndex
from text2mem.adapters.sql.database import Cursor, Dialect
from text2mem.adapters.sql.store import Store
from text2mem.errors import ConfigurationError
from text2mem.ir.json_values import half_a_character

_NAMED = re.compile(r":([a-z_][a-z_0-9]*)")
_NAME_TENANT = "SELECT set_config('text2mem.tenant', %s, true)"
_NOT_UNIQUE = "23505"
_LOCK = "SELECT 1 FROM tenants WHERE tenant = %s FOR UPDATE"


class PostgresDialect(Dialect):
    """Lists are bound as arrays. JSON is in columns of text. Facets are compared as ``json``, where
    1 is not 1.0."""

    mine: ClassVar[str] = "tenant = :tenant AND "
    own: ClassVar[str] = "tenant = :tenant"
    key: ClassVar[tuple[str, ...]] = ("tenant", "pk")
    join: ClassVar[str] = "JOIN"
    skip_locked: ClassVar[str] = "FOR UPDATE SKIP LOCKED"
    facets: ClassVar[str] = """(
    SELECT count(*) FROM json_each(CAST(:facets AS json)) AS wanted
    JOIN json_each(CAST(m.facets AS json)) AS held
        ON held.key = wanted.key
        AND coalesce(nullif(CAST(held.value AS text), '-0.0'), '0.0')
        = coalesce(nullif(CAST(wanted.value AS text), '-0.0'), '0.0')
) = :facet_count"""
    listed: ClassVar[str] = (
        "CAST(m.facets AS jsonb) -> CAST(:facet AS text) @> to_jsonb(CAST(:entry AS text))"
    )
    role: ClassVar[str] = "(CAST(facets AS json) ->> 'role') COLLATE \"C\""  # SQLite's order
    by_keys: ClassVar[str] = "tenant = :tenant AND pk = ANY(:pks)"

    def array(self, values: Sequence[object]) -> list[object]:
        return list(values)

    def among(self, column: str, parameter: str) -> str:
        return f"{column} = ANY(:{parameter})"

    def each(self, parameter: str, name: str, *, numbers: bool = False) -> str:
        return (
            f"unnest(CAST(:{parameter} AS {'bigint' if numbers else 'text'}[])) AS {name} (value)"
        )

    def holds(self, column: str, parameter: str) -> str:
        """The condition that the list contains the text; false if that is NULL."""
        return f"coalesce(jsonb_exists(CAST({column} AS jsonb), :{parameter}), false)"


class PostgresStore(Store):
    """The memories of one tenant in a Postgres database. A transaction that writes locks the
    tenant's row, so nobody else writes what it has read; one that only reads is a snapshot."""

    dialect: ClassVar[Dialect] = PostgresDialect()
    words: WordIndex
    vectors: VectorIndex

    def __init__(self, where: Address, tenant: str) -> None:
        super().__init__()
        psycopg = driver()
        self.faults = faults()
        self.name = where.shown
        self.tenant = self.number = tenant
        self._where = where
        self._pool = POOLS.take(where)
        self._connection: Any = None
        """The connection of the open transaction; None if none is open."""
        self._idle = psycopg.pq.TransactionStatus.IDLE
        self.words = WordIndex(self)
        self.vectors = VectorIndex(self)

    def begin_tenant(self) -> None:
        """Make the tenant's row and word index, if they are missing."""
        if self.scalar("SELECT 1 FROM tenants WHERE tenant = :tenant") is None:
            self.execute("INSERT INTO tenants (tenant) VALUES (:tenant) ON CONFLICT DO NOTHING")
        self._begin_words()

    def _close(self) -> None:
        POOLS.give_back(self._where)

    def execute(self, sql: str, **parameters: object) -> Cursor:
        """See ``Database.execute``. Outside a transaction, the statement gets one of its own."""
        with self._transacting() as connection, fitting():
            cursor: Cursor = connection.execute(
                translated(sql), {"tenant": self.tenant, **parameters}
            )
            return cursor

    def many(self, sql: str, rows: Iterable[Sequence[object]]) -> None:
        """See ``Database.many``. The statements are sent without waiting for each answer."""
        with self._transacting() as connection, fitting():
            connection.cursor().executemany(translated(sql), list(rows))

    def pk(self, id_: str) -> int:
        return int(id_)

    @property
    def in_transaction(self) -> bool:
        """Whether a transaction is open, and so a connection is taken from the pool."""
        return self._connection is not None

    def open(self, *, write: bool) -> None:
        """Take a connection, set the tenant, and lock the tenant's row or begin a snapshot."""
        try:
            self._connection = self._pool.getconn()
            mode = "" if write else " ISOLATION LEVEL REPEATABLE READ READ ONLY"
            self._connection.execute(f"BEGIN{mode}")
            self._connection.execute(_NAME_TENANT, (self.tenant,))
            if write:
                self._connection.execute(_LOCK, (self.tenant,))
        except self.faults as error:
            self.rollback()
            raise unusable(f"{self.name} cannot be used now", self._where.conninfo, error) from None

    def commit(self) -> None:
        """Commit, and return the connection to the pool."""
        self._connection.execute("COMMIT")
        self._return()

    def rollback(self) -> None:
        """Roll back, if a transaction is open, and return the connection to the pool."""
        if self._connection is None:
            return
        connection = self._connection
        try:
            if not connection.closed and connection.info.transaction_status != self._idle:
                connection.execute("ROLLBACK")
        except self.faults:
            connection.close()  # then the server rolls back
        finally:
            self._return()

    def _return(self) -> None:
        connection, self._connection = self._connection, None
        self._pool.putconn(connection)

    @contextmanager
    def _transacting(self) -> Iterator[Any]:
        """The connection of the open transaction, or one with a transaction for the body."""
        if self._connection is not None:
            yield self._connection
            return
        with self._pool.connection() as connection, connection.transaction():
            connection.execute(_NAME_TENANT, (self.tenant,))
            yield connection

    def vacuum(self, tables: Sequence[str]) -> None:
        """Have the server reclaim the space of deleted rows of tables, whose names are constants of
        the code. Call it outside any transaction."""
        with self._pool.connection() as connection:
            connection.execute(f"VACUUM {', '.join(tables)}")

    def has(self, tenant: str) -> bool:
        """Whether the tenant has a row in ``tenants``; it is read as that tenant, because row-level
        security hides it from others."""
        with closing(PostgresStore(self._where, tenant)) as other:
            return other.scalar("SELECT 1 FROM tenants WHERE tenant = :tenant") is not None

    def overlaps(self, error: Exception) -> bool:
        """Whether the error comes from a trigger, or from a unique index of ``memories`` other than
        the key. The name of an index differs between partitions, so it is not compared."""
        if not isinstance(error, driver().IntegrityError):
            return False
        if error.sqlstate != _NOT_UNIQUE:
            return bool(error.diag.message_primary == "fact-overlap")
        table, constraint = error.diag.table_name or "", error.diag.constraint_name or ""
        return table.startswith("memories") and not constraint.endswith("_pkey")

    busy = staticmethod(damage.busy)
    said = staticmethod(damage.said)
    hint = staticmethod(damage.hint_for)

    def malformed(self, error: BaseException) -> bool:
        return getattr(error, "sqlstate", None) == "22P02" and "json" in damage.said(error)

    def cause(self, error: BaseException) -> BaseException | None:
        """None, because a server's error may quote stored values."""
        return None

    def size(self) -> int | None:
        """The size in bytes of the schema's tables, of all tenants, with their indexes."""
        total = self.scalar(
            "SELECT sum(pg_total_relation_size(oid)) FROM pg_class "
            "WHERE relkind = 'r' AND relnamespace = CAST(current_schema() AS regnamespace)"
        )
        return None if total is None else int(total)


@contextmanager
def fitting() -> Iterator[None]:
    """Raise ConfigurationError if the body binds a text that Postgres cannot store."""
    try:
        yield
    except UnicodeEncodeError:
        raise half_a_character() from None
    except driver().DataError as error:
        if "NUL" not in str(error):
            raise
        raise ConfigurationError(
            "a text holds a NUL, which Postgres cannot store", hint="leave U+0000 out"
        ) from None


@lru_cache(maxsize=2048)
def translated(sql: str) -> str:
    """A shared statement in psycopg's form: ``%(name)s`` for ``:name``, ``%s`` for ``?``."""
    named = _NAMED.sub(r"%(\1)s", sql.replace("%", "%%"))
    return named.replace("?", "%s")
