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
    in_nearer_half,
    is_of_24,
    names_half,
    time_of_day,
)
from text2mem.ir.times.moments import as_known
from text2mem.ir.times.moved_rules import HOUR, moved_with, once_a_day
from text2mem.ir.times.reading_clock import Clock
from text2mem.ir.times.recurring_days import is_day_of_all, is_of_one, plainly, recurring_day
from text2mem.ir.times.rrule import WEEKDAYS, parts_of
from text2mem.planner.reminder import NEAR, by_rule, held_of, just_before, rung
from text2mem.planner.work import Instance, only

_SOON = timedelta(hours=6)
"""How far a reminder may be ahead of what it is about, to move with its hour."""
_HALF = timedelta(hours=12)
_DAY_APART = timedelta(hours=18)
"""From where on an hour that is exchanged is rather of the day before or after."""
_MIDNIGHT = datetime(2001, 1, 1)


def rung_by_rule(
    record: Record, text: str, edit: Exchange, said: str, clock: Clock
) -> tuple[Instance, datetime] | None:
    """The rule of a memory's reminder after an edit of its ``text``, and when it rings next. None
    if it does not move with the words, is put off, or if the request ``said`` is about one time."""
    held, due = held_of([record], clock), record.remind_next
    if held.rule is None or due is None or held.due is not None or not once_a_day(held.rule):
        return None
    rings = None if is_of_one(said) else _with_its_hour(due, text, edit, clock)
    rings = rings or _with_its_day(record, due, text, edit, said, clock)
    found = None if rings is None else moved_with(held.rule, due, rings, clock.tz)
    return None if rings is None or found is None else (by_rule(found), rings)


def _with_its_hour(due: datetime, text: str, edit: Exchange, clock: Clock) -> datetime | None:
    """When a reminder that is ``due`` rings after an edit of the hour alone."""
    start = text.find(edit.old)
    old, new, before = (
        as_known(words, reminder=True) for words in (edit.old, edit.new, text[: max(start, 0)])
    )
    days = (any(spans(words, DAYS)) for words in (old, new))
    hours = [time_of_day(only(said_in(each, CLOCKS)) or "", clock) for each in (old, new)]
    if any(days) or None in hours or any(spans(before, HOURS)):
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
    return due + (to - near)


def _with_its_day(
    record: Record, due: datetime, text: str, edit: Exchange, said: str, clock: Clock
) -> datetime | None:
    """When the reminder of one weekday, or of one day of the month, rings after an edit of it."""
    parts = parts_of(record.remind_rrule or "FREQ=")
    day = {"WEEKLY": "BYDAY", "MONTHLY": "BYMONTHDAY"}.get(parts.get("FREQ", ""), "")
    of_week, which = day == "BYDAY", parts.get(day, "")
    if not (which in WEEKDAYS if of_week else which.isdecimal()):
        return None
    if {"INTERVAL", "COUNT"} & parts.keys() or not {*HOUR} <= parts.keys():
        return None  # it counts from its start
    if not (recurring_day(text, parts) and is_day_of_all(edit.new, said, of_week=of_week)):
        return None
    text, edit = plainly(text), Exchange(plainly(edit.old), plainly(edit.new))
    before = just_before(due, clock)
    meant = moment_in(text, before, before)
    to = moved(meant, replace(record, created_at=before.now), text, edit, clock) if meant else None
    if not (meant and to and timedelta() <= meant - clock.midnight(due) < NEAR):
        return None
    was, will = meant.astimezone(clock.tz), to.astimezone(clock.tz)
    if not is_of_24(f"{text} {edit.new}"):
        if has_bare_hour(text) and was.hour < 12 and was < due <= was + _HALF:
            was += _HALF  # "Wed at 7", of which it reminds at half past six in the evening
        if not names_half(first_hour(edit.new.lower())):
            will = in_nearer_half(will, was)
    return rung(due, was, will, clock)
