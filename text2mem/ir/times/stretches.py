"""Read stretches of time as a request says them: "before 2020", 九月以后, "between March and May".

If a text cannot be read as a whole, a phrase in it is read, but only if the other words say nothing
of times: "early March" is not the whole of March.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta, tzinfo
from functools import lru_cache, partial

from text2mem.ir.times import passed_over
from text2mem.ir.times import phrases_en as en
from text2mem.ir.times import phrases_zh as zh
from text2mem.ir.times.carried import carried
from text2mem.ir.times.moments import as_known, months_named, phrases_in
from text2mem.ir.times.reading_clock import Clock
from text2mem.ir.times.temporal import MAX_LENGTH, TimeRange
from text2mem.ir.words import calendar_names, slips
from text2mem.ir.words.folding import fold
from text2mem.ir.words.segment import HAN

EVER = datetime(1, 1, 2, tzinfo=UTC)
"""The beginning of a stretch that is open at its beginning."""
NEVER = datetime(9999, 12, 30, tzinfo=UTC)
"""The end of a stretch that is open at its end."""
_MIDDLE = re.compile(r"(?<![a-z])mid(?:dle)?(?![a-z])")
_SECOND = timedelta(seconds=1)
_DAY = timedelta(hours=25)
_MONTH, _MONTHS = timedelta(days=27), timedelta(days=32)
_YEAR = timedelta(days=366)
_LEADS = re.compile(r"^(?:on|at|from|in|for|during|over|within|the|of)\s+|^[在于从自]")
_TAIL = re.compile(r"(?:'s)$|(?<=.)(?:的|里头?|之?间|那(?:几|一)?[天日]|那[几个]?(?:周|月|年))$")
_OLDER = re.compile(
    r"(?:older than|more than|over|longer ago than) (?P<than>.+?)(?: (?:old|ago|back))?"
    r"|(?P<or>.+?) (?:old )?(?:or|and) (?:older|more)"
)
_NEWER = re.compile(
    r"(?:newer than|younger than|less than|not? older than) (?P<than>.+?)(?: (?:old|ago))?"
)
_UNTIL = re.compile(r"(?:up )?(?:until|till|'til) (?:the )?(.+)")
_LIMITS = tuple(
    (side, re.compile(form))
    for side, form in (
        ("before", r"(?:any ?time )?(?:before|prior to|earlier than) (.+)"),
        ("before", r"[从自]?(.+?)(?:之前|以前|前)"),
        ("by", r"by (.+)|(?:到|截[至止]到?)(.+?)(?<!为止)"),
        (
            "up to",
            r"(?:until|till|up to|up until|through) (.+)|(?:直?到|截[至止]到?)(.+?)(?:为止)?",
        ),
        ("after", r"(?:any ?time )?(?:after|later than) (.+)|[从自]?(.+?)(?:之后|以后|(?<!前)后)"),
        ("since", r"(?:ever )?since (.+)|(?:自从|[从自])?(.+?)(?:以来|至今|到现在|到今天)"),
        ("from", r"(?:from |starting )?(.+?) (?:on|onwards?)|(?:自从|[从自])?(.+?)(?:起|开始)"),
    )
)
_alone = partial(passed_over.timeless, but_bounds=False)
_AND = re.compile(r",? (?:and|or|&|plus) |, |[和跟与及、,]|以及|还有")


@lru_cache(maxsize=256)  # the stages of a request read the same words
def read_stretches(words: str, clock: Clock, *, roughly: bool = False) -> tuple[TimeRange, ...]:
    """The stretches of time that words may mean: the past one, and the one to come. In March,
    "July" may be either. With ``roughly``, "early March" is read as the whole of March."""
    middle = _MIDDLE.search(fold(words))  # ``as_known`` would make it the 15th
    text = fold(words if middle else as_known(words, stretch=True)).strip(" .,;!?。，")
    for form in dict.fromkeys((text, slips.mended(text))):
        found = _whole(form, clock) if len(form) <= 2 * MAX_LENGTH else ()
        if found:
            # If the first stretch is open at its beginning, only it is meant, unless the words are
            # read roughly.
            return found if roughly or found[0].start > EVER else found[:1]
    free = (phrase for phrase in phrases_in(text) if roughly or _alone(phrase, text))
    return next(filter(None, (_limited(phrase, clock) for phrase in free)), ())


def limit_of(words: str, clock: Clock) -> str:
    """The side of the limit that words name: "by" Friday, "up to" Friday for "until Friday"; else
    empty."""
    text = fold(as_known(words, stretch=True)).strip(" .,;!?。，")
    sides = (_limit(each, clock)[0] for each in (text, *phrases_in(text)))
    return next(filter(None, sides), "")


def until_it_begins(words: str, clock: Clock) -> tuple[TimeRange, ...]:
    """The stretches up to a month that words name behind "until": who is away until September is
    back in it. Empty for other words ("until Friday" ends with that day), and for the present
    month."""
    match = _UNTIL.fullmatch(fold(as_known(words, stretch=True)).strip(" .,;!?"))
    named = _named(match[1], clock) if match else ()
    if not all(_MONTH < span.end - span.start < _MONTHS for span in named):
        return ()
    if any(span.start <= clock.now <= span.end for span in named):
        return ()
    return tuple(TimeRange(EVER, span.start - _SECOND) for span in named)


def naming(stretches: Sequence[TimeRange], tz: tzinfo) -> str:
    """The names of the months and weekdays of some stretches, to search for. Of a stretch longer
    than a year they are those of one year."""
    return " ".join(dict.fromkeys(word for span in stretches for word in _names(span, tz)))


def _names(stretch: TimeRange, tz: tzinfo) -> Iterator[str]:
    """Yield the names of the months and weekdays of a stretch; none in the first year."""
    if stretch.end - EVER < _YEAR:
        return
    first = stretch.end - _YEAR if stretch.start <= EVER else stretch.start
    length = min(stretch.end - first, _YEAR).days
    days = [first.astimezone(tz) + timedelta(days=n) for n in range(length + 1)]
    for month in dict.fromkeys(day.month for day in days):
        name = calendar_names.MONTHS[month - 1]
        yield from (name, name[: calendar_names.SHORT], f"{month}月")
    for weekday in dict.fromkeys(day.weekday() for day in days):
        name, han = calendar_names.WEEKDAYS[weekday], calendar_names.HAN_WEEKDAYS[weekday]
        yield from (name, name[: calendar_names.SHORT], f"周{han}", f"星期{han}")


def _whole(text: str, clock: Clock) -> tuple[TimeRange, ...]:
    """The stretches that the words as a whole name, with or without "in", 的 and the like."""
    while text:
        found = _aged(text, clock) or _limited(text, clock) or _several(text, clock)
        if found:
            return found
        bare = _TAIL.sub("", _LEADS.sub("", text))
        if bare == text:
            break
        text = bare
    return ()


def _aged(text: str, clock: Clock) -> tuple[TimeRange, ...]:
    """The stretch that an age names: "older than two weeks", "less than a month old"."""
    for match in filter(None, (form.fullmatch(text) for form in (_OLDER, _NEWER))):
        older, than = match.re is _OLDER, match[match.lastindex or 0]
        length = clock.length(than)
        day = clock.after(length, -1) if length is not None else None
        if day is not None:
            return (TimeRange(EVER, day) if older else TimeRange(day, clock.now),)
        named = _named(than, clock)[:1] if text.startswith(("older", "newer")) else ()
        if named:
            return _beyond("before" if older else "after", named, clock)
    return ()


def _limited(text: str, clock: Clock) -> tuple[TimeRange, ...]:
    """The stretches that words name, as a limit ("before 2020", 二月以前) or without one."""
    side, named = _limit(text, clock)
    return _beyond(side, named, clock) if side else named


def _limit(text: str, clock: Clock) -> tuple[str, tuple[TimeRange, ...]]:
    """The side of a limit that words name, and what it limits; without one "", and what they
    name."""
    for side, form in _LIMITS:
        match = form.fullmatch(text)
        inner = match[match.lastindex or 0] if match else ""
        if not inner or clock.length(inner) is not None:
            continue  # 三天前 names a day and is no limit
        named = _named(inner, clock) or _named(_LEADS.sub("", inner), clock)
        named = named or _day_in(inner, clock)
        if named:
            return side, named
    return "", _named(text, clock)


def _day_in(text: str, clock: Clock) -> tuple[TimeRange, ...]:
    """The day that is named among other words, as in "since the meeting on 3 March"."""
    found = (_named(phrase, clock) for phrase in phrases_in(text) if _alone(phrase, text))
    return next((days for days in found if days and days[0].end - days[0].start <= _DAY), ())


def _beyond(side: str, named: tuple[TimeRange, ...], clock: Clock) -> tuple[TimeRange, ...]:
    """The stretches on one side of a named one. What is before a stretch to come begins now:
    "before next week" does not mean all of the past."""
    past, *ahead = named[:1] if named[0].end >= clock.now else named
    now = clock.now
    if side in ("before", "by", "up to"):
        ends = [span.start - _SECOND if side == "before" else span.end for span in (past, *ahead)]
        return tuple(TimeRange(now if end > now else EVER, end) for end in ends)
    if side == "since":
        return (TimeRange(past.start, now if past.start <= now else NEVER),)
    begins = [span.end + _SECOND if side == "after" else span.start for span in (past, *ahead)]
    last = now if ahead else NEVER
    return (TimeRange(begins[0], last), *(TimeRange(begin, NEVER) for begin in begins[1:]))


def _named(text: str, clock: Clock) -> tuple[TimeRange, ...]:
    """The past stretch and the one to come that the words as a whole name."""
    if en.MONTH_ALONE.fullmatch(text):
        months = months_named(text, clock)
        begun = [month for month in months if month.start <= clock.now][-1:]
        return (*begun, *[month for month in months if month.start > clock.now][:1])
    past = clock.range(text) or (clock.range(f"on {text}") if text.isalpha() else None)
    if past is None:
        return ()
    ahead = clock.coming(text)
    if ahead is None and past.end < clock.now:  # "from 5 to 12 March", which are over
        return (past, *clock.both_ends(text)[1:])
    if ahead is not None and past.start < past.end == ahead.start < ahead.end:
        return past, ahead  # "within a week" of now
    if ahead is None or ahead.start <= clock.now or past.start <= ahead.start <= past.end:
        return (past,)
    return past, ahead


def _several(text: str, clock: Clock) -> tuple[TimeRange, ...]:
    """The stretches of several times: "May and June", 上周三跟上周五."""
    parts = _AND.split(text)
    if len(parts) < 2 or not all(parts):
        return ()
    whole = [completed(part, parts) for part in parts]
    bare = {_is_bare(part) for part in whole}
    found = [_limited(part, clock) for part in whole]
    if len(bare) > 1 or not all(found):
        return ()  # such as "Monday and last Friday"
    return tuple(span for part in found for span in part)


def completed(part: str, parts: list[str]) -> str:
    """A part with the month or year that another one has (``carried``)."""
    wholes = (carried(part, other)[0] for other in parts if other is not part)
    return next((whole for whole in wholes if whole != part), part)


def _is_bare(text: str) -> bool:
    """Whether words name a month without its year, or a weekday without its week."""
    plain = en.WEEKDAY_ALONE.fullmatch(text) or en.MONTH_ALONE.fullmatch(text)
    return bool(plain or (HAN.search(text) and zh.BARE.fullmatch(text)))
