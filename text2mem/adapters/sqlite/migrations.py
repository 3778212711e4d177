"""Migrations of a SQLite file: the files of ``schema/sql`` in the order of their names, some
followed by a function for what SQL cannot do. The missing ones are applied in one transaction and
recorded in the table ``migrations``. A file with one that this version does not know is refused."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Mapping

from text2mem import resources
from text2mem.adapters.shipped import shipped_registry
from text2mem.adapters.sql.codec import subject_key, to_json
from text2mem.clock import SystemClock
from text2mem.errors import StoreError
from text2mem.ir.patch import UNLISTED, same
from text2mem.ir.times.temporal import format_instant

_FOLDER = "schema/sql"


def migrate(connection: sqlite3.Connection, path: str) -> None:
    """Apply the missing migrations. Raises StoreError if the file is of a newer version."""
    known = [name for name in resources.names(_FOLDER) if name.endswith(".sql")]
    if _applied(connection) == set(known):
        return
    connection.execute("PRAGMA foreign_keys = OFF")  # because tables are replaced
    connection.execute("PRAGMA legacy_alter_table = ON")
    connection.create_function("declared_name", 1, _declared_name)
    connection.create_function("fact_key", 2, _fact_key)
    connection.create_function("subject_key", 1, subject_key)
    connection.create_function("finite", 1, _finite)
    connection.create_function("present", 0, _present)
    connection.execute("BEGIN IMMEDIATE")
    try:
        connection.execute(
            "CREATE TABLE IF NOT EXISTS migrations "
            "(name TEXT PRIMARY KEY, applied_at TEXT NOT NULL)"
        )
        applied = _applied(connection)
        newer = sorted(applied - set(known))
        if newer:
            why = f"{path} was written by a newer version of text2mem (it knows {', '.join(newer)})"
            raise StoreError(why, hint="upgrade text2mem, or use another file")
        for name in known:
            if name not in applied:
                for statement in _statements(resources.read_text(_FOLDER, name)):
                    connection.execute(statement)
                if name in _AFTER:
                    _AFTER[name](connection)
                connection.execute(
                    "INSERT INTO migrations (name, applied_at) VALUES (?, ?)", (name, _present())
                )
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    finally:
        connection.execute("PRAGMA legacy_alter_table = OFF")
        connection.execute("PRAGMA foreign_keys = ON")


def _applied(connection: sqlite3.Connection) -> set[str]:
    try:
        return {str(row["name"]) for row in connection.execute("SELECT name FROM migrations")}
    except sqlite3.OperationalError:
        return set()  # no such table: a new file


def _statements(script: str) -> list[str]:
    """The statements of a migration, one by one, because ``executescript`` would commit."""
    statements, current = [], ""
    for line in script.splitlines(keepends=True):
        current += line
        if sqlite3.complete_statement(current):
            statements.append(current)
            current = ""
    return statements


def _present() -> str:
    return format_instant(SystemClock().now())


def _declared_name(attribute: str | None) -> str | None:
    """The name of an attribute as the shipped registry declares it (a function for SQL)."""
    return None if attribute is None else shipped_registry().attribute(attribute).name


def _fact_key(attribute: str | None, value: str | None) -> str | None:
    """The key of a fact by the shipped registry (a function for SQL); ``value`` is JSON."""
    if attribute is None:
        return None
    registry = shipped_registry()
    return registry.key(registry.attribute(attribute), json.loads(value or "null"))


def _ledger(connection: sqlite3.Connection) -> None:
    """After 0002: convert the journal from whole images of memories to changes of fields. The word
    index of every tenant is built when it is opened, because ``tenants.words`` is 0."""
    rows = connection.execute(
        "SELECT o.*, t.number FROM old_journal AS o JOIN tenants AS t USING (tenant) ORDER BY seq"
    ).fetchall()
    seen: set[tuple[int, int]] = set()
    for row in rows:
        memory = (row["number"], row["id"])
        images = [json.loads(row[name]) if row[name] else {} for name in ("before", "after")]
        before, after = images
        whole = "removed" if memory in seen else "created"
        kind = "changed" if before and after else whole
        seen.add(memory)
        changes = {
            name: [before.get(name), after.get(name)]
            for name in {**before, **after}
            if name not in UNLISTED and not same(before.get(name), after.get(name))
        }
        if "attribute" in changes:
            changes["attribute"] = [_declared_name(name) for name in changes["attribute"]]
        connection.execute(
            "INSERT INTO journal (tenant, trace_id, step, op, at, actor, id, kind, changes) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                row["number"], row["trace_id"], row["step"], row["op"], row["at"], row["actor"],
                row["id"], kind, to_json(changes) if before or after else None,
            ),
        )  # fmt: skip
    for table in ("old_journal", "old_memories", "old_tenants", "memory_terms"):
        connection.execute(f"DROP TABLE {table}")


def _without_infinities(connection: sqlite3.Connection) -> None:
    """After 0005: replace numbers that are not finite, which earlier versions stored, by null."""
    for table, columns in (
        ("memories", ("payload", "facets", "value", "lineage_facets")),
        ("journal", ("changes",)),
    ):
        for column in columns:
            # Table and columns are constants of this function.
            connection.execute(
                f"UPDATE {table} SET {column} = finite({column}) "  # noqa: S608
                f"WHERE {column} LIKE '%NaN%' OR {column} LIKE '%Infinity%'"
            )


def _finite(text: str) -> str:
    """JSON with null in place of NaN and infinities (a function for SQL)."""
    try:
        return to_json(json.loads(text, parse_constant=lambda _: None))
    except ValueError:
        return text  # not valid JSON: ``mending`` sets it aside when it is read


_AFTER: Mapping[str, Callable[[sqlite3.Connection], None]] = {
    "0002_ledger.sql": _ledger,
    "0005_broken.sql": _without_infinities,
}
"""The functions to call after a migration."""
