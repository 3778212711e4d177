"""Words that ask for an attribute: which meanings a text asks for, and which of them a name has."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

from text2mem.ir.naming import fold
from text2mem.ledger.recall.concept import Concept
from text2mem.ledger.recall.concepts import ATTRIBUTES
from text2mem.ledger.recall.relations import RELATIONS

CONCEPTS: tuple[Concept, ...] = (*ATTRIBUTES, *RELATIONS)
_WITHIN = 0.6
"""What a cue within a longer one weighs."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a question asks for by a cue: how surely, from where to where.

    ``number`` is the concept's place among all of them.
    """

    concept: Concept
    weight: float
    start: int
    end: int
    number: int


@dataclass(frozen=True, slots=True)
class Asked:
    """The meanings that a text asks for, and which of them a name has."""

    meanings: tuple[Meaning, ...]

    def of(self, folded: str) -> tuple[float, Meaning] | None:
        """The surest of the meanings that an attribute of this name has, and how surely."""
        shares = _shares(folded)
        found = [
            (shares[place] * one.weight, one)
            for one in self.meanings
            if (place := one.number) in shares
        ]
        return max(found, key=lambda each: each[0], default=None)


def asked(text: str) -> Asked:
    """The concepts whose cues a folded text holds."""
    found: list[Meaning] = []
    for number, concept in enumerate(CONCEPTS):
        for pattern, weight in ((concept.cues, 1.0), (concept.hints, 0.5)):
            match = pattern.search(text) if pattern is not None else None
            if match is not None:
                found.append(Meaning(concept, weight, *match.span(), number))
                break
    return Asked(tuple(_weighed(one, found) for one in found))


def _weighed(one: Meaning, found: list[Meaning]) -> Meaning:
    """A cue within a longer one weighs less: "like" of "does not like".

    Persons may well be named in between: "where does my sister live".
    """
    within = any(
        (other.concept.relation or not one.concept.relation)
        and other.start <= one.start and one.end <= other.end
        and other.end - other.start > one.end - one.start
        and other.weight >= one.weight
        for other in found
    )  # fmt: skip
    return replace(one, weight=one.weight * _WITHIN) if within else one


@lru_cache(maxsize=4096)
def _shares(folded: str) -> dict[int, float]:
    """How far an attribute of a folded name has the meaning of each concept, by its number."""
    found = {}
    for number, concept in enumerate(CONCEPTS):
        share = _shared(folded, concept)
        if share:
            found[number] = share
    return found


def _shared(folded: str, concept: Concept) -> float:
    """One for its usual name, a little less for its other ones, and for names that end with one."""
    names = [fold(name) for name in concept.names]
    for place, name in enumerate(names):
        if folded == name:
            return 1.0 - 0.01 * place
    for place, name in enumerate(names):
        if folded.endswith(f"_{name}") or (not name.isascii() and folded.endswith(name)):
            return 0.9 - 0.01 * place
    return 0.0
