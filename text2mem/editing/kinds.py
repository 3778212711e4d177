"""Kinds: the stretches of a text that are values of one kind: a time of the day, a day, a length, a
number.

The old words that a reader writes may be too many or wrong ("12" of "12 December at 3pm", for "half
four"). Code can tell the kind of the new words, and so what they replace.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from functools import lru_cache

from text2mem.ir.exchange import shares
from text2mem.ir.times import phrases_en as en
from text2mem.ir.times import phrases_zh as zh
from text2mem.ir.times import spoken_en, spoken_zh
from text2mem.ir.times.measures import BEHIND
from text2mem.ir.times.moments import read_reminder, read_when
from text2mem.ir.times.numerals import (
    APART,
    SPELT,
    WRITTEN,
    is_one_number,
    named_numbers,
    read_number,
)
from text2mem.ir.times.reading_clock import Clock
from text2mem.ir.words.folding import fold
from text2mem.ir.words.segment import CJK

Shapes = Sequence[re.Pattern[str]]
HOURS: Shapes = (en.CLOCK_ALONE, re.compile(zh.TIME))
CLOCKS: Shapes = (en.CLOCK_ALONE, re.compile(zh.CLOCK))
PARTS: Shapes = (re.compile(rf"\b{en.PART}\b"), *CLOCKS)
WHOLE_DAYS: Shapes = (en.DAY_ALONE, re.compile(zh.WHOLE_DAY))
_ZH_DAYS = re.compile(f"{zh.WHOLE_DAY}|{zh.EDGE}|{zh.PERIOD}")
DAYS: Shapes = (en.DAY_ALONE, en.EDGE, en.MONTH_ALONE, _ZH_DAYS)
MOMENTS: Shapes = (en.DAY, en.EDGE, en.MONTH_ALONE, re.compile(zh.POINT), *CLOCKS)
LENGTHS: Shapes = (re.compile(en.LENGTH), re.compile(zh.LENGTH))
_TIMES = (HOURS, CLOCKS, DAYS, MOMENTS, LENGTHS)
"""A time of the day without and with its part of the day, a day, a day with a time, a length."""
_AT = re.compile(r"[\s,，]*(?:at\s+|from\s+)?", re.I)
"""What may stand between a day and its hour."""
EARLY = Clock(datetime(2026, 1, 1, tzinfo=UTC), UTC)
"""The clock for the check whether words are a time at all."""
_BARE = re.compile(rf"\d+(?:[.,]\d+)*|{WRITTEN.pattern}")
_AROUND, _BESIDE = (
    re.compile(rf"(?:^|[\s$€£¥{CJK}]|(?<![a-z\d])[x×])$", re.I),
    re.compile(rf"$|[\s%/{CJK}]"),
)
"""What stands before a number, and behind it."""
_DIGIT = re.compile(r"\d")
_CJK = re.compile(f"[{CJK}]")
_NUMBER = re.compile(r"[$€£¥]?\d+(?:[.,:/-]\d+)*%?")
_AMOUNT = re.compile(r"[$€£¥]?\d+(?:[.,]\d{3})*%?")
SHORT = re.compile(r"\d{1,2}")
"""A number that may count anything. A longer one means the same in every place."""
_LAST_DAY = 31
_CODE = re.compile(r"[A-Za-z]*\d[\w-]*|[A-Z]{2,}[\w-]*")


def of_kind(text: str, value: str) -> list[str]:
    """The stretches of a text that are of the kind of ``value``; none if it has no kind."""
    shapes = _time(value)
    if shapes:
        return said_in(text, shapes)
    for shape in (_NUMBER, _CODE, WRITTEN):
        if shape.fullmatch(value.strip()):
            found = [each for each in shape.finditer(text) if _alone(text, each)]
            if shape is WRITTEN:  # the 一 of 一节 is no amount, and 一百三一方 no 131
                found = [each for each in found if len(each[0]) > 1 and is_one_number(each[0])]
            if shape is WRITTEN or _no_time(value):  # 5200 replaces 4800, and not the 1 of 1号
                times = [span for shapes in _TIMES for span in spans(text, shapes)]
                found = [each for each in found if not _within(each.span(), times)]
            return [each[0] for each in found]
    return []


def fitted(text: str, old: str, new: str) -> str | None:
    """The words of a text that ``new`` replaces, where a reader says that it replaces ``old``.

    A time of the day replaces a time of the day, a day a day, a number a number. In all other cases
    it is ``old`` itself. None if several stretches may be meant, or none, or if words without a
    value would replace a value.
    """
    if (_NUMBER.fullmatch(old.strip()) or _time(old)) and not _holds_value(new):
        return None
    if _no_time(new) and (_is(old, CLOCKS) or _is(old, DAYS)) and not _AMOUNT.fullmatch(old):
        return None
    if _NUMBER.fullmatch(new.strip()) and not named_numbers(old):
        numbers = set(of_kind(text, new))
        return numbers.pop() if len(numbers) == 1 else None
    shapes = _time(new)
    if not shapes:
        return old
    clock = shapes in (HOURS, CLOCKS)
    held = _beside(text, old, shapes)
    number = _NUMBER.fullmatch(old.strip()) and not _is(old, DAYS)  # 10/29 is a day
    if shapes in (DAYS, MOMENTS) and not held and number:
        return None  # 15 January does not replace a 7 that is no day
    whole = min(held) if len(held) == 1 and old in min(held) else ""
    if shapes is MOMENTS and _is(old, DAYS) and whole:
        return whole  # "at 3 on Friday" replaces "Thursday at 10", hour and all
    if whole and (_is(old, shapes) or not clock) and not _is(whole.replace(old, new), shapes):
        return whole  # old is a part: "nine" of "nine fifteen", a day without its hour
    if _is(old, shapes) or (held and not (clock or _is(old, MOMENTS))):
        return old
    if not held and _beside(text, old, DAYS if clock else CLOCKS):
        # The old words are a day and the new ones an hour, or the reverse: the other one changes.
        held = {*said_in(text, shapes)}
    return min(held, default=old) if len(held) < 2 else None


def with_clock(old: str, new: str) -> str:
    """``new``, with the hour of ``old`` if it names a day without an hour: "every Thursday" in
    place of "every Friday at 7:30 pm" is at 7:30 pm."""
    day, held = ([*spans(each, DAYS)] for each in (new, old))
    if len(day) != 1 or len(held) != 1 or any(spans(new, HOURS)):
        return new
    part, rest = new[day[0][1] :], old[held[0][1] :]
    clocks = [*spans(rest, CLOCKS)]
    if len(clocks) != 1 or not any(spans(rest, HOURS)) or not _AT.fullmatch(rest[: clocks[0][0]]):
        return new
    return new + rest[len(part) :] if fold(rest).startswith(fold(part)) else new


def with_unit(old: str, new: str) -> str:
    """``new``; if it is only a number, with what stands around the one number of ``old``: 95 in
    place of £89.50 is £95, and 4 in place of "3 nights" 4 nights."""
    runs = [*_BARE.finditer(old)]
    bare = _BARE.fullmatch(new.strip()) or SPELT.fullmatch(fold(new).strip())
    time = any(any(spans(old, shapes)) for shapes in _TIMES[:-1])
    if len(runs) != 1 or not bare or time or APART.search(old):
        return new
    number, total, made = map(read_number, (runs[0][0], old, new))
    if number and total and total != number and not (made and made**2 < total * number):
        return new  # 7000 in place of 1.5万 is nearer to it than 7000万
    before, behind = old[: runs[0].start()], old[runs[0].end() :]
    unit = BEHIND.match(fold(old), runs[0].end()) or _BESIDE.match(behind)  # not of 3A
    return f"{before}{new.strip()}{behind}" if _AROUND.search(before) and unit else new


def _within(span: tuple[int, int], wider: Sequence[tuple[int, int]]) -> bool:
    return any(first <= span[0] and span[1] <= last for first, last in wider)


def _no_time(words: str) -> bool:
    """Whether words are a number that is neither an hour nor a day: 50 does not replace 2:15."""
    number = words.strip()
    plain = SHORT.fullmatch(number) and int(number) <= _LAST_DAY
    return bool(_AMOUNT.fullmatch(number)) and not plain


def _holds_value(words: str) -> bool:
    """Whether words hold a number or a time."""
    number = _DIGIT.search(words) or named_numbers(words)
    time = read_when(words, EARLY) or read_reminder(words, EARLY)
    return bool(number or time) or holds_time(words)


def holds_time(words: str) -> bool:
    """Whether words hold a time or a length."""
    return any(any(spans(words, shapes)) for shapes in _TIMES)


def is_code(number: str) -> bool:
    """Whether a number is so long that it is no count and no time of the day."""
    return number.isdecimal() and len(number) >= 4


def is_value(words: str) -> bool:
    """Whether words as a whole are a time or a number."""
    number = words.strip()
    figures = _NUMBER.fullmatch(number) or WRITTEN.fullmatch(number)
    return bool(_time(words) or figures or read_number(number) is not None)


def _time(value: str) -> Shapes:
    """The kind of time that a value is; empty if it is none."""
    return next((shapes for shapes in _TIMES if _is(value, shapes)), ())


def _is(value: str, shapes: Shapes) -> bool:
    """Whether a value as a whole has one of the shapes."""
    return any(shape.fullmatch(each) for shape in shapes for each in _forms(value))


@lru_cache(maxsize=256)
def _forms(value: str) -> frozenset[str]:
    """A value as it is said, and with its time of the day in digits."""
    said = fold(value).strip()
    return frozenset((said, spoken_en.plain(said), spoken_zh.plain(said)))


def _beside(text: str, words: str, shapes: Shapes) -> set[str]:
    """The stretches with one of the shapes that overlap the first occurrence of some words."""
    start = text.find(words)
    place = start, start + len(words)
    return {text[slice(*each)] for each in spans(text, shapes) if shares(each, place)}


def spans(text: str, shapes: Shapes) -> Iterator[tuple[int, int]]:
    """The longest stretches that have one of the shapes, in order."""
    folded = fold(text)
    found = {match.span() for shape in shapes for match in shape.finditer(folded) if match[0]}
    reached = -1
    for start, end in sorted(found, key=lambda span: (span[0], -span[1])):
        if end > reached:  # else it lies within an earlier one
            yield start, end
            reached = end


def said_in(text: str, shapes: Shapes) -> list[str]:
    """The words of the stretches of a text that have one of the shapes, in order."""
    return [text[start:end] for start, end in spans(text, shapes)]


def _alone(text: str, found: re.Match[str]) -> bool:
    """Whether a match is no part of a longer number or code."""
    beside = text[max(0, found.start() - 1) : found.start()] + text[found.end() : found.end() + 1]
    folded = unicodedata.normalize("NFKC", beside)
    return not any(char == "-" or (char.isalnum() and not _CJK.match(char)) for char in folded)
