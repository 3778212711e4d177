"""What a store cannot read is set aside, so that one broken row stops nothing else.

A field that is not what its column holds is moved as it is into the table ``broken``, and its
default takes its place; where it was a list of rights, the memory becomes private. What the journal
cannot read is forgotten. Found by whoever stumbles upon it: the transaction is rolled back, the
tenant's rows are looked through, and the transaction is asked for again.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from text2mem.adapters.sql.codec import FIELDS, to_json
from text2mem.adapters.sql.store import Store, id_of
from text2mem.ir.times.temporal import format_instant

_RIGHTS = frozenset({"read_whitelist", "read_blacklist", "write_whitelist", "write_blacklist"})
_CLOSED = {"read_perm_level": "private", "write_perm_level": "owner_only"}


def mend(store: Store, now: datetime) -> list[str]:
    """Set aside what this tenant's rows hold and cannot be read; a line for each memory.

    Call it outside of any transaction.
    """
    told: list[str] = []
    with store.alone():
        for row in store.execute("SELECT * FROM memories WHERE tenant = :tenant").fetchall():
            names = list(_broken(row))
            if names:
                _set_aside(store, row, names, now)
                lost = ", ".join(names)
                told.append(f"memory {row['id']}: {lost} could not be read, and set aside")
        told += _journal(store)
    return told


def set_aside(store: Store) -> list[tuple[str, str]]:
    """Which fields of which memories are set aside."""
    rows = store.execute("SELECT pk, field FROM broken WHERE tenant = :tenant ORDER BY pk, field")
    return [(id_of(row["pk"]), row["field"]) for row in rows]


def _broken(row: Any) -> Iterator[str]:
    for name, (read, default) in FIELDS.items():
        held = row[name]
        if held is None:
            continue
        try:
            read(held)
            if default is not None:
                _strict(held)  # Python reads NaN and infinity, and SQLite does not
        except (ValueError, TypeError, OverflowError, RecursionError):
            yield name


def _refuse(constant: str) -> Any:
    raise ValueError(constant)


_strict = json.JSONDecoder(parse_constant=_refuse).decode


def _set_aside(store: Store, row: Any, names: list[str], now: datetime) -> None:
    values: dict[str, Any] = {}
    for name in names:
        store.execute(
            f"DELETE FROM broken WHERE {store.dialect.mine}pk = :pk AND field = :name",  # noqa: S608
            pk=row["pk"], name=name,
        )  # fmt: skip
        store.execute(
            "INSERT INTO broken (pk, tenant, field, held, at) "
            "VALUES (:pk, :tenant, :name, :held, :at)",
            pk=row["pk"], name=name, held=row[name], at=format_instant(now),
        )  # fmt: skip
        values[name] = _instead(store, row, name)
    if _RIGHTS & set(names):
        values |= _CLOSED
    store.set_columns(row["pk"], values)


def _instead(store: Store, row: Any, name: str) -> str | None:
    if name == "payload":
        return to_json({"text": row["text"]})
    if name == "tags":  # the index of tags still knows them
        rows = store.execute(
            f"SELECT tag FROM memory_tags WHERE {store.dialect.mine}pk = :pk",  # noqa: S608
            pk=row["pk"],
        )
        return to_json(sorted(tag for (tag,) in rows))
    if name in ("created_at", "updated_at"):
        return "1970-01-01T00:00:00Z"
    return FIELDS[name][1]


def _journal(store: Store) -> list[str]:
    """Entries whose differences cannot be read are forgotten."""
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
