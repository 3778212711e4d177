"""Read English phrases for times: "next Friday at 9am", "in three days", "by the end of the month".

The time of the day is removed from a phrase first. The rest is a distance from now, or names days.
"""

from __future__ import annotations

import re
from dataclasses import replace

from text2mem.ir.times import named_days
from text2mem.ir.times.duration import DAY, Duration
from text2mem.ir.times.phrases_en import PART
from text2mem.ir.times.temporal_calendar import Calendar, Named, Part, Reading, clock_in, read_iso
from text2mem.ir.times.temporal_en_days import days_of
from text2mem.ir.times.temporal_en_lengths import UNITS, length_of, spelt

PARTS = {name: Part[name.upper()] for name in ("morning", "afternoon", "evening", "night")}
_NOT_ALONE = {"may", "march", "mar", "sat", "sun", "wed", "second"}
"""Words that often mean something else, and are no time if they are the whole text."""
_LIMIT = re.compile(
    r"(?:within (?=(?:this|next|today|tomorrow)\b(?! \d)))|"
    r"(?:(?:by|until|till|through|(?:no|not) later than|on or before|up to|due(?: by| on)?)\s+)"
)
_CLOCK = re.compile(
    r"(?:(?P<at>\bat\s+|@\s*)|(?<![\d:/.-]))(?P<hour>\d{1,2})(?::(?P<minute>\d\d)(?::(?P<second>\d\d))?)?"
    r"\s*(?P<mark>am\b|pm\b|o'clock\b)?(?![\d:/.-])"
)
_PART = re.compile(rf"\b(?:in the |at )?({PART})\b")
_PART_BESIDE = re.compile(
    rf"(?:^|(?<=on )|(?<=[\d,m] ))(?:the )?({PART}) (?=(?:before|after) "
    r"(?!\d\d?(?:$|:| ?[ap]m)|noon|mid|that$|it$))"
)
"""A part of the day before or after another day."""
_SINGLE = ("fortnight", "decade", "hour")
"""Units that are no periods of the calendar: "last fortnight" is the two weeks up to now."""
_OFFSET = re.compile(
    r"(?P<lead>in|after|within|(?:for|over|during)(?= the next ))(?P<next> the next)? "
    r"(?P<to>.+?)(?:(?:(?<!s)['’]s|(?<=s)['’]) time)?"
    r"|(?P<back>.+?) (?:ago|earlier|back|before now)"
    r"|(?P<on>.+?) (?:from now|from today|later|hence)"
)
_RECENT = re.compile(
    r"(?:(?:over|during|in|within) )?(?P<the>the )?"
    r"(?P<near>last|past|previous|next|coming) (?P<long>.+)"
)


def read_duration(phrase: str) -> Duration | None:
    """The length that a phrase names: "two weeks", "for half a year"; None if it names none."""
    words = spelt(phrase)
    said = re.sub(r"^(?:for|within) (?:the next )?", "", words)
    one = said in _SINGLE or (said in UNITS and words.endswith(f" the next {said}"))
    return length_of(f"1 {said}" if one else said)


def read_recent(phrase: str) -> tuple[int, Duration] | None:
    """The direction and length of a range beside now: (-1, P7D) for "last 7 days"."""
    match = _RECENT.fullmatch(phrase)
    if match is None:
        return None
    words = spelt(match["long"])
    # "the past month" and "the last month" end now; "last month" is a calendar month.
    near = match["near"] == "past" or (match["the"] and match["near"] in ("last", "next"))
    single = words in _SINGLE or (near and words in UNITS and words != "quarter")
    length = length_of(f"1 {words}" if single else words)
    return (1 if match["near"] in ("next", "coming") else -1, length) if length else None


def read(phrase: str, calendar: Calendar) -> Reading | None:
    """The reading of a phrase. Raises ValueError or OverflowError for days that do not exist."""
    if phrase in _NOT_ALONE:
        return None
    body = phrase[found.end() :] if (found := _LIMIT.match(phrase)) else phrase
    limit = body != phrase
    body = re.sub(r"^(?:before|prior to) ", "", body)
    now = calendar.now if body in ("now", "right now") else None
    exact = now or (read_iso(body.upper(), calendar.tz) if len(body) > 10 else None)
    if exact is not None:
        return Reading(exact, exact, exact)
    whole = named_days.read(body, calendar)  # first, since "bonfire night" is no part of a day
    if whole is not None:
        return calendar.place(Named(whole, limit=limit))
    text = _PART_BESIDE.sub(r"\1 day ", spelt(body))
    marked = [m for m in _CLOCK.finditer(text) if m["at"] or m["minute"] or m["mark"]]
    parts = _PART.findall(text)
    if len(marked) > 1 or len(parts) > 1:
        return None
    rest = text.replace(marked[0][0], " ", 1) if marked else text
    rest = re.sub(r"\s+", " ", _PART.sub(" ", rest)).strip(" ,")
    part = PARTS[parts[0]] if parts else None
    clock = _clock(marked[0], part) if marked else None
    named = _offset(rest, calendar) if rest else Named()
    if named is None:
        named = days_of(rest.removesuffix(" at"), calendar)
    if named is None or isinstance(named, Reading):
        return None if marked or parts else named
    if clock is not None and named.days and rest == "next week" and rest in text:
        # The only period that may have a time of the day, which is that of its first day.
        named = Named(named.days[:1] * 2)
    return calendar.place(replace(named, clock=clock, part=part, limit=limit or named.limit))


def _clock(match: re.Match[str], part: Part | None) -> int:
    """The seconds since midnight of a match of ``_CLOCK``. Raises ValueError for no such time."""
    hour, minute, second = (int(match[name] or 0) for name in ("hour", "minute", "second"))
    if match["mark"] in ("am", "pm"):
        if not 1 <= hour <= 12:
            raise ValueError("no such time of day")
        hour = hour % 12 + 12 * (match["mark"] == "pm")
        late = part in (Part.EVENING, Part.NIGHT) and hour < 5  # 1 am is after the evening
        part = part if late else None
    return clock_in(part, hour, minute, second)


def _offset(text: str, calendar: Calendar) -> Named | Reading | None:
    """What a distance from now names: "in a month's time", "two weeks ago"."""
    match = _OFFSET.fullmatch(text)
    if match is None:
        return None
    words = match["to"] or match["back"] or match["on"]
    length = length_of(f"1 {words}" if match["next"] and words in UNITS else words)
    if length is None:
        return None
    within = match["lead"] == "within" and not match["next"]
    back = match["back"] or (within and not calendar.forward)
    moment = calendar.shifted(length, -1 if back else 1)
    if within or (match["next"] and match["lead"] != "after"):
        return Reading(min(moment, calendar.now), max(moment, calendar.now), moment)
    sizes = [UNITS[unit] for unit in re.findall("[a-z]+", words) if unit in UNITS]
    days = all(months or seconds >= DAY for months, seconds in sizes)
    return Named(moment=moment, whole_days=days and length.seconds % DAY == 0)
