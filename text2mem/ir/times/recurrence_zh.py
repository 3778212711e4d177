"""The grammar of Chinese recurrences: 每周三上午七点, 每月最后一天, 每隔一周的周三.

每隔一天, 隔天 and 隔周五 are every other one. 每隔三天 is every third day, like 每隔三小时.
每隔两天 may be either, and is not read. Weekdays in a row (周二周五, 一三五早上) come every week.
"""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import time

from text2mem.ir.times.clock_times import by_day
from text2mem.ir.times.phrases_zh import CLOCK, LENGTH, NUMBER, OF_WEEK, POINT, WEEKS
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
from text2mem.ir.times.temporal_zh import PARTS, UNITS, half, nth, number
from text2mem.ir.words.calendar_names import weekday

_UNIT = "(?P<unit>天|日|周|星期|礼拜|月|季度?|年|小时|钟头|分钟)"
_ONCE = "一[次回趟遍]"
# 二 before 十 belongs to the hour: 周二二十点.
_LAST = rf"{OF_WEEK}(?!(?<=二)十)(?![个次回趟遍点时天日号])"
_DAY_LIST = f"{OF_WEEK}(?:(?:[、,和及与跟]|以及|还有)?{WEEKS}?{_LAST}){{0,6}}"
_MDAY = rf"{NUMBER}[日号]"


def _interval(found: re.Match[str]) -> int:
    """The interval that a match names: 2 for 每隔一周; 1 if it names none."""
    groups = found.groupdict()
    if groups.get("every_other"):
        return 2
    return number(groups["n"]) if groups.get("n") else 1


def _unit(rule: Rule, found: re.Match[str], _: Clock) -> Rule:
    """The step for 每两周."""
    unit = "季度" if found["unit"] == "季" else found["unit"]
    return rule.every(UNITS[unit], _interval(found))


def _part(rule: Rule, found: re.Match[str], _: Clock) -> Rule | None:
    """The step for 每天早上 and 每天早晚, unless a time came first."""
    if rule.times:
        return None
    parts = tuple(f"{part}上" for part in found["part"])
    times = tuple(time(PARTS[part].hour) for part in parts)
    return replace(rule, freq="DAILY", times=times, parts=parts)


def _days_in(words: str) -> tuple[str, ...]:
    """The weekdays that words name, as codes of RFC 5545, in the order of the week."""
    first_to_last = re.match(rf"({OF_WEEK})[到至](?:{WEEKS})?({OF_WEEK})", words)
    if first_to_last:
        start, end = map(weekday, first_to_last.groups())
        return WEEKDAYS[start : end + 1]
    return days_in(re.findall(OF_WEEK, words))


def _weekdays(rule: Rule, found: re.Match[str], _: Clock) -> Rule | None:
    """The step for 每周一三五."""
    days = _days_in(found["days"])
    return replace(rule, freq="WEEKLY", interval=_interval(found), byday=days) if days else None


def _bare_days(rule: Rule, found: re.Match[str], _: Clock) -> Rule | None:
    """The step for 周二周五 and 一三五, not for 周三四 (one of the two?) and 三日."""
    said = [*map(weekday, re.findall(OF_WEEK, found["days"]))]
    either = len(said) == 2 == len(found["days"]) and said[1] - said[0] == 1
    if either or said != sorted({*said}) or re.search("[一二三四五][日天]", found["days"]):
        return None
    return replace(rule, freq="WEEKLY", byday=_days_in(found["days"]))


def _on_days(rule: Rule, found: re.Match[str], _: Clock) -> Rule | None:
    """The step for 的周三, after a head such as 每两周."""
    if rule.freq != "WEEKLY" or rule.byday:
        return None
    return replace(rule, byday=_days_in(found["days"]))


def _month_days(rule: Rule, found: re.Match[str], _: Clock) -> Rule | None:
    """The step for 每月1号和15号."""
    days = tuple(map(number, re.findall(NUMBER, found["days"])))
    if not all(1 <= day <= 31 for day in days):
        return None
    return replace(rule, freq="MONTHLY", interval=_interval(found), bymonthday=days)


def _nth(rule: Rule, found: re.Match[str], _: Clock) -> Rule | None:
    """The step for 每月第一个周一, 每月最后一个工作日 and 每季度第一个周一."""
    which = nth(found["nth"])
    months = () if found["per"] == "月" else _QUARTERLY.get(which, ())
    if not months and found["per"] != "月":
        return None  # 每季度第二个周一 may be of each month
    if found["day"] is None:
        return replace(rule, freq="MONTHLY", bymonth=months, byday=WORKING, bysetpos=which)
    day = f"{which}{_days_in(found['day'])[0]}"
    return replace(rule, freq="MONTHLY", bymonth=months, byday=(day,))


def _edge(rule: Rule, found: re.Match[str], _: Clock) -> Rule | None:
    """The step for 每年二月底, 每年年初, 双月底 and 每季度第一天: the first or the last day."""
    day = 1 if found["edge"] in ("初", "第一天") else -1
    if which := found.groupdict().get("which"):
        months = _QUARTERLY[day] if "季" in which else _MONTHS[which[-1]]
        return replace(rule, freq="MONTHLY", bymonth=months, bymonthday=(day,))
    month = number(found["month"] or ("1" if day == 1 else "12"))
    fits = 1 <= month <= 12
    return replace(rule, freq="YEARLY", bymonth=(month,), bymonthday=(day,)) if fits else None


def _days_of(rule: Rule, found: re.Match[str], clock: Clock) -> Rule | None:
    """The step for 双月15号: days of the odd or the even months."""
    made = _month_days(rule, found, clock)
    return made and replace(made, bymonth=_MONTHS[found["which"][-1]])


def _odd_or_even(rule: Rule, found: re.Match[str], _: Clock) -> Rule:
    """The step for 每逢单日: the odd or even days of the month."""
    days = tuple(range(1 if found["which"] == "单" else 2, 32, 2))
    return replace(rule, freq="MONTHLY", bymonthday=days)


def _date(rule: Rule, found: re.Match[str], _: Clock) -> Rule | None:
    """The step for 每年5月3日."""
    month, day = number(found["month"]), number(found["day"])
    if not (1 <= month <= 12 and 1 <= day <= 31):
        return None
    return replace(rule, freq="YEARLY", bymonth=(month,), bymonthday=(day,))


def _clock(rule: Rule, found: re.Match[str], clock: Clock) -> Rule | None:
    """The step for a time of the day, within each part of the day that was named before it."""
    if rule.times and not rule.parts:
        return None
    timed: Rule | None = replace(rule, times=(), parts=())
    for part in rule.parts or ("",):
        words = part + found["clock"]
        said = clock.instant(f"明天{words}")
        timed = timed and timed.also_at(said and by_day(said, words, clock), clock)
    return timed


_MONTHS = {"单": tuple(range(1, 13, 2)), "双": tuple(range(2, 13, 2))}
_QUARTERLY = {1: (1, 4, 7, 10), -1: (3, 6, 9, 12)}
"""The months in which the first and the last day of a quarter lie."""
_FROM = rf"从?(?P<begin>{POINT})(?:开始|起)"
_TO = "(?:一直|直)?(?:到|至)"
_END = rf"(?P<end>{POINT}|[一-龥]{{2,4}}?(?=$|[,、]|每|为?止|结束))(?:为止|止|结束)?"
_SPAN = rf"从?(?P<begin>{POINT})(?:开始|起)?[,、]?{_TO}{_END}"
_EVERY = rf"(?:(?:每逢?|逢)?(?P<every_other>隔一?)|(?:每逢?|逢)(?P<n>{NUMBER})?)个?"
_WHICH = r"(?P<which>(?:每(?:个|逢)?|逢)?[单双])"
_EDGE = "(?P<edge>[初底末]|第一天|最后一天)"
CHINESE = Grammar(
    heads=(
        (rf"{_EVERY}月的?(?P<days>{_MDAY}(?:[、,和及]{_MDAY}){{0,4}})", _month_days),
        (rf"{_EVERY}月的?(?P<days>[二三]?十[一二三四五六七八九]?)(?=$|的?{CLOCK})", _month_days),
        (r"每个?月的?(?:月?[底末]|最后一[天日])", always(freq="MONTHLY", bymonthday=(-1,))),
        (r"每个?月的?(?:月?初|第一天)", always(freq="MONTHLY", bymonthday=(1,))),
        (
            rf"每个?(?P<per>月|季度?)的?(?P<nth>最后一|第[一二三四1-4])个?"
            rf"(?:(?P<day>{WEEKS}{OF_WEEK})|工作日|上班日)",
            _nth,
        ),
        (r"每(?:个|逢)?(?P<which>[单双])[号日]", _odd_or_even),
        (rf"{_WHICH}月的?(?P<days>{_MDAY}(?:[、,和及]{_MDAY}){{0,4}})", _days_of),
        (rf"(?P<which>(?:每(?:个|逢)?|逢)?[单双](?=月)|每个?季)[度月]?的?月?{_EDGE}", _edge),
        (rf"每年的?(?:(?P<month>{NUMBER})月份?|年)?{_EDGE}", _edge),
        (r"每(?:年|逢)的?(?P<name>[一-龥]{2,6}?)(?=$|[,，的]|[早晚上中下]|\d)", named),
        (rf"每年的?(?P<month>{NUMBER})月(?P<day>{NUMBER})[日号]?", _date),
        (rf"{_EVERY}{WEEKS}的?{WEEKS}?(?P<days>[一-五][到至]{WEEKS}?{OF_WEEK})", _weekdays),
        (rf"{_EVERY}{WEEKS}(?P<days>{_DAY_LIST})(?![个次回趟遍])", _weekdays),
        (rf"{WEEKS}(?P<days>[一-五][到至]{WEEKS}?{OF_WEEK})(?=[,、]?的?{CLOCK}|$)", _weekdays),
        (rf"{WEEKS}(?P<days>{OF_WEEK}(?:{WEEKS}?{_LAST}){{1,6}})", _bare_days),
        (rf"(?P<days>{OF_WEEK}(?:{OF_WEEK}){{1,6}})(?=早|[上中下]午|傍?晚)", _bare_days),
        (r"(?:每(?:个|逢)?)?(?:工作日|上班日)", always(freq="WEEKLY", byday=WORKING)),
        (r"每(?:个|逢)?周末", always(freq="WEEKLY", byday=WEEKEND)),
        (
            rf"(?:每隔?|(?=半.{{1,3}}{_ONCE}))半个?(?P<unit>年|月|小时|天)",
            lambda rule, found, _: rule.every(half(found["unit"])),
        ),
        (rf"每隔(?P<n>{NUMBER})个?(?P<unit>小时|钟头|分钟)", _unit),
        (rf"每隔(?P<n>(?![12一二两](?![\d十百])){NUMBER})个?{_UNIT}", _unit),
        (rf"(?P<n>{NUMBER})(?:个|(?![月日])){_UNIT}{_ONCE}", _unit),
        (rf"{_SPAN}[,、]?(?=[每隔逢半周星礼]|{NUMBER})", between("从{}到{}")),
        (rf"{_FROM}[,、]?(?=[每隔逢半]|{NUMBER})", starting),
        (r"每(?:天|日|个)?(?P<part>早晚|[早晚])上?(?!饭|餐|会|报|班)", _part),
        (
            rf"每[天日](?P<n>{NUMBER})次(?=[,:、]?的?(?:在)?{CLOCK})",
            lambda rule, found, _: replace(rule.every(UNITS["天"]), often=number(found["n"])),
        ),
        (rf"(?!隔一?个?(?:小|钟|分)){_EVERY}{_UNIT}(?:{_ONCE}|(?![一-龥]?[报会刊]|终|轮))", _unit),
    ),
    steps=(
        (rf"[,、]?的?{WEEKS}(?P<days>{_DAY_LIST})", _on_days),
        (f"[,、]?各?(?:提醒)?{_ONCE}", always()),
        (rf"[,、]?\s?的?(?:在)?(?P<clock>{CLOCK})", _clock),
        (
            rf"(?:(?:[,、和及与跟]|以及|还有)\s?|(?=[凌早上中下傍晚夜]))(?P<clock>{CLOCK})",
            also("明天"),
        ),
        (rf"[,、]?\s?{_SPAN}", between("从{}到{}")),
        (rf"[,、]?\s?{_TO}{_END}", until("到{}为止")),
        (rf"[,、]?\s?{_FROM}", starting),
        (rf"[,、]?\s?(?:持续|连续|为期)(?P<length>{LENGTH})", lasting),
        (
            rf"[,、]?\s?(?:共|一共|总共|只)(?:提醒)?(?P<times>{NUMBER})次",
            lambda rule, found, _: rule.ending(number(found["times"])),
        ),
    ),
    pattern=re.compile,
)
