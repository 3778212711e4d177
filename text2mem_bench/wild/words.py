"""Whether words stand in a text, however it is spelled: width, case, spaces, thousands."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

_THOUSANDS = re.compile(r"(?<=\d)[,' \u2009](?=\d{3}(?!\d))")
_CJK = r"\u3400-\u4dbf\u4e00-\u9fff\u3000-\u303f"
_IDLE_SPACE = re.compile(rf"\s+(?=[{_CJK}])|(?<=[{_CJK}])\s+|(?<=\d)\s+(?=[^\W\d_])")
"""Spaces that nobody hears: beside a Chinese character, and of a number before its unit."""
_SPACE = re.compile(r"\s+")
_SAME = str.maketrans({
    "\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"', "\u2013": "-", "\u2014": "-",
    "\u2011": "-", "\u2212": "-", "`": None,
})  # fmt: skip
_TOKEN = re.compile(rf"[{_CJK}]|\d+(?:[.:]\d+)*|[^\W\d_]+")


def plain(text: str) -> str:
    """The text in the form in which words are looked for."""
    folded = unicodedata.normalize("NFKC", text).casefold().translate(_SAME)
    return _SPACE.sub(" ", _IDLE_SPACE.sub("", _THOUSANDS.sub("", folded))).strip()


def stands(word: str | Sequence[str], text: str) -> bool:
    """Whether a word, or one of several, stands in a text.

    A number is not found within a longer one, nor a word of letters in the middle of another.
    """
    if not isinstance(word, str):
        return any(stands(one, text) for one in word)
    sought = plain(word)
    if not sought:
        return False
    before = r"(?<!\d)(?<!\d[.])" if sought[0].isdecimal() else ""
    before = r"(?<![a-z])" if sought[0].isascii() and sought[0].isalpha() else before
    after = r"(?!\d)(?![.]\d)" if sought[-1].isdecimal() else ""
    return re.search(before + re.escape(sought) + after, plain(text)) is not None


def lost(before: str, after: str) -> tuple[str, ...]:
    """The words of a text that another one does not have; of Chinese, the characters."""
    there = set(_TOKEN.findall(plain(after)))
    return tuple(dict.fromkeys(w for w in _TOKEN.findall(plain(before)) if w not in there))
