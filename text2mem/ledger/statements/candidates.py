"""Make candidates of the statements that a model has read.

Code checks that the words are in the turn, or in the assistant's turn that it answers, finds the
subject, the attribute and the fact that is meant, and computes values, instants and confidences.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from functools import cached_property
from typing import Any
from unicodedata import normalize

from text2mem.ir.ports import Embedder
from text2mem.ir.record import Record
from text2mem.ir.registry import Attribute, Registry
from text2mem.ir.times.carried import is_bare_day
from text2mem.ir.times.moments import phrases_in, read_when
from text2mem.ir.times.reading_clock import Clock
from text2mem.ir.times.stretches import EVER, NEVER, read_stretches
from text2mem.ir.times.tense import gone
from text2mem.ir.times.written_dates import read_date
from text2mem.ir.values import UnfitValue
from text2mem.ir.words.given import around
from text2mem.ir.words.mentions import ME, is_pronoun, mention
from text2mem.ir.words.naming import name_key
from text2mem.ir.words.segment import HAN, index_terms, query_terms
from text2mem.ledger.candidate import Candidate, Kind
from text2mem.ledger.episode import Episode
from text2mem.ledger.known import Known
from text2mem.ledger.reconcile import fitted
from text2mem.ledger.statements.asking import Said
from text2mem.ledger.statements.contract import ANSWERS, Statement
from text2mem.ledger.statements.names import Names, is_of, is_value, meant
from text2mem.ledger.statements.parts import put_in, stands_within, without
from text2mem.planner.messages import listed

_SURE, _UNSURE = 0.8, 0.45
"""The confidence of a statement, and of a doubted one, which waits: the usual floor is 0.5."""
_HALF = 2
"""A subject was named if at least one of so many of its words was said."""
_LONGEST = 32
"""More characters than any day has."""
_WEEK = timedelta(days=7)
_DIGIT = re.compile(r"\d")
_ACCENTS = re.compile(r"[\u0300-\u036f]")
_TYPED = re.compile(
    r"[\u1100-\u1112][\u1161-\u1175][\u11a8-\u11c2]?|.[\u0300-\u036f\u3099\u309a]*", re.DOTALL
)
"""A letter with its combining marks, or a Korean syllable that is typed in parts."""
_MARKS = " \t\n.,;:!?。，！？；：、\"'“”‘’「」()（）"
"""Characters that are stripped from the ends of words."""
Span = tuple[int, int]
"""Start and end of words in a text, in characters."""


def check(
    statements: Sequence[Statement], said: Said, episode: Episode, known: Known,
    embedder: Embedder | None = None,
) -> tuple[tuple[Candidate, ...], int]:  # fmt: skip
    """Make candidates of statements, and count the statements that yield none, mostly because
    nobody said their words. ``episode`` must not contain the texts that the speaker quotes."""
    names = Names(episode, known, embedder)
    maker = _Maker(said, episode, known, names, meant(statements, names))
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


def place(text: str, words: str) -> Span | None:
    """The span of the first occurrence of words in a text, if any. Only whole words match (except
    in Chinese, where blanks do not count); case and accents are ignored."""
    sought = _plain(words.strip(_MARKS))[0].split()
    if not sought:
        return None
    pattern = r"\s+".join(map(re.escape, sought))
    if HAN.search(words):
        pattern = r"\s*".join(map(re.escape, "".join(sought)))
    else:
        pattern = rf"(?<![^\W_\u3400-\u9fff]){pattern}(?![^\W_\u3400-\u9fff])"
    plain, offsets = _plain(text)
    match = re.search(pattern, plain, re.IGNORECASE)
    return (offsets[match.start()], offsets[match.end()]) if match else None


def _plain(text: str) -> tuple[str, Sequence[int]]:
    """A text without accents and curly apostrophes, and the offsets of its characters."""
    if text.isascii():
        return text, range(len(text) + 1)
    plain, offsets = "", []
    for typed in _TYPED.finditer(text):
        letter = normalize("NFC", _ACCENTS.sub("", normalize("NFD", typed[0])))
        plain += letter
        offsets += [typed.start()] * len(letter)
    return plain.replace("’", "'").replace("‘", "'"), [*offsets, len(text)]


def _closed(words: str) -> str:
    """The words without blanks if they are Chinese, which is how times are read."""
    return "".join(words.split()) if HAN.search(words) else words


@dataclass(frozen=True, slots=True)
class _Filed:
    """A statement's subject and attribute under the names of the ledger."""

    subject: str
    attribute: Attribute
    held: Record | None
    """The fact that it corrects, ends or replaces, if any."""


@dataclass
class _Maker:
    """Makes the candidates of one turn."""

    said: Said
    episode: Episode
    known: Known
    names: Names
    meant: Mapping[str, str]
    """Subjects in place of those that statements name (``names.meant``)."""

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
            held = self.names.held(subject, attribute, old, corrects=statement.kind == "correct")
        elif statement.old:
            held = self._replaced(subject, attribute, statement.old)
        if held is not None and held.attribute:
            subject, attribute = held.subject or subject, held.attribute
        return _Filed(subject, self.known.registry.attribute(attribute), held)

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
        attribute, held = filed.attribute, filed.held
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
            elif named or attribute.cardinality == "one":
                value = held.value
        elif statement.value:
            value = self._value(attribute.name, statement.value, held)
            if isinstance(value, str) and held is not None and statement.old:
                value = put_in(value, statement.old, held.value)
        if value is not None and name_key(str(value)) in (filed.subject, name_key(attribute.name)):
            return  # a value that only repeats the subject or the attribute states nothing
        try:
            if value is not None:
                value = fitted(attribute, value)
                self.known.registry.normalise(attribute, value)
        except UnfitValue:
            return
        begins, ends, latest = self._times(statement)
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
            untold = not self._line(filed.subject, attribute.name)
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
        it does, or, for a retraction, a fact that was shown. None if it was not said."""
        text = self.episode.text
        whole = (0, len(text))
        if not statement.value:
            return whole
        span = place(text, statement.value)
        if span is not None:
            return around(text, span)
        by, answered = self.said.before[-1] if self.said.before else ("", "")
        if by != "assistant":
            answered = ""  # a user's own turn has been read for itself
        held = [value for _, _, value in self.said.known] if statement.kind == "retract" else []
        was_said = any(place(other, statement.value) is not None for other in (answered, *held))
        return whole if was_said else None

    @cached_property
    def _about(self) -> frozenset[str]:
        """The subjects of the conversation so far, under the names of the ledger."""
        return frozenset(map(self.names.subject, self.said.subjects))

    def _named(self, subject: str) -> bool:
        """Whether a subject is the speaker, a pronoun, or named in the conversation or in what the
        reader was shown: "the flu clinic" by "Flu clinic's on the 9th", too."""
        subjects = (of for of, _, _ in self.said.known)
        shown = (ME, self.names.speaker, *map(name_key, (*subjects, *self.said.subjects)))
        if name_key(subject) in shown or is_pronoun(subject):
            return True
        if self.names.subject(subject) in self._about:
            return True
        texts = [self.episode.text, *(text for _, text in self.said.before)]
        texts += [part for triple in self.said.known for part in triple]
        if any(place(text, subject) is not None for text in texts):
            return True
        words = query_terms(mention(subject).noun)
        said = {term for text in texts for term in index_terms(text)}
        return 0 < len(words) <= _HALF * sum(word in said for word in words)

    def _value(self, attribute: str, words: str, held: Record | None = None) -> Any:
        """The value that words name: the speaker's name for "me", an ISO date for a day if the
        attribute may hold one, else the words. Of several months a day is in the one nearest to
        the day of the fact ``held``, or in that of the sentence's day before it."""
        words = words.strip(_MARKS)
        if mention(words).noun == ME:
            return self.episode.message.speaker or self.episode.role
        type_ = self.known.registry.attribute(attribute).value_type
        exact = type_ == "any"  # then only a whole day counts: "30 June 2026", but not "in June"
        if type_ not in ("any", "date") or (exact and len(words) >= _LONGEST):
            return words
        if (day := self._relative(words)) is not None:
            return day
        if exact and not _DIGIT.search(words):
            return words
        day = self._day(words, self.episode.at, exact=exact)
        if day is None or held is None or (near := read_date(str(held.value))) is None:
            return (day and held is None and self._day_meant(words, exact=exact)) or day or words
        # "the 14th" in place of a held day may be in that day's month.
        first = datetime.combine(near.replace(day=1), time(), self.episode.tz)
        other = self._day(words, first, exact=exact) or day
        return min(day, other, key=lambda iso: abs(date.fromisoformat(iso) - near))

    def _relative(self, words: str) -> str | None:
        """The ISO date of a day that words name by its distance from the turn: "tomorrow", 下周三.
        A bare weekday, a holiday or the end of the month may stand for one of many."""
        at = self.episode.at
        day, later = (self._day(words, now, exact=True) for now in (at, at + _WEEK))
        if day is None or later is None or len(read_stretches(words, self._clock)) > 1:
            return None
        return day if date.fromisoformat(later) - date.fromisoformat(day) == _WEEK else None

    def _day_meant(self, words: str, *, exact: bool) -> str | None:
        """The ISO date of a day that the sentence says more of: the past one, if that is nearer and
        it tells of what has been; for the 19th in "on 12 June, back on the 19th" that after the
        coming day that it names with its month before it. None if it says no more."""
        text, tz = self.episode.text, self.episode.tz
        span = place(text, words)
        if span is None:
            return None
        start, end = around(text, span)
        past, ahead = gone(text[start:end], words, self._clock), self._clock.instant(words)
        if past and ahead and self.episode.at - past < ahead - self.episode.at:
            return past.astimezone(tz).date().isoformat()
        if not is_bare_day(words):
            return None
        days = (self._day(each, self.episode.at, exact=False)
                for each in phrases_in(text[start : span[0]]) if not is_bare_day(each))  # fmt: skip
        found = max(filter(None, days), default="")
        before = datetime.combine(date.fromisoformat(found), time(), tz) if found else None
        if before is None or before <= self.episode.at:
            return None
        return self._day(words, before, exact=exact)

    def _day(self, words: str, now: datetime, *, exact: bool) -> str | None:
        """The ISO date of the day, or unless ``exact`` of a time of day, that words name at
        ``now``."""
        clock = Clock(now, self.episode.tz)
        span = clock.range(words)
        if span is None:
            return None
        days = (span.end - span.start).total_seconds() / 86_400
        if days > 1.1 or (exact and days < 0.9):
            return None
        at = clock.instant(words) or span.start
        return at.astimezone(self.episode.tz).date().isoformat()

    @cached_property
    def _clock(self) -> Clock:
        return Clock(self.episode.at, self.episode.tz)

    def _times(
        self, statement: Statement
    ) -> tuple[datetime | None, datetime | None, datetime | None]:
        """The instants of ``when`` and ``until`` that were said and can be read, in order, and,
        without an ``until``, the last past instant of ``when``."""
        text, clock = self.episode.text, self._clock
        begins = ends = latest = None
        span = place(text, statement.when) if statement.when else None
        last = place(text, statement.until) if statement.until else None
        if span is not None:
            words = _closed(statement.when)
            # In "from the 6th to 17 April", the month of the first is that of the last.
            until = _closed(text[span[0] : last[1]]) if last else ""
            two_ends = clock.both_ends(until) or clock.both_ends(words)
            stretches = two_ends or read_stretches(words, clock, roughly=True)
            nearest = min(stretches, key=lambda s: abs(s.start - self.episode.at), default=None)
            begins = nearest.start if nearest else read_when(words, clock)
            latest = min(nearest.end, self.episode.at) if nearest else None
            ends = nearest.end if nearest and two_ends else None
            start, end = around(text, span)
            if not two_ends:
                begins = gone(text[start:end], statement.when, clock) or begins
        if last is not None and ends is None:
            words = _closed(statement.until)
            stretches = read_stretches(words, clock, roughly=True)
            ends = stretches[-1].end if stretches else read_when(words, clock)
        begins, ends = None if begins == EVER else begins, None if ends == NEVER else ends
        if begins is not None and ends is not None and ends <= begins:
            return None, None, None
        return begins, ends, latest if ends is None else None
