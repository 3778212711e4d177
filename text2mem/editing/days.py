"""Days: the days, weekdays and dates that a text names, and where they stand in it."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from text2mem.editing.kinds import DAYS, EARLY, MOMENTS, said_in, spans
from text2mem.editing.lists import complete
from text2mem.ir.exchange import places, shares
from text2mem.ir.times import phrases_en as en
from text2mem.ir.times import phrases_zh as zh
from text2mem.ir.times.beginnings import first_days
from text2mem.ir.times.moments import read_when
from text2mem.ir.times.numerals import named_numbers
from text2mem.ir.times.reading_clock import Clock
from text2mem.ir.times.sums import written_anew
from text2mem.ir.times.written_dates import FIGURES, dated, of_weekday, without_weekday
from text2mem.ir.words import calendar_names
from text2mem.ir.words.folding import fold

_LATER = Clock(datetime(2026, 5, 16, tzinfo=UTC), UTC)
"""Words that it reads as the same date as ``EARLY`` does name a month, others do not."""
BARE = re.compile(rf"{en.BARE_ORDINAL.pattern}|{zh.BARE_DAY}")
"""A day of the month without its month."""
_OWN_DAY = re.compile(zh.DAY_OF_NO_MONTH)
WEEKDAY = re.compile(
    rf"(?<![a-z])(?:{en.WEEKDAY})(?![a-z'])|{zh.BARE_WEEKDAY}|{zh.BRACKETED_WEEKDAY}"
)
WEEKDAY_BEFORE = re.compile(rf"(?:{en.WEEKDAY})(?![a-z]),?\s*|{zh.BARE_WEEKDAY}", re.I)
_BETWEEN = re.compile(r"[\s,，、()（）]*(?:the\s+)?", re.I)
"""What may stand between a weekday and its date."""
_REACH = 20
"""How far from a place the rest of its day may begin."""
_YEAR = 366


def completed(old: str, new: str) -> str:
    """Complete a later day of the month: "the 5th" in place of "3 December" gives "5 December".
    An earlier day may be of the next month; anything else is returned as it is."""
    days, held = said_in(new, DAYS), said_in(old, DAYS)
    if len(days) != 1 or len(held) != 1:
        return new
    weekday = WEEKDAY_BEFORE.match(days[0])
    said = weekday[0] if weekday else ""
    bare = days[0][len(said) :]
    at = read_when(bare, EARLY) if BARE.fullmatch(fold(bare)) else None
    was = of_a_month(held[0], EARLY)
    if at is None or was is None or not was.day < at.day <= monthrange(was.year, was.month)[1]:
        return new  # it may be of several months, or of none
    day = written_anew(held[0], was, was.replace(day=at.day))
    return new if day is None else new.replace(days[0], said + WEEKDAY_BEFORE.sub("", day))


def moment_in(text: str, written: Clock, now: Clock) -> datetime | None:
    """The one moment that a text names with its day, as it was meant when the text was ``written``.
    If it is past and the words give no year, it is the next such date; of several days in a row it
    is the first. None if the text names no day, or several."""
    days = _dated(first_days(text))
    if len(days) != 1:
        return None
    meant, ahead = read_when(days[0], written), read_when(days[0], now)
    if meant is None or ahead is None or meant > now.now:
        return meant
    return ahead if (meant.month, meant.day) == (ahead.month, ahead.day) else meant


def days_in(text: str, written: Clock) -> tuple[datetime, ...]:
    """Every day that a text names, with its time of the day, as meant when it was ``written``."""
    days = (read_when(each, written) for each in _dated(text))
    return tuple(day for day in days if day is not None)


def _dated(text: str) -> list[str]:
    """The different moments of a text that name a day, in order; figures as 12.3号."""
    found = dict.fromkeys(map(without_weekday, said_in(text, MOMENTS)))
    return [each for each in map(dated, found) if any(spans(each, DAYS))]


@dataclass(frozen=True, slots=True)
class Day:
    """A day in a text: its place, and the places of its weekday, of its date, or of both. A date
    has a month; beside a weekday it may be a day of the month alone."""

    start: int
    end: int
    weekday: tuple[int, int] | None
    date: tuple[int, int] | None


def whole(new: str, said: str) -> str:
    """The day of the request that ``new`` is a part of: "January 5th" for "5th"; else ``new``."""
    if not (BARE.fullmatch(fold(new)) or en.MONTH_ALONE.fullmatch(fold(new))):
        return new
    having = [
        each
        for each in {*said_in(said, DAYS)}
        if fold(new) in fold(each) and of_a_month(each, EARLY)
    ]
    return having[0] if len(having) == 1 and len(having[0]) > len(new) else new


def part_meant(text: str, stretches: list[str], new: str) -> list[str]:
    """If the two stretches are the weekday and the date of one day: the one that ``new`` replaces,
    the weekday if ``new`` is one, else the date. Otherwise the stretches as they are."""
    found = places(text, stretches[0]) if len(stretches) == 2 else []
    day = day_at(text, *found[0]) if found else None
    if day is None or day.weekday is None or day.date is None:
        return stretches
    weekday, date_ = text[slice(*day.weekday)], text[slice(*day.date)]
    if sorted((weekday, date_)) != sorted(stretches):
        return stretches
    return [date_ if weekday_of(new) is None else weekday]


def weekday_of(words: str) -> int | None:
    """The weekday that words are (0 is Monday); None if they are anything else."""
    said = fold(words).strip()
    return calendar_names.weekday(said) if WEEKDAY.fullmatch(said) else None


def day_at(text: str, start: int, end: int) -> Day | None:
    """The first day of a text that overlaps a place in it."""
    folded = fold(text)

    def near(one: tuple[int, int]) -> bool:
        return one[0] < end + _REACH and start - _REACH < one[1]

    weekdays = [found.span() for found in WEEKDAY.finditer(folded) if near(found.span())]
    blank = WEEKDAY.sub(lambda found: " " * len(found[0]), folded)
    said = filter(near, spans(blank, DAYS))
    dates = [one for one in said if of_a_month(text[slice(*one)], EARLY)]
    whole = filter(near, spans(text, DAYS))
    figures = [found.span() for day in whole for found in FIGURES.finditer(folded, *day)]
    bare = [
        one for one in (*_bare(blank, near), *figures) if not any(shares(one, day) for day in dates)
    ]
    pairs = [
        Day(min(w[0], d[0]), max(w[1], d[1]), w, d)
        for w in weekdays for d in (*dates, *bare)
        if _BETWEEN.fullmatch(text[min(w[1], d[1]) : max(w[0], d[0])])
    ]  # fmt: skip
    alone = [Day(*w, w, None) for w in weekdays] + [Day(*d, None, d) for d in dates]
    touched = [one for one in (*pairs, *alone) if one.start < end and start < one.end]
    return touched[0] if touched else None


def _bare(text: str, near: Callable[[tuple[int, int]], bool]) -> Iterator[tuple[int, int]]:
    """Where a text has a day of the month without its month; "2nd floor" is none."""
    yield from (found.span() for found in _OWN_DAY.finditer(text) if near(found.span()))
    for found in en.BARE_ORDINAL.finditer(text):
        if (
            near(found.span())
            and any(map(str.isdecimal, found[0]))
            and complete(text[found.end() :])
        ):
            yield found.span()


def of_any_month(words: str, weekday: int | None, today: date) -> date | None:
    """The next date with a bare day of the month and a weekday, or that of figures with it."""
    if weekday is not None and FIGURES.fullmatch(fold(words)):
        clock = Clock(datetime.combine(today, time(), UTC), UTC)
        at = read_when(of_weekday(words, weekday), clock)
        return at.date() if at is not None else None
    number = named_numbers(fold(words))
    if weekday is None or len(number) != 1 or not BARE.fullmatch(fold(words)):
        return None
    days = (today + timedelta(days=each) for each in range(_YEAR))
    fits = (day for day in days if day.weekday() == weekday and number == {float(day.day)})
    return next(fits, None)


def of_a_month(words: str, clock: Clock) -> date | None:
    """The date that words name with its month; None for other words."""
    read = [read_when(words, each) for each in (EARLY, _LATER)]
    if len({(each.month, each.day) for each in read if each is not None}) != 1 or None in read:
        return None
    at = read_when(words, clock)
    return at.astimezone(clock.tz).date() if at is not None else None
