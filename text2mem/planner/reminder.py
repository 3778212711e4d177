"""Reminders: complete the words of a reminder that name only a day, an hour or a recurrence.

What they leave out is that of the reminder which the memory has; else that of the time which the
memory is about; else it is the morning.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, time, timedelta

from text2mem.editing.days import days_in
from text2mem.editing.kinds import CLOCKS, DAYS, LENGTHS, PARTS, spans
from text2mem.ir.ops import Remind
from text2mem.ir.record import Record
from text2mem.ir.times.anchored import but_same_hour, later, moved_by, moves_along, put_off
from text2mem.ir.times.clock_times import MORNING, is_clock
from text2mem.ir.times.duration import DAY
from text2mem.ir.times.moments import as_known, is_single, read_reminder
from text2mem.ir.times.moved_rules import at_hour, in_zone, once_a_day
from text2mem.ir.times.reading_clock import Clock
from text2mem.ir.times.recurring_days import of_its_day
from text2mem.ir.times.rrule import OF_DAYS, next_occurrence, parts_of, zone_of
from text2mem.ir.times.stretches import limit_of
from text2mem.ir.times.temporal import format_instant, format_instants
from text2mem.ir.words.folding import fold
from text2mem.planner.each_time import each_time, of_each, of_hours
from text2mem.planner.work import Instance, Work, only

NEAR = timedelta(hours=48)
"""How far ahead of what it is about, by its day, a reminder by a rule rings."""
_OWN_HOUR = timedelta(hours=6)
"""A reminder that is further ahead, and on an earlier day, has an hour of its own."""
_DAYS = {"BYDAY", "BYMONTHDAY", "BYYEARDAY", "BYWEEKNO"}


@dataclass(frozen=True, slots=True)
class Held:
    """What the memories of a step have of a reminder: whether one recurs, the rule that all have,
    the instant to come that is no rule's, or to which it is put off, and when it rings next."""

    recurs: bool
    rule: Remind | None
    due: datetime | None
    rings: datetime | None


def remind(work: Work, own: datetime | None = None) -> Instance | None:
    """The reminder that a step asks for. ``own`` is the time of a memory that is only made now.

    One instant puts off the next of a rule that goes on after it, unless it is said to be alone.
    Nothing is left to do where an earlier step has moved the reminder with its event, and the words
    say just that ("move it along"), or by how much.
    """
    words, clock = work.step.words("remind"), work.clock
    if not words:
        return None
    if _moved_along(work) and (_just_along(words) or _moved_by_now(work, words)):
        return None
    held, same_hour = held_of(work.records, clock), False
    about = own or work.moment
    each = each_time(work, own, about)
    if each is not None:
        words, about = each.words, each.comes
    timed = held.rule or held.due or (about and about != clock.midnight(about))
    if timed and read_reminder(words, clock, about) is None:
        day = but_same_hour(fold(words)) or words
        words, same_hour = day, day != fold(words)
    alone = is_clock(fold(as_known(words, reminder=True)))
    anchor = (held.due if alone else None) or about or held.due  # "make it 8 pm", of the same day
    found = _read(words, held, anchor, work)
    if found is None:
        work.unreadable("remind", words)
        return None
    if found.rrule is not None:
        found = _with_hour(found, about, work.records, clock)
    elif found.at and alone and held.rule and held.due is None:
        if not once_a_day(held.rule):
            work.problem("unreadable-time", "remind", f"which of its hours {words!r} replaces")
            return None
        found = at_hour(held.rule, found.at.astimezone(clock.tz).time())
    if found.at is None:
        return by_rule(found)
    at = _by_day(found.at, words, held.rings or (about if same_hour else None), clock)
    if each and (alone or of_its_day(words) or read_reminder(words, clock) is None):
        if (every := of_each(each, at, words, clock)) is not None:
            return by_rule(every)
        work.note("rings-once", "remind", "rings-once", words=words)
    if at <= clock.now:
        work.problem("horizon-past", "remind", f"{words!r} is in the past")
    once = {"at": format_instant(at)}
    if is_single(words) or not held.recurs:
        return once
    if held.rule is None:
        work.problem("unreadable-time", "remind", "which of the rules goes on after that")
        return None
    return {**once, **by_rule(held.rule)}


def _moved_along(work: Work) -> bool:
    """Whether earlier steps have moved the reminders of all memories that are meant."""
    moved_ = (work.so_far.now(each).remind_next != each.remind_next for each in work.link.records)
    return bool(work.link.records) and all(moved_)


def _just_along(words: str) -> bool:
    """Whether words say only that the reminder moves too, and name no time."""
    return moves_along(fold(words)) and not any(spans(words, (*PARTS, *LENGTHS, *DAYS)))


def _moved_by_now(work: Work, words: str) -> bool:
    """Whether the reminder has moved by the length that words name since the request began."""
    before, now = (
        only(each.remind_next for each in records) for records in (work.link.records, work.records)
    )
    amount, up = moved_by(fold(words), work.clock) or (words, True)
    length = work.clock.length(amount)
    if length is None or before is None:
        return False
    return later(before, length, work.clock, back=not up) == now


def _read(words: str, held: Held, anchor: datetime | None, work: Work) -> Remind | None:
    """The instant or the rule that words name; None if they name none."""
    clock = work.clock
    by = moved_by(fold(words), clock) if held.recurs else None
    if held.rings and held.rings > clock.now and (held.due or (by and _whole_days(by[0], clock))):
        later = put_off(words, work.so_far.said, clock, held.rings)
        if later is not None:
            return Remind(at=later)
    if by is None:
        found = read_reminder(words, clock, anchor)
        if found is not None and anchor is held.due and _days_before(found, words, anchor, clock):
            found = None  # "the evening before" is that of the event, of which no time is known
    else:  # it goes on recurring
        found = _moved(held.rule, *by, clock) if held.rule else None
    if found is None and work.step.op == "Encode":
        # "Remind me the evening before to pack", after a turn about a flight.
        found = read_reminder(words, clock, work.so_far.before)
    return found


def _days_before(found: Remind, words: str, due: datetime | None, clock: Clock) -> bool:
    """Whether words are read only as a time of the day on a day before the reminder ``due``; "a day
    before" and "two hours before" move that."""
    if not due or not found.at or found.at >= clock.midnight(due) or of_hours(words, clock):
        return False
    at, rings = (each.astimezone(clock.tz).time() for each in (found.at, due))
    own_time = at != rings or any(spans(words, PARTS))
    return own_time and read_reminder(words, clock) is None


def rung(due: datetime, was: datetime, will: datetime, clock: Clock) -> datetime:
    """The reminder ``due`` of what is moved, by the clocks on the wall. One of a day before, at an
    hour of its own, keeps that hour: "the evening before" does not move by half an hour. So does
    one of what is known only by its day."""
    rings, of, to = (each.astimezone(clock.tz).replace(tzinfo=None) for each in (due, was, will))
    ahead = of - rings
    own_hour = ahead > _OWN_HOUR and rings.date() != of.date() and rings.time() != of.time()
    own_hour |= time() in (of.time(), to.time())
    by = to.date() - of.date() if own_hour else to - of
    return (rings + by).replace(tzinfo=clock.tz)


def just_before(at: datetime, clock: Clock) -> Clock:
    """The clock before the day of an instant, by which a text names the moment from that day on."""
    return Clock(clock.midnight(at) - timedelta(seconds=1), clock.tz)


def by_rule(found: Remind) -> Instance:
    """A reminder by a rule as an argument of an op."""
    ends = {"start": found.start, "until": found.until}
    return {"rrule": found.rrule, **format_instants(ends)}


def held_of(records: Sequence[Record], clock: Clock) -> Held:
    """What these memories have of a reminder, its rule on the clock of the request."""
    now = clock.now
    recurs = any(each.remind_rrule for each in records)
    rules = ((each.remind_rrule, each.remind_until, _begun(each, now)) for each in records)
    rule, until, start = only(rules) or (None, None, None)
    if rule is None:
        at = {each.remind_next for each in records if each.remind_rrule is None}
        due = only(each for each in at if each is not None and each > now)
        return Held(recurs, None, due, due)
    rings, zone = (
        only({getattr(each, key) for each in records}) for key in ("remind_next", "remind_tz")
    )
    by_rule = zone and next_occurrence(
        rule, after=now, start=start or now, tz=zone_of(zone), until=until
    )
    due = rings if zone and rings and now < rings != by_rule else None
    following = only({each.remind_next for each in records} - {None})
    held = Remind(rule, until, due, start)
    if zone:
        held = in_zone(held, rings or now, zone_of(zone), clock.tz)
    return Held(recurs, held, due, following)


def _begun(record: Record, now: datetime) -> datetime | None:
    """The start of a memory's rule, if it is to come or the rule rings on other days, or at another
    hour, from another one."""
    parts, start = parts_of(record.remind_rrule or "FREQ="), record.remind_start
    fixed = "BYHOUR" in parts and (parts["FREQ"] == "DAILY" or _DAYS & parts.keys())
    counts = not fixed or {"INTERVAL", "COUNT"} & parts.keys()
    return start if start and (counts or start > now) else None


def _moved(held: Remind, amount: str, up: bool, clock: Clock) -> Remind | None:
    """A rule whose one hour is moved by less than a day, within the day; None for any other."""
    length, parts = clock.length(amount), parts_of(held.rrule or "")
    if length is None or "BYHOUR" not in parts or not once_a_day(held):
        return None
    if _whole_days(amount, clock):
        return None
    now = 3600 * int(parts["BYHOUR"]) + 60 * int(parts.get("BYMINUTE", "0"))
    hour, rest = divmod(now + (length.seconds if up else -length.seconds), 3600)
    return at_hour(held, time(hour, rest // 60)) if 0 <= hour < 24 else None


def _with_hour(
    found: Remind, about: datetime | None, records: Iterable[Record], clock: Clock
) -> Remind:
    """A rule of days with the hour at which it rings. Nobody means the minute of the request."""
    parts = parts_of(found.rrule or "")
    if "BYHOUR" in parts or parts["FREQ"] not in OF_DAYS:
        return found
    rings = {each.remind_next for each in records} - {None} or {about}
    hours = {at.astimezone(clock.tz).time() for at in rings if at is not None} - {time()}
    return at_hour(found, only(hours) or MORNING)


def _whole_days(amount: str, clock: Clock) -> bool:
    """Whether words name a length of a day or more."""
    length = clock.length(amount)
    return length is not None and (length.months > 0 or length.seconds >= DAY)


def _by_day(at: datetime, words: str, due: datetime | None, clock: Clock) -> datetime:
    """The instant ``at`` of words. A day alone is meant at the hour of what is due, else in the
    morning; nobody means midnight, but by an hour, or hours. The end of a month is a day, and so is
    Monday in "until Monday"; the end of today or tomorrow is none."""
    if any(spans(words, CLOCKS)) or of_hours(words, clock):
        return at
    local, day = at.astimezone(clock.tz), clock.midnight(at)
    last = local.time() == time(23, 59, 59)
    if not (last or local == day):
        return at
    ended = limit_of(words, clock) != "up to" and day in days_in(words, clock)
    if last and (day <= clock.now or ended):
        return at
    hour = MORNING if due is None else due.astimezone(clock.tz).time()
    return datetime.combine(day, hour, clock.tz)
