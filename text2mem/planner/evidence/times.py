"""Times: what their phrases mean, by the words around them and by the readers of ``text2mem.ir``."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo
from typing import Any

from text2mem.ir.duration import DAY, HOUR, MINUTE, WEEK, Duration, UnreadableTime
from text2mem.ir.temporal import (
    TimeRange,
    format_instant,
    read_duration,
    read_instant,
    read_range,
)
from text2mem.planner.evidence.model import Kind, Mention
from text2mem.planner.evidence.text import Text

BEFORE_LENGTH = 48
"""How many characters before a phrase are looked at."""
_SECOND = timedelta(seconds=1)
_FIXED = (("weeks", WEEK), ("days", DAY), ("hours", HOUR), ("minutes", MINUTE))
_MONTHS = (("years", 12), ("months", 1))
_NAMES = {
    "weeks": ("week", "wk", "fortnight", "周", "星期", "礼拜"),
    "days": ("day", "天", "日"),
    "hours": ("hour", "hr", "小时", "钟头"),
    "minutes": ("min", "分"),
    "years": ("year", "yr", "decade", "年"),
    "months": ("month", "quarter", "月", "季"),
}


@dataclass(frozen=True, slots=True)
class Clock:
    """The present and the zone, and the readers of times with them; None where one cannot read."""

    now: datetime
    tz: tzinfo

    def instant(self, words: str) -> datetime | None:
        try:
            return read_instant(words, now=self.now, tz=self.tz)
        except UnreadableTime:
            return None

    def range(self, words: str) -> TimeRange | None:
        try:
            return read_range(words, now=self.now, tz=self.tz)
        except UnreadableTime:
            return None

    def length(self, words: str) -> Duration | None:
        try:
            found = read_duration(words)
        except UnreadableTime:
            return None
        return found if found.is_positive else None


@dataclass(frozen=True, slots=True)
class Found:
    """What a phrase turned out to say: a kind and a value from ``start`` to ``end``."""

    kind: Kind
    value: Any
    start: int
    end: int

    def mentions(self, text: Text) -> list[Mention]:
        """The mention, and for a time of the store also the flag that it is asked for."""
        out = [text.mention(self.kind, self.value, self.start, self.end)]
        if self.kind == "as_of":
            out.append(text.mention("flag", "as-of", self.start, self.end))
        return out


def relative(length: Duration, words: str, direction: str = "last") -> dict[str, Any] | None:
    """``{"relative": "last", "amount": 2, "unit": "weeks"}`` of a length, in the unit of its words.

    None for a length that has both months and shorter units.
    """
    if length.months and length.seconds:
        return None
    sizes = _MONTHS if length.months else _FIXED
    whole = length.months or length.seconds
    said = [one for one in sizes if any(name in words for name in _NAMES[one[0]])]
    for unit, size in (*said, *sizes):
        if whole % size == 0:
            return {"relative": direction, "amount": whole // size, "unit": unit}
    return None


def window(found: TimeRange) -> dict[str, str]:
    """A stretch as a ``time_range``."""
    return {"start": format_instant(found.start), "end": format_instant(found.end)}


def until(instant: datetime, now: datetime, start: int, end: int) -> Found:
    """A limit: a deadline ahead, or the end of a stretch that is past."""
    said = format_instant(instant)
    if instant > now:
        return Found("deadline", said, start, end)
    return Found("window", {"end": said}, start, end)


def older(found: TimeRange, start: int, end: int) -> Found:
    """What is from before a stretch of time."""
    last = format_instant(found.start - _SECOND)
    return Found("age", {"time_range": {"end": last}}, start, end)


def since(found: TimeRange, start: int, end: int, *, after: bool = False) -> Found:
    """What is from a stretch of time on, or from after it."""
    first = found.end + _SECOND if after else found.start
    return Found("window", {"start": format_instant(first)}, start, end)

