"""The present instant, the time zone, and readers that return None for what they cannot read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, tzinfo
from typing import TypeVar

from text2mem.ir.times import temporal
from text2mem.ir.times.duration import Duration, UnreadableTime
from text2mem.ir.times.temporal import TimeRange
from text2mem.ir.times.temporal_calendar import Calendar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Clock:
    """The aware instant ``now`` and the person's zone ``tz``, by which times are read."""

    now: datetime
    tz: tzinfo

    @property
    def today(self) -> date:
        """The local day."""
        return self.now.astimezone(self.tz).date()

    def midnight(self, at: datetime) -> datetime:
        """The beginning of the local day of an instant."""
        return datetime.combine(at.astimezone(self.tz).date(), time(), self.tz)

    def instant(self, words: str) -> datetime | None:
        """The UTC instant that words name; a bare day is the next one."""
        return _known(lambda: temporal.read_instant(words, now=self.now, tz=self.tz))

    def range(self, words: str) -> TimeRange | None:
        """The stretch of time that words name; a bare day is the last one."""
        return _known(lambda: temporal.read_range(words, now=self.now, tz=self.tz))

    def coming(self, words: str) -> TimeRange | None:
        """The stretch of time that words name; a bare day is the next one."""
        return _known(lambda: temporal.read_coming(words, now=self.now, tz=self.tz))

    def both_ends(self, words: str) -> tuple[TimeRange, ...]:
        """The last and the next stretch of time that words name by its two ends."""
        return temporal.read_both_ends(words, now=self.now, tz=self.tz)

    def length(self, words: str) -> Duration | None:
        """The positive length of time that words name."""
        found = _known(lambda: temporal.read_duration(words))
        return found if found is not None and found.is_positive else None

    def after(self, length: Duration, sign: int = 1) -> datetime | None:
        """The instant ``sign`` times a length from now; None outside the calendar. Months and whole
        days are counted on the person's wall clock: two weeks after nine it is nine again."""
        try:
            return Calendar(self.now.astimezone(UTC), self.tz, forward=True).shifted(length, sign)
        except OverflowError:
            return None


def _known(read: Callable[[], T]) -> T | None:
    """What ``read`` returns; None if it raises UnreadableTime."""
    try:
        return read()
    except UnreadableTime:
        return None
