"""Values that stand in a clause, found by their look alone: dates, numbers, addresses, names."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Literal

from text2mem.ir.reading_clock import Clock
from text2mem.ir.written_dates import read_date
from text2mem.ledger.episode import Episode
from text2mem.ledger.extraction.english.people import NAME, is_name
from text2mem.ledger.extraction.english.times import FIRST_DATE, Times
from text2mem.ledger.extraction.english.values import EMAIL, PHONE, number, phone

Kind = Literal["date", "number", "phone", "email", "name", "text"]
_NUMBER = re.compile(
    r"(?<![\w.,-])\d{1,3}(?:,\d{3})+(?:\.\d+)?(?![\w-])|(?<![\w.,-])\d{1,9}(?:\.\d+)?(?![\w-])"
)
_CODED = re.compile(r"`([^`\n]{1,80})`|\"([^\"\n]{1,80})\"|“([^”\n]{1,80})”|「([^」\n]{1,80})」")
_PLACE = re.compile(
    r"\b(?:in|at|on|under|behind|above|next to|inside|near|beside|between|below)\s+(?:the|my|our|"
    r"a)\s+[^,.;!?\n]{2,60}",
    re.IGNORECASE,
)
_CHINESE_DATE = re.compile(
    r"(?:\d{4}年|明年|今年)?\d{1,2}月(?:\d{1,2}[日号]|底|初|中旬)?|\d{1,2}[日号]|下?周[一二三四五六日天]"
)


@dataclass(frozen=True, slots=True)
class Found:
    """A value, how it is shown to a model, and what kind it is."""

    shown: str
    value: Any
    kind: Kind


def kind_of(value: Any) -> Kind:
    """What kind a stored value is."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return "number"
    text = str(value)
    if read_date(text):
        return "date"
    if re.fullmatch(EMAIL, text):
        return "email"
    if re.fullmatch(r"\+?\d{6,15}", text):
        return "phone"
    return "name" if re.fullmatch(NAME, text) else "text"


def values_in(episode: Episode, start: int, end: int) -> list[Found]:
    """The values of a stretch of a text, each once, in their order of kinds."""
    words = episode.text[start:end]
    found: list[Found] = []
    rest = words
    for one in FIRST_DATE.finditer(words.lower()):
        if day := Times(episode).date(one["point"]):
            found.append(Found(day, day, "date"))
            rest = _without(rest, one)
    clock = Clock(episode.at, episode.tz)
    for one in _CHINESE_DATE.finditer(rest):
        if at := clock.instant(one[0]):
            shown = at.astimezone(episode.tz).date().isoformat()
            found.append(Found(shown, shown, "date"))
            rest = _without(rest, one)
    for one in re.finditer(EMAIL, rest):
        found.append(Found(one[0], one[0], "email"))
        rest = _without(rest, one)
    for one in _CODED.finditer(rest):
        text = next(group for group in one.groups() if group)
        found.append(Found(text, text, "text"))
        rest = _without(rest, one)
    for one in re.finditer(PHONE, rest):
        if phone(one[0]):
            found.append(Found(one[0].strip(), one[0].strip(), "phone"))
            rest = _without(rest, one)
    for one in _NUMBER.finditer(rest):
        counted = number(one[0])
        if counted is not None:
            found.append(Found(one[0], counted, "number"))
    for one in re.finditer(NAME, rest):
        if is_name(one[0]) and (one.start() > 0 or " " in one[0]):
            found.append(Found(one[0], one[0], "name"))
    for one in _PLACE.finditer(words):
        found.append(Found(one[0].strip(" .,!"), one[0].strip(" .,!"), "text"))
    return list({one.shown: one for one in found}.values())[:16]


def _without(text: str, one: re.Match[str]) -> str:
    return text[: one.start()] + " " * (one.end() - one.start()) + text[one.end() :]
