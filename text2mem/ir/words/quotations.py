"""Find quotations: “…”, "…", '…', ‘…’, 「…」, 『…』, 《…》. Apostrophes are not taken for marks."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

_PAIRS = {"“": '”"', "„": "“”", "「": "」", "『": "』", "《": "》", "〈": "〉", "«": "»"}
"""Opening marks that are always quotation marks, with the marks that may close them."""
_PLAIN = {'"': '"', "＂": "＂", "'": "'", "‘": "’'", "”": "”"}
"""Opening marks that may also be an apostrophe, an inch mark or a closing mark, with the marks that
may close them. The characters around them decide (``_may_open``)."""
_CLOSING = frozenset("".join((*_PAIRS.values(), *_PLAIN.values())))
_ELISIONS = re.compile(r"(?:n|em|til|tis|twas|twill|cause|bout|round|cos|\d\ds?)(?![a-z0-9])")
"""What follows an apostrophe at the beginning of a word: 'em, 'til, '90s."""


@dataclass(frozen=True, slots=True)
class Quotation:
    """A quotation. The span from ``start`` to ``end`` includes its marks."""

    start: int
    end: int
    value: str
    """The words between the marks, without blanks around them."""


def quotations(utterance: str) -> tuple[Quotation, ...]:
    """The outermost quotations that are not blank, in order. An unclosed mark opens none."""
    closers: dict[str, list[int]] = defaultdict(list)
    for place, mark in enumerate(utterance):
        if mark in _CLOSING and _may_close(utterance, place):
            closers[mark].append(place)
    found: list[Quotation] = []
    behind = 0
    for place in range(len(utterance)):
        end = _closed(utterance, place, closers) if place >= behind else None
        if end is not None:
            behind = end + 1
            if value := utterance[place + 1 : end].strip():
                found.append(Quotation(place, behind, value))
    return tuple(found)


def _closed(utterance: str, place: int, closers: Mapping[str, Sequence[int]]) -> int | None:
    """The position of the mark that closes the quotation opening at ``place``, if one does."""
    mark = utterance[place]
    closing = _PAIRS.get(mark) or _PLAIN.get(mark)
    if closing is None or (mark in _PLAIN and not _may_open(utterance, place)):
        return None
    ends = [closers[mark] for mark in closing if mark in closers]
    following = ((each, bisect_right(each, place)) for each in ends)
    return min((each[n] for each, n in following if n < len(each)), default=None)


def _may_open(utterance: str, place: int) -> bool:
    """Whether the mark at ``place`` can open a quotation, by the characters around it."""
    before, after = utterance[place - 1 : place], utterance[place + 1 : place + 2]
    if not after or after.isspace() or _in_word(before):
        return False
    if utterance[place] in "'‘":
        return not _ELISIONS.match(utterance[place + 1 : place + 8].lower())
    return True


def _may_close(utterance: str, place: int) -> bool:
    """Whether the mark at ``place`` can close a quotation, by the characters around it."""
    if utterance[place] in "”“」』》〉»":
        return True
    before, after = utterance[place - 1 : place], utterance[place + 1 : place + 2]
    return bool(before) and not before.isspace() and not _in_word(after)


def _in_word(char: str) -> bool:
    """Whether a character belongs to a Latin word or a number, not to a run of Chinese."""
    return char.isalnum() and char < "\u2e80"
