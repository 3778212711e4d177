"""Days: put one day in the place of another, so that the weekday and the date of a text agree.

"Thursday" in place of the Tuesday of "Tuesday 15 December" gives "Thursday 17 December". "5
January" in place of its date changes the weekday, too.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta

from text2mem.ir.exchange import places
from text2mem.ir.ops import Exchange
from text2mem.ir.times import phrases_en as en
from text2mem.ir.times import phrases_zh as zh
from text2mem.ir.times.leaning import day_told
from text2mem.ir.times.moments import read_when
from text2mem.ir.times.numerals import named_numbers
from text2mem.ir.times.reading_clock import Clock
from text2mem.ir.times.sums import weekday_anew, written_anew
from text2mem.ir.times.written_dates import with_year, year_of
from text2mem.ir.words import calendar_names
from text2mem.ir.words.folding import fold
from text2mem.planner.kinds import DAYS, MOMENTS, WHOLE_DAYS, spans
from text2mem.planner.lists import complete

_EARLY = Clock(datetime(2026, 1, 1, tzinfo=UTC), UTC)
_LATER = Clock(datetime(2026, 5, 16, tzinfo=UTC), UTC)
"""Two clocks: words that both read as the same date name a month, others do not."""
_BARE = re.compile(rf"{en.BARE_ORDINAL.pattern}|{zh.BARE_DAY}")
"""A day of the month without its month."""
_OWN_DAY = re.compile(zh.DAY_OF_NO_MONTH)
_MONTH = re.compile(rf"\s*(?:{en.MONTH_ALONE.pattern}|{zh.MONTH_ALONE})\s*")
_WEEKDAY = re.compile(rf"(?<![a-z])(?:{en.WEEKDAY})(?![a-z'])|{zh.BARE_WEEKDAY}")
_WEEKDAY_BEFORE = re.compile(rf"(?:{en.WEEKDAY})(?![a-z]),?\s*|{zh.BARE_WEEKDAY}", re.I)
_BETWEEN = re.compile(r"[\s,，、()（）]*(?:the\s+)?", re.I)
"""What may stand between a weekday and its date."""
_OPENING, _CLOSING = re.compile(r"[(（][^)）]*$"), re.compile(r"[)）]")
_WEEK, _BACK, _YEAR = 7, 2, 366


def completed(old: str, new: str) -> str:
    """Complete ``new`` with the month of ``old``, if it is a later day of the month alone: "the
    5th" in place of "3 December" gives "5 December". Anything else is returned as it is; an earlier
    day may be of the next month."""
    days = [new[first:last] for first, last in spans(new, DAYS)]
    held = [old[first:last] for first, last in spans(old, DAYS)]
    if len(days) != 1 or len(held) != 1:
        return new
    weekday = _WEEKDAY_BEFORE.match(days[0])
    said = weekday[0] if weekday else ""
    bare = days[0][len(said) :]
    at = read_when(bare, _EARLY) if _BARE.fullmatch(fold(bare)) else None
    was = _of_a_month(held[0], _EARLY)
    if at is None or was is None or not was.day < at.day <= monthrange(was.year, was.month)[1]:
        return new  # it may be of several months, or of none
    day = written_anew(held[0], was, was.replace(day=at.day))
    return new if day is None else new.replace(days[0], said + _WEEKDAY_BEFORE.sub("", day))


def moment_in(text: str, written: Clock, now: Clock) -> datetime | None:
    """The one moment that a text names with its day, as it was meant when the text was ``written``.
    If it is past and the words give no year, it is the next such date. None if the text names no
    day, or several."""
    found = {text[first:last] for first, last in spans(text, MOMENTS)}
    days = [each for each in found if any(spans(each, DAYS))]
    if len(days) != 1:
        return None
    meant, ahead = read_when(days[0], written), read_when(days[0], now)
    if meant is None or ahead is None or meant > now.now:
        return meant
    return ahead if (meant.month, meant.day) == (ahead.month, ahead.day) else meant


def days_in(text: str, written: Clock) -> tuple[datetime, ...]:
    """Every day that a text names, with its time of the day if it has one, as meant when the text
    was ``written``."""
    found = dict.fromkeys(text[first:last] for first, last in spans(text, MOMENTS))
    days = (read_when(each, written) for each in found if any(spans(each, DAYS)))
    return tuple(day for day in days if day is not None)


@dataclass(frozen=True, slots=True)
class _Day:
    """A day in a text: its place, and the places of its weekday, of its date, or of both. A date
    has a month; beside a weekday it may be a day of the month alone."""

    start: int
    end: int
    weekday: tuple[int, int] | None
    date: tuple[int, int] | None


def whole(new: str, said: str) -> str:
    """The full day of the request that ``new``, a bare day or month, is a part of: "January 5th"
    for "January" or "5th". Else ``new``."""
    if not (_BARE.fullmatch(fold(new)) or en.MONTH_ALONE.fullmatch(fold(new))):
        return new
    found = {said[first:last] for first, last in spans(said, DAYS)}
    having = [each for each in found if fold(new) in fold(each) and _of_a_month(each, _EARLY)]
    return having[0] if len(having) == 1 and len(having[0]) > len(new) else new


def part_meant(text: str, stretches: list[str], new: str) -> list[str]:
    """If the two stretches are the weekday and the date of one day: the one that ``new`` replaces,
    the weekday if ``new`` is one, else the date. Otherwise the stretches as they are."""
    found = places(text, stretches[0]) if len(stretches) == 2 else []
    day = _day(text, *found[0]) if found else None
    if day is None or day.weekday is None or day.date is None:
        return stretches
    weekday, date_ = text[slice(*day.weekday)], text[slice(*day.date)]
    if sorted((weekday, date_)) != sorted(stretches):
        return stretches
    return [date_ if weekday_of(new) is None else weekday]


def agreeing(text: str, edit: Exchange, clock: Clock, said: str | None = None) -> Exchange | None:
    """Widen an exchange where needed, so that weekday and date agree afterwards.

    A weekday alone means a day near the previous date, and ahead. A date that replaces one with a
    year gets a year, too: the nearest, unless the request (``said``) names one. ``said`` is None
    where the new words were computed and have their year. None is returned if there is no such day
    (31 February).
    """
    if _no_day(text, edit):
        return None
    beside = _beside(text, edit, clock)
    if beside is None and said is not None:
        beside = _of_a_year(_dated(text, edit), clock, said)
    edit = beside or edit
    return _wider(text, _narrowed(text, edit), clock) or edit


def _no_day(text: str, edit: Exchange) -> bool:
    """Whether an exchange of the month or of a number makes an impossible date."""
    new = edit.new.strip()
    start, was = _changed(text, edit)
    if was is None or was.date is None or not (new.isdecimal() or _MONTH.fullmatch(fold(new))):
        return False
    if not _share(was.date, (start, start + len(edit.old))):
        return False
    made = text[:start] + edit.new + text[start + len(edit.old) :]
    will = _day(made, start, start + len(edit.new))
    within = was.date[0] < start or start + len(edit.old) < was.date[1]
    return within and (will is None or will.date is None)


def _dated(text: str, edit: Exchange) -> Exchange:
    """The exchange widened to the year of a date, if it exchanges the date without it for a day
    with a month."""
    start, was = _changed(text, edit)
    day = any(spans(edit.new, WHOLE_DAYS)) and _of_a_month(edit.new.strip(), _EARLY)
    if was is None or was.date is None or year_of(edit.old) or not day:
        return edit
    end, (first, last) = start + len(edit.old), was.date
    if not (was.start <= start and end <= was.end and year_of(text[first:last])):
        return edit
    return replace(edit, old=text[min(start, first) : max(end, last)])


def _of_a_year(edit: Exchange, clock: Clock, said: str) -> Exchange:
    """The exchange with a year in its new date, if the old date has a year and the request names
    none."""
    new, named = edit.new.strip(), year_of(edit.new)
    if not year_of(edit.old) or (named and named in said) or _of_a_month(new, _EARLY) is None:
        return edit
    was, to = read_when(edit.old, clock), _of_a_month(new, clock)
    if was is None or to is None:
        return edit
    day = was.astimezone(clock.tz).date()
    ahead = min(clock.now.astimezone(clock.tz).date(), day)
    found = [each for each in _years(to, day.year) if each >= ahead]
    if not found:
        return edit
    year = min(found, key=lambda each: abs(each - day)).year
    return replace(edit, new=with_year(new, year, edit.old))


def _beside(text: str, edit: Exchange, clock: Clock) -> Exchange | None:
    """The exchange with a computed day, if its new words tell the day relative to the previous one
    ("the Monday after")."""
    start, was = _changed(text, edit)
    before = _of_a_month(text[slice(*was.date)], clock) if was and was.date else None
    if was and was.date and before and not year_of(text[slice(*was.date)]):
        today = clock.now.astimezone(clock.tz).date()
        before = min(_years(before), key=lambda each: abs(each - today))
    held = weekday_of(text[slice(*was.weekday)]) if was and was.weekday else None
    found = day_told(edit.new, before, held) if before else None
    if was is None or was.date is None or before is None or found is None:
        return None
    (first, last), day = found
    made = written_anew(text[slice(*was.date)], before, day)
    if made is None:
        return None
    if was.weekday is not None:
        moved = (day - before).days + (before.weekday() if held is None else held)
        name = weekday_anew(text[slice(*was.weekday)], moved % _WEEK)
        parts = sorted(((was.weekday, name), (was.date, made)))
        between = text[parts[0][0][1] : parts[1][0][0]]
        made = f"{parts[0][1]}{between}{parts[1][1]}"
    begin, end = min(start, was.start), max(start + len(edit.old), was.end)
    return replace(edit, old=text[begin:end], new=f"{edit.new[:first]}{made}{edit.new[last:]}")


def _wider(text: str, edit: Exchange, clock: Clock) -> Exchange | None:
    """The exchange widened to the whole day; None if that is not needed, or cannot be told."""
    start, was = _changed(text, edit)
    if was is None or was.date is None or not (edit.new and _is_moment(edit.new)):
        return None
    end = start + len(edit.old)
    first, last = min(start, was.start), max(end, was.end)
    if _says_it_all(edit.new):
        closing = _CLOSING.match(text, last) if _OPENING.search(text[first:last]) else None
        return replace(edit, old=text[first : closing.end() if closing else last])
    made = text[:start] + edit.new + text[end:]
    new = start, start + len(edit.new)
    will = _day(made, *new)
    day = _sound(text, was, made, will, new, clock) if will is not None else None
    if will is None or day is None:
        return None
    done = made[: will.start] + day + made[will.end :]
    if will.start < first or not done.endswith(text[last:]):
        return None
    return replace(edit, old=text[first:last], new=done[first : len(done) - len(text[last:])])


def _narrowed(text: str, edit: Exchange) -> Exchange:
    """The exchange without a weekday that is the same before and after."""
    weekdays = [_WEEKDAY.match(fold(words)) for words in (edit.old, edit.new)]
    if None in weekdays or len({found[0] for found in weekdays if found}) != 1:
        return edit
    old, new = (_WEEKDAY_BEFORE.sub("", words, count=1).lstrip(" ,，(（")
                for words in (edit.old, edit.new))  # fmt: skip
    return replace(edit, old=old, new=new) if old and new and len(places(text, old)) == 1 else edit


def nearest(to: date, weekday: int, after: date, held: int | None = None) -> date:
    """The date with ``weekday`` (0 is Monday) that replaces ``to``.

    It is at most two days earlier, since what moves is more often put off than brought forward. If
    ``to`` is not before ``after``, neither is the result: it is ``to`` itself or later than
    ``after``. ``held`` is the weekday that was written beside ``to``, whose year may be unknown.
    """
    own = to.weekday() if held is None else held
    found = to + timedelta(days=(weekday - own + _BACK) % _WEEK - _BACK)
    while to >= after >= found != to:
        found += timedelta(days=_WEEK)
    return found


def weekday_of(words: str) -> int | None:
    """The weekday that words are (0 is Monday); None if they are anything else."""
    said = fold(words).strip()
    return calendar_names.weekday(said) if _WEEKDAY.fullmatch(said) else None


def _is_moment(words: str) -> bool:
    """Whether words are nothing but a time, or nothing but a number."""
    said = words.strip()
    everything = 0, len(said)
    day = _day(said, *everything)
    return (
        said.isdecimal()
        or _BARE.fullmatch(fold(said)) is not None
        or everything in spans(said, MOMENTS)
        or (day is not None and (day.start, day.end) == everything)
    )


def _says_it_all(words: str) -> bool:
    """Whether words name a day so fully that no part of the old day stays: more than a weekday, a
    bare day of the month, or a date without its weekday."""
    days = [words[first:last] for first, last in spans(words, DAYS)]
    if len(days) != 1:
        return len(days) > 1
    weekday = _WEEKDAY.search(fold(days[0]))
    if weekday is None:
        return not (_BARE.fullmatch(fold(days[0])) or _of_a_month(days[0], _EARLY))
    return weekday[0] != fold(days[0])


def _sound(
    text: str, was: _Day, made: str, will: _Day, new: tuple[int, int], clock: Clock
) -> str | None:
    """The day rewritten so that weekday and date agree; None if they do already, or it cannot be
    told."""
    assert was.date is not None
    here = clock.now.astimezone(clock.tz).date()
    written = text[slice(*was.date)]
    held = weekday_of(text[slice(*was.weekday)]) if was.weekday else None
    before = _of_a_month(written, clock) or _of_any_month(written, held, here)
    if before is None or will.weekday is None:
        return None
    weekday = weekday_of(made[slice(*will.weekday)])
    if weekday is None:
        return None
    if not _share(will.weekday, new):
        return _with_weekday(made, will, held, before, clock)
    if will.date is not None and _share(will.date, new):
        return None  # both are said
    date_ = written_anew(text[slice(*was.date)], before, nearest(before, weekday, here, held))
    if date_ is None:
        return None
    if will.date is not None:
        return made[will.start : will.date[0]] + date_ + made[will.date[1] : will.end]
    name = made[slice(*will.weekday)]
    return f"{date_}{name}" if name > "\u2e80" else f"{name} {date_}"


def _with_weekday(
    made: str, will: _Day, held: int | None, before: date, clock: Clock
) -> str | None:
    """The day with its weekday changed to that of its new date; None if that cannot be told, or it
    agrees already."""
    assert will.weekday is not None
    date_ = made[slice(*will.date)] if will.date else ""
    to = _of_a_month(date_, clock) if date_ else None
    if to is None and _BARE.fullmatch(fold(date_)):
        to = _later(before, named_numbers(fold(date_)))
        if to is None:  # its month, and so its weekday, is not said
            return date_
    if to is None or held is None:
        return None
    days = min(((each - before).days for each in _years(to)), key=abs)
    if days % _WEEK == 0:
        return None
    name = weekday_anew(made[slice(*will.weekday)], (held + days) % _WEEK)
    return made[will.start : will.weekday[0]] + name + made[will.weekday[1] : will.end]


def _later(before: date, number: frozenset[float]) -> date | None:
    """A later day of the same month with this number; None if there is none."""
    days = (before + timedelta(days=each) for each in range(1, 31))
    fits = (day for day in days if day.month == before.month and number == {float(day.day)})
    return next(fits, None)


def _years(day: date, beside: int | None = None) -> Iterator[date]:
    """The same day in a year, in the year before and in the year after."""
    own = day.year if beside is None else beside
    for year in (own - 1, own, own + 1):
        with suppress(ValueError):  # the 29th of February
            yield day.replace(year=year)


def _changed(text: str, edit: Exchange) -> tuple[int, _Day | None]:
    """Where the old words stand, and the day of the text that they overlap, if they occur once;
    else -1 and None."""
    found = places(text, edit.old)
    return (found[0][0], _day(text, *found[0])) if len(found) == 1 else (-1, None)


def _share(part: tuple[int, int], of: tuple[int, int]) -> bool:
    """Whether two places overlap."""
    return part[0] < of[1] and of[0] < part[1]


def _day(text: str, start: int, end: int) -> _Day | None:
    """The first day of a text that overlaps a place in it."""
    folded = fold(text)
    weekdays = [found.span() for found in _WEEKDAY.finditer(folded)]
    blank = _WEEKDAY.sub(lambda found: " " * len(found[0]), folded)
    dates = [one for one in spans(blank, DAYS) if _of_a_month(text[slice(*one)], _EARLY)]
    bare = [one for one in _bare(blank) if not any(_share(one, each) for each in dates)]
    pairs = [
        _Day(min(w[0], d[0]), max(w[1], d[1]), w, d)
        for w in weekdays for d in (*dates, *bare)
        if _BETWEEN.fullmatch(text[min(w[1], d[1]) : max(w[0], d[0])])
    ]  # fmt: skip
    alone = [_Day(*w, w, None) for w in weekdays] + [_Day(*d, None, d) for d in dates]
    touched = [one for one in (*pairs, *alone) if one.start < end and start < one.end]
    return touched[0] if touched else None


def _bare(text: str) -> Iterator[tuple[int, int]]:
    """Where a text has a day of the month without its month; "2nd floor" is none."""
    yield from (found.span() for found in _OWN_DAY.finditer(text))
    for found in en.BARE_ORDINAL.finditer(text):
        if any(map(str.isdecimal, found[0])) and complete(text[found.end() :]):
            yield found.span()


def _of_any_month(words: str, weekday: int | None, today: date) -> date | None:
    """The next date with a bare day of the month and a weekday."""
    number = named_numbers(fold(words))
    if weekday is None or len(number) != 1 or not _BARE.fullmatch(fold(words)):
        return None
    days = (today + timedelta(days=each) for each in range(_YEAR))
    fits = (day for day in days if day.weekday() == weekday and number == {float(day.day)})
    return next(fits, None)


def _of_a_month(words: str, clock: Clock) -> date | None:
    """The date that words name with its month; None for other words."""
    read = [read_when(words, each) for each in (_EARLY, _LATER)]
    if len({(each.month, each.day) for each in read if each is not None}) != 1 or None in read:
        return None
    at = read_when(words, clock)
    return at.astimezone(clock.tz).date() if at is not None else None
