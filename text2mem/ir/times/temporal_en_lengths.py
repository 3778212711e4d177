"""Read English numbers and lengths of time in normalised phrases: "an hour and a half"."""

from __future__ import annotations

import re

from text2mem.ir.times.duration import DAY, HOUR, MINUTE, WEEK, Duration
from text2mem.ir.times.phrases_en import HOUR_OF_DAY, ONES, TEENS, TENS
from text2mem.ir.words.folding import Rewriting

UNITS = {
    name: size
    for names, size in (
        ("s sec secs second seconds", (0, 1)),
        ("m min mins minute minutes", (0, MINUTE)),
        ("h hr hrs hour hours", (0, HOUR)),
        ("d day days", (0, DAY)),
        ("w wk wks week weeks", (0, WEEK)),
        ("fortnight fortnights", (0, 2 * WEEK)),
        ("mo month months", (1, 0)),
        ("quarter quarters", (3, 0)),
        ("y yr yrs year years", (12, 0)),
        ("decade decades", (120, 0)),
    )
    for name in names.split()
}
"""The size of each unit as (calendar months, fixed seconds)."""
NUMBERS = {word: n for n, word in enumerate(["zero", *ONES, *TEENS])} | {
    word: 10 * n for n, word in enumerate(TENS, 2)
}
_ANY_NUMBER = "|".join(sorted(NUMBERS, key=len, reverse=True))


def _in_digits(found: re.Match[str]) -> str:
    """The number of a match of one or two number words, in digits."""
    tens = NUMBERS[found[1]]
    if found[2] is None or tens >= 20:
        return str(tens + NUMBERS.get(found[2] or "", 0))
    return found[0]


spelt = Rewriting(
    (r"\b([ap])\.m\.?(?=\s|$)", r"\1m"),
    (r"\btonight\b", "today night"),
    (r"\blast night\b", "yesterday night"),
    (r"\bthis (morning|afternoon|evening)\b", r"today \1"),
    (r"(?:(?<!/)\b12 )?\b(noon|midday)\b", "12:00"),
    (r"\bmidnight\b", "0:00"),
    (r"\b(?:eod|cob|close of business)\b", "end of day"),
    (r"\beow\b", "end of week"),
    (r"\beom\b", "end of month"),
    (r"\beoy\b", "end of year"),
    (r"^(month|year|week)[- ]end$", r"end of \1"),
    (rf"\b({_ANY_NUMBER})(?:[- ]({'|'.join(ONES)}))?\b", _in_digits),
    (r"\bhalf past (\d{1,2})(?![\d:])", r"\1:30"),
    (r"\b(?:(?:a|1) )?quarter past (\d{1,2})(?![\d:])", r"\1:15"),
    (
        r"\b(?:(?:a|1) )?quarter to (\d{1,2})(?![\d:])",
        lambda found: f"{int(found[1]) - 1 or 12}:45",
    ),
    (rf"(?<![:/])(?<!\bat )\b({HOUR_OF_DAY}) ", r"at \1 "),
    (r"\b(?:a|1) hundred\b", "100"),
)
"""Rewrites a phrase: numbers and times of the day in digits, abbreviations in full."""
_AMOUNT = re.compile(
    r"(?P<n>\d{1,12}(?:\.\d{1,3})?|half(?: an?)?|a couple of|an?)\s*"
    r"(?P<half>and a half )?(?P<unit>[a-z]+)(?P<tail> and a half)?(?:,? and |, ?| )?"
)
_QUARTERS = re.compile(
    r"(?:(?P<hours>(?:\d+|an?) h(?:ou)?rs?),? and )?(?P<n>[13]|a) quarters?"
    r"(?(hours)(?: of an hour)?| of an hour)"
)


def length_of(text: str) -> Duration | None:
    """The duration that the words as a whole name; None if they name none."""
    if (quarters := _QUARTERS.fullmatch(text)) is not None:
        minutes = 45 if quarters["n"] == "3" else 15
        text = f"{quarters['hours'] or '0 hours'} and {minutes} minutes"
    months, seconds, place = 0.0, 0.0, 0
    while match := _AMOUNT.match(text, place):
        word, unit = match["n"], match["unit"]
        if unit not in UNITS or (len(unit) == 1 and not word[0].isdigit()):
            return None
        month, second = UNITS[unit]
        if unit.startswith("quarter") and place and (seconds or months % 12):
            return None  # the quarter in "a week and a quarter" is not three months
        amount = float(word) if word[0].isdigit() else 2.0 if word.startswith("a c") else 1.0
        amount = 0.5 if word.startswith("half") else amount
        amount += 0.5 * bool(match["half"] or match["tail"])
        if month == 1 and amount % 1 == 0.5:
            # A month and a half is a month and fifteen days.
            amount, second, seconds = amount - 0.5, 0, seconds + 15 * DAY
        months, seconds = months + amount * month, seconds + amount * second
        place = match.end()
    if not place or place != len(text) or months % 1 or text[-1] in " ,":
        return None
    return Duration(int(months), int(seconds))
