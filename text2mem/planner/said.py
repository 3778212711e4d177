"""Said: which words of a draft nobody has said, which numbers it has lost, and how what was said is
spelt."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from text2mem.editing.days import days_in
from text2mem.editing.kinds import CLOCKS, DAYS, EARLY, is_code, said_in, spans
from text2mem.ir.ops import READS
from text2mem.ir.times.clock_times import time_of_day
from text2mem.ir.times.moments import read_when, recurs
from text2mem.ir.times.numerals import named_numbers
from text2mem.ir.times.reading_clock import Clock
from text2mem.ir.words.folding import fold
from text2mem.ir.words.segment import query_terms
from text2mem.ir.words.slips import mended
from text2mem.planner.ask import Ask
from text2mem.planner.draft import Draft, Step

FILED = ("type", "subject", "place")
"""The slots, besides tags, under which a new memory is filed."""
_NOVEL = 0.34
"""The share of a text's terms that may be unsaid, such as other endings or words spelt out."""
_SHOWN = 60
"""The most characters that are shown of words that nobody said."""
_VALUE = re.compile(r"\d")
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_CODE = re.compile(r"(?<![^\W_])(?=[^\W\d_]*\d)(?=\d*[^\W\d_])[^\W_]+")
_MARKS = re.compile(r"[!#$%&*+=@~^_-]+(?=[\s.,;:?。，；？]|$)")
"""Marks that may end a code. A question mark ends the request."""
_FIGURES = re.compile(r"\d(?:[ -]?\d)+")
_RANGE = re.compile(r"\d{1,2}[ -]\d{1,2}")
"""Two short numbers, such as "10-18" or "14 30"."""


def as_requested(draft: Draft, ask: Ask) -> Draft:
    """The draft with the request's spelling. The whole request stands for a new memory or question
    that nobody said, and for the only new memory if that lacks a number. What a memory says that
    another step means was said: "from next week it's 40" keeps the rest in a new memory."""
    ids = [id_ for step in draft.steps for id_ in step.listed("ids")]
    meant = ask.store.find(ids).values() if ids and ask.store is not None else ()
    held = " ".join((ask.said, *(record.text for record in meant)))
    steps = []
    lost = len(draft.steps) == 1 and loses_a_number(ask.utterance, " ".join(draft.words()))
    for step in draft.steps:
        stored = (key for key in step.traits.stores if key in step.values)
        spelt = {key: as_said(step.words(key), ask.utterance) for key in stored}
        values = {**step.values, **spelt}
        if step.op == "Encode":
            if lost or any(unsaid(step, held, ask)):
                values["text"] = ask.utterance
            _file_as_said(values, step, ask)
        if step.op in READS and novel(step.words("about"), ask.said):
            values["about"] = ask.utterance
        steps.append(replace(step, values=values))
    return replace(draft, steps=tuple(steps))


def _file_as_said(values: dict[str, Any], step: Step, ask: Ask) -> None:
    """Drop what a new memory is filed under if nobody said it. A place that is an instant becomes
    its date; one that is a recurrence is dropped."""
    for key in FILED:
        if novel(step.words(key), ask.said):
            del values[key]
    place = str(values.get("place", ""))
    clock = Clock(ask.now, ask.tz)
    if recurs(place, clock):
        del values["place"]
    elif clock.instant(place) is not None:
        values.setdefault("date", values.pop("place"))


def unsaid(step: Step, held: str, ask: Ask) -> Iterator[tuple[str, str]]:
    """Yield each key of a step whose words ``held`` does not say, with these words, shortened. A
    date is said by any words for its day: 4 March by "tomorrow"."""
    for key in step.traits.stores:
        words = step.words(key)
        if novel(words, held) and novel(_without_its_days(words, ask), held):
            yield key, words if len(words) <= _SHOWN else f"{words[:_SHOWN].rstrip()}…"


def _without_its_days(words: str, ask: Ask) -> str:
    """Words without the dates of days that the request names."""
    clock = Clock(ask.now, ask.tz)
    said = (ask.utterance, mended(fold(ask.utterance)))
    days = {each.astimezone(ask.tz).date() for text in said for each in days_in(text, clock)}
    for first, last in reversed([*spans(words, DAYS)]):
        at = read_when(words[first:last], clock) or clock.instant(words[first:last])
        past = clock.range(words[first:last])
        read = {each.astimezone(clock.tz).date() for each in (at, past and past.start) if each}
        if read & days:
            words = f"{words[:first]} {words[last:]}"
    return words


def as_said(words: str, said: str) -> str:
    """``words`` with the accents, and the marks at the end of a code, that the request writes."""
    spelt = {_plain(found[0]): found[0] for found in _WORD.finditer(said)}

    def word(found: re.Match[str]) -> str:
        other = spelt.get(_plain(found[0]), found[0])
        return other if other.casefold() != found[0].casefold() else found[0]

    def code(found: re.Match[str]) -> str:
        at = said.find(found[0])
        marks = _MARKS.match(said, at + len(found[0])) if at >= 0 else None
        return found[0] + (
            marks[0] if marks and not words.startswith(marks[0], found.end()) else ""
        )

    return _WORD.sub(word, _CODE.sub(code, words))


def loses_a_number(said: str, written: str) -> bool:
    """Whether a long number is not written, nor another one as long ("3054, no, 3055")."""
    asked, kept = ({*_numbers(text)} for text in (said, written))
    lengths = {len(number) for number in kept}
    return any(is_code(each) and len(each) not in lengths for each in asked - kept)


def _numbers(text: str) -> Iterator[str]:
    """The digits of each number, with those that are written in groups as one."""
    for number in _FIGURES.findall(text):
        if not _RANGE.fullmatch(number):
            yield re.sub(r"\D", "", number)


def _plain(word: str) -> str:
    """A word in lower case and without accents."""
    decomposed = unicodedata.normalize("NFD", word.casefold())
    return "".join(char for char in decomposed if not unicodedata.combining(char))


def novel(words: str, held: str) -> list[str]:
    """The terms of ``words`` that ``held`` does not say; none if they are few and hold no value."""
    folded, known = held.casefold(), set(query_terms(held))
    terms = query_terms(words)
    fresh = [term for term in terms if term not in known and term not in folded]
    values = [term for term in fresh if _VALUE.search(term)]
    if values and named_numbers(words) <= named_numbers(held) | set(_of_clocks(held)):
        # The same number in another form: "the twenty-third" and 23.
        fresh, values = [term for term in fresh if term not in values], []
    return fresh if values or len(fresh) > _NOVEL * len(terms) else []


def _of_clocks(held: str) -> Iterator[float]:
    """The hours and minutes of the times of the day in a text: of "half past seven" 7, 19, 30."""
    for words in {*said_in(held, CLOCKS)}:
        at = time_of_day(fold(words), EARLY)
        if at is not None:
            yield from (at.hour, at.hour % 12, at.hour % 12 + 12, at.minute)
