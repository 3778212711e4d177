"""Candidates out of statements: what a model has read is checked, named, timed and weighed by code.

A statement counts only as far as its words were said: in the turn, or in the one that it answers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time
from functools import cached_property
from typing import Any
from unicodedata import normalize

from text2mem.ir.ports import Embedder
from text2mem.ir.record import Record
from text2mem.ir.registry import Attribute
from text2mem.ir.times.moments import read_when
from text2mem.ir.times.reading_clock import Clock
from text2mem.ir.times.stretches import EVER, NEVER, read_stretches
from text2mem.ir.times.tense import gone
from text2mem.ir.times.written_dates import read_date
from text2mem.ir.values import UnfitValue
from text2mem.ir.words.given import around
from text2mem.ir.words.mentions import ME, is_pronoun, mention
from text2mem.ir.words.naming import name_key
from text2mem.ir.words.segment import HAN
from text2mem.ledger.candidate import Candidate, Kind
from text2mem.ledger.episode import Episode
from text2mem.ledger.known import Known
from text2mem.ledger.reconcile import fitted
from text2mem.ledger.statements.asking import Said
from text2mem.ledger.statements.contract import ANSWERS, Statement
from text2mem.ledger.statements.names import Names, meant, put_in, stands_within

_SURE, _UNSURE = 0.8, 0.45
"""How sure a fact is: as it stands, and where the speaker is not sure. Below the usual floor of 0.5
a fact waits."""
_DIGIT = re.compile(r"\d")
_ACCENTS = re.compile(r"[\u0300-\u036f]")
_TYPED = re.compile(
    r"[\u1100-\u1112][\u1161-\u1175][\u11a8-\u11c2]?|.[\u0300-\u036f\u3099\u309a]*", re.DOTALL
)
"""A letter, however it was typed: with its marks, or a Korean syllable in parts."""
_MARKS = " \t\n.,;:!?。，！？；：、\"'“”‘’「」()（）"
Span = tuple[int, int]


def check(
    statements: Sequence[Statement], said: Said, episode: Episode, known: Known,
    embedder: Embedder | None = None,
) -> tuple[tuple[Candidate, ...], int]:  # fmt: skip
    """Make candidates of statements; also how many statements had words that nobody said.

    ``episode`` comes without the texts that it passes on.
    """
    names = Names(episode, known, embedder)
    maker = _Maker(said, episode, known, names, meant(statements, names))
    found: list[Candidate] = []
    unsaid = 0
    for statement in statements:
        made = list(maker.made(statement))
        unsaid += not made and statement.kind not in ANSWERS
        found += [each for each in made if each not in found]
    return tuple(found), unsaid


def place(text: str, words: str) -> Span | None:
    """Where words stand in a text, as whole words and without regard to case and accents."""
    sought = _plain(words.strip(_MARKS))[0].split()
    if not sought:
        return None
    pattern = r"\s+".join(map(re.escape, sought))
    if not HAN.search(words):
        pattern = rf"(?<![^\W_\u3400-\u9fff]){pattern}(?![^\W_\u3400-\u9fff])"
    plain, at = _plain(text)
    found = re.search(pattern, plain, re.IGNORECASE)
    return (at[found.start()], at[found.end()]) if found else None


def _plain(text: str) -> tuple[str, Sequence[int]]:
    """A text without accents and curly apostrophes, and where each of its letters begins."""
    if text.isascii():
        return text, range(len(text) + 1)
    plain, at = "", []
    for typed in _TYPED.finditer(text):
        letter = normalize("NFC", _ACCENTS.sub("", normalize("NFD", typed[0])))
        plain += letter
        at += [typed.start()] * len(letter)
    return plain.replace("’", "'").replace("‘", "'"), [*at, len(text)]


def _closed(words: str) -> str:
    """The words without blanks where they are Chinese: times are read so."""
    return "".join(words.split()) if HAN.search(words) else words


@dataclass(frozen=True, slots=True)
class _Filed:
    """The subject and attribute of a statement in the ledger, and the fact that it corrects, ends
    or replaces, if any."""

    subject: str
    attribute: Attribute
    held: Record | None


@dataclass
class _Maker:
    said: Said
    episode: Episode
    known: Known
    names: Names
    meant: Mapping[str, str]

    def made(self, statement: Statement) -> Iterator[Candidate]:
        if statement.kind in ANSWERS:
            yield from self._answers("confirm" if statement.kind == "confirm" else "reject")
            return
        quote = self._quote(statement)
        if quote is None or not self._named(statement.subject):
            return
        filed = self._filed(statement)
        if statement.says and self.names.subject(statement.says) != self.names.speaker:
            heard = self._heard(filed, statement.value)
            if heard is None:
                return  # another's word on how things are is no evidence of something new
            filed = replace(filed, subject=heard)
        yield from self._candidates(statement, filed, quote)

    def _filed(self, statement: Statement) -> _Filed:
        """Find the subject and attribute of a statement, and the fact that it is about."""
        subject = self.names.subject(statement.subject)
        attribute = self.names.attribute(statement.attribute, subject)
        other = self.meant.get(name_key(statement.subject))
        if other is not None:
            name = self.names.attribute(statement.attribute, other)
            for record in self.names.of(other):
                if name_key(record.attribute or "") == name or (
                    statement.old and name_key(str(record.value)) == name_key(statement.old)
                ):
                    subject, attribute = other, record.attribute or name
                    break
        part = self.names.part(mention(statement.subject).noun, statement.attribute)
        if part is not None:
            subject, attribute = part
        if subject == f"{self.names.speaker}_{attribute}":
            subject = self.names.speaker  # "my phone", "phone": it is the speaker's
        old = statement.old or ("" if statement.kind == "correct" else statement.value)
        held = None
        if statement.kind:
            held = self.names.held(subject, attribute, old)
        elif statement.old:
            held = self._replaced(subject, attribute, statement.old)
        if held is not None and held.attribute:
            subject, attribute = held.subject or subject, held.attribute
        return _Filed(subject, self.known.registry.attribute(attribute), held)

    def _line(self, subject: str, attribute: str) -> list[Record]:
        """The facts of a subject and an attribute."""
        name = name_key(attribute)
        return [r for r in self.names.of(subject) if name_key(r.attribute or "") == name]

    def _replaced(self, subject: str, attribute: str, old: str) -> Record | None:
        """The fact of a subject and an attribute that an old value names."""
        words = self._value(attribute, old)
        line = self._line(subject, attribute)
        whole = [record for record in line if record.value == words]
        parts = [record for record in line if stands_within(old, str(record.value))]
        return next(iter(whole or parts), None)

    def _heard(self, filed: _Filed, value: str) -> str | None:
        """The subject of a fact that has this value already: the filed one, or the only one."""
        words = name_key(str(self._value(filed.attribute.name, value)))
        subjects = {
            record.subject
            for record in self.names.every
            if name_key(record.attribute or "") == name_key(filed.attribute.name)
            and name_key(str(record.value)) == words
        }
        if filed.subject in subjects:
            return filed.subject
        return subjects.pop() if len(subjects) == 1 else None

    def _candidates(self, statement: Statement, filed: _Filed, quote: Span) -> Iterator[Candidate]:
        attribute, held = filed.attribute, filed.held
        kind: Kind = "state"
        if statement.kind == "retract":
            kind = "retract"
        elif statement.kind == "correct" and not statement.doubted:
            kind = "correct"  # one in doubt waits beside what it would correct
        value: Any = None
        if kind == "retract" and held is not None:
            value = held.value
        elif statement.value:
            value = self._value(attribute.name, statement.value, held)
            if isinstance(value, str) and held is not None and statement.old:
                value = put_in(value, statement.old, held.value)
        if value is not None and name_key(str(value)) in (filed.subject, name_key(attribute.name)):
            return  # the name of a thing is no value of it
        try:
            if value is not None:
                value = fitted(attribute, value)
                self.known.registry.normalise(attribute, value)
        except UnfitValue:
            return
        begins, ends = self._times(statement)
        replaces = held.value if held is not None and statement.old else None
        if replaces is None and statement.old:
            replaces = self._value(attribute.name, statement.old)
        one = Candidate(
            subject=filed.subject, attribute=attribute.name, value=value, kind=kind,
            valid_from=begins, valid_to=ends, quote=quote, by="model",
            confidence=_UNSURE if statement.doubted else _SURE,
        )  # fmt: skip
        if kind == "correct" and held is not None and held.pending:
            # What was never sure has no beginning to take over.
            yield replace(one, value=held.value, kind="retract", valid_from=None, valid_to=None)
            yield replace(one, kind="state")
            return
        if kind == "retract":  # "I left on 1 May": then it ends
            one = replace(one, valid_from=None, valid_to=begins or ends)
        if kind != "state":
            yield replace(one, replaces=replaces)
            return
        ended = attribute.cardinality == "many" and statement.old and not statement.doubted
        if ended and held is not None:
            yield replace(one, value=held.value, kind="retract", valid_from=None, valid_to=begins)
        elif replaces is not None and begins and not self._line(filed.subject, attribute.name):
            yield replace(one, value=replaces, valid_from=None, valid_to=begins)
        yield one

    def _answers(self, kind: Kind) -> Iterator[Candidate]:
        """A yes or a no to facts that wait: those whose value the assistant has asked about."""
        waiting = self.known.waiting()
        asked = next((text for by, text in reversed(self.said.before) if by == "assistant"), "")
        meant = [r for r in waiting if place(asked, str(r.value)) is not None]
        only = waiting if asked and len(waiting) == 1 else []
        for record in meant or only:
            yield Candidate(
                subject=record.subject or "", attribute=record.attribute or "",
                value=record.value, kind=kind, quote=(0, len(self.episode.text)), by="model",
            )  # fmt: skip

    def _quote(self, statement: Statement) -> Span | None:
        """Where in the text it is said; None where the words were not said."""
        text = self.episode.text
        whole = (0, len(text))
        if not statement.value:
            return whole
        at = place(text, statement.value)
        if at is not None:
            return around(text, at)
        by, answered = self.said.before[-1] if self.said.before else ("", "")
        if by != "assistant":
            answered = ""  # what was said there was heard there
        held = [value for _, _, value in self.said.known] if statement.kind == "retract" else []
        stands = any(place(each, statement.value) is not None for each in (answered, *held))
        return whole if stands else None

    @cached_property
    def _about(self) -> frozenset[str]:
        """The subjects of the talk before, under the names of the ledger."""
        return frozenset(map(self.names.subject, self.said.subjects))

    def _named(self, subject: str) -> bool:
        """Whether the subject is the speaker, a pronoun, or was named in the talk."""
        if name_key(subject) in (ME, self.names.speaker) or is_pronoun(subject):
            return True
        texts = [self.episode.text, *(text for _, text in self.said.before)]
        texts += [each for triple in self.said.known for each in triple]
        if name_key(subject) in map(
            name_key, (*(of for of, _, _ in self.said.known), *self.said.subjects)
        ):
            return True
        if self.names.subject(subject) in self._about:
            return True
        return any(place(text, subject) is not None for text in texts)

    def _value(self, attribute: str, words: str, held: Record | None = None) -> Any:
        """The value as words, or as the day that they name, near that of the fact ``held``."""
        words = words.strip(_MARKS)
        if mention(words).noun == ME:
            return self.episode.message.speaker or self.episode.role
        type_ = self.known.registry.attribute(attribute).value_type
        exact = type_ == "any"  # only what is a day and no more: "30 June 2026", and no "in June"
        if type_ != "date" and not (exact and _DIGIT.search(words) and len(words) < 32):
            return words
        day = self._day(words, self.episode.at, exact=exact)
        if day is None or held is None or (near := read_date(str(held.value))) is None:
            return day or words
        # A bare "the 14th" in place of a day that is held is in that one's month.
        first = datetime.combine(near.replace(day=1), time(), self.episode.tz)
        other = self._day(words, first, exact=exact) or day
        return min(day, other, key=lambda each: abs(date.fromisoformat(each) - near))

    def _day(self, words: str, now: datetime, *, exact: bool) -> str | None:
        """The day that words name; unless ``exact`` also one of which they name a time."""
        clock = Clock(now, self.episode.tz)
        whole = clock.range(words)
        if whole is None:
            return None
        length = (whole.end - whole.start).total_seconds() / 86_400
        if length > 1.1 or (exact and length < 0.9):
            return None
        at = clock.instant(words) or whole.start
        return at.astimezone(self.episode.tz).date().isoformat()

    def _times(self, statement: Statement) -> tuple[datetime | None, datetime | None]:
        clock = Clock(self.episode.at, self.episode.tz)
        begins = ends = None
        said = place(self.episode.text, statement.when) if statement.when else None
        if said is not None:
            words = _closed(statement.when)
            stretches = read_stretches(words, clock, roughly=True)
            nearest = min(stretches, key=lambda s: abs(s.start - self.episode.at), default=None)
            begins = nearest.start if nearest else read_when(words, clock)
            first, last = around(self.episode.text, said)
            begins = gone(self.episode.text[first:last], statement.when, clock) or begins
            begins = None if begins == EVER else begins
        if statement.until and place(self.episode.text, statement.until):
            words = _closed(statement.until)
            stretches = read_stretches(words, clock, roughly=True)
            ends = stretches[-1].end if stretches else read_when(words, clock)
            ends = None if ends == NEVER else ends
        if begins is not None and ends is not None and ends <= begins:
            return None, None
        return begins, ends
