"""Each time: a reminder of what recurs rings before every occurrence, if its words are relative to
one: "choir every Tuesday at 7, remind me an hour before"."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, time, timedelta

from text2mem.editing.days import days_in
from text2mem.editing.kinds import CLOCKS, LENGTHS, said_in
from text2mem.ir.ops import Remind
from text2mem.ir.times.clock_times import time_of_day
from text2mem.ir.times.duration import DAY
from text2mem.ir.times.moments import is_single, read_reminder, recurrence_beside, recurrence_in
from text2mem.ir.times.moved_rules import at_hour, moved_with, once_a_day, rule_of
from text2mem.ir.times.reading_clock import Clock
from text2mem.ir.times.recurring_days import is_of_one, once_named
from text2mem.ir.times.rrule import OF_DAYS, next_occurrence
from text2mem.planner.work import Work, only

_NOON = time(12)
_OWN = {"BYDAY", "BYMONTHDAY", "BYHOUR"}


@dataclass(frozen=True, slots=True)
class EachTime:
    """The recurrence of what a memory is about, when it comes next, which is midnight if no hour is
    known, and the words for a reminder of it."""

    rule: Remind
    comes: datetime
    words: str


def each_time(work: Work, own: datetime | None, about: datetime | None) -> EachTime | None:
    """The recurrence that the memory of a step names in its text, or the words for its reminder
    beside others ("every year, a week before"); ``own`` as in ``remind``, ``about`` the time of the
    memory. None if the request is about one time of several, or that time of no recurrence."""
    clock, step = work.clock, work.step
    new, words = step.op == "Encode", once_named(step.words("remind"))
    said = words if new else work.so_far.said
    for length in said_in(said, LENGTHS):
        said = said.replace(length, "")
    if step.words("skip") or is_single(words) or is_of_one(said):
        return None
    text = step.words("text") if new else only(each.text for each in work.records)
    rule, rest = None, text or ""
    found, relative = recurrence_beside(words, clock, about) or (None, "")
    relative = relative.strip(" ,，、")
    if found and read_reminder(relative, clock, about or clock.now):  # "same time" is not
        rule, words = found, relative
    if rule is None:
        rule, rest = recurrence_in(rest, clock, about) or (None, rest)
        rule = rule if rule is None or _says_when(rule, text or "", clock) else None
    if rule is None or rule_of(rule)["FREQ"] not in OF_DAYS:
        return None
    is_one = about is not None and _is_one(about, rule, clock)
    dated = own or any(each.time for each in work.records) or days_in(rest, clock)
    if dated and not is_one:
        return None
    timed = "BYHOUR" in rule_of(rule)
    hour = None if timed else _hour(about if is_one else None, rest, clock)
    if not timed:
        rule = at_hour(rule, hour or _NOON)
    comes = _next(rule, clock.now, clock)
    if comes is None:
        return None
    if timed or hour:
        return EachTime(rule, comes, words)
    return EachTime(at_hour(rule, time()), clock.midnight(comes), words)


def _says_when(rule: Remind, text: str, clock: Clock) -> bool:
    """Whether a recurrence is that of what a text is about: it names a day or an hour of its own,
    or recurs on the text's date every year. "The fine is 50c every day" tells nothing."""
    own, _ = recurrence_in(text, clock) or (rule, "")
    parts = rule_of(own)
    return parts["FREQ"] == "YEARLY" or not parts.keys().isdisjoint(_OWN)


def _hour(about: datetime | None, rest: str, clock: Clock) -> time | None:
    """The hour of ``about``, or the one that the other words of a text name."""
    if about is not None and about != clock.midnight(about):
        return about.astimezone(clock.tz).time()
    return time_of_day(only(said_in(rest, CLOCKS)) or "", clock)


def _is_one(about: datetime, rule: Remind, clock: Clock) -> bool:
    """Whether an instant is one of a recurrence, or the day of one if it is midnight. No day is one
    of what is daily: "90 every night, arriving on Friday"."""
    parts = rule_of(rule)
    if about == clock.midnight(about) or "BYHOUR" not in parts:
        rule = at_hour(rule, about.astimezone(clock.tz).time())
    before = about - timedelta(seconds=1)
    return parts["FREQ"] != "DAILY" and _next(rule, before, clock) == about


def _next(rule: Remind, after: datetime, clock: Clock) -> datetime | None:
    start = min(after, rule.start or after)
    return next_occurrence(
        rule.rrule or "", after=after, start=start, tz=clock.tz, until=rule.until
    )


def of_each(each: EachTime, at: datetime, words: str, clock: Clock) -> Remind | None:
    """The reminder of every occurrence, as far from it as ``at`` is from the next one; None if no
    rule says that, or if ``words`` are an hour, of what has several."""
    rule = each.rule
    if not once_a_day(rule) and not of_hours(words, clock):
        return None
    found = moved_with(rule, each.comes, at, clock.tz)
    if found is None:
        return None
    days = clock.midnight(at).date() - clock.midnight(each.comes).date()
    start = clock.midnight(each.comes) if "INTERVAL" in rule_of(rule) else rule.start
    return replace(
        found, start=start and start.astimezone(clock.tz) + days,
        until=rule.until and rule.until.astimezone(clock.tz) + days,
    )  # fmt: skip


def of_hours(words: str, clock: Clock) -> bool:
    """Whether words name a length that is no number of days: "an hour before"."""
    lengths = map(clock.length, said_in(words, LENGTHS))
    return any(each and each.seconds % DAY for each in lengths)
