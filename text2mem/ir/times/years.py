"""The year that a day is written with: "3 March 2027", "March 3, 2027", 2027年3月3日,
2027 年 3 月 3 日."""

from __future__ import annotations

import re

_FORM = re.compile(
    r"(?P<first>20\d\d)(?P<sign> ?年 ?).+|.*[a-z\d](?P<gap>,? )(?P<last>20\d\d)", re.IGNORECASE
)


def year_of(words: str) -> str:
    """The year of a day; empty where it is written without one."""
    found = _FORM.fullmatch(words.strip())
    return (found["first"] or found["last"]) if found is not None else ""


def with_year(words: str, year: int, like: str) -> str:
    """A day with a year, which stands where ``like`` has its own."""
    own = year_of(words)
    if own:
        return words.replace(own, str(year))
    found = _FORM.fullmatch(like.strip())
    if found is None:
        return words
    return f"{year}{found['sign']}{words}" if found["first"] else f"{words}{found['gap']}{year}"
