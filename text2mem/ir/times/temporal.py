"""Read instants, durations and ranges of time: ISO 8601, and English and Chinese phrases.

The readers are functions of the text, an aware `now`, and the time zone in which naive times and
"today" are read. Instants are returned in UTC, in whole seconds. Conventions of both languages:

- Weeks start on Monday. "next Friday" and 下周五 are the Friday of the next week, "last Friday" and
  上周五 that of the week before, "this Friday" that of the present week.
- "next week at 9am" is on the Monday of that week.
- The range of "the next week" and "the last week" begins and ends now, "last week" is one of the
  calendar, and so is "the last quarter". "in the next week" is a week from now. "within a week" and
  一周内 are the week to come, in a range the past one.
- A bare "Friday", "Dec 31" or "9am" is the next one; in a range it is the last one.
- A day or a longer stretch is read as its first second; as a limit ("by Friday", "end of the
  month", 月底前) as its last second. "before Friday" is the beginning of Friday, 明年之前 that of
  next year.
- "Monday week" is the Monday a week after the next one. Quarters, halves of a year and thirds of a
  month are whole stretches: "Q3 2025", "first half of 2025", 本月中旬. 第三季度 without its year is
  that of this year.
- If the end of a range would lie before its start, it is the next such day after the start.
- Days and shorter units in "in three days" and "last 7 days" are fixed lengths; months and years
  follow the calendar. If a local time occurs twice or not at all, the offset before the change of
  the clocks counts.
- A part of the day without a time is 9:00 (morning), 15:00 (afternoon), 18:00 (evening) or 20:00
  (night, 晚上).
- "Monday the 15th" is the next 15th that is a Monday, if it is one of the next three.
- "Thu 3/9" is the one of 3 September and 9 March that is a Thursday: the next one, else the last.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, time, timedelta, tzinfo
from functools import lru_cache
from typing import Literal, TypeVar

from text2mem.ir.times import temporal_en, temporal_zh
from text2mem.ir.times.carried import carried
from text2mem.ir.times.duration import Duration, Kind, UnreadableTime
from text2mem.ir.times.phrases_en import MONTH_ALONE
from text2mem.ir.times.temporal_calendar import Calendar, Reading, read_iso
from text2mem.ir.times.temporal_en_lengths import UNITS
from text2mem.ir.words.segment import HAN

MAX_LENGTH = 100
"""The most characters of a text that is read."""
_Found = TypeVar("_Found")

_ZONED = re.compile(
    r"(?P<local>(?=.*(?:\d(?::\d\d| ?[ap]m|点)|\bat \d|\b(?:noon|midnight)\b)).+?)"
    r"(?: ?\(?(?P<zone>utc|gmt|[a-z]{2,3}[st]t?|(?<=\d)z)\)?)"
)
_BEIJING = re.compile(r"\(?北京时间[:)]?")
_CLOCK_ALONE = re.compile(r"(?:at )?(?:\d{1,2}(?::\d\d)?(?: ?[ap]m)?|noon|midnight)")
_BETWEEN = re.compile(
    r"(?P<ia>\d{4}-[^/]+)/(?P<ib>\d{4}-[^/]+)"
    r"|(?:(?:from|between)\s+)?(?P<a>.+?)(?:\s+(?:to|until|till|through|thru)\s+|\s?[–—-]\s?)(?P<b>.+)"
    r"|between\s+(?P<ba>.+?)\s+and\s+(?P<bb>.+)"
    r"|[从自]?(?P<za>.+?)[到至](?P<zb>.+)"
    r"|(?:在|介于)?(?P<zc>.+?)[和跟与](?P<zd>.+?)之?间"
)
_REST = re.compile(r"(?:the )?rest of (?:the |this )?(?P<of>week|month|quarter|year)")


@dataclass(frozen=True, slots=True)
class TimeRange:
    """A range of time from `start` to `end`, both inclusive, in UTC."""

    start: datetime
    end: datetime


@lru_cache(maxsize=4096)  # a program writes the same instant many times
def format_instant(instant: datetime) -> str:
    """An aware instant as "YYYY-MM-DDTHH:MM:SSZ", without fractions of a second."""
    at = instant if instant.tzinfo is UTC else instant.astimezone(UTC)
    return at.isoformat()[:19] + "Z"


def format_local(instant: datetime, tz: tzinfo) -> str:
    """An aware instant by the clocks of ``tz``, as "YYYY-MM-DD HH:MM"; at midnight, only the date.
    Where the zone would lead out of the calendar, as ``format_instant`` writes it."""
    try:
        local = instant.astimezone(tz)
    except OverflowError:
        return format_instant(instant)
    day = local.date().isoformat()
    return day if local.time() == time() else f"{day} {local:%H:%M}"


def format_instants(named: Mapping[str, datetime | None]) -> dict[str, str]:
    """Those of the named instants that there are, as ``format_instant`` writes them."""
    return {name: format_instant(at) for name, at in named.items() if at is not None}


def read_instant(text: str, *, now: datetime, tz: tzinfo) -> datetime:
    """Return the UTC instant, in whole seconds, that `text` names. Raises UnreadableTime."""
    iso = read_iso(text, tz)
    if iso is not None:
        return iso
    calendar = _calendar(now, tz, True)
    phrase = _normalise(text)
    if calendar.now.astimezone(tz).utcoffset() == timedelta(hours=8):
        phrase = _BEIJING.sub("", phrase)
    zoned = _ZONED.fullmatch(phrase)
    found = None if zoned is None else _in_zone(zoned["local"], zoned["zone"], calendar)
    if found is not None:
        return found
    return _guarded(text, "instant", lambda: _read(phrase, calendar)).instant


def _in_zone(phrase: str, zone: str, calendar: Calendar) -> datetime | None:
    """The instant of a time in the named zone, UTC or the person's own, on a day of the latter."""
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
    """Return the next stretch of time that `text` names. Raises UnreadableTime."""
    calendar = _calendar(now, tz, True)
    found = _guarded(text, "range", lambda: _read(_normalise(text), calendar))
    return TimeRange(found.start, found.end)


def read_both_ends(text: str, *, now: datetime, tz: tzinfo) -> tuple[TimeRange, ...]:
    """The last and the next stretch that `text` names by its two ends: "from 6 to 17 April",
    2010年到2014年. Empty for other texts."""
    calendar, phrase = _calendar(now, tz, False), _normalise(text)

    def read() -> tuple[TimeRange, ...]:
        if _read(phrase, calendar):
            return ()  # such as "2026-03-01"
        both = (_between(phrase, each) for each in (calendar, replace(calendar, forward=True)))
        return tuple(dict.fromkeys(found for found in both if found and found.start <= found.end))

    with suppress(UnreadableTime):
        return _guarded(text, "range", read)
    return ()


def read_duration(text: str) -> Duration:
    """Return the duration of a text: ISO 8601, or a phrase ("half a year", 三天). Raises
    UnreadableTime."""

    def read() -> Duration | None:
        phrase = _normalise(text)
        if re.match(r"[-+]?p[\dt]", phrase):
            return Duration.parse(text.strip())
        language = temporal_zh.read_duration if HAN.search(phrase) else temporal_en.read_duration
        return language(phrase)

    return _guarded(text, "duration", read)


def read_range(text: str, *, now: datetime, tz: tzinfo) -> TimeRange:
    """Return the range that `text` names: "last 7 days", "2026-01-01/2026-02-01", or "yesterday",
    that whole local day. Raises UnreadableTime, also for a reversed range."""

    calendar = _calendar(now, tz, False)

    def read() -> TimeRange | None:
        phrase = _normalise(text)
        recent = (temporal_zh if HAN.search(phrase) else temporal_en).read_recent(phrase)
        if recent is not None:
            return _beside(calendar, *recent)
        rest = _REST.fullmatch(phrase)
        if rest is not None and (whole := _read(f"this {rest['of']}", calendar)):
            return TimeRange(calendar.now, whole.end)
        with suppress(ValueError, OverflowError):
            if reading := _read(phrase, calendar):
                return TimeRange(reading.start, reading.end)
        past = phrase.startswith("since ")
        origin = phrase.removeprefix("since ") if past else temporal_zh.read_since(phrase)
        if origin is not None:
            since = _read(origin, calendar)
            return TimeRange(since.start, calendar.now) if since else None
        return _between(phrase, calendar)

    found = _guarded(text, "range", read)
    if found.end < found.start:
        raise UnreadableTime(text, "range")
    return found


def _between(phrase: str, calendar: Calendar) -> TimeRange | None:
    """The stretch that a normalised phrase names by its two ends, if it does."""
    match = _BETWEEN.fullmatch(phrase)
    if match is None:
        return None
    first, last = (
        f"on {side}" if MONTH_ALONE.fullmatch(side) else side  # "from march to may"
        for side in carried(*filter(None, match.groups()))
    )
    start, end = _read(first, calendar), _read(last, calendar)
    if start and end and (calendar.forward or end.end < start.start):
        # "from 1 March to 5 March" on the 4th: the end is the next one after its start.
        end = _read(last, replace(calendar, now=start.start, forward=True))
    return TimeRange(start.start, end.end) if start and end else None


def relative_range(
    direction: Literal["last", "next"], amount: int, unit: str, *, now: datetime, tz: tzinfo
) -> TimeRange:
    """Return the range of `amount` units that ends (last) or begins (next) at `now`.

    Units from second to week are fixed lengths; longer ones follow the calendar of `tz`. Raises
    UnreadableTime for an unknown unit or an amount below 1.
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
    """The range between now and `sign` times a length from now; a day is 24 hours."""
    exact = not length.months
    other = length.after(calendar.now, sign) if exact else calendar.shifted(length, sign)
    return TimeRange(min(other, calendar.now), max(other, calendar.now))


def _calendar(now: datetime, tz: tzinfo, forward: bool) -> Calendar:
    """The calendar around `now`, which has to be aware, else ValueError."""
    if now.tzinfo is None:
        raise ValueError("now needs a time zone")
    return Calendar(now.astimezone(UTC).replace(microsecond=0), tz, forward)


def _guarded(text: str, kind: Kind, read: Callable[[], _Found | None]) -> _Found:
    """What `read` returns. Raises UnreadableTime if that is None, if there is no such day, or
    if the text is too long."""
    try:
        found = read() if len(text) <= MAX_LENGTH else None
    except (ValueError, ArithmeticError) as error:
        raise UnreadableTime(text, kind) from error
    if found is None:
        raise UnreadableTime(text, kind)
    return found


def _normalise(text: str) -> str:
    """The text in NFKC, in lower case, with single blanks and no punctuation around it."""
    return re.sub(r"\s+", " ", unicodedata.normalize("NFKC", text)).strip(" .,;!?").lower()


def _read(phrase: str, calendar: Calendar) -> Reading | None:
    """The reading of a normalised phrase of either language; None if it cannot be read."""
    read = temporal_zh.read if HAN.search(phrase) else temporal_en.read
    return read(phrase, calendar)
