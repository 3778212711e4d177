"""Where a time zone lies: its country and its side of the equator, from the zone database."""

from __future__ import annotations

from datetime import datetime, timedelta, tzinfo
from functools import cache
from typing import Literal

_TROPIC = 23.44
"""Between the tropics the year has no four seasons that a calendar could place."""
_YEAR = 370


@cache
def _places() -> dict[str, tuple[str, float]]:
    """The country and the latitude of every zone that lies in one place."""
    from importlib.resources import files

    table = files("tzdata").joinpath("zoneinfo", "zone.tab").read_text("utf-8")
    found: dict[str, tuple[str, float]] = {}
    for line in table.splitlines():
        if line.startswith("#") or line.count("\t") < 2:
            continue
        country, at, name = line.split("\t")[:3]
        found[name] = (country, int(at[:3]) + int(at[0] + at[3:5]) / 60)
    return found


def country(tz: tzinfo) -> str:
    """The country of a zone by its ISO 3166 code; empty for UTC and for fixed offsets."""
    return _places().get(getattr(tz, "key", ""), ("", 0.0))[0]


def hemisphere(tz: tzinfo) -> Literal["north", "south", ""]:
    """On which side of the tropics a zone lies; empty where that is not known."""
    latitude = _places().get(getattr(tz, "key", ""), ("", 0.0))[1]
    if abs(latitude) < _TROPIC:
        return ""
    return "north" if latitude > 0 else "south"


def next_change(tz: tzinfo, now: datetime, forward: bool) -> datetime | None:
    """When the clocks of a zone next go forward, or back; None where they do not in a year."""
    for day in range(_YEAR):
        start, end = (now + timedelta(days=n) for n in (day, day + 1))
        before, after = (each.astimezone(tz).utcoffset() for each in (start, end))
        if before is None or after is None or before == after or (after > before) != forward:
            continue
        while end - start > timedelta(seconds=1):
            middle = start + (end - start) / 2
            if middle.astimezone(tz).utcoffset() == before:
                start = middle
            else:
                end = middle
        return (end + timedelta(milliseconds=500)).replace(microsecond=0)
    return None
