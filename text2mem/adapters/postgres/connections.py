"""Connections to a server: one pool a process and database, whichever tenants use it.

A connection is lent for a transaction, which names its tenant to the server; the policies of the
tables go by that name (schema/postgres). So nothing of a tenant stays with a connection, and a pool
between the program and the server may do as it likes.
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
"""A NUL as JSON has it; after an odd number of backslashes these are six characters."""
PATIENCE_SECONDS = 30
"""How long a writer waits for another one of its tenant, and anyone for a connection."""
MOST = 10
"""Connections of one process to one database."""
MOST_PARTITIONS = 256
_NAME = re.compile(r"[a-z_][a-z0-9_]{0,62}")


@dataclass(frozen=True, slots=True)
class Address:
    """Where a store is: what libpq is given, and the schema of the tables. No part is shown.

    ``partitions`` is how many its tables get where there are none yet.
    """

    conninfo: str
    schema: str = SCHEMA
    partitions: int = field(default=0, compare=False)

    def __repr__(self) -> str:
        return f"Address({self.shown!r})"

    @property
    def shown(self) -> str:
        """The address without its secrets."""
        parts = driver().conninfo.conninfo_to_dict(self.conninfo)
        where = parts.get("host") or "localhost"
        return f"postgres:{where}/{parts.get('dbname') or ''} ({self.schema})"


def address(url: str) -> Address:
    """``postgresql://…``, a libpq connection string, or nothing: what the environment says.

    ``schema=NAME`` in a url's query names the schema, ``partitions=N`` says in how many its tables
    are made (docs/scale-out.md). Raises ConfigurationError, MissingExtra.
    """
    psycopg, schema, partitions = driver(), SCHEMA, "0"
    if "://" in url:
        place, _, asked = url.partition("?")
        query = pairs(asked)
        named = dict(query)
        schema, partitions = named.get("schema", SCHEMA), named.get("partitions", "0")
        rest = joined(each for each in query if each[0] not in ("schema", "partitions"))
        url = f"{place}?{rest}" if rest else place
    if not _NAME.fullmatch(schema):
        raise ConfigurationError(
            f"'{schema}' names no schema", hint="small letters, digits and _, at most 63 of them"
        )
    if not re.fullmatch("[0-9]{1,4}", partitions) or int(partitions) > MOST_PARTITIONS:
        raise ConfigurationError(
            f"'{partitions}' is no number of partitions", hint=f"1 to {MOST_PARTITIONS}"
        )
    try:
        psycopg.conninfo.conninfo_to_dict(url)
    except psycopg.ProgrammingError:  # its words may be a part of the password
        raise ConfigurationError(
            "this is no address of a Postgres database",
            hint="postgres:postgresql://USER@HOST/DATABASE, or postgres: and libpq's variables",
        ) from None
    return Address(url, schema, int(partitions))


def _opened(where: Address) -> Any:
    """A pool. Raises StoreError where none can be had, StoreUnreachable where no server answers."""
    psycopg = driver()
    from psycopg_pool import ConnectionPool

    try:
        # By hand first: a pool tries again and again, and says only that it took too long.
        psycopg.connect(where.conninfo, connect_timeout=PATIENCE_SECONDS).close()
    except psycopg.Error as error:
        raise unusable(f"cannot open {where.shown}", where.conninfo, error) from None
    return ConnectionPool(
        where.conninfo,
        min_size=1, max_size=MOST, timeout=PATIENCE_SECONDS, open=True,
        kwargs={
            "autocommit": True, "row_factory": rows,
            "options": f"-c search_path={where.schema},public -c lock_timeout={PATIENCE_SECONDS}s",
        },
        configure=_configure,
    )  # fmt: skip


POOLS: Shared[Address, Any] = Shared(_opened, lambda pool: pool.close())
"""The pools of connections of this process."""


def _configure(connection: Any) -> None:
    """Texts are bound as text, so that no server has to guess."""
    from psycopg.types.string import StrDumper

    class Texts(StrDumper):
        """As text; a NUL is refused where it stands in JSON, too, whose readers stumble upon it."""

        def dump(self, obj: str) -> Any:
            if "\\u0000" in obj and _NUL.search(obj):
                raise driver().DataError("a text holds a NUL")
            return super().dump(obj)

    connection.adapters.register_dumper(str, Texts)


class Row(tuple[Any, ...]):
    """A row that goes by places and by names."""

    places: dict[str, int]

    def __getitem__(self, key: Any) -> Any:
        return tuple.__getitem__(self, self.places[key] if isinstance(key, str) else key)

    def keys(self) -> Iterable[str]:
        """The names, in the order of the places."""
        return self.places


@cache
def _shape(names: tuple[str, ...]) -> type[Row]:
    return type("Row", (Row,), {"places": {name: place for place, name in enumerate(names)}})


def rows(cursor: Any) -> Any:
    """psycopg's factory of rows."""
    return _shape(tuple(column.name for column in cursor.description or ()))
