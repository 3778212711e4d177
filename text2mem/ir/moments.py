"""Times as a request says them: the readers of ``temporal``, lenient about what stands around.

A model copies "after the 3rd", "the evening before at 7" or 周六上午那次 as they were said; here
such words become an instant, or a reminder beside the instant that a memory is about.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from text2mem.ir import phrases_en as en
from text2mem.ir import phrases_zh as zh
from text2mem.ir.duration import Duration
from text2mem.ir.folding import fold
from text2mem.ir.reading_clock import Clock
from text2mem.ir.recurrence import Recurrence, read_recurrence
from text2mem.ir.recurrence_en import ENGLISH
from text2mem.ir.recurrence_zh import CHINESE
from text2mem.ir.segment import HAN
from text2mem.ir.temporal import TimeRange

_AFTER = re.compile(
    r"(?:any time )?(?:after|past|once)\s+(?:the\s+)?|^过了?|(?:之后|以后|过后|后)$"
)
_BEFORE = re.compile(
    r"^(?:(?P<n>.+?) )(?:before|ahead|early|earlier|prior|in advance)\b.*$"
    r"|^提前(?P<z>.+)$|^(?P<zb>.+?)[之以]?前$"
)
_DAY_BEFORE = re.compile(
    r"^(?:on )?the (?P<part>day|night|evening|morning|afternoon|week|month) before"
    r"(?: (?:at )?(?P<clock>.+))?$"
    r"|^(?:前|头)(?:一)?(?P<zpart>天|晚|日)(?P<zclock>.*)$"
)
_DAYS_BACK = {"week": 7, "month": 30}
_PARTS = {"night": "20:00", "evening": "18:00", "morning": "9:00", "afternoon": "15:00"}
_FIRST, _LAST = 1, 6
_HALF_OF_DAY = re.compile(
    r"(?<![a-z])(?:am|pm|a\.m|p\.m|morning|night|dawn|early|noon|midnight|today|hours?|minutes?)"
    r"|凌晨|清晨|早|上午|中午|下午|晚|夜|小时|分钟|钟头|刻钟"
)
_SPELT_CLOCK = re.compile(
    r"(?<!\d)[1-6](?::[0-5]\d)?(?!\d|[:.]|\s?(?:st|nd|rd|th|day|week|month|[a-z]{3,9}\s+\d{4}))"
    r"|(?:one|two|three|four|five|six)(?: o'clock|$)|o'clock|half past|quarter (?:past|to)"
    r"|[一二两三四五六1-6][点时]"
)
_LEADS = re.compile(r"^(?:on|at|by|from|in|for|until|till|before|since|the)\s+|^[在到从至于]")


@dataclass(frozen=True, slots=True)
class Reminder:
    """When to remind: once ``at`` an instant, or by a recurrence."""

    at: datetime | None = None
    recurrence: Recurrence | None = None


def read_when(words: str, clock: Clock) -> datetime | None:
    """The instant that words name; None where none can be read.

    "after the 3rd" is the end of that day. What stands around a time ("the meeting on the 3rd") is
    passed over.
    """
    found = _read_when(" ".join(words.split()), clock)
    return None if found is None else _by_day(found, words, clock)


def _by_day(found: datetime, words: str, clock: Clock) -> datetime:
    """A bare "at three" is in the afternoon: nobody plans for the hours before seven unsaid."""
    local = found.astimezone(clock.tz)
    said = fold(words)
    if not (_FIRST <= local.hour <= _LAST) or _HALF_OF_DAY.search(said):
        return found
    named = _SPELT_CLOCK.search(said)
    return found if named is None else local.replace(hour=local.hour + 12).astimezone(UTC)


def _read_when(text: str, clock: Clock) -> datetime | None:
    after = _AFTER.search(fold(text))
    if after is not None:
        inner = (text[: after.start()] + text[after.end() :]).strip()
        stretch = clock.range(inner) if clock.instant(inner) else None
        ahead = clock.instant(inner)
        if ahead is not None and stretch is not None:
            return ahead + (stretch.end - stretch.start)
        length = clock.length(inner)
        if length is not None:
            return clock.after(length)
    found = clock.instant(text) or clock.instant(_LEADS.sub("", fold(text)))
    if found is not None:
        return found
    if en.MONTH_ALONE.fullmatch(fold(text)):
        return clock.instant(f"1 {text}")
    length = clock.length(text)
    if length is not None:
        return clock.after(length)
    for phrase in _phrases(text):
        found = clock.instant(phrase)
        if found is not None:
            return found
    return None


def read_stretches(words: str, clock: Clock) -> tuple[TimeRange, ...]:
    """The stretches of time that words may mean: the one past, and the one to come.

    "July" in March is last July and the coming one. Empty where no time can be read.
    """
    text = " ".join(words.split())
    if en.MONTH_ALONE.fullmatch(fold(text)):
        year = clock.now.astimezone(clock.tz).year
        found = (clock.range(f"{text} {each}") for each in (year - 1, year, year + 1))
        whole = [each for each in found if each is not None]
        now = clock.now
        gone = [each for each in whole if each.start <= now][-1:]
        return (*gone, *[each for each in whole if each.start > now][:1])
    past = clock.range(text) or clock.range(_LEADS.sub("", fold(text)))
    if past is None:
        phrases = (clock.range(phrase) for phrase in _phrases(text))
        past = next((found for found in phrases if found is not None), None)
    if past is None and (month := en.MONTH_ALONE.search(fold(text))) is not None:
        return read_stretches(month[0], clock)
    if past is None:
        return ()
    ahead = clock.instant(text)
    if ahead is None or ahead <= clock.now or past.start <= ahead <= past.end:
        return (past,)
    return past, TimeRange(ahead, ahead + (past.end - past.start))


def read_reminder(words: str, clock: Clock, anchor: datetime | None = None) -> Reminder | None:
    """When to remind, None where it cannot be read; "an hour before" is before ``anchor``."""
    text = fold(" ".join(words.split()))
    recurrence = read_recurrence(text, clock, CHINESE if HAN.search(text) else ENGLISH)
    if recurrence is not None:
        return Reminder(recurrence=recurrence)
    if anchor is not None:
        at = _day_before(text, clock, anchor) or _before(text, clock, anchor)
        if at is not None:
            return Reminder(at)
        bare = clock.instant(text)
        if bare is not None and _only_clock(text):
            # "at 7" of something on Friday is at 7 on Friday.
            day = anchor.astimezone(clock.tz).date()
            time = bare.astimezone(clock.tz).timetz()
            return Reminder(datetime.combine(day, time))
    at = read_when(words, clock)
    return None if at is None else Reminder(at)


def _before(text: str, clock: Clock, anchor: datetime) -> datetime | None:
    found = _BEFORE.match(text)
    said = next((group for group in found.groups() if group), None) if found else None
    length = clock.length(said) if said else None
    return None if length is None else _back(anchor, length, clock)


def _back(anchor: datetime, length: Duration, clock: Clock) -> datetime | None:
    ahead = clock.after(length)
    return None if ahead is None else anchor - (ahead - clock.now)


def _day_before(text: str, clock: Clock, anchor: datetime) -> datetime | None:
    found = _DAY_BEFORE.match(text)
    if found is None:
        return None
    part = found["part"] or {"晚": "night"}.get(found["zpart"], "day")
    said = (found["clock"] or found["zclock"] or "").strip(" ,，的")
    local = anchor.astimezone(clock.tz) - timedelta(days=_DAYS_BACK.get(part, 1))
    if not said and part in _PARTS:
        said = _PARTS[part]
    if not said:
        return local
    at = clock.instant(said) or clock.instant(f"at {said}")
    if at is None:
        return local
    hour = at.astimezone(clock.tz)
    late = part in ("night", "evening") and hour.hour < 12 and "am" not in said
    return local.replace(hour=hour.hour + 12 * late, minute=hour.minute, second=0)


def _only_clock(text: str) -> bool:
    return bool(
        en.CLOCK_ALONE.fullmatch(text) or re.fullmatch(en.AT_TIME, text)
        or re.fullmatch(zh.CLOCK, text)
    )  # fmt: skip


def _phrases(text: str) -> Iterator[str]:
    """The stretches of a text that have the shape of a time, the longest first."""
    folded = fold(text)
    found = set()
    for shape in (en.DAY, en.EDGE, en.PERIOD, en.IN_TIME, en.HENCE, en.MONTH_ALONE):
        found |= {match[0] for match in shape.finditer(folded)}
    found |= {match[0] for match in re.finditer(zh.POINT, folded)}
    yield from sorted(found, key=lambda phrase: (-len(phrase), phrase))
