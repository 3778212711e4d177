"""Since when and until when: the times that stand beside what an English clause states."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta

from text2mem.ir.phrases_en import DATE, MONTH, UNIT, WEEKDAY, YEAR
from text2mem.ir.reading_clock import Clock
from text2mem.ledger.episode import Episode

_SECOND = timedelta(seconds=1)
_COUNT = r"(?:an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\d{1,3})"
_DAY = (
    r"(?:the day (?:after tomorrow|before yesterday)|today|tonight|tomorrow|yesterday|last night|"
    r"this (?:morning|afternoon|evening))"
)
_EDGE = r"(?:the )?(?:very )?(?:start|beginning|end|middle)"
_PERIOD = (
    rf"(?:{MONTH} (?:of )?{YEAR}|(?:last |this |next |the (?:last |next )?)(?:{MONTH}|year|month|"
    rf"week|quarter|{WEEKDAY})|{YEAR}|{WEEKDAY}(?: (?:next|last|this) week)?|{MONTH}(?![a-z]))"
)
POINT = (
    rf"(?:{_EDGE} of (?:the )?(?:{_PERIOD})|{_DAY}|{DATE}|{_COUNT} {UNIT} ago|in {_COUNT} {UNIT}|"
    rf"{_PERIOD})"
)
"""A day, month, year or other point as people name it, in lower case."""
_SINCE = re.compile(
    rf"(?<![\w-])(?:(?P<since>ever since|since)|(?P<from>(?:starting|beginning|effective)(?: from| "
    rf"on| in)?|as (?:of|from)|with effect from|from)) (?P<point>{POINT})(?: on(?:wards?)?|"
    rf" forward)?(?![\w-])"
)
_ONWARDS = re.compile(rf"(?<![\w-])(?:on |in )?(?P<point>{POINT}) onwards?(?![\w-])")
_SPAN = re.compile(
    rf"(?<![\w-])(?:from|between) (?P<first>{POINT}) (?:until|till|to|through|and) "
    rf"(?P<last>{POINT})(?![\w-])"
)
_UNTIL = re.compile(
    rf"(?<![\w-])(?:(?:up )?(?P<until>until|till|'til|up to)|(?P<through>through)|"
    rf"(?P<before>before)) (?P<point>{POINT})(?![\w-])"
)
_WHEN = re.compile(
    rf"(?<![\w-])(?:(?:back )?(?:on|in|at|by) )?(?P<point>{POINT})(?! (?:one|meeting|standup)\b)"
    r"(?![\w-]|'s|:\d)"
)
_LASTED = re.compile(
    rf"(?<![\w-])for (?:the (?:last|past) )?(?:about |almost |over |nearly )?"
    rf"(?P<length>{_COUNT} {UNIT})(?: now)?(?![\w-])"
)
_DATED = re.compile(rf"(?:the |on |by |for |to |it's )*(?P<point>{POINT})")
FIRST_DATE = re.compile(
    rf"(?<![\w-])(?P<point>{_EDGE} of (?:the )?{_PERIOD}|{_DAY}|{DATE}|in {_COUNT} {UNIT}|"
    rf"{_PERIOD})"
    r"(?![\w-])"
)
"""The first point of time in a text."""


@dataclass(frozen=True, slots=True)
class Adjunct:
    """A time beside a statement, from ``start`` to ``end`` in the text.

    ``begins`` and ``ends`` are since when and until when; ``when`` is a day without such a word,
    which counts for a change alone: as past and as to come.
    """

    start: int
    end: int
    begins: datetime | None = None
    ends: datetime | None = None
    when: tuple[datetime, datetime] | None = None


class Times:
    """The times of an episode, by its clock."""

    def __init__(self, episode: Episode) -> None:
        self._clock = Clock(episode.at, episode.tz)
        self._tz = episode.tz
        self._at = episode.at

    def past(self, words: str) -> tuple[datetime, datetime] | None:
        """The first instant of a point, and the first one after it; the nearest one past."""
        words, edge = _edge(words)
        found = self._clock.range(words) or self._clock.range(f"in {words}")
        if found is None:
            return None
        start, end = found.start, found.end + _SECOND
        return (end, end) if edge == "end" else (start, end)

    def ahead(self, words: str) -> tuple[datetime, datetime] | None:
        """The same for the nearest one to come."""
        body, edge = _edge(words)
        first = self._clock.instant(body) or self._clock.instant(f"in {body}")
        if first is None:
            return None
        last = self._clock.instant(f"until {body}") or first
        return (last + _SECOND,) * 2 if edge == "end" else (first, last + _SECOND)

    def near(self, words: str) -> tuple[datetime, datetime] | None:
        """The nearer of both; a weekday is one to come."""
        past, ahead = self.past(words), self.ahead(words)
        if past is None or ahead is None or re.fullmatch(rf"(?:next )?{WEEKDAY}", words):
            return ahead or past
        return past if self._at - past[0] < ahead[0] - self._at else ahead

    def date(self, words: str) -> str | None:
        """The day that a text is, as YYYY-MM-DD; to come, where it names no year."""
        found = _DATED.fullmatch(words.strip(" .,;!").lower())
        first = None
        if found:
            first = self._clock.instant(found["point"]) or self._clock.instant(
                f"in {found['point']}"
            )
        return None if first is None else first.astimezone(self._tz).date().isoformat()

    def adjuncts(self, clause: str) -> list[Adjunct]:
        """The times beside what a clause states, without overlap."""
        lower = clause.lower()
        found: list[Adjunct] = []
        for read in (self._spans, self._sinces, self._untils, self._lengths, self._whens):
            for one in read(lower):
                if not any(one.start < other.end and other.start < one.end for other in found):
                    found.append(one)
        return found

    def _spans(self, lower: str) -> list[Adjunct]:
        out = []
        for span in _SPAN.finditer(lower):
            first, last = self.past(span["first"]), self.past(span["last"])
            if first and last and first[0] < last[1]:
                out.append(Adjunct(*span.span(), begins=first[0], ends=last[1]))
        return out

    def _sinces(self, lower: str) -> list[Adjunct]:
        out = []
        for one in _SINCE.finditer(lower):
            read = self.past if one["since"] else self.near
            if point := read(one["point"]):
                out.append(Adjunct(*one.span(), begins=point[0]))
        for one in _ONWARDS.finditer(lower):
            if point := self.near(one["point"]):
                out.append(Adjunct(*one.span(), begins=point[0]))
        return out

    def _untils(self, lower: str) -> list[Adjunct]:
        out = []
        for one in _UNTIL.finditer(lower):
            past = re.search(r"\b(?:was|were|lived|worked|used|had|did|\w+ed)\b", lower)
            if point := (self.past if past else self.ahead)(one["point"]):
                ends = point[1] if one["through"] else point[0]
                out.append(Adjunct(*one.span(), ends=ends))
        return out

    def _lengths(self, lower: str) -> list[Adjunct]:
        out = []
        for one in _LASTED.finditer(lower):
            ago = self._clock.instant(f"{one['length']} ago")
            if ago and re.search(r"(?:have|has|'ve|'s) (?:been|lived|worked)|been \w+ing", lower):
                out.append(Adjunct(*one.span(), begins=ago))
        return out

    def _whens(self, lower: str) -> list[Adjunct]:
        out = []
        for one in _WHEN.finditer(lower):
            if one["point"] in ("may", "mar", "march", "sun", "sat") and lower[one.start()] != "i":
                continue
            past, ahead = self.past(one["point"]), self.ahead(one["point"])
            if past or ahead:
                when = ((past or ahead or (self._at,))[0], (ahead or past or (self._at,))[0])
                out.append(Adjunct(*one.span(), when=when))
        return out


def _edge(words: str) -> tuple[str, str | None]:
    """The period of "the end of June", and which edge of it is meant."""
    lead = re.match(r"(?:the )?(?:very )?(start|beginning|end|middle) of (?:the )?(.+)", words)
    if lead is None:
        return words.removeprefix("the ") if words.startswith("the ") else words, None
    return lead[2], "end" if lead[1] == "end" else "start"
