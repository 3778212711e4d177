"""Find the instants that a question is about: when something was so, and by when it was known; and
questions about an earlier state: "before the move", "my previous address", 以前住在哪里.

Phrases are found by the patterns of ``phrases_en`` and ``phrases_zh`` and read by ``temporal``; a
phrase without a year is the nearest one past, or to come if a question is about what will be. The
instant of a day is its first second, that of a longer stretch the day in its middle, that of "the
end of May" its last day, and that of a part of the day its middle.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from text2mem.ir.times import phrases_en as en
from text2mem.ir.times import phrases_zh as zh
from text2mem.ir.times.reading_clock import Clock
from text2mem.ir.times.temporal import TimeRange
from text2mem.ir.times.written_dates import without_weekday
from text2mem.ir.words.naming import find_names
from text2mem.ir.words.segment import HAN

_GAP = re.compile(r"[\s-]")
MASK = "\ue003"
"""The character that replaces those that have been read already."""
_DAY = timedelta(days=1)
_HOUR = timedelta(hours=1)
_SECOND = timedelta(seconds=1)
_NORTH = ZoneInfo("Atlantic/Reykjavik")
_SEASON = r"(?:spring|summer|autumn|fall|winter)"
_PARTLY = re.compile(
    rf"(?<![a-z])(?P<part>early|mid|late|the middle of|in the middle of)[\s-]{{1,2}}"
    rf"(?:in )?(?:the )?(?P<of>{en.MONTH}(?:,? {en.YEAR})?|{en.YEAR}|(?:last|this) \w+)(?![a-z])"
)
_OF_MONTH = re.compile(
    rf"(?<![a-z])(?:the )?(?:{en.NTH}|last) (?:week|weekend|half|(?:few )?days) of"
    rf" (?:{en.MONTH}(?:,? {en.YEAR})?|(?:the|this|last) month)(?![a-z])"
    rf"|(?:{zh.FULL_YEAR}|{zh.YEARS}|)的?(?:{zh.MONTH}|{zh.NEAR}月)的?"
    rf"(?:(?:第[一二三四1-4]|最后一)个?{zh.WEEKS}(?!{zh.OF_WEEK}|末)|[上下]半个?月)"
)
_SEASONS = re.compile(
    rf"(?<![a-z])(?:(?:last|this|the) )?{_SEASON}(?:,? (?:of )?{en.YEAR}| of last year)?(?![a-z])"
    rf"|(?:去年|前年|今年|{en.YEAR}年)的?(?:春|夏|秋|冬)(?:天|季|)"
)
_PART_OF_DAY = re.compile(rf"(?<![a-z])the {en.PART} of {en.DAY.pattern}")
_SHAPES = (en.EDGE, en.AGO, en.DAY, en.PERIOD, zh.AGO, zh.POINTED)
_LEAD = re.compile(
    r"(?:in|of|since|until|till|during|by|last|this|before|after|around|about|regarding"
    r"|through(?:out)?|as of|as at)"
    r"(?: the)?(?: year)? $"
)
_AT_END = re.compile(rf"{en.YEAR}[\s?.!]*")
_BEGIN = re.compile(
    rf"(?<![a-z0-9_'.,$€£#-])(?=[a-z0-9@])|(?<![a-z])(?=early|mid|late|in the mid|{_SEASON})"
)
_BEGIN_ZH = re.compile(rf"{_BEGIN.pattern}|(?=[\d\u2e80-\uffff])")
"""Where a phrase may begin, in English and in Chinese."""
_NO_DAY = re.compile(r"[^\d]*the (?:first|second|third|fourth|fifth|last)(?: one)?|at \d{1,2}")
_HOURS = re.compile(en.AT_TIME)
_END = re.compile(r"\b(?:end|close|last day) of|[底末]$|end$|eo[mwy]")
_NOW = re.compile(r"today|tonight|this (?:week|month|year|morning|afternoon|evening)|今天|今日|本")

_PAST = re.compile(
    r"(?<![a-z])(?:was|were|did|had|used to|went|lived|worked|owned|knew|known|believed|thought"
    r"|stood|back then|at the time|employed|owed|paid|had|[a-z]{3,}ed)(?![a-z])"
)
_AHEAD = re.compile(
    r"(?<![a-z])(?:will|won't|shall|going to|[a-z]+'ll|planned|due)(?![a-z])|将|会在|打算|计划"
)
_AS_OF = re.compile(
    r"(?:as of|as at|as (?:it|they|things|that) (?:was|were|stood|looked)(?: back)?"
    r"(?: on| in| at)?)(?: the)? ?$"
)
_WE = (
    r"(?:we|you|i|they|people|everyone|the (?:desk|agent|assistant|team|bot|store|memory|system"
    r"|office|ledger))"
)
_KNEW = re.compile(
    rf"(?<![a-z])(?:did {_WE} (?:still |already |ever )?(?:believe|think|know|assume|suppose"
    rf"|remember|understand)|{_WE} (?:still |already )?(?:believed|thought|knew|assumed|supposed)"
    rf"|had {_WE} (?:been told|heard|known|noted|recorded|learnt|learned)|as far as {_WE} knew"
    rf"|(?:was|were) (?:\w+ )?(?:believed|thought|known|assumed|supposed) (?:to|that)"
    rf"|were {_WE} told)(?![a-z])"
)
_SAID = re.compile(
    r"(?P<held>(?:(?:我们?|咱们?|大家|系统|助手|客服|他们)(?:当时|那时候?)?(?:还|都|一直|曾)?)"
    r"(?P<known>知道|记得|记着|记录|了解)|(?:我们?|你们?|咱们?|大家|系统|助手|客服|他们)?"
    r"(?:当时|那时候?)?(?:还|都|一直|曾)?(?:以为|认为|记的))"
)
_STILL = re.compile(
    r"as far as (?:we|you|i) know(?: now)?|as we now know|in fact|actually|"
    r"(?:就|据|按)?我们?现在(?:所)?(?:知道?|了解)(?:的)?|据我们?所知|事实上|其实"
)
_ABOUT = re.compile(r"(?:about|regarding|for)(?: the)? $|(?:关于|对于?)$")
_BEFORE = re.compile(r"\b(?:before|prior to|until) ([^,.;?!]{1,60})")
_ZH_BEFORE = re.compile(r"([^，。？！,?!、\s]{1,12}?)(?:之前|以前|前)(?![天年面后台])")
_ONCE = re.compile(
    r"\b(?:before|previous(?:ly)?|former(?:ly)?|earlier|used? to|once|prior)\b"
    r"|\b(?:my|his|her|their|our|the|s) old (?!are|is|was|were)"
    r"|以前|之前|原来|原先|从前|过去(?!的?这)|曾经?|上一[个任家次]|前一[个任家次]|前任"
)
_THAT = re.compile(r"(?:that|then|now|it|this)\b")


@dataclass(frozen=True, slots=True)
class Stretch:
    """A phrase for a time in the question, from ``start`` to ``end``."""

    start: int
    end: int
    instant: datetime
    """The instant that it is taken for."""
    ends: tuple[datetime, ...] = ()
    """The last and the first instant of a stretch that is longer than two days."""


@dataclass(frozen=True, slots=True)
class Instants:
    """The instants that a question names."""

    as_of: datetime | None
    """When something was so."""
    known_at: datetime | None
    """By when it was known."""
    spans: tuple[tuple[int, int], ...] = ()
    """The spans of the question's text that say so, which other readers skip."""
    others: tuple[datetime, ...] = ()
    """The last and first instant of a stretch around ``as_of``, tried if nothing held then."""


def read_instants(plain: str, clock: Clock, names: Iterable[str] = ()) -> Instants:
    """Return the instants that a folded question names. In a longer one of the folded ``names``
    (三号工地, "Friday club") there is none."""
    ahead = _AHEAD.search(plain) is not None and not _PAST.search(_AHEAD.sub(MASK, plain))
    named = [found.span() for name in names for found in find_names(name, _GAP.sub("_", plain))]
    times = [
        time for time in _stretches(plain, clock, ahead=ahead)
        if not any(a <= time.start and time.end <= b and b - a > time.end - time.start
                   for a, b in named)
    ]  # fmt: skip
    still = [found.span() for found in _STILL.finditer(plain)]
    rest = masked(plain, still)
    held = _KNEW.search(rest) or _SAID.search(rest)
    spans = (*((time.start, time.end) for time in times), *still, *([held.span()] if held else ()))
    known_by = _known_by(times, held, plain) if times and held else None
    about = [time for time in times if time is not known_by]
    known = None if known_by is None else known_by.instant
    if known_by is None:
        about = [time for time in about if _counts(time, plain, clock)]
    if not about:
        return Instants(None, known, spans)
    return Instants(about[0].instant, known, spans, about[0].ends)


def read_moment(words: str, clock: Clock) -> datetime | None:
    """The instant that a phrase names on its own, read as in a question; None if it names none."""
    if re.match(r"\d{4}-\d\d-\d\d[tT ]", words.strip()):
        return clock.instant(words)
    read = _read(words.strip().lower(), clock)
    return None if read is None else read[0]


def _known_by(times: list[Stretch], held: re.Match[str], plain: str) -> Stretch | None:
    """The first time that is neither led by "as of" nor the topic ("about May"); else the first."""
    if held.groupdict().get("known") and times[0].start > held.start():
        return None  # 我们知道马骏3月住哪吗 asks for what is known now
    free = (each for each in times if not _ABOUT.search(plain[: each.start]))
    return next((each for each in free if not _led(each, plain)), times[0])


def _led(time: Stretch, plain: str) -> bool:
    """Whether "as of" or a similar phrase stands before a time."""
    return _AS_OF.search(plain[max(0, time.start - 40) : time.start]) is not None


def _counts(time: Stretch, plain: str, clock: Clock) -> bool:
    """Whether a time says when something was so. In an English question in the present tense it may
    be the topic, unless it clearly lies in the past. Chinese has no tense."""
    if _led(time, plain) or HAN.search(plain) or _PAST.search(plain) or _AHEAD.search(plain):
        return True
    words = plain[time.start : time.end]
    return re.search(r"ago|last|yesterday|\d{4}", words) is not None or (
        time.instant < clock.now - _DAY and re.search(r"\d", _HOURS.sub("", words)) is not None
    )


def masked(plain: str, spans: Iterable[tuple[int, int]]) -> str:
    """A text with every character of the spans replaced by ``MASK``."""
    for start, end in spans:
        plain = plain[:start] + MASK * (end - start) + plain[end:]
    return plain


def _stretches(plain: str, clock: Clock, *, ahead: bool) -> Iterator[Stretch]:
    """Yield the phrases for times in a folded text, in order and without overlap. ``ahead``: a
    phrase without a year is the next one."""
    place = 0
    begin = _BEGIN_ZH if HAN.search(plain) else _BEGIN
    for start in map(re.Match.start, begin.finditer(plain)):
        read = next(_readings(plain, start, clock, ahead), None) if start >= place else None
        if read is not None:
            place = read.end
            yield read


def _readings(plain: str, start: int, clock: Clock, ahead: bool) -> Iterator[Stretch]:
    """Yield the readings of the phrases at a position: seasons, parts of months, then by length."""
    if (season := _SEASONS.match(plain, start)) and (stretch := _of_season(season[0], clock)):
        yield Stretch(*season.span(), *_whole(stretch, clock))
    if (part := _OF_MONTH.match(plain, start)) and (
        stretch := (clock.coming if ahead else clock.range)(part[0])
    ):
        yield Stretch(*part.span(), *_whole(stretch, clock))
    if (partly := _PARTLY.match(plain, start)) and (instant := _part_of(partly, clock)):
        yield Stretch(*partly.span(), instant)
    shapes = [*_SHAPES, _PART_OF_DAY]
    if _LEAD.search(plain[max(0, start - 24) : start]):
        shapes += [en.MONTH_ALONE, en.YEAR_ALONE]
    elif _AT_END.fullmatch(plain, start):
        shapes.append(en.YEAR_ALONE)
    fits = [found[0] for shape in shapes if (found := shape.match(plain, start))]
    for words in sorted(fits, key=len, reverse=True):
        if _NO_DAY.fullmatch(words) or re.fullmatch(zh.CLOCK, words) or _NOW.match(words):
            continue
        read = _read(words, clock, ahead)
        if read is not None:
            yield Stretch(start, start + len(words), *read)


def _of_season(words: str, clock: Clock) -> TimeRange | None:
    """The months of a season. Without a known hemisphere they are those of the northern one."""
    whole = f"{words}天" if words[-1] in "春夏秋冬" else words
    return clock.range(whole) or replace(clock, tz=_NORTH).range(whole)


def _read(
    words: str, clock: Clock, ahead: bool = False
) -> tuple[datetime, tuple[datetime, ...]] | None:
    """The instant and the ``Stretch.ends`` of a phrase; None if it cannot be read."""
    words, found = without_weekday(words), None
    if not (en.AGO.fullmatch(words) or zh.AGO.fullmatch(words)):
        named = clock.coming if ahead else clock.range
        found = named(words) or named(f"in {words}")
    if found is None:
        instant = clock.instant(words)
        return None if instant is None else (instant, ())
    if _END.search(words) is not None:
        return _day(found.end, clock), ()
    return _whole(found, clock)


def _whole(found: TimeRange, clock: Clock) -> tuple[datetime, tuple[datetime, ...]]:
    """The instant that a stretch is taken for, and its ends if it is longer than two days."""
    middle = _middle(found, clock)
    long = found.end - found.start > 2 * _DAY
    return middle, (found.end, found.start) if long else ()


def _middle(found: TimeRange, clock: Clock) -> datetime:
    """The instant of a stretch; the middle of what is past of it, if it is not over."""
    length = found.end - found.start + _SECOND
    if length <= _HOUR or _DAY - 2 * _HOUR <= length <= _DAY + 2 * _HOUR:
        return found.start
    if length < _DAY:
        return found.start + length / 2
    end = min(found.end, clock.now) if found.start < clock.now else found.end
    return _day(found.start + (end - found.start) / 2, clock)


def _part_of(found: re.Match[str], clock: Clock) -> datetime | None:
    """The instant of a match of ``_PARTLY``: "early May", "the middle of 2024"."""
    whole = clock.range(found["of"]) or clock.range(f"in {found['of']}")
    if whole is None:
        return None
    sixths = {"early": 1, "late": 5}.get(found["part"], 3)
    return _day(whole.start + (whole.end - whole.start) * sixths / 6, clock)


def _day(instant: datetime, clock: Clock) -> datetime:
    """The first second of the local day of an instant."""
    return clock.midnight(instant).astimezone(instant.tzinfo)


def read_before(text: str) -> str | None:
    """The words for what an earlier state preceded: "the move" in "before the move".

    "" if a question asks for it without such words ("my previous address"); None if it does not.
    ``text`` is folded, with the times in it masked.
    """
    once = _ONCE.search(text) is not None
    if not once and _ZH_BEFORE.search(text) is None:
        return None
    searched = (pattern.search(text) for pattern in (_BEFORE, _ZH_BEFORE))
    named = (found[1] for found in searched if found and not _THAT.match(found[1]))
    return next(named, "" if once else None)
