"""Parts of English months and years: "third quarter of 2025", "first Monday of June", "10th of next
month".

Takes phrases in digits, without their clock and their article.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, timedelta

from text2mem.ir.times.phrases_en import FIRSTS, TENTHS
from text2mem.ir.times.temporal_calendar import Calendar, Named, nth_weekday
from text2mem.ir.words.calendar_names import MONTHS, SHORT, weekday

_PLAIN = {word: n for n, word in enumerate(FIRSTS + TENTHS, 1)} | {"thirtieth": 30}
ORDINALS = (
    _PLAIN | {f"twenty-{word}": 20 + n for n, word in enumerate(FIRSTS, 1)} | {"thirty-first": 31}
)
"""The days of a month in words."""
_SPELT = "|".join(sorted(_PLAIN, key=len, reverse=True))
_MONTHS = "|".join(name[:SHORT] for name in MONTHS)
_ORDINAL_DAY = re.compile(
    rf"\b(?:(?P<tens>20|30)-(?P<ones>{'|'.join(FIRSTS)})|(?P<plain>{_SPELT}))"
    rf"(?= (?:day )?(?:of )?(?:{_MONTHS}|(?:this|next|last|the) month)|$)"
)
_QUARTER = re.compile(
    r"(?:q(?P<q>[1-4])|(?P<nth>first|second|third|fourth|1st|2nd|3rd|4th) (?P<what>quarter|half))"
    r"(?:(?: of|,| in| /|/)? ?"
    r"(?:(?P<year>\d{4})|(?:the )?(?P<near>this|next|last|current)? ?year))?"
)
_NTH = re.compile(
    r"(?P<nth>first|second|third|fourth|1st|2nd|3rd|4th|last) "
    r"(?P<day>mon|tues|wednes|thurs|fri|satur|sun)day (?:of|in) (?P<what>.+)"
)
_OF_MONTH = re.compile(
    r"(?P<day>\d{1,2})(?:st|nd|rd|th) (?:day )?of (?P<what>(?:this|next|last) month|month)"
)
_WEEKDAY_ON = re.compile(
    r"(?P<day>mon|tues|wednes|thurs|fri|satur|sun)day,? (?:the )?(?P<number>\d{1,2})(?:st|nd|rd|th)"
)
NEAR = {"this": 0, "current": 0, "next": 1, "coming": 1, "last": -1, "previous": -1}
"""How many of a period lie between that which is named and the present one."""


def ordinals_in_digits(text: str) -> str:
    """ "third of may" as "3th of may": a day of a month, never the second of a minute."""
    if text in ("first", "second"):
        return text

    def digits(found: re.Match[str]) -> str:
        if found["plain"]:
            return f"{_PLAIN[found['plain']]}th"
        return f"{int(found['tens']) + FIRSTS.index(found['ones']) + 1}th"

    return _ORDINAL_DAY.sub(digits, text)


def part_of_year(text: str, calendar: Calendar) -> Named | None:
    """Q3 2025, the third quarter of last year, the first half of 2025."""
    match = _QUARTER.fullmatch(text)
    if match is None:
        return None
    nth = int(match["q"] or 0) or _PLAIN.get(match["nth"] or "") or int((match["nth"] or "1")[0])
    size = 6 if match["what"] == "half" else 3
    if nth * size > 12:
        return None
    said, near = match["year"], match["near"]
    if said or near or text.endswith("year"):
        year = int(said) if said else calendar.today.year + NEAR.get(near or "this", 0)
        return Named(*calendar.months(date(year, (nth - 1) * size + 1, 1), size))
    step = 1 if calendar.forward else -1
    for year in (calendar.today.year, calendar.today.year + step):
        first, last = calendar.months(date(year, (nth - 1) * size + 1, 1), size)
        if last >= calendar.today if calendar.forward else first <= calendar.today:
            return Named(first, last)
    return None


def part_of_month(text: str, days_of: Callable[[str], Named | None]) -> Named | None:
    """The first Monday of June, the last Friday of the month, the 10th of next month, Monday the
    9th."""
    if match := _WEEKDAY_ON.fullmatch(text):
        day = days_of(f"{match['number']}th")
        fits = day is not None and day.first and day.first.weekday() == weekday(match["day"])
        return day if fits else None
    match = _NTH.fullmatch(text) or _OF_MONTH.fullmatch(text)
    if match is None:
        return None
    what = match["what"].removeprefix("the ")
    month = days_of("this month" if what == "month" else what)
    if month is None or month.first is None or month.last is None:
        return None
    if match.re is _OF_MONTH:
        day_of_month = month.first + timedelta(days=int(match["day"]) - 1)
        return Named(day_of_month, day_of_month) if day_of_month <= month.last else None
    if (month.first.day, (month.last - month.first).days > 31) != (1, False):
        return None
    nth = -1 if match["nth"] == "last" else _PLAIN.get(match["nth"]) or int(match["nth"][0])
    found = nth_weekday(month.first, month.last, weekday(match["day"]), nth)
    return Named(found, found) if found <= month.last else None
