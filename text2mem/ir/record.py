"""A memory as every backend hands it out, and how it prints."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from datetime import datetime
from types import UnionType
from typing import Any, TypeVar

from text2mem.errors import ConfigurationError
from text2mem.ir.times.temporal import format_instant

T = TypeVar("T")
DEFAULT_WEIGHT = 0.5
DEMOTED_WEIGHT = 0.2
ERASING = ("hard_delete", "anonymize")
"""The expiries that leave nothing of the content."""
DEFAULT_ROWS = 20
"""How many rows a read by a filter or a search returns if it says nothing else."""
MOST_ROWS = 100_000
_ID = re.compile(r"[1-9][0-9]{0,11}")


def is_id(text: str) -> bool:
    """Whether a text can be the id of a memory; anything else is the id of none."""
    return _ID.fullmatch(text) is not None


def as_id(given: object) -> str:
    """An id as a caller gives it; a number is taken too. Raises ConfigurationError."""
    if isinstance(given, int) and not isinstance(given, bool):
        return str(given)
    if not isinstance(given, str):
        raise ConfigurationError(
            f"{given!r} is no id of a memory", hint='an id is a text of digits, such as "12"'
        )
    return given


def as_words(what: str, given: object) -> str:
    """A text as a caller gives it. Raises ConfigurationError."""
    if not isinstance(given, str):
        raise ConfigurationError(f"{what} is {given!r:.40}, and no text")
    return given


def as_limit(name: str, given: object) -> int:
    """A number of rows as a caller gives it. Raises ConfigurationError."""
    if not isinstance(given, int) or not 1 <= given <= MOST_ROWS:
        raise ConfigurationError(f"{name} is {given!r}", hint=f"ask for 1 to {MOST_ROWS}")
    return given


def as_count(name: str, given: object) -> int:
    """A number of things, 0 or more, as a caller gives it. Raises ConfigurationError."""
    if not isinstance(given, int) or isinstance(given, bool) or given < 0:
        raise ConfigurationError(f"{name} is {given!r:.40}", hint="give a number, 0 or more")
    return given


def as_kind(given: T, kind: type | UnionType, what: str, hint: str) -> T:
    """What a caller gives, where it is of its kind. Raises ConfigurationError."""
    if not isinstance(given, kind):
        raise ConfigurationError(f"{given!r:.200} is no {what}", hint=hint)
    return given


def as_several(name: str, given: Any, kind: type | UnionType, what: str) -> tuple[Any, ...]:
    """Several things of a kind as a caller gives them. Raises ConfigurationError."""
    several = tuple(given) if isinstance(given, Iterable) and not isinstance(given, str) else None
    if several is None or not all(isinstance(each, kind) for each in several):
        raise ConfigurationError(f"{name} is {given!r:.200}", hint=f"give a list of {what}")
    return several


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One memory. Instants are aware UTC datetimes; ``version`` counts its changes from 1.

    ``demoted_from`` holds those of ``weight`` and ``archived`` that come back at ``demoted_until``.
    A reminder with a ``remind_next`` and no ``remind_rrule`` is due once.
    ``sources`` says where a fact was heard: ``episode``, ``source``, ``confidence``, ``at``, the
    first one of its encoding. ``schema_version`` is the registry's at its encoding.
    """

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
    demoted_until: datetime | None = None
    demoted_from: Mapping[str, Any] = field(default_factory=dict)
    deleted: bool = False
    created_at: datetime
    updated_at: datetime
    expire_at: datetime | None = None
    expire_action: str | None = None
    remind_rrule: str | None = None
    remind_until: datetime | None = None
    remind_next: datetime | None = None
    remind_start: datetime | None = None
    remind_tz: str | None = None
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
    pending: bool = False
    sources: tuple[Mapping[str, Any], ...] = ()
    skip_embedding: bool = False
    schema_version: int = 1
    version: int = 1

    @property
    def away(self) -> bool:
        """Whether it is archived or deleted."""
        return self.archived or self.deleted

    @property
    def is_fact(self) -> bool:
        """Facts carry a subject, an attribute and a value; Merge and Split refuse them."""
        return self.attribute is not None

    @property
    def expires(self) -> bool:
        """Whether an expiry is still to be carried out: of a deleted memory one that erases."""
        return not self.deleted or self.expire_action in ERASING

    @property
    def when(self) -> datetime:
        """The instant that time ranges and orderings go by: ``time``, else the creation."""
        return self.time or self.created_at

    @property
    def begins(self) -> datetime:
        """Since when a version of a fact holds, if it ever does."""
        return self.valid_from or self.when

    def holds_at(self, instant: datetime) -> bool:
        """Whether a fact holds at an instant, by its own validity."""
        return self.begins <= instant and (self.valid_to is None or instant < self.valid_to)


def told_order(record: Record) -> tuple[float, int]:
    """The newest first, and those of one time in the order in which they were made."""
    return -record.when.timestamp(), int(record.id)


def passed(record: Record, now: datetime) -> bool:
    """Whether an end that erases nothing has gone by without effect: the memory was deleted."""
    end = record.expire_at
    return record.deleted and not record.expires and end is not None and end <= now


def due(record: Record, now: datetime) -> bool:
    """Whether a memory's expiry has come and was not carried out yet."""
    return record.expires and record.expire_at is not None and record.expire_at <= now


def wakes(record: Record, now: datetime) -> bool:
    """Whether a demotion that was for a while is over: not one that an expiry has made lasting."""
    end = record.demoted_until
    if end is None or end > now:
        return False
    lasting = record.expires and record.expire_action == "demote"
    return not (lasting and record.expire_at is not None and record.expire_at < end)


NO_REMINDER: Mapping[str, Any] = dict.fromkeys(
    ("remind_rrule", "remind_until", "remind_next", "remind_start", "remind_tz")
)
"""The fields of a reminder, of a memory that has none."""


def reminder_of(record: Record) -> dict[str, Any]:
    """The fields of a memory's reminder."""
    return {name: getattr(record, name) for name in NO_REMINDER}


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
    "pending": False,
    "sources": (),
}
"""What anonymising leaves in the fields that it empties (language.md, "Expiry and reminders")."""


def locked(record: Record, now: datetime) -> bool:
    """Whether a lock is in force at ``now``."""
    return record.lock_mode is not None and (
        record.lock_expires is None or now < record.lock_expires
    )


def changed(before: Record, after: Record, now: datetime) -> Record:
    """The new state of a memory with its version and time of change.

    What has changed a weight or an archived state leaves nothing to come back there.
    """
    demotion = (after.demoted_until, after.demoted_from)
    if after.demoted_from and demotion == (before.demoted_until, before.demoted_from):
        moved = [
            name for name in after.demoted_from if getattr(before, name) != getattr(after, name)
        ]
        after = replace(after, **lasting(after, moved))
    return replace(after, version=before.version + 1, updated_at=now)


def lasting(record: Record, names: Iterable[str]) -> dict[str, Any]:
    """The fields of a demotion that is no longer for a while as to ``weight`` or ``archived``."""
    left = {name: held for name, held in record.demoted_from.items() if name not in set(names)}
    return {"demoted_from": left, "demoted_until": record.demoted_until if left else None}


DEFAULT_FIELDS = ("id", "text", "type", "tags", "time", "weight")
"""What Retrieve returns of a row where ``include`` names nothing."""


def jsonable(value: Any) -> Any:
    """A field's value as JSON: instants in the stored form, tuples as lists, objects by fields."""
    if value is None or type(value) in (str, int, float, bool):
        return value
    if isinstance(value, datetime):
        return format_instant(value)
    if isinstance(value, tuple):
        return [item if type(item) is str else jsonable(item) for item in value]
    if isinstance(value, Mapping):
        return {key: jsonable(item) for key, item in value.items()}
    if is_dataclass(value):
        return value.as_dict() if hasattr(value, "as_dict") else _by_field(value)
    return value


def _by_field(value: Any) -> dict[str, Any]:
    return {each.name: jsonable(getattr(value, each.name)) for each in fields(value)}


class AsJson:
    """A dataclass whose fields are its JSON, in their order."""

    __slots__ = ()

    def as_dict(self) -> dict[str, Any]:
        """Every field as JSON."""
        return _by_field(self)


def as_row(record: Record, names: tuple[str, ...] = ()) -> dict[str, Any]:
    """The named fields of a record as JSON, ``id`` always among them."""
    wanted = names or DEFAULT_FIELDS
    if "id" not in wanted:
        wanted = ("id", *wanted)
    return {name: jsonable(getattr(record, name)) for name in wanted if name != "score"}


def as_image(record: Record) -> dict[str, Any]:
    """Every field of a record as JSON: what the journal keeps."""
    return _by_field(record)
