"""The record of a memory, which every backend returns, and its JSON form."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from datetime import UTC, datetime
from typing import Any
from unicodedata import normalize

from text2mem.ir.times.temporal import format_instant
from text2mem.ir.values import as_text
from text2mem.ir.words.naming import name_key

DEFAULT_WEIGHT = 0.5
DEMOTED_WEIGHT = 0.2
LAST = datetime.max.replace(tzinfo=UTC)
"""The end of what holds without one."""
ERASING = ("hard_delete", "anonymize")
"""The expiries that remove the content of a memory."""
DEFAULT_ROWS = 20
"""How many rows a read by a filter or a search returns if it says nothing else."""
MOST_ROWS = 100_000
"""The greatest limit that may be asked for."""
_ID = re.compile(r"[1-9][0-9]{0,11}")


def is_id(text: str) -> bool:
    """Whether a text has the form of a memory's id."""
    return _ID.fullmatch(text) is not None


def as_tags(given: Iterable[str]) -> tuple[str, ...]:
    """Return tags as they are stored: trimmed, composed (NFC), each once, in their order."""
    return tuple(dict.fromkeys(normalize("NFC", tag.strip()) for tag in given))


def jsonable(value: Any) -> Any:
    """A field's value as JSON: instants as stored, tuples as lists, dataclasses as objects. A time
    without a zone stays one."""
    if value is None or type(value) in (str, int, float, bool):
        return value
    if isinstance(value, datetime):
        return value.isoformat() if value.utcoffset() is None else format_instant(value)
    if isinstance(value, tuple):
        return [item if type(item) is str else jsonable(item) for item in value]
    if isinstance(value, Mapping):
        return {key: jsonable(item) for key, item in value.items()}
    if is_dataclass(value):
        return value.as_dict() if hasattr(value, "as_dict") else _by_field(value)
    return value


def _by_field(value: Any) -> dict[str, Any]:
    return {item.name: jsonable(getattr(value, item.name)) for item in fields(value)}


class AsJson:
    """A base class of dataclasses whose JSON form is the object of their fields, in order."""

    __slots__ = ()

    def as_dict(self) -> dict[str, Any]:
        """All fields as JSON."""
        return _by_field(self)


TITLE = ("text", "subject", "attribute", "value")
"""The fields of which a person is shown what a memory is (``titled``)."""


def titled(
    text: str = "", subject: str | None = None, attribute: str | None = None, value: Any = None
) -> str:
    """What a person is shown of a memory: ``subject.attribute = value`` of a fact, else its
    text."""
    return text if attribute is None else f"{subject}.{attribute} = {as_text(value)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Record(AsJson):
    """One memory. Instants are aware UTC datetimes."""

    id: str
    text: str = ""
    """The text form of the content, which is shown and searched."""
    payload: Mapping[str, Any] = field(default_factory=dict)
    """The content under ``text``, ``url`` or ``structured``, with the other keys of the payload."""
    type: str | None = None
    tags: tuple[str, ...] = ()
    facets: Mapping[str, Any] = field(default_factory=dict)
    time: datetime | None = None
    """The time that the memory is about, if it is known."""
    subject: str | None = None
    location: str | None = None
    topic: str | None = None
    source: str | None = None
    weight: float = DEFAULT_WEIGHT
    archived: bool = False
    """Whether it is left out of reads by default."""
    demoted_until: datetime | None = None
    demoted_from: Mapping[str, Any] = field(default_factory=dict)
    """The values of ``weight`` and ``archived`` that are restored at ``demoted_until``."""
    deleted: bool = False
    created_at: datetime
    updated_at: datetime
    expire_at: datetime | None = None
    expire_action: str | None = None
    """What happens at ``expire_at``: a value of ``OnExpire``."""
    remind_rrule: str | None = None
    """The recurrence rule of the reminder; None for a reminder at one instant."""
    remind_until: datetime | None = None
    remind_next: datetime | None = None
    """The instant at which the reminder is due next; None if it is over."""
    remind_start: datetime | None = None
    """The instant from which the rule counts."""
    remind_tz: str | None = None
    lock_mode: str | None = None
    lock_policy: Mapping[str, Any] = field(default_factory=dict)
    lock_reason: str | None = None
    lock_expires: datetime | None = None
    owner: str | None = None
    """The actor who encoded the memory; None for the local user."""
    read_perm_level: str | None = None
    write_perm_level: str | None = None
    read_whitelist: tuple[str, ...] = ()
    read_blacklist: tuple[str, ...] = ()
    write_whitelist: tuple[str, ...] = ()
    write_blacklist: tuple[str, ...] = ()
    lineage_parents: tuple[str, ...] = ()
    lineage_children: tuple[str, ...] = ()
    lineage_facets: Mapping[str, Any] = field(default_factory=dict)
    """The facets of merged memories that lost to others, by the id of the memory."""
    attribute: str | None = None
    """The attribute of a fact; None for another memory."""
    value: Any = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    """The instant from which a fact no longer holds."""
    supersedes: str | None = None
    """The id of the version of a fact that this one closed."""
    confidence: float | None = None
    source_episode_id: str | None = None
    retention_policy: str | None = None
    pending: bool = False
    """Whether a fact waits because its confidence is below the floor."""
    sources: tuple[Mapping[str, Any], ...] = ()
    """Each statement of a fact: ``episode``, ``source``, ``confidence``, ``at``."""
    skip_embedding: bool = False
    schema_version: int = 1
    """The version of the registry at its encoding."""
    version: int = 1
    """The number of the version of the record, from 1. Every change increases it."""

    def __str__(self) -> str:
        return f"{self.id}: {self.title}"

    @property
    def title(self) -> str:
        """The name that a person is shown, see ``titled``."""
        return titled(self.text, self.subject, self.attribute, self.value)

    @property
    def away(self) -> bool:
        """Whether the memory is archived or deleted."""
        return self.archived or self.deleted

    @property
    def is_fact(self) -> bool:
        """Whether the memory is a fact: it has a subject, an attribute and a value."""
        return self.attribute is not None

    @property
    def line(self) -> tuple[str, str]:
        """The folded subject and attribute of a fact."""
        return name_key(self.subject or ""), name_key(self.attribute or "")

    @property
    def expires(self) -> bool:
        """Whether the expiry has an effect yet: of a deleted memory, only one that erases does."""
        return not self.deleted or self.expire_action in ERASING

    @property
    def when(self) -> datetime:
        """The instant that ranges and orderings use: ``time``, else the creation."""
        return self.time or self.created_at

    @property
    def begins(self) -> datetime:
        """The instant from which a version of a fact holds: ``valid_from``, else ``when``."""
        return self.valid_from or self.when

    @property
    def ends(self) -> datetime:
        """The instant until which a version of a fact holds: ``valid_to``, else ``LAST``."""
        return self.valid_to or LAST

    def holds_at(self, instant: datetime) -> bool:
        """Whether the validity of a fact covers an instant."""
        return self.begins <= instant < self.ends


def told_order(record: Record) -> tuple[float, int]:
    """The sort key for the newest first, and of the same time for the first one created."""
    return -record.when.timestamp(), int(record.id)


def passed(record: Record, now: datetime) -> bool:
    """Whether a deleted memory's expiry has passed without effect, as it erases nothing."""
    end = record.expire_at
    return record.deleted and not record.expires and end is not None and end <= now


def due(record: Record, now: datetime) -> bool:
    """Whether a memory's expiry has come and is still to be carried out."""
    return record.expires and record.expire_at is not None and record.expire_at <= now


def erased_sooner(before: Record, after: Record) -> bool:
    """Whether a change lets a memory's content go for good that was to stay, or was to go later."""
    if after.expire_at is None or after.expire_action not in ERASING:
        return False
    stayed = before.expire_at is None or before.expire_action not in ERASING
    return stayed or after.expire_at < (before.expire_at or after.expire_at)


def wakes(record: Record, now: datetime) -> bool:
    """Whether a temporary demotion is over. An expiry that demotes before makes it permanent."""
    end = record.demoted_until
    if end is None or end > now:
        return False
    demotes = record.expires and record.expire_action == "demote"
    return not (demotes and record.expire_at is not None and record.expire_at < end)


NO_REMINDER: Mapping[str, Any] = dict.fromkeys(
    ("remind_rrule", "remind_until", "remind_next", "remind_start", "remind_tz")
)
"""The fields of a reminder, with their values in a memory that has none."""


def reminder_of(record: Record) -> dict[str, Any]:
    """The fields of a memory's reminder."""
    return {name: getattr(record, name) for name in NO_REMINDER}


_NEVER: Any = None
EMPTY = Record(id="", created_at=_NEVER, updated_at=_NEVER)
"""A memory that holds nothing."""
ANONYMOUS: Mapping[str, Any] = {
    name: getattr(EMPTY, name)
    for name in (
        "text", "payload", "subject", "location", "topic", "source", "facets", "lineage_facets",
        "attribute", "value", "pending", "sources",
    )
}  # fmt: skip
"""The fields that anonymising empties, with their values afterwards."""


def locked(record: Record, now: datetime) -> bool:
    """Whether a lock is in force at ``now``."""
    return record.lock_mode is not None and (
        record.lock_expires is None or now < record.lock_expires
    )


def changed(before: Record, after: Record, now: datetime) -> Record:
    """Return the new state of a memory with the next version and the time of the change. Of a
    temporary demotion that stays, a field that has changed is no longer restored at the end."""
    demotion = (after.demoted_until, after.demoted_from)
    if after.demoted_from and demotion == (before.demoted_until, before.demoted_from):
        moved = [n for n in after.demoted_from if getattr(before, n) != getattr(after, n)]
        after = replace(after, **lasting(after, moved))
    return replace(after, version=before.version + 1, updated_at=now)


def lasting(record: Record, names: Iterable[str]) -> dict[str, Any]:
    """The new fields of a temporary demotion at whose end ``names`` are not to be restored."""
    left = {name: held for name, held in record.demoted_from.items() if name not in set(names)}
    return {"demoted_from": left, "demoted_until": record.demoted_until if left else None}


_FACT = re.compile("subject: (.*?)\nattribute: (.*?)\nvalue: (.*)", re.DOTALL)
"""The text of a fact, as ``ops.as_lines`` writes it."""


def title_of(row: Mapping[str, Any]) -> str:
    """What a person is shown of a row (``as_row``), as ``titled``. A fact is told by its type."""
    text = str(row.get("text") or "")
    fact = _FACT.fullmatch(text) if row.get("type") == "fact" else None
    return text if fact is None else "{}.{} = {}".format(*fact.groups())


DEFAULT_FIELDS = ("id", "text", "type", "tags", "time", "weight")
"""The fields of the rows that Retrieve returns if ``include`` names none, with ``remind_next`` of
what has a reminder."""


def as_row(record: Record, names: tuple[str, ...] = ()) -> dict[str, Any]:
    """The named fields of a record as JSON, ``DEFAULT_FIELDS`` without names, and then when it
    reminds, if it does; ``id`` is always among them. "score" is left out, since it is no field of a
    record."""
    rings = ("remind_next",) if record.remind_next is not None else ()
    wanted = names or (*DEFAULT_FIELDS, *rings)
    if "id" not in wanted:
        wanted = ("id", *wanted)
    return {name: jsonable(getattr(record, name)) for name in wanted if name != "score"}
