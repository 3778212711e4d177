"""Patterns of what separates the items of a list: a comma, "and", 和, the mark of a line."""

from __future__ import annotations

import re
from itertools import pairwise

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
_JOINED = re.compile(rf"\s{_EN}\s|{_ZH}|、", re.I)
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


def items(text: str) -> list[tuple[int, int]]:
    """The spans of the items of a list on one line ("A, B and C", 甲、乙); else none."""
    joints = [each.span() for each in AFTER.finditer(text)] if _JOINED.search(text) else []
    ends = [(0, 0), *joints, (len(text), len(text))]
    found = [(start, end) for (_, start), (end, _) in pairwise(ends)]
    return found if joints and all(text[start:end].strip() for start, end in found) else []
