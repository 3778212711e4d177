"""Recurrences: words for what comes again and again, as rules of RFC 5545."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from text2mem.ir.ops import Remind
from text2mem.ir.times import named_days
from text2mem.ir.times.duration import DAY, HOUR, MINUTE, WEEK
from text2mem.ir.times.reading_clock import Clock
from text2mem.ir.times.rrule import WEEKDAYS, UnreadableRule, next_occurrence
from text2mem.ir.words.calendar_names import weekday

WORKING, WEEKEND = WEEKDAYS[:5], WEEKDAYS[5:]
_OF_MONTHS = {12: "YEARLY", 1: "MONTHLY"}
_OF_SECONDS = {WEEK: "WEEKLY", DAY: "DAILY", HOUR: "HOURLY", MINUTE: "MINUTELY"}
"""The frequencies by their length, the longest first."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule in the making: ``hour`` is absent where no time of day was said, and is that of
    ``part``, a word for a part of the day, where that is all that was said."""

    freq: str = ""
    interval: int = 1
    byday: tuple[str, ...] = ()
    bymonth: int | None = None
    bymonthday: tuple[int, ...] = ()
    bysetpos: int | None = None
    hour: int | None = None
    minute: int = 0
    part: str = ""
    count: int | None = None
    until: datetime | None = field(default=None, compare=False)

    def every(self, size: tuple[int, int], times: int = 1) -> Rule:
        """The rule for every so many of a unit, whose ``size`` is in months and in seconds."""
        months, seconds = size
        length, known = (months, _OF_MONTHS) if months else (seconds, _OF_SECONDS)
        unit = next(unit for unit in known if length % unit == 0)
        return replace(self, freq=known[unit], interval=length // unit * times)

    def at(self, moment: datetime | None) -> Rule | None:
        """The rule at the local time of day of a moment."""
        if moment is None or self.hour is not None:
            return None
        return replace(self, hour=moment.hour, minute=moment.minute)

    def ending(self, end: datetime | int | None) -> Rule | None:
        """The rule up to an instant, or so many times; a rule ends but once."""
        if end is None or self.until is not None or self.count is not None:
            return None
        return replace(self, count=end) if isinstance(end, int) else replace(self, until=end)

    def text(self) -> str:
        """The rule as RFC 5545 writes it, without its end."""
        parts = [f"FREQ={self.freq}"]
        parts += [f"INTERVAL={self.interval}"] if self.interval > 1 else []
        parts += [f"BYDAY={','.join(self.byday)}"] if self.byday else []
        parts += [f"BYMONTH={self.bymonth}"] if self.bymonth else []
        if self.bymonthday:
            parts += [f"BYMONTHDAY={','.join(map(str, self.bymonthday))}"]
        parts += [f"BYSETPOS={self.bysetpos}"] if self.bysetpos else []
        if self.hour is not None:
            parts += [f"BYHOUR={self.hour}", f"BYMINUTE={self.minute}"]
        return ";".join(parts + [f"COUNT={self.count}"] * bool(self.count))


def days_in(names: Iterable[str]) -> tuple[str, ...]:
    """The weekdays of some names, each once, in the order of the week."""
    return tuple(WEEKDAYS[index] for index in sorted(set(map(weekday, names))))


Step = Callable[[Rule, "re.Match[str]", Clock], "Rule | None"]
Row = tuple[str, Step]


class Grammar:
    """How a language says recurrences: what may begin one, and what may follow; ``pattern`` makes
    a pattern of a row's words."""

    def __init__(
        self, heads: Sequence[Row], steps: Sequence[Row], pattern: Callable[[str], re.Pattern[str]]
    ) -> None:
        self.heads = [(pattern(words), step) for words, step in heads]
        self.steps = [(pattern(words), step) for words, step in steps]


def always(**fields: Any) -> Step:
    """A step whose words always mean the same."""
    return lambda rule, _found, _clock: replace(rule, **fields)


def named(rule: Rule, found: re.Match[str], clock: Clock) -> Rule | None:
    """The rule for the day of every year that has a ``name``."""
    day = named_days.of_every_year(found["name"], clock.tz)
    return None if day is None else replace(rule, freq="YEARLY", bymonth=day[0], bymonthday=day[1:])


def until(words: str) -> Step:
    """The rule up to an ``end`` to come, told in ``words`` that the reader of times knows."""

    def ended(rule: Rule, found: re.Match[str], clock: Clock) -> Rule | None:
        instant = clock.instant(words.format(found["end"]))
        return None if instant is None or instant <= clock.now else rule.ending(instant)

    return ended


def lasting(rule: Rule, found: re.Match[str], clock: Clock) -> Rule | None:
    """The rule for a ``length`` of time from now on."""
    length = clock.length(found["length"])
    return None if length is None else rule.ending(clock.after(length))


def read_recurrence(words: str, clock: Clock, grammar: Grammar) -> Remind | None:
    """The rule that ``words`` name as a whole; None where they name none, or none with an
    occurrence to come."""
    text = words.strip()
    rule, end = _step(text, 0, Rule(), clock, grammar.heads)
    if rule is not None and not rule.freq:
        # A time of day came first: "at 9 every Monday".
        rest = text[end : end + 3]
        rule, end = _step(text, end + len(rest) - len(rest.lstrip()), rule, clock, grammar.heads)
    while rule is not None:
        later, place = _step(text, end, rule, clock, grammar.steps)
        if later is None:
            return (
                _checked(rule, clock) if rule.freq and not text[end:].strip(" .,;!。，") else None
            )
        rule, end = later, place
    return None


def _step(
    text: str, place: int, rule: Rule, clock: Clock, steps: Sequence[tuple[re.Pattern[str], Step]]
) -> tuple[Rule | None, int]:
    """The rule after the first step that fits at a place, and where its words end."""
    for pattern, apply in steps:
        found = pattern.match(text, place)
        after = apply(rule, found, clock) if found else None
        if found is not None and after is not None:
            return after, found.end()
    return None, place


def _checked(rule: Rule, clock: Clock) -> Remind | None:
    """The rule, where it has an occurrence to come."""
    written = rule.text()
    try:
        due = next_occurrence(
            written, after=clock.now, start=clock.now, tz=clock.tz, until=rule.until
        )
    except UnreadableRule:
        return None
    return None if due is None else Remind(written, rule.until)
