"""Fold names for comparison, find them in texts, and match them with patterns with ``*``."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from text2mem.ir.words.segment import HAN

_WHOLE = r"(?<![^\W_]){}(?![^\W_])"
_GAPS = re.compile(r"[\s_\-\u2010]+")  # NFKC makes a non-breaking hyphen a U+2010


def name_key(name: str) -> str:
    """A name without case, and with runs of blanks, hyphens and underscores as one ``_``."""
    for _ in range(2):  # a few Greek letters need two rounds (Unicode, 3.13, D146)
        name = unicodedata.normalize("NFKC", name).casefold()
    return _GAPS.sub("_", unicodedata.normalize("NFKC", name).strip())


def find_name(name: str, words: str) -> re.Match[str] | None:
    """The first of ``find_names``."""
    return next(find_names(name, words), None)


def find_names(name: str, words: str) -> Iterator[re.Match[str]]:
    """The occurrences of a folded name in folded words: whole words, except in Chinese."""
    escaped = re.escape(name)
    return re.finditer(escaped if HAN.search(name) else _WHOLE.format(escaped), words)


def is_pattern(name: str) -> bool:
    """Whether a declared name is a pattern: its ``*`` matches any run of characters, also none."""
    return "*" in name


def matches(pattern: str, name: str) -> bool:
    """Whether a folded pattern matches a folded name."""
    first, *middle, last = pattern.split("*")
    place, end = len(first), len(name) - len(last)
    if place > end or not (name.startswith(first) and name.endswith(last)):
        return False
    for part in middle:  # the first occurrence leaves the most to the others
        found = name.find(part, place, end)
        if found < 0:
            return False
        place = found + len(part)
    return True
