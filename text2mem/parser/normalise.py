"""Readers of single values: from what the surface form holds to what a typed op holds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import Any, TypeVar
from unicodedata import normalize

from text2mem.errors import ParseError
from text2mem.ir.ops import STEP, AbsoluteRange, Range, Ref, RelativeRange, Remind, StepRef
from text2mem.ir.times.duration import Duration, UnreadableTime
from text2mem.ir.times.rrule import normalise_rule
from text2mem.ir.times.temporal import read_duration, read_instant
from text2mem.ir.words.priority import LEVELS, read_priority

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ValueReader:
    """Reads values with one clock and one zone; ``at`` addresses what is being read."""

    now: datetime
    tz: tzinfo
    at: str = ""

    def within(self, key: str) -> ValueReader:
        """The same reader one step further down the document."""
        return ValueReader(self.now, self.tz, f"{self.at}/{key}")

    def instant(self, raw: Mapping[str, Any], key: str) -> datetime | None:
        """An instant in UTC, None where the key is absent or null."""
        return self._read(raw, key, lambda v: read_instant(v, now=self.now, tz=self.tz))

    def span(self, raw: Mapping[str, Any], key: str) -> Duration | None:
        """A duration, None where the key is absent."""
        return self._read(raw, key, read_duration)

    def priority(self, raw: Mapping[str, Any], key: str = "priority") -> float | None:
        """The weight that a priority or its alias stands for."""
        if key not in raw:
            return None
        weight = read_priority(raw[key])
        if weight is None:
            raise ParseError(
                f"{raw[key]!r} is not a priority", pointer=f"{self.at}/{key}",
                hint=f"one of {', '.join(LEVELS)}",
            )  # fmt: skip
        return weight

    def range(self, raw: Mapping[str, Any] | None) -> Range | None:
        """A time range; a relative one stays relative until it runs."""
        if raw is None:
            return None
        if "relative" in raw:
            return RelativeRange(raw["relative"], raw["amount"], raw["unit"])
        return AbsoluteRange(self.instant(raw, "start"), self.instant(raw, "end"))

    def remind(self, raw: Mapping[str, Any] | None) -> Remind | None:
        """A reminder, its rule normalised where it has one."""
        if raw is None:
            return None
        if "at" in raw:
            return Remind(at=self.instant(raw, "at"))
        return Remind(normalise_rule(raw["rrule"]), self.instant(raw, "until"))

    def _read(self, raw: Mapping[str, Any], key: str, read: Callable[[str], T]) -> T | None:
        if raw.get(key) is None:
            return None
        try:
            return read(raw[key])
        except UnreadableTime as error:
            raise ParseError(str(error), pointer=f"{self.at}/{key}") from error


def tags(raw: Iterable[str]) -> tuple[str, ...]:
    """Trimmed, composed (NFC) and deduplicated, order and case kept."""
    return tuple(dict.fromkeys(normalize("NFC", tag.strip()) for tag in raw))


def ref(raw: str) -> Ref:
    """An id, or the step that ``$n`` stands for."""
    return StepRef(int(raw[1:])) if raw.startswith("$") else raw


def episode(raw: str) -> Ref:
    """Where a fact was heard: a name of any form, or the step that ``$n`` stands for."""
    return ref(raw) if STEP.fullmatch(raw) else raw


def refs(raw: Iterable[str]) -> tuple[Ref, ...]:
    """Ids and step references, each once, in order."""
    return tuple(ref(item) for item in dict.fromkeys(raw))
