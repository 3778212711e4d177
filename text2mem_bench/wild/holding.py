"""Whether a check holds of a memory, by what it was and what it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from functools import cached_property
from itertools import islice
from typing import Any

from text2mem.ir.patch import diff
from text2mem.ir.record import Record
from text2mem.ir.result import Change
from text2mem.ir.times.rrule import next_occurrence, zone_of
from text2mem_bench.wild.checks import Check, Checks, New, When
from text2mem_bench.wild.words import stands

_UNSEEN = frozenset({
    "lineage_parents", "lineage_children", "lineage_facets", "demoted_from", "remind_start",
    "remind_tz", "skip_embedding", "sources", "schema_version",
})  # fmt: skip
"""Fields whose change nobody sees who looks at the memory."""


@dataclass(frozen=True)
class Seen:
    """One memory before and after; None where it is not, or no longer, there."""

    id: str
    before: Record | None
    after: Record | None
    zone: tzinfo

    @cached_property
    def changes(self) -> tuple[Change, ...]:
        """What differs in it for whoever looks at it."""
        if self.before is not None and self.after is None:
            return (Change(self.id, "id", self.id, None),)
        return tuple(c for c in diff(self.before, self.after) if c.field not in _UNSEEN)

    @property
    def gone(self) -> bool:
        """Whether it is deleted, or erased."""
        return self.after is None or self.after.deleted

    @property
    def emptied(self) -> bool:
        """Whether it had content, and has none any more, as after anonymising."""
        old, new = self.before, self.after
        return (
            old is not None and new is not None
            and bool(old.text.strip()) and not new.text.strip() and not new.payload
        )  # fmt: skip

    def local(self, instant: datetime | None) -> str:
        """An instant on the clock of whoever asks, to the minute; empty where there is none."""
        return "" if instant is None else instant.astimezone(self.zone).strftime("%Y-%m-%dT%H:%M")


def holds(checks: Checks, seen: Seen) -> bool:
    """Whether all of the checks hold."""
    return not failing(checks, seen)


def failing(checks: Checks, seen: Seen) -> list[str]:
    """The checks that do not hold, as they are written."""
    return [
        f"{name} {_shown(getattr(check, name))}"
        for check in checks
        for name in check.asked
        if not _HELD[name](getattr(check, name), seen)
    ]


def fits(wanted: New | None, checks: Checks, seen: Seen) -> bool:
    """Whether a new memory is one that was to be made."""
    if seen.gone or seen.after is None or not holds(checks, seen):
        return False
    if wanted is None:
        return True
    new = seen.after
    said = "\n".join(filter(None, (content(new), new.subject, new.location, new.topic)))
    return (
        all(stands(word, said) for word in wanted.has)
        and not any(stands(word, said) for word in wanted.has_not)
        and holds(wanted.wanted(), seen)
    )


def content(record: Record) -> str:
    """The text of a memory; of one without text, the values of its payload."""
    if record.text.strip():
        return record.text
    return "\n".join(map(str, _leaves([record.payload, record.value])))


def dues(record: Record) -> Iterator[datetime]:
    """The instants at which its reminder is still due, in order."""
    due = record.remind_next
    while due is not None:
        yield due
        if record.remind_rrule is None:
            return
        due = next_occurrence(
            record.remind_rrule, after=due, start=record.remind_start or record.created_at,
            tz=zone_of(record.remind_tz or "UTC"), until=record.remind_until,
        )  # fmt: skip


# --- one check each ------------------------------------------------------------------------


def _of(test: Callable[[Any, Record, Seen], bool]) -> Callable[[Any, Seen], bool]:
    """A check of what the memory is; none holds of one that is erased."""
    return lambda value, seen: seen.after is not None and test(value, seen.after, seen)


def _when(wanted: When | None, instant: datetime | None, seen: Seen) -> bool:
    """Whether an instant is the local date or minute, or one of several; None is no instant."""
    if wanted is None:
        return instant is None
    local = seen.local(instant)
    one = (wanted,) if isinstance(wanted, str) else wanted
    return any(local and local.startswith(each) for each in one)


def _weighs(way: str, seen: Seen) -> bool:
    if seen.before is None or seen.after is None:
        return False
    by = seen.after.weight - seen.before.weight
    return by > 0 if way == "up" else by < 0


def _reminds_once(wanted: When, record: Record, seen: Seen) -> bool:
    two = list(islice(dues(record), 2))
    return len(two) == 1 and _when(wanted, two[0], seen)


def _rings(wanted: Sequence[str | None], record: Record, seen: Seen) -> bool:
    """Whether the next instants are these, in order; null is the end of them."""
    found: list[datetime | None] = [*islice(dues(record), len(wanted)), None][: len(wanted)]
    return len(found) == len(wanted) and all(
        _when(want, due, seen) for want, due in zip(wanted, found, strict=True)
    )


def _in_rule(parts: Sequence[str], record: Record, _: Seen) -> bool:
    rule = (record.remind_rrule or "").split(";")
    return all(part.upper() in rule for part in parts)


def _acts(wanted: str | Sequence[str], record: Record, _: Seen) -> bool:
    action = record.expire_action or "soft_delete"
    return record.expire_at is not None and action in (
        (wanted,) if isinstance(wanted, str) else wanted
    )


def _is_back(wanted: When | None, record: Record, seen: Seen) -> bool:
    if wanted is None:
        return record.demoted_until is None
    return record.archived and _when(wanted, record.demoted_until, seen)


_HELD: Mapping[str, Callable[[Any, Seen], bool]] = {
    "text_has": _of(lambda words, r, _: all(stands(word, content(r)) for word in words)),
    "text_has_not": _of(lambda words, r, _: not any(stands(word, content(r)) for word in words)),
    "tags_have": _of(lambda tags, r, _: set(_folded(tags)) <= set(_folded(r.tags))),
    "tags_lack": _of(lambda tags, r, _: not set(_folded(tags)) & set(_folded(r.tags))),
    "deleted": _of(lambda yes, r, _: r.deleted == yes),
    "gone": lambda yes, seen: seen.gone == yes,
    "erased": lambda yes, seen: (seen.after is None) == yes,
    "archived": _of(lambda yes, r, _: r.archived == yes),
    "weight": _weighs,
    "locked": _of(lambda mode, r, _: r.lock_mode == mode),
    "lock_until": _of(lambda when, r, s: _when(when, r.lock_expires, s)),
    "remind": _of(lambda some, r, _: (r.remind_next is not None) == bool(some)),
    "remind_at": _of(_reminds_once),
    "rrule_has": _of(_in_rule),
    "rings": _of(_rings),
    "expires": _of(lambda when, r, s: _when(when, r.expire_at, s)),
    "expire_action": _of(_acts),
    "returns": _of(_is_back),
    "time": _of(lambda when, r, s: _when(when, r.time, s)),
    "parent": _of(lambda id_, r, _: id_ in r.lineage_parents),
    "any": lambda several, seen: any(holds(checks, seen) for checks in several),
}


def _folded(tags: Sequence[str]) -> list[str]:
    return [tag.casefold() for tag in tags]


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, Mapping):
        for one in value.values():
            yield from _leaves(one)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _leaves(one)
    elif value is not None:
        yield value


def _shown(value: Any) -> str:
    if isinstance(value, tuple):
        return "[" + ", ".join(_shown(one) for one in value) + "]"
    if isinstance(value, Check):
        return " and ".join(f"{n} {_shown(getattr(value, n))}" for n in value.asked)
    return str(value)
