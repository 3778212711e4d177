"""The stores that are measured: a file in a folder, or a schema of a Postgres."""

from __future__ import annotations

import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from text2mem.adapters.postgres.adapter import PostgresAdapter
from text2mem.adapters.postgres.connections import Address, address
from text2mem.adapters.postgres.damage import driver, hint_for, said
from text2mem.adapters.sql.adapter import SqlAdapter
from text2mem.adapters.sqlite.adapter import SqliteAdapter
from text2mem.errors import ConfigurationError, StoreError

_SETTINGS = "fsync", "synchronous_commit", "shared_buffers", "maintenance_work_mem"


class Place(ABC):
    """Where a store is measured. It goes to other processes."""

    name: str

    @abstractmethod
    def opened(self, tenant: str = "default", *, index: bool = False) -> SqlAdapter:
        """The store of a tenant; with ``index`` one that searches by an index of vectors."""

    @abstractmethod
    def begin(self) -> str:
        """What it runs on. Raises ConfigurationError where something is there already."""

    @abstractmethod
    def forget_index(self, dimension: int) -> None:
        """Drop the index of vectors, so that the next one is made of all of them at once."""

    @abstractmethod
    def settle(self) -> None:
        """What the database does of itself some time after many writes."""

    @abstractmethod
    def size(self) -> float:
        """Megabytes."""

    @abstractmethod
    def remove(self) -> None:
        """What was made for the measurement."""


@dataclass(frozen=True, slots=True)
class SqlitePlace(Place):
    """A file in a folder of its own, which goes with the folder."""

    folder: Path
    name = "sqlite"

    @property
    def path(self) -> Path:
        return self.folder / "store.db"

    def opened(self, tenant: str = "default", *, index: bool = False) -> SqliteAdapter:
        """With usearch, or every vector compared."""
        kind = "usearch" if index else "exact"
        return SqliteAdapter(self.path, tenant=tenant, vector_index=kind, vector_index_from=1)

    def begin(self) -> str:
        return f"SQLite {sqlite3.sqlite_version}, synchronous=NORMAL"

    def forget_index(self, dimension: int) -> None:
        """Nothing: it is made anew where it is told to."""

    def settle(self) -> None:
        """Nothing."""

    def size(self) -> float:
        return sum(p.stat().st_size for p in self.folder.glob("store.db*")) / 1e6

    def remove(self) -> None:
        """Nothing."""


@dataclass(frozen=True, slots=True)
class PostgresPlace(Place):
    """A schema of a database."""

    url: str
    name = "postgres"

    def opened(self, tenant: str = "default", *, index: bool = False) -> PostgresAdapter:
        """By HNSW once ``rebuild_vector_index`` was called, or every vector compared."""
        least = 1 if index else 1 << 62
        return PostgresAdapter(self.url, tenant=tenant, vector_index_from=least)

    def begin(self) -> str:
        with self._connected() as connection:
            where = self._where
            there = "SELECT to_regnamespace(%s) IS NOT NULL"
            if connection.execute(there, (where.schema,)).fetchone()[0]:
                raise ConfigurationError(
                    f"{where.shown} is there already",
                    hint="name a schema that is not there yet: ?schema=NAME",
                )
            one = "SELECT current_setting(%s)"
            version = connection.execute(one, ("server_version",)).fetchone()[0]
            held = [f"{s}={connection.execute(one, (s,)).fetchone()[0]}" for s in _SETTINGS]
            return f"Postgres {version}, {', '.join(held)}"

    def forget_index(self, dimension: int) -> None:
        with self._connected() as connection:
            connection.execute(
                f"DROP INDEX IF EXISTS {self._where.schema}.vectors_near_{dimension}"
            )

    def empty(self) -> None:
        """Delete every row of every tenant."""
        with self._connected() as connection:
            names = [name for name in self._tables(connection, "relname") if name != "migrations"]
            listed = ", ".join(f"{self._where.schema}.{name}" for name in names)
            connection.execute(f"TRUNCATE {listed} RESTART IDENTITY")

    def settle(self) -> None:
        with self._connected() as connection:
            names = self._tables(connection, "relname")
            # Names of tables are the schema's own.
            listed = ", ".join(f"{self._where.schema}.{name}" for name in names)
            connection.execute(f"VACUUM (ANALYZE) {listed}")

    def size(self) -> float:
        with self._connected() as connection:
            return float(sum(self._tables(connection, "pg_total_relation_size(oid)"))) / 1e6

    def remove(self) -> None:
        with self._connected() as connection:
            connection.execute(f"DROP SCHEMA IF EXISTS {self._where.schema} CASCADE")

    @property
    def _where(self) -> Address:
        return address(self.url)

    def _connected(self) -> closing[Any]:
        psycopg = driver()
        try:
            return closing(psycopg.connect(self._where.conninfo, autocommit=True))
        except psycopg.Error as error:
            raise StoreError(
                f"cannot open {self._where.shown}: {said(error)}", hint=hint_for(error)
            ) from None

    def _tables(self, connection: Any, what: str) -> list[Any]:
        """``what`` is a constant of this module."""
        rows = connection.execute(
            f"SELECT {what} FROM pg_class WHERE relkind = 'r' AND relnamespace = "  # noqa: S608
            "to_regnamespace(%s)",
            (self._where.schema,),
        )
        return [row[0] for row in rows]


def places(specs: Sequence[str], folder: Path) -> list[Place]:
    """``sqlite`` and ``postgres:URL``; files are made in the folder. Raises ConfigurationError."""
    found: list[Place] = []
    for spec in specs:
        name, _, rest = spec.partition(":")
        if name == "postgres":
            found.append(PostgresPlace(rest))
        elif spec == "sqlite":
            found.append(SqlitePlace(folder))
        else:
            raise ConfigurationError(
                f"'{spec}' cannot be measured", hint="--store sqlite, --store postgres:URL"
            )
    if len({place.name for place in found}) < len(found):
        raise ConfigurationError("a store is measured once", hint="name each --store once")
    return found


@contextmanager
def begun(held: Sequence[Place]) -> Iterator[list[tuple[Place, str]]]:
    """The places with what each runs on; what is made there goes at the end."""
    with ExitStack() as stack:
        found = []
        for place in held:
            found.append((place, place.begin()))
            stack.callback(place.remove)
        yield found
