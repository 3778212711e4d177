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
    unlimited: ClassVar[int | None] = -1
    skip_locked: ClassVar[str] = ""
    origin: ClassVar[str] = "lower(hex(randomblob(4)))"
    facets: ClassVar[str] = """(
    SELECT count(*) FROM json_each(:facets) AS wanted
    JOIN json_each(m.facets) AS held
        ON held.key = wanted.key AND held.type = wanted.type AND held.value IS wanted.value
) = :facet_count"""
    listed: ClassVar[str] = """EXISTS (
    SELECT 1 FROM json_each(m.facets, '$.' || :facet) AS held
    WHERE held.type = 'text' AND held.value = :entry
)"""
    role: ClassVar[str] = "json_extract(facets, '$.role')"
    # "+" keeps SQLite's planner from using another index than that of the key.
    by_keys: ClassVar[str] = "pk IN (SELECT value FROM json_each(:pks)) AND +tenant = :tenant"
    ever_held: ClassVar[str] = """
SELECT DISTINCT child.value FROM (
    SELECT side.value AS ids
    FROM journal AS j, json_each(j.changes, '$.lineage_children') AS side
    WHERE j.tenant = :tenant AND j.id = :id AND j.changes IS NOT NULL
    UNION ALL SELECT m.lineage_children FROM memories AS m WHERE m.pk = :pk
) AS held, json_each(held.ids) AS child
"""
    while_held: ClassVar[str] = """
SELECT min(j.seq), max(j.seq) FROM journal AS j
WHERE j.tenant = :tenant AND j.id = :holder AND j.changes IS NOT NULL AND :held IN (
    SELECT origin.value
    FROM json_each(j.changes, '$.lineage_parents') AS side, json_each(side.value) AS origin
) AND NOT EXISTS (
    SELECT 1 FROM memories AS m, json_each(m.lineage_parents) AS origin
    WHERE m.pk = :holder_pk AND origin.value = :held
)
"""

    def same(self, one: str, other: str) -> str:
        """Empty, because equal keys have equal tenants."""
        return ""

    def array(self, values: Sequence[object]) -> str:
        return to_json(list(values))

    def among(self, column: str, parameter: str) -> str:
        return f"{column} IN (SELECT value FROM json_each(:{parameter}))"  # noqa: S608

    def each(self, parameter: str, name: str, *, numbers: bool = False) -> str:
        return f"json_each(:{parameter}) AS {name}"

    def holds(self, column: str, parameter: str) -> str:
        return f"EXISTS (SELECT 1 FROM json_each({column}) WHERE value = :{parameter})"  # noqa: S608

    def facet(self, name: str) -> str:
        """The name quoted as in a JSON path."""
        return to_json(name)
