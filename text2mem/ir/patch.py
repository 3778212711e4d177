"""The differences between two versions of a memory, field by field, and how to undo them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, replace
from datetime import UTC, datetime
from itertools import takewhile
from operator import attrgetter
from typing import Any

from text2mem.ir.record import EMPTY, Record, jsonable
from text2mem.ir.result import Change

UNLISTED = frozenset({"id", "updated_at", "version"})
"""The fields that no difference lists: the id, and those that every change sets."""

NAMES = tuple(f.name for f in fields(Record) if f.name not in UNLISTED)
"""The fields that are compared."""
INSTANTS = frozenset(f.name for f in fields(Record) if "datetime" in str(f.type))
TUPLES = frozenset(f.name for f in fields(Record) if str(f.type).startswith("tuple"))
_values = attrgetter(*NAMES)
_GROWS = "sources"
"""The field that the journal shortens (``shortened``)."""


def same(one: Any, other: Any) -> bool:
    """Whether two JSON values are equal and of the same types, as 1, 1.0 and true are not."""
    return one is other or bool(one == other and _typed(one) == _typed(other))


def _typed(value: Any) -> Any:
    """A JSON value with each scalar paired with its type."""
    if isinstance(value, Mapping):
        return {key: _typed(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_typed(item) for item in value]
    return type(value), value


_BLANK = _values(EMPTY)
BLANK = dict(zip(NAMES, _BLANK, strict=True))
"""The fields of a blank memory, with which a new or removed one is compared."""


def diff(before: Record | None, after: Record | None) -> tuple[Change, ...]:
    """Return the fields in which two versions of one memory differ, with their JSON values; those
    of ``UNLISTED`` are left out. None is a memory that does not exist."""
    known = after or before
    if known is None:
        return ()
    old = _BLANK if before is None else _values(before)
    new = _BLANK if after is None else _values(after)
    return tuple(
        Change(known.id, name, *_both(was, is_))
        for name, was, is_ in zip(NAMES, old, new, strict=True)
        if was is not is_ and (was != is_ or not same(was, is_))
    )


def _both(was: Any, is_: Any) -> tuple[Any, Any]:
    """Two values as JSON. What two tuples share is shared then, since sources may be many."""
    if not (isinstance(was, tuple) and isinstance(is_, tuple)):
        return jsonable(was), jsonable(is_)
    items = {id(item): item for item in (*was, *is_)}
    made = {key: jsonable(item) for key, item in items.items()}
    return [made[id(item)] for item in was], [made[id(item)] for item in is_]


def shortened(changes: Iterable[Change]) -> tuple[Change, ...]:
    """Changes in the form that the journal keeps. A fact gains a source whenever its value is
    stated again, so those that stay are only counted: ``{"kept": 2, "then": […]}``."""
    return tuple(map(_shortened, changes))


def _shortened(change: Change) -> Change:
    if change.field != _GROWS or isinstance(change.before, Mapping):  # which is short already
        return change
    pairs = zip(change.before, change.after, strict=False)
    kept = sum(1 for _ in takewhile(lambda pair: same(*pair), pairs))
    if not kept:
        return change
    was, is_ = ({"kept": kept, "then": value[kept:]} for value in (change.before, change.after))
    return replace(change, before=was, after=is_)


def in_full(name: str, value: Any, held: Sequence[Any]) -> Any:
    """The full value of the field ``name``, from the form that the journal keeps (``shortened``).
    The counted items are taken from ``held``; those that it lacks become ``{}``."""
    if name != _GROWS or not isinstance(value, Mapping):
        return value
    kept = value["kept"]
    return [*held[:kept], *({} for _ in range(kept - len(held))), *value["then"]]


def rewound(record: Record | None, changes: Iterable[Change]) -> dict[str, Any]:
    """The JSON values that the changed fields had before the changes, which led to ``record`` (None
    if the memory does not exist now), the last one first."""
    out: dict[str, Any] = {_GROWS: jsonable(record.sources)} if record is not None else {}
    for change in changes:
        out[change.field] = in_full(change.field, change.before, out.get(_GROWS, ()))
    return out


def patched(record: Record, values: Mapping[str, Any]) -> Record:
    """The record with fields set to JSON values in the form of ``diff`` or of the journal."""
    held = record.sources
    read = {name: _read(name, in_full(name, value, held)) for name, value in values.items()}
    return replace(record, **read)


def from_values(id_: str, values: Mapping[str, Any], *, updated_at: datetime) -> Record:
    """A record from the JSON values of its fields. A missing field has its default."""
    read = {name: _read(name, value) for name, value in values.items()}
    return Record(id=id_, updated_at=updated_at, **read)


def before(changes: Iterable[Change]) -> dict[str, Any]:
    """The values of changed fields before the change, by the name of the field."""
    return {change.field: change.before for change in changes}


def _read(name: str, value: Any) -> Any:
    if value is None:
        return None
    if name in INSTANTS:
        return datetime.fromisoformat(value).astimezone(UTC)
    return tuple(value) if name in TUPLES else value
