"""Chinese numerals and times of the day, for ``sums``: 十二月二号 and a week is 十二月九号."""

from __future__ import annotations

import re

from text2mem.ir.times.numerals import numeral, read_number

_ALL = "零〇一二两三四五六七八九十百千"
_BEGIN = f"(?:(?<![{_ALL}第周期拜])|(?<=[周期拜][一二三四五六日天]))"
"""The position before a numeral, which no other numeral precedes, except that of a weekday."""
_ONES = "[一二三四五六七八九]"
_OF_DATE = re.compile(
    rf"{_BEGIN}(?:(?:三十一?|二?十{_ONES}?|{_ONES})(?=[日号])|十?[一二](?=月)|{_ONES}(?=月)|十(?=月))"
)
_IN_FIGURES = re.compile(r"(?<!\d)\d{1,2}(?=[月日号])", re.ASCII)
_HAN_YEAR = re.compile(f"[{_ALL}]年")
_TIME = re.compile(
    rf"{_BEGIN}(?<!\d)(?P<hour>\d{{1,2}}|二十[一二三四]?|十{_ONES}?|[零两]|{_ONES})"
    r"(?P<mark>(?P<gap> ?)[点點时時])(?:钟|整)?(?P<minute>半|[一三]刻| ?\d{1,2} ?分|\d{1,2}(?!\d)|"
    rf"[零二三四五]?十?{_ONES}?分?(?![{_ALL}月日号]))?",
    re.ASCII,
)
_WORDED = {15: "一刻", 30: "半", 45: "三刻"}
_MINUTES = {word: minute for minute, word in _WORDED.items()}


def in_figures(words: str) -> str | None:
    """``words`` with months and days in figures, unless they mix both or spell out the year."""
    found = [*_OF_DATE.finditer(words)]
    if found and (_IN_FIGURES.search(words) or _HAN_YEAR.search(words)):
        return None
    return _OF_DATE.sub(lambda match: f"{read_number(match[0]):d}", words)


def in_numerals(words: str, as_in: str) -> str:
    """``words`` with the figures of months and days as numerals, if ``as_in`` has numerals."""
    if _OF_DATE.search(as_in) is None:
        return words
    return _IN_FIGURES.sub(lambda found: numeral(int(found[0])), words)


def clock_moved(words: str, minutes: int) -> str | None:
    """``words`` with their one Chinese time of the day moved by ``minutes``. None if the result
    would be in the other half of the day."""
    found = [*_TIME.finditer(words)]
    if len(found) != 1 or "差" in words:
        return None
    said = found[0]
    worded = said["minute"] or "零"
    hour, minute = read_number(said["hour"]), _MINUTES.get(worded) or read_number(worded)
    if hour is None or minute is None or not 0 < hour < 24 or minute >= 60:
        return None
    moved = 60 * int(hour) + int(minute) + minutes
    half = 12 if hour <= 12 else 24
    if not max(60, 60 * (half - 12) + 1) <= moved < 60 * (half + 1):
        return None
    spelt = not said["hour"].isdecimal()
    hour, minute = divmod(moved, 60)
    spoken = "两" if hour == 2 else numeral(hour)
    after = _minutes_shown(minute, (said["minute"] or "").strip(), said["gap"], spelt=spelt)
    made = f"{spoken if spelt else hour}{said['mark']}{after}"
    return f"{words[: said.start()]}{made}{words[said.end() :]}"


def _minutes_shown(minute: int, said: str, gap: str, *, spelt: bool) -> str:
    """The minutes behind the hour, in the form of the earlier ones and of the hour."""
    figures = said[:1].isdecimal()
    if not minute:
        return ""
    if not figures and minute in _WORDED:
        return _WORDED[minute]
    ending = "分" if not said or said.endswith("分") or said in _MINUTES else ""
    if spelt and not figures:
        return f"{'' if ending or minute >= 10 else '零'}{numeral(minute)}{ending}"
    return f"{gap}{minute}{gap}{ending}" if ending else f"{minute:02}"
