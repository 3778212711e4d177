"""Days that are told by another one: "the Thursday of that same week", 那周的周五."""

from __future__ import annotations

import re
from datetime import date, timedelta

from text2mem.ir.times import phrases_en as en
from text2mem.ir.words.calendar_names import HAN_WEEKDAYS, weekday
from text2mem.ir.words.folding import fold

_WEEK = 7
_EN = rf"(?P<day>{en.WEEKDAY})"
_ZH = f"(?P<day>[{HAN_WEEKDAYS}天])"
_WEEKS = "(?:周|星期|礼拜)"
_END = r"(?![a-z-])(?! (?!at )[a-z0-9])"
"""Nothing follows that the day would be told by instead: "the Monday after Easter"."""
_FORMS = [
    (how, re.compile(form))
    for how, form in (
        ("same", rf"(?<![a-z])(?:on )?(?:the )?{_EN} (?:of )?that(?: very)?(?: same)? week{_END}"),
        ("same", rf"(?<![a-z])(?:on )?(?:the )?{_EN} (?:of )?the same week{_END}"),
        ("after", rf"(?<![a-z])(?:on )?the following {_EN}{_END}"),
        ("after", rf"(?<![a-z])(?:on )?the {_EN} after(?:wards| that)?{_END}"),
        ("before", rf"(?<![a-z])(?:on )?the {_EN} before(?: that)?{_END}"),
        ("same", rf"(?:那|同一|当)(?:一?个)?{_WEEKS}的?{_WEEKS}?{_ZH}(?![起次天])"),
    )
]


def told(
    words: str, by: date, weekday_of_it: int | None = None
) -> tuple[tuple[int, int], date] | None:
    """The one day that words tell by another one, and where they do; weeks begin on Monday.

    ``weekday_of_it`` is that of the other day (0 is Monday), where it was written beside it.
    """
    folded = fold(words)
    found = [(how, match) for how, form in _FORMS for match in form.finditer(folded)]
    if len(found) != 1:
        return None
    how, match = found[0]
    days = weekday(match["day"]) - (by.weekday() if weekday_of_it is None else weekday_of_it)
    if how == "after":
        days = (days - 1) % _WEEK + 1
    if how == "before":
        days = -((-days - 1) % _WEEK + 1)
    return match.span(), by + timedelta(days=days)
