"""What joins the things that a text counts up: a comma, "and", 和, and the marks of a line each."""

from __future__ import annotations

import re

from text2mem.ir.words.calendar_names import MONTHS, SHORT

SEPARATOR = r"\s*[,，、;；]\s*"
_EN, _ZH = "(?:and|or|&)", "(?:以及|和|及|与|或)"
BEFORE = re.compile(
    rf"(?:(?:{SEPARATOR}|\s+|^)(?:{_EN})\s+|(?:{SEPARATOR})?{_ZH}\s*|(?P<mark>{SEPARATOR}))$", re.I
)
"""What joins a thing to the one before it; ``mark`` alone where no word does."""
AFTER = re.compile(
    rf"(?P<mark>{SEPARATOR})(?:(?:{_EN})\s+|{_ZH}\s*)?|\s+(?:{_EN})\s+|\s*{_ZH}\s*", re.I
)
"""What joins a thing to the one after it."""
ARTICLE = re.compile(r"(?<![^\s])(?:the|an?)\s+", re.I)
_MONTHS = "|".join(f"{month}|{month[:SHORT]}" for month in MONTHS)
LINE = re.compile(
    rf"[ \t]*(?:[-*•·–]|(?P<number>\d{{1,2}})[.)、．])(?!\d|\s*(?:{_MONTHS})\b)"
    r"[ \t]*(?:\[[ x]?\][ \t]*)?",
    re.I,
)
"""The mark that a line of a list begins with, or its number."""


def next_mark(mark: str) -> str:
    """The mark of the line after one."""
    following = re.sub(r"\d+", lambda found: str(int(found[0]) + 1), mark, count=1)
    return re.sub(r"\[[xX]\]", "[ ]", following)
