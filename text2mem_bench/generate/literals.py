"""Literals of made-up sentences: days, clocks, sums, numbers, dates, names."""

from __future__ import annotations

import random
from collections.abc import Sequence

from text2mem.ir.words import calendar_names
from text2mem_bench.generate.model import Lang

DAYS = {
    "en": tuple(map(str.capitalize, calendar_names.WEEKDAYS)),
    "zh": tuple(f"周{day}" for day in calendar_names.HAN_WEEKDAYS),
}
MONTHS = tuple(map(str.capitalize, calendar_names.MONTHS))
NUMBERS = {
    "en": (
        "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
        "eleven", "twelve",
    ),
    "zh": ("零", "一", "二", "三", "四", "五", "六", "七", "八", "九", "十", "十一", "十二"),
}  # fmt: skip


def number(count: int, lang: Lang) -> str:
    """A small number in words, others in digits; the Chinese two is the one of amounts."""
    if count >= len(NUMBERS[lang]):
        return str(count)
    return "两" if (lang, count) == ("zh", 2) else NUMBERS[lang][count]


def day_of_month(month: int, day: int, lang: Lang) -> str:
    """A date without its year."""
    return f"{day} {MONTHS[month - 1]}" if lang == "en" else f"{month}月{day}日"


def clock(hour: int, minute: int, lang: Lang) -> str:
    """A time of day in words."""
    if lang == "en" and (hour, minute) == (12, 0):
        return "noon"
    if lang == "en":
        shown = f"{(hour - 1) % 12 + 1}" + (f":{minute:02}" if minute else "")
        return f"{shown} {'am' if hour < 12 else 'pm'}"
    part = "上午" if hour < 12 else "中午" if hour == 12 else "下午" if hour < 18 else "晚上"
    spoken = number((hour - 1) % 12 + 1, lang)
    return f"{part}{spoken}点" + ("半" if minute == 30 else f"{minute}分" if minute else "")


def literal(
    name: str, lang: Lang, rng: random.Random, people: Sequence[str], places: Sequence[str]
) -> str:
    """A literal of one of the kinds that the files in ``content/`` name. Raises KeyError."""
    draw = {
        "day": lambda: rng.choice(DAYS[lang]),
        "clock": lambda: clock(rng.randrange(8, 21), rng.choice((0, 0, 30)), lang),
        "sum": lambda: _sum(lang, rng),
        "count": lambda: number(rng.randrange(3, 40), lang),
        "date": lambda: day_of_month(rng.randrange(1, 13), rng.randrange(1, 29), lang),
        "who": lambda: rng.choice(people),
        "place": lambda: rng.choice(places),
    }
    return draw[name]()


def _sum(lang: Lang, rng: random.Random) -> str:
    amount = rng.choice((rng.randrange(4, 20) * 5, rng.randrange(2, 19) * 50, 1200, 1800, 2400))
    return f"{amount:,} euros" if lang == "en" else f"{amount}元"
