"""Check and expand recurrence rules (RFC 5545, section 3.3.10).

Rules of FREQ DAILY, HOURLY and MINUTELY are expanded here, day by day, others by python-dateutil.
"""

from __future__ import annotations

import re
from calendar import isleap, monthrange
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo
from itertools import islice
from math import prod

from text2mem.errors import ConfigurationError

_PARTS = frozenset({
    "FREQ", "INTERVAL", "COUNT", "UNTIL", "BYDAY", "BYHOUR", "BYMINUTE", "BYSECOND", "BYMONTH",
    "BYMONTHDAY", "BYYEARDAY", "BYWEEKNO", "BYSETPOS", "WKST",
})  # fmt: skip
_WHOLE_DAY = 1440  # minutes
_BY_DAY = {"DAILY": _WHOLE_DAY, "HOURLY": 60, "MINUTELY": 1}
"""Frequencies that are expanded here. dateutil would go through every minute since the start."""
_NOT_WITHIN = {
    "YEARLY": frozenset[str](),
    "MONTHLY": frozenset({"BYWEEKNO", "BYYEARDAY"}),
    "WEEKLY": frozenset({"BYWEEKNO", "BYYEARDAY", "BYMONTHDAY"}),
    "DAILY": frozenset({"BYWEEKNO", "BYYEARDAY"}),
    "HOURLY": frozenset({"BYWEEKNO", "BYSETPOS"}),
    "MINUTELY": frozenset({"BYWEEKNO", "BYSETPOS"}),
}
"""The parts that RFC 5545 excludes for a frequency; BYSETPOS within an hour is not supported."""
_DAYS = frozenset({"BYDAY", "BYMONTHDAY", "BYMONTH", "BYYEARDAY", "BYWEEKNO"})
"""The parts that choose days."""
_LISTS = ("BYDAY", "BYHOUR", "BYMINUTE", "BYSECOND")
_AT_MOST = {"WEEKLY": ("week", 1, 1), "MONTHLY": ("month", 5, 31), "YEARLY": ("year", 53, 366)}
"""For a frequency, its period, how often a weekday may come in it, and its greatest length."""
_HORIZON = timedelta(days=366 * 100)
"""How far after the start an occurrence is looked for."""
SHORTEST_MONTH, LONGEST_MONTH = 28, 31
"""The numbers of days that every month has, and the longest ones."""
OF_DAYS = ("DAILY", "WEEKLY", "MONTHLY", "YEARLY")
"""The frequencies of rules that recur by days."""
WEEKDAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
WORKING, WEEKEND = WEEKDAYS[:5], WEEKDAYS[5:]
_WEEKDAY = re.compile(rf"([+-]?\d{{1,2}})?(?:{'|'.join(WEEKDAYS)})", re.ASCII)
_BOUNDS = {
    "BYHOUR": (0, 23), "BYMINUTE": (0, 59), "BYSECOND": (0, 59), "BYMONTH": (1, 12),
    "BYMONTHDAY": (-31, 31), "BYYEARDAY": (-366, 366), "BYSETPOS": (-366, 366),
    "BYWEEKNO": (-53, 53),
}  # fmt: skip
"""The least and the greatest number of each part that lists some; 0 only if none is negative."""


class UnreadableRule(ValueError):
    """A rule that RFC 5545 does not allow, or that is not supported for reminders."""


def normalise_rule(text: str) -> str:
    """The rule in upper case, without blanks and without the prefix ``RRULE:``."""
    return text.replace(" ", "").upper().removeprefix("RRULE:").rstrip(";")


def parts_of(rule: str) -> dict[str, str]:
    """The values of a sound, normalised rule by the names of its parts."""
    return dict(part.split("=", 1) for part in rule.split(";"))


def next_occurrence(
    rule: str, *, after: datetime, start: datetime, tz: tzinfo, until: datetime | None = None
) -> datetime | None:
    """Return the first occurrence strictly after ``after``, in UTC; None if there is none.

    The rule is read on the wall clock of ``tz``, and counts from ``start``, which is not an
    occurrence itself: COUNT=1 is one reminder, "every other Tuesday" begins with the next Tuesday.
    ``until`` is the last instant that counts. Raises UnreadableRule.
    """
    parts = _parts(rule)
    ends = (until, _until(parts["UNTIL"], tz) if "UNTIL" in parts else None)
    count = int(parts["COUNT"]) if "COUNT" in parts else None
    try:
        counted = islice(_expand(parts, start, tz, after), count)
        found = next((instant for instant in counted if instant > after), None)
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError, IndexError) as error:
        raise UnreadableRule(f"not an RFC 5545 rule: {error}") from error
    return None if found is None or any(end and found > end for end in ends) else found


def zone_key(tz: tzinfo) -> str:
    """The name under which a zone is stored: its IANA key, "UTC", or "+HH:MM" for a fixed offset.
    Raises ConfigurationError for any other zone."""
    key = getattr(tz, "key", None)
    if isinstance(key, str):
        return key
    offset = tz.utcoffset(None)
    if offset is None:
        raise ConfigurationError(
            "a reminder is kept with its time zone, and this one has no name",
            hint="set tz= to a zoneinfo.ZoneInfo of the IANA database, or a datetime.timezone",
        )
    whole = timezone(timedelta(seconds=int(offset.total_seconds())))
    return str(whole).removeprefix("UTC") or "UTC"


def zone_of(key: str) -> tzinfo:
    """The zone of a name from ``zone_key``. Raises ConfigurationError if it is not known."""
    if key == "UTC":
        return UTC
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError  # needed for named zones only

    try:
        if key.startswith(("+", "-")):
            return datetime.strptime(key, "%z").tzinfo or UTC
        return ZoneInfo(key)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise ConfigurationError(
            f"a reminder's time zone '{key}' is not known here",
            hint="install the zones of the IANA database: pip install tzdata",
        ) from error


def _expand(
    parts: dict[str, str], start: datetime, tz: tzinfo, after: datetime
) -> Iterator[datetime]:
    """Yield the occurrences after ``start`` in UTC, up to the horizon, whatever UNTIL and COUNT.
    Without COUNT, occurrences up to ``after`` may be left out."""
    from dateutil.rrule import rrulestr  # takes 20 ms; needed for reminders only

    # Occurrences are computed in naive local time, since they are those of the wall clock.
    local = start.astimezone(tz).replace(tzinfo=None, microsecond=0)
    if "BYMINUTE" in parts and "BYSECOND" not in parts:
        local = local.replace(second=0)  # "at nine" means the full minute
    later = max(local, after.astimezone(tz).replace(tzinfo=None, microsecond=0))
    end = min(later, datetime.max - _HORIZON) + _HORIZON

    def expanded(left_out: Container[str], anchor: datetime) -> Iterable[datetime]:
        text = ";".join(f"{key}={value}" for key, value in parts.items() if key not in left_out)
        return rrulestr(f"{text};UNTIL={end:%Y%m%dT%H%M%S}", dtstart=anchor)

    days = {"FREQ": "DAILY", **{key: parts[key] for key in _DAYS if key in parts}}
    if next(_Rule(days, local).occurrences(later.date(), end), None) is None:
        return  # no such day exists, as 30 February; dateutil would search for seconds
    if parts["FREQ"] in _BY_DAY:
        # With COUNT the expansion has to begin at the start.
        first = local if "COUNT" in parts else later
        eve = first.date() - timedelta(days=1)
        found: Iterable[datetime] = _Rule(parts, local).occurrences(eve, end)
    else:
        anchor = local
        if parts.get("INTERVAL", "1") != "1" and _DAYS & set(parts):
            without = ("INTERVAL", "COUNT", "UNTIL")
            anchor = next((at for at in expanded(without, local) if at >= local), local)
        found = expanded(("COUNT", "UNTIL"), anchor)
    for instant in found:
        if instant > local:
            yield instant.replace(tzinfo=tz).astimezone(UTC)


def _parts(rule: str) -> dict[str, str]:
    """The parts of a rule by name. Raises UnreadableRule if the rule is not legal."""
    parts: dict[str, str] = {}
    for piece in normalise_rule(rule).split(";"):
        key, equals, value = piece.partition("=")
        if not equals or not value or key not in _PARTS:
            raise UnreadableRule(f"not an RFC 5545 rule: '{piece}' is no part of one")
        if key in parts:
            raise UnreadableRule(f"not an RFC 5545 rule: {key} stands twice")
        parts[key] = value
    if parts.get("FREQ") not in _NOT_WITHIN:
        raise UnreadableRule(f"a reminder's FREQ is one of {', '.join(sorted(_NOT_WITHIN))}")
    if "COUNT" in parts and "UNTIL" in parts:
        raise UnreadableRule("not an RFC 5545 rule: COUNT and UNTIL exclude each other")
    for key in ("INTERVAL", "COUNT"):
        if key in parts and not (parts[key].isdecimal() and 1 <= int(parts[key][:6]) <= 10_000):
            raise UnreadableRule(f"{key} is a whole number from 1 to 10000, not {parts[key]}")
    for key in _BOUNDS.keys() & parts:
        _numbers(key, parts[key])
    _check_days(parts)
    within = sorted(_NOT_WITHIN[parts["FREQ"]] & set(parts))
    if within:
        raise UnreadableRule(f"FREQ={parts['FREQ']} takes no {', '.join(within)}")
    if parts["FREQ"] in _AT_MOST and "BYSETPOS" in parts:
        name, often, days = _AT_MOST[parts["FREQ"]]
        size = prod(len(parts.get(key, "").split(",")) for key in _LISTS)
        size *= often if "BYDAY" in parts else days
        if all(size < abs(place) for place in _numbers("BYSETPOS", parts["BYSETPOS"])):
            raise UnreadableRule(f"BYSETPOS={parts['BYSETPOS']}: a {name} has {size} of them")
    return parts


def _check_days(parts: Mapping[str, str]) -> None:
    """Raise UnreadableRule for a weekday that does not exist, or whose number is not allowed."""
    in_year = 0 if "BYWEEKNO" in parts else 5 if "BYMONTH" in parts else 53
    most = {"MONTHLY": 5, "YEARLY": in_year}.get(parts["FREQ"], 0)
    for item in parts.get("BYDAY", "MO").split(","):
        found = _WEEKDAY.fullmatch(item)
        if found is None or (found[1] and not 1 <= abs(int(found[1])) <= most):
            within = f"a number from 1 to {most}" if most else "no number"
            raise UnreadableRule(f"BYDAY={item}: a day of the week, with {within} before it here")


def _until(value: str, tz: tzinfo) -> datetime:
    """The instant of UNTIL: local to ``tz``, unless it ends in Z; of a date, its last second."""
    for form in ("%Y%m%dT%H%M%SZ", "%Y%m%dT%H%M%S", "%Y%m%d"):
        try:
            found = datetime.strptime(value, form)
        except ValueError:
            continue
        if form == "%Y%m%d":
            found = found.replace(hour=23, minute=59, second=59)
        try:
            return found.replace(tzinfo=UTC if value.endswith("Z") else tz).astimezone(UTC)
        except OverflowError as error:
            raise UnreadableRule(f"UNTIL={value} is out of the calendar") from error
    raise UnreadableRule(f"not an RFC 5545 rule: UNTIL={value} is no date")


class _Rule:
    """A rule that is expanded day by day, in naive local time."""

    def __init__(self, parts: Mapping[str, str], start: datetime) -> None:
        self._start = start
        self._step = int(parts.get("INTERVAL", "1"))
        self._unit = _BY_DAY[parts["FREQ"]]
        self._lists = lists = {key: _numbers(key, parts[key]) for key in _BOUNDS if key in parts}
        weekdays = parts["BYDAY"].split(",") if "BYDAY" in parts else WEEKDAYS
        self._weekdays = {WEEKDAYS.index(day[-2:]) for day in weekdays}
        hours = lists.get("BYHOUR") or ((start.hour,) if self._unit == _WHOLE_DAY else range(24))
        minutes = lists.get("BYMINUTE") or ((start.minute,) if self._unit > 1 else range(60))
        self._minutes = sorted({hour * 60 + minute for hour in hours for minute in minutes})
        self._seconds = sorted(set(lists.get("BYSECOND") or (start.second,)))

    def occurrences(self, first: date, end: datetime) -> Iterator[datetime]:
        """Yield the occurrences from the day ``first`` up to ``end``."""
        day = max(first, self._start.date())
        while day <= end.date():
            for minute, second in self._times(day) if self._holds(day) else ():
                found = datetime.combine(day, time(minute // 60, minute % 60, second))
                if found <= end:
                    yield found
            day += timedelta(days=1)

    def _holds(self, day: date) -> bool:
        if self._unit == _WHOLE_DAY and (day - self._start.date()).days % self._step:
            return False
        months = self._lists.get("BYMONTH", (day.month,))
        if day.weekday() not in self._weekdays or day.month not in months:
            return False
        numbers = {
            "BYMONTHDAY": (day.day, monthrange(day.year, day.month)[1]),
            "BYYEARDAY": (day.timetuple().tm_yday, 365 + isleap(day.year)),
        }
        return all(
            number in self._lists[key] or number - last - 1 in self._lists[key]
            for key, (number, last) in numbers.items()
            if key in self._lists
        )

    def _times(self, day: date) -> Sequence[tuple[int, int]]:
        """The occurrences on a day, in order, as (minute of the day, second)."""
        minutes = self._minutes
        if self._unit < _WHOLE_DAY and self._step > 1:
            origin = self._start.hour * 60 + self._start.minute
            behind = (day - self._start.date()).days * _WHOLE_DAY - origin + origin % self._unit
            minutes = [m for m in minutes if (behind + m) // self._unit % self._step == 0]
        times = [(minute, second) for minute in minutes for second in self._seconds]
        if "BYSETPOS" not in self._lists:
            return times
        chosen = {p - 1 if p > 0 else len(times) + p for p in self._lists["BYSETPOS"]}
        return [times[place] for place in sorted(chosen) if 0 <= place < len(times)]


def _numbers(key: str, text: str) -> tuple[int, ...]:
    """The numbers that a part lists. Raises UnreadableRule if one is not within ``_BOUNDS``."""
    low, high = _BOUNDS[key]
    read = []
    for item in text.split(","):
        digits = item.removeprefix("+").removeprefix("-")
        number = int(item) if digits.isdecimal() and len(digits) <= 3 else high + 1
        if not low <= number <= high or (number == 0 and low < 0):
            raise UnreadableRule(f"not an RFC 5545 rule: {key}={item}")
        read.append(number)
    return tuple(read)
