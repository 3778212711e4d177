"""Numbers that stand in words, in digits or spelt out, English and Chinese."""

from __future__ import annotations

import re
from collections.abc import Iterator

from text2mem.ir.times.phrases_en import ORDINALS
from text2mem.ir.times.temporal_en_lengths import NUMBERS

_DIGITS = re.compile(
    r"(?<![\w.])(?<!\d[,，])[+-]?(?:\d{1,3}(?:[,，]\d{3}){1,4}|\d{1,15})(?:\.\d{1,15})?(?!\d|[.,，]\d|e[+-]?\d)",
    re.ASCII | re.IGNORECASE,
)
_MOST = 10**15
"""The greatest number that is counted."""
_TIMES = {"hundred": 100, "dozen": 12}
_ONE_OF_THEM = re.compile(
    r"(?<!half )(?<!of )\ba (?=(?:hundred|dozen|thousand|million|billion)\b(?! and a half))"
)
_HALF_DOZEN = re.compile(r"\bhalf (?:a )?dozen\b")
_ZERO = {"oh": 0, "o": 0, "zero": 0, "nought": 0}
_SAID_TWICE = {"double": 2, "triple": 3}
_SCALES = {"thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}
_WORDS = re.compile(r"[a-z]+")
_HYPHENED = re.compile(r"[a-z]+(?:-[a-z]+)?")
_PLAIN_FIGURES = re.compile(r"(?<![\d,])\d{1,3}(?:,\d{3})+(?![\d,])|\d{1,15}", re.ASCII)
_HAN_FIGURES = "零一二三四五六七八九"
_HAN_DIGITS = {char: n for n, char in enumerate(_HAN_FIGURES)}
_HAN_DIGITS |= {"〇": 0, "两": 2, "俩": 2, "仨": 3}
_HAN_UNITS = {"十": 10, "百": 100, "千": 1_000}
_HAN_SCALES = {"万": 10_000, "亿": 100_000_000}
_HAN = re.compile(f"[{''.join((*_HAN_DIGITS, *_HAN_UNITS, *_HAN_SCALES))}]+")
WRITTEN = re.compile(rf"\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?|\d+(?:\.\d+)?|{_HAN.pattern}")
"""A number as it stands in a text in figures, Western or Chinese."""


def read_number(words: str) -> int | float | None:
    """The one number that words name: "11,500", "nine thousand dollars", 三千八, "200 a day".

    None where they name none, or several.
    """
    found = [float(each.replace(",", "").replace("，", "")) for each in _DIGITS.findall(words)]
    if not found:
        found = spelt_numbers(words)
    if len(found) != 1:
        return None
    return int(found[0]) if float(found[0]).is_integer() else found[0]


def named_numbers(words: str) -> frozenset[float]:
    """Every number that words name, in figures, spelt out or as an ordinal: "the twenty-third",
    "23", 二十三, "double seven"."""
    lowered = words.lower()
    figures = (float(each.replace(",", "")) for each in _PLAIN_FIGURES.findall(lowered))
    ordinals = (float(ORDINALS[each]) for each in _HYPHENED.findall(lowered) if each in ORDINALS)
    rows = map(float, figure_by_figure(words))
    return frozenset((*figures, *ordinals, *spelt_numbers(words), *rows))


def spelt_numbers(words: str) -> list[float]:
    """The numbers that words spell out, no ordinals: "three thousand fifty", 三千八."""
    whole = (*_english(words.lower()), *map(_chinese, _HAN.findall(words)))
    return [float(number) for number in whole if number <= _MOST]


def figure_by_figure(words: str) -> Iterator[str]:
    """The figures that words say one after another: "seventy-seven oh two" is 7702."""
    row: list[str] = []
    times, tens = 1, False
    for word in [*_WORDS.findall(words.lower()), ""]:
        number = _ZERO.get(word, NUMBERS.get(word))
        if word in _SAID_TWICE:
            times = _SAID_TWICE[word]
        elif number is None:
            if len(row) > 1:
                yield "".join(row)
            row, times, tens = [], 1, False
        elif tens and 0 < number < 10:
            row[-1], tens = str(int(row[-1]) + number), False
        else:
            row += [str(number)] * times
            times, tens = 1, number >= 20


def numeral(number: int) -> str:
    """0 to 99 as it is written in Chinese: 12 is 十二."""
    tens, ones = divmod(number, 10)
    if not tens:
        return _HAN_FIGURES[ones]
    return f"{_HAN_FIGURES[tens] if tens > 1 else ''}十{_HAN_FIGURES[ones] if ones else ''}"


def ordinal_ending(number: int) -> str:
    """What an ordinal in figures ends with: 1st, 2nd, 11th."""
    teens = 10 < number % 100 < 14
    return "th" if teens else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")


def _english(words: str) -> list[int]:
    """The numbers of a text that are spelt out, each run of number words as one."""
    found: list[int] = []
    whole = part = 0
    running = False
    plain = _ONE_OF_THEM.sub("one ", _HALF_DOZEN.sub("six", words))
    for word in [*_WORDS.findall(plain), ""]:
        if word in NUMBERS:
            part, running = part + NUMBERS[word], True
        elif running and word in _TIMES:
            part *= _TIMES[word]
        elif running and word in _SCALES:
            whole, part = whole + part * _SCALES[word], 0
        elif not (running and word == "and"):
            found += [whole + part] if running else []
            whole, part, running = 0, 0, False
    return found


def _chinese(numeral: str) -> int:
    """A numeral; a last digit counts a tenth of the unit before it, as in 三千八."""
    whole = part = digit = 0
    last = 1
    for char in numeral:
        if char in _HAN_DIGITS:
            digit = 10 * digit + _HAN_DIGITS[char]
            last = 1 if char in "零〇" else last
        elif char in _HAN_UNITS:
            part, digit, last = part + (digit or 1) * _HAN_UNITS[char], 0, _HAN_UNITS[char]
        else:
            whole, part, digit = (whole + part + digit) * _HAN_SCALES[char], 0, 0
            last = _HAN_SCALES[char]
    if last > 10 and 0 < digit < 10:
        digit *= last // 10
    return whole + part + digit
