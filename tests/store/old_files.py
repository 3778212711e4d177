"""Files of schema 0001, written by SQL as version 0.1 wrote them before there was a ledger."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

from text2mem.ir.words.segment import index_terms
from text2mem.resources import read_text

OLD = "0001_initial.sql"
APPLICATION_ID = 0x74326D31
Image = dict[str, Any]

_BLANK: Image = {
    "text": "", "payload": {}, "type": None, "tags": [], "facets": {}, "time": None,
    "subject": None, "location": None, "topic": None, "source": None, "weight": 0.5,
    "archived": False, "deleted": False, "created_at": "2026-01-01T00:00:00Z",
    "updated_at": "2026-01-01T00:00:00Z", "expire_at": None, "expire_action": None,
    "remind_rrule": None, "remind_until": None, "remind_next": None, "lock_mode": None,
    "lock_policy": {}, "lock_reason": None, "lock_expires": None, "owner": None,
    "read_perm_level": None, "write_perm_level": None, "read_whitelist": [],
    "read_blacklist": [], "write_whitelist": [], "write_blacklist": [], "lineage_parents": [],
    "lineage_children": [], "lineage_facets": {}, "attribute": None, "value": None,
    "valid_from": None, "valid_to": None, "supersedes": None, "confidence": None,
    "source_episode_id": None, "retention_policy": None, "version": 1,
}  # fmt: skip
"""What a journal's image held of a memory, beside its id."""


def stored(name: str, value: Any) -> Any:
    """A field as 0001 stored it; the value of what is no fact is not stored."""
    if name == "value":
        return None
    if isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False, sort_keys=name == "facets")
    return int(value) if isinstance(value, bool) else value


class OldFile:
    """One that is being written. Ids count from 1 in each tenant; close it at the end."""

    def __init__(self, path: Path) -> None:
        self.connection = sqlite3.connect(path, isolation_level=None)
        self.connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        self.connection.execute("PRAGMA journal_mode = WAL")
        self.connection.execute("PRAGMA secure_delete = ON")
        self.connection.executescript(read_text("schema/sql", OLD))
        self.connection.execute("CREATE TABLE migrations (name TEXT PRIMARY KEY, applied_at TEXT)")
        self.connection.execute("INSERT INTO migrations VALUES (?, '2026-01-01T00:00:00Z')", (OLD,))
        self.connection.execute("BEGIN")

    def close(self) -> None:
        self.connection.execute("COMMIT")
        self.connection.close()

    def memory(self, tenant: str = "default", *, trace: str | None = None, **fields: Any) -> str:
        """One memory with its tags and words, journalled as encoded; its id."""
        (following,) = self.connection.execute(
            "INSERT INTO tenants (tenant, next_id) VALUES (?, 2) "
            "ON CONFLICT (tenant) DO UPDATE SET next_id = next_id + 1 RETURNING next_id",
            (tenant,),
        ).fetchone()
        id_ = following - 1
        fields.setdefault("payload", {"text": fields.get("text", "")})
        image = {**_BLANK, **fields}
        row = {"tenant": tenant, "id": id_, **{k: stored(k, v) for k, v in image.items()}}
        if image["attribute"] is not None:
            row["value"] = json.dumps(image["value"], ensure_ascii=False)
        pk = self.connection.execute(
            f"INSERT INTO memories ({', '.join(row)}) "  # noqa: S608
            f"VALUES ({', '.join('?' * len(row))})",
            list(row.values()),
        ).lastrowid
        self.connection.executemany(
            "INSERT INTO memory_tags (tenant, tag, pk) VALUES (?, ?, ?)",
            [(tenant, tag, pk) for tag in image["tags"]],
        )
        words = " ".join([image["text"], *image["tags"]])
        self.connection.execute(
            "INSERT INTO memory_terms (rowid, terms) VALUES (?, ?)",
            (pk, " ".join(index_terms(words))),
        )
        self.entry(trace or f"made-{tenant}-{id_}", "Encode", str(id_), None, image, tenant=tenant)
        return str(id_)

    def fact(self, subject: str, attribute: str, value: Any, **fields: Any) -> str:
        """A version of a fact, as it stands in the table."""
        stated = {"subject": subject, "attribute": attribute, "value": value}
        text = f"subject: {subject}\nattribute: {attribute}\nvalue: {value}"
        given = {"valid_from": "2026-01-01T00:00:00Z", **fields}
        return self.memory(text=text, payload={"structured": stated}, **stated, **given)

    def change(self, trace: str, op: str, id_: str, *, tenant: str = "default", **new: Any) -> None:
        """Fields of a memory changed by a program, and journalled with both images."""
        before = self.image(id_, tenant)
        after = {**before, **new, "version": before["version"] + 1}
        for name, value in new.items():
            self.connection.execute(
                f"UPDATE memories SET {name} = ?, version = version + 1 "  # noqa: S608
                "WHERE tenant = ? AND id = ?",
                (stored(name, value), tenant, int(id_)),
            )
        if "tags" in new:
            (pk,) = self.connection.execute(
                "SELECT pk FROM memories WHERE tenant = ? AND id = ?", (tenant, int(id_))
            ).fetchone()
            self.connection.execute("DELETE FROM memory_tags WHERE pk = ?", (pk,))
            self.connection.executemany(
                "INSERT INTO memory_tags (tenant, tag, pk) VALUES (?, ?, ?)",
                [(tenant, tag, pk) for tag in new["tags"]],
            )
        self.entry(trace, op, id_, before, after, tenant=tenant)

    def erase(self, trace: str, id_: str, *, tenant: str = "default") -> None:
        """A hard delete: no row, and no image."""
        key = (tenant, int(id_))
        (pk,) = self.connection.execute(
            "SELECT pk FROM memories WHERE tenant = ? AND id = ?", key
        ).fetchone()
        for table, column in (("memory_tags", "pk"), ("memory_terms", "rowid"), ("memories", "pk")):
            self.connection.execute(f"DELETE FROM {table} WHERE {column} = ?", (pk,))  # noqa: S608
        self.connection.execute(
            "UPDATE journal SET before = NULL, after = NULL WHERE tenant = ? AND id = ?", key
        )
        self.entry(trace, "Delete", id_, None, None, tenant=tenant)

    def entry(
        self,
        trace: str,
        op: str,
        id_: str,
        before: Image | None,
        after: Image | None,
        *,
        tenant: str = "default",
    ) -> None:
        """One line of the journal."""
        images = [
            None if image is None else json.dumps({"id": id_, **image}, ensure_ascii=False)
            for image in (before, after)
        ]
        self.connection.execute(
            "INSERT INTO journal (tenant, trace_id, step, op, at, actor, id, before, after) "
            "VALUES (?, ?, 1, ?, '2026-01-01T00:00:00Z', NULL, ?, ?, ?)",
            (tenant, trace, op, int(id_), *images),
        )

    def image(self, id_: str, tenant: str = "default") -> Image:
        """A memory as it stands now."""
        self.connection.row_factory = sqlite3.Row
        row = self.connection.execute(
            "SELECT * FROM memories WHERE tenant = ? AND id = ?", (tenant, int(id_))
        ).fetchone()
        self.connection.row_factory = None
        read = {
            name: json.loads(row[name]) if isinstance(blank, dict | list) else row[name]
            for name, blank in _BLANK.items()
        }
        read["value"] = None if row["value"] is None else json.loads(row["value"])
        return {**read, "archived": bool(row["archived"]), "deleted": bool(row["deleted"])}


def old_content(path: Path | str) -> dict[str, list[tuple[Any, ...]]]:
    """What a file of schema 0001 holds, table by table; empty where it is none any more."""
    connection = sqlite3.connect(path)
    try:
        names = {row[0] for row in connection.execute("SELECT name FROM sqlite_master")}
        if "memory_terms" not in names:
            return {}
        tables = ("tenants", "memories", "memory_tags", "memory_terms", "journal", "migrations")
        return {
            table: sorted(connection.execute(f"SELECT * FROM {table}"), key=repr)  # noqa: S608
            for table in tables
        }
    finally:
        connection.close()
