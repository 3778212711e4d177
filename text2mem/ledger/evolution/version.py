"""Versions of facts while an evolution is planned: what they will be, and what they were."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from text2mem.ir.record import AsJson, Record
from text2mem.ir.values import canonical
from text2mem.ir.words.naming import name_key


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """A version of a fact as it will be. ``origins`` are the memories that it is made of.

    ``alone``: it may not be cut where another value of its line begins, nor cut another one.
    """

    origins: tuple[Record, ...]
    subject: str
    attribute: str
    value: Any
    valid_from: datetime
    valid_to: datetime | None
    alone: bool = False

    @classmethod
    def of(cls, record: Record) -> Version:
        """A fact as it is."""
        assert record.subject is not None and record.attribute is not None
        return cls(
            origins=(record,), subject=record.subject, attribute=record.attribute,
            value=record.value, valid_from=record.valid_from or record.when,
            valid_to=record.valid_to,
        )  # fmt: skip

    @property
    def about(self) -> str:
        """Its subject, folded."""
        return name_key(self.subject)

    @property
    def first(self) -> Record:
        """The memory whose other fields it takes over."""
        return self.origins[0]

    @property
    def pending(self) -> bool:
        """Whether it waits for a confirmation."""
        return self.first.pending

    @property
    def holds(self) -> bool:
        """Whether there is a time at which it holds."""
        return not self.pending and (self.valid_to is None or self.valid_from < self.valid_to)

    @property
    def moved(self) -> bool:
        """Whether it differs from the memory that it comes from."""
        if len(self.origins) > 1:
            return True
        was = self.first
        return (was.attribute, was.valid_from, was.valid_to) != (
            self.attribute, self.valid_from, self.valid_to,
        ) or canonical(was.value) != canonical(self.value)  # fmt: skip

    @property
    def confidence(self) -> float | None:
        """The least confidence of its origins; None where none has one."""
        known = [r.confidence for r in self.origins if r.confidence is not None]
        return min(known, default=None)

    @property
    def sources(self) -> tuple[Mapping[str, Any], ...]:
        """Where it was heard: the first entry of each source, in the order of the last ones."""
        heard = [entry for record in self.origins for entry in record.sources]
        return tuple({(e.get("episode"), e.get("source")): e for e in reversed(heard)}.values())[
            ::-1
        ]

    def overlaps(self, later: Version) -> bool:
        """Whether it still holds where a later one begins."""
        return self.valid_to is None or self.valid_to > later.valid_from


@dataclass(frozen=True, slots=True)
class Misfit(AsJson):
    """A memory that is left as it is, and why."""

    id: str
    subject: str
    attribute: str
    value: Any
    reason: str

    @classmethod
    def of(cls, record: Record, reason: str) -> Misfit:
        """A fact that does not fit, and why."""
        return cls(record.id, record.subject or "", record.attribute or "", record.value, reason)
