"""Find dates in texts that can be read in one way only, and the year that a day is written with."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from contextlib import suppress
from datetime import date, timedelta

from text2mem.ir.times import phrases_zh as zh
from text2mem.ir.times.phrases_en import MONTH, WEEKDAY
from text2mem.ir.words.calendar_names import HAN_WEEKDAYS, month
from text2mem.ir.words.folding import fold

_LONGEST = 40
_YEAR_FIRST = re.compile(
    r"(?P<year>\d{4})(?:(?P<mark>[-/.])(?P<month>\d{1,2})(?P=mark)(?P<day>\d{1,2})"
    r"|\s?年\s?(?P<month_>\d{1,2})\s?月\s?(?P<day_>\d{1,2})\s?[日号])",
    re.ASCII,
)
_MIDNIGHT = re.compile(
    r"(?P<day>\d{4}-\d\d-\d\d)[t ]00:00(:00(\.0+)?)?(z|[+-]\d\d:?\d\d)?", re.ASCII
)
_DAY = r"(the )?\d{1,2}(st|nd|rd|th)?"
_YEAR_LAST = re.compile(
    rf"({_DAY} (of )?{MONTH}\.?|{MONTH}\.? {_DAY}),? \d{{4}}"
    rf"|\d{{1,2}}-(?=[a-z]{{3}}-){MONTH}-\d{{4}}|\d{{1,2}}[/.-]\d{{1,2}}[/.-]\d{{4}}",
    re.ASCII,
)

_BESIDE = re.compile(
    r"(?:(?<=[日号a-z])|(?<=[a-z] \d)|(?<=[a-z] \d\d)|(?<=\d-\d\d)) ?"
    rf"[(（](?:{WEEKDAY}|(?:{zh.WEEKS})?{zh.OF_WEEK})[)）]",
    re.I,
)
_WITHIN = re.compile(
    r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{4}年\d{1,2}月\d{1,2}[日号]"
    rf"|\d{{1,2}}(?:st|nd|rd|th)? (?:of )?{MONTH}\.?,? \d{{4}}"
    rf"|{MONTH}\.? \d{{1,2}}(?:st|nd|rd|th)?,? \d{{4}}",
    re.IGNORECASE,
)

_WITH_YEAR = re.compile(
    r"(?P<first>20\d\d)(?P<sign> ?年 ?).+|.*[a-z\d](?P<gap>,? )(?P<last>20\d\d)", re.IGNORECASE
)
"""The year that a day is written with: "3 March 2027", "March 3, 2027", 2027 年 3 月 3 日."""

_HALF_A_YEAR = timedelta(days=184)
FIGURES = re.compile(zh.FIGURES)
"""A month and a day, or the reverse, without a year: 3/9, 12.3."""


def dates_in(text: str) -> Iterator[tuple[int, int, date]]:
    """Yield (start, end, day) of every date in a text that can be read in one way only."""
    for found in _WITHIN.finditer(text):
        day = read_date(found[0])
        if day is not None:
            yield *found.span(), day


def read_date(text: str) -> date | None:
    """The day that ``text`` names; None if it names none, or may mean different days.

    Readable are ISO 8601, other forms with the year first (2026/3/31, 2026年3月31日), the month in
    English words ("Mar 31st, 2026"), and "31/03/2026", but not "03/04/2026". The year has four
    digits. An ISO time at midnight is its day as written, whatever its offset.
    """
    if len(text) > _LONGEST:
        return None
    written = " ".join(unicodedata.normalize("NFKC", text).lower().split())
    midnight = _MIDNIGHT.fullmatch(written)
    found = _YEAR_FIRST.fullmatch(midnight["day"] if midnight else written)
    try:
        if found:
            parts = found["year"], found["month"] or found["month_"], found["day"] or found["day_"]
            return date(*map(int, parts))
        if not _YEAR_LAST.fullmatch(written):
            return None
        *numbers, year = map(int, re.findall(r"\d+", written))
        if name := re.search(MONTH, written):
            return date(year, month(name[0]), *numbers)
        orders = (numbers, numbers[::-1])
        days = {date(year, first, second) for first, second in orders if first <= 12}
        return days.pop() if len(days) == 1 else None
    except (ValueError, OverflowError):
        return None


def spelt_zh(day: date) -> str:
    """The date in Chinese: 2026年5月3日."""
    return f"{day.year}年{day.month}月{day.day}日"


def year_of(words: str) -> str:
    """The year that a day is written with; "" if it has none."""
    found = _WITH_YEAR.fullmatch(words.strip())
    return (found["first"] or found["last"]) if found is not None else ""


def with_year(words: str, year: int, like: str) -> str:
    """A day with a year where ``like`` has its year; as it is if neither has one."""
    present = year_of(words)
    if present:
        return words.replace(present, str(year))
    found = _WITH_YEAR.fullmatch(like.strip())
    if found is None:
        return words
    return f"{year}{found['sign']}{words}" if found["first"] else f"{words}{found['gap']}{year}"


def dated(words: str) -> str:
    """The words; figures which words beside them make a date as what is one alone: 12.3号."""
    return f"{words}号" if FIGURES.fullmatch(fold(words)) else words


def of_weekday(figures: str, weekday: int) -> str:
    """Figures with the weekday that tells which is the month: 3/9周四."""
    return f"{figures}周{HAN_WEEKDAYS[weekday]}"


def in_order(words: str, like: str, day: date) -> date | None:
    """The date near ``day`` of figures in the order of other ones that are ``day``: 4/9 beside 3/9.
    None for other words, and for the 29th of February of another year."""
    if not (FIGURES.fullmatch(words) and FIGURES.fullmatch(like)):
        return None
    to, was = (tuple(map(int, re.split("[./]", each))) for each in (words, like))
    order = (day.month, day.day), (day.day, day.month)
    if was not in order or day.month == day.day:
        return None
    for year in (day.year - 1, day.year, day.year + 1):
        with suppress(ValueError):
            near = date(year, *(to if was == order[0] else to[::-1]))
            if abs(near - day) < _HALF_A_YEAR:
                return near
    return None


def without_weekday(words: str) -> str:
    """Words for a date without the weekday in brackets behind it, which may be a mistaken one. That
    of 3/9 stays: it tells which of the figures is the month."""
    return _BESIDE.sub("", words)
