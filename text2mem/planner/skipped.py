"""Skipped: a reminder that recurs leaves out some of its times ("no choir this week")."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import islice, takewhile

from text2mem.editing.days import moment_in
from text2mem.ir.record import Record
from text2mem.ir.times.clock_times import in_nearer_half, is_clock, names_half, time_of_day
from text2mem.ir.times.left_out import LeftOut, read_left_out
from text2mem.ir.times.moments import as_known
from text2mem.ir.times.moved_rules import rule_of, with_parts
from text2mem.ir.times.reading_clock import Clock
from text2mem.ir.times.recurring_days import plainly
from text2mem.ir.times.rrule import next_occurrence, zone_of
from text2mem.ir.times.temporal import format_instant
from text2mem.ir.words.folding import fold
from text2mem.planner.reminder import NEAR, by_rule, held_of, just_before, remind
from text2mem.planner.work import Instance, Work

_NEXT = "only the next times can be left out: ask, or add to the text what is off"
_WORDS = "add to the text what is off"
_MOST = 1_000
"""How many occurrences are looked at: a year of days and more."""
_NOON = 12


def skipped(work: Work) -> Instance | None:
    """The reminder of the memory of a step without the times that it skips, which are the next
    ones. It counts from the last of them, so the rest stay as they are; the words for a reminder
    say when it rings instead, once, or by which rule from then on. None if it skips none."""
    words, clock = work.step.words("skip"), work.clock
    record = work.records[0] if len(work.records) == 1 else None
    left_out = read_left_out(words, clock)
    if left_out is None:
        work.unreadable("skip", words)
        return None
    held = held_of([record], clock).rule if record is not None else None
    if record is None or held is None or held.rrule is None:
        work.problem("not-the-next", "skip", "it has no reminder that recurs", _WORDS)
        return None
    skips, follows = _parted(record, left_out, clock)
    if not (skips or follows) and len(work.step.listed("ids")) > 1:
        return None  # "no bins and no choir this week", and the bins were on Monday
    if not skips or follows:
        work.problem("not-the-next", "skip", f"the next reminder is not {words!r}", _NEXT)
        return None
    if "COUNT" in rule_of(held):
        rest = len([*islice(_rings(record, clock.now), _MOST)]) - len(skips)
        held = with_parts(held, {"COUNT": f"{max(rest, 1)}"})
    return {**by_rule(replace(held, start=skips[-1])), **(_instead(work, skips[0]) or {})}


def _instead(work: Work, first: datetime) -> Instance | None:
    """The reminder in place of the one at ``first``; a time of the day alone is on its day, in the
    half of the day that is nearer to it."""
    words, clock = work.step.words("remind"), work.clock
    said = fold(as_known(words, reminder=True))
    hour = time_of_day(said, clock) if words and is_clock(said) else None
    if hour is None:
        found = remind(work)
        return found if found is None or "at" not in found else {"at": found["at"]}
    at = datetime.combine(clock.midnight(first), hour, clock.tz)
    if not names_half(said) and hour.hour <= _NOON:
        at = in_nearer_half(at, first.astimezone(clock.tz))
    return {"at": format_instant(at)}


def _parted(record: Record, left_out: LeftOut, clock: Clock) -> tuple[list[datetime], bool]:
    """The next reminders that are left out, and whether one that comes after others is, too."""
    rings = _rings(record, clock.now)
    if left_out.count:
        return [*islice(rings, left_out.count)], False
    last = max(each.end for each in left_out.stretches)
    ahead = [*islice(takewhile(lambda at: at - NEAR < last, rings), _MOST)]
    are_out = [_within(at, record, left_out, clock) for at in ahead]
    skips = [*takewhile(lambda pair: pair[1], zip(ahead, are_out, strict=True))]
    more = any(are_out[len(skips) :]) or len(ahead) == _MOST
    return [at for at, _ in skips], more


def _rings(record: Record, now: datetime) -> Iterator[datetime]:
    """Yield when the reminder of a memory rings from now on, the first time perhaps put off."""
    tz, start = zone_of(record.remind_tz or "UTC"), record.remind_start or now
    at = record.remind_next
    while at is not None:
        if at > now:
            yield at
        at = next_occurrence(
            record.remind_rrule or "", after=max(at, now), start=start, tz=tz,
            until=record.remind_until,
        )  # fmt: skip


def _within(at: datetime, record: Record, left_out: LeftOut, clock: Clock) -> bool:
    """Whether what a reminder is about is left out. It may ring on the day before."""
    before = just_before(at, clock)
    about = moment_in(plainly(record.text), before, before)
    if about is None or not timedelta() <= about - at < NEAR:
        about = at
    return any(each.start <= about < each.end for each in left_out.stretches)
