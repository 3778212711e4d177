"""Reading times: ISO 8601, English and Chinese phrases, durations and ranges.

Pure functions of the text, an aware `now` and the zone in which naive times and "today" are read.
Stored instants are UTC, whole seconds. Conventions of both languages:

- weeks start on Monday; "next Friday" and 下周五 are the Friday of the next week, "last Friday" and
  上周五 that of the week before, "this Friday" that of the present week;
- a bare "Friday", "Dec 31" or "9am" is the nearest one to come, in a range the nearest one past;
- a day or longer stands for its first second, as a limit ("by Friday", "end of the month", 月底前)
  for its last; "before Friday" is where Friday starts;
- days and shorter in "in three days" and "last 7 days" are fixed lengths, months and years are
  calendar; where "9am" occurs twice or not at all, the offset before the change of clocks counts;
- a part of the day without a clock is 9:00 (morning), 15:00 (afternoon), 18:00 (evening) or 20:00
  (night, 晚上).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta, tzinfo
from typing import Literal, TypeVar

from text2mem.ir import temporal_zh
from text2mem.ir.duration import (
    AFTERNOON,
    DAY,
    EVENING,
    HOUR,
    MINUTE,
    MORNING,
    NIGHT,
    WEEK,
    Calendar,
    Duration,
    Kind,
    Named,
    Part,
    Reading,
    UnreadableTime,
    clock_in,
    shift_months,
)

__all__ = [
    "Duration",
    "TimeRange",
    "UnreadableTime",
    "format_instant",
    "read_duration",
    "read_instant",
    "read_range",
    "relative_range",
]

MAX_LENGTH = 100
_Found = TypeVar("_Found")
_CJK = re.compile("[\u3400-\u9fff]")

_UNITS = {
    name: size
    for names, size in (
        ("s sec secs second seconds", (0, 1)),
        ("m min mins minute minutes", (0, MINUTE)),
        ("h hr hrs hour hours", (0, HOUR)),
        ("d day days", (0, DAY)),
        ("w wk wks week weeks", (0, WEEK)),
        ("fortnight fortnights", (0, 2 * WEEK)),
        ("mo month months", (1, 0)),
        ("quarter quarters", (3, 0)),
        ("y yr yrs year years", (12, 0)),
        ("decade decades", (120, 0)),
    )
    for name in names.split()
}
_ONES = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen",
    "nineteen",
]  # fmt: skip
_NUMBERS = {word: n for n, word in enumerate(_ONES)} | {
    word: 10 * n
    for n, word in enumerate(
        ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"], 2
    )
}
_DAYS = {
    "today": 0, "tomorrow": 1, "yesterday": -1, "day after tomorrow": 2,
    "day before yesterday": -2,
}  # fmt: skip
_NEAR = {"this": 0, "current": 0, "next": 1, "coming": 1, "last": -1, "previous": -1}
_MONTHS = [
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december",
]  # fmt: skip
_WEEKDAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
_PARTS = {"morning": MORNING, "afternoon": AFTERNOON, "evening": EVENING, "night": NIGHT}
_SPELT = (
    (r"\b([ap])\.m\.?(?=\s|$)", r"\1m"),
    (r"\btonight\b", "today night"),
    (r"\blast night\b", "yesterday night"),
    (r"\bthis (morning|afternoon|evening)\b", r"today \1"),
    (r"\b(12 )?(noon|midday)\b", "12:00"),
    (r"\bmidnight\b", "0:00"),
    (r"\beod\b", "end of day"),
    (r"\beow\b", "end of week"),
    (r"\beom\b", "end of month"),
    (r"\beoy\b", "end of year"),
    (r"^(month|year|week)[- ]end$", r"end of \1"),
)
# Too often an ordinary word to be a date when nothing else in the text says so.
_NOT_ALONE = {"may", "march", "mar", "sat", "sun", "wed", "second"}
_PERIODS = {"day", "week", "weekend", "month", "quarter", "year"}
_LIMIT = re.compile(
    r"(?:(?:by|until|till|(?:no|not) later than|on or before|up to|due(?: by| on)?)\s+)"
)
_CLOCK = re.compile(
    r"(?:(?P<at>\bat\s+|@\s*)|(?<![\d:/.-]))(?P<hour>\d{1,2})(?::(?P<minute>\d\d)(?::(?P<second>\d\d))?)?"
    r"\s*(?P<mark>am\b|pm\b|o'clock\b)?(?![\d:/.-])"
)
_PART = re.compile(r"\b(?:in the |at )?(morning|afternoon|evening|night)\b")
_AMOUNT = re.compile(
    r"(?P<n>\d{1,12}(?:\.\d{1,3})?|half(?: an?)?|a couple of|an?)\s*"
    r"(?P<half>and a half )?(?P<unit>[a-z]+)(?P<tail> and a half)?(?:,? and |, ?| )?"
)
_OFFSET = re.compile(
    r"(?P<lead>in|after|within)(?: the next)? (?P<to>.+)"
    r"|(?P<back>.+?) (?:ago|earlier|back|before now)"
    r"|(?P<on>.+?) (?:from now|from today|later|hence)"
)
_ANCHORED = re.compile(r"(?P<length>.+?) (?P<side>from|after|before) (?P<anchor>.+)")
_EDGE = re.compile(r"(?P<edge>end|close|last day|start|beginning|first day) of (?P<what>.+)")
_RECENT = re.compile(
    r"(?:(?:over|during|in|within) )?(?:the )?(?P<near>last|past|previous|next|coming) (?P<long>.+)"
)
_NUMERIC = (
    re.compile(r"(?P<y>\d{4})[-/.](?P<m>\d{1,2})[-/.](?P<d>\d{1,2})"),
    re.compile(r"(?P<d>\d{1,2})\.(?P<m>\d{1,2})\.(?P<y>\d{4})"),
    re.compile(r"(?P<m>\d{1,2})/(?P<d>\d{1,2})/(?P<y>\d{4})"),
    re.compile(r"(?P<y>\d{4})-(?P<m>\d\d)"),
    re.compile(r"(?P<y>[12]\d{3})"),
    re.compile(r"(?P<d>\d{1,2})(?:st|nd|rd|th)"),
)
_BETWEEN = re.compile(
    r"(?:from|between)?\s*(?P<a>.+?)\s+(?:to|until|till|through|and)\s+(?P<b>.+)"
    r"|[从自]?(?P<za>.+?)[到至](?P<zb>.+)|(?P<ia>\d{4}-[^/]+)/(?P<ib>\d{4}-[^/]+)"
)


@dataclass(frozen=True, slots=True)
class TimeRange:
    """From `start` to `end`, both inclusive, in UTC."""

    start: datetime
    end: datetime


def format_instant(instant: datetime) -> str:
    """An aware instant as "YYYY-MM-DDTHH:MM:SSZ", fractions of a second dropped."""
    return instant.astimezone(UTC).replace(tzinfo=None, microsecond=0).isoformat() + "Z"


def read_instant(text: str, *, now: datetime, tz: tzinfo) -> datetime:
    """The UTC instant, in whole seconds, that `text` names. Raises UnreadableTime."""
    iso = _iso(text, tz)
    if iso is not None:
        return iso
    calendar = _calendar(now, tz, True)
    return _guarded(text, "instant", lambda: _read(_normalise(text), calendar, tz)).instant


def read_duration(text: str) -> Duration:
    """An ISO 8601 duration, or a phrase: "two weeks", "half a year", 三天.

    Raises UnreadableTime.
    """

    def read() -> Duration | None:
        phrase = _normalise(text)
        if re.match(r"[-+]?p[\dt]", phrase):
            return Duration.parse(text.strip())
        if _CJK.search(phrase):
            return temporal_zh.read_duration(phrase)
        return _length(re.sub(r"^(?:for|within) (?:the next )?", "", _spelt(phrase)))

    return _guarded(text, "duration", read)


def read_range(text: str, *, now: datetime, tz: tzinfo) -> TimeRange:
    """The stretch that `text` names: "yesterday", "last 7 days", 上个月, "2026-01-01/2026-02-01".

    "3 days ago" is that whole local day. Raises UnreadableTime, also for a reversed range.
    """

    calendar = _calendar(now, tz, False)

    def read() -> TimeRange | None:
        phrase = _normalise(text)
        recent = _recent(phrase)
        if recent is not None:
            return _beside(calendar, *recent)
        reading = _tried(lambda: _read(phrase, calendar, tz))
        if reading is not None:
            return TimeRange(reading.start, reading.end)
        if phrase.startswith("since "):
            since = _read(phrase.removeprefix("since "), calendar, tz)
            return TimeRange(since.start, calendar.now) if since else None
        match = _BETWEEN.fullmatch(phrase)
        if match is None:
            return None
        first, last = (side for side in match.groups() if side)
        start, end = _read(first, calendar, tz), _read(last, calendar, tz)
        return TimeRange(start.start, end.end) if start and end else None

    found = _guarded(text, "range", read)
    if found.end < found.start:
        raise UnreadableTime(text, "range")
    return found


def relative_range(
    direction: Literal["last", "next"], amount: int, unit: str, *, now: datetime, tz: tzinfo
) -> TimeRange:
    """The `amount` units up to or from `now`, which is one end of the range.

    Units (singular or plural) from second to week are fixed lengths, month, quarter and year are
    calendar in `tz`. Raises UnreadableTime for an unknown unit or an amount below 1.
    """
    said = f"{direction} {amount} {unit}"
    calendar = _calendar(now, tz, False)

    def read() -> TimeRange | None:
        size = _UNITS.get(unit.strip().lower())
        if size is None or amount < 1:
            return None
        length = Duration(size[0] * amount, size[1] * amount)
        return _beside(calendar, 1 if direction == "next" else -1, length)

    return _guarded(said, "range", read)


def _beside(calendar: Calendar, sign: int, length: Duration) -> TimeRange:
    other = calendar.shifted(length, sign)
    return TimeRange(min(other, calendar.now), max(other, calendar.now))


def _calendar(now: datetime, tz: tzinfo, forward: bool) -> Calendar:
    if now.tzinfo is None:
        raise ValueError("now needs a time zone")
    return Calendar(now.astimezone(UTC).replace(microsecond=0), tz, forward)


def _tried(read: Callable[[], Reading | None]) -> Reading | None:
    try:
        return read()
    except (ValueError, OverflowError):
        return None


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


def _recent(phrase: str) -> tuple[int, Duration] | None:
    if _CJK.search(phrase):
        return temporal_zh.read_recent(phrase)
    match = _RECENT.fullmatch(phrase)
    if match is None:
        return None
    words = _spelt(match["long"])
    # "the past month" runs up to now; "last month" is a month of the calendar.
    length = _length(f"1 {words}" if match["near"] == "past" and words in _UNITS else words)
    return (1 if match["near"] in ("next", "coming") else -1, length) if length else None


def _read(phrase: str, calendar: Calendar, tz: tzinfo) -> Reading | None:
    """What a normalised phrase of either language names."""
    if _CJK.search(phrase):
        return temporal_zh.read(phrase, calendar)
    if phrase in _NOT_ALONE:
        return None
    body = _LIMIT.sub("", phrase, count=1) if _LIMIT.match(phrase) else phrase
    limit = body != phrase
    body = re.sub(r"^(?:before|prior to) ", "", body)
    exact = _iso(body.upper(), tz) if len(body) > 10 else None
    if body in ("now", "right now"):
        exact = calendar.now
    if exact is not None:
        return Reading(exact, exact, exact)
    return _read_english(_spelt(body), limit, calendar)


def _spelt(text: str) -> str:
    """Numbers as digits, contracted words spelt out."""
    for pattern, spelling in _SPELT:
        text = re.sub(pattern, spelling, text)
    names = "|".join(sorted(_NUMBERS, key=len, reverse=True))
    text = re.sub(
        rf"\b({names})(?:[- ]({'|'.join(_ONES[1:10])}))?\b",
        lambda found: (
            str(_NUMBERS[found[1]] + _NUMBERS.get(found[2] or "", 0))
            if found[2] is None or _NUMBERS[found[1]] >= 20
            else found[0]
        ),
        text,
    )
    return re.sub(r"\b(?:a|1) hundred\b", "100", text)


def _read_english(text: str, limit: bool, calendar: Calendar) -> Reading | None:
    marked = [m for m in _CLOCK.finditer(text) if m["at"] or m["minute"] or m["mark"]]
    parts = _PART.findall(text)
    if len(marked) > 1 or len(parts) > 1:
        return None
    rest = text.replace(marked[0][0], " ", 1) if marked else text
    rest = re.sub(r"\s+", " ", _PART.sub(" ", rest)).strip(" ,")
    part = _PARTS[parts[0]] if parts else None
    clock = _clock(marked[0], part) if marked else None
    named = _offset(rest, calendar) if rest else Named()
    if named is None:
        named = _days(rest.removesuffix(" at"), calendar)
    if named is None or isinstance(named, Reading):
        return None if marked or parts else named
    return calendar.place(replace(named, clock=clock, part=part, limit=limit or named.limit))


def _clock(match: re.Match[str], part: Part | None) -> int:
    hour, minute, second = (int(match[name] or 0) for name in ("hour", "minute", "second"))
    if match["mark"] in ("am", "pm"):
        if not 1 <= hour <= 12:
            raise ValueError("no such time of day")
        return clock_in(None, hour % 12 + 12 * (match["mark"] == "pm"), minute, second)
    return clock_in(part, hour, minute, second)


def _length(text: str) -> Duration | None:
    """The duration that all of the words name."""
    months, seconds, place = 0.0, 0.0, 0
    while match := _AMOUNT.match(text, place):
        word, unit = match["n"], match["unit"]
        if unit not in _UNITS or (len(unit) == 1 and not word[0].isdigit()):
            return None
        month, second = _UNITS[unit]
        amount = float(word) if word[0].isdigit() else 2.0 if word.startswith("a c") else 1.0
        amount = 0.5 if word.startswith("half") else amount
        amount += 0.5 * bool(match["half"] or match["tail"])
        if month == 1 and amount % 1 == 0.5:
            # A month and a half is a month and fifteen days.
            amount, second, seconds = amount - 0.5, 0, seconds + 15 * DAY
        months, seconds = months + amount * month, seconds + amount * second
        place = match.end()
    if not place or place != len(text) or months % 1 or text[-1] in " ,":
        return None
    return Duration(int(months), int(seconds))


def _offset(text: str, calendar: Calendar) -> Named | Reading | None:
    """In three days, two weeks ago, within a month."""
    match = _OFFSET.fullmatch(text)
    length = _length(match["to"] or match["back"] or match["on"]) if match else None
    if match is None or length is None:
        return None
    moment = calendar.shifted(length, -1 if match["back"] else 1)
    if match["lead"] == "within":
        return Reading(calendar.now, moment, moment)
    return Named(moment=moment, whole_days=length.seconds % DAY == 0)


def _days(text: str, calendar: Calendar) -> Named | None:
    """The local days that all of the words name."""
    text = re.sub(r"^(?:(?:on|in|at)(?: |$))?(?:the )?", "", text)
    if not text:
        return Named()
    if text in _DAYS:
        return Named(*calendar.period("day", _DAYS[text]))
    if match := _EDGE.fullmatch(text):
        what = match["what"].removeprefix("the ")
        inner = _days(f"this {what}" if what in _UNITS else what, calendar)
        if inner is None or inner.first is None or inner.last is None:
            return None
        if match["edge"] in ("start", "beginning", "first day"):
            return Named(inner.first, inner.first)
        return Named(inner.last, inner.last, limit=match["edge"] != "last day")
    if match := _ANCHORED.fullmatch(text):
        length, anchor = _length(match["length"]), _days(match["anchor"], calendar)
        if length is None or length.seconds % DAY or anchor is None or anchor.first is None:
            return None
        sign = -1 if match["side"] == "before" else 1
        day = shift_months(anchor.first, sign * length.months)
        day += timedelta(days=sign * length.seconds // DAY)
        return Named(day, day)
    near, _, word = text.rpartition(" ")
    if match := re.fullmatch(r"([a-z]+) (?:of )?(this|next|last|previous) week", text):
        near, word = match[2], match[1]
    index, offset = _index(word, _WEEKDAYS), _NEAR.get(near)
    if index is not None and (offset is not None or not near):
        day = calendar.weekday(index, offset)
        return Named(day, day)
    if word in _PERIODS and (offset is not None or text == "weekend"):
        return Named(*calendar.period(word, offset or 0))
    index = _index(word, _MONTHS)
    if index is not None and offset is not None:
        if not offset:
            return Named(*calendar.months(calendar.today.replace(month=index + 1, day=1)))
        return Named(*replace(calendar, forward=offset > 0).nearest(index + 1, None))
    return _numeric(text, calendar) or _absolute(text, calendar)


def _index(word: str, names: list[str]) -> int | None:
    """Which of the names the word is, in full or shortened to at least three letters."""
    if len(word) < 3:
        return None
    word = "sep" if word == "sept" else word
    return next((n for n, name in enumerate(names) if name.startswith(word)), None)


def _numeric(text: str, calendar: Calendar) -> Named | None:
    """2026-12-31, 12/31/2026, 31.12.2026, 2026-12, 2026, 15th."""
    match = next((found for form in _NUMERIC if (found := form.fullmatch(text))), None)
    if match is None:
        return None
    year, month, day = (int(match.groupdict().get(key) or 0) for key in "ymd")
    if not year:
        return Named(*calendar.nearest(None, day))
    if "/" in text and text[4:5] != "/" and month != day:
        if month <= 12 and day <= 12:
            raise ValueError("day and month cannot be told apart")
        month, day = min(month, day), max(month, day)
    if not month:
        return Named(*calendar.months(date(year, 1, 1), 12))
    if not day:
        return Named(*calendar.months(date(year, month, 1)))
    return Named(date(year, month, day), date(year, month, day))


def _absolute(text: str, calendar: Calendar) -> Named | None:
    """Dec 31, 31st of December 2026, Friday 13 March 2026, March 2026."""
    tokens = re.findall(r"[a-z]+|\d+|[^\sa-z\d]", text)
    years = [token for token in tokens if len(token) == 4 and token.isdigit()]
    days = [token for token in tokens if len(token) < 3 and token.isdigit()]
    months = [token for token in tokens if _index(token, _MONTHS) is not None]
    weekdays = [token for token in tokens if _index(token, _WEEKDAYS) is not None]
    fill = {"st", "nd", "rd", "th"} if days else set()
    known = {*years, *days, *months, *weekdays, *fill, "of", "the", ",", "."}
    if (
        len(months) != 1
        or max(map(len, (years, days, weekdays))) > 1
        or not known.issuperset(tokens)
    ):
        return None
    # Imported here: ISO 8601 and the tables above do without it. It fills in no year of its own,
    # because two-digit years, for which it asks the wall clock, do not come this far.
    from dateutil.parser import parse

    read = parse(text.replace(" the ", " "), default=datetime(2000, 1, 1)).date()
    if not days:
        if weekdays:
            return None
        return Named(*(calendar.months(read) if years else calendar.nearest(read.month, None)))
    first, last = (read, read) if years else calendar.nearest(read.month, read.day)
    if weekdays and first.weekday() != _index(weekdays[0], _WEEKDAYS):
        return None
    return Named(first, last)
