"""A reminder by a rule moves with what it is about: with the weekday, the day of the month or the
hour that an edit exchanges in the text of its memory."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

from text2mem.editing.days import moment_in
from text2mem.editing.kinds import CLOCKS, DAYS, HOURS, said_in, spans
from text2mem.editing.moved import moved
from text2mem.ir.ops import Exchange
from text2mem.ir.record import Record
from text2mem.ir.times.clock_times import (
    first_hour,
    has_bare_hour,
    is_of_24,
    names_half,
    time_of_day,
)
from text2mem.ir.times.moments import as_known
from text2mem.ir.times.moved_rules import HOUR, moved_with, once_a_day
from text2mem.ir.times.reading_clock import Clock
from text2mem.ir.times.recurring_days import is_day_of_all, is_of_one, plainly, recurring_day
from text2mem.ir.times.rrule import WEEKDAYS, parts_of
from text2mem.planner.reminder import by_rule, held_of, rung
from text2mem.planner.work import Instance, only

_NEAR, _SOON = timedelta(hours=48), timedelta(hours=6)
"""How far a reminder may be ahead of what it is about, to move with its day or with its hour."""
_HALF = timedelta(hours=12)
_DAY_APART = timedelta(hours=18)
"""From where on an hour that is exchanged is rather of the day before or after."""
_MIDNIGHT = datetime(2001, 1, 1)


def rung_by_rule(
    record: Record, text: str, edit: Exchange, said: str, clock: Clock
) -> tuple[Instance, datetime] | None:
    """The rule of a memory's reminder after an edit of its ``text``, and when it rings next. None
    if it does not move with the words, is put off, or if the request ``said`` is about one time."""
    return _with_its_hour(record, text, edit, said, clock) or _with_its_day(
        record, text, edit, said, clock
    )


def _with_its_hour(
    record: Record, text: str, edit: Exchange, said: str, clock: Clock
) -> tuple[Instance, datetime] | None:
    """The rule, and when it rings next, after an edit of the hour alone."""
    held, due = held_of([record], clock), record.remind_next
    if held.rule is None or due is None or held.due is not None or is_of_one(said):
        return None
    start = text.find(edit.old)
    old, new, before = (
        as_known(words, reminder=True) for words in (edit.old, edit.new, text[: max(start, 0)])
    )
    days = (any(spans(words, DAYS)) for words in (old, new))
    hours = [time_of_day(only(said_in(each, CLOCKS)) or "", clock) for each in (old, new)]
    if not once_a_day(held.rule) or any(days) or None in hours or any(spans(before, HOURS)):
        return None  # the hour behind another one is not that of which it reminds
    rang, of, to = (
        _MIDNIGHT + timedelta(hours=at.hour, minutes=at.minute)
        for at in (due.astimezone(clock.tz), *hours) if at is not None
    )  # fmt: skip
    exact = is_of_24(f"{text} {edit.new}")
    was = [at for at in (of, of + _HALF) if at == of or not (exact or names_half(old))]
    near = only(at for at in was if timedelta() <= at - rang < _SOON)
    if near is None:
        return None
    if not (exact or names_half(new)):
        to = min((to, to + _HALF), key=lambda at: abs(at - near))
    if abs(to - near) > _DAY_APART:
        return None  # from eleven at night to a quarter past twelve
    rings = due + (to - near)
    found = moved_with(held.rule, due, rings, clock.tz)
    return None if found is None else (by_rule(found), rings)


def _with_its_day(
    record: Record, text: str, edit: Exchange, said: str, clock: Clock
) -> tuple[Instance, datetime] | None:
    """The rule of one weekday, or of one day of the month, and when it rings next, after an edit of
    that day."""
    due, parts = record.remind_next, parts_of(record.remind_rrule or "FREQ=")
    day = {"WEEKLY": "BYDAY", "MONTHLY": "BYMONTHDAY"}.get(parts.get("FREQ", ""), "")
    of_week, which = day == "BYDAY", parts.get(day, "")
    if due is None or not (which in WEEKDAYS if of_week else which.isdecimal()):
        return None
    if {"INTERVAL", "COUNT"} & parts.keys() or not {*HOUR} <= parts.keys():
        return None  # it counts from its start
    held = held_of([record], clock)
    if not (recurring_day(text, parts) and is_day_of_all(edit.new, said, of_week=of_week)):
        return None
    text, edit = plainly(text), Exchange(plainly(edit.old), plainly(edit.new))
    before = Clock(clock.midnight(due) - timedelta(seconds=1), clock.tz)
    was = moment_in(text, before, before)
    will = moved(was, replace(record, created_at=before.now), text, edit, clock) if was else None
    if not (was and will and held.rule and once_a_day(held.rule) and held.due is None):
        return None
    if not timedelta() <= was - clock.midnight(due) < _NEAR:
        return None
    if not is_of_24(f"{text} {edit.new}"):
        if has_bare_hour(text) and was.hour < 12 and was < due <= was + _HALF:
            was += _HALF  # "Wed at 7", of which it reminds at half past six in the evening
        if not names_half(first_hour(edit.new.lower())):
            morning = will.replace(hour=will.hour % 12)
            will = min(morning, morning + _HALF, key=lambda at: abs(_clock(at) - _clock(was)))
    rings = rung(due, was, will, clock)
    found = moved_with(held.rule, due, rings, clock.tz)
    return None if found is None else (by_rule(found), rings)


def _clock(at: datetime) -> timedelta:
    return timedelta(hours=at.hour, minutes=at.minute)
