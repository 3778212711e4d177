"""The tables as a place for records: reading by id, writing, erasing, indexing, journalling.

Every statement is bound to one tenant.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from text2mem.adapters.sqlite.codec import COLUMNS, from_row, to_json, to_row
from text2mem.ir.record import Record
from text2mem.ir.segment import index_terms, search_text

if TYPE_CHECKING:
    import sqlite_utils

# Column names are constants of the code, never of a program.
_INSERT = (
    f"INSERT INTO memories (tenant, {', '.join(COLUMNS)}) "  # noqa: S608
    f"VALUES (:tenant, {', '.join(f':{c}' for c in COLUMNS)})"
)
_UPDATE = (
    f"UPDATE memories SET {', '.join(f'{c} = :{c}' for c in COLUMNS if c != 'id')} "  # noqa: S608
    "WHERE tenant = :tenant AND id = :id"
)


@dataclass(frozen=True, slots=True)
class Store:
    """One tenant's share of a database."""

    db: sqlite_utils.Database
    tenant: str

    def execute(self, sql: str, parameters: dict[str, object]) -> sqlite3.Cursor:
        """One statement with named parameters; ``:tenant`` is always bound."""
        cursor: sqlite3.Cursor = self.db.conn.execute(sql, {"tenant": self.tenant, **parameters})
        return cursor

    def next_id(self) -> str:
        """A fresh id, taken inside the transaction and never given again."""
        row = self.execute(
            "INSERT INTO tenants (tenant, next_id) VALUES (:tenant, 2) "
            "ON CONFLICT (tenant) DO UPDATE SET next_id = next_id + 1 RETURNING next_id - 1",
            {},
        ).fetchone()
        return str(row[0])

    def get(self, ids: Iterable[str]) -> dict[str, Record]:
        """The records with these ids, deleted ones too, by id."""
        numbers = [int(i) for i in ids]
        rows = self.execute(
            "SELECT * FROM memories WHERE tenant = :tenant "
            "AND id IN (SELECT value FROM json_each(:ids))",
            {"ids": json.dumps(numbers)},
        )
        return {record.id: record for record in map(from_row, rows)}

    def insert(self, record: Record) -> None:
        """A new record, with its tags and terms."""
        cursor = self.execute(_INSERT, to_row(record))
        self._index(int(cursor.lastrowid or 0), record)

    def write(self, before: Record, after: Record) -> None:
        """The new state of a record; its tags and terms follow where they changed."""
        self.execute(_UPDATE, to_row(after))
        if (
            before.tags != after.tags
            or bool(before.payload) != bool(after.payload)
            or search_text(before) != search_text(after)
        ):
            pk = self._pk(after.id)
            self._unindex(pk)
            self._index(pk, after)

    def erase(self, record: Record) -> None:
        """The record is gone: content, tags, terms and journal images."""
        pk = self._pk(record.id)
        self._unindex(pk)
        self.execute("DELETE FROM memories WHERE pk = :pk", {"pk": pk})
        self.forget_images(record.id)

    def forget_images(self, id_: str) -> None:
        """The journal keeps that something happened to this id, and no longer what it held."""
        self.execute(
            "UPDATE journal SET before = NULL, after = NULL WHERE tenant = :tenant AND id = :id",
            {"id": int(id_)},
        )

    def log(
        self,
        entries: Sequence[tuple[str, str | None, str | None]],
        *,
        trace_id: str,
        step: int,
        op: str,
        at: str,
        actor: str | None,
    ) -> None:
        """Journal entries: id, image before, image after (JSON)."""
        for id_, before, after in entries:
            self.execute(
                "INSERT INTO journal (tenant, trace_id, step, op, at, actor, id, before, after) "
                "VALUES (:tenant, :trace_id, :step, :op, :at, :actor, :id, :before, :after)",
                {
                    "trace_id": trace_id, "step": step, "op": op, "at": at, "actor": actor,
                    "id": int(id_), "before": before, "after": after,
                },
            )  # fmt: skip

    def _pk(self, id_: str) -> int:
        row = self.execute(
            "SELECT pk FROM memories WHERE tenant = :tenant AND id = :id", {"id": int(id_)}
        ).fetchone()
        return int(row[0])

    def _index(self, pk: int, record: Record) -> None:
        self.execute(
            "INSERT INTO memory_tags (tenant, tag, pk) "
            "SELECT :tenant, value, :pk FROM json_each(:tags)",
            {"pk": pk, "tags": to_json(list(dict.fromkeys(record.tags)))},
        )
        if not record.payload:
            return  # anonymised: nothing of it is to be found until it has content again
        terms = index_terms(search_text(record))
        self.execute(
            "INSERT INTO memory_terms (rowid, terms) VALUES (:pk, :terms)",
            {"pk": pk, "terms": " ".join(terms)},
        )
        self._count(1, len(terms))

    def _unindex(self, pk: int) -> None:
        self.execute("DELETE FROM memory_tags WHERE pk = :pk", {"pk": pk})
        held = self.execute(
            "SELECT terms FROM memory_terms WHERE rowid = :pk", {"pk": pk}
        ).fetchone()
        if held is not None:
            self.execute("DELETE FROM memory_terms WHERE rowid = :pk", {"pk": pk})
            self._count(-1, -len(held["terms"].split()))

    def _count(self, documents: int, terms: int) -> None:
        self.execute(
            "UPDATE tenants SET documents = documents + :documents, terms = terms + :terms "
            "WHERE tenant = :tenant",
            {"documents": documents, "terms": terms},
        )

    def index_size(self) -> tuple[int, int]:
        """The tenant's indexed memories, and their terms."""
        row = self.execute(
            "SELECT documents, terms FROM tenants WHERE tenant = :tenant", {}
        ).fetchone()
        return (0, 0) if row is None else (int(row["documents"]), int(row["terms"]))
