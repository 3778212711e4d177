"""The dialect of Postgres: lists are bound as arrays, and a key begins with the tenant.

JSON is in columns of text. Facets are compared as ``json``, where 1 is not 1.0.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from text2mem.adapters.sql.dialect import Dialect


class PostgresDialect(Dialect):
    """See ``Dialect``."""

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
