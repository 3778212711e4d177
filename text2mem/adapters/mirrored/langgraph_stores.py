"""Opening LangGraph's own stores in a SQLite file or a Postgres database."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from text2mem.adapters.mirrored.place import Place
from text2mem.adapters.postgres.connections import opened_pool, require_address
from text2mem.adapters.postgres.damage import driver, hint_for, said
from text2mem.errors import ConfigurationError, StoreError, needing

if TYPE_CHECKING:
    from langgraph.store.base import BaseStore

PATIENCE = 5
"""Seconds that a program waits for the server. What fails then is delivered later."""
MOST = 4
"""The most connections of a store to its database."""
_TABLES = "SELECT to_regclass('store_vectors') IS NOT NULL"


@dataclass(frozen=True, slots=True)
class File:
    """The SQLite file of a store, for cleaning and closing it."""

    connection: sqlite3.Connection

    def swept(self, namespace: tuple[str, ...], keys: Sequence[str]) -> None:
        """Delete the vectors of removed keys, which SqliteStore leaves to a foreign key that it
        does not make SQLite enforce."""
        has_vectors = "SELECT 1 FROM sqlite_master WHERE name = 'store_vectors'"
        if self.connection.execute(has_vectors).fetchone() is not None:
            self.connection.executemany(
                "DELETE FROM store_vectors WHERE prefix = ? AND key = ?",
                [(".".join(namespace), key) for key in keys],
            )

    def erase(self) -> None:
        """Rewrite the file, and empty its write-ahead log."""
        self.connection.execute("VACUUM")
        self.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def close(self) -> None:
        self.connection.close()


@dataclass(frozen=True, slots=True)
class Database:
    """The Postgres database of a store, for cleaning and closing it."""

    pool: Any

    def swept(self, namespace: tuple[str, ...], keys: Sequence[str]) -> None:
        """Do nothing, because a foreign key deletes the vectors."""

    def erase(self) -> None:
        """Vacuum the tables; docs/postgres.md says what that leaves on the server."""
        with self.pool.connection() as connection:
            (vectors,) = connection.execute(_TABLES).fetchone()
            connection.execute("VACUUM store, store_vectors" if vectors else "VACUUM store")

    def close(self) -> None:
        self.pool.close()


def opened_file(at: Place, index: Any) -> tuple[BaseStore, File]:
    """Open a SqliteStore. Raises ConfigurationError, MissingExtra and StoreError."""
    with needing("LangGraph's store", extra="langgraph"):
        from langgraph.store.sqlite import SqliteStore
    try:
        connection = sqlite3.connect(at.path, isolation_level=None, check_same_thread=False)
        with ExitStack() as opened:
            opened.callback(connection.close)
            connection.execute("PRAGMA secure_delete = ON")
            connection.execute("PRAGMA busy_timeout = 30000")
            store = SqliteStore(connection, index=index)
            store.setup()
            opened.pop_all()
    except AttributeError as error:
        why = "LangGraph's search needs an extension of SQLite, and this Python loads none"
        hint = "leave search=framework out, or use a Python whose sqlite3 loads extensions"
        raise ConfigurationError(why, hint=hint) from error
    except sqlite3.Error as error:
        raise StoreError(f"cannot open {at.path} as a store of LangGraph: {error}") from error
    return store, File(connection)


def opened_database(at: Place, index: Any) -> tuple[BaseStore, Database]:
    """Open a PostgresStore. Its search is exact, because a vector index would cover all tenants.
    Raises ConfigurationError, MissingExtra and StoreError."""
    with needing("LangGraph's store in Postgres", extra="langgraph-postgres"):
        from langgraph.store.postgres import PostgresStore
        from psycopg_pool import ConnectionPool
    psycopg = driver()
    require_address(at.path, hint="langgraph:postgresql://USER@HOST/DATABASE?sidecar=FILE")
    try:
        pool = opened_pool(
            at.path, most=MOST, patience=PATIENCE, check=ConnectionPool.check_connection,
            kwargs={"autocommit": True, "prepare_threshold": 0},
        )  # fmt: skip
    except psycopg.Error as error:
        raise StoreError(f"cannot open {at.shown}: {said(error)}", hint=hint_for(error)) from None
    try:
        flat = None if index is None else {**index, "ann_index_config": {"kind": "flat"}}
        # Typed for a pool of dict rows, but every cursor asks for dict rows itself.
        store = PostgresStore(pool, index=flat)  # type: ignore[arg-type]
        store.setup()
    except psycopg.Error as error:
        pool.close()
        raise StoreError(
            f"cannot open {at.shown} as a store of LangGraph: {said(error)}", hint=hint_for(error)
        ) from None
    return store, Database(pool)
