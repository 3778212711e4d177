"""Move a recurrence rule with one of its occurrences: an hour later, or to the evening before."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, time, timedelta, tzinfo
from itertools import product

from text2mem.ir.ops import Remind
from text2mem.ir.times.rrule import LONGEST_MONTH, OF_DAYS, SHORTEST_MONTH, WEEKDAYS, parts_of

HOUR = ("BYHOUR", "BYMINUTE")


def once_a_day(found: Remind) -> bool:
    """Whether a rule rings at one time of its days."""
    parts = rule_of(found)
    return parts.get("FREQ") in OF_DAYS and not any("," in parts.get(key, "") for key in HOUR)


def rule_of(found: Remind) -> dict[str, str]:
    """The values of the rule of a reminder by the names of its parts; empty if it has none."""
    return {} if found.rrule is None else parts_of(found.rrule)


def at_hour(found: Remind, hour: time) -> Remind:
    """The reminder at a time of the day."""
    return with_parts(found, dict(zip(HOUR, (f"{hour.hour}", f"{hour.minute}"), strict=True)))


def moved_with(found: Remind, of: datetime, to: datetime, tz: tzinfo) -> Remind | None:
    """The reminder by a rule whose occurrences are as far from its own as ``to`` is from ``of``, on
    whose day there is one, on the clock of a zone. What is before the first day of a month is on
    its last ones. None if no rule says that: the day before every first Monday."""
    return _moved(found, *(at.astimezone(tz).replace(tzinfo=None) for at in (of, to)))


def in_zone(found: Remind, at: datetime, of: tzinfo, to: tzinfo) -> Remind:
    """The reminder by a rule that is read on the clock of ``of``, for that of ``to``: it rings at
    the same instants, as long as both are as far apart as they are ``at`` an instant."""
    was, will = (at.astimezone(zone).replace(tzinfo=None) for zone in (of, to))
    if was == will or "BYHOUR" not in rule_of(found):
        return found
    return _moved(found, was, will) or found


def _moved(found: Remind, of: datetime, to: datetime) -> Remind | None:
    parts = rule_of(found)
    if not once_a_day(found):
        return _at_hours(found, to - of)
    hour, minute = (int(parts.get(key, "0")) for key in HOUR)
    rang = datetime.combine(of, time(hour, minute))
    rings = rang + (to - of)
    moved, days = at_hour(found, rings.time()), (rings.date() - rang.date()).days
    if not days or _chooses_nothing(parts):
        return moved
    chosen = _days(parts, days, rings)
    return None if chosen is None else with_parts(moved, chosen)


def _at_hours(found: Remind, by: timedelta) -> Remind | None:
    """The reminder with every hour of its days moved, within the day."""
    parts = rule_of(found)
    if parts["FREQ"] not in OF_DAYS or not parts.keys().isdisjoint({"BYSETPOS", "BYSECOND"}):
        return None
    hours, minutes = ([*map(int, parts.get(key, "0").split(","))] for key in HOUR)
    minutes_by = round(by.total_seconds() / 60)
    times = [
        divmod(60 * hour + minute + minutes_by, 60) for hour, minute in product(hours, minutes)
    ]
    if len(minutes) > 1 or not all(0 <= hour < 24 for hour, _ in times):
        return None
    listed = ",".join(f"{hour}" for hour, _ in times)
    return with_parts(found, dict(zip(HOUR, (listed, f"{times[0][1]}"), strict=True)))


def _by_month_day(number: int) -> dict[str, str]:
    """The parts for a day of the month, or the last day of a month that lacks it. RFC 5545 leaves
    such a month out."""
    if number <= SHORTEST_MONTH:
        return {"BYMONTHDAY": f"{number}"}
    days = range(SHORTEST_MONTH, number + 1)
    return {"BYMONTHDAY": ",".join(map(str, days)), "BYSETPOS": "-1"}


def _chooses_nothing(parts: dict[str, str]) -> bool:
    """Whether every day is one of a rule, or of some first day every other one."""
    return parts["FREQ"] == "DAILY" and {*parts} <= {"FREQ", "INTERVAL", "COUNT", *HOUR}


def _days(parts: dict[str, str], by: int, to: datetime) -> dict[str, str] | None:
    """The parts for days that are moved, and that no other parts limit; None for others."""
    days = {key: value for key, value in parts.items() if key not in ("INTERVAL", "COUNT", *HOUR)}
    match days:
        case {"FREQ": "WEEKLY", "BYDAY": names, **rest} if not rest:
            places = sorted(
                (WEEKDAYS.index(name) + by) % len(WEEKDAYS) for name in names.split(",")
            )
            return {"BYDAY": ",".join(WEEKDAYS[place] for place in places)}
        case {"FREQ": "MONTHLY", "BYMONTHDAY": day, **rest} if not rest and "," not in day:
            number = int(day) + by
            number -= number <= 0 < int(day)
            if number >= 0 > int(day) or not -SHORTEST_MONTH <= number <= LONGEST_MONTH:
                return None
            return _by_month_day(number)
        case {"FREQ": "YEARLY", "BYMONTH": month, "BYMONTHDAY": day, **rest} if not rest:
            if "," in month + day or (to.month, to.day) == (2, 29):
                return None
            return {"BYMONTH": f"{to.month}", "BYMONTHDAY": f"{to.day}"}
    return None


def with_parts(found: Remind, parts: dict[str, str]) -> Remind:
    """The reminder with other values of these parts of its rule."""
    return replace(found, rrule=";".join(map("=".join, (rule_of(found) | parts).items())))
