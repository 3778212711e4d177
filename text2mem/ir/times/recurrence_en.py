"""The grammar of English recurrences: "every other Monday at 9 until 25 May"."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import time

from text2mem.ir.times import phrases_en as en
from text2mem.ir.times.clock_times import by_day
from text2mem.ir.times.duration import DAY
from text2mem.ir.times.reading_clock import Clock
from text2mem.ir.times.recurrence import (
    Grammar,
    Rule,
    also,
    always,
    between,
    days_in,
    lasting,
    named,
    starting,
    until,
)
from text2mem.ir.times.rrule import WEEKDAYS, WEEKEND, WORKING
from text2mem.ir.times.temporal_en import PARTS
from text2mem.ir.times.temporal_en_days import nth
from text2mem.ir.times.temporal_en_lengths import UNITS
from text2mem.ir.words.calendar_names import month
from text2mem.ir.words.folding import phrase

_RATES = {
    "hourly": "hour", "nightly": "night", "daily": "day", "weekly": "week",
    "fortnightly": "fortnight", "biweekly": "fortnight", "bi-weekly": "fortnight",
    "monthly": "month", "quarterly": "quarter", "yearly": "year", "annually": "year",
}  # fmt: skip
_ORDER = {"other": 2, "second": 2, "third": 3, "fourth": 4}
_NTHS = f"(?:{en.NTH}|last)"
_BEGINS = "(?:every|each|daily|weekly|monthly|once)"
"""The first word of a recurrence."""
_EVERY = r"(?:once )?(?:every|each)(?: single)?"
_AND = "(?:,? (?:and|&) |, ?| ?/ ?| )"
_DAY_LIST = rf"{en.WEEKDAY}s?(?:{_AND}{en.WEEKDAY}s?){{0,6}}"
_N = rf"(?:(?P<n>other|second|third|fourth|{en.NUMBER}) )?"
_MONTHS = r"(?:(?:of )?(?:every|each)|of(?: the)?) (?:(?P<n>other|second|third) )?month(?![a-z])"
_OF_MONTH = "(?:(?:(?:of|in) )?(?:every|each)|(?:of|in) the) month(?![a-z])"
_ON_THE = "(?:on )?(?:the |every |each )?"
_PART = f"(?P<part>{en.PART})"
_EACH_PART = f"(?:every |each |in the )?{_PART}"
_PERIOD = "hour|day|week|fortnight|month|quarter|year"
_WORKING_DAY = "working day|business day|workday"
_NTH_DAYS = rf"{en.ORDINAL}(?:(?:,? and |, )(?:the )?{en.ORDINAL}){{0,3}}"


def _interval(found: re.Match[str], clock: Clock) -> int | None:
    """The interval in the group ``n``: 2 for "every other"; 1 if there is none."""
    said = found.groupdict().get("n")
    return _ORDER.get(said) or _count(said, clock) if said else 1


def _count(said: str, clock: Clock) -> int | None:
    length = clock.length(f"{said} days")
    return None if length is None or length.seconds % DAY else length.seconds // DAY


def _unit(rule: Rule, found: re.Match[str], clock: Clock) -> Rule | None:
    """The step for "every two weeks" and "weekly"."""
    interval = _interval(found, clock)
    if interval is not None:
        return _every(rule, found["unit"].removesuffix("s"), interval)
    length = clock.length(f"{found['n']} {found['unit']}")  # "every 1.5 hours"
    if length is None or (length.months and length.seconds):  # no rule has months and days
        return None
    return rule.every((length.months, length.seconds))


def _every(rule: Rule, said: str, interval: int) -> Rule | None:
    """The rule for every ``interval`` units, which may be parts of the day, or "weekday"."""
    unit = _RATES.get(said, said)
    if unit in PARTS:
        return _in_part(rule.every(UNITS["day"], interval), unit)
    if re.fullmatch(f"weekday|{_WORKING_DAY}", unit):
        return replace(rule, freq="WEEKLY", byday=WORKING) if interval == 1 else None
    if unit == "weekend":
        return replace(rule, freq="WEEKLY", interval=interval, byday=WEEKEND)
    return rule.every(UNITS[unit], interval)


def _in_part(rule: Rule, part: str) -> Rule:
    """The rule in a part of the day; a time that came before it has been read with it."""
    return rule if rule.times else replace(rule, times=(time(PARTS[part].hour),), parts=(part,))


def _days_in(words: str) -> tuple[str, ...]:
    """The weekdays that words name, as codes of RFC 5545, in the order of the week."""
    if re.match("week|work|business", words):
        return WEEKEND if words.startswith("weekend") else WORKING
    return days_in(re.findall(en.WEEKDAY, words))


def _weekdays(rule: Rule, found: re.Match[str], clock: Clock) -> Rule | None:
    """The step for "every Monday and Friday"."""
    interval = _interval(found, clock)
    if interval is None:
        return None
    return replace(rule, freq="WEEKLY", interval=interval, byday=_days_in(found["days"]))


def _row_of_days(rule: Rule, found: re.Match[str], _: Clock) -> Rule | None:
    """The step for "Monday to Thursday"."""
    first, last = (WEEKDAYS.index(_days_in(found[name])[0]) for name in ("first", "last"))
    return replace(rule, freq="WEEKLY", byday=WEEKDAYS[first : last + 1]) if first < last else None


def _on_days(rule: Rule, found: re.Match[str], _: Clock) -> Rule | None:
    """The step for "on Mondays" after a head: "every two weeks on Mondays", "daily on weekdays"."""
    days = _days_in(found["days"])
    if rule.freq == "DAILY" and rule.interval == 1 and days in (WORKING, WEEKEND):
        return replace(rule, freq="WEEKLY", byday=days)
    return replace(rule, byday=days) if rule.freq == "WEEKLY" else None


def _listed(rule: Rule, found: re.Match[str], _: Clock) -> Rule | None:
    """The step for "Monday, Wednesday and Friday". Days in a row may be of one week only."""
    days = _days_in(found["days"])
    gaps = sum(WEEKDAYS[WEEKDAYS.index(day) - 1] not in days for day in days)
    return replace(rule, freq="WEEKLY", byday=days) if len(days) > 2 and gaps > 1 else None


def _without(rule: Rule, found: re.Match[str], _: Clock) -> Rule | None:
    """The step for "except Sundays", after "every day" or a time of the day."""
    daily = rule.freq == "DAILY" or (not rule.freq and rule.times)
    if rule.interval > 1 or not (daily or (rule.byday and rule.freq == "WEEKLY")):
        return None
    out = _days_in(found["days"])
    days = tuple(day for day in (rule.byday or WEEKDAYS) if day not in out)
    return replace(rule, freq="WEEKLY", byday=days) if days else None


def _in_months(rule: Rule, found: re.Match[str], _: Clock) -> Rule | None:
    """The step for "in July and August", after a head that names days."""
    if rule.bymonth or not (rule.freq == "DAILY" or rule.byday):
        return None
    return replace(rule, bymonth=tuple(sorted(map(month, re.findall(en.MONTH, found["months"])))))


def _month_days(rule: Rule, found: re.Match[str], clock: Clock) -> Rule | None:
    """The step for "the 1st and 15th of every month", "the last day of the month"."""
    if rule.freq not in ("", "MONTHLY"):
        return None
    groups = found.groupdict()
    days = tuple(map(nth, re.findall(en.ORDINAL, groups.get("days") or "")))
    if groups.get("number"):
        days = (int(groups["number"]),)
    interval = _ORDER.get(groups.get("n") or "", rule.interval)
    return replace(rule, freq="MONTHLY", interval=interval, bymonthday=days or (-1,))


def _nth(rule: Rule, found: re.Match[str], _: Clock) -> Rule | None:
    """The step for "the first and third Monday of every month"."""
    if rule.freq not in ("", "MONTHLY"):
        return None
    (day,) = _days_in(found["day"])
    days = (f"{nth(ordinal)}{day}" for ordinal in re.findall(_NTHS, found["nth"]))
    return replace(rule, freq="MONTHLY", byday=tuple(days))


def _nth_working(rule: Rule, found: re.Match[str], _: Clock) -> Rule | None:
    """The step for "the last working day of every month"."""
    return replace(rule, freq="MONTHLY", byday=WORKING, bysetpos=nth(found["nth"]))


def _date(rule: Rule, found: re.Match[str], clock: Clock) -> Rule | None:
    """The step for "on 3 May every year"."""
    instant = clock.instant(found["date"]) if rule.freq in ("", "YEARLY") else None
    if instant is None:
        return None
    day = instant.astimezone(clock.tz)
    return replace(rule, freq="YEARLY", bymonth=(day.month,), bymonthday=(day.day,))


def _clock(rule: Rule, found: re.Match[str], clock: Clock) -> Rule | None:
    """The step for a time of the day; a part of the day beside it decides about a bare hour."""
    words = found["clock"]
    if rule.parts:
        return _in_parts(rule, words, clock)
    part = _part_behind(found)
    said = clock.instant(f"tomorrow {part} {words}".replace("  ", " "))
    return rule.at(by_day(said, f"{part} {words}", clock) if said else None, clock)


def _part_behind(found: re.Match[str]) -> str:
    """The part of the day that is named behind a time: "at 5 in the evening", "at 5 weekday
    mornings" and a bare "at 5" are different times."""
    later = found.string[found.end() :]
    return next((name for name in PARTS if re.match(rf"[a-z ,]*\b{name}", later)), "")


def _in_parts(rule: Rule, words: str, clock: Clock) -> Rule | None:
    """The rule at a time of the day in each of the parts that it names."""
    timed: Rule | None = replace(rule, times=(), parts=())
    for part in rule.parts:
        said = clock.instant(f"tomorrow {part} {words}") or clock.instant(f"tomorrow {words}")
        timed = timed and timed.also_at(said, clock)
    return timed if timed and len(timed.times) == len(rule.parts) else None


def _clocks(rule: Rule, found: re.Match[str], clock: Clock) -> Rule | None:
    """The step for "at 8 and 20:30" before the days."""
    timed, part = _clock(rule, found, clock), _part_behind(found)
    also_at = also(f"tomorrow {part} at ") if part else _ALSO_AT
    for other in phrase(_ALSO).finditer(found.string, *found.span("more")):
        timed = timed and also_at(timed, other, clock)
    return timed


def _and_part(rule: Rule, found: re.Match[str], _: Clock) -> Rule | None:
    """The step for "and every evening" after another part of the day."""
    times = tuple(sorted({*rule.times, time(PARTS[found["part"]].hour)}))
    return replace(rule, times=times, parts=(*rule.parts, found["part"])) if rule.parts else None


def _and_in_part(rule: Rule, found: re.Match[str], clock: Clock) -> Rule | None:
    """The step for "and every evening at 8" after another time of the day."""
    said = clock.instant(f"tomorrow {found['part']} at {found['clock']}")
    return None if rule.parts or not rule.times else rule.also_at(said, clock)


def _often(rule: Rule, found: re.Match[str], clock: Clock) -> Rule | None:
    """The step for "twice a day", behind which the times are named."""
    often = 2 if found["n"] is None else _count(found["n"], clock)
    return replace(rule.every(UNITS["day"]), often=often) if often else None


_UNIT = f"(?P<unit>(?:minute|{_PERIOD}|{en.PART}|weekend|weekday|{_WORKING_DAY})s?)(?![a-z']|-)"
_DATE_SHAPE = (
    rf"(?P<date>(?:the )?(?:\d{{1,2}}|{en.ORDINAL}) (?:of )?{en.MONTH}|"
    rf"{en.MONTH} (?:the )?(?:\d{{1,2}}(?!\d)|{en.ORDINAL}))(?![a-z0-9])"
)
_POINT = (
    f"(?:the )?(?:{en.DAY.pattern}|{en.EDGE.pattern}|{en.PERIOD.pattern}|"
    f"{en.MONTH}(?: {en.YEAR})?|{en.YEAR})"
)
_FROM = (
    "(?:from|as of|as from|starting(?: from| on| in)?|beginning(?: from| on| in)?) "
    f"(?P<begin>{_POINT})(?: on| onwards?)?(?![a-z0-9])"
)
_NAME = r"(?:the )?[a-z][a-z']*(?: [a-z']+){0,3}?(?=$|[,.]| at | every | each )"
"""What may be a day that a calendar names."""
_TO = "(?:to|until|till|'til|through|up to|up until)"
_SPAN = (
    rf"(?:from )?(?P<begin>{_POINT}|(?:the )?{en.ORDINAL}|\d{{1,2}}) {_TO} "
    f"(?P<end>{_POINT}|{_NAME})(?![a-z0-9])"
)
_AT = rf"(?P<clock>{en.AT_TIME}(?: {en.OF_DAY})?)"
_ALSO_TIME = rf"(?:{en.CLOCK}|\d{{1,2}})(?: {en.OF_DAY})?"
_AND_AT = "(?:,? and |, ?| & )(?:at )?"
_ALSO = rf"{_AND_AT}(?P<clock>{_ALSO_TIME})(?![a-z0-9:.])"
_ALSO_AT = also("tomorrow at ")

_WHICH_DAYS = "weekdays|weekends|work(?:ing )?days|business days"
_EXCEPT = (
    f"(?:(?:but )?(?:not|never|except(?: for)?|excluding|apart from)|but(?= {en.WEEKDAY})) "
    f"(?:on |at )?(?:the )?(?P<days>{_DAY_LIST}|{_WHICH_DAYS}|weekend)(?![a-z'])"
)
_ROW = (
    rf"(?:{_EVERY} |from )?(?P<first>{en.WEEKDAY})s? ?(?:to|through|thru|-|–) ?"
    rf"(?P<last>{en.WEEKDAY})s?"
)
_TIMED_MONTHLY = f",? {_AT},? (?:of )?(?:every|each) month"

_HEADS = (
    (rf"(?:on )?the last day {_MONTHS}", _month_days),
    (rf"{_ON_THE}(?P<days>{_NTH_DAYS})(?: day)? {_MONTHS}", _month_days),
    (rf"(?:on )?day (?P<number>\d{{1,2}}) {_MONTHS}", _month_days),
    (
        rf"{_ON_THE}(?P<nth>{_NTHS}(?: and (?:the )?{_NTHS})?) (?P<day>{en.WEEKDAY}) {_OF_MONTH}",
        _nth,
    ),
    (rf"(?:on )?(?:the )?(?P<nth>{_NTHS}) (?P<day>{en.WEEKDAY})s(?![a-z'])", _nth),
    (rf"{_ON_THE}(?P<nth>{_NTHS} and (?:the )?{_NTHS}) (?P<day>{en.WEEKDAY})s?(?![a-z'])", _nth),
    (rf"{_EVERY} (?P<nth>first|1st|last) (?P<day>{en.WEEKDAY})(?![a-z'])", _nth),
    (rf"{_ON_THE}(?P<nth>{_NTHS}) (?P<day>{en.WEEKDAY})(?={_TIMED_MONTHLY})", _nth),
    (rf"{_ON_THE}(?P<days>{_NTH_DAYS})(?={_TIMED_MONTHLY})", _month_days),
    (
        rf"{_EVERY} (?!2nd|first|second|third|fourth)(?P<days>{_NTH_DAYS})"
        rf"(?=\W{{0,3}}$|,? {_AT}|,? in the )",
        _month_days,
    ),
    (rf"{_ON_THE}(?P<nth>{_NTHS}) (?:{_WORKING_DAY}|weekday) {_OF_MONTH}", _nth_working),
    (rf"on {_DATE_SHAPE}(?: of)? (?:every|each) year(?![a-z])", _date),
    (rf"{_EVERY} {_DATE_SHAPE}", _date),
    (
        rf"{_EVERY} (?:year,? (?:on|at) )?(?P<name>(?:the )?[a-z][a-z']*(?: [a-z']+){{0,3}}?)"
        r"(?=$|,| at | in the )",
        named,
    ),
    (rf"{_EVERY} {_N}(?P<days>{_DAY_LIST})(?![a-z'])", _weekdays),
    (rf"{_EVERY} {_N}{_UNIT}", _unit),
    (
        f"(?:on |at )?(?P<days>{en.DAY_NAME}s(?:(?:, and |, | and ){en.DAY_NAME}s){{0,6}}"
        f"|{_WHICH_DAYS})(?![a-z'])",
        _weekdays,
    ),
    (f"(?:on )?(?P<days>{_DAY_LIST})(?![a-z'])", _listed),
    (f"(?:in the )?(?P<unit>{en.PART}s)(?![a-z'])", _unit),
    (
        rf"{_EVERY} (?P<clock>{en.CLOCK})(?![a-z0-9:.])",
        lambda rule, found, clock: _clock(rule.every(UNITS["day"]), found, clock),
    ),
    (_EXCEPT, _without),
    (rf"{_EVERY} half(?: an)? hour(?![a-z])", always(freq="MINUTELY", interval=30)),
    (
        rf"(?:{_EVERY} |on )?(?P<days>{en.WEEKDAY}|weekday|weekend) {_PART}s(?![a-z'])",
        lambda rule, found, clock: _weekdays(_in_part(rule, found["part"]), found, clock),
    ),
    (rf"{_ROW}(?=,? {_AT}|,? {_EXCEPT})", _row_of_days),
    (
        rf"{_ROW}(?![a-z'])",  # behind a time of the day
        lambda rule, found, clock: _row_of_days(rule, found, clock) if rule.times else None,
    ),
    (
        rf"(?P<unit>{'|'.join(_RATES)})(?= reminders?(?![a-z])|\s{{0,3}}(?:[.,;:!?)]|$)|"
        r"\s{1,3}(?:at|on|in|until|till|for|from|and|then|about|of|please)(?![a-z]))",
        _unit,
    ),
    (rf"once (?:an?|every|each|per) (?P<unit>{_PERIOD})(?![a-z])", _unit),
    (rf"(?:twice|(?P<n>{en.NUMBER}) times) (?:a|every|each|per) day(?=,? {_AT}|, \d)", _often),
    (f"{_SPAN},?(?= {_BEGINS})", between("from {} to {}")),
    (f"{_FROM},?(?= {_BEGINS})", starting),
    # "at 9 every Monday", "8 pm on the 20th of every month"
    (
        rf"{_AT}(?P<more>(?:{_AND_AT}{_ALSO_TIME}(?![a-z0-9:.])){{0,5}}),?"
        r"(?: but(?= (?:on )?week))?(?= (?:every|each|daily|weekly|monthly|once"
        rf"|(?:on |from )?(?:the|{en.ORDINAL}|[a-z]{{3,6}}days|{_DAY_LIST})"
        "|(?:but )?(?:not|never|except) ))",
        _clocks,
    ),
)
_STEPS = (
    (rf",? (?:on )?the last day(?: {_MONTHS}| of the month)?(?![a-z])", _month_days),
    (rf",? (?:on )?(?:the )?(?P<nth>{_NTHS}) (?P<day>{en.WEEKDAY})(?![a-z])", _nth),
    (
        ",? (?:of )?(?:every|each) month(?![a-z])",  # behind "the 28th at 6pm"
        lambda rule, _found, _clock: rule if rule.freq == "MONTHLY" else None,
    ),
    (f",? {_EXCEPT}", _without),
    (
        rf",? (?:in|during) (?P<months>{en.MONTH}(?:{_AND}{en.MONTH}){{0,6}})"
        rf"(?![a-z0-9]|,? {en.YEAR})",
        _in_months,
    ),
    (",? (?P<end>this (?:week|month|year))(?![a-z])", until("until {}")),
    (rf",? on {_DATE_SHAPE}", _date),
    (rf",? (?:on )?(?:the )(?P<days>{_NTH_DAYS})(?: day)?(?: of the month)?(?![a-z])", _month_days),
    (rf",? on (?:a )?(?P<days>{_DAY_LIST})(?![a-z])", _on_days),
    (rf",? (?:but )?(?:on |at )?(?P<days>{_WHICH_DAYS})(?![a-z'])", _on_days),
    (rf"(?:,? |,){_AT}(?![a-z0-9])", _clock),
    (_ALSO, _ALSO_AT),
    (rf"(?:,? and |, ){_EACH_PART}(?![a-z])", _and_part),
    (rf",? and {_EACH_PART},? (?:at )?(?P<clock>{_ALSO_TIME})(?![a-z0-9:.])", _and_in_part),
    (
        rf",? (?:in the |at )?{_PART}(?![a-z])",
        lambda rule, found, _: None if rule.times else _in_part(rule, found["part"]),
    ),
    (
        rf",? (?:until|till|'til|through|up to|up until|ending(?: on)?) (?P<end>{_POINT}|{_NAME})",
        until("until {}"),
    ),
    (f",? {_SPAN}", between("from {} to {}")),
    (f",? {_FROM}", starting),
    (rf",? for (?:the next |another |a further )?(?P<length>{en.LENGTH})", lasting),
    (
        rf",? (?P<times>{en.NUMBER}) times(?! a)(?![a-z])",
        lambda rule, found, clock: rule.ending(_count(found["times"], clock)),
    ),
)
ENGLISH = Grammar(_HEADS, _STEPS, phrase)
