"""A stored value with the part replaced that somebody has just put right: 18号 → 81号."""

from __future__ import annotations

import re
from datetime import date
from typing import Any

from text2mem.ir.phrases_zh import CLOCK
from text2mem.ledger.extraction.chinese.values import EMAIL, PHONE, number
from text2mem.ledger.extraction.chinese.when import Days

_ISO = re.compile(r"\d{4}-\d\d-\d\d")
_DAY = re.compile(r"(\d{1,2})[日号]")
_MONTH = re.compile(r"(\d{1,2})月份?")
_WEEKDAY = re.compile(
    r"(?:周|星期|礼拜)[一二三四五六日天](?:[、和到至](?:周|星期|礼拜)?[一二三四五六日天])*"
)
_CLOCK = re.compile(CLOCK)
_PART = re.compile("凌晨|清晨|早晨|早上|上午|中午|下午|傍晚|晚上")
_COUNTED = re.compile(
    r"(?P<count>[a-z]?\d+(?:-\d+)?|[一二三四五六七八九十百零两]+|[a-z]+)(?P<unit>号院|号楼|号|室|"
    r"栋|单元|楼|层|座|弄|巷|幢|门|路|街|"
    r"分钟|秒|小时|天|周|个月|年|块|元|万|千|人|个|岁|码|公斤|斤|厘米|米)"
)
_TAIL = re.compile(
    r"(?:最后|末尾|后|尾号|尾数)(?:的)?(?:[一二两三四五六\d])?(?:位)?(?:数)?(?:是|应该是|"
    r"为)?(?P<digits>\d{1,6})$"
)


def amended(old: Any, said: str, days: Days) -> Any:
    """The value with what was said in its place; None where the two do not fit together.

    ``old`` is a stored value, ``said`` the words after 是, without particles.
    """
    if isinstance(old, bool):
        return None
    if isinstance(old, int | float):
        return number(said) if re.fullmatch(r"[-+]?[\d,.]+\D{0,2}", said) else None
    if not isinstance(old, str) or not said:
        return None
    if _ISO.fullmatch(old):
        return _day(old, said, days)
    if tail := _TAIL.search(said):
        digits = tail["digits"]
        return old[: -len(digits)] + digits if old[-len(digits) :].isdigit() else None
    if re.fullmatch(PHONE, said):
        plain = re.sub(r"[ ()\-]", "", said)
        return plain if re.fullmatch(r"\+?[\d ()\-]{6,}", old) else None
    if re.fullmatch(EMAIL, said):
        return said.lower() if "@" in old else None
    return _timed(old, said) or _counted(old, said)


def whole(old: Any, said: str) -> str | None:
    """The words themselves, where they look like the value that they replace."""
    if not isinstance(old, str) or not 0 < len(said) <= 30 or _ISO.fullmatch(old):
        return None
    digits = [any(char.isdigit() for char in text) for text in (old, said)]
    latin = [text.isascii() for text in (old, said)]
    if digits[0] != digits[1] or ("@" in old) != ("@" in said):
        return None
    return said if latin[0] == latin[1] or not digits[0] else None


def _day(old: str, said: str, days: Days) -> str | None:
    if full := days.day(said):
        if re.match(r"\d{4}年|[今明去后前]年|\d{4}[-/.]", said):
            return full
        if _MONTH.match(said):
            return _date(int(old[:4]), int(full[5:7]), int(full[8:]))
        if not _DAY.fullmatch(said):
            return full
    if found := _DAY.fullmatch(said):
        return _date(int(old[:4]), int(old[5:7]), int(found[1]))
    if found := _MONTH.fullmatch(said):
        return _date(int(old[:4]), int(found[1]), int(old[8:]))
    if found := re.fullmatch(r"(\d{4})年", said):
        return _date(int(found[1]), int(old[5:7]), int(old[8:]))
    return None


def _date(year: int, month: int, day: int) -> str | None:
    try:
        return date(year, month, day).isoformat()
    except ValueError:
        return None


def _timed(old: str, said: str) -> str | None:
    """每周三下午三点 with 周四, 四点 or 上午."""
    for pattern in (_WEEKDAY, _CLOCK):
        found = pattern.search(old)
        if found is None or pattern.fullmatch(said) is None:
            continue
        part = _PART.match(found[0])
        new = said
        if pattern is _CLOCK and part and not _PART.match(said):
            new = part[0] + said
        elif pattern is _CLOCK and _PART.fullmatch(said) and part:
            new = said + found[0][part.end() :]
        return old[: found.start()] + new + old[found.end() :]
    if _WEEKDAY.match(said) and _CLOCK.search(said) and _WEEKDAY.search(old):
        return ("每" if old.startswith("每") and not said.startswith("每") else "") + said
    return None


def _counted(old: str, said: str) -> str | None:
    """文三路18号3单元 with 81号: the one count of that unit."""
    new = list(_COUNTED.finditer(said.lower()))
    if not new or new[0].start() != 0 or new[-1].end() != len(said):
        return None
    text = old
    for one in new:
        there = [o for o in _COUNTED.finditer(text.lower()) if o["unit"] == one["unit"]]
        if len(there) != 1:
            return None
        text = text[: there[0].start()] + said[one.start() : one.end()] + text[there[0].end() :]
    return text
