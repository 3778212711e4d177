"""A candidate beside the facts that the ledger holds of the same subject and attribute."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from text2mem.ir.record import Record
from text2mem.ir.registry import Attribute
from text2mem.ir.times.numerals import read_number
from text2mem.ir.times.written_dates import read_date
from text2mem.ir.values import UnfitValue, canonical
from text2mem.ir.words.naming import name_key
from text2mem.ledger.candidate import Candidate
from text2mem.ledger.episode import Episode
from text2mem.ledger.ledger import Ledger


def fitted(attribute: Attribute, value: Any) -> Any:
    """The value, read as a number or an ISO date if the attribute's type requires one."""
    if not isinstance(value, str):
        return value
    if attribute.value_type == "number" and (number := read_number(value)) is not None:
        return number
    if attribute.value_type == "date" and (day := read_date(value)) is not None:
        return day.isoformat()
    return value


@dataclass(frozen=True, slots=True)
class Case:
    """A candidate of an episode beside the ledger's facts of its line."""

    candidate: Candidate
    episode: Episode
    ledger: Ledger
    attribute: Attribute
    names: tuple[str, ...]
    """The attribute's name, and its earlier one if it was renamed: a policy may use either."""

    @property
    def subject(self) -> str:
        return name_key(self.candidate.subject)

    def current(self) -> list[Record]:
        """The versions that the candidate may be about, the latest changed first: those that hold
        now or, if it begins (or a retraction ends) in the future, then."""
        candidate = self.candidate
        at = candidate.valid_to if candidate.kind == "retract" else candidate.valid_from
        facts = partial(self.ledger.facts, subject=self.subject, attribute=self.attribute.name)
        said_at, now = self.episode.at, self.ledger.now()
        found = [*facts(), *(facts(as_of=at) if at is not None and at > now else ())]
        # A turn that is read late is not about a version that began after it was said.
        early = [r for r in found if not said_at < r.begins <= now]
        if len(early) < len(found):
            found = [*early, *facts(as_of=said_at)]
        unique = {record.id: record for record in found}
        return sorted(unique.values(), key=lambda r: (r.updated_at, int(r.id)), reverse=True)

    def not_now(self) -> Sequence[Record]:
        """The versions that held, or will hold, at other times, the latest beginning first."""
        return self.ledger.not_now(subject=self.subject, attribute=self.attribute.name)

    def ahead(self, value: Any) -> list[Record]:
        """The versions with this value (None: any) that had yet to begin when the turn was said."""
        holding = self.ledger.facts(subject=self.subject, attribute=self.attribute.name)
        found = [
            record for record in (*holding, *self.not_now())
            if record.begins > self.episode.at and not said_after(record, self.episode)
        ]  # fmt: skip
        return self.with_value(found, value)

    def waiting(self) -> list[Record]:
        """The pending facts of the same subject and attribute, the oldest first."""
        return [*self.ledger.waiting(subject=self.subject, attribute=self.attribute.name)][::-1]

    def begins(self) -> datetime | None:
        """Where the candidate begins. If its words name a day or a month, within which a version
        with another value has begun, that is the last instant of these: who lived in Bergen on 3
        June, and has moved "in June", has moved after that."""
        first, latest = self.candidate.valid_from, self.candidate.latest
        if first is None or latest is None or self.attribute.cardinality != "one":
            return first
        within = (first < record.begins <= latest for record in self.others())
        return latest if any(within) else first

    def others(self) -> list[Record]:
        """The current versions with another value."""
        return [r for r in self.current() if not self.same(r.value, self.candidate.value)]

    @property
    def confidence(self) -> float:
        """The candidate's confidence times the policy's trust in the role of its source."""
        return self.ledger.policy.trusted(self.candidate.confidence, self.episode.role)

    @property
    def unsure(self) -> bool:
        """Whether its confidence is below the policy's floor, or several episodes must state it."""
        return self.confidence < self.ledger.policy.floor or self.needed > 1

    @property
    def needed(self) -> int:
        """The number of episodes that must state it."""
        return max(map(self.ledger.policy.needed, self.names))

    @property
    def reported(self) -> bool:
        """Whether it comes from a text, such as a page or a mail, whose role is not the user."""
        return self.episode.role != "user" and self.episode.message.structured is None

    def overruled(self, record: Record) -> bool:
        """Whether it is reported, and the fact has a source that is neither a tool nor an event."""
        named = [entry.get("source") for entry in record.sources] or [record.source]
        by = (str(name or "").partition(":")[0] for name in named)
        return self.reported and any(role not in ("tool", "event") for role in by)

    def contradicts_user(self) -> str | None:
        """Why a reported value has to wait, if the user has stated another one; else None."""
        if self.attribute.cardinality != "one":
            return None
        said = any(map(self.overruled, self.others()))
        return f"the text of a {self.episode.role} says otherwise than the user" if said else None

    def holds(self, value: Any) -> bool:
        """Whether the value holds already where the candidate begins; False if it tells an end."""
        begins = self.candidate.valid_from or self.episode.at
        return self.candidate.valid_to is None and any(
            self.same(record.value, value) and record.begins <= begins for record in self.current()
        )

    def to_end(self, value: Any) -> Record | None:
        """The version with this value whose end is told; a told beginning is before its own."""
        first, end = self.candidate.valid_from, self.candidate.valid_to
        if end is None:
            return None
        found = (
            record for record in self.versions(value)
            if (first or record.begins) <= record.begins < end != record.valid_to
        )  # fmt: skip
        return next(found, None)

    def begun(self, value: Any) -> Record | None:
        """The version with this value that began, as is told now, at an earlier day or within a
        time that reaches it ("I have lived in Oslo since 2019"), if no version begins in between.
        None if it is not theirs to say."""
        first, latest = self.candidate.valid_from, self.candidate.latest
        if first is None or self.candidate.valid_to is not None or self.unsure:
            return None
        is_one = self.attribute.cardinality == "one"
        line = [*self.current(), *self.not_now()]
        after = [r for r in (line if is_one else self.with_value(line, value)) if r.begins >= first]
        held = min(after, key=lambda record: record.begins, default=None)
        if held is None or not self.same(held.value, value):
            return None
        if self.overruled(held) or said_after(held, self.episode):
            return None
        is_long = latest is not None and latest - first >= timedelta(days=1)
        reach = latest + timedelta(seconds=1) if latest and is_long else held.begins
        return held if first < held.begins <= reach else None

    def versions(self, value: Any) -> list[Record]:
        """The versions with the same value, first those that are not over; the latest first."""
        found = {r.id: r for r in self.with_value([*self.current(), *self.not_now()], value)}
        latest = sorted(found.values(), key=lambda record: record.begins, reverse=True)
        at = self.episode.at
        return sorted(latest, key=lambda record: record.ends <= at)

    def said_later(self) -> Record | None:
        """The version with the candidate's beginning that a later turn has stated, if one holds.
        It stays, in whatever order the two turns are read."""
        begins = self.candidate.valid_from or self.episode.at
        later = (
            record for record in self.current()
            if record.valid_from == begins and said_after(record, self.episode)
        )  # fmt: skip
        return next(later, None) if self.attribute.cardinality == "one" else None

    def replaced(self) -> list[Record]:
        """The facts with the value that the candidate replaces which do not end where it begins
        anyway: of an attribute that holds many values, or said to begin only after the change."""
        old, change = self.candidate.replaces, self.candidate.latest or self.candidate.valid_from
        if old is None or self.same(old, self.candidate.value):
            return []
        many = self.attribute.cardinality == "many"
        return [
            record for record in self.with_value([*self.current(), *self.waiting()], old)
            if (many or (change is not None and change < record.begins))
            and not self.overruled(record)
        ]  # fmt: skip

    def with_value(self, records: Sequence[Record], value: Any) -> list[Record]:
        """The records with this value; all of them if ``value`` is None."""
        return [r for r in records if value is None or self.same(r.value, value)]

    def same(self, first: Any, second: Any) -> bool:
        """Whether two values are equal after normalisation, ignoring case."""
        return self._written(first) == self._written(second)

    def _written(self, value: Any) -> str:
        with suppress(UnfitValue):
            value = self.ledger.registry.normalise(self.attribute, fitted(self.attribute, value))
        return canonical(value.casefold() if isinstance(value, str) else value)


def said_after(record: Record, episode: Episode) -> bool:
    """Whether a later turn than this one has stated a fact."""
    source_id, id_ = record.source_episode_id or "", episode.id
    return source_id.isdecimal() and id_.isdecimal() and int(source_id) > int(id_)
