"""Linking: which stretches of an utterance name something that the store has.

A name is found whatever its case, its plural, -ing or -ed, and however its words are joined
(``incident_report`` by "Incident reports"); a Chinese one as a substring. Names of stop words alone
("notes", "记录") are never found.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from text2mem.ir.ports import Vocabulary
from text2mem.planner.grounding.generic import STOP, STOP_ZH, WEAK, WEAK_ZH
from text2mem.planner.grounding.words import fold, is_han, pieces, singulars, stem

Field = Literal["has_tags", "type", "subject", "location", "topic", "attribute", "facets"]
EXACT, INFLECTED, SCATTERED, PARTIAL = 1.0, 0.9, 0.8, 0.5
"""Scores of a name that stands there as it is, inflected or joined otherwise, with its words apart;
a part of a name scores its share of ``PARTIAL``. A name of weak words alone scores ``WEAK_SHARE``
of that."""
WEAK_SHARE = 0.7
LEAST_PART = 0.5
_LEAST_HAN = 2


@dataclass(frozen=True, slots=True)
class Link:
    """A stretch of the utterance, ``words`` from ``start`` to ``end``, that names something.

    ``value`` is what is named; of facets it is the key and ``extra`` the value. ``score`` is in
    (0, 1], 1 for a name that stands there as it is.
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


def link(utterance: str, vocabulary: Vocabulary) -> tuple[Link, ...]:
    """What the utterance names, by place, the longest and surest first.

    Of the same field, a name inside a longer one that is wholly there is not meant.
    """
    atoms = _atoms(utterance)
    there = {atom.key for atom in atoms}
    found = [
        link
        for field, value, extra, name in _names(vocabulary)
        if (link := _named(utterance, atoms, there, field, value, extra, name)) is not None
    ]
    kept = [link for link in found if not any(_swallows(other, link) for other in found)]
    return tuple(sorted(kept, key=lambda x: (x.start, x.start - x.end, -x.score, x.field, x.value)))


def _swallows(other: Link, link: Link) -> bool:
    inside = other.start <= link.start and link.end <= other.end
    longer = other.end - other.start > link.end - link.start
    surer = other.whole and not link.whole
    return other.field == link.field and inside and other.whole and (longer or surer)


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
    utterance: str, atoms: Sequence[_Atom], there: set[str],
    field: Field, value: str, extra: str, name: str,
) -> Link | None:  # fmt: skip
    wanted = [atom.key for atom in _atoms(name)]
    if not wanted or there.isdisjoint(wanted) or _says_nothing(name):
        return None
    span, score = _run(atoms, wanted), EXACT
    if span is not None:
        said = utterance[atoms[span[0]].start : atoms[span[1]].end]
        score = EXACT if said.casefold() == name.casefold() else INFLECTED
        if score < EXACT and singulars(said) != singulars(name):
            score = SCATTERED
    else:
        span, score = _part(atoms, wanted)
    if span is None:
        return None
    start, end = atoms[span[0]].start, atoms[span[1]].end
    said = utterance[start:end]
    if _weak(said if score <= PARTIAL else name):
        score *= WEAK_SHARE
    return Link(field, value, extra, start, end, said, round(score, 3))


def _run(atoms: Sequence[_Atom], wanted: Sequence[str]) -> tuple[int, int] | None:
    """Where the atoms of a name stand in a row, as first and last place."""
    size = len(wanted)
    for at in range(len(atoms) - size + 1):
        if all(atoms[at + i].key == wanted[i] for i in range(size)):
            return at, at + size - 1
    return None


def _part(atoms: Sequence[_Atom], wanted: Sequence[str]) -> tuple[tuple[int, int] | None, float]:
    """All words of a name apart from each other, or its longest part, and the score of that."""
    if not any(is_han(key) for key in wanted):
        places = {atom.key: place for place, atom in reversed(list(enumerate(atoms)))}
        held = [places[key] for key in wanted if key in places]
        if len(held) == len(wanted):
            return (min(held), max(held)), SCATTERED
    size = len(wanted) - 1
    while size and size >= LEAST_PART * len(wanted):
        for first in range(len(wanted) - size + 1):
            part = wanted[first : first + size]
            span = _run(atoms, part)
            if span is not None and _tells(part):
                return span, PARTIAL * size / len(wanted)
        size -= 1
    return None, 0.0


def _tells(part: Sequence[str]) -> bool:
    """Whether a part of a name is enough to think of it: two characters, a word that is not weak."""
    if is_han(part[0]):
        text = "".join(part)
        return len(part) >= _LEAST_HAN and text not in STOP_ZH and text not in WEAK_ZH
    return any(key not in _STEMS_STOP and key not in _STEMS_WEAK for key in part)


def _says_nothing(name: str) -> bool:
    return all(
        piece in STOP_ZH or fold(piece) in STOP for _, piece in pieces(name.replace("_", " "))
    )


def _weak(name: str) -> bool:
    return all(
        piece in WEAK_ZH
        or piece in STOP_ZH
        or stem(fold(piece)) in _STEMS_WEAK
        or fold(piece) in STOP
        for _, piece in pieces(name.replace("_", " "))
    )


def _atoms(text: str) -> list[_Atom]:
    found: list[_Atom] = []
    for start, piece in pieces(text):
        if is_han(piece):
            found.extend(_Atom(start + i, start + i + 1, char) for i, char in enumerate(piece))
        else:
            found.append(_Atom(start, start + len(piece), stem(fold(piece))))
    return found


_STEMS_STOP = frozenset(map(stem, STOP))
_STEMS_WEAK = frozenset(map(stem, WEAK))
