"""Chinese numerals in sums, and Chinese times of the day.

十二月二号 and a week is 十二月九号, 下午五点 and half an hour 下午五点半.
"""

from __future__ import annotations

import re

from text2mem.ir.numerals import read_number

_NUMERAL = "[零〇一二两三四五六七八九十]{1,3}"
_OF_DATE = re.compile(rf"(?<![零〇一二两三四五六七八九十百千第]){_NUMERAL}(?=[月日号點点时時])")
_IN_FIGURES = re.compile(r"(?<!\d)\d{1,2}(?=[月日号])")
_TIME = re.compile(
    r"(?P<hour>\d{1,2})(?P<mark>[點点时時])(?:钟|整)?"
    rf"(?P<minute>半|[一三]刻|\d{{1,2}}分?|{_NUMERAL}分?(?![零〇一二两三四五六七八九十月日号]))?"
)
_WORDED = {15: "一刻", 30: "半", 45: "三刻"}
_MINUTES = {word: minute for minute, word in _WORDED.items()}
_DIGITS = "零一二三四五六七八九"
_NOON, _HOURS = 12, 24


def in_figures(words: str) -> str:
    """The numerals of months, days and hours in figures."""
    return _OF_DATE.sub(lambda found: f"{read_number(found[0]):d}", words)


def in_numerals(words: str, as_in: str) -> str:
    """The figures of months and days as numerals, where ``as_in`` writes its own so."""
    if _OF_DATE.search(as_in) is None:
        return words
    return _IN_FIGURES.sub(lambda found: numeral(int(found[0])), words)


def numeral(number: int) -> str:
    """0 to 99 as it is written: 12 is 十二."""
    tens, ones = divmod(number, 10)
    if not tens:
        return _DIGITS[ones]
    return f"{_DIGITS[tens] if tens > 1 else ''}十{_DIGITS[ones] if ones else ''}"


def clock_moved(words: str, minutes: int) -> str | None:
    """The one Chinese time of the day in words, so many minutes later; None where there is none, or
    several, or where it would be in the other half of the day."""
    plain = in_figures(words)
    found = [*_TIME.finditer(plain)]
    if len(found) != 1:
        return None
    said = found[0]
    hour, minute = int(said["hour"]), _minute(said["minute"])
    moved = 60 * hour + minute + minutes
    half = _NOON if hour <= _NOON else _HOURS
    if not 0 < hour < _HOURS or minute >= 60 or not 60 * (half - _NOON) < moved < 60 * (half + 1):
        return None
    spelt = plain != words
    hour, minute = divmod(moved, 60)
    spoken = "两" if hour == 2 else numeral(hour)
    after = _minutes_shown(minute, said["minute"], spelt)
    made = f"{spoken if spelt else hour}{said['mark']}{after}"
    head, tail = plain[: said.start()], plain[said.end() :]
    return f"{in_numerals(head, words)}{made}{in_numerals(tail, words)}"


def _minute(said: str | None) -> int:
    if not said:
        return 0
    return _MINUTES.get(said) or int(read_number(said) or 0)


def _minutes_shown(minute: int, said: str | None, spelt: bool) -> str:
    """Minutes behind the hour, in the way of those that stood there."""
    figures = bool(said) and str(said)[0].isdigit()
    if not minute:
        return ""
    if not figures and minute in _WORDED:
        return _WORDED[minute]
    ending = "分" if not said or said.endswith("分") or said in _MINUTES else ""
    return f"{numeral(minute) if spelt and not figures else minute}{ending}"
