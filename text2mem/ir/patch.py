"""How two versions of a memory differ, field by field, and the way back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, replace
from datetime import UTC, datetime
from itertools import takewhile
from operator import attrgetter
from typing import Any

from text2mem.ir.record import Record, jsonable
from text2mem.ir.result import Change

UNLISTED = frozenset({"id", "updated_at", "version"})
"""What moves with every change, and the id, which never does."""

NAMES = tuple(f.name for f in fields(Record) if f.name not in UNLISTED)
INSTANTS = frozenset(f.name for f in fields(Record) if "datetime" in str(f.type))
TUPLES = frozenset(f.name for f in fields(Record) if str(f.type).startswith("tuple"))
_values = attrgetter(*NAMES)
_GROWS = "sources"


def same(one: Any, other: Any) -> bool:
    """Whether two JSON values are the same value: unlike in Python, 1 is neither true nor 1.0."""
    return bool(one == other) and bool(_typed(one) == _typed(other))


def _typed(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _typed(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_typed(item) for item in value]
    return type(value), value


_NEVER: Any = None
_BLANK = _values(Record(id="", created_at=_NEVER, updated_at=_NEVER))
BLANK = dict(zip(NAMES, _BLANK, strict=True))
"""What each field of ``NAMES`` is before there is a memory."""


def diff(before: Record | None, after: Record | None) -> tuple[Change, ...]:
    """The fields in which two versions of one memory differ; None is "not there".

    Values are JSON. ``version`` and ``updated_at`` move with every change and are left out.
    """
    known = after if after is not None else before
    if known is None:
        return ()
    old = _BLANK if before is None else _values(before)
    new = _BLANK if after is None else _values(after)
    return tuple(
        Change(known.id, name, jsonable(was), jsonable(is_))
        for name, was, is_ in zip(NAMES, old, new, strict=True)
        if was is not is_ and (was != is_ or not same(was, is_))
    )


def shortened(changes: Iterable[Change]) -> tuple[Change, ...]:
    """Changes as a journal keeps them: what a fact's sources begin with before and after is only
    counted (``{"kept": 2, "then": […]}``), since they grow by one whenever it is heard again."""
    return tuple(_shortened(each) if each.field == _GROWS else each for each in changes)


def _shortened(change: Change) -> Change:
    if isinstance(change.before, Mapping):
        return change
    pairs = zip(change.before, change.after, strict=False)
    kept = sum(1 for _ in takewhile(lambda pair: same(*pair), pairs))
    if not kept:
        return change
    before, after = ({"kept": kept, "then": e[kept:]} for e in (change.before, change.after))
    return replace(change, before=before, after=after)


def in_full(name: str, value: Any, held: Sequence[Any]) -> Any:
    """A field's value as ``diff`` writes it, of one as a journal keeps it; ``held`` are the sources
    on the other side of the change. Blank stands for those that are not known."""
    if name != _GROWS or not isinstance(value, Mapping):
        return value
    kept = value["kept"]
    return [*held[:kept], *({} for _ in range(kept - len(held))), *value["then"]]


def rewound(record: Record | None, changes: Iterable[Change]) -> dict[str, Any]:
    """The values of changed fields before changes, of which the last one comes first, that have
    led to a record."""
    out: dict[str, Any] = {_GROWS: jsonable(record.sources)} if record is not None else {}
    for change in changes:
        out[change.field] = in_full(change.field, change.before, out.get(_GROWS, ()))
    return out


def patched(record: Record, values: Mapping[str, Any]) -> Record:
    """The record with fields set to JSON values, as ``diff`` or a journal writes them."""
    full = {name: in_full(name, value, record.sources) for name, value in values.items()}
    return replace(record, **{name: _read(name, value) for name, value in full.items()})


def from_values(id_: str, values: Mapping[str, Any], *, updated_at: datetime) -> Record:
    """A record from the JSON values of its fields; what is missing is blank."""
    read = {name: _read(name, value) for name, value in values.items()}
    return Record(id=id_, updated_at=updated_at, **read)


def before(changes: Iterable[Change]) -> dict[str, Any]:
    """The earlier values of changed fields, by name."""
    return {change.field: change.before for change in changes}


def _read(name: str, value: Any) -> Any:
    if value is None:
        return None
    if name in INSTANTS:
        return datetime.fromisoformat(value).astimezone(UTC)
    return tuple(value) if name in TUPLES else value
