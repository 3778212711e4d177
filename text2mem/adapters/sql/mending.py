"""Setting unreadable fields aside, so that one broken row does not stop every program.

A value that its column cannot hold is moved unchanged into the table ``broken``, and the field's
default replaces it; if it was a list of rights, the memory becomes private. Journal entries that
cannot be read lose their values. The program that came upon it was rolled back, and runs again.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from text2mem.adapters.sql.codec import DEFAULTS, READERS, to_json
from text2mem.adapters.sql.store import Store, id_of
from text2mem.ir.record import DEFAULT_WEIGHT
from text2mem.ir.times.temporal import format_instant

_RIGHTS = frozenset({"read_whitelist", "read_blacklist", "write_whitelist", "write_blacklist"})
_CLOSED = {"read_perm_level": "private", "write_perm_level": "owner_only"}
_OTHERWISE: Mapping[str, Any] = {
    **dict.fromkeys(("created_at", "updated_at"), "1970-01-01T00:00:00Z"),
    **dict.fromkeys(("version", "schema_version"), 1),
    "text": "", "weight": DEFAULT_WEIGHT, "lock_mode": "read_only",
}  # fmt: skip
"""What other columns get, if not NULL."""


def mend(store: Store, now: datetime) -> list[str]:
    """Set aside all unreadable values of the tenant; a warning for each memory. Call it outside of
    any transaction."""
    warnings: list[str] = []
    with store.alone():
        for row in store.rows("SELECT * FROM memories WHERE tenant = :tenant"):
            names = list(_broken(row))
            if names:
                _set_aside(store, row, names, now)
                lost = ", ".join(names)
                warnings.append(f"memory {row['id']}: {lost} could not be read, and set aside")
        warnings += _journal(store)
    return warnings


def set_aside(store: Store) -> list[tuple[str, str]]:
    """The memory id and the name of each field that is set aside."""
    rows = store.rows("SELECT pk, field FROM broken WHERE tenant = :tenant ORDER BY pk, field")
    return [(id_of(row["pk"]), row["field"]) for row in rows]


def _broken(row: Any) -> Iterator[str]:
    """The fields of a row that cannot be read."""
    for name, read in READERS.items():
        value = row[name]
        if value is None:
            continue
        try:
            read(value)
            if name in DEFAULTS:
                _strict(value)  # Python's JSON has NaN and infinity, SQLite's does not
        except (ValueError, TypeError, OverflowError, RecursionError):
            yield name


def _refuse(constant: str) -> Any:
    raise ValueError(constant)


_strict = json.JSONDecoder(parse_constant=_refuse).decode


def _set_aside(store: Store, row: Any, names: list[str], now: datetime) -> None:
    """Move these fields of a row into the table ``broken``, and write what replaces them."""
    keys = [(store.number, row["pk"], name) for name in names]
    store.many("DELETE FROM broken WHERE tenant = ? AND pk = ? AND field = ?", keys)
    store.many(
        "INSERT INTO broken (tenant, pk, field, held, at) VALUES (?, ?, ?, ?, ?)",
        [(*key, row[key[2]], format_instant(now)) for key in keys],
    )
    values: dict[str, Any] = {name: _instead(store, row, name) for name in names}
    if _RIGHTS & set(names):
        values |= _CLOSED
    store.set_columns(row["pk"], values)


def _instead(store: Store, row: Any, name: str) -> Any:
    """The column's new value in place of an unreadable one."""
    if name == "payload":
        return to_json({"text": row["text"]})
    if name == "tags":  # the index of tags still has them
        rows = store.rows(
            f"SELECT tag FROM memory_tags WHERE {store.dialect.mine}pk = :pk",  # noqa: S608
            pk=row["pk"],
        )
        return to_json(sorted(tag for (tag,) in rows))
    return DEFAULTS.get(name, _OTHERWISE.get(name))


def _journal(store: Store) -> list[str]:
    """Delete the values of entries whose changes cannot be read; a warning if there are any."""
    broken = [
        row["seq"]
        for row in store.execute(
            "SELECT seq, changes FROM journal WHERE tenant = :tenant AND changes IS NOT NULL"
        )
        if not _is_object(row["changes"])
    ]
    if not broken:
        return []
    store.execute(
        "UPDATE journal SET changes = NULL "  # noqa: S608
        f"WHERE tenant = :tenant AND {store.dialect.among('seq', 'broken')}",
        broken=store.dialect.array(broken),
    )
    return [f"{len(broken)} journal entries could not be read"]


def _is_object(text: str) -> bool:
    try:
        return isinstance(_strict(text), Mapping)
    except (ValueError, RecursionError):
        return False
