"""Complete times that depend on another one: "in twenty minutes, no, make it forty", 那周的周五."""

from __future__ import annotations

import re
from collections.abc import Collection
from datetime import date, timedelta

from text2mem.ir.times import phrases_en as en
from text2mem.ir.times import phrases_zh as zh
from text2mem.ir.times.numerals import read_number
from text2mem.ir.words.calendar_names import weekday
from text2mem.ir.words.folding import fold

_LENGTH = re.compile(rf"{en.LENGTH}|{zh.LENGTH}")
_UNIT = re.compile(r"(?<=[\s\d])(?:minutes|mins|days)$|(?:分钟|天)$")
"""A unit that a bare number after it can have; "thirty" after two hours would be minutes."""
_NUMBER = re.compile(r"\d+|[a-z]+(?:-[a-z]+)?|[^\W\d_a-z]+")
_LED = re.compile(r"(?<![a-z])(?:at|on|by|till|until|the)$")
_HOURS = 24
"""The greatest bare number that may be an hour."""
_THAT_DAY = re.compile(
    "(?<![a-z])(?:that|the same)(?: very)? (?:day|date)(?![a-z])|那一?[天日]|当[天日]"
)
_ON = "(?<![a-z])(?:on )?"
_EN = f"(?P<day>{en.WEEKDAY})"
_ZH = f"(?P<day>{zh.OF_WEEK})"
_END = r"(?![a-z-])(?! (?!at )[a-z0-9])"
"""The end of a form. No words follow that name another time, as in "the Monday after Easter"."""
_BESIDE = "(?:(?:之{0}|以{0}|{0}面)的?(?:那|一)?个?|{0}(?:那|一)个)" rf"{zh.WEEKS}{_ZH}(?![起次天])"
"""A weekday before or after a day, without the word that says which: 之前的周五, 前一个周五."""
_FORMS = [
    (how, re.compile(form))
    for how, form in (
        ("same", rf"{_ON}(?:the )?{_EN} (?:of )?(?:that(?: very)?(?: same)?|the same) week{_END}"),
        ("after", rf"{_ON}the following {_EN}{_END}"),
        ("after", rf"{_ON}the {_EN} after(?:wards| that)?{_END}"),
        ("before", rf"{_ON}the {_EN} (?:before(?: that)?|preceding|prior){_END}"),
        ("before", rf"{_ON}the preceding {_EN}{_END}"),
        ("same", rf"(?:那|同一|当)(?:一?个)?{zh.WEEKS}的?{zh.WEEKS}?{_ZH}(?![起次天])"),
        ("before", _BESIDE.format("前")),
        ("after", _BESIDE.format("后")),
    )
]

_BESIDE_IT = (
    (1, re.compile(r"(?:on )?the (?:day after(?:wards| that)?|(?:following|next) day)(?: instead)?"
                   r"|(?:改到|改成|到)?(?:第二天|次日|隔天|[后隔]一天)")),
    (-1, re.compile(r"(?:on )?the (?:day before(?: that)?|(?:previous|preceding) day)(?: instead)?"
                    r"|(?:改到|改成|到)?[前头]一[天日]")),
)  # fmt: skip


def upright(words: str, said: str, days: Collection[str]) -> str:
    """Return ``words`` completed by another time of the request ``said``, if one is clear.

    "that day" becomes the one day in ``days``, those of the request. A bare number gets the unit of
    the one length that is named before it.
    """
    if len(days) == 1 and _THAT_DAY.search(fold(words)):
        (day,) = days
        return _THAT_DAY.sub(lambda _: day, words)
    return _with_unit(words.strip(), said) or words


def _with_unit(words: str, said: str) -> str | None:
    """A bare number with the unit of the length before it in the request; None if it has none."""
    number = read_number(words) if _NUMBER.fullmatch(fold(words)) else None
    if number is None or number <= _HOURS:
        return None
    before, stands, after = fold(said).rpartition(fold(words))
    lengths = [length[0] for length in _LENGTH.finditer(before)]
    units = {found[0] if (found := _UNIT.search(length)) else "" for length in lengths}
    if not stands or len(units) != 1 or "" in units or after[:1] in tuple("点时号日"):
        return None
    if _LED.search(before.rstrip()):
        return None
    unit = units.pop()
    return f"in {words} {unit}" if unit.isascii() else f"{words}{unit}后"


def is_that_day(words: str) -> bool:
    """Whether words point at a day that was named before: "that day", 当晚."""
    return _THAT_DAY.search(fold(words)) is not None or fold(words).startswith("当")


def day_beside(words: str) -> int | None:
    """1 for words that are the day after another one, -1 for those for the day before it."""
    folded = fold(words).strip()
    return next((days for days, form in _BESIDE_IT if form.fullmatch(folded)), None)


def day_told(
    words: str, by: date, weekday_of_it: int | None = None
) -> tuple[tuple[int, int], date] | None:
    """The span of words that name a day relative to the day ``by`` ("the Thursday of that week"),
    and that day. None if there are none, or several. Weeks begin on Monday. ``weekday_of_it`` is
    the weekday that was written with ``by`` (0 is Monday), if there was one."""
    folded = fold(words)
    found = [(how, match) for how, form in _FORMS for match in form.finditer(folded)]
    if len(found) != 1:
        return None
    how, match = found[0]
    days = weekday(match["day"]) - (by.weekday() if weekday_of_it is None else weekday_of_it)
    if how == "after":
        days = (days - 1) % 7 + 1
    if how == "before":
        days = -((-days - 1) % 7 + 1)
    return match.span(), by + timedelta(days=days)
