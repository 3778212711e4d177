"""The local calendar in which phrases for times are read.

The grammar of a language turns words into `Named`. `Calendar` places that on the time line of a
zone, as a `Reading`, in UTC instants of whole seconds.
"""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta, tzinfo
from enum import Enum

from text2mem.ir.times.duration import DAY, HOUR, MINUTE, Duration, shift_months

_SATURDAY = 5
_FEW = 3
"""Of how many months a day may be that is named by its weekday: "Monday the 15th"."""
Days = tuple[date, date]
"""The first and the last day of a stretch of local days."""


class Part(Enum):
    """A part of the day: the hour that it is read as, and those at which it starts and ends."""

    DAWN = (3, 0, 6)
    MORNING = (9, 6, 12)
    NOON = (12, 12, 13)
    AFTERNOON = (15, 12, 18)
    EVENING = (18, 18, 24)
    NIGHT = (20, 18, 24)

    def __init__(self, hour: int, start: int, end: int) -> None:
        self.hour, self.start, self.end = hour, start, end


def clock_in(part: Part | None, hour: int, minute: int = 0, second: int = 0) -> int:
    """The seconds since midnight of a 12-hour or 24-hour time in a part of the day. One at night is
    25:00, on the next day. Raises ValueError for a time that does not exist."""
    if not ((hour < 24 and minute < 60 and second < 60) or (hour, minute, second) == (24, 0, 0)):
        raise ValueError("no such time of day")
    if part is Part.DAWN:
        hour %= 12
    elif (part is Part.NOON and hour < 10) or (part is Part.AFTERNOON and hour < 12):
        hour += 12
    elif part in (Part.EVENING, Part.NIGHT):
        hour += 24 if hour < 5 else 12 if hour <= 12 else 0
    return hour * HOUR + minute * MINUTE + second


@dataclass(frozen=True, slots=True)
class Reading:
    """What a phrase names, in UTC: a stretch of time, both ends inclusive, and an instant."""

    start: datetime
    end: datetime
    instant: datetime
    """The instant that the phrase is read as, where one is wanted."""


@dataclass(frozen=True, slots=True)
class Named:
    """What the words of a phrase say, before they are placed on the time line: local days, or a
    `moment`, or neither."""

    days: Days | None = None
    moment: datetime | None = None
    """An instant in UTC."""
    whole_days: bool = False
    """Whether `moment` is a number of whole days or months away, and named in these, so that its
    day is named: "two days ago" and not "48 hours ago"."""
    clock: int | None = None
    """A time of the day, in seconds since midnight."""
    part: Part | None = None
    limit: bool = False
    """Whether the last second is meant."""


@dataclass(frozen=True, slots=True)
class Calendar:
    """The calendar of a zone around `now` (UTC, whole seconds)."""

    now: datetime
    tz: tzinfo
    forward: bool
    """Whether a bare day is the next one, else the last: instants are mostly plans, ranges past."""

    @property
    def today(self) -> date:
        """The local day of `now`."""
        return self.now.astimezone(self.tz).date()

    def at(self, day: date, seconds: int = 0) -> datetime:
        """The UTC instant `seconds` after a local midnight. A time that is skipped or repeated when
        the clocks change is read with the offset before the change."""
        wall = datetime(day.year, day.month, day.day) + timedelta(seconds=seconds)
        return wall.replace(tzinfo=self.tz).astimezone(UTC).replace(microsecond=0)

    def shifted(self, length: Duration, sign: int) -> datetime:
        """`now` moved by `sign` times `length`: months and whole days on the zone's wall clock, any
        other rest in seconds. Raises OverflowError outside the calendar."""
        rest = timedelta(seconds=sign * length.seconds if length.seconds % DAY else 0)
        if rest and not length.months:
            return self.now + rest  # not by the wall clock, which shows an hour twice in autumn
        days = length if not rest else Duration(length.months)
        wall = days.shift(self.now.astimezone(self.tz).replace(tzinfo=None), sign)
        return wall.replace(tzinfo=self.tz).astimezone(UTC) + rest

    def period(self, unit: str, offset: int) -> Days:
        """The days of a period. `unit` is day, week, weekend, month, quarter or year;
        `offset` counts from the present one, 0."""
        today = self.today
        if unit == "day":
            first = today + timedelta(days=offset)
            return first, first
        if unit in ("week", "weekend"):
            monday = today + timedelta(days=7 * offset - today.weekday())
            return monday + timedelta(days=5 * (unit == "weekend")), monday + timedelta(days=6)
        size = {"month": 1, "quarter": 3, "year": 12}[unit]
        start = today.replace(month=(today.month - 1) // size * size + 1, day=1)
        return self.months(shift_months(start, offset * size), size)

    @staticmethod
    def months(first: date, count: int = 1) -> Days:
        """The days of `count` months from `first` on, the first day of a month."""
        final = shift_months(first, count - 1)
        return first, final.replace(day=monthrange(final.year, final.month)[1])

    @staticmethod
    def nth_weekday(first: date, last: date, weekday: int, nth: int) -> date:
        """The `nth` weekday (0 is Monday) from `first` on; if negative, the last up to `last`."""
        if nth < 0:
            return last - timedelta(days=(last.weekday() - weekday) % 7)
        return first + timedelta(days=(weekday - first.weekday()) % 7 + 7 * (nth - 1))

    @classmethod
    def nth_week(cls, first: date, last: date, n: int, *, of: str = "week") -> Days:
        """The n-th seven days of a month, from its `first` to its `last` day, or its last ones if
        `n` is -1. `of` a weekend, its n-th weekend instead, and of a half one of its two halves."""
        if of == "weekend":
            begin = cls.nth_weekday(first, last, _SATURDAY, n)
            return begin, begin + timedelta(days=1)
        if of == "half":
            second = first.replace(day=16)
            return (second, last) if n in (-1, 2) else (first, second - timedelta(days=1))
        begin = last - timedelta(days=6) if n < 0 else first + timedelta(days=7 * (n - 1))
        return begin, begin + timedelta(days=6)

    def weekday(self, index: int, week: int | None = None) -> date:
        """The day that is a weekday (0 is Monday) of the week `week` weeks from now. Without
        `week`, the next one or, unless `forward`, the last one."""
        today = self.today
        if week is not None:
            return today + timedelta(days=7 * week - today.weekday() + index)
        away = (index - today.weekday() - 1) % 7 + 1
        return today + timedelta(days=away if self.forward else (away % 7) - 7)

    def nearest(self, month: int | None, day: int | None, weekday: int | None = None) -> Days:
        """The days of the nearest month, day of a month, or day of a year. The
        present one counts. A ``weekday`` is that of the day, which is then one of the nearest few.
        Raises ValueError if none of the nearest ones has it (30 February)."""
        step = 1 if self.forward else -1
        count = range(0, 9 * step, step)
        if month is None:
            starts = [shift_months(self.today.replace(day=1), n) for n in count]
        else:
            starts = [date(self.today.year + n, month, 1) for n in count]
        found: Iterable[Days] = map(self.months, starts)
        if day is not None:
            found = ((first.replace(day=day),) * 2 for first, last in found if 1 <= day <= last.day)
        if weekday is not None:
            coming = [days for days in found if self.nearest_of([days])][:_FEW]
            found = (days for days in coming if days[0].weekday() == weekday)
        nearest = self.nearest_of(found)
        if nearest is None:
            raise ValueError("no such day")
        return nearest

    def of_figures(self, figures: tuple[int, int], weekday: int) -> Days | None:
        """The day that a month and a day in either order are, if one order has the weekday: the
        coming one or, if none has it, the last one. None if both have it in the same year."""
        for calendar in (self, replace(self, forward=not self.forward)):
            fits: set[Days] = set()
            for month, day in (figures, figures[::-1]):
                with suppress(ValueError):
                    fits.add(calendar.nearest(month, day))
            found = sorted(days for days in fits if days[0].weekday() == weekday)
            if found:
                several = len({days[0].year for days in found}) < len(found)
                return None if several else found[0 if calendar.forward else -1]
        return None

    def nearest_of(self, stretches: Iterable[Days]) -> Days | None:
        """The first of some stretches of days that is not over or, unless `forward`, has begun."""
        ahead, today = self.forward, self.today
        fits = (days for days in stretches if (days[1] >= today if ahead else days[0] <= today))
        return next(fits, None)

    def place(self, named: Named) -> Reading | None:
        """Place what words name on the time line; None if it is contradictory or empty."""
        days, moment = named.days, named.moment
        timed = named.clock is not None or named.part is not None
        if moment is not None:
            if not timed and not named.whole_days:
                return Reading(moment, moment, moment)
            days = (moment.astimezone(self.tz).date(),) * 2
        if not timed:
            if days is None:
                return None
            start, end = self.at(days[0]), self._last_second(days[1])
            return Reading(start, end, moment or (end if named.limit else start))
        first, last = days or (self.today,) * 2
        if first != last:
            return None
        reading = self._timed(first, named)
        past, ahead = reading.instant <= self.now, reading.start > self.now
        if days is None and (past if self.forward else ahead):
            return self._timed(self.today + timedelta(days=1 if self.forward else -1), named)
        return reading

    def _timed(self, day: date, named: Named) -> Reading:
        if named.clock is not None:
            exact = self.at(day, named.clock)
            return Reading(exact, exact, exact)
        part = named.part or Part.NOON
        start, end, usual = (self.at(day, n * HOUR) for n in (part.start, part.end, part.hour))
        end -= timedelta(seconds=1)
        last = named.limit and part is not Part.NOON  # 到中午 is until 12:00
        return Reading(start, end, end if last else usual)

    def _last_second(self, day: date) -> datetime:
        # Some zones skip or repeat 23:59:59 when their clocks change.
        if day == date.max:
            return self.at(day, DAY - 1)
        return self.at(day + timedelta(days=1)) - timedelta(seconds=1)


def read_iso(text: str, tz: tzinfo) -> datetime | None:
    """The UTC instant of an ISO 8601 date, or date and time; None for any other text."""
    text = text.strip()
    if len(text) < 10 or text[4] != "-" or text[7] != "-" or text[10:11] not in ("", "T", " "):
        return None
    try:
        read = datetime.fromisoformat(text).replace(microsecond=0)
        return (read if read.tzinfo else read.replace(tzinfo=tz)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None
