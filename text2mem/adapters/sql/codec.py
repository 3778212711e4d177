"""Conversion between records and rows of the table ``memories``."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import fields
from datetime import UTC, datetime
from functools import lru_cache
from operator import attrgetter, itemgetter
from typing import Any

from text2mem.ir.patch import INSTANTS, TUPLES
from text2mem.ir.record import Record
from text2mem.ir.times.temporal import format_instant
from text2mem.ir.words.naming import name_key

COLUMNS = tuple(f.name for f in fields(Record))
"""The columns that hold a record, in order: its fields."""
_OBJECTS = frozenset({"payload", "lock_policy", "lineage_facets", "demoted_from"})
_FLAGS = frozenset({"archived", "deleted", "pending", "skip_embedding"})
_values = attrgetter(*COLUMNS)
to_json = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode
"""JSON as it is stored, with non-ASCII characters unescaped, so that LIKE finds them."""
sorted_json = json.JSONEncoder(ensure_ascii=False, allow_nan=False, sort_keys=True).encode
"""JSON with sorted keys, so that SQL can compare nested values as text."""
_DECODED = json.JSONDecoder().decode


class UnreadableField(ValueError):
    """A column of a row holds a value that cannot be decoded."""


def to_row(record: Record) -> dict[str, Any]:
    """A record's values as they are bound, by column, in the order of ``COLUMNS``."""
    row: dict[str, Any] = dict(zip(COLUMNS, _values(record), strict=True))
    for name, write in WRITERS.items():
        if row[name] is not None:
            row[name] = write(row[name])
    if record.is_fact:
        row["value"] = to_json(record.value)
    return row


def from_row(row: Any) -> Record:
    """The record in a row, which may have other columns, too. Raises UnreadableField."""
    # By position, because access by name makes SQLite search all columns of a row.
    values: dict[str, Any] = dict(zip(COLUMNS, _places(tuple(row.keys()))(row), strict=True))
    try:
        for name, read in READERS.items():
            raw = values[name]
            if raw is not None:
                values[name] = read(raw)
    except (ValueError, TypeError, OverflowError, RecursionError) as error:
        raise UnreadableField(f"memory {row['id']}, {name}: {error}") from error
    return Record(**values)


@lru_cache(maxsize=64)
def _places(names: tuple[str, ...]) -> itemgetter[tuple[Any, ...]]:
    """A function that takes the values of ``COLUMNS`` from a row with columns of these names."""
    return itemgetter(*map(names.index, COLUMNS))


def subject_key(subject: str | None) -> str | None:
    """The name key of a subject, which the column ``subject_key`` holds."""
    return None if subject is None else name_key(subject)


def instant(text: str) -> datetime:
    """A stored instant, ``YYYY-MM-DDTHH:MM:SSZ``, as an aware datetime."""
    parsed = datetime.fromisoformat(text)
    return parsed if parsed.tzinfo is UTC else parsed.astimezone(UTC)


def _read(text: str, kind: type) -> Any:
    """A value of a type from its JSON. Raises ValueError."""
    return _of(_DECODED(text), kind)


def _of(value: Any, *kinds: type) -> Any:
    """A value, if it is of one of these types. Raises UnreadableField."""
    if not isinstance(value, kinds):
        raise UnreadableField(f"not a {kinds[0].__name__}")
    return value


def _list(text: str, kind: type = str) -> tuple[Any, ...]:
    """The values of a type in a list, from its JSON. Raises ValueError."""
    return tuple(_of(each, kind) for each in _read(text, list)) if text != "[]" else ()


def _lock_policy(text: str) -> dict[str, Any]:
    """The lists of a lock's policy, from their JSON. Raises ValueError."""
    held = _read(text, dict) if text != "{}" else {}
    return {name: [_of(each, str) for each in _of(named, list)] for name, named in held.items()}


def _demoted_from(text: str) -> dict[str, Any]:
    """What a temporary demotion has changed, from its JSON. Raises ValueError."""
    held = _read(text, dict) if text != "{}" else {}
    if held.keys() - {"weight", "archived"}:
        raise ValueError("not what a demotion changes")
    return {name: _of(value, float, int) for name, value in held.items()}


WRITERS: Mapping[str, Callable[[Any], Any]] = {
    **dict.fromkeys(TUPLES, lambda held: to_json(list(held)) if held else "[]"),
    **dict.fromkeys(_OBJECTS, lambda held: to_json(dict(held)) if held else "{}"),
    **dict.fromkeys(INSTANTS, format_instant),
    **dict.fromkeys(_FLAGS, int),
    "facets": lambda held: sorted_json(dict(held)) if held else "{}",
    "id": int,
}
"""The function that makes the bound value of a field; None and the other fields are bound as they
are."""
_READ: Mapping[str, Callable[[Any], Any]] = {
    # These return a value of the type as it is, and raise TypeError for any other.
    **dict.fromkeys(COLUMNS, str.__str__),
    **dict.fromkeys(("weight", "confidence"), float.__float__),
    **dict.fromkeys(("schema_version", "version"), int.__int__),
    **dict.fromkeys(TUPLES, _list),
    "sources": lambda text: _list(text, dict),
    **dict.fromkeys(_OBJECTS | {"facets"}, lambda text: _read(text, dict) if text != "{}" else {}),
    "lock_policy": _lock_policy,
    "demoted_from": _demoted_from,
    **dict.fromkeys(INSTANTS, instant),
    **dict.fromkeys(_FLAGS, bool),
    "value": _DECODED,
    "id": str,
}
READERS = {name: _READ[name] for name in COLUMNS}
"""The function that makes the value of a field from its column, if that is not NULL."""
DEFAULTS = {
    **dict.fromkeys(TUPLES, "[]"), **dict.fromkeys(_OBJECTS | {"facets"}, "{}"), "value": "null"
}  # fmt: skip
"""What a column of JSON gets in place of a value that cannot be read."""
