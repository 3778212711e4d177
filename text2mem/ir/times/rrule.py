"""Recurrence rules (RFC 5545, section 3.3.10): checked, and expanded from an instant on.

Rules within a day go by ``rrule_days``, longer periods by python-dateutil.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from math import prod

from text2mem.errors import ConfigurationError
from text2mem.ir.times.rrule_days import BOUNDS, UnreadableRule, by_day, numbers

_PARTS = frozenset({
    "FREQ", "INTERVAL", "COUNT", "UNTIL", "BYDAY", "BYHOUR", "BYMINUTE", "BYSECOND", "BYMONTH",
    "BYMONTHDAY", "BYYEARDAY", "BYWEEKNO", "BYSETPOS", "WKST",
})  # fmt: skip
_BY_DAY = frozenset({"DAILY", "HOURLY", "MINUTELY"})
"""Expanded here, day by day: dateutil goes through every minute since the start, and for a rule
without an occurrence through every day of a century."""
_NOT_WITHIN = {
    "YEARLY": frozenset[str](),
    "MONTHLY": frozenset({"BYWEEKNO", "BYYEARDAY"}),
    "WEEKLY": frozenset({"BYWEEKNO", "BYYEARDAY", "BYMONTHDAY"}),
    "DAILY": frozenset({"BYWEEKNO", "BYYEARDAY"}),
    "HOURLY": frozenset({"BYWEEKNO", "BYSETPOS"}),
    "MINUTELY": frozenset({"BYWEEKNO", "BYSETPOS"}),
}
"""The parts that a frequency does not take: most by RFC 5545, positions within an hour by us."""
_DAYS = frozenset({"BYDAY", "BYMONTHDAY", "BYMONTH", "BYYEARDAY", "BYWEEKNO"})
_LISTS = ("BYDAY", "BYHOUR", "BYMINUTE", "BYSECOND")
_AT_MOST = {"WEEKLY": ("week", 1, 1), "MONTHLY": ("month", 5, 31), "YEARLY": ("year", 53, 366)}
"""What a frequency is called, how often a weekday may come within it, and how many days it has."""
_HORIZON = timedelta(days=366 * 100)
"""How far ahead an occurrence is looked for: a reminder in a century is none."""


_WEEKDAY = re.compile(r"([+-]?\d{1,2})?(?:MO|TU|WE|TH|FR|SA|SU)", re.ASCII)


def normalise_rule(text: str) -> str:
    """The rule in upper case without blanks and without the ``RRULE:`` prefix."""
    return text.replace(" ", "").upper().removeprefix("RRULE:").rstrip(";")


def next_occurrence(
    rule: str, *, after: datetime, start: datetime, tz: tzinfo, until: datetime | None = None
) -> datetime | None:
    """The first occurrence strictly after ``after``, in UTC; None where the rule has run out.

    The rule is read on the wall clock of ``tz``, so that "every Monday at nine" stays at nine
    across a change of summer time. It counts from ``start``, which is no occurrence itself:
    COUNT=1 is one reminder, and every other Tuesday begins with the next one. Raises
    UnreadableRule.
    """
    parts = _parts(rule)
    ends = [] if until is None else [until]
    ends += [_until(parts["UNTIL"], tz)] if "UNTIL" in parts else []
    last = min(ends, default=None)
    count = int(parts["COUNT"]) if "COUNT" in parts else None
    try:
        for number, instant in enumerate(_expand(parts, start, tz, after)):
            if (count is not None and number >= count) or (last is not None and instant > last):
                return None
            if instant > after:
                return instant
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError, IndexError) as error:
        raise UnreadableRule(f"not an RFC 5545 rule: {error}") from error
    return None


def zone_key(tz: tzinfo) -> str:
    """The name by which a zone is stored: its IANA key, "UTC", or "+HH:MM" for a fixed offset.

    Raises ConfigurationError for a zone that has neither a key nor one offset.
    """
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
    """The zone that ``zone_key`` named. Raises ConfigurationError where it is not known here."""
    if key == "UTC":
        return UTC
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError  # only a tick of named zones pays it

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
    """The occurrences after ``start`` in UTC, without UNTIL, up to the horizon.

    Those up to ``after`` may be left out where there is no COUNT.
    """
    from dateutil.rrule import rrulestr  # 20 ms to import: only documents with reminders pay it

    # Naive local time throughout: occurrences are those of the wall clock.
    local = start.astimezone(tz).replace(tzinfo=None, microsecond=0)
    if "BYMINUTE" in parts and "BYSECOND" not in parts:
        local = local.replace(second=0)  # nine o'clock is not twelve seconds past it
    end = min(local, datetime.max - _HORIZON) + _HORIZON

    def expanded(left_out: Container[str], anchor: datetime) -> Iterable[datetime]:
        text = ";".join(f"{key}={value}" for key, value in parts.items() if key not in left_out)
        return rrulestr(f"{text};UNTIL={end:%Y%m%dT%H%M%S}", dtstart=anchor)

    anchor = local
    days = {"FREQ": "DAILY", **{key: parts[key] for key in _DAYS if key in parts}}
    if next(by_day(days, local, local.date(), end), None) is None:
        return  # such as 30 February, which dateutil takes seconds to look for
    if parts["FREQ"] not in _BY_DAY and parts.get("INTERVAL", "1") != "1" and _DAYS & set(parts):
        without = ("INTERVAL", "COUNT", "UNTIL")
        anchor = next((at for at in expanded(without, local) if at >= local), local)
    if parts["FREQ"] in _BY_DAY:
        # What is counted is counted from the start.
        first = local if "COUNT" in parts else max(local, after.astimezone(tz).replace(tzinfo=None))
        found: Iterable[datetime] = by_day(parts, local, first.date() - timedelta(days=1), end)
    else:
        found = expanded(("COUNT", "UNTIL"), anchor)
    for instant in found:
        if instant > local:
            yield instant.replace(tzinfo=tz).astimezone(UTC)


def _parts(rule: str) -> dict[str, str]:
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
    for key in BOUNDS.keys() & parts:
        numbers(key, parts[key])
    _check_days(parts)
    within = sorted(_NOT_WITHIN[parts["FREQ"]] & set(parts))
    if within:
        raise UnreadableRule(f"FREQ={parts['FREQ']} takes no {', '.join(within)}")
    if parts["FREQ"] in _AT_MOST and "BYSETPOS" in parts:
        name, often, days = _AT_MOST[parts["FREQ"]]
        size = prod(len(parts.get(key, "").split(",")) for key in _LISTS)
        size *= often if "BYDAY" in parts else days
        if all(size < abs(place) for place in numbers("BYSETPOS", parts["BYSETPOS"])):
            raise UnreadableRule(f"BYSETPOS={parts['BYSETPOS']}: a {name} has {size} of them")
    return parts


def _check_days(parts: Mapping[str, str]) -> None:
    """Raises UnreadableRule for weekdays that are none, or are counted where none are."""
    in_year = 0 if "BYWEEKNO" in parts else 5 if "BYMONTH" in parts else 53
    most = {"MONTHLY": 5, "YEARLY": in_year}.get(parts["FREQ"], 0)
    for item in parts.get("BYDAY", "MO").split(","):
        found = _WEEKDAY.fullmatch(item)
        if found is None or (found[1] and not 1 <= abs(int(found[1])) <= most):
            within = f"a number from 1 to {most}" if most else "no number"
            raise UnreadableRule(f"BYDAY={item}: a day of the week, with {within} before it here")


def _until(value: str, tz: tzinfo) -> datetime:
    """UNTIL as an instant: UTC with Z, else local to ``tz``; a date is its last second."""
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
