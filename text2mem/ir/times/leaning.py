"""Times that lean on another time of the same request: "in twenty minutes, no, make it forty"."""

from __future__ import annotations

import re
from collections.abc import Collection

from text2mem.ir.times import phrases_en as en
from text2mem.ir.times import phrases_zh as zh
from text2mem.ir.times.numerals import read_number
from text2mem.ir.words.folding import fold

_LENGTH = re.compile(rf"{en.LENGTH}|{zh.LENGTH}")
_UNIT = re.compile(r"(?<=[\s\d])(?:minutes|mins|days)$|(?:分钟|天)$")
"""Of what a bare number can be: "thirty" after two hours would be minutes."""
_NUMBER = re.compile(r"\d+|[a-z]+(?:-[a-z]+)?|[^\W\d_a-z]+")
_LED = re.compile(r"(?<![a-z])(?:at|on|by|till|until|the)$")
_HOURS = 24
"""Up to so many a bare number may be an hour."""
_THAT_DAY = re.compile(
    "(?<![a-z])(?:that|the same)(?: very)? (?:day|date)(?![a-z])|那一?[天日]|当[天日]"
)


def upright(words: str, said: str, days: Collection[str]) -> str:
    """``words`` with what they leave to another time of the request, whose days are ``days``; as
    they are where they lean on none, or it is not told on which.

    A bare number has the unit of the one length that is named before it; "that day" is the one day.
    """
    if len(days) == 1 and _THAT_DAY.search(fold(words)):
        (day,) = days
        return _THAT_DAY.sub(lambda _: day, words)
    return _with_unit(words.strip(), said) or words


def _with_unit(words: str, said: str) -> str | None:
    number = read_number(words) if _NUMBER.fullmatch(fold(words)) else None
    if number is None or number <= _HOURS:
        return None
    before, stands, after = fold(said).rpartition(fold(words))
    lengths = [length[0] for length in _LENGTH.finditer(before)]
    units = {found[0] if (found := _UNIT.search(each)) else "" for each in lengths}
    if not stands or len(units) != 1 or "" in units or after[:1] in tuple("点时号日"):
        return None
    if _LED.search(before.rstrip()):
        return None
    unit = units.pop()
    return f"in {words} {unit}" if unit.isascii() else f"{words}{unit}后"
