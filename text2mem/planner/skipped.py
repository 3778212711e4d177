"""Skipped: a reminder that recurs leaves out some of its times ("no choir this week")."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import islice, takewhile

from text2mem.editing.days import moment_in
from text2mem.ir.record import Record
from text2mem.ir.times.left_out import LeftOut, read_left_out
from text2mem.ir.times.reading_clock import Clock
from text2mem.ir.times.recurring_days import plainly
from text2mem.ir.times.rrule import next_occurrence, zone_of
from text2mem.ir.times.temporal import format_instants
from text2mem.planner.work import Instance, Work

_NEXT = "only the next times can be left out: ask, or add to the text what is off"
_WORDS = "add to the text what is off"
_MOST = 400
"""How many occurrences are looked at: a year of days and more."""
_AHEAD = timedelta(hours=48)
"""How far ahead of what it is about a reminder may ring."""


def skipped(work: Work) -> Instance | None:
    """The reminder of the memory of a step without the times that it skips, which are the next
    ones. It counts from the last of them, so the rest stay as they are. None if it skips none."""
    words = work.step.words("skip")
    record = work.records[0] if len(work.records) == 1 else None
    left_out = read_left_out(words, work.clock)
    if left_out is None:
        work.unreadable("skip", words)
        return None
    if record is None or record.remind_rrule is None:
        work.problem("not-the-next", "skip", "it has no reminder that recurs", _WORDS)
        return None
    rings = _rings(record, work.clock.now)
    if left_out.count:
        skips = [*islice(rings, left_out.count)]
    else:
        last = max(each.end for each in left_out.stretches) + _AHEAD
        ahead = [*islice(takewhile(lambda at: at < last, rings), _MOST)]
        are_out = [_within(at, record, left_out, work.clock) for at in ahead]
        skips = ahead[: sum(are_out)]
        if not all(are_out[: len(skips)]):
            work.problem("not-the-next", "skip", f"a reminder comes before {words!r}", _NEXT)
            return None
    if not skips:
        return None
    values = {"start": skips[-1], "until": record.remind_until}
    return {"rrule": record.remind_rrule, **format_instants(values)}


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
    early = Clock(clock.midnight(at) - timedelta(seconds=1), clock.tz)
    about = moment_in(plainly(record.text), early, early)
    if about is None or not timedelta() <= about - at < _AHEAD:
        about = at
    return any(each.start <= about <= each.end for each in left_out.stretches)
