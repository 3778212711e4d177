"""Connections to a Postgres server: one pool per process and database, for all tenants.

A connection is lent for one transaction, which sets its tenant for the policies of row-level
security (schema/postgres). Nothing of a tenant stays with it, so a transaction pool may stand
between the program and the server.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from text2mem.adapters.postgres.damage import driver, unusable
from text2mem.adapters.registry import joined, pairs
from text2mem.adapters.sharing import Shared
from text2mem.errors import ConfigurationError

SCHEMA = "text2mem"
_NUL = re.compile(r"(?<!\\)(?:\\\\)*\\u0000")
"""The escape of a NUL in JSON. If its backslash is itself escaped, it is ordinary text."""
PATIENCE_SECONDS = 30
"""How long a program waits for a lock or for a connection."""
MOST = 10
"""The most connections of a process to a database."""
MOST_PARTITIONS = 256
_NAME = re.compile(r"[a-z_][a-z0-9_]{0,62}")


@dataclass(frozen=True, slots=True)
class Address:
    """The database and the schema of a store. Its ``repr`` has no secrets."""

    conninfo: str
    """The connection string for libpq, which may hold a password."""
    schema: str = SCHEMA
    partitions: int = field(default=0, compare=False)
    """The number of partitions of tables that are still to be made; 0 is none."""

    def __repr__(self) -> str:
        return f"Address({self.shown!r})"

    @property
    def shown(self) -> str:
        """The address without secrets, for messages."""
        parts = driver().conninfo.conninfo_to_dict(self.conninfo)
        where = parts.get("host") or "localhost"
        return f"postgres:{where}/{parts.get('dbname') or ''} ({self.schema})"


def address(url: str) -> Address:
    """Parse the address of a store: ``postgresql://…``, a libpq connection string, or empty for
    libpq's environment variables. In the query of a url, ``schema=NAME`` is the schema,
    ``partitions=N`` the number of partitions of new tables (docs/scale-out.md). Raises
    ConfigurationError, MissingExtra."""
    schema, partitions = SCHEMA, "0"
    if "://" in url:
        place, _, query = url.partition("?")
        options = pairs(query)
        given = dict(options)
        schema, partitions = given.get("schema", SCHEMA), given.get("partitions", "0")
        rest = joined(pair for pair in options if pair[0] not in ("schema", "partitions"))
        url = f"{place}?{rest}" if rest else place
    if not _NAME.fullmatch(schema):
        raise ConfigurationError(
            f"'{schema}' names no schema", hint="small letters, digits and _, at most 63 of them"
        )
    if not re.fullmatch("[0-9]{1,4}", partitions) or int(partitions) > MOST_PARTITIONS:
        raise ConfigurationError(
            f"'{partitions}' is no number of partitions", hint=f"1 to {MOST_PARTITIONS}"
        )
    hint = "postgres:postgresql://USER@HOST/DATABASE, or postgres: and libpq's variables"
    require_address(url, hint)
    return Address(url, schema, int(partitions))


def require_address(conninfo: str, hint: str) -> None:
    """Raise ConfigurationError with this hint if libpq cannot parse a connection string."""
    psycopg = driver()
    try:
        psycopg.conninfo.conninfo_to_dict(conninfo)
    except psycopg.ProgrammingError:  # its message may quote a part of the password
        why = "this is no address of a Postgres database"
        raise ConfigurationError(why, hint=hint) from None


def opened_pool(conninfo: str, *, most: int, patience: int, **settings: Any) -> Any:
    """Open a pool of up to ``most`` connections; a program waits ``patience`` seconds for one.
    Raises psycopg.Error."""
    from psycopg_pool import ConnectionPool

    # One connection without the pool, whose only error would be a timeout after many attempts.
    driver().connect(conninfo, connect_timeout=patience).close()
    return ConnectionPool(
        conninfo, min_size=1, max_size=most, timeout=patience, open=True, **settings
    )


def _opened(where: Address) -> Any:
    """Open a pool. Raises StoreError if that fails, StoreUnreachable if no server answers."""
    options = f"-c search_path={where.schema},public -c lock_timeout={PATIENCE_SECONDS}s"
    try:
        return opened_pool(
            where.conninfo, most=MOST, patience=PATIENCE_SECONDS, configure=_configure,
            kwargs={"autocommit": True, "row_factory": rows, "options": options},
        )  # fmt: skip
    except driver().Error as error:
        raise unusable(f"cannot open {where.shown}", where.conninfo, error) from None


POOLS: Shared[Address, Any] = Shared(_opened, lambda pool: pool.close())
"""The pools of this process, by address."""


def _configure(connection: Any) -> None:
    """Bind every str as type text, so that the server need not infer its type."""
    from psycopg.types.string import StrDumper

    class Texts(StrDumper):
        """Binds a str as text. Refuses a NUL escaped in JSON, which Postgres could not read."""

        def dump(self, obj: str) -> Any:
            if "\\u0000" in obj and _NUL.search(obj):
                raise driver().DataError("a text holds a NUL")
            return super().dump(obj)

    connection.adapters.register_dumper(str, Texts)


class Row(tuple[Any, ...]):
    """A row whose columns are accessed by position or by name."""

    places: dict[str, int]
    """The positions of the columns, by name."""

    def __getitem__(self, key: Any) -> Any:
        return tuple.__getitem__(self, self.places[key] if isinstance(key, str) else key)

    def keys(self) -> Iterable[str]:
        """The names of the columns, in order."""
        return self.places


@cache
def _shape(names: tuple[str, ...]) -> type[Row]:
    """The class of rows with these columns."""
    return type("Row", (Row,), {"places": {name: place for place, name in enumerate(names)}})


def rows(cursor: Any) -> Any:
    """The row factory for psycopg."""
    return _shape(tuple(column.name for column in cursor.description or ()))
