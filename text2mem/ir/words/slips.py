"""Correct typos in the words of a time: "1 Ferbuary", "tomorow", "2 weks".

A typo is one letter too many or too few, two neighbours exchanged, or one wrong letter in the long
name of a month. The name of a month is corrected only beside a number, which is its day or year, so
that "a match" is left as it is.
"""

from __future__ import annotations

import re

from text2mem.ir.words.calendar_names import MONTHS, WEEKDAYS

_MONTHS = tuple(name for name in MONTHS if name != "may")
_PLAIN = (*WEEKDAYS, "tomorrow", "tonight", "after", "before")
_UNITS = ("weeks", "minutes")
_LONG = 6
"""The least number of letters of a month's name in which a wrong letter is corrected."""
_BESIDE = 12
"""How many characters before and behind a word are looked at."""
_WORD = re.compile(r"[a-z]{4,10}")
_DAY_BEFORE = re.compile(r"\d(?:st|nd|rd|th)?(?: of)? $")
_DAY_AFTER = re.compile(r",? (?:the )?\d")
_COUNT_BEFORE = re.compile(r"(?:\d|two|three|four|five|six|seven|eight|nine|ten|twelve|few) $")


def mended(text: str) -> str:
    """The folded text with those typos corrected that have only one correction."""

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
        candidates = [name for name in known if name[0] == word[0] and _near(word, name)]
        return candidates[0] if len(candidates) == 1 else word

    return _WORD.sub(mend, text)


def _near(word: str, meant: str) -> bool:
    """Whether ``word`` can be ``meant`` with one typo."""
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
