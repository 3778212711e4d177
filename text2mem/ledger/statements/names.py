"""Find the subject and the attribute of a statement under the names that the ledger uses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from text2mem.ir.ports import Embedder
from text2mem.ir.record import Record
from text2mem.ir.words.likeness import dot
from text2mem.ir.words.mentions import ME, is_pronoun, mention
from text2mem.ir.words.naming import is_pattern, name_key
from text2mem.ir.words.segment import HAN
from text2mem.ledger.episode import Episode, speaker
from text2mem.ledger.known import Known
from text2mem.ledger.statements.contract import Statement
from text2mem.ledger.statements.placing import stands_within
from text2mem.services.embedding.asking import name_vectors

_ALIKE = 0.74
"""The least cosine of two names for the same. Lower, "postal address" would be an email's."""


def told_of(known: Known) -> Iterator[str]:
    """Yield the subjects of the facts that earlier turns state, those of the last turn first."""
    facts = (fact for _, stated in reversed(known.before) for fact in stated)
    return (fact.subject for fact in facts if fact.subject)


def is_value(record: Record, words: str) -> bool:
    """Whether words are the whole value of a fact."""
    return name_key(str(record.value)) == name_key(words)


def is_of(record: Record, attribute: str) -> bool:
    """Whether a fact is of this attribute."""
    return record.line[1] == name_key(attribute)


@dataclass
class Names:
    """Finds the ledger's names for the words of one turn."""

    episode: Episode
    known: Known
    embedder: Embedder | None = None

    @cached_property
    def speaker(self) -> str:
        """The folded name of the speaker."""
        return speaker(self.episode)

    def subject(self, words: str) -> str:
        """The folded subject that words name: the speaker, somebody known, a thing, a relative (by
        name if the ledger has it, else ``<owner>_<relation>``), or, for a pronoun, whom the
        conversation was last about."""
        if is_pronoun(words) and self.last is not None:
            return self.last
        phrase = mention(words)
        noun = name_key(phrase.noun)
        if noun in (ME, self.speaker):
            return self.speaker
        if phrase.owner is None:
            return noun if self.known.knows(noun) else self._longer(noun) or noun
        owner = self.speaker if phrase.owner == ME else self.subject(phrase.owner)
        for fact in self.known.facts(subject=owner, attribute=noun):
            if isinstance(fact.value, str):
                return name_key(fact.value)
        return f"{owner}_{noun}"

    @cached_property
    def last(self) -> str | None:
        """The subject of the latest fact of earlier turns, other than the speaker."""
        return next((subject for subject in told_of(self.known) if subject != self.speaker), None)

    def attribute(self, words: str, subject: str) -> str:
        """The folded attribute that a noun phrase names: one of the subject's, a declared one, or
        one in use, by its name; else one of the first two by vectors; else the phrase itself."""
        name = name_key(words)
        facts = self.known.facts(subject=subject)
        of_subject = {name_key(fact.attribute) for fact in facts if fact.attribute}
        if any(name in names for names in (of_subject, self._declared, self._used)):
            return name
        alike = (self._alike(name, sorted(names)) for names in (of_subject, self._declared))
        return next(filter(None, alike), name)

    def held(
        self, subject: str, attribute: str, old: str, *, corrects: bool, asked: bool = False
    ) -> Record | None:
        """The fact that a correction or a retraction is about, the latest one that fits: by the old
        value as a whole, first of the attribute, then by a part of it and the attribute, then at
        other times (of a retraction before other attributes), then by the attribute alone, unless
        it holds many values and one is named. Pending facts count.

        If none fits, a fact of another subject than the speaker is taken, if only facts of that one
        fit: by the attribute alone only where no value is named. Where the subject is the speaker
        or known, only a correction takes one, by its whole old value; none does where the assistant
        ``asked`` whether the subject has that value, since nobody has said that it does.
        """
        is_many = self.known.registry.attribute(attribute).cardinality == "many"
        others: Sequence[Record] = [r for r in self.every if r.subject != self.speaker]
        if asked:
            others = ()
        elif subject == self.speaker or self.known.knows(subject):
            others = [r for r in self.every if corrects and old and is_value(r, old)]
        for facts in (self.of(subject), others):
            whole = [r for r in facts if old and is_value(r, old)]
            named = [r for r in facts if is_of(r, attribute)]
            same = [r for r in whole if is_of(r, attribute)]
            partly = [r for r in named if old and stands_within(old, str(r.value))]
            versions = self.known.not_now(subject, attribute) if old else ()
            not_now = [r for r in versions if is_value(r, old)]
            in_part = [r for r in versions if stands_within(old, str(r.value))]
            by_value = old and (is_many or facts is others)
            by_name = [] if by_value else named
            then = (whole, partly, not_now) if corrects else (not_now, whole, partly)
            for fitting in (same, *then, in_part, by_name):
                if len({record.subject for record in fitting}) == 1:
                    return fitting[0]
        return None

    def of(self, subject: str) -> Sequence[Record]:
        """The facts of a subject: those that hold, then the pending ones."""
        waiting = [record for record in self._waiting if record.subject == subject]
        return (*self.known.facts(subject=subject), *waiting)

    @cached_property
    def every(self) -> Sequence[Record]:
        """The facts of all subjects: those that hold, then the pending ones."""
        return (*self.known.facts(), *self._waiting)

    def part(self, noun: str, attribute: str) -> tuple[str, str] | None:
        """The subject and the attribute that a statement means whose subject is really a part of an
        attribute's name: "the hearing", "date" may be the ``hearing_date`` of a case. Else None.

        That is so if the noun is no known subject, and noun and attribute together (or the noun, if
        both are the same) name an attribute that exactly one subject has. If none has it, but it is
        declared, the subject is the topic of the conversation.
        """
        noun, attribute = name_key(noun), name_key(attribute)
        if noun in (ME, self.speaker) or is_pronoun(noun) or self.known.knows(noun):
            return None
        begins = noun if HAN.search(noun) else f"{noun}_"
        names = [f"{noun}_{attribute}", f"{noun}{attribute}"]
        if noun != attribute and attribute.startswith(begins):
            names.insert(0, attribute)
        elif noun == attribute:
            names = [attribute]
        for name in names:
            subjects = {r.subject for r in self.every if is_of(r, name)}
            if len(subjects) == 1:
                return subjects.pop() or noun, name
        declared = next((name for name in names if name in self._declared), None)
        if noun == attribute or declared is None or self._topic is None:
            return None
        return self._topic, declared

    @cached_property
    def _topic(self) -> str | None:
        """The subject of the latest turns, else of the newest facts, other than the speaker."""
        newest = (record.subject for record in self.known.facts())
        return self.last or next((s for s in newest if s and s != self.speaker), None)

    def _longer(self, noun: str) -> str | None:
        """The only subject whose name ends with these words: "depot open day" for "the open day".
        One that begins with them may be something else, such as ``lena_car``."""
        names = map(name_key, self.known.subjects())
        longer = [name for name in names if name.endswith(f"_{noun}")]
        return longer[0] if len(longer) == 1 else None

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
        """The name that is nearest by vectors, if its cosine is ``_ALIKE`` or more."""
        vectors = name_vectors(self.embedder, [name, *names]) if names else None
        if vectors is None:
            return None
        likeness = (dot(vectors[0], vector) for vector in vectors[1:])
        best, nearest = max(zip(likeness, names, strict=True))
        return nearest if best >= _ALIKE else None


def meant(statements: Sequence[Statement], names: Names) -> Mapping[str, str]:
    """Subjects to take in place of those that statements name, by their folded words.

    A reader that sees no name may write ``me`` for another subject ("the first one is stopped, and
    doctor Liao takes over from doctor Zeng"). So if statements about the speaker name two or more
    old values (one may be a coincidence) that only one subject has, that subject is meant.
    """
    owners: dict[str, list[str]] = {}
    for statement in statements:
        subject = names.subject(statement.subject)
        if statement.old and subject == names.speaker:
            having = {r.subject or "" for r in names.every if is_value(r, statement.old)}
            if len(having - {subject}) == 1 and subject not in having:
                owners.setdefault(name_key(statement.subject), []).extend(having)
    return {
        words: subjects[0] for words, subjects in owners.items()
        if len(subjects) > 1 and len(set(subjects)) == 1
    }  # fmt: skip
