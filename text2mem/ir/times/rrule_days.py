"""Recurrence by days: rules of FREQ DAILY, HOURLY and MINUTELY, a day at a time from any day on."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime, time, timedelta

_WEEKDAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
BOUNDS = {
    "BYHOUR": (0, 23), "BYMINUTE": (0, 59), "BYSECOND": (0, 59), "BYMONTH": (1, 12),
    "BYMONTHDAY": (-31, 31), "BYYEARDAY": (-366, 366), "BYSETPOS": (-366, 366),
    "BYWEEKNO": (-53, 53),
}  # fmt: skip
"""The parts that list numbers, and what lies within; where negative ones do, 0 does not."""
_DAY = 1440


class UnreadableRule(ValueError):
    """A rule that RFC 5545 does not allow, or that is no sensible reminder."""


def by_day(
    parts: Mapping[str, str], start: datetime, first: date, end: datetime
) -> Iterator[datetime]:
    """The occurrences from the day ``first`` to ``end``, in naive local time like ``start``.

    ``start`` anchors INTERVAL and gives the parts of the time that the rule leaves out. Raises
    UnreadableRule.
    """
    rule = _Rule(parts, start)
    day = max(first, start.date())
    while day <= end.date():
        if rule.holds(day):
            for minute, second in rule.times(day):
                found = datetime.combine(day, time(minute // 60, minute % 60, second))
                if found <= end:
                    yield found
        day += timedelta(days=1)


class _Rule:
    """A rule with its lists read."""

    def __init__(self, parts: Mapping[str, str], start: datetime) -> None:
        self._start = start
        self._step = int(parts.get("INTERVAL", "1"))
        self._unit = {"DAILY": _DAY, "HOURLY": 60, "MINUTELY": 1}[parts["FREQ"]]
        lists = {key: numbers(key, parts[key]) for key in BOUNDS if key in parts}
        self._months, self._days = lists.get("BYMONTH"), lists.get("BYMONTHDAY")
        self._yeardays, self._positions = lists.get("BYYEARDAY"), lists.get("BYSETPOS")
        weekdays = parts["BYDAY"].split(",") if "BYDAY" in parts else _WEEKDAYS
        self._weekdays = {_WEEKDAYS.index(day[-2:]) for day in weekdays}
        hours = lists.get("BYHOUR") or ((start.hour,) if self._unit == _DAY else range(24))
        minutes = lists.get("BYMINUTE") or ((start.minute,) if self._unit > 1 else range(60))
        self._minutes = sorted({hour * 60 + minute for hour in hours for minute in minutes})
        self._seconds = sorted(set(lists.get("BYSECOND") or (start.second,)))

    def holds(self, day: date) -> bool:
        """Whether a day meets every condition on days."""
        if self._unit == _DAY and (day - self._start.date()).days % self._step:
            return False
        if day.weekday() not in self._weekdays:
            return False
        if self._months is not None and day.month not in self._months:
            return False
        if self._days is not None:
            length = monthrange(day.year, day.month)[1]
            if day.day not in self._days and day.day - length - 1 not in self._days:
                return False
        if self._yeardays is not None:
            number, last = day.timetuple().tm_yday, date(day.year, 12, 31).timetuple().tm_yday
            if number not in self._yeardays and number - last - 1 not in self._yeardays:
                return False
        return True

    def times(self, day: date) -> Sequence[tuple[int, int]]:
        """The minutes of the day, with seconds, at which the rule occurs, in order."""
        minutes = self._minutes
        if self._unit < _DAY and self._step > 1:
            origin = self._start.hour * 60 + self._start.minute
            behind = (day - self._start.date()).days * _DAY - origin + origin % self._unit
            minutes = [m for m in minutes if (behind + m) // self._unit % self._step == 0]
        times = [(minute, second) for minute in minutes for second in self._seconds]
        if self._positions is None:
            return times
        chosen = {p - 1 if p > 0 else len(times) + p for p in self._positions}
        return [times[place] for place in sorted(chosen) if 0 <= place < len(times)]


def numbers(key: str, text: str) -> tuple[int, ...]:
    """The numbers of a part that lists some. Raises UnreadableRule for one out of ``BOUNDS``."""
    low, high = BOUNDS[key]
    read = []
    for item in text.split(","):
        digits = item.removeprefix("+").removeprefix("-")
        number = int(item) if digits.isdecimal() and len(digits) <= 3 else high + 1
        if not low <= number <= high or (number == 0 and low < 0):
            raise UnreadableRule(f"not an RFC 5545 rule: {key}={item}")
        read.append(number)
    return tuple(read)
