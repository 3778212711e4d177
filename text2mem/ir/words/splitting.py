"""Cut a text into sentences or chunks, for Split."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from itertools import pairwise

_ENDER = re.compile(r"\n|[.!?。！？]+")
"""What may end a sentence."""
_CLOSING = "”’»」』）】》)]"
_EITHER = "\"'"
"""Marks that may open or close a quotation."""
_VISIBLE = re.compile(r"\S")
_CLAUSE = re.compile(r"(?:(?<!\d)[,，]|[,，](?!\d)|[;；…。!！?？\n]+|\.(?=\s)|[—–]+)\s*")
_JOINS = re.compile(r"(?<=\s)(?:and|plus|then)\s|还有|還有|然后|然後")


def sentences(text: str) -> list[str]:
    """The sentences of an English or Chinese text, in order, without blanks around them.

    A sentence ends with one of ``.!?。！？``, with the closing quotes and brackets that follow, or
    at a newline. A period counts only before a blank or the end ("3.5" is one word), and inside
    "e.g." only before a capital; ``!`` and ``?`` do not count inside an ASCII word (an address).
    """
    return [text[start:end] for start, end in spans(text)]


def sentence_groups(text: str, size: int) -> list[str]:
    """The sentences of a text in groups of ``size``, with the blanks between them. Raises
    ValueError for a size below 1."""
    if size < 1:
        raise ValueError("a group holds at least one sentence")
    found = spans(text)
    groups = [found[i : i + size] for i in range(0, len(found), size)]
    return [text[group[0][0] : group[-1][1]] for group in groups]


def chunks(text: str, size: int, overlap: int = 0, most: int | None = None) -> list[str]:
    """Pieces of ``size`` characters, each beginning with the last ``overlap`` characters of the
    piece before it; the first ``most`` of them, if that is given. The last piece may be shorter,
    but adds something to the one before it. Raises ValueError unless 0 <= overlap < size."""
    if not 0 <= overlap < size:
        raise ValueError("the overlap of chunks is at least 0 and less than their size")
    starts = range(0, max(len(text) - overlap, 1), size - overlap)
    return [text[start : start + size] for start in starts[:most]] if text else []


def clauses(text: str) -> list[int]:
    """The positions at which the second and later clauses begin: after a comma that is not part of
    a number, a semicolon, a dash or the end of a sentence."""
    ends = (
        match.end() for match in _CLAUSE.finditer(text.rstrip()) if text[: match.start()].strip()
    )
    return [at for at in ends if text[at:].strip()]


def joins(text: str) -> list[int]:
    """The positions of words that add one thing to another ("and", 还有)."""
    return [found.start() for found in _JOINS.finditer(text)]


def spans(text: str) -> list[tuple[int, int]]:
    """The (start, end) of every sentence, without blanks around it."""
    ends: list[int] = []
    start = 0
    marks = {mark: [found.start() for found in re.finditer(mark, text)] for mark in _EITHER}
    for found in _ENDER.finditer(text):
        end = found.end() if found.group() == "\n" else _closed(text, start, found.end(), marks)
        if _counts(text, found.group(), found.start(), end):
            ends.append(end)
            start = end
    parts = ((first, text[first:last]) for first, last in pairwise([0, *ends, len(text)]))
    return [
        (first + len(part) - len(part.lstrip()), first + len(part.rstrip()))
        for first, part in parts
        if part.strip()
    ]


def _closed(text: str, start: int, end: int, marks: Mapping[str, Sequence[int]]) -> int:
    """The end of the closing quotes and brackets at ``end``. ``start`` is that of the sentence,
    ``marks`` are the places of each mark of ``_EITHER``."""
    while end < len(text):
        mark = text[end]
        if mark in _EITHER:
            # A straight quote closes one that is open; before a blank it cannot open one.
            open_ = (bisect_left(marks[mark], end) - bisect_left(marks[mark], start)) % 2 == 1
            closes = open_ or not text[end + 1 : end + 2].strip()
        else:
            closes = mark in _CLOSING
        if not closes:
            break
        end += 1
    return end


def _counts(text: str, ender: str, at: int, end: int) -> bool:
    """Whether the mark ``ender`` at ``at`` ends a sentence. ``end`` is behind it and its closing
    quotes and brackets."""
    following = text[end : end + 1]
    if ender == "\n" or not ender.isascii() or not following.strip():
        dotted = ender == "." and re.search(r"\b[A-Za-z]\.[A-Za-z]$", text[max(0, at - 4) : at])
        following_word = _VISIBLE.search(text, end) if dotted else None
        return following_word is None or following_word.group().isupper()
    return "." not in ender and not (following.isascii() and following.isalnum())
