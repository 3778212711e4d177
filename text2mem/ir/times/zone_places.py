"""The country and the hemisphere of a time zone, and its next change of the clocks."""

from __future__ import annotations

from bisect import bisect_left
from datetime import datetime, timedelta, tzinfo
from functools import cache
from typing import Literal

from text2mem.ir.times.duration import DAY

_TROPIC = 23.44
"""The latitude of the tropics, between which there are no four seasons."""
_YEAR = 370
"""The number of days in which a change of the clocks is looked for."""


@cache
def _places() -> dict[str, tuple[str, float]]:
    """The country and the latitude of the zones in the table of the zone database, by name."""
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
    """The ISO 3166 code of the country of a zone; "" for UTC and fixed offsets."""
    return _places().get(getattr(tz, "key", ""), ("", 0.0))[0]


def hemisphere(tz: tzinfo) -> Literal["north", "south", ""]:
    """The hemisphere of a zone; "" if it lies between the tropics or is not known."""
    latitude = _places().get(getattr(tz, "key", ""), ("", 0.0))[1]
    if abs(latitude) < _TROPIC:
        return ""
    return "north" if latitude > 0 else "south"


def next_change(tz: tzinfo, now: datetime, forward: bool) -> datetime | None:
    """The next instant within a year at which the clocks of a zone go forward (or back)."""
    start, sign = now.replace(microsecond=0), 1 if forward else -1

    def offset(seconds: int) -> timedelta:
        at = start + timedelta(seconds=seconds)
        return sign * (at.astimezone(tz).utcoffset() or timedelta())

    for first in range(0, _YEAR * DAY, DAY):
        if offset(first) < offset(first + DAY):
            day = range(first, first + DAY + 1)
            return start + timedelta(seconds=day[bisect_left(day, offset(day[-1]), key=offset)])
    return None
