"""Strange values: texts, times, recurrence rules and numbers that code may stumble over."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

LONGEST = 10_000
"""Characters of the longest texts."""
_HALVES = ("\ud800", "\udfff", "\udc80", "\ud83d")
_YEARS = (1, 2, 1582, 1899, 1970, 2000, 2026, 2027, 2100, 9998, 9999)
_ZONES = ("", "Z", "+14:00", "-12:00", "+05:45", "+00:00:01")
_INTEGERS = (
    0, 1, -1, 2, 7, 64, 100, 1_000, 100_000, 100_001, 2**31, 2**53 + 1, 2**63 - 1, 2**63,
    -(2**63) - 1, 2**64, 10**18, 10**308, 10**309, -(10**400), 10**5000,
)  # fmt: skip
_FLOATS = (
    0.0, -0.0, 0.5, 1.0, -1.0, 1.0000001, 5e-324, 1e-300, 1e16, 1e22, 1.7e308,
    float("nan"), float("inf"), float("-inf"),
)  # fmt: skip
_FREQUENCIES = (
    "YEARLY", "MONTHLY", "WEEKLY", "DAILY", "HOURLY", "MINUTELY", "SECONDLY", "daily", "",
)  # fmt: skip
_RULE_PARTS = {
    "INTERVAL": ("0", "1", "2", "7", "13", "97", "100000", "-1", "9" * 30, "x", ""),
    "COUNT": ("0", "1", "5", "100000", "-1", "9" * 20),
    "UNTIL": ("20260401T000000Z", "20260401", "00010101T000000Z", "99991231T235959Z", "x"),
    "BYDAY": ("MO", "MO,TU,WE,TH,FR", "5MO", "-1FR", "53SU", "0MO", "XX", "MO,MO", "-53TU"),
    "BYMONTHDAY": ("1", "31", "-1", "-31", "30,31", "0", "32"),
    "BYMONTH": ("2", "1,2,3", "12", "0", "13"),
    "BYYEARDAY": ("366", "-366", "1", "0", "367"),
    "BYWEEKNO": ("53", "-53", "1", "54"),
    "BYHOUR": ("9", "0,6,12,18", "23", "24", "-1"),
    "BYMINUTE": ("0", "59", "60", ",".join(map(str, range(60)))),
    "BYSECOND": ("0", "59", "60"),
    "BYSETPOS": ("1", "-1", "366", "0", "400"),
    "BYEASTER": ("0",),
    "WKST": ("SU", "MO", "XX"),
    "DTSTART": ("20260101T000000Z",),
    "X": ("1",),
}


@cache
def words() -> dict[str, list[str]]:
    """What ``words.toml`` holds."""
    text = Path(__file__).with_name("words.toml").read_text(encoding="utf-8")
    return dict(tomllib.loads(text))


def text(random: Random, *, strange: float = 0.3) -> str:
    """A text, ``strange`` with this probability: odd characters, thousands of one, half of one."""
    found = random.choice(words()["texts"])
    if random.random() >= strange:
        return found
    kind = random.random()
    if kind < 0.6:
        for _ in range(random.randint(1, 4)):
            found = spliced(random, found, random.choice(words()["pieces"]))
        return found
    if kind < 0.85:
        return run(random)
    if kind < 0.92:
        return spliced(random, found, random.choice(_HALVES))
    return random.choice(["", " ", "\n", *words()["pieces"]])


def spliced(random: Random, held: str, piece: str) -> str:
    """A text with a piece put in somewhere."""
    at = random.choice((0, len(held), random.randint(0, len(held))))
    return held[:at] + piece + held[at:]


def run(random: Random, longest: int = LONGEST) -> str:
    """One short piece repeated, up to ``longest`` characters."""
    piece = random.choice(words()["runs"])
    return piece * max(1, random.choice((7, 40, 99, 300, 5_000, longest)) // len(piece))


def filled(random: Random, kind: str) -> str:
    """A sentence of this kind in ``words.toml`` with names, times and texts in its gaps."""
    name = random.choice(words()["names"]) if random.random() < 0.7 else text(random)
    return random.choice(words()[kind]).format(name, moment(random))


def moment(random: Random) -> str:
    """A time, a phrase of one, a length, or what looks like one."""
    kind = random.random()
    if kind < 0.5:
        return random.choice(words()["times"])
    if kind < 0.65:
        return f"{random.choice(words()['runs']) * random.randint(1, 30)} days ago"[:100]
    if kind < 0.7:
        return run(random, 100)
    year, month = random.choice(_YEARS), random.randint(1, 12)
    day, hour = random.choice((1, 28, 29, 31)), random.choice((0, 12, 23))
    date = f"{year:04}-{month:02}-{day:02}"
    return date if kind < 0.8 else f"{date}T{hour:02}:59:59{random.choice(_ZONES)}"


def rule(random: Random) -> str:
    """A recurrence rule of RFC 5545 with parts that may be odd, or a text that is none."""
    if random.random() < 0.05:
        return text(random, strange=0.8)
    names = random.sample(sorted(_RULE_PARTS), random.choice((0, 0, 1, 1, 2, 3, 5)))
    parts = [f"{name}={random.choice(_RULE_PARTS[name])}" for name in names]
    parts.insert(0, f"FREQ={random.choice(_FREQUENCIES[: random.choice((4, 6, 9))])}")
    if random.random() < 0.1:
        random.shuffle(parts)
    joined = random.choice((";", ";", ";", ";", " ", ";;")).join(parts)
    return random.choice(("", "", "", "", "RRULE:", " ", "DTSTART:20260101\n")) + joined


def number(random: Random) -> int | float:
    """A number, which may be huge, negative or none at all."""
    return random.choice(_INTEGERS if random.random() < 0.6 else _FLOATS)


def scalar(random: Random) -> Any:
    """Any JSON value that holds no other."""
    kinds = (None, True, False, number(random), number(random), text(random), moment(random))
    return random.choice(kinds)


def tree(random: Random, depth: int = 3) -> Any:
    """Any JSON value of a few levels."""
    if depth == 0 or random.random() < 0.4:
        return scalar(random)
    if random.random() < 0.5:
        return [tree(random, depth - 1) for _ in range(random.randint(0, 3))]
    return {key(random): tree(random, depth - 1) for _ in range(random.randint(0, 3))}


def key(random: Random) -> str:
    """A key of an object."""
    return random.choice(("a", "b", "text", "value", "")) if random.random() < 0.6 else text(random)


def nested(random: Random, held: Any, levels: int = 0) -> Any:
    """A value within so many lists and objects; a few to a few hundred where it is not said."""
    levels = levels or random.choice((1, 2, 10, 60, 63, 64, 65, 100, 300, 600))
    form = random.choice(("list", "object", "both"))
    for level in range(levels):
        as_list = form == "list" or (form == "both" and level % 2)
        held = [held] if as_list else {"a": held}
    return held
