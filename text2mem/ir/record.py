"""A memory as every backend hands it out, how it prints, and how two versions differ."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import Any

from text2mem.ir.result import Change
from text2mem.ir.temporal import format_instant

DEFAULT_WEIGHT = 0.5
DEMOTED_WEIGHT = 0.2


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One memory. Instants are aware UTC datetimes; ``version`` counts its changes from 1."""

    id: str
    text: str = ""
    payload: Mapping[str, Any] = field(default_factory=dict)
    type: str | None = None
    tags: tuple[str, ...] = ()
    facets: Mapping[str, Any] = field(default_factory=dict)
    time: datetime | None = None
    subject: str | None = None
    location: str | None = None
    topic: str | None = None
    source: str | None = None
    weight: float = DEFAULT_WEIGHT
    archived: bool = False
    deleted: bool = False
    created_at: datetime
    updated_at: datetime
    expire_at: datetime | None = None
    expire_action: str | None = None
    remind_rrule: str | None = None
    remind_until: datetime | None = None
    remind_next: datetime | None = None
    lock_mode: str | None = None
    lock_policy: Mapping[str, Any] = field(default_factory=dict)
    lock_reason: str | None = None
    lock_expires: datetime | None = None
    owner: str | None = None
    read_perm_level: str | None = None
    write_perm_level: str | None = None
    read_whitelist: tuple[str, ...] = ()
    read_blacklist: tuple[str, ...] = ()
    write_whitelist: tuple[str, ...] = ()
    write_blacklist: tuple[str, ...] = ()
    lineage_parents: tuple[str, ...] = ()
    lineage_children: tuple[str, ...] = ()
    lineage_facets: Mapping[str, Any] = field(default_factory=dict)
    attribute: str | None = None
    value: Any = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    supersedes: str | None = None
    confidence: float | None = None
    source_episode_id: str | None = None
    retention_policy: str | None = None
    version: int = 1

    @property
    def is_fact(self) -> bool:
        """Facts carry a subject, an attribute and a value; Merge and Split refuse them."""
        return self.attribute is not None

    @property
    def when(self) -> datetime:
        """The instant that time ranges and orderings go by: ``time``, else the creation."""
        return self.time or self.created_at


ANONYMOUS: Mapping[str, Any] = {
    "text": "",
    "payload": {},
    "subject": None,
    "location": None,
    "topic": None,
    "source": None,
    "facets": {},
    "lineage_facets": {},
    "attribute": None,
    "value": None,
}
"""What anonymising leaves in the fields that it empties (language.md, "Expiry and reminders")."""


def locked(record: Record, now: datetime) -> bool:
    """Whether a lock is in force at ``now``."""
    return record.lock_mode is not None and (
        record.lock_expires is None or now < record.lock_expires
    )


DEFAULT_FIELDS = ("id", "text", "type", "tags", "time", "weight")
"""What Retrieve returns of a row where ``include`` names nothing."""

_UNLISTED = frozenset({"id", "updated_at", "version"})


def jsonable(value: Any) -> Any:
    """A field's value as JSON: instants in the stored form, tuples as lists."""
    if isinstance(value, datetime):
        return format_instant(value)
    if isinstance(value, tuple):
        return [jsonable(item) for item in value]
    if isinstance(value, Mapping):
        return {key: jsonable(item) for key, item in value.items()}
    return value


def same(one: Any, other: Any) -> bool:
    """Whether two JSON values are the same value: unlike in Python, 1 is neither true nor 1.0."""
    return bool(one == other) and bool(_typed(one) == _typed(other))


def _typed(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _typed(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_typed(item) for item in value]
    return type(value), value


def as_row(record: Record, names: tuple[str, ...] = ()) -> dict[str, Any]:
    """The named fields of a record as JSON, ``id`` always among them."""
    wanted = names or DEFAULT_FIELDS
    if "id" not in wanted:
        wanted = ("id", *wanted)
    return {name: jsonable(getattr(record, name)) for name in wanted if name != "score"}


def as_image(record: Record) -> dict[str, Any]:
    """Every field of a record as JSON: what the journal keeps."""
    return {f.name: jsonable(getattr(record, f.name)) for f in fields(Record)}


def diff(before: Record | None, after: Record | None) -> tuple[Change, ...]:
    """The fields in which two versions of one memory differ; None is "not there".

    ``version`` and ``updated_at`` move with every change and are left out.
    """
    old = {} if before is None else as_image(before)
    new = {} if after is None else as_image(after)
    id_ = str((after or before).id) if (after or before) else ""  # type: ignore[union-attr]
    blank = _BLANK_IMAGE
    return tuple(
        Change(id_, name, old.get(name), new.get(name))
        for name in blank
        if not same(old.get(name, blank[name]), new.get(name, blank[name]))
    )


_BLANK_IMAGE = {
    f.name: jsonable(
        getattr(Record(id="", created_at=datetime.min, updated_at=datetime.min), f.name)
    )
    if f.name not in ("created_at", "updated_at")
    else None
    for f in fields(Record)
    if f.name not in _UNLISTED
}
