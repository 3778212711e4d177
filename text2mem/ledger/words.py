"""The validity of a fact in words, for people and for models."""

from __future__ import annotations

from datetime import datetime, tzinfo

_BEFORE_ALL = 1
"""The year of the earliest instant, which stands for an unknown beginning."""
_MIDNIGHT = (0, 0, 0)


def validity(start: datetime | None, end: datetime | None, tz: tzinfo) -> str:
    """Such as `` (since 2026-06-03)`` or `` (from … until …)``; empty if neither is known."""
    if start is not None and start.year == _BEFORE_ALL:
        start = None
    if end is not None:
        return f" (until {day_of(end, tz)})" if start is None else (
            f" (from {day_of(start, tz)} until {day_of(end, tz)})"
        )  # fmt: skip
    return "" if start is None else f" (since {day_of(start, tz)})"


def day_of(instant: datetime, tz: tzinfo) -> str:
    """The date of an instant in a time zone, with hour and minute unless it is midnight."""
    if instant.year in (1, 9999):  # the time zone could lead out of the calendar
        return instant.date().isoformat()
    local = instant.astimezone(tz)
    whole = (local.hour, local.minute, local.second) == _MIDNIGHT
    return local.date().isoformat() if whole else local.strftime("%Y-%m-%d %H:%M")
