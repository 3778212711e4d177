"""Records as rows of the table ``memories``, and back."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from dataclasses import fields
from datetime import UTC, datetime
from typing import Any

from text2mem.ir.record import Record
from text2mem.ir.temporal import format_instant

COLUMNS = tuple(f.name for f in fields(Record))
_JSON_LISTS = frozenset({
    "tags", "read_whitelist", "read_blacklist", "write_whitelist", "write_blacklist",
    "lineage_parents", "lineage_children",
})  # fmt: skip
_JSON = frozenset({"payload", "facets", "lock_policy", "lineage_facets"})
_INSTANTS = frozenset({
    "time", "created_at", "updated_at", "expire_at", "remind_until", "remind_next",
    "lock_expires", "valid_from", "valid_to",
})  # fmt: skip
_FLAGS = frozenset({"archived", "deleted"})


def to_json(value: Any) -> str:
    """JSON as it is stored: non-ASCII characters as they are, so that LIKE finds them."""
    return json.dumps(value, ensure_ascii=False)


def sorted_json(value: Any) -> str:
    """JSON with keys in order, so that SQL can compare nested values as text."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def to_row(record: Record) -> dict[str, Any]:
    """A record's values by column name, ready to be bound."""
    row = {name: getattr(record, name) for name in COLUMNS}
    for name in _JSON_LISTS:
        row[name] = to_json(list(row[name]))
    for name in _JSON:
        row[name] = to_json(row[name])
    row["facets"] = sorted_json(record.facets)
    for name in _INSTANTS:
        if row[name] is not None:
            row[name] = format_instant(row[name])
    for name in _FLAGS:
        row[name] = int(row[name])
    row["id"] = int(record.id)
    row["value"] = to_json(record.value) if record.is_fact else None
    return row


def from_row(row: sqlite3.Row) -> Record:
    """The record that a row holds."""
    values: dict[str, Any] = {}
    for name in COLUMNS:
        raw = row[name]
        read = _READERS.get(name)
        values[name] = raw if raw is None or read is None else read(raw)
    return Record(**values)


def instant(text: str) -> datetime:
    """A stored instant, ``YYYY-MM-DDTHH:MM:SSZ``, as an aware datetime."""
    return datetime.fromisoformat(text).astimezone(UTC)


def _list(text: str) -> tuple[str, ...]:
    return tuple(json.loads(text)) if text != "[]" else ()


def _object(text: str) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(text) if text != "{}" else {}
    return loaded


_READERS: dict[str, Callable[[Any], Any]] = {
    **dict.fromkeys(_JSON_LISTS, _list),
    **dict.fromkeys(_JSON, _object),
    **dict.fromkeys(_INSTANTS, instant),
    **dict.fromkeys(_FLAGS, bool),
    "id": str,
    "value": json.loads,
}
