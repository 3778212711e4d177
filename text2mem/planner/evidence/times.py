"""Times: phrases and what stands around them, read by the readers of ``text2mem.ir``."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
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

_BEFORE = 48
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


class Phrase:
    """A phrase that has the shape of a time, and what stands around it."""

    def __init__(self, text: Text, clock: Clock, shape: re.Match[str]) -> None:
        self.text, self.clock, self.shape = text, clock, shape
        self.start, self.end = shape.span()
        self.words = shape[0]
        self.stored = text.in_content(self.start, self.end)

    def said_before(self, start: int | None = None) -> str:
        """What stands before the phrase, or before a lead that starts at a place."""
        place = self.start if start is None else start
        return self.text.open[max(0, place - _BEFORE) : place]

    def after(self, pattern: re.Pattern[str]) -> int | None:
        """Where the lead starts that ends right before the phrase."""
        said = self.said_before()
        found = pattern.search(said)
        return None if found is None else self.start - len(said) + found.start()

    def before(self, pattern: re.Pattern[str], end: int | None = None) -> int | None:
        """Where that ends which follows right after the phrase, or after a place."""
        found = pattern.match(self.text.open, self.end if end is None else end)
        return None if found is None else found.end()

    def as_moment(self, words: str | None = None) -> Found | None:
        """The moment that the phrase, or these words for it, names."""
        instant = self.clock.instant(words or self.words)
        if instant is None:
            return None
        return Found("moment", format_instant(instant), self.start, self.end)

    def as_length(
        self, words: str, start: int | None = None, end: int | None = None
    ) -> Found | None:
        """The length that words of the phrase name."""
        length = self.clock.length(words)
        if length is None:
            return None
        begin = self.start if start is None else start
        return Found("duration", length.isoformat(), begin, end or self.end)

    def as_recent(self, words: str) -> Found | None:
        """The stretch of such a length up to now."""
        length = None if self.stored else self.clock.length(words)
        value = None if length is None else relative(length, words)
        return None if value is None else Found("window", value, self.start, self.end)

    def as_window(self, words: str) -> Found | None:
        """The stretch that words of the phrase name, where it has begun."""
        found = None if self.stored else self.clock.range(words)
        if found is None or found.start > self.clock.now:
            return None
        return Found("window", window(found), self.start, self.end)


@dataclass(frozen=True, slots=True)
class Shape:
    """The shape of a phrase, and what it says by what stands around it, None for nothing.

    Where a phrase of this shape says nothing, no part of it does, unless ``parts`` may.
    """

    pattern: re.Pattern[str]
    read: Callable[[Phrase], Found | None]
    parts: bool = False


def scan(
    text: Text, clock: Clock, first: re.Pattern[str], shapes: Sequence[Shape]
) -> Iterator[Found]:
    """What the shapes say, in order and without overlap; the longest that means something counts.

    ``first`` finds the places where a phrase may start.
    """
    place = 0
    while start := first.search(text.open, place):
        place = start.start() + 1
        fits = [
            (found.end(), order, found)
            for order, shape in enumerate(shapes)
            if (found := shape.pattern.match(text.open, start.start()))
        ]
        for end, order, found in sorted(fits, key=lambda one: (-one[0], one[1])):
            said = shapes[order].read(Phrase(text, clock, found))
            place = place if shapes[order].parts else max(place, end)
            if said is not None:
                yield said
                place = max(place, said.end)
                break
