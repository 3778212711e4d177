"""Linking: which stretches of an utterance name something that the store has.

A name is found whatever its case, its plural, -ing or -ed, and however its words are joined
(``incident_report`` by "Incident reports"); a Chinese one as a substring. Names of stop words alone
("notes", "记录") are never found.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from text2mem.ir.ports import Vocabulary
from text2mem.planner.grounding.generic import STOP, WEAK
from text2mem.planner.grounding.words import (
    fold,
    is_han,
    is_stop,
    is_weak,
    pieces,
    singulars,
    stem,
)

Field = Literal["has_tags", "type", "subject", "location", "topic", "attribute", "facets"]
EXACT, PLURAL, INFLECTED, PARTIAL = 1.0, 0.9, 0.8, 0.5
"""Scores of a name that stands there as it is; in another number or joined otherwise; otherwise
inflected, or with its words apart; in part, times the share of its words that is there."""
WEAK_NAME = 0.7
"""What the score of a name of weak words alone is multiplied by."""
LEAST_PART = 0.5
_LEAST_HAN = 2


@dataclass(frozen=True, slots=True)
class Link:
    """A stretch of the utterance, ``words`` from ``start`` to ``end``, that names something.

    ``value`` is what is named; of facets it is the key and ``extra`` the value's text. ``score`` is
    in (0, 1], 1 for a name that stands there as it is.
    """

    field: Field
    value: str
    extra: str
    start: int
    end: int
    words: str
    score: float

    @property
    def whole(self) -> bool:
        """Whether every word of the name is there."""
        return self.score > PARTIAL


@dataclass(frozen=True, slots=True)
class _Atom:
    """A Latin word or a Chinese character, by what it compares."""

    start: int
    end: int
    key: str


Span = tuple[int, int]
"""The first and the last of some atoms in a row."""


def link(utterance: str, vocabulary: Vocabulary) -> tuple[Link, ...]:
    """What the utterance names, by place, the longest and surest first.

    Of the same field, a name inside a longer one that is wholly there is not meant.
    """
    atoms = _atoms(utterance)
    there = frozenset(atom.key for atom in atoms)
    found = [
        link
        for field, value, extra, name in _names(vocabulary)
        if not there.isdisjoint(_keys(name))
        and (link := _named(utterance, atoms, (field, value, extra), name)) is not None
    ]
    kept = [link for link in found if not any(_swallows(other, link) for other in found)]
    return tuple(sorted(kept, key=lambda x: (x.start, x.start - x.end, -x.score, x.field, x.value)))


def _swallows(other: Link, link: Link) -> bool:
    inside = other.start <= link.start and link.end <= other.end
    longer = other.end - other.start > link.end - link.start
    return other.field == link.field and inside and other.whole and (longer or not link.whole)


def _names(vocabulary: Vocabulary) -> Iterator[tuple[Field, str, str, str]]:
    """Field, value, extra and what would have to be said, of all that can be named."""
    kinds: tuple[tuple[Field, tuple[str, ...]], ...] = (
        ("has_tags", vocabulary.tags),
        ("type", vocabulary.types),
        ("subject", vocabulary.subjects),
        ("location", vocabulary.locations),
        ("topic", vocabulary.topics),
        ("attribute", vocabulary.attributes),
    )
    for field, values in kinds:
        for value in values:
            yield field, value, "", value
    for key, value in vocabulary.facets:
        yield "facets", key, value, value


def _named(
    utterance: str, atoms: Sequence[_Atom], what: tuple[Field, str, str], name: str
) -> Link | None:
    keys = _keys(name)
    if all(is_stop(piece) for piece in _folded(name)):
        return None
    span, score = _run(atoms, keys), EXACT
    if span is None:
        span, score = _apart(atoms, keys)
    if span is None:
        return None
    start, end = atoms[span[0]].start, atoms[span[1]].end
    said = utterance[start:end]
    if score == EXACT and said.casefold() != name.casefold():
        score = PLURAL if singulars(said) == singulars(name.replace("_", " ")) else INFLECTED
    if all(
        is_weak(piece) or is_stop(piece) for piece in _folded(name if score > PARTIAL else said)
    ):
        score *= WEAK_NAME
    return Link(*what, start, end, said, round(score, 3))


def _run(atoms: Sequence[_Atom], keys: Sequence[str]) -> Span | None:
    """Where the keys stand in a row."""
    size = len(keys)
    for at in range(len(atoms) - size + 1):
        if all(atoms[at + i].key == keys[i] for i in range(size)):
            return at, at + size - 1
    return None


def _apart(atoms: Sequence[_Atom], keys: Sequence[str]) -> tuple[Span | None, float]:
    """All words of a name apart from each other, or its longest part, and the score of that."""
    if not any(map(is_han, keys)):
        places = {atom.key: place for place, atom in reversed(list(enumerate(atoms)))}
        held = [places[key] for key in keys if key in places]
        if len(held) == len(keys):
            return (min(held), max(held)), INFLECTED
    for size in range(len(keys) - 1, 0, -1):
        if size < LEAST_PART * len(keys):
            break
        for first in range(len(keys) - size + 1):
            part = keys[first : first + size]
            span = _run(atoms, part)
            if span is not None and _tells(part):
                return span, PARTIAL * size / len(keys)
    return None, 0.0


def _tells(part: Sequence[str]) -> bool:
    """Whether a part of a name brings it to mind: two characters, or a word that is not weak."""
    if is_han(part[0]):
        text = "".join(part)
        return len(part) >= _LEAST_HAN and not is_stop(text) and not is_weak(text)
    return not all(key in _GENERIC for key in part)


@lru_cache(maxsize=1 << 13)
def _keys(name: str) -> tuple[str, ...]:
    return tuple(atom.key for atom in _atoms(name))


def _folded(name: str) -> list[str]:
    return [piece if is_han(piece) else fold(piece) for _, piece in pieces(name)]


def _atoms(text: str) -> list[_Atom]:
    found: list[_Atom] = []
    for start, piece in pieces(text):
        if is_han(piece):
            found.extend(_Atom(start + i, start + i + 1, char) for i, char in enumerate(piece))
        else:
            found.append(_Atom(start, start + len(piece), stem(fold(piece))))
    return found


_GENERIC = frozenset(map(stem, STOP | WEAK))
