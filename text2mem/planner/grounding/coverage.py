"""How much of a phrase a memory covers: the share of the weight of its words that it holds.

A word weighs by its rarity in the store (inverse document frequency). A Latin word is held in any
of its forms; a Chinese character is held together with a neighbour, which spares a dictionary.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log

from text2mem.ir.record import Record
from text2mem.ir.values import as_text
from text2mem.planner.grounding.words import Word, stems

PRIOR = 30
"""Memories without any of the words that are imagined beside those of the store: in a store of
three, a word that all three hold is not common yet."""
WEAK = 0.3
UNSEEN_WEAK = 0.15
"""What a weak word beside a strong one weighs, where some memory holds it, and where none does."""
HAN = 0.5
"""What a Chinese character weighs: two of them are a word."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """The share of the phrase that each memory covers, from 0 to 1, by id.

    ``slight``: the phrase is nothing but a Chinese character or so, which stands in many words.
    """

    shares: Mapping[str, float]
    slight: bool

    @property
    def best(self) -> float:
        """The greatest share; 0 where there is no memory."""
        return max(self.shares.values(), default=0.0)


@dataclass(frozen=True, slots=True)
class _Unit:
    """What is looked for: a stem, or the pairs of neighbours that a Chinese character stands in."""

    forms: tuple[str, ...]
    han: bool
    weak: bool

    def held(self, text: str, words: frozenset[str]) -> bool:
        return any(form in (text if self.han else words) for form in self.forms)


def coverage(words: Sequence[Word], rows: Sequence[Record], total: int) -> Coverage:
    """What of the words each row covers, in a store of ``total`` memories.

    ``rows`` are all that may hold any of the words. A word that none holds weighs as much as one
    that a single memory holds. Where the words have a strong one among them, a memory without any
    strong one covers nothing.
    """
    units = [unit for word in words for unit in _units(word)]
    strong = any(not unit.weak for unit in units)
    held = {row.id: _held(units, row) for row in rows}
    weights = []
    for place, unit in enumerate(units):
        count = sum(flags[place] for flags in held.values())
        rarity = log(1 + (total + PRIOR - max(count, 1) + 0.5) / (max(count, 1) + 0.5))
        factor = (WEAK if count else UNSEEN_WEAK) if unit.weak and strong else 1.0
        weights.append(rarity * factor * (HAN if unit.han else 1.0))
    whole = sum(weights)
    shares = {}
    for id_, flags in held.items():
        there = [unit for unit, flag in zip(units, flags, strict=True) if flag]
        counts = any(not unit.weak for unit in there) if strong else bool(there)
        part = sum(weight for weight, flag in zip(weights, flags, strict=True) if flag)
        shares[id_] = part / whole if counts else 0.0
    return Coverage(shares, all(len(word.text) == 1 and word.han for word in words))


def haystack(row: Record) -> str:
    """Everything by which a memory can be meant, in lower case; of a long text, the beginning.

    That is what a search finds it by, and its facets, its attribute, what else its payload says.
    """
    said = [
        value for key, value in row.payload.items() if isinstance(value, str) and key not in _TEXT
    ]
    facets = [as_text(value) for value in row.facets.values() if value is not None]
    fields = (row.type, row.subject, row.location, row.topic, row.source, row.attribute)
    named = [value for value in fields if value is not None]
    text = " ".join([*named, *row.tags, *facets, *said, row.text[:_READ]])
    return text.casefold().replace("_", " ")


_TEXT = frozenset({"text", "url"})
_READ = 10_000
"""How many characters of a text are looked at."""


def _held(units: Sequence[_Unit], row: Record) -> list[bool]:
    text = haystack(row)
    words = frozenset(stems(text))
    return [unit.held(text, words) for unit in units]


def _units(word: Word) -> list[_Unit]:
    text = word.text.casefold()
    if not word.han:
        return [_Unit((word.stem,), False, word.weak)]
    if len(text) == 1:
        return [_Unit((text,), True, word.weak)]
    return [
        _Unit(
            tuple(text[i : i + 2] for i in (at - 1, at) if 0 <= i < len(text) - 1), True, word.weak
        )
        for at in range(len(text))
    ]
