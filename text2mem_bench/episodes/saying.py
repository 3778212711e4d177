"""Whether a text says a value, in any of its spellings."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from datetime import date
from typing import Any

from text2mem.ir.times.written_dates import read_date, spelt_zh
from text2mem.ir.values import canonical
from text2mem.ir.words.calendar_names import MONTHS, SHORT

_WORD = re.compile(r"[a-z0-9]")


def says(text: str, spellings: Iterable[Any]) -> bool:
    """Whether one of a value's spellings stands in a text, a day also as it is written in words.

    Case and width of letters do not count; a Latin word or a number stands as a whole.
    """
    plain = _plain(text)
    return any(_stands(_plain(each), plain) for value in spellings for each in _written(value))


def _written(value: Any) -> Iterator[str]:
    spelled = value if isinstance(value, str) else canonical(value)
    yield spelled
    day = read_date(spelled)
    if day is not None:
        yield from _days(day)


def _days(day: date) -> Iterator[str]:
    month = MONTHS[day.month - 1]
    for name in (month, month[:SHORT]):
        yield f"{day.day} {name} {day.year}"
        yield f"{name} {day.day}, {day.year}"
        yield f"{name} {day.day} {day.year}"
    yield spelt_zh(day)
    yield day.isoformat()


def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def _stands(value: str, text: str) -> bool:
    if not value:
        return False
    before = r"(?<![a-z0-9])" if _WORD.match(value[0]) else ""
    after = r"(?![a-z0-9])" if _WORD.match(value[-1]) else ""
    return re.search(before + re.escape(value) + after, text) is not None
