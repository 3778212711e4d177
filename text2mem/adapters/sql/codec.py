"""Records as rows of the table ``memories``, and back."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import fields
from datetime import UTC, datetime
from functools import lru_cache
from operator import attrgetter, itemgetter
from typing import Any

from text2mem.ir.patch import INSTANTS, TUPLES
from text2mem.ir.record import Record
from text2mem.ir.times.temporal import format_instant
from text2mem.ir.words.naming import fold

COLUMNS = tuple(f.name for f in fields(Record))
_OBJECTS = frozenset({"payload", "lock_policy", "lineage_facets", "demoted_from"})
_FLAGS = frozenset({"archived", "deleted", "pending", "skip_embedding"})
_values = attrgetter(*COLUMNS)
_PLAIN = json.JSONEncoder(ensure_ascii=False, allow_nan=False)
_SORTED = json.JSONEncoder(ensure_ascii=False, allow_nan=False, sort_keys=True)
_DECODED = json.JSONDecoder().decode
_VALUE = COLUMNS.index("value")
_ATTRIBUTE = COLUMNS.index("attribute")


class UnreadableField(ValueError):
    """A column of a row holds what cannot be read."""


def to_json(value: Any) -> str:
    """JSON as it is stored: non-ASCII characters as they are, so that LIKE finds them."""
    return _PLAIN.encode(value)


def sorted_json(value: Any) -> str:
    """JSON with keys in order, so that SQL can compare nested values as text."""
    return _SORTED.encode(value)


def to_values(record: Record) -> list[Any]:
    """A record's values in the order of ``COLUMNS``, ready to be bound."""
    values: list[Any] = list(_values(record))
    for index, write in _WRITERS:
        held = values[index]
        if held is not None:
            values[index] = write(held)
    if values[_ATTRIBUTE] is not None:
        values[_VALUE] = to_json(record.value)
    return values


def from_row(row: Any) -> Record:
    """The record that a row holds, whatever other columns the row has."""
    # By place: by name SQLite looks through all of a row.
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
    """What takes the values of ``COLUMNS`` out of a row that has these columns."""
    return itemgetter(*map(names.index, COLUMNS))


def subject_key(subject: str | None) -> str | None:
    """A subject as names are compared: what the column beside it holds."""
    return None if subject is None else fold(subject)


def instant(text: str) -> datetime:
    """A stored instant, ``YYYY-MM-DDTHH:MM:SSZ``, as an aware datetime."""
    found = datetime.fromisoformat(text)
    return found if found.tzinfo is UTC else found.astimezone(UTC)


def _write_list(values: tuple[Any, ...]) -> str:
    return to_json(list(values)) if values else "[]"


def _write_object(value: Any) -> str:
    return to_json(dict(value)) if value else "{}"


def _write_sorted(value: Any) -> str:
    return sorted_json(dict(value)) if value else "{}"


def _read_list(text: str) -> tuple[Any, ...]:
    return tuple(_read(text, list)) if text != "[]" else ()


def _read_object(text: str) -> dict[str, Any]:
    loaded: dict[str, Any] = _read(text, dict) if text != "{}" else {}
    return loaded


def _read(text: str, kind: type) -> Any:
    loaded = _DECODED(text)
    if not isinstance(loaded, kind):
        raise ValueError(f"not a {kind.__name__}")
    return loaded


def _writer(name: str) -> Callable[[Any], Any] | None:
    if name in TUPLES:
        return _write_list
    if name in _OBJECTS:
        return _write_object
    if name in INSTANTS:
        return format_instant
    if name == "facets":
        return _write_sorted
    return int if name == "id" or name in _FLAGS else None


def _reader(name: str) -> Callable[[Any], Any] | None:
    if name in TUPLES:
        return _read_list
    if name in _OBJECTS or name == "facets":
        return _read_object
    if name in INSTANTS:
        return instant
    if name == "value":
        return _DECODED
    if name in _FLAGS:
        return bool
    return str if name == "id" else None


WRITERS = {name: write for name in COLUMNS if (write := _writer(name)) is not None}
"""How a field's value is written, where it is not bound as it is; None is always NULL."""
AS_JSON = TUPLES | _OBJECTS
"""The fields that are stored as ``to_json`` writes them."""
_WRITERS = tuple((COLUMNS.index(name), write) for name, write in WRITERS.items())
_READERS = tuple((name, read) for name in COLUMNS if (read := _reader(name)) is not None)

_DEFAULTS = {"list": "[]", "object": "{}", "value": "null"}


def _kind(name: str) -> str:
    if name in TUPLES:
        return "list"
    return "object" if name in _OBJECTS or name == "facets" else name


FIELDS: dict[str, tuple[Callable[[Any], Any], str | None]] = {
    name: (read, _DEFAULTS.get(_kind(name))) for name, read in _READERS
}
"""How every field that is read is read, and what stands for one that cannot be (None: NULL)."""
