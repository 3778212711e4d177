"""Migrations of a Postgres schema: the files of ``schema/postgres`` in the order of their names.
The missing ones are applied in one transaction and recorded in the table ``migrations``.

Tables may be partitioned by the hash of the tenant (docs/scale-out.md). The tenant is the first
column of every key, so its rows are in the partition of the same number in every table.
"""

from __future__ import annotations

import re
from typing import Any

from text2mem import resources
from text2mem.adapters.postgres.connections import POOLS, Address
from text2mem.adapters.postgres.damage import driver, unusable
from text2mem.clock import SystemClock
from text2mem.errors import StoreError
from text2mem.ir.times.temporal import format_instant

_FOLDER = "schema/postgres"
_LOCK = 0x74326D31
"""The advisory lock that makes other processes wait while one migrates."""
_TABLE = re.compile(r"CREATE TABLE (\w+) \(.*?\n\)(?=;)", re.DOTALL)
_PARTITION = """;
CREATE TABLE {name}_{n} PARTITION OF {name} FOR VALUES WITH (MODULUS {count}, REMAINDER {n});
ALTER TABLE {name}_{n} ENABLE ROW LEVEL SECURITY;
ALTER TABLE {name}_{n} FORCE ROW LEVEL SECURITY;
CREATE POLICY of_the_tenant ON {name}_{n}
    USING (tenant = (SELECT current_setting('text2mem.tenant', true)))"""
"""The statements of one partition. It needs a policy of its own, since it can be read by its own
name."""


def migrate(where: Address) -> None:
    """Apply the missing migrations, and make the schema if there is none. Raises StoreError if it
    is of a newer version, or holds tables of something else."""
    psycopg, pool = driver(), POOLS.take(where)
    try:
        with pool.connection() as connection:
            known = [name for name in resources.names(_FOLDER) if name.endswith(".sql")]
            applied = _applied(connection, where)
            if applied:
                partitions(connection, where)
            if applied == set(known):
                return
            with connection.transaction():
                connection.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
                _apply(connection, where, known)
    except psycopg.Error as error:
        raise unusable(f"{where.shown} cannot be used as a store", where.conninfo, error) from None
    finally:
        POOLS.give_back(where)


def _apply(connection: Any, where: Address, known: list[str]) -> None:
    """Apply those of the ``known`` migrations that are missing, within a transaction."""
    applied = _applied(connection, where)
    newer = sorted(applied - set(known))
    if newer:
        raise StoreError(
            f"{where.shown} was written by a newer version of text2mem (it knows "
            f"{', '.join(newer)})",
            hint="upgrade text2mem, or use another schema",
        )
    _require_vectors(connection, where)
    if not applied:
        # The name of a schema cannot be bound; it consists of small letters, digits and _.
        connection.execute(f"CREATE SCHEMA IF NOT EXISTS {where.schema}")
        connection.execute(
            "CREATE TABLE migrations "
            '(name TEXT COLLATE "C" PRIMARY KEY, applied_at TEXT COLLATE "C" NOT NULL)'
        )
    count = partitions(connection, where) if applied else where.partitions
    for name in known:
        if name not in applied:
            connection.execute(partitioned(resources.read_text(_FOLDER, name), count))
            connection.execute(
                "INSERT INTO migrations (name, applied_at) VALUES (%s, %s)",
                (name, format_instant(SystemClock().now())),
            )


def _applied(connection: Any, where: Address) -> set[str]:
    """The recorded migrations of a schema. Raises StoreError if it has other tables."""
    tables = connection.execute(
        "SELECT 1 FROM pg_class "
        "WHERE relnamespace = to_regnamespace(%s) AND relkind IN ('r', 'p', 'v')",
        (where.schema,),
    )
    if tables.fetchone() is None:
        return set()
    columns = connection.execute(
        "SELECT attname FROM pg_attribute "
        "WHERE attrelid = to_regclass(%s) AND attnum > 0 AND NOT attisdropped",
        (f"{where.schema}.migrations",),
    )
    if {row[0] for row in columns} != {"name", "applied_at"}:
        hint = "choose another one: ?schema=NAME at the end of the address"
        raise StoreError(f"{where.shown}: the schema holds tables of something else", hint=hint)
    # With the schema's name, so that no table of another schema in the search path is read.
    return {row[0] for row in connection.execute(f"SELECT name FROM {where.schema}.migrations")}  # noqa: S608


def _require_vectors(connection: Any, where: Address) -> None:
    """Create the extension pgvector. Raises StoreError if the server does not have it."""
    if connection.execute("SELECT 1 FROM pg_extension WHERE extname = 'vector'").fetchone():
        return
    available = connection.execute(
        "SELECT 1 FROM pg_available_extensions WHERE name = 'vector'"
    ).fetchone()
    if not available:
        hint = "install the extension `vector` on the server"
        raise StoreError(f"{where.shown} is on a server without pgvector", hint=hint)
    connection.execute("CREATE EXTENSION IF NOT EXISTS vector WITH SCHEMA public")


def partitioned(statements: str, count: int) -> str:
    """The statements of a migration that make each table in ``count`` partitions; 0 is none."""

    def split(table: re.Match[str]) -> str:
        parts = [_PARTITION.format(name=table[1], n=n, count=count) for n in range(count)]
        return f"{table[0]} PARTITION BY HASH (tenant){''.join(parts)}"

    return _TABLE.sub(split, statements) if count else statements


def partitions(connection: Any, where: Address) -> int:
    """The number of partitions of each table of a schema; 0 if it has none. Raises StoreError if
    the address gives another number."""
    count = int(
        connection.execute(
            "SELECT count(*) FROM pg_inherits WHERE inhparent = to_regclass(%s)",
            (f"{where.schema}.tenants",),
        ).fetchone()[0]
    )
    if where.partitions not in (0, count):
        why = f"{where.shown} has {count or 'no'} partitions, and not {where.partitions}"
        hint = "leave partitions= out, or move to a new schema by `text2mem migrate`"
        raise StoreError(why, hint=hint)
    return count
