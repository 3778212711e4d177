"""Complete one of two times by the other: "1 to 5 March", "May and June 2025", 3月1日到5日."""

from __future__ import annotations

import re

from text2mem.ir.times import phrases_en as en
from text2mem.ir.times import phrases_zh as zh
from text2mem.ir.words.folding import fold

_NUMBER = re.compile(rf"(?:the )?(?P<day>\d{{1,2}}|{en.ORDINAL})")
_DAY = rf"(?:the )?(?:\d{{1,2}}{en.ENDING}?|{en.ORDINAL})"
_DAY_OF_MONTH = re.compile(
    rf"{_DAY} (?:of )?(?P<month>{en.MONTH}(?:,? {en.YEAR})?)"
    rf"|(?P<month_>{en.MONTH}) {_DAY}(?P<year>,? {en.YEAR})?"
)
_MONTH = re.compile(rf"(?P<near>(?:this|last|next) )?{en.MONTH}(?P<year>,? {en.YEAR})?")
_NEAR = re.compile(r"(?:last|this|next)")
_ZH = re.compile(
    rf"(?P<year>(?:{zh.YEARS}|{zh.FULL_YEAR})的?)?(?P<month>{zh.MONTH}|{zh.NEAR}月)?"
    rf"(?P<day>{zh.BARE_DAY})?"
)


def carried(first: str, last: str) -> tuple[str, str]:
    """Two normalised times. If only one of them has a month or a year, the other takes it over."""
    if completed := _completed(first, last):
        return completed, last
    return first, _completed(last, first) or last


def is_bare_day(text: str) -> bool:
    """Whether a text is a day without its month: "the 19th", 19号."""
    text = re.sub("^on ", "", fold(text))
    return bool(_NUMBER.fullmatch(text) and not text.isdigit()) or bool(
        re.fullmatch(zh.BARE_DAY, text)
    )


def _completed(lone: str, whole: str) -> str | None:
    """The time ``lone`` with the month or year of ``whole``; None if it lacks nothing."""
    number, day = _NUMBER.fullmatch(lone), _DAY_OF_MONTH.fullmatch(whole)
    if number and day:
        year = day["year"] or ""
        return f"{number['day']} {day['month'] or day['month_'] + year}"
    if _NEAR.fullmatch(lone) and " " in whole:
        return f"{lone} {whole.split()[-1]}"
    month, other = _MONTH.fullmatch(lone), _MONTH.fullmatch(whole)
    if month and other and not (month["near"] or month["year"]):
        completed = f"{other['near'] or ''}{lone}{other['year'] or ''}"
        return completed if completed != lone else None
    short, full = _ZH.fullmatch(lone), _ZH.fullmatch(whole)
    if not (short and full) or not lone or short["year"]:
        return None
    lead = (full["year"] or "") + ("" if short["month"] else full["month"] or "")
    return f"{lead}{lone}" if lead and bool(short["day"]) == bool(full["day"]) else None
