"""Find the dates of days that a calendar names: Christmas, Whitsun, 中秋, 白露, Lent.

If a name in ``named_days_table`` has different days in different countries, the time zone decides;
if the zone tells no country, the name is not read.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from functools import cache, lru_cache

from text2mem.ir.times import phrases_zh as zh
from text2mem.ir.times.numerals import read_number
from text2mem.ir.times.temporal_calendar import Calendar, Days
from text2mem.ir.times.zone_places import country, hemisphere
from text2mem.ir.words.calendar_names import weekday
from text2mem.ir.words.folding import any_of

_YEARS = {"this year": 0, "next year": 1, "last year": -1}
_ENGLISH = re.compile(
    r"(?:(?P<near>this|last) )?(?P<name>.+?)"
    r"(?:,? (?:of )?(?P<year>(?:19|20)\d\d|(?:this|next|last) year))?"
)
_OWN_MONTHS = {"正": 1, "冬": 11, "腊": 12}
_BARE_DAY = re.compile(
    r"(?:(?P<said>农历|阴历|旧历)的?)?"
    r"(?P<day>初[一二三四五六七八九十]|(?:廿|(?<=历)二?十|(?<=历的)二?十)[一二三四五六七八九]?)"
    r"(?![月日号年十级])"
)
"""A day of a Chinese month that is not named: 初八, 廿二, 农历十五."""
_ALSO = ("618", "cny")
"""Names without Chinese characters that are also used in Chinese."""
_RANGE = range(1901, 2100)
"""The years for which dates are computed."""
_SOLSTICE, _GENG = 11, 2
"""The index of the summer solstice among the solar terms; the ordinals of 庚 days, modulo 10."""
_EARLIEST, _LATEST = -1, 3
"""The years around this one in which the nearest date is looked for; the last is left out."""


@cache
def _index() -> dict[str, list[tuple[str, str, str]]]:
    """For every name, its rows: the rules of the first and of the last day, and the countries."""
    from text2mem.ir.times.named_days_table import ROWS, TERMS, WEATHER

    found: dict[str, list[tuple[str, str, str]]] = {}
    for names, first, last, countries in ROWS:
        for name in names.split("|"):
            found.setdefault(name, []).append((first, last, countries))
    for number, term in enumerate(TERMS):
        for name in (f"{term}节气",) if term in WEATHER else (term, f"{term}节气"):
            found[name] = [(f"term {number}", "", "")]
    return found


@cache
def _chinese_names() -> re.Pattern[str]:
    """The pattern of a named day in Chinese, with its year, or of a day of the Chinese calendar."""
    names = any_of(name for name in _index() if not name.isascii() or name in _ALSO)
    return re.compile(
        rf"(?:(?P<year>{zh.YEARS}|(?:19|20)\d\d年)的?)?(?:"
        r"(?:(?P<lunar>农历|阴历|旧历)的?(?P<any>[正一二三四五六七八九十冬腊])|(?P<own>[正冬腊])|"
        r"(?P<only>十[一二]|[一二三四五六七八九十])(?=月(?:初[一二三四五六七八九十]|廿)))月"
        r"(?P<day>初[一二三四五六七八九十]|三十|(?:二?十|廿)[一二三四五六七八九]?)"
        r"|大?年(?P<new>初[二三四五六七八九十])"
        rf"|(?P<name>{names}))"
    )


def is_name(text: str) -> bool:
    """Whether the English words as a whole name a day or stretch of days, in any country."""
    found = _ENGLISH.fullmatch(_key(text))
    return found is not None and found["name"] in _index()


def stands_in(text: str) -> bool:
    """Whether a folded text contains the name of a day or stretch of days."""
    words = _key(text).split()
    spans = (words[n : n + size] for size in range(1, 5) for n in range(len(words)))
    named = any(" ".join(span) in _index() for span in spans)
    return named or bool(_chinese_names().search(text) or _BARE_DAY.fullmatch(text))


def _key(text: str) -> str:
    """The form in which English names are looked up: without "the", apostrophes and hyphens."""
    return re.sub("[-\u2010\u2011]", " ", re.sub("['’.]", "", text)).removeprefix("the ")


def read(text: str, calendar: Calendar) -> Days | None:
    """The days that the English words as a whole name: "christmas", "lent", "easter 2027"."""
    found = _ENGLISH.fullmatch(_key(text))
    if found is None or found["name"] not in _index():
        return None
    said, near = found["year"], found["near"]
    if near == "last":
        before = _nearest(found["name"], replace(calendar, forward=False))
        if before is not None and before[1] >= calendar.today:
            year_ago = calendar.at(before[1]) - timedelta(days=366)
            before = _nearest(found["name"], replace(calendar, now=year_ago, forward=True))
        return None if said else before
    if said or near:
        year = int(said) if said and said[0] in "12" else 0
        year = year or calendar.today.year + _YEARS[said or "this year"]
        return _in_year(found["name"], year, calendar)
    return _nearest(found["name"], calendar)


def of_every_year(name: str, tz: tzinfo) -> tuple[int, int] | None:
    """The month and day of a named day that is on the same date every year."""
    rules = _rule(_key(name), Calendar(datetime(2000, 1, 1, tzinfo=UTC), tz, forward=True))
    fixed = re.fullmatch(r"(\d\d)-(\d\d)", rules[0]) if rules and not rules[1] else None
    return None if fixed is None else (int(fixed[1]), int(fixed[2]))


def read_start(text: str, calendar: Calendar) -> tuple[Days, int] | None:
    """The days named at the beginning of a Chinese text, and the position behind their name."""
    found = _chinese_names().match(text)
    if found is None:
        bare = _BARE_DAY.match(text)
        # In a range, 初三 is more often a school year.
        named = _coming_day(bare["day"], calendar) if bare and calendar.forward else None
        return (named, bare.end()) if bare and named else None
    month = found["any"] or found["own"] or found["only"] or "正"
    name = found["name"] or _lunar(month, found["day"] or found["new"])
    named = None if found["year"] else _nearest(name, calendar)
    if said := found["year"]:
        away = zh.YEARS_AWAY.get(said)
        year = int(said[:4]) if away is None else calendar.today.year + away
        named = _in_year(name, year, calendar)
    return None if named is None else (named, found.end())


def _lunar(month: str, day: str) -> str:
    """The rule for a day of the Chinese calendar: 腊月廿三 is "lunar 12-23"."""
    number = _OWN_MONTHS.get(month) or read_number(month)
    return f"lunar {number}-{read_number(day.removeprefix('初'))}"


def _coming_day(said: str, calendar: Calendar) -> Days | None:
    """The next day with its number in the Chinese month, also in a leap month."""
    from lunar_python import Lunar

    number = read_number(said.removeprefix("初"))
    days = (calendar.today + timedelta(days=away) for away in range(31))
    fits = (d for d in days if Lunar.fromDate(datetime.combine(d, time())).getDay() == number)
    return next(((day, day) for day in fits), None)


def _rule(name: str, calendar: Calendar) -> tuple[str, str] | None:
    """The rules of the first and last day of a name that apply in the zone of the calendar."""
    if name.startswith("lunar "):
        return name, ""
    for first, last, countries in _index().get(name, ()):
        if countries:
            here = country(calendar.tz) in countries.lstrip("-").split()
            if here == countries.startswith("-"):
                continue
        if not first:
            return None
        if first.startswith("season"):
            side = hemisphere(calendar.tz)
            month = (int(first[7:]) + 6 * (side == "south") - 1) % 12 + 1
            return (f"{month:02}-01", f"{(month + 1) % 12 + 1:02}-end") if side else None
        return first, last
    return None


def _nearest(name: str, calendar: Calendar) -> Days | None:
    """The days of a name that are nearest to today. A stretch that today lies in counts."""
    rules, year = _rule(name, calendar), calendar.today.year
    years = range(year + _EARLIEST, year + _LATEST)
    ordered = years if calendar.forward else years[::-1]
    return calendar.nearest_of(_stretches(*rules, ordered)) if rules else None


def _in_year(name: str, year: int, calendar: Calendar) -> Days | None:
    """The days of a name in a year; None if there are none or several."""
    rules = _rule(name, calendar)
    if rules is None or re.match("lunar 1[12]", rules[0]):
        # The last months of a Chinese year lie in the next Western year, or in both.
        return None
    return next(_stretches(*rules, [year]), None)


def _stretches(start: str, end: str, years: range | list[int]) -> Iterator[Days]:
    """Yield the first and last day of each of the years by two rules; ``end`` is "" for one day."""
    for year in years:
        first = _day(start, year) if year in _RANGE else None
        last = _day(end, year) if end and first else first
        if first and last and last < first:
            last = _day(end, year + 1)
        if first and last:
            yield first, last


def _day(rule: str, year: int) -> date | None:
    """The day of a rule in a year; None if the year has none (腊月三十)."""
    if rule.startswith("easter"):
        from dateutil.easter import easter

        return easter(year) + timedelta(days=int(rule[6:]))
    kind, _, rest = rule.partition(" ")
    if kind == "term":
        return _terms(year)[int(rest)]
    if kind == "geng":
        solstice = _terms(year)[_SOLSTICE]
        return solstice + timedelta(days=(_GENG - solstice.toordinal()) % 10 + 10 * (int(rest) - 1))
    if kind == "lunar":
        month, day = rest.split("-")
        first, length = _lunar_months(year)[int(month) - 1]
        number = length if day == "end" else int(day)
        return first + timedelta(days=number - 1) if number <= length else None
    if rest:
        named, nth, *later = rest.split(" ")
        days = Calendar.months(date(year, int(kind), 1))
        found = Calendar.nth_weekday(*days, weekday(named), int(nth))
        return found + timedelta(days=sum(map(int, later)))
    month, day = rule.split("-")
    last = monthrange(year, int(month))[1]
    return date(year, int(month), last if day == "end" else int(day))


@lru_cache(maxsize=32)  # takes some 30 ms for a year
def _lunar_months(year: int) -> list[tuple[date, int]]:
    """The first day and the length of the twelve months of a Chinese year; no leap months."""
    from lunar_python import LunarYear

    months = [month for month in LunarYear.fromYear(year).getMonths() if month.getYear() == year]
    return [
        (_of_julian(month.getFirstJulianDay()), month.getDayCount())
        for month in sorted(months, key=lambda month: int(month.getMonth()))
        if month.getMonth() > 0
    ]


@lru_cache(maxsize=32)
def _terms(year: int) -> list[date]:
    """The days of the 24 solar terms of a year, in the time zone of Beijing."""
    from lunar_python import LunarYear

    # The list begins with two terms of the year before.
    instants = LunarYear.fromYear(year).getJieQiJulianDays()[2:26]
    return list(map(_of_julian, instants))


def _of_julian(number: float) -> date:
    from lunar_python import Solar

    day = Solar.fromJulianDay(number)
    return date(day.getYear(), day.getMonth(), day.getDay())
