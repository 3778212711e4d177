"""Read English names of days and longer periods: "next Friday", "end of the month", "Dec 31".

Phrases have their numbers in digits and no time of the day. Weeks start on Monday.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta

from text2mem.ir.times import named_days
from text2mem.ir.times.duration import DAY
from text2mem.ir.times.leaning import day_told
from text2mem.ir.times.phrases_en import MONTH, NTH, ORDINALS, WEEKDAY
from text2mem.ir.times.temporal_calendar import Calendar, Days, Named
from text2mem.ir.times.temporal_en_lengths import UNITS, length_of
from text2mem.ir.words.calendar_names import MONTHS, SHORT, WEEKDAYS, month, weekday
from text2mem.ir.words.folding import any_of

_DAYS = {
    "today": 0, "tomorrow": 1, "yesterday": -1, "day after tomorrow": 2,
    "day before yesterday": -2,
}  # fmt: skip
_PERIODS = {"day", "week", "weekend", "month", "quarter", "year"}
_ANCHORED = re.compile(r"(?P<length>.+?) (?P<side>from|after|before) (?P<anchor>.+)")
_EDGE = re.compile(r"(?P<edge>end|close|last day|start|beginning|first day) of (?P<what>.+)")
_MONTH_END = re.compile(rf"(?P<what>{MONTH})[- ](?P<edge>end|close|start|beginning)")
_OF_YEAR = re.compile(
    r"(?P<day>.*[a-z].*?),? (?:of )?(?P<near>this|next|last) year"
    r"|(?P<near_>this|next|last) year,? on (?:the )?(?P<day_>.+)"
)
_OF_DAY = re.compile(r"day,? (?:on )?(?P<day>.+)")
_NUMERIC = (
    re.compile(r"(?P<y>\d{4})[-/.](?P<m>\d{1,2})[-/.](?P<d>\d{1,2})"),
    re.compile(r"(?P<d>\d{1,2})\.(?P<m>\d{1,2})\.(?P<y>\d{4})"),
    re.compile(r"(?P<m>\d{1,2})/(?P<d>\d{1,2})/(?P<y>\d{4})"),
    re.compile(r"(?P<y>\d{4})-(?P<m>\d\d)"),
    re.compile(r"(?P<y>[12]\d{3})"),
    re.compile(r"(?P<d>\d{1,2})(?:st|nd|rd|th)"),
)
_ORDINALS = {
    word.replace("twenty-", "20-").replace("thirty-", "30-"): n for word, n in ORDINALS.items()
}
_MONTHS = "|".join(name[:SHORT] for name in MONTHS)
_ORDINAL_DAY = re.compile(
    rf"\b({any_of(_ORDINALS)})"
    rf"(?= (?:day )?(?:of )?(?:{_MONTHS}|(?:this|next|last|the) month)|$)"
)
_DAY = f"(?P<day>{WEEKDAY})"
_QUARTER = re.compile(
    rf"(?:q(?P<q>[1-4])|(?P<nth>{NTH}) (?P<what>quarter|half))"
    r"(?:(?: of|,| in| /|/)? ?"
    r"(?:(?P<year>\d{4})|(?:the )?(?P<near>this|next|last|current)? ?year))?"
)
_NTH = re.compile(
    rf"(?:(?P<nth>{NTH}|last) (?:{_DAY}|(?P<week>week|weekend))"
    r"|(?P<edge>first|last) (?:few )?days|(?P<half>first|1st|second|2nd|last) half)"
    r" (?:of|in) (?P<what>.+)"
)
_WEEK_OF = re.compile(
    r"(?:(?P<weekday>[a-z]+) (?:of|in) (?:the )?)?(?P<unit>week|weekend)"
    r" (?:of|beginning|starting|commencing)(?: on)? (?P<date>.+)"
)
_OF_MONTH = re.compile(
    r"(?P<day>\d{1,2})(?:st|nd|rd|th) (?:day )?of (?P<what>(?:this|next|last) month|month)"
)
_WEEKDAY_ON = re.compile(
    rf"{_DAY},? (?:(?:the )?(?P<number>\d\d?)(?:st|nd|rd|th)|(?P<first>\d\d?)/(?P<second>\d\d?))"
)
_WEEKDAY_NEAR = re.compile(
    rf"(?:(?P<past>last)|this|next|(?:this )?coming) (?P<day>{WEEKDAY},? .*\d.*)"
)
_WEEKDAY_FROM = re.compile(rf"{_DAY} (?P<side>before|after) (?P<anchor>(?!next|last|that).+)")
_SOON = timedelta(days=14)
"""How far away "next Friday the 13th" may be."""
_NEAR = {"this": 0, "current": 0, "next": 1, "coming": 1, "last": -1, "previous": -1}
"""The offset of a named period from the present one."""


def days_of(text: str, calendar: Calendar) -> Named | None:
    """The local days that the words as a whole name; for no words, a ``Named`` without days. Raises
    ValueError or OverflowError for days that do not exist."""
    text = re.sub(r"^(?:(?:on|in|at(?! \d{4}$))(?: |$))?(?:the )?", "", text)
    if text not in ("first", "second"):
        text = _ORDINAL_DAY.sub(lambda found: f"{_ORDINALS[found[1]]}th", text)
    if not text:
        return Named()
    if text in _DAYS:
        return Named(calendar.period("day", _DAYS[text]))
    text = re.sub(r"^new (month|quarter)$", r"start of next \1", text)
    text = re.sub(r"^rest of (?:the )?(day|week|month|year)$", r"end of \1", text)
    if (edge := _edge(text, calendar)) is not None:
        return edge
    readers = (
        _beyond, _from_another, _week_on, _near, _part_of_year, _of_year, _part_of_month, _week_of,
        _numeric, _absolute, named_days.read,
    )  # fmt: skip
    days = next(filter(None, (read(text, calendar) for read in readers)), None)
    return days and Named(days)


def _days(text: str, calendar: Calendar) -> Days | None:
    named = days_of(text, calendar)
    return None if named is None else named.days


def _edge(text: str, calendar: Calendar) -> Named | None:
    """The first or the last day of a stretch: the end of the month, the start of 2027, June end."""
    match = _EDGE.fullmatch(text) or _MONTH_END.fullmatch(text)
    if match is None:
        return None
    what = match["what"].removeprefix("the ")
    inner = _days(f"this {what}" if what in UNITS else what, calendar)
    if inner is None and (of_day := _OF_DAY.fullmatch(what)):
        inner = _days(of_day["day"], calendar)
        if inner is not None and inner[0] != inner[1]:
            return None
    if inner is None:
        return None
    if match["edge"] in ("start", "beginning", "first day"):
        return Named((inner[0],) * 2)
    return Named((inner[1],) * 2, limit=match["edge"] != "last day")


def _beyond(text: str, calendar: Calendar) -> Days | None:
    """The week after next, the coming weekend, the past Friday: the nearest one in a direction,
    whatever the default of the calendar is."""
    if match := re.fullmatch(r"(week|weekend|month|quarter|year) (after next|before last)", text):
        return calendar.period(match[1], 2 if match[2] == "after next" else -2)
    match = re.fullmatch(r"(?:this )?(coming|past) ([a-z]+)", text)
    if match is None or match[2] in _DAYS:
        return None
    if match[2] == "weekend":
        begun = calendar.today.weekday() >= WEEKDAYS.index("saturday")
        return calendar.period("weekend", int(begun) if match[1] == "coming" else -1)
    if match[2].startswith(tuple(_PERIODS)):
        return None
    return _days(match[2], replace(calendar, forward=match[1] == "coming"))


def _from_another(text: str, calendar: Calendar) -> Days | None:
    """A day that is a length before or after another one: the day before Easter, Easter Eve."""
    if match := re.fullmatch(r"(?:(day|week|fortnight|month) (before|after)|eve of) (.+)", text):
        text = f"1 {match[1] or 'day'} {match[2] or 'before'} {match[3]}"
    if match := _WEEKDAY_FROM.fullmatch(text):
        anchor = _days(match["anchor"], calendar)
        if anchor is None or anchor[0] != anchor[1]:
            return None
        found = day_told(f"the {match['day']} {match['side']}", anchor[0])
        return (found[1],) * 2 if found else None
    match = _ANCHORED.fullmatch(text)
    if match is None:
        return None
    length, anchor = length_of(match["length"]), _days(match["anchor"], calendar)
    if length is None or length.seconds % DAY or anchor is None:
        return None
    return (length.shift(anchor[0], -1 if match["side"] == "before" else 1),) * 2


def _week_on(text: str, calendar: Calendar) -> Days | None:
    """The weekday a week after the next one: Monday week, a week on Monday."""
    match = re.fullmatch(r"(?:(?:a )?week (?:on )?([a-z]+)|([a-z]+) week)", text)
    index = _index(match[1] or match[2], WEEKDAYS) if match else None
    if index is None:
        return None
    return (replace(calendar, forward=True).weekday(index) + timedelta(days=7),) * 2


def _near(text: str, calendar: Calendar) -> Days | None:
    """A weekday, alone or with its week, a period, a month: Friday of next week, last June."""
    near, _, word = text.rpartition(" ")
    if match := re.fullmatch(r"([a-z]+) (?:of )?(this|next|last|previous) week", text):
        # "end of day next week" names no day.
        if match[1] != "weekend" and _index(match[1], WEEKDAYS) is None:
            return None
        near, word = match[2], match[1]
    index, offset = _index(word, WEEKDAYS), _NEAR.get(near)
    if index is not None and (offset is not None or not near):
        return (calendar.weekday(index, offset),) * 2
    if word in _PERIODS and (offset is not None or text == "weekend"):
        return calendar.period(word, offset or 0)
    month_of_year = _index(word, MONTHS)
    if month_of_year is None or offset is None:
        return None
    if not offset:
        return calendar.months(calendar.today.replace(month=month_of_year + 1, day=1))
    return replace(calendar, forward=offset > 0).nearest(month_of_year + 1, None)


def _of_year(text: str, calendar: Calendar) -> Days | None:
    """A date of this, the next or the last year: 3 May next year."""
    match = _OF_YEAR.fullmatch(text)
    if match is None or named_days.read(text, calendar):
        return None
    year = calendar.today.year + _NEAR[match["near"] or match["near_"]]
    return _absolute(f"{match['day'] or match['day_']} {year}", calendar)


def _index(word: str, names: Sequence[str]) -> int | None:
    """The index of the name that a word is, in full or shortened to at least three letters."""
    if len(word) < 3:
        return None
    word = "sep" if word == "sept" else word
    return next((n for n, name in enumerate(names) if name.startswith(word)), None)


def _numeric(text: str, calendar: Calendar) -> Days | None:
    """The days of a date in figures: 2026-12-31, 12/31/2026, 31.12.2026, 2026-12, 2026, 15th."""
    match = next((found for form in _NUMERIC if (found := form.fullmatch(text))), None)
    if match is None:
        return None
    said = {key: int(value) for key, value in match.groupdict().items() if value}
    if 0 in said.values():
        raise ValueError("no such day")
    year, month, day = (said.get(key, 0) for key in "ymd")
    if not year:
        return calendar.nearest(None, day)
    if "/" in text and text[4:5] != "/" and month != day:
        if month <= 12 and day <= 12:
            raise ValueError("day and month cannot be told apart")
        month, day = min(month, day), max(month, day)
    if not month:
        return calendar.months(date(year, 1, 1), 12)
    return (date(year, month, day),) * 2 if day else calendar.months(date(year, month, 1))


def _absolute(text: str, calendar: Calendar) -> Days | None:
    """The days of a date with its month in words: 31st of December 2026, Friday 13 March."""
    tokens = re.findall(r"[a-z]+|\d+|[^\sa-z\d]", text.replace(" the ", " "))
    months, weekdays, years, days = (
        [token for token in tokens if re.fullmatch(form, token)]
        for form in (MONTH, WEEKDAY, r"\d{4}", r"\d{1,2}")
    )
    fill = {"st", "nd", "rd", "th"} if days else set()
    known = {*months, *weekdays, *years, *days, *fill, "of", ",", "."}
    several = max(map(len, (weekdays, years, days))) > 1
    if len(months) != 1 or several or not known.issuperset(tokens):
        return None
    number = month(months[0])
    if not days:
        if weekdays:
            return None
        whole = calendar.months(date(int(years[0]), number, 1)) if years else None
        return whole or calendar.nearest(number, None)
    day = int(days[0])
    found = date(int(years[0]), number, day) if years else calendar.nearest(number, day)[0]
    said = weekday(weekdays[0]) if weekdays else found.weekday()
    if found.weekday() != said and not years:
        # "Friday 5 June" may be in the other direction.
        found = replace(calendar, forward=not calendar.forward).nearest(number, day)[0]
    return (found, found) if found.weekday() == said else None


def nth(said: str) -> int:
    """The number of an ordinal: 2 for "second", "2nd" and "2", -1 for "last"."""
    return -1 if said == "last" else ORDINALS.get(said) or int(re.sub(r"\D", "", said) or 0)


def _part_of_year(text: str, calendar: Calendar) -> Days | None:
    """The days of a quarter or half: Q3 2025, the third quarter of last year."""
    match = _QUARTER.fullmatch(text)
    if match is None:
        return None
    number = nth(match["q"] or match["nth"])
    size = 6 if match["what"] == "half" else 3
    if number * size > 12:
        return None
    said, near = match["year"], match["near"]
    if said or near or text.endswith("year"):
        year = int(said) if said else calendar.today.year + _NEAR.get(near or "this", 0)
        return calendar.months(date(year, (number - 1) * size + 1, 1), size)
    years = calendar.today.year, calendar.today.year + (1 if calendar.forward else -1)
    starts = (date(year, (number - 1) * size + 1, 1) for year in years)
    return calendar.nearest_of(calendar.months(start, size) for start in starts)


def _part_of_month(text: str, calendar: Calendar) -> Days | None:
    """The days that their month or weekday names: the first Monday of June, the second week of
    March, the 10th of next month, "Thu 3/9", "next Friday the 13th"."""
    if match := _WEEKDAY_ON.fullmatch(text):
        if match["number"] is None:
            figures = int(match["first"]), int(match["second"])
            return calendar.of_figures(figures, weekday(match["day"]))
        return calendar.nearest(None, int(match["number"]), weekday(match["day"]))
    if match := _WEEKDAY_NEAR.fullmatch(text):
        days = _days(match["day"], replace(calendar, forward=not match["past"]))
        away = (days[0] - calendar.today) * (-1 if match["past"] else 1) if days else -_SOON
        return days if timedelta() <= away <= _SOON else None
    match = _NTH.fullmatch(text) or _OF_MONTH.fullmatch(text)
    if match is None:
        return None
    what = match["what"].removeprefix("the ")
    whole = _days("this month" if what == "month" else what, calendar)
    if whole is None:
        return None
    first, last = whole
    if match.re is _OF_MONTH:
        day_of_month = first + timedelta(days=int(match["day"]) - 1)
        return (day_of_month, day_of_month) if day_of_month <= last else None
    if first.day != 1 or (last - first).days > 31:
        return None
    if count := match["half"] or match["edge"]:
        return calendar.nth_week(first, last, nth(count), of="half" if match["half"] else "week")
    if match["week"]:
        return calendar.nth_week(first, last, nth(match["nth"]), of=match["week"])
    found = calendar.nth_weekday(first, last, weekday(match["day"]), nth(match["nth"]))
    return (found, found) if found <= last else None


def _week_of(text: str, calendar: Calendar) -> Days | None:
    """The week that a day names, or its weekend or a day of it: the week of 7 December, the
    Thursday of the week beginning 7 December."""
    match = _WEEK_OF.fullmatch(text)
    days = _days(match["date"], calendar) if match else None
    if match is None or days is None or days[0] != days[1]:
        return None
    monday = days[0] - timedelta(days=days[0].weekday())
    if match["weekday"] is None:
        begin = monday + timedelta(days=5 * (match["unit"] == "weekend"))
        return begin, monday + timedelta(days=6)
    index = _index(match["weekday"], WEEKDAYS)
    return None if index is None else (monday + timedelta(days=index),) * 2
