"""Read numbers in English and Chinese texts, in digits or spelt out."""

from __future__ import annotations

import re
from collections.abc import Iterator

from text2mem.ir.times.phrases_en import ORDINALS
from text2mem.ir.times.temporal_en_lengths import NUMBERS
from text2mem.ir.words.folding import any_of, fold

_DIGITS = re.compile(
    r"(?<![\w.])(?<!\d,)(?P<n>[+-]?(?:\d{1,3}(?:,\d{3}){1,4}|\d{1,15})(?:\.\d{1,15})?)"
    r"(?!\d|[.,]\d|e[+-]?\d)(?P<half> and a half\b)?"
    r"(?: ?(?P<scale>(?:hundred|dozen|thousand|million|billion)\b|(?<! )k\b"
    r"|[十百千]?[万亿]{1,2}|千(?![克米瓦卡帕])))?",
    re.ASCII,
)
"""A number in figures, with the word that multiplies it: 1.5万, "3 million", "85k"."""
_MOST = 10**15
"""The greatest number that is read of words."""
_TIMES = {"hundred": 100, "dozen": 12}
_ONE_OF_THEM = re.compile(
    r"(?<!half )(?<!of )\ba (?=(?:hundred|dozen|thousand|million|billion)\b(?! and a half))"
)
_AND_A_HALF = re.compile(r"\band a half\b")
_HALF_DOZEN = re.compile(r"\bhalf (?:a )?dozen\b")
_ZERO = {"oh": 0, "o": 0, "zero": 0, "nought": 0}
_SAID_TWICE = {"double": 2, "triple": 3}
_SCALES = {"thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000, "k": 1_000}
_WORDS = re.compile(r"[a-z]+")
_HYPHENED = re.compile(r"[a-z]+(?:-[a-z]+)?")
_PLAIN_FIGURES = re.compile(r"(?<![\d,])\d{1,3}(?:,\d{3})+(?![\d,])|\d{1,15}", re.ASCII)
_HAN_FIGURES = "零一二三四五六七八九"
_HAN_DIGITS = {char: n for n, char in enumerate(_HAN_FIGURES)}
_HAN_DIGITS |= {"〇": 0, "两": 2, "俩": 2, "仨": 3}
_HAN_TENS = {"廿": 20, "卅": 30}
_HAN_UNITS = {"十": 10, "百": 100, "千": 1_000}
_HAN_SCALES = {"万": 10_000, "亿": 100_000_000}
HAN_CHARS = "".join((*_HAN_DIGITS, *_HAN_TENS, *_HAN_UNITS, *_HAN_SCALES))
"""The characters of Chinese numerals."""
_HAN = re.compile(rf"(?<![几{HAN_CHARS}])(?![万亿])(?P<han>[{HAN_CHARS}]++)(?!几)(?P<half>个半)?")
WRITTEN = re.compile(rf"\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?|\d+(?:\.\d+)?|{_HAN.pattern}")
"""A number in Western or Chinese figures."""
_RUN_ON = re.compile(rf"(?<=[{''.join(_HAN_UNITS)}][{_HAN_FIGURES[1:]}])(?=[{_HAN_FIGURES[1:]}两])")
"""Where a numeral runs into another one: 一百八十二|一卷."""
APART = re.compile("半|初(?=[一二三四五六七八九十])")
"""The part of a number that stands apart from its figures: 五斤半, 初九."""

_NUMBER_WORD = any_of({*NUMBERS, *_TIMES, *_SCALES} - {"k"})
SPELT = re.compile(rf"\b{_NUMBER_WORD}(?:(?:[ -]| and ){_NUMBER_WORD})*\b")
"""A number in English words, folded."""


def is_one_number(written: str) -> bool:
    """Whether a match of ``WRITTEN`` is no numeral that another one runs into: 一百三一."""
    return not re.search(f"[{''.join(_HAN_DIGITS)}]{{2}}", written)


def read_number(words: str) -> int | float | None:
    """The only number that words name: "11,500", "nine thousand", 三千八. If there are digits,
    numbers in words are ignored."""
    plain = fold(words)
    found = [_scaled(run) for run in _DIGITS.finditer(plain)] or spelt_numbers(plain)
    if len(found) != 1:
        return None
    return int(found[0]) if float(found[0]).is_integer() else found[0]


def _scaled(run: re.Match[str]) -> float:
    scale = run["scale"] or ""
    times = (_SCALES | _TIMES).get(scale) or (han_number(f"一{scale}") if scale else 1)
    number = float(run["n"].replace(",", "")) + 0.5 * bool(run["half"])
    return round(number * times, 6) if scale else number  # 1.1 × 10,000 has a fraction


def named_numbers(words: str) -> frozenset[float]:
    """All numbers that words name in any form: "23", "twenty-third", 二十三, "double seven"."""
    lowered = fold(words)
    figures = (float(run.replace(",", "")) for run in _PLAIN_FIGURES.findall(lowered))
    ordinals = (float(ORDINALS[word]) for word in _HYPHENED.findall(lowered) if word in ORDINALS)
    rows = map(float, figure_by_figure(words))
    return frozenset((*figures, *ordinals, *spelt_numbers(lowered), *rows))


def spelt_numbers(words: str) -> list[float]:
    """The numbers that words spell out, without ordinals: "three thousand fifty", 三千八."""
    plain = fold(words)
    runs = ((_RUN_ON.split(run["han"]), 0.5 * bool(run["half"])) for run in _HAN.finditer(plain))
    chinese = (
        (han_number(each), half * (each is parts[-1])) for parts, half in runs for each in parts
    )
    whole = (*((number, 0) for number in _english(plain)), *chinese)
    return [float(number) + half for number, half in whole if number <= _MOST]


def figure_by_figure(words: str) -> Iterator[str]:
    """Yield the numbers that words say figure by figure: "seventy-seven oh two" is 7702."""
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
    """A number from 0 to 99 in Chinese: 12 is 十二."""
    tens, ones = divmod(number, 10)
    if not tens:
        return _HAN_FIGURES[ones]
    return f"{_HAN_FIGURES[tens] if tens > 1 else ''}十{_HAN_FIGURES[ones] if ones else ''}"


def ordinal_ending(number: int) -> str:
    """The ending of an ordinal in figures: 1st, 2nd, 11th."""
    teens = 10 < number % 100 < 14
    return "th" if teens else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")


def _english(words: str) -> list[float]:
    """The numbers that an English text spells out. A run of number words is one number."""
    found: list[float] = []
    whole = part = 0.0
    running = False
    plain = _ONE_OF_THEM.sub("one ", _HALF_DOZEN.sub("six", words))
    for word in [*_WORDS.findall(_AND_A_HALF.sub("andahalf", plain)), ""]:
        if word in NUMBERS:
            part, running = part + NUMBERS[word], True
        elif running and word == "andahalf":
            part += 0.5
        elif running and word in _TIMES:
            part *= _TIMES[word]
        elif running and word in _SCALES:
            whole, part = whole + part * _SCALES[word], 0
        elif not (running and word == "and"):
            found += [whole + part] if running else []
            whole, part, running = 0, 0, False
    return found


def han_number(numeral: str) -> int:
    """The value of a Chinese numeral. A final digit counts tenths of the unit: 三千八 is 3800."""
    whole = part = digit = 0
    last = scale = 1
    for char in numeral:
        if char in _HAN_DIGITS:
            digit = 10 * digit + _HAN_DIGITS[char]
            last = 1 if char in "零〇" else last
        elif char in _HAN_TENS:
            part, last = part + _HAN_TENS[char], 10
        elif char in _HAN_UNITS:
            part, digit, last = part + (digit or 1) * _HAN_UNITS[char], 0, _HAN_UNITS[char]
        else:
            higher = whole if scale > _HAN_SCALES[char] else 0  # the 亿 of 一亿两千万
            last = scale = _HAN_SCALES[char]
            whole, part, digit = higher + (whole - higher + part + digit) * scale, 0, 0
    if last > 10 and 0 < digit < 10:
        digit *= last // 10
    return whole + part + digit
