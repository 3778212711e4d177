"""Make candidates of the statements that a model has read.

Code checks that the words are in the turn, or in the assistant's turn that it answers, finds the
subject, the attribute and the fact that is meant, and computes values, instants and confidences.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from text2mem.ir.ports import Embedder
from text2mem.ir.record import Record
from text2mem.ir.registry import Attribute, Registry
from text2mem.ir.times.written_dates import read_date
from text2mem.ir.values import UnfitValue
from text2mem.ir.words.given import around
from text2mem.ir.words.mentions import ME, denies, is_pronoun, mention, speaks_of_self
from text2mem.ir.words.naming import name_key
from text2mem.ir.words.segment import STOPWORDS, index_terms, query_terms
from text2mem.ledger.candidate import Candidate, Kind
from text2mem.ledger.case import fitted
from text2mem.ledger.episode import Episode
from text2mem.ledger.known import Known
from text2mem.ledger.statements.asking import Said
from text2mem.ledger.statements.contract import ANSWERS, Statement
from text2mem.ledger.statements.names import Names, is_of, is_value, meant
from text2mem.ledger.statements.placing import (
    MARKS,
    Span,
    place,
    place_end,
    put_in,
    stands_within,
    without,
)
from text2mem.ledger.statements.times import Times
from text2mem.messages import listed

_SURE, _UNSURE = 0.8, 0.45
"""The confidence of a statement, and of a doubted one, which waits: the usual floor is 0.5."""
_ASKS = re.compile("[?？]")
_HALF = 2
"""A subject was named if at least one of so many of its words was said."""


def check(
    statements: Sequence[Statement], said: Said, episode: Episode, known: Known,
    embedder: Embedder | None = None,
) -> tuple[tuple[Candidate, ...], int]:  # fmt: skip
    """Make candidates of statements, and count the statements that yield none, mostly because
    nobody said their words. ``episode`` must not contain the texts that the speaker quotes."""
    names = Names(episode, known, embedder)
    maker = _Maker(said, episode, known, names, meant(statements, names), Times(episode))
    candidates: list[Candidate] = []
    unsaid = 0
    for statement in statements:
        made = list(maker.made(statement))
        unsaid += not made and statement.kind not in ANSWERS
        candidates += [candidate for candidate in made if candidate not in candidates]
    return tuple(_together(candidates, known.registry, episode.text)), unsaid


def _together(
    candidates: Sequence[Candidate], registry: Registry, text: str
) -> Iterator[Candidate]:
    """Yield the candidates, with one for all values that a turn states of an attribute that is not
    declared, as a list: it holds one value, and each would take the place of the one before it."""
    groups: dict[tuple[object, ...], list[Candidate]] = {}
    for number, each in enumerate(candidates):
        joins = each.kind == "state" and isinstance(each.value, str)
        alone = not joins or registry.attribute(each.attribute).declared
        key = (each.subject, each.attribute, each.valid_from, each.valid_to, each.confidence)
        groups.setdefault((number,) if alone else key, []).append(each)
    for first, *more in groups.values():
        values = [str(each.value) for each in (first, *more)]
        spans = [each.quote for each in (first, *more)]
        quote = min(start for start, _ in spans), max(end for _, end in spans)
        yield replace(first, value=listed(values, text), quote=quote) if more else first


@dataclass(frozen=True, slots=True)
class _Filed:
    """A statement's subject and attribute under the names of the ledger."""

    subject: str
    attribute: Attribute
    held: Record | None
    """The fact that it corrects, ends or replaces, if any."""


@dataclass
class _Maker:
    said: Said
    episode: Episode
    known: Known
    names: Names
    meant: Mapping[str, str]
    """Subjects in place of those that statements name (``names.meant``)."""
    times: Times
    corrected: set[tuple[str, str]] = field(default_factory=set)
    """The subjects and attributes of which the turn has corrected a value."""

    def made(self, statement: Statement) -> Iterator[Candidate]:
        """Yield the candidates of one statement; none if its words were not said."""
        if statement.kind in ANSWERS:
            yield from self._answers("confirm" if statement.kind == "confirm" else "reject")
            return
        quote = self._quote(statement)
        if quote is None or not self._named(statement.subject):
            return
        filed = self._filed(statement)
        if statement.says and self.names.subject(statement.says) != self.names.speaker:
            subject = self._subject_of_same(filed, statement.value)
            if subject is None:
                return  # somebody else's word counts only for a fact that is held or waits
            filed = replace(filed, subject=subject)
        yield from self._candidates(statement, filed, quote)

    def _filed(self, statement: Statement) -> _Filed:
        """Find the subject and attribute of a statement, and the fact that it is about."""
        subject = self.names.subject(statement.subject)
        attribute = self.names.attribute(statement.attribute, subject)
        other = self.meant.get(name_key(statement.subject))
        if other is not None:
            name = self.names.attribute(statement.attribute, other)
            for record in self.names.of(other):
                same_value = statement.old and is_value(record, statement.old)
                if same_value or is_of(record, name):
                    subject, attribute = other, record.attribute or name
                    break
        part = self.names.part(mention(statement.subject).noun, statement.attribute)
        if part is not None:
            subject, attribute = part
        if subject == f"{self.names.speaker}_{attribute}":
            subject = self.names.speaker  # "my phone" with "phone" is the speaker's phone
        old = statement.old or ("" if statement.kind == "correct" else statement.value)
        held = None
        if statement.kind:
            corrects, asked = statement.kind == "correct", self._asked(statement.subject, old)
            held = self.names.held(subject, attribute, old, corrects=corrects, asked=asked)
        elif statement.old:
            held = self._replaced(subject, attribute, statement.old)
        if held is not None and held.attribute:
            subject, attribute = held.subject or subject, held.attribute
        return _Filed(subject, self.known.registry.attribute(attribute), held)

    def _asked(self, subject: str, old: str) -> bool:
        """Whether the assistant's turn that this one answers asks, in one sentence, whether a known
        subject has a value."""
        by, answered = self.said.before[-1] if self.said.before else ("", "")
        found = place(answered, old) if by == "assistant" and old else None
        if found is None or not self.known.knows(self.names.subject(subject)):
            return False
        start, end = around(answered, found)
        sentence = answered[start : end + 1]
        return place(sentence, subject) is not None and bool(_ASKS.search(sentence))

    def _line(self, subject: str, attribute: str) -> list[Record]:
        """The facts of a subject and an attribute, held and pending."""
        return [r for r in self.names.of(subject) if is_of(r, attribute)]

    def _replaced(self, subject: str, attribute: str, old: str) -> Record | None:
        """The fact of a subject and an attribute whose value is the old one, or contains it."""
        value, registry = self._value(attribute, old), self.known.registry
        with suppress(UnfitValue):
            value = registry.normalise(registry.attribute(attribute), value)
        line = self._line(subject, attribute)
        whole = [record for record in line if record.value == value]
        parts = [record for record in line if stands_within(old, str(record.value))]
        return next(iter(whole or parts), None)

    def _single(self, filed: _Filed) -> bool:
        """Whether one value of a subject and an attribute is held, waits, or has yet to begin."""
        subject, attribute = filed.subject, filed.attribute.name
        ahead = (r for r in self.known.not_now(subject, attribute) if r.begins > self.episode.at)
        return len({str(record.value) for record in (*self._line(subject, attribute), *ahead)}) == 1

    def _timed(self, statement: Statement, filed: _Filed) -> Record | None:
        """The version of which a correction or an end tells a time: the only one, whenever it
        holds, with these words in its value."""
        corrected = statement.when and statement.kind == "correct"
        if statement.old or statement.kind == "retract" or not (statement.until or corrected):
            return None
        subject, attribute = filed.subject, filed.attribute.name
        line = [*self._line(subject, attribute), *self.known.not_now(subject, attribute)]
        found = [record for record in line if place(str(record.value), statement.value)]
        return found[0] if len({str(record.value) for record in found}) == 1 else None

    def _subject_of_same(self, filed: _Filed, value: str) -> str | None:
        """The subject of which this value is held already: the filed one, or the only other one."""
        name = filed.attribute.name
        words = str(self._value(name, value))
        having = [r for r in self.names.every if is_of(r, name) and is_value(r, words)]
        subjects = {record.subject for record in having}
        if filed.subject in subjects:
            return filed.subject
        return subjects.pop() if len(subjects) == 1 else None

    def _candidates(self, statement: Statement, filed: _Filed, quote: Span) -> Iterator[Candidate]:
        """Yield the candidate of a statement whose words were said, after one that states what was
        so before, if nobody had told that. There is none if the value does not fit."""
        attribute, held, timed = filed.attribute, filed.held, self._timed(statement, filed)
        replaces = self._value(attribute.name, statement.old) if statement.old else None
        if replaces is not None and held is not None:
            replaces = held.value
        kind: Kind = "retract" if statement.kind == "retract" else "state"
        if statement.kind == "correct" and not statement.doubted:
            kind = "correct"  # a doubted one is a state, which waits beside the fact in question
        value: Any = None
        if kind == "retract" and held is not None:
            named = statement.value or statement.old
            value = without(held.value, named)
            if value is not None:  # of a list one item goes, and the others stay
                kind, replaces = "correct" if held.pending else "state", held.value
            elif named or (attribute.cardinality == "one" and self._single(filed)):
                value = held.value
        elif statement.value:
            value = self._value(attribute.name, statement.value, held)
            if timed is not None and not statement.when:
                value = timed.value
            elif isinstance(value, str) and held is not None and statement.old:
                value = put_in(value, statement.old, held.value)
        if value is not None and name_key(str(value)) in (filed.subject, name_key(attribute.name)):
            return  # a value that only repeats the subject or the attribute states nothing
        try:
            if value is not None:
                value = fitted(attribute, value)
                self.known.registry.normalise(attribute, value)
        except UnfitValue:
            return
        begins, ends, latest = self.times.of(statement, timed if statement.kind else None)
        line = filed.subject, attribute.name
        if kind == "correct" and line in self.corrected and ends and ends <= self.episode.at:
            kind = "state"  # what was so, beside what this turn has just put right
        if kind == "correct":
            self.corrected.add(line)
        candidate = Candidate(
            subject=filed.subject, attribute=attribute.name, value=value, kind=kind,
            valid_from=begins, valid_to=ends, latest=latest, quote=quote, by="model",
            confidence=_UNSURE if statement.doubted else _SURE, replaces=replaces,
        )  # fmt: skip
        until = replace(candidate, valid_from=None, valid_to=begins, replaces=None)
        if kind == "retract":  # the time of a retraction is its end: "I left on 1 May"
            candidate = replace(until, valid_to=begins or ends)
        if kind == "state" and statement.old and begins is not None:
            # Who has moved from Bergen "in January" lived there before, whenever it was told.
            told_later = held is not None and (latest or begins) < held.begins
            versions = self.known.not_now(filed.subject, attribute.name)
            untold = not self._line(filed.subject, attribute.name) and not any(
                is_value(record, statement.old) for record in versions
            )
            if untold or (told_later and not statement.doubted):
                yield replace(until, value=replaces)
        yield candidate

    def _answers(self, kind: Kind) -> Iterator[Candidate]:
        """Yield the yes or no to the pending facts whose value is in the assistant's last turn,
        else, if there is such a turn, to the only one."""
        waiting = self.known.waiting()
        question = next((text for by, text in reversed(self.said.before) if by == "assistant"), "")
        in_question = [r for r in waiting if place(question, str(r.value)) is not None]
        only = waiting if question and len(waiting) == 1 else []
        for record in in_question or only:
            yield Candidate(
                subject=record.subject or "", attribute=record.attribute or "",
                value=record.value, kind=kind, quote=(0, len(self.episode.text)), by="model",
            )  # fmt: skip

    def _quote(self, statement: Statement) -> Span | None:
        """The span of the turn that says the value: the whole turn, if the assistant's turn before
        it does, or, for a retraction, a fact that was shown, or one that waits. None if it was not
        said."""
        text = self.episode.text
        whole = (0, len(text))
        if not statement.value:
            return whole
        span = place(text, statement.value)
        if span is None and mention(statement.value).noun == ME and speaks_of_self(text):
            return whole
        if span is None and statement.kind == "correct" and self._is_held(statement.old):
            span = place_end(text, statement.value, statement.old)
        if span is not None:
            return around(text, span)
        by, answered = self.said.before[-1] if self.said.before else ("", "")
        if by != "assistant":
            answered = ""  # a user's own turn has been read for itself
        held = [value for _, _, value in self.said.facts] if statement.kind == "retract" else []
        was_said = any(place(other, statement.value) is not None for other in (answered, *held))
        return whole if was_said or self._waits(statement) else None

    def _is_held(self, number: str) -> bool:
        """Whether a number is the value of a fact that was shown, however it is written."""
        figures = re.sub(r"\D", "", number)
        return any(re.sub(r"\D", "", value) == figures for _, _, value in self.said.facts)

    def _waits(self, statement: Statement) -> bool:
        """Whether the user tells again, by its attribute and at least half of the words of its
        value, what waits: "the warranty, yes, June" where it is "June this year"."""
        if statement.kind or statement.doubted or self.episode.role != "user":
            return False
        subject = self.names.subject(statement.subject)
        attribute = self.names.attribute(statement.attribute, subject)
        text = self.episode.text
        said = {*index_terms(text)} - STOPWORDS
        value, named = ({*index_terms(each)} - STOPWORDS for each in (statement.value, attribute))
        if denies(text) or _ASKS.search(text) or not (named or {subject}) & said:
            return False
        return 0 < len(value) <= _HALF * len(value & said) and any(
            record.subject == subject
            and is_of(record, attribute)
            and is_value(record, statement.value)
            for record in self.known.waiting()
        )

    @cached_property
    def _about(self) -> frozenset[str]:
        """The subjects of the conversation so far, under the names of the ledger."""
        return frozenset(map(self.names.subject, self.said.subjects))

    def _named(self, subject: str) -> bool:
        """Whether a subject is the speaker, a pronoun, or named in the conversation or in what the
        reader was shown: "the flu clinic" by "Flu clinic's on the 9th", too."""
        subjects = (of for of, _, _ in self.said.facts)
        shown = (ME, self.names.speaker, *map(name_key, (*subjects, *self.said.subjects)))
        if name_key(subject) in shown or is_pronoun(subject):
            return True
        if self.names.subject(subject) in self._about:
            return True
        texts = [self.episode.text, *(text for _, text in self.said.before)]
        texts += [part for triple in self.said.facts for part in triple]
        if any(place(text, subject) is not None for text in texts):
            return True
        words = query_terms(mention(subject).noun)
        said = {term for text in texts for term in index_terms(text)}
        return 0 < len(words) <= _HALF * sum(word in said for word in words)

    def _value(self, attribute: str, words: str, held: Record | None = None) -> Any:
        """The value that words name: the speaker's name for "me", an ISO date for a day if the
        attribute may hold one, else the words."""
        words = words.strip(MARKS)
        if mention(words).noun == ME:
            return self.episode.message.speaker or self.episode.role
        type_ = self.known.registry.attribute(attribute).value_type
        if type_ not in ("any", "date"):
            return words
        near = None if held is None else read_date(str(held.value))
        # Where any value may stand, only a whole day is one: "30 June 2026", but not "in June".
        return self.times.day(words, near, told=held is None, exact=type_ == "any") or words
