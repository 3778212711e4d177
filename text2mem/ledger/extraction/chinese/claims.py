"""From what a clause says of whom to candidates: attribute, values, type and times."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

from text2mem.ledger.candidate import Candidate
from text2mem.ledger.extraction.chinese import attributes, values
from text2mem.ledger.extraction.chinese.attributes import Named
from text2mem.ledger.extraction.chinese.concepts import RELATIONS
from text2mem.ledger.extraction.chinese.piece import Piece
from text2mem.ledger.extraction.chinese.scene import Scene
from text2mem.ledger.extraction.chinese.when import Told


@dataclass(frozen=True, slots=True)
class Claim:
    """A noun and words of a value, as a clause has them. ``sure``: the noun may be unheard of."""

    noun: str
    words: str
    sure: bool = True
    event: str | None = None


@dataclass(frozen=True, slots=True)
class Basis:
    """What the candidates of a clause have in common."""

    scene: Scene
    clause: Piece
    told: Told
    confidence: float


def candidates(claim: Claim, subject: str | None, basis: Basis) -> list[Candidate]:
    """The candidates of a claim; none where its value does not fit or nobody is meant."""
    scene = basis.scene
    named = _attribute(claim, subject, scene)
    if not (claim.sure or named.sure):
        return []
    subject = subject or whose(named, scene)
    owner, _, relation = subject.rpartition("_")
    if named.name == "姓名" and relation in RELATIONS.values():
        return candidates(Claim(relation, claim.words), owner, basis)
    found = values_of(claim.words, named, scene)
    own = values.own_person(claim.words)
    if own is not None and found and named.name not in RELATIONS:
        introduced = Claim(RELATIONS[own[0]], own[1])
        return [
            *candidates(replace(claim, words=own[1]), subject, basis),
            *candidates(introduced, scene.speaker, replace(basis, told=Told(basis.clause))),
        ]
    person = scene.is_person(subject)
    type_ = attributes.type_of(named, person=person)
    start, end = basis.told.since, basis.told.until
    if values.dated(named.declared, named.name) and named.name != "生日":
        start = end = None
    return [
        Candidate(
            subject=subject, attribute=named.name, value=value, type=type_,
            valid_from=start, valid_to=end, confidence=basis.confidence, quote=basis.clause.span,
        )
        for value in found
    ]  # fmt: skip


def values_of(words: str, named: Named, scene: Scene) -> list[Any]:
    """The values that words name; of a list its parts, where an attribute has several."""
    clean = values.cleaned(words)
    said = values.parts(words) if named.many else [clean]
    if named.name in ("姓名", "称呼"):
        said = [re.sub("^姓.{1,2}[,，]?叫", "", one) for one in said]
    read = [values.valued(one, named.declared, named.concept, scene.days) for one in said]
    return [value for value in dict.fromkeys(read) if value is not None]


def whose(named: Named, scene: Scene) -> str:
    """Of whom an attribute is said where the words do not say it."""
    if (holder := scene.holder(named.name)) is not None:
        return holder
    if named.personal:
        return scene.speaker
    of_project = named.concept is not None and named.concept.type == "project"
    if not of_project and not scene.recent_thing():
        return scene.speaker
    return scene.thing() or scene.speaker


def _attribute(claim: Claim, subject: str | None, scene: Scene) -> Named:
    if claim.event is not None:
        return attributes.of_event(scene, claim.noun, subject, claim.event)
    return attributes.attribute(scene, claim.noun, subject)
