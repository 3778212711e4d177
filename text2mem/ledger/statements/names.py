"""Whom and what a statement is about, under the names that the ledger uses."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from text2mem.ir.ports import Embedder
from text2mem.ir.record import Record
from text2mem.ir.words.likeness import dot
from text2mem.ir.words.mentions import ME, is_pronoun, mention
from text2mem.ir.words.naming import is_pattern, name_key
from text2mem.ir.words.segment import HAN
from text2mem.ledger.episode import Episode, speaker
from text2mem.ledger.known import Known
from text2mem.ledger.name_vectors import name_vectors
from text2mem.ledger.statements.contract import Statement

_ALIKE = 0.74
"""From which cosine on two names mean the same: below it "postal address" is an email's."""
_EDGE = 3
"""From how many characters on the edge of a value is as good as the value."""


def stands_within(part: str, whole: str) -> bool:
    """Whether words are part of a value: whole words of it, or its beginning or end, such as
    "Rabbit" of "RabbitMQ" and "156" of a number that ends so.
    """
    one, other = name_key(part), name_key(whole)
    short, long = sorted((one, other), key=len)
    edge = len(short) >= _EDGE and (long.startswith(short) or long.endswith(short))
    return edge or re.search(rf"(?<![^\W_]){re.escape(one)}(?![^\W_])", other) is not None


def told_of(known: Known) -> Iterator[str]:
    """The subjects of the facts of earlier turns, those of the last turn first."""
    facts = (fact for turn in reversed(known.before) for fact in turn.facts)
    return (fact.subject for fact in facts if fact.subject)


def put_in(value: str, old: str, held: Any) -> str:
    """The held value with its digits replaced: "68" for "86" in "third floor, C 86"."""
    if not (value.isdecimal() and old.isdecimal() and isinstance(held, str)) or held == old:
        return value
    found = [*re.finditer(rf"(?<!\d){old}(?!\d)|{old}$", held)]
    return held[: found[0].start()] + value + held[found[0].end() :] if len(found) == 1 else value


@dataclass
class Names:
    """Finds the names of the ledger for what one turn says."""

    episode: Episode
    known: Known
    embedder: Embedder | None = None

    @cached_property
    def speaker(self) -> str:
        """Who says "I", folded."""
        return speaker(self.episode)

    def subject(self, words: str) -> str:
        """The subject that words name: who speaks, somebody known, a relative, a thing.

        A relative whose name is known goes by it, and a pronoun by whom the talk was last about.
        """
        if is_pronoun(words) and self.last is not None:
            return self.last
        said = mention(words)
        if name_key(said.noun) in (ME, self.speaker):
            return self.speaker
        noun = name_key(said.noun)
        if said.owner is None:
            return noun if noun in self._subjects else self._longer(noun) or noun
        owner = self.speaker if said.owner == ME else self.subject(said.owner)
        for fact in self.known.facts(subject=owner, attribute=noun):
            if isinstance(fact.value, str):
                return name_key(fact.value)
        return f"{owner}_{noun}"

    @cached_property
    def last(self) -> str | None:
        """The subject of the latest fact of earlier turns, other than the speaker."""
        return next((subject for subject in told_of(self.known) if subject != self.speaker), None)

    def attribute(self, words: str, subject: str) -> str:
        """The attribute that a noun phrase names: in use or declared, else the phrase itself."""
        name = name_key(words)
        held = {name_key(r.attribute) for r in self.known.facts(subject=subject) if r.attribute}
        for names in (held, self._declared, self._used):
            if name in names:
                return name
        for names in (held, self._declared):
            alike = self._alike(name, sorted(names))
            if alike is not None:
                return alike
        return name

    def held(self, subject: str, attribute: str, old: str) -> Record | None:
        """The fact that a correction or a retraction means, the latest of those that fit.

        It may wait for a yes. It may be another subject's, where nothing of this one fits and one
        subject's alone does.
        """
        for facts in (self.of(subject), self.every):
            whole = [r for r in facts if old and name_key(str(r.value)) == name_key(old)]
            named = [r for r in facts if name_key(r.attribute or "") == name_key(attribute)]
            partly = [r for r in named if old and stands_within(old, str(r.value))]
            for fitting in (whole, partly, named):
                if len({record.subject for record in fitting}) == 1:
                    return fitting[0]
        return None

    def of(self, subject: str) -> Sequence[Record]:
        """The facts of a subject: those that hold, then those that wait."""
        waiting = [record for record in self._waiting if record.subject == subject]
        return (*self.known.facts(subject=subject), *waiting)

    @cached_property
    def every(self) -> Sequence[Record]:
        """The facts of all subjects: those that hold, then those that wait."""
        return (*self.known.facts(), *self._waiting)

    def part(self, noun: str, attribute: str) -> tuple[str, str] | None:
        """Whose attribute it is, and which, that a subject and an attribute name together.

        "The hearing", "date" may be the ``hearing_date`` of a case: where the noun is no subject,
        and the two together, or the noun alone that is the attribute's name, too, are an attribute
        that one subject has, or that is declared. A declared one that nobody has is of whom or
        what is talked of.
        """
        noun, attribute = name_key(noun), name_key(attribute)
        if noun in (ME, self.speaker) or is_pronoun(noun) or noun in self._subjects:
            return None
        begins = noun if HAN.search(noun) else f"{noun}_"
        names = [f"{noun}_{attribute}", f"{noun}{attribute}"]
        if noun != attribute and attribute.startswith(begins):
            names.insert(0, attribute)
        elif noun == attribute:
            names = [attribute]
        for name in names:
            subjects = {r.subject for r in self.every if name_key(r.attribute or "") == name}
            if len(subjects) == 1:
                return subjects.pop() or noun, name
        topic = self.topic
        declared = next((name for name in names if name in self._declared), None)
        if noun == attribute or declared is None or topic is None:
            return None
        return topic, declared

    @cached_property
    def topic(self) -> str | None:
        """The subject that the talk is about: of the last turns, else of the newest facts."""
        told = (record.subject for record in self.known.facts())
        return self.last or next((s for s in told if s and s != self.speaker), None)

    def _longer(self, noun: str) -> str | None:
        """The one subject whose name ends with these words: "the open day", "depot open day".

        One that begins with them may be something of theirs: ``lena_car``.
        """
        found = [name for name in self._subjects if name.endswith(f"_{noun}")]
        return found[0] if len(found) == 1 else None

    @cached_property
    def _subjects(self) -> Sequence[str]:
        return tuple(map(name_key, self.known.subjects()))

    @cached_property
    def _waiting(self) -> Sequence[Record]:
        return self.known.waiting()

    @cached_property
    def _declared(self) -> frozenset[str]:
        names = self.known.registry.attributes
        return frozenset(name_key(name) for name in names if not is_pattern(name))

    @cached_property
    def _used(self) -> frozenset[str]:
        return frozenset(map(name_key, self.known.attributes()))

    def _alike(self, name: str, names: Sequence[str]) -> str | None:
        vectors = name_vectors(self.embedder, [name, *names]) if names else None
        if vectors is None:
            return None
        own, *others = vectors
        found = [(dot(own, other), each) for other, each in zip(others, names, strict=True)]
        best, nearest = max(found)
        return nearest if best >= _ALIKE else None


def meant(statements: Sequence[Statement], names: Names) -> Mapping[str, str]:
    """Whom the speaker means who says two or more old values that one other subject alone has.

    A reader that sees no name may write ``me`` for whom the talk is about ("the first one is
    stopped, and doctor Liao takes over from doctor Zeng"). One old value may be a coincidence.
    """
    found: dict[str, list[str]] = {}
    for statement in statements:
        subject = names.subject(statement.subject)
        if statement.old and subject == names.speaker:
            attribute = names.attribute(statement.attribute, subject)
            record = names.held(subject, attribute, statement.old)
            if record is not None and name_key(str(record.value)) == name_key(statement.old):
                found.setdefault(name_key(statement.subject), []).append(record.subject or subject)
    return {
        words: subjects[0] for words, subjects in found.items()
        if len(subjects) > 1 and len(set(subjects)) == 1
    }  # fmt: skip
