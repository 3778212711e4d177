"""Moved: the instants of a memory that move because they stand in words that change."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime, time
from itertools import product

from text2mem.editing.agreeing import nearest
from text2mem.editing.days import weekday_of
from text2mem.editing.kinds import CLOCKS, DAYS, MOMENTS, said_in, spans
from text2mem.ir.exchange import exchanged, places, shares
from text2mem.ir.ops import Exchange
from text2mem.ir.record import Record
from text2mem.ir.times.beginnings import in_a_row
from text2mem.ir.times.measures import BEHIND
from text2mem.ir.times.moments import as_known, read_when
from text2mem.ir.times.reading_clock import Clock
from text2mem.ir.times.written_dates import FIGURES, in_order
from text2mem.ir.words.folding import fold
from text2mem.ir.words.segment import HAN

_BEFORE, _AFTER = 28, 20
"""How many characters beside a change may belong to the time that it changes."""
_MOST = 8
"""The most times among exchanged words that are read."""
_EDGE = re.compile(r"\b|(?<=[\u2e80-\U0003ffff])|(?=[\u2e80-\U0003ffff])")


def moved(
    at: datetime | None, record: Record, text: str, edit: Exchange, clock: Clock
) -> datetime | None:
    """The new instant of a memory; None if it does not stand in the exchanged words.

    ``text`` is what the memory says before. Words beside the exchanged ones are read with them,
    since the 11 of "Friday at 11" alone is no time. If the new words name no day, the instant stays
    on its day: "Friday" may mean another one by now.
    """
    made = exchanged(text, edit)
    if at is None or not edit.new or made is None:
        return None
    start = places(text, edit.old)[0][0]
    if (to := _of_figures(at.astimezone(clock.tz), text, start, edit)) is not None:
        return to
    was = [
        each.astimezone(clock.tz)
        for then in (Clock(record.created_at, clock.tz), clock)
        for each in _read(text, start, len(edit.old), then)
    ]
    will = [*_read(made, start, len(edit.new), clock)]
    if not was or len(will) != 1:
        return None
    local, said = at.astimezone(clock.tz), will[0].astimezone(clock.tz)
    before = next((each for each in was if each.date() == local.date()), was[0])
    told, weekday = _weekday(edit.old), _weekday(edit.new)
    if weekday is not None:
        day = nearest(local.date(), weekday, clock.today)
        said = datetime.combine(day, said.timetz())
    place = start, start + len(edit.new)
    named = any(spans(as_known(edit.new), DAYS))
    if not named and not any(shares(place, day) for day in (*spans(made, DAYS), *in_a_row(made))):
        said = said.replace(year=local.year, month=local.month, day=local.day)
    if before.date() == local.date() or told == local.weekday():
        # If only a day is named, the time of the day stays.
        day_only = local.time() != time() and _is_day(edit.old, clock) and _is_day(edit.new, clock)
        alone = day_only or (said.time() == time() and not any(spans(edit.new, CLOCKS)))
        to = said.replace(hour=local.hour, minute=local.minute) if alone else said
    elif before.time() == local.time():
        to = local.replace(hour=said.hour, minute=said.minute)
    else:
        return None
    return to if to != local else None


def _of_figures(at: datetime, text: str, start: int, edit: Exchange) -> datetime | None:
    """The instant moved with figures which are its day, in a text that names no other: 5.8 and
    5.15, 3/9 and 10/9. Figures with a point are a day in Chinese only."""
    to = in_order(edit.new.strip(), edit.old.strip(), at.date())
    folded = fold(text)
    date = FIGURES.match(folded, start)
    if to is None or date is None or BEHIND.match(folded, date.end()):
        return None
    if any(day != date.span() for day in spans(text, DAYS)):
        return None
    if "." in edit.old and not (HAN.search(text) and edit.old.strip().startswith(f"{at.month}.")):
        return None
    return at.replace(year=to.year, month=to.month, day=to.day)


def _is_day(words: str, clock: Clock) -> bool:
    """Whether words are a day without a time of the day."""
    if "/" in words and FIGURES.fullmatch(words.strip()):
        return True
    known, at = as_known(words), read_when(words, clock)
    dated = any(spans(known, DAYS)) and not any(spans(known, CLOCKS))
    return dated and at is not None and at == clock.midnight(at)


def _weekday(words: str) -> int | None:
    """The weekday that is the only day that words name: 4 of "Friday, quarter past two"."""
    days = said_in(words, DAYS)
    return weekday_of(days[0]) if len(days) == 1 else None


def _read(text: str, start: int, length: int, clock: Clock) -> Iterator[datetime]:
    """The time where words are exchanged, by the longest stretch that can be read; if there is
    none, that of the times among these words as one ("16 March, G1234 08:15"), or else each."""
    held = said_in(text[start : start + length], MOMENTS)[:_MOST]
    stretches = (*_around(text, start, start + length), " ".join(held))
    at = next(filter(None, (read_when(each, clock) for each in stretches)), None)
    yield from filter(None, [at] if at else (read_when(each, clock) for each in held))


def _around(text: str, start: int, end: int) -> Iterator[str]:
    """The stretches of a text that contain this one, the longest first."""
    edges = {edge.start() for edge in _EDGE.finditer(text)}
    firsts = sorted(edge for edge in edges | {start} if start - _BEFORE <= edge <= start)
    lasts = sorted(edge for edge in edges | {end} if end <= edge <= end + _AFTER)
    for first, last in sorted(product(firsts, lasts), key=lambda pair: pair[0] - pair[1]):
        words = text[first:last]
        if words == words.strip():
            yield words
