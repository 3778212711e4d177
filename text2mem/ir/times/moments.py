"""Read times as a request says them: like ``temporal``, but other words may surround the time, and
it may be relative to the instant that a memory is about: "after the 3rd", 周六上午那次."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from functools import partial

from text2mem.ir.ops import Remind
from text2mem.ir.times import anchored, named_days, passed_over, spoken_en, spoken_zh
from text2mem.ir.times import phrases_en as en
from text2mem.ir.times import phrases_zh as zh
from text2mem.ir.times.beginnings import first_days, first_hours
from text2mem.ir.times.clock_times import by_day
from text2mem.ir.times.reading_clock import Clock
from text2mem.ir.times.recurrence import read_recurrence, recurrences_in
from text2mem.ir.times.recurrence_en import ENGLISH
from text2mem.ir.times.recurrence_zh import CHINESE
from text2mem.ir.times.temporal import TimeRange
from text2mem.ir.times.zone_places import next_change
from text2mem.ir.words import slips
from text2mem.ir.words.calendar_names import weekday
from text2mem.ir.words.folding import fold
from text2mem.ir.words.segment import HAN

_AFTER = re.compile(
    r"(?:(?:not )?until )?(?:(?:any ?time|some ?time) )?(?:after|past|beyond|once)\s+(?P<en>.+)"
    r"|(?!.*前后$)(?:等|待)?(?:过(?:了|完了?|咗)?|出了)(?P<zh>.+?)(?:之后|以后|后)?"
    r"|(?!.*前后$)(?:等|待)?(?P<zh_>.+?)(?:一过|过了|过完了?|过去了?|过后|结束(?:了|之后|以后|后)?|完了?"
    r"|之后|以后|后)"
)
_ONCE = re.compile(
    r"(?:(?:once|when|as soon as|soon as|come|by the time|the (?:minute|moment)(?: that)?)\s+)?"
    r"(?P<en>.+?)"
)
_OVER = re.compile(
    r"(?: is|'s| has| have)?(?: all)?"
    r" (?:over(?: and done with)?|out|done|gone|past|finished|through|ended|been and gone|been)"
)
_HERE = re.compile(
    r"(?: is| has|'s)? (?:here|come|comes|arrives|arrived|begins|begun|starts|started)(?: round)?"
    r"|(?:的时候|[那当]天开始|[那当]天起|一到|到了|来了?|开始|起)"
)
_CLOCKS = re.compile(
    r"(?:.* )?the clocks (?:go|have gone|are put|get put|spring|fall) (?P<way>forward|back)s?"
)
_NAMED_AT_END = re.compile(r"\b(?:at|on|by) (?P<name>(?:the )?[a-z][a-z' ]{3,25})$")
_LEADS = re.compile(r"^(?:on|at|by|from|in|for|until|till|before|since|come|the)\s+|^[在到从至于]")
_WEEKDAY_BESIDE = re.compile(
    rf"(?P<day>.+?) ?[(（](?:(?P<en>{en.WEEKDAY})|{zh.WEEKS}(?P<zh>{zh.OF_WEEK}))[)）]"
    r"(?P<rest>.*)"
)
"""A date with its weekday in brackets: 3月15日（周日）. It is read only if the weekday is right."""
_HOURS_OR_CLOCK = re.compile(r"(?:1[3-9]|2[0-4])h")
"""Words that may be a time of the day, as in French, or a length."""
_SHAPES = (en.DAY, en.EDGE, en.PERIOD, en.IN_TIME, en.HENCE, en.MONTH_ALONE, re.compile(zh.POINT))
_PARTS = re.compile(r"[,，、;；]")
_SINGLE = re.compile(r"\b(?:once(?! more| again)|only|just this)\b|(?<!再)一次|[只仅]")
_ABOUT = re.compile(r"^(?:at |say |just )?(?:around|about|roughly|round) |^at |左右$|前后$|的样子$")


def read_when(words: str, clock: Clock) -> datetime | None:
    """The instant that words name: of "after the 3rd" the end of that day, of "8-10 February" the
    first. Words around a time are ignored if they cannot change it (``passed_over``)."""
    return _point(first_days(as_known(words)), clock)


def read_end(words: str, clock: Clock) -> datetime | None:
    """The instant that words name as an end: a day without a time of the day ends with its last
    second, also among other words ("the party on Friday")."""
    found = read_when(words, clock)
    text = re.sub("^(?:on |[到至])", "", fold(as_known(words)))
    if text.startswith("the next "):  # the words of "for the next month"
        found = clock.instant(f"for {text}") or found
    read = clock.instant(text) is not None  # else a day among other words is
    if found is None or text.startswith(("from ", "从")) or (read and text.endswith("前")):
        return found
    for phrase in (text,) if read else (text, *phrases_in(text)):
        whole = en.DAY_ALONE.fullmatch(phrase) or re.fullmatch(zh.WHOLE_DAY, phrase)
        if whole or named_days.stands_in(phrase):
            day = clock.coming(phrase)
            if day is not None and day.start == found:
                return day.end
    return found


def lasts(words: str) -> bool:
    """Whether words name both ends of a stretch of hours or days: "2-4pm", "3-8 May"."""
    known = as_known(words)
    return first_days(known) != known


def read_day(words: str, clock: Clock) -> datetime | None:
    """The beginning of the day beside a time that cannot be read: "the 17th around ten"."""
    found = _among(first_days(as_known(words)), clock, but_clocks=True)
    return None if found is None else clock.midnight(found)


def _point(text: str, clock: Clock) -> datetime | None:
    """The instant that a text names, with bare hours in the afternoon (``by_day``)."""
    found = _read_when(text, clock)
    return None if found is None else by_day(found, text, clock)


def as_known(words: str, *, reminder: bool = False, stretch: bool = False) -> str:
    """The words in spellings that the readers know; as they are, not folded, if none changes."""
    text = " ".join(words.split())
    folded = fold(text)
    hours = spoken_zh.with_usual_hours(folded) if reminder else folded
    plain = spoken_zh.plain(hours) if HAN.search(folded) else ""
    plain = plain or spoken_en.plain(folded, reminder=reminder, stretch=stretch)
    return text if plain == folded else plain


def _read_when(text: str, clock: Clock) -> datetime | None:
    """The instant of a text: as a whole, with typos corrected, or of a phrase that stands alone."""
    if (beside := _WEEKDAY_BESIDE.fullmatch(fold(text))) is not None:
        day = _read_when(f"{beside['day']}{beside['rest']}", clock)
        said = weekday(beside["en"] or beside["zh"])
        fits = day is not None and day.astimezone(clock.tz).weekday() == said
        return day if fits else None
    found = _read_whole(text, clock)
    if found is None and (mended := slips.mended(fold(text))) != fold(text):
        text, found = mended, _read_whole(mended, clock)
    if found is not None:
        return found
    name = _NAMED_AT_END.search(fold(text))
    if name and named_days.is_name(name["name"]):
        lone = passed_over.timeless(name["name"], fold(text), but_clocks=True)
        return clock.instant(name["name"]) if lone else None
    return _among(text, clock)  # "tomorrow 10 IST" is not the whole of tomorrow


def _among(text: str, clock: Clock, *, but_clocks: bool = False) -> datetime | None:
    """The instant of the longest phrase in a text around which nothing else says a time."""
    around = partial(passed_over.timeless, text=fold(text), but_clocks=but_clocks)
    found = map(as_known, filter(around, phrases_in(text)))  # of 11月头 as in 11月头上
    return next(filter(None, map(clock.instant, found)), None)


def _read_whole(text: str, clock: Clock) -> datetime | None:
    """The instant that a whole text names. A length counts from now."""
    folded = fold(text)
    if (change := _CLOCKS.fullmatch(folded)) is not None:
        return next_change(clock.tz, clock.now, change["way"] == "forward")
    found = _read_after(folded, clock)
    found = found or clock.instant(text) or clock.instant(_LEADS.sub("", folded))
    if found is not None:
        return found
    if en.MONTH_ALONE.fullmatch(folded):
        return clock.instant(f"1 {text}")
    length = None if _HOURS_OR_CLOCK.fullmatch(folded) else clock.length(text)
    if length is not None:
        return clock.after(length)
    begun = (_without(_HERE, folded) or "").removeprefix("the ")
    stretch = _coming(begun, clock) if begun and begun != folded else None
    return None if stretch is None else stretch.start


def _read_after(text: str, clock: Clock) -> datetime | None:
    """The end of a stretch that is over: "after the 3rd", 过了中秋. A length counts from now."""
    match = _AFTER.fullmatch(text)
    inner = next((group for group in match.groups() if group), "") if match else ""
    over = _without(_OVER, inner or text) or inner
    if not over:
        return None
    days = clock.length(over) if inner and HAN.search(over) else None
    stretch = None if days else _coming(over.removeprefix("the "), clock)  # 十五日后 is a length
    if stretch is not None:
        return stretch.end
    length = clock.length(over) if inner else None
    return None if length is None else clock.after(length)


def _coming(text: str, clock: Clock) -> TimeRange | None:
    """The next stretch that a text names, also "march" alone, or "month", the present one."""
    if text in ("week", "month", "quarter", "year"):
        return clock.coming(f"this {text}")
    if not en.MONTH_ALONE.fullmatch(text):
        return clock.coming(text)
    return next((month for month in months_named(text, clock) if month.end > clock.now), None)


def months_named(text: str, clock: Clock) -> list[TimeRange]:
    """The months of last year, this year and the next one that the name of a month may mean."""
    year = clock.now.astimezone(clock.tz).year
    months = (clock.range(f"{text} {of_year}") for of_year in (year - 1, year, year + 1))
    return [month for month in months if month is not None]


def _without(tail: re.Pattern[str], text: str) -> str | None:
    """The text without the end that ``tail`` matches, and without "once" before it."""
    found = re.fullmatch(f"{_ONCE.pattern}(?:{tail.pattern})", text)
    return found["en"] if found else None


def read_reminder(words: str, clock: Clock, anchor: datetime | None = None) -> Remind | None:
    """The reminder that words ask for; ``anchor`` is the instant that the memory is about, to which
    "an hour before" refers, and on whose day "every year" is."""
    found = _read_reminder(words, clock, anchor)
    if found is None and (mended := slips.mended(fold(words))) != fold(words):
        return _read_reminder(mended, clock, anchor)
    return found


def _read_reminder(words: str, clock: Clock, anchor: datetime | None) -> Remind | None:
    plain = first_hours(as_known(words, reminder=True))
    text = fold(plain)
    language = CHINESE if HAN.search(text) else ENGLISH
    recurrence = read_recurrence(text, clock, language, anchor)
    if recurrence is not None:
        return recurrence
    first, *more = map(str.strip, _PARTS.split(text))
    if more and read_recurrence(first, clock, language) is not None:
        # "every Friday, early, around five". "every day, except Sundays" is no single Sunday.
        gap = "" if language is CHINESE else " at "
        timed = as_known(f"{first}{gap}{_ABOUT.sub('', more[-1])}", reminder=True)
        return read_recurrence(timed, clock, language, anchor)
    at = None if anchor is None else anchored.read(text, clock, anchor)
    at = at or _point(plain, clock)
    return None if at is None else Remind(at=at)


def recurrence_in(
    text: str, clock: Clock, anchor: datetime | None = None
) -> tuple[Remind, str] | None:
    """The recurrence that a text names, if it names just one, and its other words, folded;
    ``anchor`` as in ``read_reminder``."""
    folded = fold(as_known(text))
    language = CHINESE if HAN.search(folded) else ENGLISH
    named = [*recurrences_in(folded, clock, language, anchor)]
    if len(named) != 1:
        return None
    found, (start, end) = named[0]
    return found, f"{folded[:start]} {folded[end:]}"


def recurrence_beside(
    words: str, clock: Clock, anchor: datetime | None = None
) -> tuple[Remind, str] | None:
    """The recurrence that words for a time name beside others ("two days before every 5th"), and
    these; None if they name a recurrence as a whole."""
    return None if recurs(words, clock) else recurrence_in(words, clock, anchor)


def is_single(words: str) -> bool:
    """Whether words for a time say that it is the only one: "only on Friday", "just this once"."""
    return _SINGLE.search(fold(words)) is not None


def recurs(words: str, clock: Clock) -> bool:
    """Whether words name a recurrence, which is no date."""
    found = read_reminder(words, clock)
    return found is not None and found.rrule is not None


def phrases_in(text: str) -> Iterator[str]:
    """Yield the phrases of a text, folded, that have the form of a time, the longest first."""
    folded = fold(text)
    found = {match[0] for shape in _SHAPES for match in shape.finditer(folded)}
    yield from sorted(found, key=lambda phrase: (-len(phrase), phrase))
