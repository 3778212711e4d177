"""Find quotations: “…”, "…", '…', ‘…’, 「…」, 『…』, 《…》. Apostrophes are not taken for marks."""

from __future__ import annotations

import re
from dataclasses import dataclass

_PAIRS = {"“": '”"', "„": "“”", "「": "」", "『": "』", "《": "》", "〈": "〉", "«": "»"}
"""Opening marks that are always quotation marks, with the marks that may close them."""
_PLAIN = {'"': '"', "＂": "＂", "'": "'", "‘": "’'", "”": "”"}
"""Opening marks that may also be an apostrophe, an inch mark or a closing mark, with the marks that
may close them. The characters around them decide (``_may_open``)."""
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
    """The outermost quotations of a text that are not blank, in order. A mark that is not closed
    opens none."""
    closers = _next_closers(utterance)
    found: list[Quotation] = []
    place, length = 0, len(utterance)
    while place < length:
        end = _closed(utterance, place, closers)
        if end is None:
            place += 1
            continue
        value = utterance[place + 1 : end].strip()
        if value:
            found.append(Quotation(place, end + 1, value))
        place = end + 1
    return tuple(found)


def _next_closers(utterance: str) -> dict[str, list[int]]:
    """For every closing mark in the text, a list with the position, at or after each position, at
    which the mark next closes a quotation; -1 if there is none."""
    marks = {mark for closing in (*_PAIRS.values(), *_PLAIN.values()) for mark in closing}
    tables: dict[str, list[int]] = {}
    for mark in marks.intersection(utterance):
        table = [-1] * (len(utterance) + 1)
        for place in range(len(utterance) - 1, -1, -1):
            closes = utterance[place] == mark and _may_close(utterance, place)
            table[place] = place if closes else table[place + 1]
        tables[mark] = table
    return tables


def _closed(utterance: str, place: int, closers: dict[str, list[int]]) -> int | None:
    """The position of the closing mark of the quotation that opens at ``place``; None if none opens
    there."""
    mark = utterance[place]
    closing = _PAIRS.get(mark) or _PLAIN.get(mark)
    if closing is None or (mark in _PLAIN and not _may_open(utterance, place)):
        return None
    ends = (closers[mark][place + 1] for mark in closing if mark in closers)
    return min((end for end in ends if end > place), default=None)


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
    """Whether a character belongs to a Latin word or a number. Chinese characters do not count,
    since Chinese has no blanks between words."""
    return char.isalnum() and char < "\u2e80"
