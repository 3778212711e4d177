"""Names as the registry compares them: folded, and matched by patterns with ``*``."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from text2mem.ir.words.segment import HAN

_WHOLE = r"(?<![^\W_]){}(?![^\W_])"
_GAPS = re.compile(r"[\s_\-\u2010]+")  # NFKC makes a non-breaking hyphen a U+2010


def name_key(name: str) -> str:
    """A name without regard to case, each run of blanks, hyphens and underscores as one ``_``."""
    for _ in range(2):  # once does not do for a few Greek letters (Unicode, 3.13, D146)
        name = unicodedata.normalize("NFKC", name).casefold()
    return _GAPS.sub("_", unicodedata.normalize("NFKC", name).strip())


def find_name(name: str, words: str) -> re.Match[str] | None:
    """Where a folded name stands first in folded words (``find_names``)."""
    return next(find_names(name, words), None)


def find_names(name: str, words: str) -> Iterator[re.Match[str]]:
    """Where a folded name stands in folded words; a Chinese one also within a run of characters."""
    escaped = re.escape(name)
    return re.finditer(escaped if HAN.search(name) else _WHOLE.format(escaped), words)


def is_pattern(name: str) -> bool:
    """Whether a declared name stands for several: ``*`` is any run of characters, also none."""
    return "*" in name


def matches(pattern: str, name: str) -> bool:
    """Whether a folded pattern covers a folded name, in linear time."""
    first, *middle, last = pattern.split("*")
    if len(name) < len(first) + len(last) or not name.startswith(first):
        return False
    end = len(name) - len(last)
    at = len(first)
    for part in middle:
        found = name.find(part, at, end)
        if found < 0:
            return False
        at = found + len(part)
    return name.endswith(last)
