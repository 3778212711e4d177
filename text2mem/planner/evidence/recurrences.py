"""Recurrences: what comes again and again, as rules of RFC 5545, and reminders that come once."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from text2mem.ir.rrule import UnreadableRule, next_occurrence
from text2mem.ir.temporal import format_instant
from text2mem.planner.evidence.text import Text
from text2mem.planner.evidence.times import Clock, Found

WORKING, WEEKEND = ("MO", "TU", "WE", "TH", "FR"), ("SA", "SU")
DAYS = (*WORKING, *WEEKEND)
_YEAR = timedelta(days=365)
_LENGTH, _START = 60, 16
"""How long an utterance is that says nothing but when, and where its recurrence starts."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule in the making: ``hour`` is absent where no time of day was said, and stands for a
    ``part`` of the day where that is all that was said."""

    freq: str = ""
    interval: int = 1
    byday: tuple[str, ...] = ()
    bymonth: int | None = None
    bymonthday: tuple[int, ...] = ()
    hour: int | None = None
    minute: int = 0
    part: bool = False
    count: int | None = None
    until: datetime | None = field(default=None, compare=False)

    def at(self, moment: datetime | None) -> Rule | None:
        """The rule at the local time of day of a moment."""
        if moment is None or self.hour is not None:
            return None
        return replace(self, hour=moment.hour, minute=moment.minute)

    def up_to(self, instant: datetime | None) -> Rule | None:
        """The rule up to an instant; a rule ends but once."""
        if instant is None or self.until is not None or self.count is not None:
            return None
        return replace(self, until=instant)

    def repeated(self, count: int | None) -> Rule | None:
        """The rule so many times; a rule ends but once."""
        if count is None or self.until is not None or self.count is not None:
            return None
        return replace(self, count=count)

    def text(self) -> str:
        """The rule as RFC 5545 writes it, without its end."""
        parts = [f"FREQ={self.freq}"]
        parts += [f"INTERVAL={self.interval}"] if self.interval > 1 else []
        parts += [f"BYDAY={','.join(self.byday)}"] if self.byday else []
        parts += [f"BYMONTH={self.bymonth}"] if self.bymonth else []
        if self.bymonthday:
            parts += [f"BYMONTHDAY={','.join(map(str, self.bymonthday))}"]
        if self.hour is not None:
            parts += [f"BYHOUR={self.hour}", f"BYMINUTE={self.minute}"]
        return ";".join(parts + [f"COUNT={self.count}"] * bool(self.count))


Step = Callable[[Rule, "re.Match[str]", Clock], "Rule | None"]


@dataclass(frozen=True, slots=True)
class Grammar:
    """How one language says when something recurs.

    ``heads`` start a rule and ``steps`` go on with it, each a pattern with what it makes of the
    rule so far. ``prompts`` are the words that ask to be told again, ``reminds`` those that ask to
    be told once, unless they say how long before (``shifted``).
    """

    first: re.Pattern[str]
    heads: Sequence[tuple[re.Pattern[str], Step]]
    steps: Sequence[tuple[re.Pattern[str], Step]]
    prompts: re.Pattern[str]
    reminds: re.Pattern[str]
    shifted: re.Pattern[str]


def until(rule: Rule, said: str, clock: Clock) -> Rule | None:
    """The rule up to an instant to come, in words that the reader of times knows."""
    instant = clock.instant(said)
    return None if instant is None or instant <= clock.now else rule.up_to(instant)


def lasting(rule: Rule, found: re.Match[str], clock: Clock) -> Rule | None:
    """The rule for a ``length`` of time from now on."""
    length = clock.length(found["length"])
    return None if length is None else rule.up_to(length.after(clock.now))


def read_recurrences(text: Text, clock: Clock, grammar: Grammar) -> Iterator[Found]:
    """The recurrences that are asked for, in order and without overlap."""
    prompted = grammar.prompts.search(text.asked) is not None
    if not prompted and len(text.asked) > _LENGTH:
        return
    place = 0
    while start := grammar.first.search(text.asked, place):
        # "Better every Friday at 4.", where nothing says that it is about a reminder.
        if not prompted and start.start() > _START:
            return
        found = _read(text, clock, grammar, start.start())
        if found is not None:
            yield found
        place = max(start.start() + 1, found.end if found else 0)


def _read(text: Text, clock: Clock, grammar: Grammar, start: int) -> Found | None:
    rule, end = _step(text.asked, start, Rule(), clock, grammar.heads)
    if rule is not None and not rule.freq:
        # A time of day came first: "at 9 every Monday".
        rest = text.asked[end : end + 3]
        rule, end = _step(
            text.asked, end + len(rest) - len(rest.lstrip()), rule, clock, grammar.heads
        )
    if rule is None:
        return None
    while True:
        later, place = _step(text.asked, end, rule, clock, grammar.steps)
        if later is None:
            return _checked(rule, clock, start, end) if rule.freq else None
        rule, end = later, place


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


def _checked(rule: Rule, clock: Clock, start: int, end: int) -> Found | None:
    """The recurrence, where its rule has an occurrence to come."""
    written = rule.text()
    try:
        due = next_occurrence(
            written, after=clock.now, start=clock.now, tz=clock.tz, until=rule.until
        )
    except UnreadableRule:
        return None
    if due is None:
        return None
    value = {"rrule": written}
    if rule.until is not None:
        value["until"] = format_instant(rule.until)
    return Found("recurrence", value, start, end)


def single(text: Text, clock: Clock, grammar: Grammar, times: Sequence[Found]) -> Iterator[Found]:
    """One reminder for each moment or length ahead in a sentence that asks to be reminded.

    A rule counts from now and has no other anchor, so only a moment within a year can be said.
    """
    for one in times:
        sentence = _sentence(text, one.start, one.end)
        if one.kind not in ("moment", "duration") or text.in_content(one.start, one.end):
            continue
        if grammar.reminds.search(sentence) is None or grammar.shifted.search(sentence):
            continue
        rule = _once(one, clock)
        found = None if rule is None else _checked(rule, clock, one.start, one.end)
        if found is not None:
            yield found


def _once(one: Found, clock: Clock) -> Rule | None:
    due = datetime.fromisoformat(one.value) if one.kind == "moment" else None
    if due is None:
        length = clock.length(str(one.value))
        due = None if length is None else length.after(clock.now)
    if due is None or not clock.now < due < clock.now + _YEAR:
        return None
    local = due.astimezone(clock.tz)
    rule = Rule("YEARLY", bymonth=local.month, bymonthday=(local.day,), count=1)
    # A day alone says no time of day: then it comes at that of now.
    whole = one.kind == "moment" and (local.hour, local.minute, local.second) == (0, 0, 0)
    return rule if whole else rule.at(local)


def _sentence(text: Text, start: int, end: int) -> str:
    """The sentence around a stretch, as far as it matters."""
    first = max(text.asked.rfind(mark, max(0, start - 200), start) for mark in ".;!?\n。")
    marks = (text.asked.find(mark, end, end + 200) for mark in ".;!?\n。")
    last = min((place for place in marks if place >= 0), default=end + 200)
    return text.asked[first + 1 : last]
