"""What lasts days or hours is at its first: "5-8 March" on the 5th, 下午两点到四点 at 两点."""

from __future__ import annotations

import re

from text2mem.ir.times import phrases_en as en
from text2mem.ir.times import phrases_zh as zh

_DATE = rf"\d{{1,2}}(?:{en.ENDING}|\.(?!\d))?"
_TO_DAY = r"\s?(?:[-–—~]|(?<= )(?:to|till?|until|thru|through|and)(?= ))\s?"
_TO_MONTH = _TO_DAY.replace("|and", "")
_OF_DAYS = re.compile(
    rf"(?<![\d.:/-])(?<!at )({_DATE})(?:(?:,? (?:and|&) (?:the )?|, ?|/){_DATE}){{1,6}}"
    rf"(?= (?:of )?{en.MONTH}\b)"
    rf"|^({_DATE})(?: {_DATE}){{1,6}}(?= {en.MONTH}\b)"
    r"|(?<![\d.])(\d{1,2})(?:[、,，]\d{1,2}){1,6}(?=[日号])"
    rf"|(?<![\d.:/-])({_DATE}){_TO_DAY}(?:the )?{_DATE}(?= (?:of )?{en.MONTH}\b)"
    rf"|((?:{en.MONTH}),? (?:the )?{_DATE}){_TO_DAY}(?:the )?{_DATE}(?![\d.:/-])(?!.*\bm\b)"
    rf"|(?<![\d.:/-])({_DATE} (?:of )?{en.MONTH}){_TO_MONTH}(?:the )?{_DATE} (?:of )?{en.MONTH}\b"
    rf"|\b({en.MONTH} (?:the )?{_DATE}){_TO_MONTH}{en.MONTH} (?:the )?{_DATE}(?![\d.:/-])"
    rf"|^(?:from )?((?:the )?\d{{1,2}}{en.ENDING}){_TO_DAY}(?:the )?\d{{1,2}}{en.ENDING}$"
    r"|((?:\d{1,2}|[一二三四五六七八九十]{1,3})[号日]?)(?:\s?[-–—~到至和]\s?)"
    r"(?:(?:\d{1,2}|[一二三四五六七八九十]{1,3})月)?(?:\d{1,2}|[一二三四五六七八九十]{1,3})[号日]",
    re.IGNORECASE,
)
_TO = r"(?(both) and |(?: ?[-–—~] ?| (?:to|till?|until|thru|through) ))"
"""Two hours with "and" between them are a stretch only after "between"."""
_FROM = r"(?:\b(?:from|(?P<both>between)) )?(?<![\d.:/-])"
_DAY = rf"(?:(?:on )?{en.WHOLE_DAY},? (?:at )?)?"
_OTHER = r"\d{1,2}(?::\d\d)?"
_HALF = r" ?[ap]\.?m\b\.?"
_IN_FULL = re.compile(
    rf"{_FROM}(?P<first>{_OTHER}{_HALF}|\d{{1,2}}:\d\d){_TO}{_DAY}"
    rf"(?:{_OTHER}{_HALF}|\d{{1,2}}:\d\d(?![\d:]|{_HALF})|noon\b|midday\b|midnight\b)", re.I,
)  # fmt: skip
_OF_SHIFTS = re.compile(
    rf"{_FROM}(?=0|\d{{4}}{_TO}0)(?P<hour>[01]\d|2[0-3])(?P<minute>[0-5]\d){_TO}"
    r"(?:[01]\d|2[0-3]):?[0-5]\d(?!\d|[.:/-]\d)"
)
"""2000-0730; without a zero before either hour they may be years."""
_OF_ONE_HALF = re.compile(
    rf"{_FROM}(?!(?<=at )(?:5|10) to )(?P<first>{_OTHER}){_TO}"
    r"(?P<last>\d{1,2})(?:[:.]\d\d)? ?(?P<half>[ap])\.?m\b\.?",
    re.I,
)
"""The 10 of "at 10 to 5pm" may be minutes."""
_STRETCH = rf"{_FROM}(?P<first>{_OTHER}){_TO}{_OTHER}"
_ON_A_DAY = (
    re.compile(rf"(?P<day>(?:on )?{en.DAY_ALONE.pattern}(?:,? {en.OF_PART})?),? {_STRETCH}", re.I),
    re.compile(rf"{_STRETCH},? (?P<day>(?:on )?(?!the \d|\d){en.DAY_ALONE.pattern})", re.I),
)
_UNTIL = r"\s?(?:[-–—~～到至])\s?"
_ZH_DAY = f"(?:{zh.WHOLE_DAY}的? ?)?"
_ZH = re.compile(rf"(?P<first>{zh.TIME}){_UNTIL}{_ZH_DAY}(?:{zh.CLOCK})(?![前后])")
_ZH_BARE = re.compile(
    rf"(?<![\d月.:周期拜])(?P<first>\d{{1,2}}|[一二两三四五六七八九十]{{1,2}}){_UNTIL}"
    r"(?:\d{1,2}|[一二两三四五六七八九十]{1,2}) ?点(?:钟|整|半)?(?![前后])"
)
_OPPOSITE = {"a": "pm", "p": "am"}


def first_days(text: str) -> str:
    """The text with every range of days replaced by its first day, and of hours by its first."""
    return _OF_DAYS.sub(lambda found: next(g for g in found.groups() if g), first_hours(text))


def in_a_row(text: str) -> list[tuple[int, int]]:
    """Where a text has a stretch of days; what names their month may stand beside it."""
    return [found.span() for found in _OF_DAYS.finditer(text)]


def first_hours(text: str) -> str:
    """The text with every stretch of hours replaced by its first hour."""
    whole = next(filter(None, (form.fullmatch(text) for form in _ON_A_DAY)), None)
    if whole is not None:
        return f"{whole['day']} at {whole['first']}"
    text = _OF_SHIFTS.sub(lambda found: f"{found['hour']}:{found['minute']}", text)
    text = _OF_ONE_HALF.sub(_with_its_half, _IN_FULL.sub(lambda found: found["first"], text))
    text = _ZH.sub(lambda found: found["first"], text)
    return _ZH_BARE.sub(lambda found: f"{found['first']}点", text)


def _with_its_half(found: re.Match[str]) -> str:
    """The first hour, in the half of the last one, or before it: of "11-1pm" in the morning."""
    half = f"{found['half']}m"
    earlier = int(found["first"].partition(":")[0]) % 12 <= int(found["last"]) % 12
    return f"{found['first']}{half if earlier else _OPPOSITE[half[0].lower()]}"
