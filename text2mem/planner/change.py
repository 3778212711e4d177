"""Change: the instances of an Update, which changes a memory's text, reminder or end."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, time, timedelta
from itertools import pairwise

from text2mem.editing.agreeing import agreeing, next_day
from text2mem.editing.days import days_in, moment_in
from text2mem.editing.edit import appended, exchange, other_moment, summed
from text2mem.editing.kinds import CLOCKS, DAYS, spans
from text2mem.editing.lists import item_of
from text2mem.editing.moved import moved
from text2mem.ir.exchange import exchanged, places
from text2mem.ir.ops import Exchange
from text2mem.ir.record import Record
from text2mem.ir.times.anchored import later, moved_by
from text2mem.ir.times.duration import DAY
from text2mem.ir.times.leaning import day_beside
from text2mem.ir.times.numerals import named_numbers
from text2mem.ir.times.reading_clock import Clock
from text2mem.ir.times.rrule import zone_key
from text2mem.ir.times.sums import amount_in, length_of
from text2mem.ir.times.temporal import format_instant
from text2mem.ir.words.folding import fold
from text2mem.ir.words.given import cuts
from text2mem.ir.words.segment import STOPWORDS, index_terms, query_terms
from text2mem.planner.reminder import rung
from text2mem.planner.rule_moved import rung_by_rule
from text2mem.planner.work import Instance, Work

_STOPS = {"reminder": "remind", "end": "expire_at"}
_WRITTEN = 0xE000
"""The first of the characters that mark words which stay as they are."""
_DAY, _MINUTE = timedelta(days=1), timedelta(minutes=1)
_BESIDE = 160
"""A request of more characters is not added to a memory whole; only its new words are."""


def change(work: Work) -> None:
    """Add the instances of an Update to ``work``."""
    step, link = work.step, work.link
    if step.words("stop"):
        work.add({"set": {_STOPS[step.words("stop")]: None}})
        if not {"old", "new", "text", "add"} & set(step.values):
            return
    if step.words("text"):
        _say(work, step.words("text"))
        return
    if step.words("add"):
        for record in link.records:
            _add_to(work, record, step.words("add"))
        if not link.records:
            work.problem("nothing-found", "about", "there is no memory to add to")
        return
    if not (step.words("new") or step.words("old")):
        if any(record.away for record in link.records):
            work.bring_back()
            return
        if link.missing and not link.records:
            work.problem("nothing-found", "about", "there is no memory to change")
        else:
            work.problem("missing-key", "new", "it is not said what the memory should say")
        return
    if not link.records and link.step is not None:
        if {"plus", "minus"} & set(step.values):
            work.problem("words-not-found", "old", "what is only made now has no number to sum")
        else:
            work.add({"replace": {"old": step.words("old"), "new": step.words("new")}})
        return
    for record in link.records:
        _exchange(work, record)


def _say(work: Work, words: str) -> None:
    """Replace the whole text of memories; of a fact, its value."""
    records = work.link.records
    facts = any(record.is_fact for record in records)
    for record in records:
        work.so_far.change(record, text=words)
        if facts:
            edits = {"value" if record.is_fact else "text": words}
            work.add({"set": edits}, target={"ids": [record.id]})
    if not facts:
        work.add({"set": {"text": words}})


def _add_to(work: Work, record: Record, words: str) -> None:
    """Add words to a memory. An append-only memory, and a fact, get a new memory for them."""
    if record.lock_mode == "append_only" or record.is_fact:
        work.add({"payload": {"text": words}, "lineage_parents": [record.id]}, "Encode")
        return
    held = work.so_far.now(record).text
    if fold(item_of(held, words) or "") == fold(words):
        work.note("says-already", "add", "says-already", id=record.id, words=words)
    else:
        text = appended(held, words)
        work.so_far.change(record, text=text)
        work.add({"set": {"text": text}}, target={"ids": [record.id]})


def _exchange(work: Work, record: Record) -> None:
    """Exchange words in the text of a memory, for a sum or for what is said in their place. An
    amount that changes no words moves the memory's own time; else what was said is added."""
    old, new = work.step.words("old"), work.step.words("new")
    held, said, clock = work.so_far.now(record), work.so_far.said, work.clock
    (text, written), (amount, up) = _to_exchange(work, record), _amount(work)
    if (days := day_beside(new)) is not None and (beside := next_day(text, old, days, clock)):
        _replace(work, record, text, beside, written)
        return
    if amount:
        found = None if _takes_all(work) else _sum(work, record, amount, up=up)
    else:
        found = None if work.doubted else exchange(text, old, new, said)
    found = found and agreeing(text, found, clock, None if amount else said)
    if found is not None:
        _replace(work, record, text, found, written)
        return
    lasts = length_of(old) is not None  # what lasts longer is at the same time
    shifted = bool(amount) and not lasts and _shift(work, record, amount, up=up)
    length = clock.length(amount) if shifted else None
    hours = length is not None and length.seconds % DAY
    if length is None or (any(spans(text, CLOCKS)) if hours else _tells_day(held, clock)):
        _stand_beside(work, record)  # else it would tell another time


def _to_exchange(work: Work, record: Record) -> tuple[str, tuple[str, ...]]:
    """The text of a memory, and the words that its marks stand for: those that the steps before
    have put there, if the memory said them elsewhere, too ("swap Ann and Ben")."""
    text = work.so_far.now(record).text
    before, last, written = work.so_far.exchanged.get(record.id, ("", Exchange("", ""), ()))
    twice = last.new == work.step.words("old") and places(before, last.new)
    if record.is_fact or not twice or _unmarked(exchanged(before, last) or "", written) != text:
        return text, ()
    mark = chr(_WRITTEN + len(written))
    return exchanged(before, replace(last, new=mark)) or text, (*written, last.new)


def _unmarked(text: str, written: tuple[str, ...]) -> str:
    """A text with these words in place of its marks."""
    return text.translate({_WRITTEN + n: words for n, words in enumerate(written)})


def _tells_day(held: Record, clock: Clock) -> bool:
    """Whether the text of a memory may tell its day, and not only another: the second
    floor, May."""
    if held.time is None:
        return any(spans(held.text, DAYS))
    clocks = Clock(held.created_at, clock.tz), clock
    days = (day for each in clocks for day in days_in(held.text, each))
    told = {day.astimezone(clock.tz).weekday() for day in days}
    return held.time.astimezone(clock.tz).weekday() in told


def _sum(work: Work, record: Record, amount: str, *, up: bool) -> Exchange | None:
    """The exchange for the sum of a memory's words and an amount. The day that a memory is on is
    meant also where another one is said, as of several memories."""
    held, old = work.so_far.now(record), work.step.words("old")
    said, clock = work.so_far.said, work.clock
    found = summed(held.text, old, amount, said, up=up, clock=clock)
    other = other_moment(held.text, old) if found is None and held.time else None
    if other is None:
        return found
    found = summed(held.text, other, amount, said, up=up, clock=clock)
    tells = found and moved(held.time, record, held.text, found, clock)  # no second floor
    return found if tells else None


def _amount(work: Work) -> tuple[str, bool]:
    """By what a value changes, and whether it increases; empty if it is exchanged."""
    step, new = work.step, fold(work.step.words("new"))
    amount = amount_in(step.words("plus") or step.words("minus"))
    if amount or not step.words("old"):
        return amount, bool(step.words("plus"))
    return moved_by(new, work.clock) or ("", False)


def _replace(
    work: Work, record: Record, text: str, edit: Exchange, written: tuple[str, ...]
) -> None:
    """Exchange words of a memory, and move its time and end if they hold them. A memory of which
    nothing is left is deleted. ``written`` is as in ``_to_exchange``."""
    if edit.old == edit.new:
        work.note("says-already", "new", "says-already", id=record.id, words=edit.new)
        return
    made = exchanged(text, edit) or ""
    if not made.strip():
        work.add({}, "Delete", target={"ids": [record.id]})
        return
    made = _unmarked(made, written)
    edits = {"set": {"text": made}} if written else {"replace": {"old": edit.old, "new": edit.new}}
    work.so_far.exchanged[record.id] = text, edit, written
    work.so_far.change(record, text=made)
    work.add(edits, target={"ids": [record.id]})
    _move(work, record, text, edit)


def _takes_all(work: Work) -> bool:
    """Whether a number would go down to 0 although the request does not say that number: after "it
    is paid", the amount that was owed stays in the text."""
    least = named_numbers(work.step.words("minus"))
    held, said = named_numbers(work.step.words("old")), named_numbers(work.so_far.said)
    return bool(least) and least == held and least.isdisjoint(said)


def _shift(work: Work, record: Record, amount: str, *, up: bool) -> bool:
    """Move the memory's own time, and its one reminder to come; return whether there are any. Hours
    do not move a time that is a day."""
    length = work.clock.length(amount)
    held = work.so_far.now(record)
    day = held.time is not None and held.time == work.clock.midnight(held.time)
    if length is None or (day and length.seconds % DAY):
        return False
    at, rings = (
        later(each, length, work.clock, back=not up) if each else None
        for each in (held.time, held.remind_next)
    )
    if at and held.time and held.remind_next:
        rings = rung(held.remind_next, held.time, at, work.clock)
    return _set(work, record, at, rings)


def _stand_beside(work: Work, record: Record) -> None:
    """Add what was said, since it is not clear what it replaces; a problem if it is nothing, or if
    an earlier step has replaced words of the memory: then not all of them would stay."""
    text = work.so_far.now(record).text
    said = _sentences_about(work.so_far.said, f"{text} {work.step.words('new')}")
    beside = said if 0 < len(said) <= _BESIDE else work.step.words("new")
    if not (work.step.adds and beside and record.text in text):
        old = work.step.words("old")
        why = f"does not say what {old!r} becomes" if old in text else f"does not say {old!r}"
        work.problem("words-not-found", "old", f"memory {record.id} {why}")
        return
    if not any(words in text for words in (said, beside) if words):
        _add_to(work, record, beside)
    work.note("words-not-found", "old", "added", id=record.id)


def _sentences_about(said: str, held: str) -> str:
    """The sentences of a request that share terms with ``held``; the whole request if none does."""
    parts = [said[first:last] for first, last in pairwise(cuts(said))]
    about = {*index_terms(held)} - STOPWORDS
    told = "".join(part for part in parts if about.intersection(query_terms(part)))
    return (told or said).strip()


def _move(work: Work, record: Record, before: str, edit: Exchange) -> None:
    """Move the memory's time and its end, if changed words hold them, and its reminder with the
    time, or with the one moment that the text of a memory without a time names; if it recurs, with
    the weekday or the day of the month that the text names."""
    clock, held = work.clock, work.so_far.now(record)
    was = held.time or moment_in(before, Clock(record.created_at, clock.tz), clock)
    will = moved(was, record, before, edit, clock)
    end = moved(held.expire_at, record, before, edit, clock)
    if end is None and held.expire_at and held.expire_at == clock.midnight(held.expire_at):
        end = _next_midnight(held.expire_at, record, before, edit, clock)
    rings = rung(held.remind_next, was, will, clock) if held.remind_next and was and will else None
    _set(work, record, will if held.time else None, rings, end)
    if (
        held.remind_rrule
        and (moves := rung_by_rule(held, before, edit, work.so_far.said, clock)) is not None
    ):
        rule, rings = moves
        work.so_far.change(
            record, remind_rrule=rule["rrule"], remind_next=rings, remind_tz=zone_key(clock.tz)
        )
        work.add({"set": {"remind": rule}}, target={"ids": [record.id]})


def _next_midnight(
    end: datetime, record: Record, before: str, edit: Exchange, clock: Clock
) -> datetime | None:
    """The end of what ends with the day that its text names, after another day is named."""
    last = moved(end - _MINUTE, record, before, edit, clock)
    if last is None or clock.midnight(last) == clock.midnight(end - _MINUTE):
        return None
    return datetime.combine(last.astimezone(clock.tz).date() + _DAY, time(), clock.tz)


def _set(
    work: Work, record: Record, at: datetime | None, rings: datetime | None,
    end: datetime | None = None,
) -> bool:  # fmt: skip
    """Set the time, the one reminder and the end of a memory to other instants, and return whether
    any is set: the last two only if they are to come, and no reminder that recurs."""
    edits: Instance = {}
    if at is not None:
        edits["time"] = format_instant(at)
        work.so_far.change(record, time=at)
    if rings is not None and rings > work.clock.now and record.remind_rrule is None:
        edits["remind"] = {"at": format_instant(rings)}
        work.so_far.change(record, remind_next=rings)
    if end is not None and end > work.clock.now:
        edits["expire_at"] = format_instant(end)
        work.so_far.change(record, expire_at=end)
    if edits:
        work.add({"set": edits}, target={"ids": [record.id]})
    return bool(edits)
