"""The dialect of SQLite: lists are bound as JSON, and a key contains the tenant's number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from text2mem.adapters.sql.codec import to_json
from text2mem.adapters.sql.dialect import Dialect


class SqliteDialect(Dialect):
    """See ``Dialect``."""

    mine: ClassVar[str] = ""
    own: ClassVar[str] = "number = :tenant"
    key: ClassVar[tuple[str, ...]] = ("pk",)
    join: ClassVar[str] = "CROSS JOIN"
    skip_locked: ClassVar[str] = ""
    facets: ClassVar[str] = """(
    SELECT count(*) FROM json_each(:facets) AS wanted
    JOIN json_each(m.facets) AS held
        ON held.key = wanted.key AND held.type = wanted.type AND held.value IS wanted.value
) = :facet_count"""
    listed: ClassVar[str] = """EXISTS (
    SELECT 1 FROM json_each(m.facets, '$.' || json_quote(:facet)) AS held
    WHERE held.type = 'text' AND held.value = :entry
)"""
    role: ClassVar[str] = "json_extract(facets, '$.role')"
    # "+" keeps SQLite's planner from using another index than that of the key.
    by_keys: ClassVar[str] = "pk IN (SELECT value FROM json_each(:pks)) AND +tenant = :tenant"

    def array(self, values: Sequence[object]) -> str:
        return to_json(list(values))

    def among(self, column: str, parameter: str) -> str:
        return f"{column} IN (SELECT value FROM json_each(:{parameter}))"  # noqa: S608

    def each(self, parameter: str, name: str, *, numbers: bool = False) -> str:
        return f"json_each(:{parameter}) AS {name}"

    def holds(self, column: str, parameter: str) -> str:
        return f"EXISTS (SELECT 1 FROM json_each({column}) WHERE value = :{parameter})"  # noqa: S608
