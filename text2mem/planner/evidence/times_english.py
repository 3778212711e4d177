"""English times of an utterance: deadlines, windows, ages, lengths and moments."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from text2mem.planner.evidence import times_en as en
from text2mem.planner.evidence.text import Text
from text2mem.planner.evidence.times import (
    BEFORE_LENGTH,
    Clock,
    Found,
    format_instant,
    older,
    relative,
    since,
    until,
    window,
)

Reading = Callable[["_Phrase"], "Found | None"]


def read_english(text: Text, clock: Clock) -> Iterator[Found]:
    """The times that are said in English, in order and without overlap."""
    place = 0
    while found := en.FIRST.search(text.open, place):
        shapes = [
            (shape.end(), order, shape, read)
            for order, (pattern, read) in enumerate(_SHAPES)
            if (shape := pattern.match(text.open, found.start()))
        ]
        place = found.start() + 1
        for end, _, shape, read in sorted(shapes, key=lambda one: (-one[0], one[1])):
            said = read(_Phrase(text, clock, shape))
            # A phrase that means nothing is passed as a whole: no part of it means anything else.
            place = max(place, end)
            if said is not None:
                yield said
                place = max(place, said.end)
                break


class _Phrase:
    """A phrase that has the shape of a time, and what stands around it."""

    def __init__(self, text: Text, clock: Clock, shape: re.Match[str]) -> None:
        self.text, self.clock, self.shape = text, clock, shape
        self.start, self.end = shape.span()
        self.words = shape[0]
        self.stored = text.in_content(self.start, self.end)
        self._before = text.open[max(0, self.start - BEFORE_LENGTH) : self.start]

    def after(self, pattern: re.Pattern[str]) -> int | None:
        """Where the lead that ends right before the phrase starts."""
        found = pattern.search(self._before)
        return None if found is None else self.start - len(self._before) + found.start()

    def before(self, pattern: re.Pattern[str]) -> int | None:
        """Where what follows right after the phrase ends."""
        found = pattern.match(self.text.open, self.end)
        return None if found is None else found.end()

    def as_moment(self, words: str | None = None) -> Found | None:
        instant = self.clock.instant(words or self.words)
        if instant is None:
            return None
        return Found("moment", format_instant(instant), self.start, self.end)

    def as_length(self, words: str, start: int | None = None, end: int | None = None) -> Found | None:
        length = self.clock.length(words)
        if length is None:
            return None
        said = length.isoformat()
        return Found("duration", said, self.start if start is None else start, end or self.end)


def _lengths(words: str) -> str:
    found = en.PLAIN.search(words)
    return found[0] if found else ""


def _older(one: _Phrase) -> Found | None:
    """Older than a length, or no older than that; None where nothing is compared."""
    lead, more, trail = one.shape["lead"] or "", one.shape["more"] or "", one.shape["trail"]
    plain = lead.endswith("than ") and not lead.startswith(("more than", "less", "fewer", "no more"))
    if one.stored or not (plain or more or (lead and trail)):
        return None
    length = one.clock.length(one.shape["length"])
    if length is None:
        return None
    if lead.startswith(("new", "young", "more rec", "fresh", "no", "less", "few", "at most")) or (
        more.endswith(("newer", "less"))
    ):
        value = relative(length, one.words)
        return None if value is None else Found("window", value, one.start, one.end)
    return Found("age", {"older_than": length.isoformat()}, one.start, one.end)


def _recent(one: _Phrase) -> Found | None:
    near, unit = one.shape["near"], one.shape["one"]
    words = f"one {unit}" if unit else f"{one.shape['count']} {one.shape['unit']}"
    words += one.shape["half"] or ""
    length = None if one.stored else one.clock.length(words)
    if length is None or (unit in ("second", "minute") and one.after(en.HOUR) is not None):
        return None
    if near in ("next", "coming", "following"):
        start = one.after(en.AHEAD)
        return one.as_length(words, start)
    value = relative(length, words)
    return None if value is None else Found("window", value, one.start, one.end)


def _past(one: _Phrase) -> Found | None:
    length = None if one.stored else one.clock.length(f"one {one.shape['unit']}")
    value = None if length is None else relative(length, one.words)
    return None if value is None else Found("window", value, one.start, one.end)


def _between(one: _Phrase) -> Found | None:
    found = one.clock.range(one.words)
    if found is None or one.stored or found.start > one.clock.now:
        return None
    return Found("window", window(found), one.start, one.end)


def _plain(one: _Phrase) -> Found | None:
    """A length, where it lies ahead or is all that is said."""
    if one.stored or any(one.after(lead) is not None for lead in (en.TIMELESS, en.CHOICE)):
        return None
    ahead, living = one.after(en.AHEAD), one.before(en.TO_LIVE)
    single = one.words.startswith(("a ", "an ", "one ")) and "half" not in one.words
    if single and one.words.endswith(("second", "minute")):
        return None
    if ahead is not None:
        return one.as_length(one.words, ahead)
    if living is not None or one.after(en.GIVEN) is not None:
        return one.as_length(one.words, end=living)
    alone = one.start < 16 and one.before(en.ENDED) is not None and len(one.text.open) < 60
    return one.as_length(one.words) if alone and not single else None


def _hyphened(one: _Phrase) -> Found | None:
    return None if one.stored else one.as_length(one.words.replace("-", " "))


def _in_time(one: _Phrase) -> Found | None:
    ahead = one.after(en.AHEAD)
    if one.stored:
        return one.as_moment(f"in {one.words}")
    return None if ahead is None else one.as_length(_lengths(one.words), ahead)


def _hence(one: _Phrase) -> Found | None:
    length = _lengths(one.words)
    if not one.stored and one.words.endswith((" now", " today", " hence")):
        return one.as_length(length)
    return _point(one)


def _ago(one: _Phrase) -> Found | None:
    return _point(one)


def _edge(one: _Phrase) -> Found | None:
    return _point(one)


def _day(one: _Phrase) -> Found | None:
    """A day, unless it only describes a thing: "the Monday meeting", "the 3rd note"."""
    words = one.words.strip()
    if en.BARE_ORDINAL.fullmatch(words):
        if not words[-3:-2].isdigit() or one.after(en.ON) is None:
            return None
        if one.before(en.ENDED) is None:
            return None
    if en.BARE_DAY.fullmatch(words) and one.before(en.POSSESSIVE) is None:
        led = one.after(en.ON) is not None
        if not led and (one.before(en.ENDED) is None or en.SHORT_DAY.fullmatch(words)):
            return None
    return None if one.before(en.NOT_YEARS) is not None else _point(one)


def _month(one: _Phrase) -> Found | None:
    if one.after(en.INSIDE) is None and one.after(en.LIMIT) is None:
        if one.after(en.SINCE) is None and one.after(en.BEFORE) is None:
            return None
    return _point(one, f"in {one.words}")


def _year(one: _Phrase) -> Found | None:
    leads = (en.YEAR_LEAD, en.LIMIT, en.SINCE, en.BEFORE, en.AS_OF)
    if all(one.after(lead) is None for lead in leads):
        return None
    return None if one.before(en.NOT_YEARS) is not None else _point(one)


def _hour(one: _Phrase) -> Found | None:
    if one.words[:1] not in "@a" and one.words[-1:] != "m" and one.after(en.HOUR) is None:
        return None
    return _point(one)


def _point(one: _Phrase, words: str | None = None) -> Found | None:
    """A point or stretch of time, by the words before and after it."""
    words = words or one.words
    if one.stored:
        return one.as_moment(words)
    if (start := one.after(en.AS_OF)) is not None:
        instant = one.clock.instant(words)
        said = None if instant is None else format_instant(instant)
        return None if said is None else Found("as_of", said, start, one.end)
    if (start := one.after(en.LIMIT)) is not None:
        instant = one.clock.instant(f"until {_bare(words)}") or one.clock.instant(words)
        return None if instant is None else until(instant, one.clock.now, start, one.end)
    if (start := one.after(en.BEFORE)) is not None:
        return _before(one, words, start)
    onwards, start = one.before(en.ONWARDS), one.after(en.SINCE)
    if onwards is not None or start is not None:
        return _since(one, words, start, onwards)
    return _window(one, words) or one.as_moment(words)


def _bare(words: str) -> str:
    return words.removeprefix("in ")


def _before(one: _Phrase, words: str, start: int) -> Found | None:
    instant, back = one.clock.instant(words), one.clock.range(words)
    if instant is None:
        return None
    lead = one.text.open[start : one.start]
    limits = lead.startswith(("older", "earlier", "predating", "from")) or _noted(one, start)
    if back is not None and (limits or instant <= one.clock.now):
        return older(back, start, one.end) if back.start <= one.clock.now else None
    instant = one.clock.instant(f"before {_bare(words)}")
    if instant is None or instant <= one.clock.now:
        return None
    return Found("deadline", format_instant(instant), start, one.end)


def _since(one: _Phrase, words: str, start: int | None, onwards: int | None) -> Found | None:
    lead = "" if start is None else one.text.open[start : one.start]
    start, end = one.start if start is None else start, onwards or one.end
    instant, back = one.clock.instant(words), one.clock.range(words)
    past = instant is not None and instant <= one.clock.now
    always = "since" in lead or " than" in lead
    if back is not None and back.start <= one.clock.now and (always or past or _noted(one, start)):
        return since(back, start, end, after=lead.startswith(("after", "later", "newer", "from after")))
    return one.as_moment(words)


def _noted(one: _Phrase, start: int) -> bool:
    """Whether what stands before a lead is what memories are called, or how they came to be."""
    said = one.text.open[max(0, start - BEFORE_LENGTH) : start]
    return en.NOTED.search(said) is not None or en.MADE.search(said) is not None


def _window(one: _Phrase, words: str) -> Found | None:
    """The stretch that limits which memories are meant, where one does."""
    found = one.clock.range(words)
    if found is None or found.start > one.clock.now or one.after(en.FORWARD) is not None:
        return None
    whole = one.shape.re in (en.PERIOD, en.MONTH_ALONE, en.YEAR_ALONE)
    owned = one.before(en.POSSESSIVE)
    origin = one.after(en.ORIGIN)
    if whole and en.MONTH_ALONE.fullmatch(one.words) and one.after(en.FOR) is not None:
        return None
    if not (whole or owned is not None or origin is not None or one.after(en.MADE) is not None):
        return None
    return Found("window", window(found), one.start if origin is None else origin, owned or one.end)


_SHAPES: tuple[tuple[re.Pattern[str], Reading], ...] = (
    (en.OLDER, _older),
    (en.BETWEEN, _between),
    (en.RECENT, _recent),
    (en.PAST_ONE, _past),
    (en.HENCE, _hence),
    (en.AGO, _ago),
    (en.IN_TIME, _in_time),
    (en.EDGE, _edge),
    (en.DAY, _day),
    (en.PERIOD, _point),
    (en.MONTH_ALONE, _month),
    (en.YEAR_ALONE, _year),
    (en.CLOCK_ALONE, _hour),
    (en.AT_HOUR, _point),
    (en.HYPHENED, _hyphened),
    (en.PLAIN, _plain),
)


