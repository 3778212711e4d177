"""Whom and what a turn can be about: the speaker, what is known, and who was last named."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property

from text2mem.ir.naming import fold
from text2mem.ir.record import Record
from text2mem.ledger.candidate import Known, Turn
from text2mem.ledger.episode import Episode, speaker
from text2mem.ledger.extraction.chinese.concepts import GENDERS, RELATION, RELATIONS, concept_of
from text2mem.ledger.extraction.chinese.when import Days

NOBODY = "user"
"""The subject of a speaker without a name."""
_RELATIVE = re.compile(f"我(?:们|家)?的?(?P<relation>{RELATION})")
_LATIN = re.compile(r"[a-z0-9_.]")
_SHOWN = 64
"""How many attributes in use are looked through for persons."""


class Scene:
    """An episode with what is known before it; it grows with what the clauses name."""

    def __init__(self, episode: Episode, known: Known) -> None:
        self.episode = episode
        self.known = known
        self.days = Days(episode.at, episode.tz)
        self.speaker = speaker(episode)
        self._named: list[str] = []
        self._people: dict[str, str | None] = {self.speaker: None}
        self._facts: dict[tuple[str | None, str | None], Sequence[Record]] = {}

    def facts(self, subject: str | None = None, attribute: str | None = None) -> Sequence[Record]:
        """Facts that hold of a subject, of an attribute or of both, the latest first."""
        key = (subject, attribute)
        if key not in self._facts:
            self._facts[key] = self.known.facts(subject=subject, attribute=attribute)
        return self._facts[key]

    @cached_property
    def before(self) -> Sequence[Turn]:
        """The turns before, the latest last."""
        return self.known.before()

    @cached_property
    def subjects(self) -> dict[str, None]:
        """Every subject that is known, those of this conversation first."""
        heard = [f.subject for turn in reversed(self.before) for f in turn.facts if f.subject]
        return dict.fromkeys([*heard, *self.known.subjects(), *self._persons])

    @cached_property
    def attributes(self) -> dict[str, str]:
        """The attributes in use, by their folded names."""
        return {fold(name): name for name in self.known.attributes()}

    @cached_property
    def declared(self) -> tuple[str, ...]:
        """The attributes that are declared by their own names."""
        return tuple(name for name in self.known.registry.attributes if "*" not in name)

    @cached_property
    def _persons(self) -> dict[str, str | None]:
        """Those whom facts name as relatives, members and the like, with 他 or 她 where known."""
        found: dict[str, str | None] = {}
        for name in list(self.attributes.values())[:_SHOWN]:
            concept = concept_of(name)
            related = RELATIONS.get(name)
            if related or name.endswith("负责人") or (concept is not None and concept.people):
                for fact in self.facts(attribute=name):
                    found[fold(str(fact.value))] = GENDERS.get(related or "")
        return found

    # --- who was named -----------------------------------------------------------------

    def name(self, subject: str, *, person: bool = False, gender: str | None = None) -> None:
        """Note that a clause names a subject."""
        self._named = [each for each in self._named if each != subject] + [subject]
        if person:
            self._people[subject] = gender

    def is_person(self, subject: str) -> bool:
        """Whether a subject is a person, as far as is known."""
        if subject in self._people or subject in self._persons:
            return True
        if subject.rpartition("_")[2] in RELATIONS:
            return True
        concepts = [concept_of(fact.attribute or "") for fact in self.facts(subject)]
        return any(c is not None and c.personal and c.names[0] != "语言" for c in concepts)

    def gender(self, subject: str) -> str | None:
        """他 or 她, where it is known."""
        related = RELATIONS.get(subject.rpartition("_")[2], "")
        own = self._people.get(subject) or self._persons.get(subject)
        return own or GENDERS.get(related)

    def person(self, pronoun: str = "") -> str | None:
        """The person last named, other than the speaker; of 他 and 她 one whom it fits."""
        for subject in self._candidates():
            gender = self.gender(subject)
            fits = gender is None or pronoun not in ("他", "她") or gender == pronoun
            if subject != self.speaker and fits and self.is_person(subject):
                return subject
        return None

    def thing(self) -> str | None:
        """The project or other thing last named; else the only one that is known."""
        for subject in self._candidates():
            if not self.is_person(subject):
                return subject
        rest = [each for each in self.subjects if not self.is_person(each)]
        return rest[0] if len(rest) == 1 else None

    def recent_thing(self) -> bool:
        """Whether this conversation has named a project or another thing."""
        return any(not self.is_person(subject) for subject in self._candidates())

    def _candidates(self) -> Iterator[str]:
        """Subjects as they were last named, in this turn and in those before."""
        yield from reversed(self._named)
        for turn in reversed(self.before):
            yield from self._mentioned(turn)

    def _mentioned(self, turn: Turn) -> list[str]:
        text = key(turn.episode.text)
        places = {subject: text.rfind(subject) for subject in self.subjects}
        for fact in turn.facts:
            for name in (fact.subject, _person_in(fact)):
                if name and places.get(name, -1) < 0:
                    places[name] = 0
        for found in _RELATIVE.finditer(text):
            owner = turn.episode.message.speaker
            subject = f"{fold(owner) if owner else NOBODY}_{RELATIONS[found['relation']]}"
            if subject in self.subjects:
                places[subject] = found.start()
        there = [(place, name) for name, place in places.items() if place >= 0]
        return [name for _, name in sorted(there, reverse=True)]

    def at_start(self, plain: str) -> str | None:
        """The known subject that a text begins with, the longest."""
        text = key(plain)
        return max((s for s in self.subjects if _begins(text, s)), key=len, default=None)

    def within(self, plain: str) -> list[str]:
        """The known subjects that a text names."""
        text = key(plain)
        return [subject for subject in self.subjects if len(subject) > 1 and subject in text]

    def holder(self, attribute: str) -> str | None:
        """The one subject that an attribute is held of; of several the one last named."""
        held = list(dict.fromkeys(f.subject for f in self.facts(attribute=attribute) if f.subject))
        if len(held) <= 1:
            return held[0] if held else None
        return next((each for each in self._candidates() if each in held), None)


def key(plain: str) -> str:
    """A text as folded names stand in it, one character for each of its own."""
    return re.sub(r"[\s\-]", "_", plain.casefold() if plain.isascii() else plain.lower())


def _begins(text: str, subject: str) -> bool:
    """Whether a text begins with a name; a Latin one ends where its word does."""
    if not text.startswith(subject):
        return False
    after = text[len(subject) : len(subject) + 1]
    return not (_LATIN.match(subject[-1]) and after not in ("", "_") and _LATIN.match(after))


def _person_in(fact: Record) -> str | None:
    """The person whom a fact has as its value."""
    concept = concept_of(fact.attribute or "")
    named = fact.attribute in RELATIONS or (fact.attribute or "").endswith("负责人")
    return fold(str(fact.value)) if named or (concept and concept.people) else None
