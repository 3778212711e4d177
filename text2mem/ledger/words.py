"""The validity of a fact in words, for people and for models."""

from __future__ import annotations

from datetime import datetime, tzinfo

from text2mem.ir.times.temporal import format_local

_BEFORE_ALL = 1
"""The year of the earliest instant, which stands for an unknown beginning."""


def validity(start: datetime | None, end: datetime | None, tz: tzinfo) -> str:
    """Such as `` (since 2026-06-03)`` or `` (from … until …)``; empty if neither is known."""
    since = day_of(start, tz) if start is not None and start.year != _BEFORE_ALL else None
    if end is None:
        return f" (since {since})" if since else ""
    until = f"until {day_of(end, tz)}"
    return f" (from {since} {until})" if since else f" ({until})"


def day_of(instant: datetime, tz: tzinfo) -> str:
    """The date of an instant in a time zone, with hour and minute unless it is midnight."""
    open_end = instant.year in (1, 9999)  # whatever the time zone
    return instant.date().isoformat() if open_end else format_local(instant, tz)
