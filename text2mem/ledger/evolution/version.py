"""Versions of facts in the plan of an evolution: as they will be, and what they are made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from text2mem.ir.record import LAST, AsJson, Record
from text2mem.ir.values import canonical
from text2mem.ir.words.naming import name_key


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """A version of a fact as it will be after the evolution."""

    origins: tuple[Record, ...]
    """The memories that it is made of; one at least."""
    subject: str
    attribute: str
    value: Any
    valid_from: datetime
    valid_to: datetime | None
    alone: bool = False
    """Whether it may not be ended where another version of its line begins, nor end another one."""

    @classmethod
    def of(cls, record: Record) -> Version:
        """The present version of a fact."""
        assert record.subject is not None and record.attribute is not None
        return cls(
            origins=(record,), subject=record.subject, attribute=record.attribute,
            value=record.value, valid_from=record.begins, valid_to=record.valid_to,
        )  # fmt: skip

    @property
    def about(self) -> str:
        """The folded subject."""
        return name_key(self.subject)

    @property
    def first(self) -> Record:
        """The memory from which it takes all other fields."""
        return self.origins[0]

    @property
    def pending(self) -> bool:
        return self.first.pending

    @property
    def ends(self) -> datetime:
        return self.valid_to or LAST

    @property
    def holds(self) -> bool:
        """Whether it holds at any time: it is not pending, and its validity is not empty."""
        return not self.pending and self.valid_from < self.ends

    @property
    def moved(self) -> bool:
        """Whether it differs from the memory that it is made of, or is made of several."""
        if len(self.origins) > 1:
            return True
        before = self.first
        return (before.attribute, before.valid_from, before.valid_to) != (
            self.attribute, self.valid_from, self.valid_to,
        ) or canonical(before.value) != canonical(self.value)  # fmt: skip

    @property
    def confidence(self) -> float | None:
        """The least confidence of its origins; None if none has one."""
        known = [r.confidence for r in self.origins if r.confidence is not None]
        return min(known, default=None)

    @property
    def sources(self) -> tuple[Mapping[str, Any], ...]:
        """The entries of ``sources`` of its origins, one for each pair of episode and source: the
        first entry of the pair, at the place of the last one."""
        entries = [entry for record in self.origins for entry in record.sources]
        by_pair = {
            (entry.get("episode"), entry.get("source")): entry for entry in reversed(entries)
        }
        return tuple(reversed(by_pair.values()))

    def united(self, later: Version) -> Version:
        """One version in place of this and a later one with the same value, to the later end."""
        origins = {record.id: record for record in (*self.origins, *later.origins)}
        end = self.valid_to and later.valid_to and max(self.valid_to, later.valid_to)
        return replace(self, origins=tuple(origins.values()), valid_to=end)

    def overlaps(self, later: Version) -> bool:
        """Whether it still holds where ``later`` begins."""
        return self.ends > later.valid_from


@dataclass(frozen=True, slots=True)
class Misfit(AsJson):
    """A memory that is left unchanged because it does not fit, and the reason."""

    id: str
    subject: str
    attribute: str
    value: Any
    reason: str

    @classmethod
    def of(cls, record: Record, reason: str) -> Misfit:
        return cls(record.id, record.subject or "", record.attribute or "", record.value, reason)
