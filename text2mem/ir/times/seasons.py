"""Seasons of the northern hemisphere, by the calendar's months."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from text2mem.ir.times.reading_clock import Clock
from text2mem.ir.times.temporal import TimeRange

_FIRST_MONTH = {
    "spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12,
    "春": 3, "夏": 6, "秋": 9, "冬": 12,
}  # fmt: skip
_NAME = re.compile("|".join(_FIRST_MONTH))
_YEAR = re.compile(r"(?:19|20)\d\d")
_YEARS_BACK = {"今年": 0, "this": 0, "去年": 1, "last year": 1, "前年": 2}


def read_season(words: str, clock: Clock) -> TimeRange | None:
    """The stretch of "last summer", "winter 2024" or 去年冬天; None where no season is named.

    Without a year, it is the last one that has begun ("last": that is over). A winter belongs to
    the year in which it begins. Raises nothing.
    """
    named = _NAME.search(words)
    if named is None:
        return None
    month, now = _FIRST_MONTH[named[0]], clock.now.astimezone(clock.tz)
    written = _YEAR.search(words)
    back = next((years for word, years in _YEARS_BACK.items() if word in words), None)
    if written is not None:
        return _season(int(written[0]), month, clock)
    if back is not None:
        return _season(now.year - back, month, clock)
    over = words.startswith("last")
    for year in (now.year, now.year - 1, now.year - 2):
        found = _season(year, month, clock)
        if (found.end if over else found.start) <= clock.now:
            return found
    return None


def _season(year: int, month: int, clock: Clock) -> TimeRange:
    start = datetime(year, month, 1, tzinfo=clock.tz)
    following = month + 3
    end = datetime(year + following // 13, (following - 1) % 12 + 1, 1, tzinfo=clock.tz)
    return TimeRange(start.astimezone(UTC), end.astimezone(UTC) - timedelta(seconds=1))
