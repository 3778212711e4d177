"""The present and the zone together, with readers of times that say None for what they cannot."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from typing import TypeVar

from text2mem.ir.times.duration import Duration, UnreadableTime
from text2mem.ir.times.temporal import (
    TimeRange,
    read_coming,
    read_duration,
    read_instant,
    read_range,
)
from text2mem.ir.times.temporal_calendar import Calendar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Clock:
    """``now`` is aware; ``tz`` is the zone of the person."""

    now: datetime
    tz: tzinfo

    def instant(self, words: str) -> datetime | None:
        """The UTC instant that words name."""
        return _known(lambda: read_instant(words, now=self.now, tz=self.tz))

    def range(self, words: str) -> TimeRange | None:
        """The stretch of time that words name."""
        return _known(lambda: read_range(words, now=self.now, tz=self.tz))

    def coming(self, words: str) -> TimeRange | None:
        """The stretch of time that words name, the nearest one to come."""
        return _known(lambda: read_coming(words, now=self.now, tz=self.tz))

    def length(self, words: str) -> Duration | None:
        """The positive length of time that words name."""
        found = _known(lambda: read_duration(words))
        return found if found is not None and found.is_positive else None

    def after(self, length: Duration) -> datetime | None:
        """The instant a length from now; None where no calendar reaches it."""
        return self._beside(length, 1)

    def before(self, length: Duration) -> datetime | None:
        """The instant a length ago; None where no calendar reaches it."""
        return self._beside(length, -1)

    def _beside(self, length: Duration, sign: int) -> datetime | None:
        """Months by the wall clock of the person: a month after the first is a first."""
        try:
            return Calendar(self.now.astimezone(UTC), self.tz, forward=True).shifted(length, sign)
        except OverflowError:
            return None


def _known(read: Callable[[], T]) -> T | None:
    try:
        return read()
    except UnreadableTime:
        return None
