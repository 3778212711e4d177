"""Reading times: ISO 8601, English and Chinese phrases, durations and ranges.

Pure functions of the text, an aware `now` and the zone in which naive times and "today" are read.
Stored instants are UTC, whole seconds. Conventions of both languages:

- weeks start on Monday; "next Friday" and 下周五 are the Friday of the next week, "last Friday" and
  上周五 that of the week before, "this Friday" that of the present week;
- a clock in "next week at 9am" is that of its Monday;
- a bare "Friday", "Dec 31" or "9am" is the nearest one to come, in a range the nearest one past;
- a day or longer stands for its first second, as a limit ("by Friday", "end of the month", 月底前)
  for its last; "before Friday" is where Friday starts, and 明年之前 where
  next year does;
- "Monday week" is the Monday after the next to come, and a quarter, half or third of a month is
  whole: "Q3 2025", "first half of 2025", 本月中旬; 第三季度 without its year is that of this year;
- a range whose end would lie before its start ends at the next such day after it;
- days and shorter in "in three days" and "last 7 days" are fixed lengths, months and years are
  calendar; where "9am" occurs twice or not at all, the offset before the change of clocks counts;
- a part of the day without a clock is 9:00 (morning), 15:00 (afternoon), 18:00 (evening) or 20:00
  (night, 晚上).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta, tzinfo
from functools import lru_cache
from typing import Literal, TypeVar

from text2mem.ir.times import temporal_en, temporal_zh
from text2mem.ir.times.carried import carried
from text2mem.ir.times.duration import Duration, Kind, UnreadableTime
from text2mem.ir.times.phrases_en import MONTH_ALONE
from text2mem.ir.times.temporal_calendar import Calendar, Reading
from text2mem.ir.times.temporal_en_lengths import UNITS
from text2mem.ir.words.segment import HAN

MAX_LENGTH = 100
_Found = TypeVar("_Found")

_ZONED = re.compile(
    r"(?P<local>(?=.*(?:\d(?::\d\d| ?[ap]m|点)|\bat \d|\b(?:noon|midnight)\b)).+?)"
    r"(?: ?\(?(?P<zone>utc|gmt|[a-z]{2,3}[st]t?|(?<=\d)z)\)?)"
)
_CLOCK_ALONE = re.compile(r"(?:at )?(?:\d{1,2}(?::\d\d)?(?: ?[ap]m)?|noon|midnight)")
_BETWEEN = re.compile(
    r"(?P<ia>\d{4}-[^/]+)/(?P<ib>\d{4}-[^/]+)"
    r"|(?:(?:from|between)\s+)?(?P<a>.+?)(?:\s+(?:to|until|till|through|thru)\s+|\s?[–—-]\s?)(?P<b>.+)"
    r"|between\s+(?P<ba>.+?)\s+and\s+(?P<bb>.+)"
    r"|[从自]?(?P<za>.+?)[到至](?P<zb>.+)"
)


@dataclass(frozen=True, slots=True)
class TimeRange:
    """From `start` to `end`, both inclusive, in UTC."""

    start: datetime
    end: datetime


@lru_cache(maxsize=4096)  # a program stamps everything that it touches with one instant
def format_instant(instant: datetime) -> str:
    """An aware instant as "YYYY-MM-DDTHH:MM:SSZ", fractions of a second dropped."""
    at = instant if instant.tzinfo is UTC else instant.astimezone(UTC)
    return at.isoformat()[:19] + "Z"


def read_instant(text: str, *, now: datetime, tz: tzinfo) -> datetime:
    """The UTC instant, in whole seconds, that `text` names. Raises UnreadableTime."""
    iso = _iso(text, tz)
    if iso is not None:
        return iso
    calendar = _calendar(now, tz, True)
    zoned = _ZONED.fullmatch(_normalise(text))
    found = None if zoned is None else _in_zone(zoned["local"], zoned["zone"], calendar)
    if found is not None:
        return found
    return _guarded(text, "instant", lambda: _read(_normalise(text), calendar, tz)).instant


def _in_zone(phrase: str, zone: str, calendar: Calendar) -> datetime | None:
    """A day of the person's zone at a time of the day of UTC, or of that zone by its own name; None
    for any other."""
    try:
        found = read_instant(phrase, now=calendar.now, tz=calendar.tz)
    except UnreadableTime:
        return None
    local = found.astimezone(calendar.tz)
    if zone == (local.tzname() or "").lower():
        return found
    if zone not in ("utc", "gmt", "z"):
        return None
    at = local.replace(tzinfo=UTC)
    if _CLOCK_ALONE.fullmatch(phrase):
        return at + timedelta(days=(at <= calendar.now) - (at > calendar.now + timedelta(days=1)))
    return at


def read_coming(text: str, *, now: datetime, tz: tzinfo) -> TimeRange:
    """The stretch that `text` names, the nearest to come. Raises UnreadableTime."""
    calendar = _calendar(now, tz, True)
    found = _guarded(text, "range", lambda: _read(_normalise(text), calendar, tz))
    return TimeRange(found.start, found.end)


def read_duration(text: str) -> Duration:
    """An ISO 8601 duration, or a phrase: "two weeks", "half a year", 三天.

    Raises UnreadableTime.
    """

    def read() -> Duration | None:
        phrase = _normalise(text)
        if re.match(r"[-+]?p[\dt]", phrase):
            return Duration.parse(text.strip())
        if HAN.search(phrase):
            return temporal_zh.read_duration(phrase)
        return temporal_en.read_duration(phrase)

    return _guarded(text, "duration", read)


def read_range(text: str, *, now: datetime, tz: tzinfo) -> TimeRange:
    """The stretch that `text` names: "yesterday", "last 7 days", 上个月, "2026-01-01/2026-02-01".

    "3 days ago" is that whole local day. Raises UnreadableTime, also for a reversed range.
    """

    calendar = _calendar(now, tz, False)

    def read() -> TimeRange | None:
        phrase = _normalise(text)
        recent = (temporal_zh if HAN.search(phrase) else temporal_en).read_recent(phrase)
        if recent is not None:
            return _beside(calendar, *recent)
        with suppress(ValueError, OverflowError):
            reading = _read(phrase, calendar, tz)
            if reading is not None:
                return TimeRange(reading.start, reading.end)
        origin = _since(phrase)
        if origin is not None:
            since = _read(origin, calendar, tz)
            return TimeRange(since.start, calendar.now) if since else None
        match = _BETWEEN.fullmatch(phrase)
        if match is None:
            return None
        first, last = map(_in_a_row, carried(*(side for side in match.groups() if side)))
        start, end = _read(first, calendar, tz), _read(last, calendar, tz)
        if start and end and end.end < start.start:
            # "from 1 March to 5 March" on the 4th: the end is the next one after its start.
            end = _read(last, replace(calendar, now=start.start, forward=True), tz)
        return TimeRange(start.start, end.end) if start and end else None

    found = _guarded(text, "range", read)
    if found.end < found.start:
        raise UnreadableTime(text, "range")
    return found


def _in_a_row(side: str) -> str:
    """A month between others is no other word: "from march to may"."""
    return f"on {side}" if MONTH_ALONE.fullmatch(side) else side


def relative_range(
    direction: Literal["last", "next"], amount: int, unit: str, *, now: datetime, tz: tzinfo
) -> TimeRange:
    """The `amount` units up to or from `now`, which is one end of the range.

    Units (singular or plural) from second to week are fixed lengths, month, quarter and year are
    calendar in `tz`. Raises UnreadableTime for an unknown unit or an amount below 1.
    """
    said = f"{direction} {amount} {unit}"
    calendar = _calendar(now, tz, False)
    size = UNITS.get(unit.strip().lower())
    if size is None or amount < 1:
        raise UnreadableTime(said, "range")
    length = Duration(size[0] * amount, size[1] * amount)
    sign = 1 if direction == "next" else -1
    return _guarded(said, "range", lambda: _beside(calendar, sign, length))


def _beside(calendar: Calendar, sign: int, length: Duration) -> TimeRange:
    other = calendar.shifted(length, sign)
    return TimeRange(min(other, calendar.now), max(other, calendar.now))


def _calendar(now: datetime, tz: tzinfo, forward: bool) -> Calendar:
    if now.tzinfo is None:
        raise ValueError("now needs a time zone")
    return Calendar(now.astimezone(UTC).replace(microsecond=0), tz, forward)


def _guarded(text: str, kind: Kind, read: Callable[[], _Found | None]) -> _Found:
    """What `read` finds; UnreadableTime where it finds nothing or a day that does not exist."""
    try:
        found = read() if len(text) <= MAX_LENGTH else None
    except (ValueError, ArithmeticError) as error:
        raise UnreadableTime(text, kind) from error
    if found is None:
        raise UnreadableTime(text, kind)
    return found


def _normalise(text: str) -> str:
    return re.sub(r"\s+", " ", unicodedata.normalize("NFKC", text)).strip(" .,;!?").lower()


def _iso(text: str, tz: tzinfo) -> datetime | None:
    """An ISO 8601 date, or date and time; None for any other text."""
    text = text.strip()
    if len(text) < 10 or text[4] != "-" or text[7] != "-" or text[10:11] not in ("", "T", " "):
        return None
    try:
        read = datetime.fromisoformat(text).replace(microsecond=0)
        return (read if read.tzinfo else read.replace(tzinfo=tz)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _since(phrase: str) -> str | None:
    """Where a range that runs up to now starts, in words; None where no such range is meant."""
    if phrase.startswith("since "):
        return phrase.removeprefix("since ")
    return temporal_zh.read_since(phrase)


def _read(phrase: str, calendar: Calendar, tz: tzinfo) -> Reading | None:
    """What a normalised phrase of either language names."""
    if HAN.search(phrase):
        return temporal_zh.read(phrase, calendar)
    split = temporal_en.split_limit(phrase)
    if split is None:
        return None
    body, limit = split
    exact = _iso(body.upper(), tz) if len(body) > 10 else None
    if exact is not None:
        return Reading(exact, exact, exact)
    return temporal_en.read(body, limit, calendar)
