"""Tables partitioned by the hash of the tenant (docs/scale-out.md). The tenant is the first column
of every key, so its rows are in the partition of the same number in every table."""

from __future__ import annotations

import re
from typing import Any

from text2mem.adapters.postgres.connections import Address
from text2mem.errors import StoreError

_TABLE = re.compile(r"CREATE TABLE (\w+) \(.*?\n\)(?=;)", re.DOTALL)
_PARTITION = """;
CREATE TABLE {name}_{n} PARTITION OF {name} FOR VALUES WITH (MODULUS {count}, REMAINDER {n});
ALTER TABLE {name}_{n} ENABLE ROW LEVEL SECURITY;
ALTER TABLE {name}_{n} FORCE ROW LEVEL SECURITY;
CREATE POLICY of_the_tenant ON {name}_{n}
    USING (tenant = (SELECT current_setting('text2mem.tenant', true)))"""
"""The statements of one partition. It needs a policy of its own, since it can be read by its own
name."""


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
        raise StoreError(
            f"{where.shown} has {count or 'no'} partitions, and not {where.partitions}",
            hint="leave partitions= out, or move to a new schema by `text2mem migrate`",
        )
    return count
