"""Read times relative to the anchor, the instant that a memory is about: "the evening before"."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime, time, timedelta

from text2mem.ir.times import named_days
from text2mem.ir.times.clock_times import by_day, is_clock, of_either_half, time_of_day
from text2mem.ir.times.duration import DAY, Duration
from text2mem.ir.times.leaning import day_told
from text2mem.ir.times.phrases_en import BARE_ORDINAL
from text2mem.ir.times.phrases_zh import DAY_OF_NO_MONTH, LENGTH, NUMBER
from text2mem.ir.times.reading_clock import Clock
from text2mem.ir.words.segment import index_terms, query_terms

_PART = r"(?P<part>day|night|evening|morning|afternoon|eve)"
_IT = r"(?: (?:it|that|then))?"
_SAME_DAY = (
    re.compile(
        rf"(?P<first>)(?:on |in )?(?:the )?{_PART} of (?P<event>(?:the|my|our|that) [^\d]{{1,40}})"
        "(?P<last>)"
    ),
    re.compile(
        rf"(?:(?P<first>.+?),? )??(?:on )?(?:that|the same|that same|that very) {_PART}"
        r"(?: itself)?(?:,? (?P<last>.+))?"
    ),
    re.compile(rf"(?P<first>)(?:on )?(?:the )?{_PART} of the [^\d]{{1,30}}? at (?P<last>.+)"),
    re.compile(
        rf"(?:(?P<first>.+?),? )??(?:on )?(?:the )?{_PART} (?:itself|of(?: it)?)"
        r"(?:,? (?:at )?(?P<last>.+))?"
    ),
    re.compile(rf"(?:(?P<first>.+?),? )??on the {_PART}(?:,? at (?P<last>.+))?"),
    re.compile(
        r"在?(?P<event>[^\d]{0,8}?)的?"
        r"(?:那一?天|当天|当日|那日|同一?天|(?P<part>那)(?=早|晚|下午|上午))的?"
        r"(?P<first>)(?P<last>.*)"
    ),
)
_DAY_BEFORE = re.compile(
    rf"(?:(?P<first>.+?),? )??(?:on )?(?:the )?{_PART[:-1]}|week|fortnight|month) "
    rf"(?:before|(?P<after>after)){_IT}(?:,? (?P<last>.+))?"
)
_BACK = re.compile(
    r"(?:(?P<first>at .+?),? )??(?:just )?(?P<length>.+?)(?:'s?)?(?: (?:warning|notice))? "
    rf"(?:before(?:hand)?{_IT}|ahead(?: of time)?|early|earlier|prior|in advance|out"
    rf"|(?P<after>after(?:wards?)?{_IT}))"
    r"(?:,? (?P<last>.+))?"
)
_CLOCK_FIRST = re.compile(
    r"(?P<first>.+?),? (?P<length>(?:an?|\d+|[a-z-]+) (?:minute|hour|day|week|month)s?) "
    rf"(?:before(?:hand)?{_IT}|ahead|earlier|prior|in advance)(?P<last>)(?P<after>)"
)
_EARLIER = re.compile(
    r"(?:(?P<event>[^\d每次节年月周季]{0,12}?)的?(?:提[前早]|[之以]?前头?)的?"
    rf"(?P<length>{LENGTH}|{NUMBER}日|一?[晚夜])|早(?P<early>{LENGTH})|头(?P<ahead>{NUMBER}[天日])|"
    rf"头一?(?P<day>[天日晚夜])|(?P<whole>{LENGTH})[之以]?前)(?:[,、]?的?(?P<clock>.+))?"
)
_OVER = (
    re.compile(
        r"(?:(?:right |soon )?after|as soon as|once|when|until) "
        r"(?P<event>(?:it|that|this|[^\d]{1,40}?))(?:'s| is| are| has| have)(?: been)?(?: all)? "
        r"(?:over|done|finished|past|passed|ended)"
    ),
    re.compile(r"(?:right |until )?after (?P<event>(?:the|my|our|that) [^\d]{1,40})"),
    re.compile(
        r"等?(?P<event>[^\d]{0,10}?)(?:(?:过|结束|开完|办完|忙完)了?(?:之后|以后|后|就|的时候)?|(?:之后|以后|后))"
    ),
)
_POINTING = frozenset({"it", "that", "this", "the", "my", "our", "它", "这", "那"})
"""Words that do not name an event."""
_MOVED = r"(?: (?:it|that|this|them|the (?:reminder|date|deadline)))?"
_LONGER = re.compile(
    r" (?:longer|later|more|on|further out)$|^(?!.* (?:up|forward) )(?:back|out|"
    rf"(?:push|move|put|bump|shift|kick|slide|nudge){_MOVED}(?: (?:back|out|on))?|"
    rf"(?:put|push){_MOVED} off|knock{_MOVED} back|"
    rf"(?:delay|postpone|defer|extend){_MOVED})(?: by| for)? "
    r"|^another (?=\S+ \S)|(?<=^a)nother(?= \S+$)"
    r"|^再?(?:[往向朝]?后)?(?:推延|顺延|拖延|[推延拖缓挪移错])[迟后长期]?个?"
    r"(?=[\d一二两三四五六七八九十半俩仨])|^(?:再?(?:多|晚|[往向朝]后)放?|再等?)"
)
_SOONER = re.compile(
    rf" (?:earlier|sooner)$|^(?:bring{_MOVED} (?:forward|up|in)|(?:pull|move){_MOVED} up)"
    r"(?: by)? |^再?早|^(?:[往向朝]前[推挪移提赶]?|前移)"
)
_BY = re.compile(r"(?<![a-z])by (?:another )?$", re.IGNORECASE)
_SAME_HOUR = re.compile(
    r"(?:^|,? )(?:at )?(?:the |that )?same (?:time|hour)(?: as (?:before|now|usual))?(?:$|,? )"
    r"|[,、]?(?:还是|还在|仍是)?(?:(?:同一?|同样的?|原来的?|老)(?:时间|钟点|点)|那个点|时间(?:不变|照旧|一样))"
)
_ONE = {"week": "1 week", "fortnight": "2 weeks", "month": "1 month"}


_ALONG = re.compile(
    r"(?:move|shift|push|change|adjust|follow|go|come)s?\b.*"
    r"\b(?:along|too|with it|as well|accordingly)"
    r"|.*\b(?:same|just|like|as) (?:as )?(?:before|usual|ever|it was|(?:i|we|it) (?:had|have) it"
    r"|(?:you|ye) (?:were|was)\b.*)"
    r"|.*(?:跟着?[到住]?|一起|也)?(?:挪|移|顺延|改|调|推)(?:过去|过来|一下|过)?|.*(?:照旧|不变|照样|同样|一样|原样)"
)


_NOT_ALONG = re.compile(r"\d|不用|不要|别|\b(?:no|not|don't|never)\b")


def moves_along(text: str) -> bool:
    """Whether folded words say that something moves with another thing, or stays beside it as it
    was: "same as before", 跟着挪过去."""
    return _ALONG.fullmatch(text.strip()) is not None and not _NOT_ALONG.search(text)


def but_same_hour(text: str) -> str:
    """A folded text without the words that say that the hour stays as it is."""
    return _SAME_HOUR.sub(" ", text).strip()


def read(text: str, clock: Clock, anchor: datetime) -> datetime | None:
    """The instant that folded words name relative to ``anchor``; None if they name none."""
    forms = _same_day, _before, on_weekday, _at_a_clock, _of_the_month
    return next((at for form in forms if (at := form(text, clock, anchor)) is not None), None)


def on_weekday(text: str, clock: Clock, anchor: datetime) -> datetime | None:
    """The instant of a weekday near the anchor: "the Monday before, at 9", 那周的周二早上."""
    local = anchor.astimezone(clock.tz)
    found = day_told(text.replace("weekend before", "saturday before"), local.date())
    if found is None:
        return None
    (first, last), day = found
    rest = f"{text[:first]} {text[last:]}".strip(" ,的")
    at = time_of_day(rest, clock) if rest else time()
    return None if at is None else datetime.combine(day, at, clock.tz)


def _at_a_clock(text: str, clock: Clock, anchor: datetime) -> datetime | None:
    """A time of the day on the anchor's day, of two the last before it: 7 pm for 8 pm."""
    read = time_of_day(text, clock) if is_clock(text) else None
    if read is None:
        return None
    local = anchor.astimezone(clock.tz)
    at = _at(local, read)
    late = at + timedelta(hours=12)
    return late if late <= local and of_either_half(text, clock) else at


def _of_the_month(text: str, clock: Clock, anchor: datetime) -> datetime | None:
    """A day of the anchor's month that is ahead and not after it: for 20 December, "the 15th"."""
    if not (BARE_ORDINAL.search(text) or re.search(DAY_OF_NO_MONTH, text)):
        return None
    first = anchor.astimezone(clock.tz).replace(day=1, hour=0, minute=0) - timedelta(minutes=1)
    at = Clock(first, clock.tz).instant(text)
    at = at and by_day(at, text, clock)
    return at if at is not None and clock.now < at <= anchor else None


def over(text: str, clock: Clock, anchor: datetime, about: str) -> datetime | None:
    """The end of the anchor's day, if folded words say that its event is over: "once it is over".
    None if they name a time, or an event that the memory's text, ``about``, does not mention."""
    found = next((match for form in _OVER if (match := form.fullmatch(text))), None)
    if found is None or clock.instant(found["event"]) is not None:
        return None
    other = _is_other(found["event"], about)
    return None if other else clock.midnight(anchor) + timedelta(days=1)


def put_off(text: str, said: str, clock: Clock, due: datetime) -> datetime | None:
    """The instant ``due`` moved by the length ``text``: later, or earlier as in "an hour earlier".

    None if it counts from now in the request ``said``: "in one week", "snooze it, ten minutes".
    """
    words, up = moved_by(text, clock) or (text, True)
    length = clock.length(words)
    if length is None or (words == text and _from_now(text, said, clock)):
        return None
    return later(due, length, clock, back=not up)


def moved_by(text: str, clock: Clock) -> tuple[str, bool] | None:
    """The words of a length by which folded words move something, and whether it becomes later:
    "two days later", 早两天. None for other words."""
    for form, up in ((_LONGER, True), (_SOONER, False)):
        rest = form.sub("", text)
        if rest != text and clock.length(rest) is not None:
            return rest, up
    return None


def later(at: datetime, length: Duration, clock: Clock, *, back: bool = False) -> datetime | None:
    """An instant moved by a length, as ``Clock.after`` does; ``back`` moves it earlier."""
    moved = replace(clock, now=at).after(length, -1 if back else 1)
    return None if moved is None else moved.astimezone(clock.tz)


def _from_now(text: str, said: str, clock: Clock) -> bool:
    """Whether a length begins the request, stands apart in it, or follows a word like "in"."""
    before, found, _ = said.partition(text)
    led = before.rstrip()
    if not found or not led or not led[-1].isalnum():
        return bool(found)
    return clock.instant(f"{led.split()[-1]} {text}") is not None


def extended(text: str, said: str, clock: Clock, due: datetime) -> datetime | None:
    """The end ``due`` moved later, if the request says so: "a month longer", "by two weeks"."""
    before, found, _ = said.partition(text)
    longer = _LONGER.search(text) or (found and _BY.search(before))
    return put_off(text, said, clock, due) if longer else None


def after(text: str, clock: Clock, anchor: datetime, about: str) -> datetime | None:
    """The instant that folded words name after the anchor: "a month after it". None if that is
    after an event that the memory's text, ``about``, does not mention."""
    event, found = text.partition(" after ")[2], _before(text, clock, anchor)
    if found is None or found <= anchor or (_is_event(event, clock) and _is_other(event, about)):
        return None
    return found


def _is_other(event: str, about: str) -> bool:
    """Whether the words of an event are about something that a text does not mention."""
    terms = {*query_terms(event)} - _POINTING
    return bool(terms) and terms.isdisjoint(index_terms(about))


def _same_day(text: str, clock: Clock, anchor: datetime) -> datetime | None:
    """The instant on the anchor's day: "that morning"; the anchor itself if no time is named."""
    found = next((match for form in _SAME_DAY if (match := form.fullmatch(text))), None)
    if found is None or (found["first"] and found["last"]):
        return None
    event = found.groupdict().get("event") or ""
    if event and clock.instant(event) is not None:
        return None  # the day of another time
    said, part = found["first"] or found["last"] or "", found["part"] or "day"
    if not said and part == "day":
        return anchor
    at = time_of_day(said, clock, part)
    return None if at is None else _at(anchor.astimezone(clock.tz), at)


def _before(text: str, clock: Clock, anchor: datetime) -> datetime | None:
    """The instant before the anchor, or after it: "the evening before", "at 7 two days after"."""
    if (earlier := _EARLIER.fullmatch(text)) is not None:
        return _earlier(earlier, clock, anchor)
    forms = (_DAY_BEFORE, _BACK, _CLOCK_FIRST)
    for found in filter(None, (form.fullmatch(text) for form in forms)):
        whole = found.re is _DAY_BEFORE
        length = clock.length(_ONE.get(found["part"], "1 day") if whole else found["length"])
        part = found["part"] if whole else "day"
        times = [words for words in (found["first"], found["last"]) if words]
        if found["last"] and _is_event(found["last"], clock):
            times.pop()
        at = time_of_day(times[0] if times else "", clock, part)
        if length is not None and len(times) < 2 and (at is not None or not times):
            return _away(anchor, length, at, clock, back=not found["after"])
    return None


def _is_event(words: str, clock: Clock) -> bool:
    """Whether words behind "before" name the event ("the wedding"), not a time ("Easter")."""
    if re.search(r"\d", words) or re.match(r"(?:at|by|in the|and)\b", words):
        return False
    known = named_days.is_name(words) or clock.instant(words) is not None
    return not known and time_of_day(words, clock) is None


def _earlier(found: re.Match[str], clock: Clock, anchor: datetime) -> datetime | None:
    """The instant that a match of ``_EARLIER`` names before the anchor: 提前三天."""
    event = found["event"] or ""
    if event and clock.instant(event) is not None:
        return None
    said = next(filter(None, found.group("length", "early", "ahead", "day", "whole")))
    night = said[-1] in "晚夜"
    length = Duration(seconds=DAY) if night or found["day"] else clock.length(said)
    if length is None:
        return None
    words = found["clock"] or ""
    at = time_of_day(words, clock, "night" if night else "")
    return None if at is None and words else _away(anchor, length, at, clock)


def _away(
    anchor: datetime, length: Duration, at: time | None, clock: Clock, *, back: bool = True
) -> datetime | None:
    """The instant a length before the anchor, or after it; at ``at``, if given, which needs whole
    days, as does an anchor without an hour (midnight): two hours before the 17th is no time that
    people mean."""
    found = later(anchor, length, clock, back=back)
    bare = anchor.astimezone(clock.tz).time() == time()
    if found is None or (length.seconds % DAY and (bare or at is not None)):
        return None
    return found if at is None else _at(found, at)


def _at(day: datetime, at: time) -> datetime:
    """The time of the day ``at`` on the local day of ``day``, in its zone."""
    return datetime.combine(day.date(), at, day.tzinfo)
