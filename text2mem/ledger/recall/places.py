"""Where an answer may stand: the lines of a ledger that a question could mean.

A line is an attribute of a subject. Those of whom the question names, of the one who asks, of whom
a search finds, and of what these lead to are gathered; which of them is meant is weighed elsewhere
(``weighing``).
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
from text2mem.ir.words.naming import find_name, name_key
from text2mem.ir.words.segment import HAN, STOPWORDS, index_terms, name_terms
from text2mem.ledger.holdings import by_attribute
from text2mem.ledger.recall.exact import State

MAX_HOPS = 2
SUBJECTS, _SUBJECTS_OVER = 24, 8
"""How many subjects are looked at, and of how many what held once."""
_FOLLOWED = 24
"""How many values of one subject are followed."""
_LONGEST = 64
_WORDS, _CHARACTERS = 4, 4
_TOKEN = re.compile(r"[^\W_](?:[\w.\-‐@+]*[^\W_])?")


@dataclass(frozen=True)
class Place:
    """A line of the ledger that a question may mean: an attribute of a subject.

    ``facts`` hold there at the question's instants; where none does any more, ``past`` held there.
    ``path`` are the attributes that lead to the subject from ``start`` (whom the question names, or
    the one who asks), ``led`` the facts on that way; both are empty where nothing leads there.
    Three kinds are no single line: ``whole`` is everything about the subject, ``holders`` all
    subjects with one value of ``attribute``, and ``other`` a line that the ledger does not hold.
    """

    subject: str
    attribute: str
    facts: tuple[Record, ...]
    start: str = ""
    path: tuple[str, ...] = ()
    led: tuple[Record, ...] = ()
    whole: bool = False
    holders: bool = False
    past: tuple[Record, ...] = ()
    other: bool = False

    @property
    def told(self) -> tuple[Record, ...]:
        """The facts that hold there, else those that held."""
        return self.facts or self.past

    @cached_property
    def values(self) -> frozenset[str]:
        """The terms of its values."""
        return frozenset(term for one in self.told for term in name_terms(as_text(one.value)))

    @cached_property
    def words(self) -> frozenset[str]:
        """The terms of its subject, its attribute, its path and its values."""
        return self.values.union(*map(name_terms, (self.subject, self.attribute, *self.path)))


@dataclass(frozen=True, slots=True)
class Way:
    """How a subject is reached: from whom, along which attributes, by which facts."""

    start: str
    path: tuple[str, ...] = ()
    led: tuple[Record, ...] = ()


def subjects_named(words: str, text: str, state: State, known: Iterable[str]) -> tuple[str, ...]:
    """The subjects whose names stand in a question, the longest first; ``text`` is it, masked."""
    folded = name_key(text)
    found = {name for name in known if name and name in folded and find_name(name, folded)}
    spans = [name_key(words[start:end]) for start, end in _spans(words, text)]
    state.likely(spans)
    for name in spans:
        if name not in found and state.knows(name):
            found.add(name)
    longest = sorted(found, key=lambda name: (-len(name), name))
    return tuple(name for i, name in enumerate(longest)
                 if not any(name in other for other in longest[:i]))  # fmt: skip


def _spans(words: str, text: str) -> Iterator[tuple[int, int]]:
    """Where names may stand, the longest first: runs of words that begin and end with no stop word,
    and of two to four Chinese characters."""
    tokens = [each.span() for each in _TOKEN.finditer(words)
              if MASK not in text[slice(*each.span())] and not HAN.search(each[0])]  # fmt: skip
    telling = [words[start:end].lower() not in STOPWORDS for start, end in tokens]
    for length in range(_WORDS, 0, -1):
        for first in range(len(tokens) - length + 1):
            last = first + length - 1
            if telling[first] and telling[last]:
                yield tokens[first][0], tokens[last][1]
    for length in range(_CHARACTERS, 1, -1):
        for start in range(len(text) - length + 1):
            if all(HAN.match(each) for each in text[start : start + length]):
                yield start, start + length


def places(
    state: State, named: Sequence[str], oneself: str, near: Sequence[str], text: str
) -> tuple[Place, ...]:
    """The lines of those named, of oneself, of subjects ``near``, and of what these lead to."""
    ways: dict[str, Way] = {name: Way(name) for name in (*named, oneself)}
    ring: Sequence[str] = tuple(ways)
    for _ in range(MAX_HOPS):
        ring = [name for start in ring for name in _onward(start, ways, state)]
    for name in near:
        ways.setdefault(name, Way(""))
    found = [
        Place(subject, attribute, facts, way.start, way.path, way.led)
        for subject, way in islice(ways.items(), SUBJECTS)
        for attribute, facts in lines(state, subject)
    ]
    there = {(each.subject, each.attribute) for each in found}
    over = _over(tuple(islice(ways, _SUBJECTS_OVER)), there, state)
    held = ((name, state.facts(name)) for name in named)
    whole = (Place(name, "", facts, name, whole=True) for name, facts in held if facts)
    return (*found, *over, *whole, *_holders(found, text))


def _over(
    subjects: Sequence[str], there: Collection[tuple[str, str]], state: State
) -> Iterator[Place]:
    """The lines of subjects on which nothing holds any more. Who asks for the rent of a flat that
    was given up means that line, and no similar one that holds."""
    for subject in subjects:
        for attribute, past in by_attribute(state.over(subject)).items():
            if (subject, attribute) not in there:
                yield Place(subject, attribute, (), subject, past=tuple(past))


def lines(state: State, subject: str) -> Iterable[tuple[str, tuple[Record, ...]]]:
    """The attributes of a subject of which a fact holds, now or at the question's instants, each
    with the facts that hold at these."""
    held = by_attribute(state.facts(subject))
    names = dict.fromkeys((*by_attribute(state.now(subject)), *held))
    return [(name, tuple(held.get(name, ()))) for name in names]


def _onward(start: str, ways: dict[str, Way], state: State) -> Iterator[str]:
    """The subjects that the values of a subject name; each is added to ``ways`` once."""
    way = ways[start]
    held = islice(state.facts(start), _FOLLOWED)
    said = [(name_key(fact.value), fact) for fact in held if isinstance(fact.value, str)]
    led = [(name, fact) for name, fact in said if name and len(name) <= _LONGEST]
    state.likely(name for name, _ in led)
    for name, fact in led:
        if name not in ways and state.knows(name):
            path = (*way.path, fact.attribute or "")
            ways[name] = Way(way.start, path, (*way.led, fact))
            yield name


def _holders(found: Sequence[Place], text: str) -> Iterator[Place]:
    """For each value that the question says, its holders: "who is allergic to nuts"."""
    said = set(index_terms(text))
    by: dict[tuple[str, str], list[Record]] = {}
    for place in found:
        for fact in place.facts:
            terms = name_terms(as_text(fact.value))
            if terms and said.issuperset(terms):
                by.setdefault((place.attribute, name_key(as_text(fact.value))), []).append(fact)
    for (attribute, _), facts in by.items():
        yield Place("", attribute, tuple(facts), holders=True)
