"""Read times of the day without a date: "at 7", 3:30, 晚上八点, "evening"."""

from __future__ import annotations

import re
from datetime import UTC, datetime, time, timedelta

from text2mem.ir.times import phrases_en as en
from text2mem.ir.times import phrases_zh as zh
from text2mem.ir.times.reading_clock import Clock
from text2mem.ir.times.temporal_calendar import Part
from text2mem.ir.times.temporal_en import PARTS
from text2mem.ir.words.folding import fold
from text2mem.ir.words.segment import HAN

_HALF_OF_DAY = re.compile(
    r"(?<![a-z])(?:am|pm|a\.m|p\.m|morning|evening|(?:to)?night|dawn|early|noon|midnight|hours?|"
    r"minutes?|utc|gmt)"
    r"|凌晨|清晨|早|上午|中午|下午|晚|夜|小时|分钟|钟头|刻钟|(?<![\d:.])0[1-6]:?[0-5]\d(?![\d:])"
)
"""The words for a half of the day; 06:29 is in the morning, also on 2 May."""
_SPELT_CLOCK = re.compile(
    r"(?<![\d.])[1-6](?::[0-5]\d)?(?!\d|[:.]|\s?(?:(?:st|nd|rd|th)\b|[a-z]{3,9}\s+\d{4}"
    r"|day|week|w\b|wk|fortnight|month|mo\b|quarter|y|decade|[个天日号周星礼月年季]))"
    r"|(?:one|two|three|four|five|six)(?: o'clock|$)|o'clock|half past|quarter (?:past|to)"
    r"|[一二两三四五六1-6][点时]"
)
_PARTS = {name: time(part.hour) for name, part in {**PARTS, "eve": Part.EVENING}.items()}
MORNING = _PARTS["morning"]
_BOUND = re.compile(
    r"^(?:by|until|till|before|after|from|not? later than|[到至]) ?|(?:[之以]?[前后]|为止|开始|起)$"
)
"""The words that make a time of the day a limit."""
_LATE = {"afternoon": 7, "evening": 12, "night": 12, "eve": 12}
"""For each part of the day, the hour before which a bare hour is moved by twelve hours."""
_OF_PART = re.compile(rf"(?:in (?:the )?|at )?({en.PART})")
_OF_24 = re.compile(r"(?<![\d:.])(?:0\d|1[3-9]|2[0-3])(?:[:：.h]\d\d|[点时點時])")
_BARE = re.compile(r"\bat (?:[1-9]|1[0-2])\b(?![:.\d]|\s?[ap]\.?m\b| in the | at night)")
_TO = re.compile("[-–~到至]")


def by_day(found: datetime, words: str, clock: Clock) -> datetime:
    """The instant ``found``, read of ``words``, in the afternoon if they name an hour from one to
    six only, as "at three" does. Without a day, it is the next such afternoon."""
    local = found.astimezone(clock.tz)
    said = fold(words)
    if not 1 <= local.hour <= 6 or _HALF_OF_DAY.search(said) or not _SPELT_CLOCK.search(said):
        return found
    later = local.replace(hour=local.hour + 12)
    today = later - timedelta(days=1)
    lone = is_clock(_BOUND.sub("", said))
    return (today if lone and today > clock.now else later).astimezone(UTC)


def names_half(text: str) -> bool:
    """Whether a folded text has words for a half of the day: "8 pm", "in the evening", 早上."""
    return _HALF_OF_DAY.search(text) is not None


def is_of_24(words: str) -> bool:
    """Whether words write an hour as a clock of 24 hours does: 19:00, 07:30, 15点."""
    return _OF_24.search(words) is not None


def has_bare_hour(words: str) -> bool:
    """Whether English words have an hour without minutes or a half of the day: "at 7"."""
    return _BARE.search(words) is not None


def first_hour(words: str) -> str:
    """The words before the end of a stretch of hours: the 7 of "7-9pm"."""
    return _TO.split(words, maxsplit=1)[0]


def in_nearer_half(at: datetime, to: datetime) -> datetime:
    """The local instant ``at``, of an hour that names no half of the day, in the half in which it
    is nearer to the time of the day of another local instant."""
    early = at.replace(hour=at.hour % 12)
    near = timedelta(hours=to.hour, minutes=to.minute)
    both = (early, early + timedelta(hours=12))
    return min(both, key=lambda each: abs(timedelta(hours=each.hour, minutes=each.minute) - near))


def is_clock(text: str) -> bool:
    """Whether a folded text is a time of the day only, in English with figures, or in Chinese."""
    return bool(
        en.CLOCK_ALONE.fullmatch(text.removeprefix("at ")) or re.fullmatch(en.AT_TIME, text)
        or re.fullmatch(zh.CLOCK, text)
    )  # fmt: skip


def of_either_half(text: str, clock: Clock) -> bool:
    """Whether a time of the day may be of either half: "at 7", 七点四十, not "7 pm" or 07:00."""
    read = time_of_day(text, clock, "morning")
    said = _HALF_OF_DAY.search(text) or text.removeprefix("at ").startswith("0")
    return read is not None and 0 < read.hour < 12 and not said


def time_of_day(said: str, clock: Clock, part: str = "") -> time | None:
    """The local time of the day that words name; ``part`` is the part of the day that is known: it
    decides about bare hours, and gives the time if there are no words."""
    text = said.strip(" ,的")
    if not text:
        return _PARTS.get(part)
    if (named := _OF_PART.fullmatch(text)) is not None:
        return _PARTS[named[1]]
    text = f"at {text}" if re.fullmatch(r"1?\d", text) else text
    found = clock.instant(text) if is_clock(text) else None
    if found is None:
        return None
    local = found.astimezone(clock.tz)
    if part in _LATE:
        late = local.hour < _LATE[part] and not _HALF_OF_DAY.search(text) and local.hour > 0
        return time(local.hour + 12 * late, local.minute)
    if part != "morning" and (HAN.search(text) or text[0] in "a@" or text[0].isdigit()):
        local = by_day(found, text, clock).astimezone(clock.tz)
    return time(local.hour, local.minute)
