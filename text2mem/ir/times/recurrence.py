"""Read words for recurrences as recurrence rules of RFC 5545.

A ``Grammar`` has patterns, each with a step. The first step makes a rule of the words at the
beginning of a text, and each further one changes the rule by the words that follow.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time, timedelta
from functools import cache
from itertools import product
from typing import Any, NamedTuple

from text2mem.ir.ops import Remind
from text2mem.ir.times import named_days
from text2mem.ir.times.clock_times import by_day, names_half
from text2mem.ir.times.duration import DAY, HOUR, MINUTE, WEEK
from text2mem.ir.times.reading_clock import Clock
from text2mem.ir.times.rrule import (
    OF_DAYS,
    SHORTEST_MONTH,
    WEEKDAYS,
    UnreadableRule,
    next_occurrence,
)
from text2mem.ir.words.calendar_names import weekday

_OF_MONTHS = {12: "YEARLY", 1: "MONTHLY"}
_OF_SECONDS = {WEEK: "WEEKLY", DAY: "DAILY", HOUR: "HOURLY", MINUTE: "MINUTELY"}
"""The frequencies by their length in months or in seconds, the longest first."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A recurrence rule that is being read. The fields are named like the parts of RFC 5545."""

    freq: str = ""
    interval: int = 1
    byday: tuple[str, ...] = ()
    bymonth: tuple[int, ...] = ()
    bymonthday: tuple[int, ...] = ()
    bysetpos: int | None = None
    times: tuple[time, ...] = ()
    """The times of the day, the earliest first."""
    parts: tuple[str, ...] = ()
    """The words for parts of the day that the times come from, if no exact ones are named."""
    often: int | None = None
    """How many times a day are announced, as by "twice a day"."""
    night: bool = False
    """Whether the times are in the night after the days: "Friday nights at 1"."""
    count: int | None = None
    start: datetime | None = field(default=None, compare=False)
    until: datetime | None = field(default=None, compare=False)

    def every(self, size: tuple[int, int], times: int = 1) -> Rule:
        """The rule for every ``times`` units. ``size`` is that of a unit, in months and seconds."""
        months, seconds = size
        length, known = (months, _OF_MONTHS) if months else (seconds, _OF_SECONDS)
        unit = next(unit for unit in known if length % unit == 0)
        return replace(self, freq=known[unit], interval=length // unit * times)

    def at(self, said: datetime | None, clock: Clock) -> Rule | None:
        """The rule at the time of ``said``, an instant of tomorrow or the night after it."""
        if said is None or self.times:
            return None
        local = said.astimezone(clock.tz)
        night = local.date() > clock.today + timedelta(days=1)
        return replace(self, times=(time(local.hour, local.minute),), night=night)

    def also_at(self, said: datetime | None, clock: Clock) -> Rule | None:
        """The rule at its times and at the time of ``said``."""
        other = replace(self, times=()).at(said, clock)
        if other is None or (self.times and other.night != self.night):
            return None
        return replace(other, times=tuple(sorted({*self.times, *other.times})))

    def by_morning(self) -> Rule | None:
        """The rule on the days of its times, if they are after the named days."""
        if not self.night or (self.freq in ("DAILY", "WEEKLY") and not self.byday):
            return self
        if self.freq != "WEEKLY" or self.interval > 1:
            return None
        after = (day for n, day in enumerate(WEEKDAYS) if WEEKDAYS[n - 1] in self.byday)
        return replace(self, byday=tuple(after))

    def ending(self, end: datetime | int | None) -> Rule | None:
        """The rule with an end, an instant or a number of occurrences, unless it has one."""
        if end is None or self.until is not None or self.count is not None:
            return None
        return replace(self, count=end) if isinstance(end, int) else replace(self, until=end)

    def starting(self, begin: datetime | None, clock: Clock) -> Rule | None:
        """The rule from an instant on, unless it has a start or an end, which may count from now.
        The time of the instant is that of the rule, if it names none."""
        if begin is None or self.start or self.until or self.count is not None:
            return None
        local, day = begin.astimezone(clock.tz), clock.midnight(begin)
        timed = replace(self, start=day.astimezone(UTC))
        whole = local == day or local.second == 59  # "the end of March" is a day
        if whole or (self.times and len(self.parts) != 1):
            return timed if whole else None
        return replace(timed, times=(time(local.hour, local.minute),), parts=())

    def on_day(self, day: date) -> Rule:
        """The rule on the weekday or date of a day, unless it names days; on the last day of a
        month (or year) that lacks it: monthly on the 31st is also on 30 April. RFC 5545 leaves such
        a month out."""
        if self.byday or self.bymonth or self.bymonthday:
            return self
        if self.freq == "WEEKLY":
            return replace(self, byday=(WEEKDAYS[day.weekday()],))
        if self.freq not in ("MONTHLY", "YEARLY"):
            return self
        month = (day.month,) if self.freq == "YEARLY" else ()
        if day.day <= SHORTEST_MONTH or month not in ((), (2,)):
            return replace(self, bymonth=month, bymonthday=(day.day,))
        days = tuple(range(SHORTEST_MONTH, day.day + 1))
        return replace(self, bymonth=month, bymonthday=days, bysetpos=-1)

    def text(self) -> str:
        """The rule in the form of RFC 5545, without ``until``."""
        parts = [f"FREQ={self.freq}"]
        parts += [f"INTERVAL={self.interval}"] if self.interval != 1 else []
        parts += [f"BYDAY={','.join(self.byday)}"] if self.byday else []
        parts += [f"BYMONTH={','.join(map(str, self.bymonth))}"] if self.bymonth else []
        if self.bymonthday:
            parts += [f"BYMONTHDAY={','.join(map(str, self.bymonthday))}"]
        hours, minutes = ({getattr(at, unit) for at in self.times} for unit in ("hour", "minute"))
        every = [time(*at) for at in product(sorted(hours), sorted(minutes))]
        places = self._places(every)
        parts += [f"BYSETPOS={','.join(map(str, places))}"] if places else []
        if every:
            parts += [f"BYHOUR={','.join(map(str, sorted(hours)))}"]
            parts += [f"BYMINUTE={','.join(map(str, sorted(minutes)))}"]
        return ";".join(parts + ([] if self.count is None else [f"COUNT={self.count}"]))

    def _places(self, every: Sequence[time]) -> list[int]:
        """The values of BYSETPOS, if it is needed: for some days of a period, or if the times are
        not ``every`` one of their hours and minutes, as at 7:00 and 19:30."""
        days: Iterable[int] = (self.bysetpos,) if self.bysetpos else ()
        if not days and len(self.times) < len(every):
            months = len(self.bymonth) if self.freq == "YEARLY" else 1
            days = range(1, max(1, len(self.byday)) * max(1, len(self.bymonthday) * months) + 1)
            days = (1,) if self.freq == "DAILY" else days
        size, chosen = len(every) or 1, [every.index(at) for at in self.times] or [0]
        return [day * size + at + (1 - size if day > 0 else 0) for day in days for at in chosen]


def days_in(names: Iterable[str]) -> tuple[str, ...]:
    """The weekdays of some names, each once, in the order of the week."""
    return tuple(WEEKDAYS[index] for index in sorted(set(map(weekday, names))))


Step = Callable[[Rule, "re.Match[str]", Clock], "Rule | None"]
"""Returns the rule changed by the match of a pattern; None if the words do not fit the rule."""
Row = tuple[str, Step]
"""The source of a pattern, and its step."""


class Grammar(NamedTuple):
    """The recurrences of a language: ``heads`` are for the words that begin one, ``steps`` for
    those that may follow."""

    heads: Sequence[Row]
    steps: Sequence[Row]
    pattern: Callable[[str], re.Pattern[str]]
    """Compiles the source of a pattern."""


@cache  # compiled when first needed, which takes time
def _patterns(grammar: Grammar) -> list[list[tuple[re.Pattern[str], Step]]]:
    rows = (grammar.heads, grammar.steps)
    return [[(grammar.pattern(words), step) for words, step in each] for each in rows]


def always(**fields: Any) -> Step:
    """Return a step that sets these fields."""
    return lambda rule, _found, _clock: replace(rule, **fields)


def named(rule: Rule, found: re.Match[str], clock: Clock) -> Rule | None:
    """The step for a day that a calendar names, if it is on the same date every year."""
    day = named_days.of_every_year(found["name"], clock.tz)
    if day is None:
        return None
    return replace(rule, freq="YEARLY", bymonth=day[:1], bymonthday=day[1:])


def until(words: str) -> Step:
    """Return a step that ends the rule at the time in the group ``end``, if it is to come;
    ``words`` is a format that makes a phrase of it."""

    def ended(rule: Rule, found: re.Match[str], clock: Clock) -> Rule | None:
        instant = clock.instant(words.format(found["end"]))
        return None if instant is None or instant <= clock.now else rule.ending(instant)

    return ended


def also(before: str) -> Step:
    """Return a step for a further time of the day; ``before`` stands before its words to make them
    an instant of tomorrow. Where one of the times names a half of the day and the other does not
    ("7 and 9 pm"), both may mean it, or one."""

    def added(rule: Rule, found: re.Match[str], clock: Clock) -> Rule | None:
        words, named = found["clock"], found.string[: found.start()]
        if rule.parts or not rule.times or names_half(named) != names_half(words):
            return None
        said = clock.instant(f"{before}{words}")
        return rule.also_at(said and by_day(said, f"{before}{words}", clock), clock)

    return added


def starting(rule: Rule, found: re.Match[str], clock: Clock) -> Rule | None:
    """The step that begins the rule at the time in the group ``begin``."""
    words = found["begin"]
    begin = clock.instant(words) or clock.instant(f"on {words}")
    if begin and len(rule.times) == 1 and clock.midnight(begin).date() == clock.today:
        later = rule.times[0] >= begin.astimezone(clock.tz).time()
        begin = clock.midnight(begin) if later else begin  # "at nine, from tonight on"
    return rule.starting(begin and by_day(begin, words, clock), clock)


def between(words: str) -> Step:
    """Return a step that begins and ends the rule on the days in the groups ``begin`` and ``end``;
    ``words`` is a format that makes a stretch of them. A time of the day behind the last day is
    that of the rule."""

    def spanned(rule: Rule, found: re.Match[str], clock: Clock) -> Rule | None:
        stretches = clock.both_ends(words.format(found["begin"], found["end"]))
        ahead = next((each for each in stretches if each.end > clock.now), None)
        begun = ahead and rule.starting(ahead.start, clock)
        if not (ahead and begun):
            return None
        last = ahead.end.astimezone(clock.tz)
        end = last.replace(hour=23, minute=59, second=59)
        timed = begun if last == end else begun.at(clock.instant(f"{last:%H:%M}"), clock)
        return timed and timed.ending(end.astimezone(UTC))

    return spanned


def lasting(rule: Rule, found: re.Match[str], clock: Clock) -> Rule | None:
    """The step that ends the rule a length of time from its start, or from now."""
    length = clock.length(found["length"])
    begun = replace(clock, now=rule.start) if rule.start else clock
    return None if length is None else rule.ending(begun.after(length))


def read_recurrence(
    words: str, clock: Clock, grammar: Grammar, anchor: datetime | None = None
) -> Remind | None:
    """The recurring reminder that ``words`` as a whole name, if it has an occurrence to come. If
    they name no day, it is that of ``anchor``: "every year" for a birthday."""
    text = words.strip()
    rule, end = _longest(text, 0, clock, grammar)
    whole = rule and not text[end:].strip(" .,;!。，")
    return _checked(rule, clock, anchor) if rule and whole else None


def recurrences_in(
    text: str, clock: Clock, grammar: Grammar, anchor: datetime | None = None
) -> Iterator[tuple[Remind, tuple[int, int]]]:
    """Yield the recurrences that a folded text names among other words, in order, with their
    places."""
    place = 0
    while place < len(text):
        beside = text[place - 1 : place + 1] if place else ""
        within = beside.isascii() and beside.isalnum()
        rule, end = (None, 0) if within else _longest(text, place, clock, grammar)
        found = rule and _checked(rule, clock, anchor)
        if found:
            yield found, (place, end)
        place = end if found else place + 1


def _longest(text: str, place: int, clock: Clock, grammar: Grammar) -> tuple[Rule | None, int]:
    """The rule of the longest recurrence that begins at a position, if any, and its end."""
    heads, steps = _patterns(grammar)
    rule, end = _step(text, place, Rule(), clock, heads)
    if rule is not None and not rule.freq:
        # A time of day came first: "at 9 every Monday".
        rest = text[end : end + 3]
        rule, end = _step(text, end + len(rest) - len(rest.lstrip()), rule, clock, heads)
    while rule is not None:
        later, after = _step(text, end, rule, clock, steps)
        if later is None:
            return (rule, end) if rule.freq else (None, place)
        rule, end = later, after
    return None, place


def _step(
    text: str, place: int, rule: Rule, clock: Clock, steps: Sequence[tuple[re.Pattern[str], Step]]
) -> tuple[Rule | None, int]:
    """The rule after the first step that fits at a position, if any, and the position behind it."""
    for pattern, apply in steps:
        with suppress(ValueError):  # 每十百天: what has the form of a number, but is none
            if (found := pattern.match(text, place)) and (after := apply(rule, found, clock)):
                return after, found.end()
    return None, place


def _checked(read: Rule, clock: Clock, anchor: datetime | None) -> Remind | None:
    """The reminder of a rule; None if it has no occurrence to come."""
    rule = read.by_morning()
    if rule is None:
        return None
    if rule.often not in (None, len(rule.times)):
        return None  # "twice a day", and no two times
    midnight = time() in rule.times and not read.night
    if rule.start and (rule.freq not in OF_DAYS or midnight):
        return None  # the start of a rule of hours, or at midnight, is none of its occurrences
    rule = _from_its_day(rule, clock, anchor)
    written, start = rule.text(), rule.start or clock.now
    try:
        due = next_occurrence(written, after=clock.now, start=start, tz=clock.tz, until=rule.until)
    except UnreadableRule:
        return None
    return None if due is None else Remind(written, rule.until, start=rule.start)


def _from_its_day(rule: Rule, clock: Clock, anchor: datetime | None) -> Rule:
    """The rule on the day that it begins on, unless it names days: that of ``anchor``, else of its
    start, else today, which is named only where there are months (or years) that lack it. "Every
    two years" are counted from that day on."""
    begun = anchor or rule.start
    day = clock.midnight(begun or clock.now)
    made = rule.on_day(day.date())
    if begun is None and made.bysetpos == rule.bysetpos:
        return rule
    if made.start or made.interval == 1 or made.freq not in OF_DAYS:
        return made
    if made.count is not None and day < clock.now:  # those that are past would count
        if begun:
            return made
        endless = replace(made, count=None).text()
        due = next_occurrence(endless, after=clock.now, start=day, tz=clock.tz)
        day = clock.midnight(due or day)
    return replace(made, start=day.astimezone(UTC))
