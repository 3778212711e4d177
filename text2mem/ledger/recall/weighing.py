"""The probability that a question means each line of the ledger, or none of them.

A small network scores the features of each line: how much of its words the question says, and how
near their vectors are. ``training/recalling.py`` fits the weights to questions by many authors, and
writes them to ``networks.json``. No list of words of any language is used.
"""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import chain
from pathlib import Path
from typing import Literal

from text2mem.ir.words.likeness import Vector, alike, cosine, dot, rarity
from text2mem.ir.words.mentions import speaks_of_self
from text2mem.ir.words.naming import name_key
from text2mem.ir.words.segment import index_terms, name_terms, query_terms
from text2mem.ledger.recall.places import Place
from text2mem.ledger.recall.space import Moved

NETWORKS = Path(__file__).with_name("networks.json")
Kind = Literal["moved", "plain", "blind"]
"""For a question with a vector that ``space`` has moved, with another vector, and with none."""
NAMES = (
    "a line", "of whole", "of holders",
    "subject is named", "part of it is", "own, and speaks of self", "own, and does not",
    "not own, speaks of self", "another is named instead", "a stranger is named",
    "name is said", "that to the best", "value is said", "covered", "that to the best",
    "not covered", "hops", "way is said", "holds nothing now",
    "near what it holds", "that to the best", "near its name", "that to the best",
    "of whole: that it is asked for",
    "moved near what it holds", "that to the best", "moved near its name", "that to the best",
)  # fmt: skip
"""The features of a place, in order. "That to the best" is the difference between the feature
before it and its greatest value of all places."""
_EVERYTHING = "everything that is known about"
"""The name of a place for all about a subject, which follows: compared in any language."""


@dataclass(frozen=True, slots=True)
class Network:
    """A network with one hidden layer over the features of a line (``NAMES``)."""

    hidden: Sequence[Sequence[float]]
    """The weights of each hidden unit."""
    biases: Sequence[float]
    out: Sequence[float]
    """The weights of the output, to which ``bias`` is added."""
    bias: float
    sure: float
    """The least probability of a line that answers a question exactly."""

    def score(self, row: Sequence[float]) -> float:
        """The score (logit) of a line by its features. That no line is meant has the score 0."""
        units = (
            math.tanh(dot(weights, row) + bias)
            for weights, bias in zip(self.hidden, self.biases, strict=True)
        )
        return dot(self.out, tuple(units)) + self.bias


@cache
def network(kind: Kind) -> Network:
    return Network(**json.loads(NETWORKS.read_text(encoding="utf-8"))[kind])


@dataclass(frozen=True)
class Asked:
    """A question, the places that it could mean, and the vectors to compare them by."""

    text: str
    """The question without times."""
    oneself: str
    """The subject that "I" means."""
    named: tuple[str, ...]
    """The subjects that it names."""
    places: tuple[Place, ...]
    vector: Vector | None = None
    texts: Mapping[str, Vector] = field(default_factory=dict)
    """The vectors of the places' facts, by id."""
    names: Mapping[str, Vector] = field(default_factory=dict)
    """The vectors of the places' names, by name (``spoken``)."""
    moved: Moved | None = None
    """The transformed vectors of the question (``space``); None for most embedders."""

    @property
    def about(self) -> str:
        """The first subject that the question names, else the person who asks."""
        return self.named[0] if self.named else self.oneself

    @cached_property
    def said(self) -> frozenset[str]:
        """The terms of the question."""
        return frozenset(index_terms(self.text))

    @property
    def network(self) -> Network:
        """The network for a question with such vectors."""
        return network("blind" if self.vector is None else "moved" if self.moved else "plain")


def weighed(asked: Asked) -> list[float]:
    """The probability of each place, by a softmax of the scores; the rest to 1 is that of none."""
    scores = [asked.network.score(row) for row in features(asked)]
    greatest = max([0.0, *scores])
    parts = [math.exp(score - greatest) for score in scores]
    total = sum(parts) + math.exp(-greatest)
    return [part / total for part in parts]


_Rows = list[tuple[float, ...]]


def features(asked: Asked) -> _Rows:
    """The features of each place, in the order of ``NAMES``."""
    parts = (_kinds(asked), _whose(asked), _said(asked), _near(asked), _moved(asked))
    return [tuple(chain.from_iterable(groups)) for groups in zip(*parts, strict=True)]


def _kinds(asked: Asked) -> _Rows:
    kinds = ((_plain(place), place.whole, place.holders) for place in asked.places)
    return [tuple(map(float, row)) for row in kinds]


def _whose(asked: Asked) -> _Rows:
    """Features of the subjects: which of them the question names, and who asks."""
    of_self = speaks_of_self(asked.text)
    stranger = float(names_stranger(asked))
    rows: _Rows = []
    for place in asked.places:
        subject = name_key(place.subject)
        named = float(subject in asked.named)
        part = 0.0 if named else _share(name_terms(subject), asked)
        own, way = float(subject == asked.oneself), _way(asked, place)
        rows.append(
            (
                named, part, own * of_self, own * (1 - of_self),
                (1 - own) * of_self * (1 - max(named, part, way)),
                float(bool(asked.named) and not named and way == 0), stranger,
            )
        )  # fmt: skip
    return rows


def _said(asked: Asked) -> _Rows:
    """Features of words: how much of a place the question says, and the other way round."""
    terms = query_terms(asked.text)
    matches = [[alike(term, place.words) for term in terms] for place in asked.places]
    rare = rarity(terms, matches)
    covered = [dot(rare, row) / (sum(rare) or 1.0) for row in matches]
    names = [_share(name_terms(place.attribute), asked) for place in asked.places]
    return [
        (
            *name, _share(place.values, asked), *cover, (1 - cover[0]) * _plain(place),
            len(place.way.path) * _plain(place), _way(asked, place), float(not place.facts),
        )
        for place, name, cover in zip(asked.places, _beside(names), _beside(covered), strict=True)
    ]  # fmt: skip


def _near(asked: Asked) -> _Rows:
    """Features of vectors: the cosines of the question and each place's facts and name."""
    vector, places = asked.vector, asked.places
    texts = _halved([holding(vector, asked.texts, place) for place in places])
    names = _halved([cosine(vector, asked.names.get(spoken(place))) for place in places])
    return [
        (*text, *(feature * _plain(place) for feature in name), name[0] * place.whole)
        for place, text, name in zip(places, _beside(texts), _beside(names), strict=True)
    ]


def _moved(asked: Asked) -> _Rows:
    """The same features for the question's transformed vectors; zeros without them."""
    moved, places = asked.moved, asked.places
    if moved is None:
        return [(0.0,) * 4] * len(places)
    texts = [holding(moved.to_text, asked.texts, place) or 0.0 for place in places]
    names = [cosine(moved.to_name, asked.names.get(spoken(place))) or 0.0 for place in places]
    return [(*text, *name) for text, name in zip(_beside(texts), _beside(names), strict=True)]


def _beside(values: Sequence[float]) -> list[tuple[float, float]]:
    """Each value with its difference from the greatest one."""
    best = max(values, default=0.0)
    return [(value, value - best) for value in values]


def _halved(values: Sequence[float | None]) -> list[float]:
    """The values, with half of the greatest one in place of each None."""
    nearest = max((value for value in values if value is not None), default=0.0)
    return [0.5 * nearest if value is None else value for value in values]


def holding(vector: Vector | None, texts: Mapping[str, Vector], place: Place) -> float | None:
    """The greatest cosine of a vector and the facts of a place; None without any, or if whole."""
    if place.whole:
        return None
    ids = [place.attribute] if place.other else [fact.id for fact in place.told]
    cosines = (cosine(vector, texts.get(id_)) for id_ in ids)
    return max((value for value in cosines if value is not None), default=None)


def _plain(place: Place) -> bool:
    """Whether a place is a single line."""
    return not place.whole and not place.holders


def _way(asked: Asked, place: Place) -> float:
    """The share of the path to a place that the question says."""
    return _share([term for name in place.way.path for term in name_terms(name)], asked)


def _share(terms: Collection[str], asked: Asked) -> float:
    """The share of the terms that are in the question; 0 without terms."""
    return sum(alike(term, asked.said) for term in terms) / len(terms) if terms else 0.0


def is_own(asked: Asked, subject: str) -> bool:
    """Whether the question names a subject of who asks: ``user_mother`` for "my mother"."""
    noun = subject.removeprefix(f"{asked.oneself}_")
    return noun != subject and _share(name_terms(noun), asked) == 1


def spoken(place: Place) -> str:
    """The name of a place in words, with the path that leads there: ``landlord phone``."""
    way = place.way
    words = (*way.path, place.attribute) if not place.whole else (_EVERYTHING, way.start)
    return " ".join(words).replace("_", " ")


def names_stranger(asked: Asked) -> bool:
    """Whether a word after the first has a capital and is in no line: a name that is unknown."""
    known = frozenset[str]().union(*(place.words for place in asked.places))
    capital = (word for word in asked.text.split()[1:] if word[0].isupper() and len(word) > 1)
    return any(terms and not alike(terms[0], known) for terms in map(name_terms, capital))
