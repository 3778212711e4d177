"""One tenant's share of a Postgres database: statements, keys, transactions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import lru_cache
from typing import Any, ClassVar

from text2mem.adapters.postgres import damage
from text2mem.adapters.postgres.connections import POOLS, Address
from text2mem.adapters.postgres.damage import driver, faults, unfit, unusable
from text2mem.adapters.postgres.dialect import PostgresDialect
from text2mem.adapters.postgres.vectors import VectorIndex
from text2mem.adapters.postgres.words import WordIndex
from text2mem.adapters.sql.database import Cursor
from text2mem.adapters.sql.dialect import Dialect
from text2mem.adapters.sql.store import Store

_NAMED = re.compile(r":([a-z_][a-z_0-9]*)")
_NAME_TENANT = "SELECT set_config('text2mem.tenant', %s, true)"
_NOT_UNIQUE = "23505"
_LOCK = "SELECT 1 FROM tenants WHERE tenant = %s FOR UPDATE"


class PostgresStore(Store):
    """One tenant's memories on a server.

    A transaction that writes holds the lock of the tenant's row, so that what it reads stays true
    until it is written; other tenants write meanwhile. One that reads is a snapshot.
    """

    dialect: ClassVar[Dialect] = PostgresDialect()
    words: WordIndex
    vectors: VectorIndex

    def __init__(self, where: Address, tenant: str) -> None:
        super().__init__()
        psycopg = driver()
        self.faults = faults()
        self.violations = (psycopg.IntegrityError,)
        self.name = where.shown
        self.tenant = self.number = tenant
        self._where = where
        self._pool = POOLS.take(where)
        self._connection: Any = None  # lent for the transaction that is running
        self._idle = psycopg.pq.TransactionStatus.IDLE
        self.words = WordIndex(self)
        self.vectors = VectorIndex(self)

    def begin_tenant(self) -> None:
        """The tenant's row, and the index of its words, where there is none yet."""
        if self.scalar("SELECT 1 FROM tenants WHERE tenant = :tenant") is None:
            self.execute("INSERT INTO tenants (tenant) VALUES (:tenant) ON CONFLICT DO NOTHING")
        self._begin_words()

    def _close(self) -> None:
        POOLS.give_back(self._where)

    # --- statements ------------------------------------------------------------------------

    def execute(self, sql: str, **parameters: object) -> Cursor:
        """By name; outside a transaction, in one of its own."""
        with self._transacting() as connection, fitting():
            found: Cursor = connection.execute(
                translated(sql), {"tenant": self.tenant, **parameters}
            )
            return found

    def many(self, sql: str, rows: Iterable[Sequence[object]]) -> None:
        """By position, without waiting for the answer to one before the next is sent."""
        with self._transacting() as connection, fitting():
            connection.cursor().executemany(translated(sql), list(rows))

    def pk(self, id_: str) -> int:
        return int(id_)

    # --- transactions ----------------------------------------------------------------------

    @property
    def in_transaction(self) -> bool:
        """Whether a connection is lent."""
        return self._connection is not None

    def open(self, *, write: bool) -> None:
        """Take a connection, name the tenant, and lock its row or take a snapshot."""
        try:
            self._connection = self._pool.getconn()
            how = "" if write else " ISOLATION LEVEL REPEATABLE READ READ ONLY"
            self._connection.execute(f"BEGIN{how}")
            self._connection.execute(_NAME_TENANT, (self.tenant,))
            if write:
                self._connection.execute(_LOCK, (self.tenant,))
        except self.faults as error:
            self.rollback()
            told = f"{self.name} cannot be used now"
            raise unusable(told, self._where.conninfo, error) from None

    def control(self, statement: str) -> None:
        self._connection.execute(statement)

    def commit(self) -> None:
        """COMMIT, and the connection goes back."""
        self._connection.execute("COMMIT")
        self._return()

    def rollback(self) -> None:
        """ROLLBACK, and the connection goes back."""
        if self._connection is None:
            return
        connection = self._connection
        try:
            if not connection.closed and connection.info.transaction_status != self._idle:
                connection.execute("ROLLBACK")
        except self.faults:
            connection.close()  # the server ends what it no longer hears of
        finally:
            self._return()

    def _return(self) -> None:
        connection, self._connection = self._connection, None
        self._pool.putconn(connection)

    @contextmanager
    def _transacting(self) -> Iterator[Any]:
        if self._connection is not None:
            yield self._connection
            return
        with self._pool.connection() as connection, connection.transaction():
            connection.execute(_NAME_TENANT, (self.tenant,))
            yield connection

    def vacuum(self, tables: Sequence[str]) -> None:
        """Let the server take back what is deleted; outside any transaction.

        The names of the tables are constants of the code.
        """
        with self._pool.connection() as connection:
            connection.execute(f"VACUUM {', '.join(tables)}")

    def has(self, tenant: str) -> bool:
        """As that tenant, who alone sees its row."""
        with closing(PostgresStore(self._where, tenant)) as other:
            return other.scalar("SELECT 1 FROM tenants WHERE tenant = :tenant") is not None

    # --- errors, and size ------------------------------------------------------------------

    def overlaps(self, error: Exception) -> bool:
        """By the index, which has a name of its own in a partition, and the triggers."""
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
        """None: a server's error quotes what was stored."""
        return None

    def size(self) -> int | None:
        """The tables of all tenants with their indexes."""
        found = self.scalar(
            "SELECT sum(pg_total_relation_size(oid)) FROM pg_class "
            "WHERE relkind = 'r' AND relnamespace = CAST(current_schema() AS regnamespace)"
        )
        return None if found is None else int(found)


@contextmanager
def fitting() -> Iterator[None]:
    """Raises ConfigurationError for a text that Postgres cannot hold."""
    try:
        yield
    except (UnicodeEncodeError, driver().DataError) as error:
        raise unfit(error) or error from None


@lru_cache(maxsize=2048)
def translated(sql: str) -> str:
    """A statement of ours as psycopg has it: ``%(name)s`` for ``:name``, ``%s`` for ``?``."""
    named = _NAMED.sub(r"%(\1)s", sql.replace("%", "%%"))
    return named.replace("?", "%s")
