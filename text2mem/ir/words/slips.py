"""Slips of the pen in the words of a time: "1 Ferbuary", "tomorow", "2 weks".

One letter too many, one too few or two exchanged, and in the long name of a month one that is
wrong. A month has its day or its year beside it, so that "a match" stays what it is.
"""

from __future__ import annotations

import re

from text2mem.ir.words.calendar_names import MONTHS, WEEKDAYS

_MONTHS = tuple(name for name in MONTHS if name != "may")
_PLAIN = (*WEEKDAYS, "tomorrow", "tonight", "after", "before")
_UNITS = ("weeks", "minutes")
_LONG = 6
_BESIDE = 12
"""How many characters before and behind a word are looked at."""
_WORD = re.compile(r"[a-z]{4,10}")
_DAY_BEFORE = re.compile(r"\d(?:st|nd|rd|th)?(?: of)? $")
_DAY_AFTER = re.compile(r",? (?:the )?\d")
_COUNT_BEFORE = re.compile(r"(?:\d|two|three|four|five|six|seven|eight|nine|ten|twelve|few) $")


def mended(text: str) -> str:
    """The folded text with the slips put right that can be put right in one way only."""

    def mend(found: re.Match[str]) -> str:
        start, end = found.span()
        word, before = found[0], text[max(0, start - _BESIDE) : start]
        after = text[end : end + _BESIDE]
        known: tuple[str, ...] = _PLAIN
        if _DAY_BEFORE.search(before) or _DAY_AFTER.match(after):
            known += _MONTHS
        if _COUNT_BEFORE.search(before):
            known += _UNITS
        if word in (*known, *_MONTHS, "nights") or word.removesuffix("s") in _PLAIN:
            return word
        meant = [each for each in known if each[0] == word[0] and _near(word, each)]
        return meant[0] if len(meant) == 1 else word

    return _WORD.sub(mend, text)


def _near(word: str, meant: str) -> bool:
    """Whether one slip makes the one word of the other."""
    size = len(word) - len(meant)
    if size == 0:
        apart = [n for n, letter in enumerate(word) if letter != meant[n]]
        if len(apart) == 1:
            return meant in _MONTHS and len(meant) >= _LONG
        swapped = [word[n] for n in apart] == [meant[n] for n in reversed(apart)]
        return len(apart) == 2 and apart[1] == apart[0] + 1 and swapped
    longer, shorter = (word, meant) if size > 0 else (meant, word)
    return abs(size) == 1 and any(
        longer[:n] + longer[n + 1 :] == shorter for n in range(len(longer))
    )
