"""Tables in partitions by the hash of the tenant (docs/scale-out.md).

Every table has the tenant first in its key, so that what belongs to a tenant lies in the partitions
of one number, whatever the table.
"""

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
"""The policy is for who reads a partition by its own name."""


def partitioned(statements: str, count: int) -> str:
    """The statements of a migration with each table in so many partitions; 0 leaves them."""

    def split(found: re.Match[str]) -> str:
        parts = [_PARTITION.format(name=found[1], n=n, count=count) for n in range(count)]
        return f"{found[0]} PARTITION BY HASH (tenant){''.join(parts)}"

    return _TABLE.sub(split, statements) if count else statements


def partitions(connection: Any, where: Address) -> int:
    """How many each table of a schema has; 0 where there are none.

    Raises StoreError where the address says another number.
    """
    found = int(
        connection.execute(
            "SELECT count(*) FROM pg_inherits WHERE inhparent = to_regclass(%s)",
            (f"{where.schema}.tenants",),
        ).fetchone()[0]
    )
    if where.partitions not in (0, found):
        raise StoreError(
            f"{where.shown} has {found or 'no'} partitions, and not {where.partitions}",
            hint="leave partitions= out, or move to a new schema by `text2mem migrate`",
        )
    return found
