"""English times of an utterance: deadlines, windows, ages, lengths and moments."""

from __future__ import annotations

from collections.abc import Iterator

from text2mem.ir.temporal import format_instant
from text2mem.planner.evidence import times_en as en
from text2mem.planner.evidence.text import Text
from text2mem.planner.evidence.times import (
    Clock,
    Found,
    Phrase,
    Shape,
    older,
    relative,
    scan,
    since,
    until,
    window,
)


def read_english(text: Text, clock: Clock) -> Iterator[Found]:
    """The times that are said in English, in order and without overlap."""
    return scan(text, clock, en.FIRST, _SHAPES)


def _lengths(words: str) -> str:
    found = en.PLAIN.search(words)
    return found[0] if found else ""


def _older(one: Phrase) -> Found | None:
    """Older than a length, or no older than that; None where nothing is compared."""
    lead, more, trail = one.shape["lead"] or "", one.shape["more"] or "", one.shape["trail"]
    plain = lead.endswith("than ") and not lead.startswith(
        ("more than", "less", "fewer", "no more")
    )
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


def _recent(one: Phrase) -> Found | None:
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


def _past(one: Phrase) -> Found | None:
    return one.as_recent(f"one {one.shape['unit']}")


def _between(one: Phrase) -> Found | None:
    return one.as_window(one.words)


def _plain(one: Phrase) -> Found | None:
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


def _hyphened(one: Phrase) -> Found | None:
    return None if one.stored else one.as_length(one.words.replace("-", " "))


def _in_time(one: Phrase) -> Found | None:
    ahead = one.after(en.AHEAD)
    if one.stored:
        return one.as_moment(f"in {one.words}")
    return None if ahead is None else one.as_length(_lengths(one.words), ahead)


def _hence(one: Phrase) -> Found | None:
    length = _lengths(one.words)
    if not one.stored and one.words.endswith((" now", " today", " hence")):
        return one.as_length(length)
    return _point(one)


def _day(one: Phrase) -> Found | None:
    """A day, unless it only describes a thing: "the Monday meeting", "the 3rd note"."""
    words = one.words.strip()
    if one.after(en.EVERY) is not None:
        return None
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


def _month(one: Phrase) -> Found | None:
    leads = (en.INSIDE, en.LIMIT, en.SINCE, en.BEFORE)
    if one.after(en.THE) is not None or all(one.after(lead) is None for lead in leads):
        return None
    return _point(one, f"in {one.words}")


def _year(one: Phrase) -> Found | None:
    leads = (en.YEAR_LEAD, en.LIMIT, en.SINCE, en.BEFORE, en.AS_OF)
    if all(one.after(lead) is None for lead in leads):
        return None
    return None if one.before(en.NOT_YEARS) is not None else _point(one)


def _hour(one: Phrase) -> Found | None:
    if one.words[:1] not in "@a" and one.words[-1:] != "m" and one.after(en.HOUR) is None:
        return None
    return _point(one)


def _point(one: Phrase, words: str | None = None) -> Found | None:
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
    if one.after(en.TIMELESS) is not None or one.after(en.WEEK_OF) is not None:
        return None
    if (start := one.after(en.BEFORE)) is not None:
        return _before(one, words, start)
    onwards, start = one.before(en.ONWARDS), one.after(en.SINCE)
    if onwards is not None or start is not None:
        return _since(one, words, start, onwards)
    return _window(one, words) or one.as_moment(words)


def _bare(words: str) -> str:
    return words.removeprefix("in ")


def _before(one: Phrase, words: str, start: int) -> Found | None:
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


def _since(one: Phrase, words: str, start: int | None, onwards: int | None) -> Found | None:
    lead = "" if start is None else one.text.open[start : one.start]
    start, end = one.start if start is None else start, onwards or one.end
    instant, back = one.clock.instant(words), one.clock.range(words)
    past = instant is not None and instant <= one.clock.now
    always = "since" in lead or " than" in lead
    if back is not None and back.start <= one.clock.now and (always or past or _noted(one, start)):
        return since(
            back, start, end, after=lead.startswith(("after", "later", "newer", "from after"))
        )
    return one.as_moment(words)


def _noted(one: Phrase, start: int) -> bool:
    """Whether what stands before a lead is what memories are called, or how they came to be."""
    said = one.said_before(start)
    return en.NOTED.search(said) is not None or en.MADE.search(said) is not None


def _window(one: Phrase, words: str) -> Found | None:
    """The stretch that limits which memories are meant, where one does."""
    found = one.clock.range(words)
    if found is None or found.start > one.clock.now:
        return None
    if one.after(en.FORWARD) is not None and one.after(en.ORIGIN) is None:
        return None
    whole = one.shape.re in (en.PERIOD, en.MONTH_ALONE, en.YEAR_ALONE)
    owned = one.before(en.POSSESSIVE)
    origin = one.after(en.ORIGIN)
    if whole and en.MONTH_ALONE.fullmatch(one.words) and one.after(en.FOR) is not None:
        return None
    if not (whole or owned is not None or origin is not None or one.after(en.MADE) is not None):
        return None
    return Found("window", window(found), one.start if origin is None else origin, owned or one.end)


_SHAPES: tuple[Shape, ...] = (
    Shape(en.OLDER, _older),
    Shape(en.BETWEEN, _between, parts=True),
    Shape(en.RECENT, _recent),
    Shape(en.PAST_ONE, _past),
    Shape(en.HENCE, _hence),
    Shape(en.AGO, _point),
    Shape(en.IN_TIME, _in_time),
    Shape(en.EDGE, _point),
    Shape(en.DAY, _day),
    Shape(en.PERIOD, _point),
    Shape(en.MONTH_ALONE, _month),
    Shape(en.YEAR_ALONE, _year),
    Shape(en.CLOCK_ALONE, _hour),
    Shape(en.AT_HOUR, _point),
    Shape(en.HYPHENED, _hyphened),
    Shape(en.PLAIN, _plain),
)
