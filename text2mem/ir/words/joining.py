"""Patterns of what separates the items of a list: a comma, "and", 和, the mark of a line."""

from __future__ import annotations

import re

from text2mem.ir.words.calendar_names import MONTHS, SHORT

SEPARATOR = r"\s*[,，、;；]\s*"
_EN, _ZH = "(?:and|or|&)", "(?:以及|和|及|与|或)"
BEFORE = re.compile(
    rf"(?:(?:{SEPARATOR}|\s+|^)(?:{_EN})\s+|(?:{SEPARATOR})?{_ZH}\s*|(?P<mark>{SEPARATOR}))$", re.I
)
"""The separator before an item. ``mark`` is set if it is punctuation only."""
AFTER = re.compile(
    rf"(?P<mark>{SEPARATOR})(?:(?:{_EN})\s+|{_ZH}\s*)?|\s+(?:{_EN})\s+|\s*{_ZH}\s*", re.I
)
"""The separator behind an item. ``mark`` is its punctuation."""
ARTICLE = re.compile(r"(?<![^\s])(?:the|an?)\s+", re.I)
_MONTHS = "|".join(f"{month}|{month[:SHORT]}" for month in MONTHS)
LINE = re.compile(
    rf"[ \t]*(?:[-*•·–]|(?P<number>\d{{1,2}})[.)、．])(?!\d|\s*(?:{_MONTHS})\b)"
    r"[ \t]*(?:\[[ x]?\][ \t]*)?",
    re.I,
)
"""The mark, or the ``number`` with its mark, at the beginning of a line of a list. A number before
the name of a month is a date."""


def next_mark(mark: str) -> str:
    """The mark of the next line of a list: its number is increased, and a ticked box is empty."""
    following = re.sub(r"\d+", lambda found: str(int(found[0]) + 1), mark, count=1)
    return re.sub(r"\[[xX]\]", "[ ]", following)
