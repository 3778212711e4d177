"""Conversion between records and rows of the table ``memories``."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, fields
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
_PLAIN = json.JSONEncoder(ensure_ascii=False, allow_nan=False)
_SORTED = json.JSONEncoder(ensure_ascii=False, allow_nan=False, sort_keys=True)
_DECODED = json.JSONDecoder().decode
_VALUE = COLUMNS.index("value")
_ATTRIBUTE = COLUMNS.index("attribute")


class UnreadableField(ValueError):
    """A column of a row holds a value that cannot be decoded."""


def to_json(value: Any) -> str:
    """JSON as it is stored, with non-ASCII characters unescaped, so that LIKE finds them."""
    return _PLAIN.encode(value)


def sorted_json(value: Any) -> str:
    """JSON with sorted keys, so that SQL can compare nested values as text."""
    return _SORTED.encode(value)


def to_values(record: Record) -> list[Any]:
    """A record's values in the order of ``COLUMNS``, as they are bound."""
    values: list[Any] = list(_values(record))
    for index, write in _WRITERS:
        value = values[index]
        if value is not None:
            values[index] = write(value)
    if values[_ATTRIBUTE] is not None:
        values[_VALUE] = to_json(record.value)
    return values


def from_row(row: Any) -> Record:
    """The record in a row, which may have other columns, too. Raises UnreadableField."""
    # By position, because access by name makes SQLite search all columns of a row.
    values: dict[str, Any] = dict(zip(COLUMNS, _places(tuple(row.keys()))(row), strict=True))
    try:
        for name, read in _READERS:
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
    loaded = _DECODED(text)
    if not isinstance(loaded, kind):
        raise ValueError(f"not a {kind.__name__}")
    return loaded


@dataclass(frozen=True, slots=True)
class _Kind:
    """How the values of a column are written and read. None is always NULL."""

    write: Callable[[Any], Any] | None = None
    """Makes the bound value; None if the value is bound as it is."""
    read: Callable[[Any], Any] | None = None
    """Makes the value from the column's; None if it is the same."""
    default: str | None = None
    """What the column gets in place of a value that cannot be read; None is NULL."""


def _objects(encode: Callable[[Any], str]) -> _Kind:
    """The kind of a column that holds a JSON object, written by ``encode``."""
    return _Kind(
        lambda held: encode(dict(held)) if held else "{}",
        lambda text: _read(text, dict) if text != "{}" else {},
        "{}",
    )


_LISTS = _Kind(
    lambda held: to_json(list(held)) if held else "[]",
    lambda text: tuple(_read(text, list)) if text != "[]" else (),
    "[]",
)
_KINDS: dict[str, _Kind] = {
    **dict.fromkeys(TUPLES, _LISTS),
    **dict.fromkeys(_OBJECTS, _objects(to_json)),
    **dict.fromkeys(INSTANTS, _Kind(format_instant, instant)),
    **dict.fromkeys(_FLAGS, _Kind(int, bool)),
    "facets": _objects(sorted_json),
    "value": _Kind(read=_DECODED, default="null"),
    "id": _Kind(int, str),
}
_OF_COLUMNS = [(name, _KINDS[name]) for name in COLUMNS if name in _KINDS]

WRITERS = {name: kind.write for name, kind in _OF_COLUMNS if kind.write is not None}
"""The function that writes a field's value, by field; the others are bound as they are."""
AS_JSON = TUPLES | _OBJECTS
"""The fields whose columns hold their JSON as ``to_json`` writes it."""
FIELDS = {name: (kind.read, kind.default) for name, kind in _OF_COLUMNS if kind.read is not None}
"""For each field that has to be decoded: the function that reads it, and the default in place of
what cannot be read (None is NULL)."""
_WRITERS = tuple((COLUMNS.index(name), write) for name, write in WRITERS.items())
_READERS = tuple((name, read) for name, (read, _) in FIELDS.items())
