"""Where a time zone lies: its country and its side of the equator, from the zone database."""

from __future__ import annotations

from datetime import tzinfo
from functools import cache
from typing import Literal

_TROPIC = 23.44
"""Between the tropics the year has no four seasons that a calendar could place."""


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
