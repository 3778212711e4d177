"""Agreeing: put one day in the place of another, so that the weekday and the date of a text agree.

"Thursday" in place of the Tuesday of "Tuesday 15 December" gives "Thursday 17 December". "5
January" in place of its date changes the weekday, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import date, timedelta

from text2mem.editing.days import (
    BARE,
    WEEKDAY,
    WEEKDAY_BEFORE,
    Day,
    day_at,
    of_a_month,
    of_any_month,
    weekday_of,
)
from text2mem.editing.kinds import DAYS, EARLY, MOMENTS, WHOLE_DAYS, said_in, spans
from text2mem.ir.exchange import places, shares
from text2mem.ir.ops import Exchange
from text2mem.ir.times import phrases_en as en
from text2mem.ir.times import phrases_zh as zh
from text2mem.ir.times.leaning import day_told, is_that_day
from text2mem.ir.times.moments import read_when
from text2mem.ir.times.numerals import named_numbers
from text2mem.ir.times.reading_clock import Clock
from text2mem.ir.times.sums import weekday_anew, written_anew
from text2mem.ir.times.written_dates import FIGURES, in_order, with_year, year_of
from text2mem.ir.words.folding import fold

_MONTH = re.compile(rf"\s*(?:{en.MONTH_ALONE.pattern}|{zh.MONTH_ALONE})\s*")
_BRACKETS = re.compile(r"[()（）]")
_OPENING, _CLOSING = re.compile(r"[(（][^)）]*$"), re.compile(r"[)）]")
_WEEK, _BACK = 7, 2
_LATELY, _DAY = timedelta(days=60), timedelta(hours=25)


def agreeing(text: str, edit: Exchange, clock: Clock, said: str | None = None) -> Exchange | None:
    """Widen an exchange where needed, so that weekday and date agree afterwards.

    A weekday alone means a day near the previous date, and ahead. A date that replaces one with a
    year gets a year, too: the nearest, unless the request (``said``) names one. ``said`` is None
    where the new words were computed and have their year. None is returned if there is no such day
    (31 February).
    """
    if _no_day(text, edit):
        return None
    if (beside := _beside(text, edit, clock)) is not None:
        return beside
    if said is not None:
        edit = _of_a_year(_dated(text, edit), clock, said)
    return _wider(text, _narrowed(text, edit, clock), clock) or edit


def _no_day(text: str, edit: Exchange) -> bool:
    """Whether an exchange of the month or of a number makes an impossible date."""
    new = edit.new.strip()
    start, was = _changed(text, edit)
    if was is None or was.date is None or not (new.isdecimal() or _MONTH.fullmatch(fold(new))):
        return False
    if not shares(was.date, (start, start + len(edit.old))):
        return False
    made = text[:start] + edit.new + text[start + len(edit.old) :]
    will = day_at(made, start, start + len(edit.new))
    within = was.date[0] < start or start + len(edit.old) < was.date[1]
    return within and (will is None or will.date is None)


def _dated(text: str, edit: Exchange) -> Exchange:
    """The exchange of a date, widened to its year if the new words are a day with a month."""
    start, was = _changed(text, edit)
    day = any(spans(edit.new, WHOLE_DAYS)) and of_a_month(edit.new.strip(), EARLY)
    if was is None or was.date is None or year_of(edit.old) or not day:
        return edit
    end, (first, last) = start + len(edit.old), was.date
    if not (was.start <= start and end <= was.end and year_of(text[first:last])):
        return edit
    return replace(edit, old=text[min(start, first) : max(end, last)])


def _of_a_year(edit: Exchange, clock: Clock, said: str) -> Exchange:
    """The exchange with a year in its new date, if the old one has a year and none is said."""
    new, named = edit.new.strip(), year_of(edit.new)
    if not year_of(edit.old) or (named and named in said) or of_a_month(new, EARLY) is None:
        return edit
    was, to = read_when(edit.old, clock), of_a_month(new, clock)
    if was is None or to is None:
        return edit
    day = was.astimezone(clock.tz).date()
    ahead = min(clock.today, day)
    found = [each for each in _years(to, day.year) if each >= ahead]
    if not found:
        return edit
    year = min(found, key=lambda each: abs(each - day)).year
    return replace(edit, new=with_year(new, year, edit.old))


def _beside(text: str, edit: Exchange, clock: Clock) -> Exchange | None:
    """The exchange with a computed day, if its new words are such as "the Monday after"."""
    start, was = _changed(text, edit)
    before = _meant(text[slice(*was.date)], clock) if was and was.date else None
    if was is None or before is None:
        return None
    held = weekday_of(text[slice(*was.weekday)]) if was.weekday else None
    found = day_told(edit.new, before, held) or _away(edit.new, clock)
    made = _written(text, was, before, found[1]) if found is not None else None
    if found is None or made is None:
        return None
    (first, last), end = found[0], start + len(edit.old)
    begin, left = min(start, was.start), text[start : was.start]
    right = text[was.end : max(end, was.end)]
    if made.count("(") + made.count("（") > made.count(")") + made.count("）"):
        made += right[:1]
    elif not (left + right).strip("()（） ") and not _BRACKETS.search(edit.new):
        made = f"{left}{made}{right}"  # the brackets around the day stay
    new = f"{edit.new[:first]}{made}{edit.new[last:]}"
    return replace(edit, old=text[begin : max(end, was.end)], new=new)


def next_day(text: str, old: str, days: int, clock: Clock) -> Exchange | None:
    """The exchange of ``old``, which is a day of a text, for the one so many days later; None if it
    is no day, or says more."""
    start, was = _changed(text, Exchange(old, old))
    before = _meant(text[slice(*was.date)], clock) if was and was.date else None
    if was is None or before is None or not was.start <= start < start + len(old) <= was.end + 1:
        return None
    made = _written(text, was, before, before + timedelta(days=days))
    return Exchange(text[was.start : was.end], made) if made else None


def _written(text: str, was: Day, before: date, day: date) -> str | None:
    """A day of a text, which is the date ``before``, rewritten for another date."""
    assert was.date is not None
    made = written_anew(text[slice(*was.date)], before, day)
    if made is None or was.weekday is None:
        return made
    held = weekday_of(text[slice(*was.weekday)])
    moved = (day - before).days + (before.weekday() if held is None else held)
    name = weekday_anew(text[slice(*was.weekday)], moved % _WEEK)
    parts = sorted(((was.weekday, name), (was.date, made)))
    return f"{parts[0][1]}{text[parts[0][0][1] : parts[1][0][0]]}{parts[1][1]}"


def _away(words: str, clock: Clock) -> tuple[tuple[int, int], date] | None:
    """The span of words that name one day by its distance from now ("tomorrow", 下周六), and that
    day; None if there are none, or several, or more is said of it (明晚, "a week tomorrow"). A bare
    weekday is another one in every text."""
    days = [*spans(words, DAYS)]
    said = words[slice(*days[0])] if len(days) == 1 else ""
    if not said or weekday_of(said) is not None or is_that_day(said):
        return None
    later = replace(clock, now=clock.now + timedelta(days=_WEEK))
    read = [read_when(said, each) for each in (clock, later)]
    found = [each.astimezone(clock.tz).date() for each in read if each is not None]
    whole, at = clock.coming(said), read_when(words, clock)
    if [(each - found[0]).days for each in found] != [0, _WEEK] or read[0] is None:
        return None
    if read[0] != clock.midnight(read[0]) or whole is None or whole.end - whole.start > _DAY:
        return None
    more = words.strip() != said
    if more and (at is None or at.astimezone(clock.tz).date() != found[0]):
        return None
    return days[0], found[0]


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
    will = day_at(made, *new)
    day = _sound(text, was, made, will, new, clock) if will is not None else None
    if will is None or day is None:
        return None
    done = made[: will.start] + day + made[will.end :]
    if will.start < first or not done.endswith(text[last:]):
        return None
    return replace(edit, old=text[first:last], new=done[first : len(done) - len(text[last:])])


def _narrowed(text: str, edit: Exchange, clock: Clock) -> Exchange:
    """The exchange of only the weekday or the date, if both are exchanged for a weekday, or for a
    date that is as short, or without a weekday that is the same before and after, or is in
    brackets."""
    start, was = _changed(text, edit)
    if was and was.weekday and was.date and start <= was.start:
        new, held = fold(edit.new).strip(), fold(text[slice(*was.date)])
        bare = BARE.fullmatch(new) and BARE.fullmatch(held)
        part = was.date if bare or FIGURES.fullmatch(new) else was.weekday
        old = text[slice(*part)]
        if _OPENING.search(text[was.start : was.end]) and _is_date(edit.new, clock):
            part, old = was.date, text[slice(*was.date)]
        short = part is was.date or weekday_of(new) is not None
        if short and was.end <= start + len(edit.old) and len(places(text, old)) == 1:
            return replace(edit, old=old, new=edit.new.strip())
    weekdays = [WEEKDAY.match(fold(words)) for words in (edit.old, edit.new)]
    if None in weekdays or len({found[0] for found in weekdays if found}) != 1:
        return edit
    old, new = (WEEKDAY_BEFORE.sub("", words, count=1).lstrip(" ,，(（")
                for words in (edit.old, edit.new))  # fmt: skip
    return replace(edit, old=old, new=new) if old and new and len(places(text, old)) == 1 else edit


def _is_date(words: str, clock: Clock) -> bool:
    """Whether words are a day with its month, and no weekday."""
    said = words.strip()
    whole = (0, len(said)) in spans(said, WHOLE_DAYS) and not WEEKDAY.search(fold(said))
    return whole and of_a_month(said, clock) is not None


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


def _is_moment(words: str) -> bool:
    """Whether words are nothing but a time, or nothing but a number."""
    said = words.strip()
    everything = 0, len(said)
    day = day_at(said, *everything)
    return (
        said.isdecimal()
        or (BARE.fullmatch(fold(said)) or FIGURES.fullmatch(fold(said))) is not None
        or everything in spans(said, MOMENTS)
        or (day is not None and (day.start, day.end) == everything)
    )


def _says_it_all(words: str) -> bool:
    """Whether words name a day so fully that no part of the old day stays: more than a weekday, a
    bare day of the month, or a date without its weekday."""
    days = said_in(words, DAYS)
    if len(days) != 1:
        return len(days) > 1
    weekday = WEEKDAY.search(fold(days[0]))
    if weekday is None:
        return not (BARE.fullmatch(fold(days[0])) or of_a_month(days[0], EARLY))
    return weekday[0] != fold(days[0])


def _sound(
    text: str, was: Day, made: str, will: Day, new: tuple[int, int], clock: Clock
) -> str | None:
    """The day with weekday and date in agreement; None if they agree, or it cannot be told."""
    assert was.date is not None
    here = clock.today
    written = text[slice(*was.date)]
    held = weekday_of(text[slice(*was.weekday)]) if was.weekday else None
    before = _meant(written, clock) or of_any_month(written, held, here)
    if before is None or will.weekday is None:
        return None
    weekday = weekday_of(made[slice(*will.weekday)])
    if weekday is None:
        return None
    if not shares(will.weekday, new):
        return _with_weekday(made, will, held, before, clock, written)
    if will.date is not None and shares(will.date, new):
        return None  # both are said
    date_ = written_anew(text[slice(*was.date)], before, nearest(before, weekday, here, held))
    if date_ is None:
        return None
    name = made[slice(*will.weekday)]
    if will.date is None:
        return f"{date_}{name}" if name > "\u2e80" else f"{name} {date_}"
    if was.weekday is not None and name < "\u2e80":
        name = weekday_anew(text[slice(*was.weekday)], weekday)
    (a, first), (b, last) = sorted(((will.weekday, name), (will.date, date_)))
    return f"{first}{made[a[1] : b[0]]}{last}{made[b[1] : will.end]}"


def _with_weekday(
    made: str, will: Day, held: int | None, before: date, clock: Clock, written: str
) -> str | None:
    """The day with the weekday of its new date; None if that is unknown, or there already.
    ``written`` is the date ``before`` as it was."""
    assert will.weekday is not None
    date_ = made[slice(*will.date)] if will.date else ""
    to = (of_a_month(date_, clock) or in_order(date_, written, before)) if date_ else None
    if to is None and BARE.fullmatch(fold(date_)):
        to = _later(before, named_numbers(fold(date_)))
        if to is None:  # its month, and so its weekday, is not said
            return date_
    if to is None or held is None:
        return None
    days = min(((each - before).days for each in _years(to, to.year)), key=abs)
    if days % _WEEK == 0:
        return None
    name = weekday_anew(made[slice(*will.weekday)], (held + days) % _WEEK)
    return made[will.start : will.weekday[0]] + name + made[will.weekday[1] : will.end]


def _later(before: date, number: frozenset[float]) -> date | None:
    """A later day of the same month with this number; None if there is none."""
    days = (before + timedelta(days=each) for each in range(1, 31))
    return next((d for d in days if d.month == before.month and number == {float(d.day)}), None)


def _meant(written: str, clock: Clock) -> date | None:
    """The date of a text; without a year it is the next, or one that passed lately."""
    ahead = of_a_month(written, clock)
    if ahead is None or year_of(written):
        return ahead
    return next(each for each in _years(ahead, ahead.year) if each >= clock.today - _LATELY)


def _years(day: date, own: int) -> Iterator[date]:
    """The same day in a year, in the year before and in the year after."""
    for year in (own - 1, own, own + 1):
        with suppress(ValueError):  # the 29th of February
            yield day.replace(year=year)


def _changed(text: str, edit: Exchange) -> tuple[int, Day | None]:
    """The start of the old words, and the day that they overlap; -1 and None if not once."""
    found = places(text, edit.old)
    return (found[0][0], day_at(text, *found[0])) if len(found) == 1 else (-1, None)
