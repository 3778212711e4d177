"""Read the times of a statement, and days that are values, as the turn that names them means."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, datetime, time, timedelta

from text2mem.ir.record import Record
from text2mem.ir.times.carried import is_bare_day
from text2mem.ir.times.moments import phrases_in, read_when
from text2mem.ir.times.reading_clock import Clock
from text2mem.ir.times.stretches import (
    EVER,
    NEVER,
    limit_of,
    read_stretches,
    until_it_begins,
)  # fmt: skip
from text2mem.ir.times.temporal import TimeRange
from text2mem.ir.times.tense import gone, is_past
from text2mem.ir.words.given import around
from text2mem.ir.words.segment import HAN, STOPWORDS, index_terms
from text2mem.ir.words.splitting import clauses
from text2mem.ledger.episode import Episode
from text2mem.ledger.statements.contract import Statement
from text2mem.ledger.statements.placing import Span, place

_LONGEST = 32
"""More characters than any day has."""
_WEEK = timedelta(days=7)
_LEAD = 6
"""How many characters before an end may hold its "until"."""
_DIGIT = re.compile(r"\d")
_RATHER = 0.65
"""The probability from which a clause that says since when something is so, or is over, means the
past day. A Chinese one tells too little."""


class Times:
    """The days and times of one turn."""

    def __init__(self, episode: Episode) -> None:
        self._text, self._at, self._tz = episode.text, episode.at, episode.tz
        self._clock = Clock(episode.at, episode.tz)

    def day(self, words: str, near: date | None, *, told: bool, exact: bool) -> str | None:
        """The ISO date of the day that words name as a value; None if they name none. Of several
        months it is in the one nearest to the day ``near`` that it replaces; if it is ``told``
        anew, as its sentence says. Unless ``exact``, a time of day counts as its day."""
        if exact and len(words) >= _LONGEST:
            return None
        if (day := self._relative(words)) is not None:
            return day
        if exact and not _DIGIT.search(words):
            return None
        day = self._day(words, self._at, exact=exact)
        if day is None or near is None:
            return (day and told and self._meant(words, exact=exact)) or day
        # "the 14th" in place of a held day may be in that day's month.
        first = self._midnight(near.replace(day=1))
        other = self._day(words, first, exact=exact) or day
        return min(day, other, key=lambda iso: abs(date.fromisoformat(iso) - near))

    def _relative(self, words: str) -> str | None:
        """The ISO date of a day that words name by its distance from the turn: "tomorrow", 下周三.
        A bare weekday, a holiday or the end of the month may stand for one of many."""
        day, later = (self._day(words, now, exact=True) for now in (self._at, self._at + _WEEK))
        if day is None or later is None or len(read_stretches(words, self._clock)) > 1:
            return None
        return day if date.fromisoformat(later) - date.fromisoformat(day) == _WEEK else None

    def _meant(self, words: str, *, exact: bool) -> str | None:
        """The ISO date of a day that the sentence says more of: the past one, if that is nearer and
        it tells of what has been; for the 19th in "on 12 June, back on the 19th" that after the
        coming day that it names with its month before it. None if it says no more."""
        span = place(self._text, words)
        if span is None:
            return None
        before, ahead = self._past(words, span), self._clock.instant(words)
        if before and ahead and self._at - before < ahead - self._at:
            return self._local(before)
        if not is_bare_day(words):
            return None
        start, _ = around(self._text, span)
        named = phrases_in(self._text[start : span[0]])
        days = (self._day(each, self._at, exact=False) for each in named if not is_bare_day(each))
        found = max(filter(None, days), default=None)
        coming = self._midnight(date.fromisoformat(found)) if found else self._at
        return self._day(words, coming, exact=exact) if coming > self._at else None

    def _day(self, words: str, now: datetime, *, exact: bool) -> str | None:
        """The ISO date of the day (or time of day, unless ``exact``) that words name at ``now``."""
        clock = Clock(now, self._tz)
        span = clock.range(words)
        if span is None:
            return None
        days = (span.end - span.start).total_seconds() / 86_400
        if days > 1.1 or (exact and days < 0.9):
            return None
        return self._local(clock.instant(words) or span.start)

    def _past(self, words: str, span: Span) -> datetime | None:
        """The past instant that words in the turn mean, if their sentence tells of the past."""
        start, end = around(self._text, span)
        return gone(self._text[start:end], words, self._clock)

    def _rather_past(self, words: str, span: Span) -> datetime | None:
        """The same, also if their clause rather tells of the past."""
        start, end = around(self._text, span)
        if (past := self._past(words, span)) is not None or HAN.search(self._text[start:end]):
            return past
        cuts = [start, *(start + cut for cut in clauses(self._text[start:end])), end]
        first = max(cut for cut in cuts if cut <= span[0])
        last = min((cut for cut in cuts if cut >= span[1]), default=end)
        beside = f"{self._text[first : span[0]]} {self._text[span[1] : last]}"
        if not {*index_terms(beside)} - STOPWORDS:
            return None  # a day alone tells nothing
        return gone(self._text[first:last], words, self._clock, _RATHER)

    def _midnight(self, day: date) -> datetime:
        return datetime.combine(day, time(), self._tz)

    def _local(self, at: datetime) -> str:
        return at.astimezone(self._tz).date().isoformat()

    def of(
        self, statement: Statement, moved: Record | None = None
    ) -> tuple[datetime | None, datetime | None, datetime | None]:
        """The instants of ``when`` and ``until`` that were said and can be read, in order, and,
        without an ``until``, the last past instant of ``when``. ``moved`` is the version whose
        beginning or end a correction moves; that of a plan stays ahead."""
        near, until_near = (moved.begins, moved.valid_to) if moved else (None, None)
        text, clock = self._text, self._clock
        begins = ends = latest = None
        span = place(text, statement.when) if statement.when else None
        last = place(text, statement.until) if statement.until else None
        if span is not None:
            words = _closed(statement.when)
            # In "from the 6th to 17 April", the month of the first is that of the last.
            until = _closed(text[span[0] : last[1]]) if last else ""
            two_ends = clock.both_ends(until) or clock.both_ends(words)
            stretches = two_ends or self._stretches(words, near)
            ahead = [s for s in stretches if s.end > self._at] if near and near > self._at else []
            nearest = min(
                ahead or stretches, key=lambda s: abs(s.start - (near or self._at)), default=None
            )
            begins = nearest.start if nearest else read_when(words, clock)
            latest = min(nearest.end, self._at) if nearest else None
            ends = nearest.end if nearest and two_ends else None
            if not two_ends:
                past, limit = self._rather_past(statement.when, span), ""
                if nearest and nearest.start == self._at < nearest.end < NEVER:
                    limit = limit_of(words, clock)
                if past is not None:
                    begins = past
                elif nearest and limit in ("before", "by"):
                    begins, latest = nearest.end, None
                elif nearest and limit == "up to":
                    begins, ends = None, nearest.end
        if last is not None and ends is None:
            words = _closed(statement.until)
            said = text[max(0, last[0] - _LEAD) : last[1]]
            month = until_it_begins(words, clock) or until_it_begins(said.strip(), clock)
            stretches = month or self._stretches(words, until_near)
            fit = [s.end for s in stretches if moved is None or s.end > moved.begins]
            if until_near is not None and fit:
                ends = min(fit, key=lambda end: abs(end - until_near))
            else:
                ends = self._end(statement.until, last, stretches) or read_when(words, clock)
        begins, ends = None if begins == EVER else begins, None if ends == NEVER else ends
        if begins is not None and ends is not None and ends <= begins:
            return None, None, None
        return begins, ends, latest if ends is None else None

    def _stretches(self, words: str, near: datetime | None) -> Sequence[TimeRange]:
        """The stretches that words may mean; of a bare day also those around ``near``."""
        found = read_stretches(words, self._clock, roughly=True)
        if near is None or not is_bare_day(next(iter(phrases_in(words)), words)):
            return found
        return (*found, *read_stretches(words, Clock(near, self._tz), roughly=True))

    def _end(self, words: str, span: Span, stretches: Sequence[TimeRange]) -> datetime | None:
        """The end of the stretch that words after "until" mean: the coming one, but the past one if
        that is nearer and its sentence tells of what has been."""
        gone = [each.end for each in stretches if each.end <= self._at]
        coming = [each.end for each in stretches if each.end > self._at]
        if not gone or not coming:
            return next(iter(coming or gone[-1:]), None)
        start, end = around(self._text, span)
        day = next(iter(phrases_in(words)), words)
        ago, ahead = self._at - gone[-1], coming[0] - self._at
        was = ago < ahead and is_past(self._text[start:end], day, ago, ahead)
        return gone[-1] if was else coming[0]


def _closed(words: str) -> str:
    """The words without blanks if they are Chinese, which is how times are read."""
    return "".join(words.split()) if HAN.search(words) else words
