"""Gather the lines of the ledger that a question could mean.

A line is an attribute of a subject: of one that the question names, of the person who asks, of one
that a search finds or that was spoken of last, or of a value of these. ``weighing`` decides which
one is meant.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from text2mem.ir.record import Record
from text2mem.ir.times.asked_times import MASK
from text2mem.ir.values import as_text
from text2mem.ir.words.mentions import ME, speaks_of_own, speaks_of_self
from text2mem.ir.words.naming import find_name, name_key
from text2mem.ir.words.segment import HAN, STOPWORDS, index_terms, name_terms
from text2mem.ledger.holdings import by_attribute
from text2mem.ledger.recall.exact import State

MAX_HOPS = 2
"""The most relations that are followed from a subject."""
SUBJECTS, _SUBJECTS_OVER = 24, 8
"""The most subjects whose lines are gathered, and the most whose past lines are."""
_FOLLOWED = 24
"""The most values of one subject that are followed."""
_LONGEST = 64
"""The most characters of a value that may be a subject's name."""
_WORDS, _CHARACTERS = 4, 4
"""The most words, and the most Chinese characters, of a name in a question."""
_TOKEN = re.compile(r"[^\W_](?:[\w.\-‐@+]*[^\W_])?")


@dataclass(frozen=True, slots=True)
class Way:
    """How a subject is reached: from ``start`` (empty for one that a search has found) along the
    attributes ``path``, which the facts ``led`` have."""

    start: str = ""
    path: tuple[str, ...] = ()
    led: tuple[Record, ...] = ()


@dataclass(frozen=True)
class Place:
    """A line of the ledger that a question may mean, or ``whole``, ``holders`` or ``other``."""

    subject: str
    attribute: str
    facts: tuple[Record, ...]
    """The facts that hold at the question's instants."""
    way: Way = Way()
    """How relations lead to ``subject``; from "me" for all about the person who asks."""
    whole: bool = False
    """Whether it stands for everything about the subject."""
    holders: bool = False
    """Whether it stands for all subjects that have one value of ``attribute``."""
    past: tuple[Record, ...] = ()
    """The facts that held there, if none holds any more."""
    other: bool = False
    """Whether it is a line that the ledger does not hold."""

    @property
    def told(self) -> tuple[Record, ...]:
        """The facts that hold there, else those that held."""
        return self.facts or self.past

    @cached_property
    def values(self) -> frozenset[str]:
        """The terms of its values."""
        return frozenset(term for fact in self.told for term in name_terms(as_text(fact.value)))

    @cached_property
    def words(self) -> frozenset[str]:
        """The terms of its subject, its attribute, its path and its values."""
        return self.values.union(*map(name_terms, (self.subject, self.attribute, *self.way.path)))


def subjects_named(words: str, text: str, state: State, known: Iterable[str]) -> tuple[str, ...]:
    """The subjects whose names occur in a question, ``words``, the longest first, without names
    that are part of a longer one. ``text`` is the question with its times masked; ``known`` are
    subjects that are looked for in any case."""
    folded = name_key(text)
    found = {name for name in known if name and name in folded and find_name(name, folded)}
    spans = [name_key(words[start:end]) for start, end in _spans(words, text)]
    state.likely(spans)
    found.update(name for name in spans if name not in found and state.knows(name))
    longest = sorted(found, key=lambda name: (-len(name), name))
    return tuple(name for i, name in enumerate(longest)
                 if not any(name in other for other in longest[:i]))  # fmt: skip


def _spans(words: str, text: str) -> Iterator[tuple[int, int]]:
    """Yield the spans that may be names, the longest first: runs of up to four words that neither
    begin nor end with a stop word, and runs of two to four Chinese characters."""
    tokens = [match.span() for match in _TOKEN.finditer(words)
              if MASK not in text[slice(*match.span())] and not HAN.search(match[0])]  # fmt: skip
    is_content = [words[start:end].lower() not in STOPWORDS for start, end in tokens]
    for length in range(_WORDS, 0, -1):
        for first in range(len(tokens) - length + 1):
            last = first + length - 1
            if is_content[first] and is_content[last]:
                yield tokens[first][0], tokens[last][1]
    for length in range(_CHARACTERS, 1, -1):
        for start in range(len(text) - length + 1):
            if all(HAN.match(char) for char in text[start : start + length]):
                yield start, start + length


def places(
    state: State, named: Sequence[str], oneself: str, near: Sequence[str], text: str
) -> tuple[Place, ...]:
    """The places that a question (``text``, without times) could mean: lines of the subjects that
    it names and of ``oneself``, the subject that "I" means, of those that ``MAX_HOPS`` relations
    lead to, and of those that are ``near``, such as those that a search finds."""
    ways: dict[str, Way] = {name: Way(name) for name in (*named, oneself)}
    ring: Sequence[str] = tuple(ways)
    for _ in range(MAX_HOPS):
        ring = [name for start in ring for name in _onward(start, ways, state)]
    for name in near:
        ways.setdefault(name, Way())
    found = [
        Place(subject, attribute, facts, way)
        for subject, way in islice(ways.items(), SUBJECTS)
        for attribute, facts in lines(state, subject)
    ]
    present = {(place.subject, place.attribute) for place in found}
    over = _over(tuple(islice(ways, _SUBJECTS_OVER)), present, state)
    starts = {name: name for name in named}
    if not named and speaks_of_self(text) and not speaks_of_own(text):
        starts = {oneself: ME}  # "about me", not "about my dog"
    all_of = ((name, Way(start), state.facts(name)) for name, start in starts.items())
    whole = (Place(name, "", facts, way, whole=True) for name, way, facts in all_of if facts)
    return (*found, *over, *whole, *_holders(found, text))


def _over(
    subjects: Sequence[str], present: Collection[tuple[str, str]], state: State
) -> Iterator[Place]:
    """Yield the past lines of subjects that are not ``present``: the rent of a flat given up."""
    for subject in subjects:
        for attribute, past in by_attribute(state.over(subject)).items():
            if (subject, attribute) not in present:
                yield Place(subject, attribute, (), Way(subject), past=tuple(past))


def lines(state: State, subject: str) -> Iterable[tuple[str, tuple[Record, ...]]]:
    """The attributes of a subject that hold now or then, with the facts that hold then."""
    at_instants = by_attribute(state.facts(subject))
    names = dict.fromkeys((*by_attribute(state.now(subject)), *at_instants))
    return [(name, tuple(at_instants.get(name, ()))) for name in names]


def _onward(start: str, ways: dict[str, Way], state: State) -> Iterator[str]:
    """Yield the values of ``start`` that are new subjects, and add them to ``ways``."""
    way = ways[start]
    facts = islice(state.facts(start), _FOLLOWED)
    values = [(name_key(fact.value), fact) for fact in facts if isinstance(fact.value, str)]
    named = [(name, fact) for name, fact in values if name and len(name) <= _LONGEST]
    state.likely(name for name, _ in named)
    for name, fact in named:
        if name not in ways and state.knows(name):
            path = (*way.path, fact.attribute or "")
            ways[name] = Way(way.start, path, (*way.led, fact))
            yield name


def _holders(found: Sequence[Place], text: str) -> Iterator[Place]:
    """Yield the holders of each value that the question says: "who is allergic to nuts"."""
    said = set(index_terms(text))
    by_value: dict[tuple[str, str], list[Record]] = {}
    for place in found:
        for fact in place.facts:
            value = as_text(fact.value)
            terms = name_terms(value)
            if terms and said.issuperset(terms):
                by_value.setdefault((place.attribute, name_key(value)), []).append(fact)
    for (attribute, _), facts in by_value.items():
        yield Place("", attribute, tuple(facts), holders=True)
