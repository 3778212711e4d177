"""How likely each line of a ledger is what a question means, or none of them.

What words and vectors say of a line is weighed as questions by many authors say
(``training/recalling.py`` makes the weights). Nothing here knows a word of any language.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain

from text2mem.ir.words.likeness import Vector, alike, cosine, dot, rarity
from text2mem.ir.words.mentions import speaks_of_self
from text2mem.ir.words.naming import name_key
from text2mem.ir.words.segment import index_terms, name_terms, query_terms
from text2mem.ledger.recall.network import Network, network
from text2mem.ledger.recall.places import Place
from text2mem.ledger.recall.space import Moved

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
_EVERYTHING = "everything that is known about"
"""What is held, by vectors, beside a question for all of somebody, in whatever language."""


@dataclass(frozen=True)
class Asked:
    """A question and the ``places`` that it could mean.

    ``text`` is the question without times, ``oneself`` the subject that "I" means, and ``named``
    are the subjects whose names it says. Without an embedder ``vector``, that of the question, is
    None, and the rest is empty: ``texts`` are the vectors of the places' facts by id, ``names``
    those of what places are called, and ``moved`` is ``vector`` put near to what answers it, for
    embedders of which that was learnt.
    """

    text: str
    oneself: str
    named: tuple[str, ...]
    places: tuple[Place, ...]
    vector: Vector | None = None
    texts: Mapping[str, Vector] = field(default_factory=dict)
    names: Mapping[str, Vector] = field(default_factory=dict)
    moved: Moved | None = None

    @property
    def about(self) -> str:
        """Whom the question is about, as far as it says."""
        return self.named[0] if self.named else self.oneself

    @cached_property
    def said(self) -> frozenset[str]:
        """The terms of the words."""
        return frozenset(index_terms(self.text))


def weighed(asked: Asked) -> list[float]:
    """The probability of each place; what is left to one is that none is meant."""
    weights = _network(asked)
    scores = [weights.score(row) for row in features(asked)]
    most = max([0.0, *scores])
    parts = [math.exp(score - most) for score in scores]
    whole = sum(parts) + math.exp(-most)
    return [part / whole for part in parts]


def sure(asked: Asked) -> float:
    """From which probability on a line answers."""
    return _network(asked).sure


def _network(asked: Asked) -> Network:
    if asked.vector is None:
        return network("blind")
    return network("moved" if asked.moved else "plain")


_Rows = list[tuple[float, ...]]


def features(asked: Asked) -> _Rows:
    """The features of each place, in the order of ``NAMES``."""
    parts = (_kinds(asked), _whose(asked), _said(asked), _near(asked), _moved(asked))
    return [tuple(chain.from_iterable(each)) for each in zip(*parts, strict=True)]


def _kinds(asked: Asked) -> _Rows:
    return [(float(_plain(each)), float(each.whole), float(each.holders)) for each in asked.places]


def _whose(asked: Asked) -> _Rows:
    """Features of the subjects: whether they are named, are who asks, or may be a stranger."""
    own = speaks_of_self(asked.text)
    strange = float(names_stranger(asked))
    rows: _Rows = []
    for place in asked.places:
        subject = name_key(place.subject)
        named = float(subject in asked.named)
        part = 0.0 if named else _share(name_terms(subject), asked)
        mine, way = float(subject == asked.oneself), _way(asked, place)
        rows.append(
            (
                named, part, mine * own, mine * (1 - own),
                (1 - mine) * own * (1 - max(named, part, way)),
                float(bool(asked.named) and not named and way == 0), strange,
            )
        )  # fmt: skip
    return rows


def _said(asked: Asked) -> _Rows:
    """Features of words: how much of each place the question says, and the reverse."""
    terms = query_terms(asked.text)
    matches = [[alike(term, place.words) for term in terms] for place in asked.places]
    rare = rarity(terms, matches)
    covered = [dot(rare, row) / (sum(rare) or 1.0) for row in matches]
    said = [_share(name_terms(place.attribute), asked) for place in asked.places]
    return [
        (
            *name, _share(place.values, asked), *cover, (1 - cover[0]) * _plain(place),
            len(place.path) * _plain(place), _way(asked, place), float(not place.facts),
        )
        for place, name, cover in zip(asked.places, _beside(said), _beside(covered), strict=True)
    ]  # fmt: skip


def _near(asked: Asked) -> _Rows:
    """Features of vectors: how near the question is to each place. A place without a vector counts
    as half as near as the nearest."""
    vector, places = asked.vector, asked.places
    texts = _halved([holding(vector, asked.texts, place) for place in places])
    names = _halved([cosine(vector, asked.names.get(spoken(place))) for place in places])
    return [
        (*text, *(each * _plain(place) for each in name), name[0] * place.whole)
        for place, text, name in zip(places, _beside(texts), _beside(names), strict=True)
    ]


def _moved(asked: Asked) -> _Rows:
    """The same for the vector that was moved near to what answers; zeros without one."""
    moved, places = asked.moved, asked.places
    if moved is None:
        return [(0.0,) * 4] * len(places)
    texts = [holding(moved.to_text, asked.texts, place) or 0.0 for place in places]
    names = [cosine(moved.to_name, asked.names.get(spoken(place))) or 0.0 for place in places]
    return [(*text, *name) for text, name in zip(_beside(texts), _beside(names), strict=True)]


def _beside(values: Sequence[float]) -> list[tuple[float, float]]:
    """Each value, with its distance from the best."""
    best = max(values, default=0.0)
    return [(each, each - best) for each in values]


def _halved(values: Sequence[float | None]) -> list[float]:
    nearest = max((each for each in values if each is not None), default=0.0)
    return [0.5 * nearest if each is None else each for each in values]


def holding(vector: Vector | None, texts: Mapping[str, Vector], place: Place) -> float | None:
    """The cosine of a vector and the nearest fact of a place; None without vectors."""
    if place.whole:
        return None
    ids = [place.attribute] if place.other else [fact.id for fact in place.told]
    found = (cosine(vector, texts.get(id_)) for id_ in ids)
    return max((each for each in found if each is not None), default=None)


def _plain(place: Place) -> bool:
    return not place.whole and not place.holders


def _way(asked: Asked, place: Place) -> float:
    """The share of the path to a place that the question says."""
    return _share([term for each in place.path for term in name_terms(each)], asked)


def _share(terms: Collection[str], asked: Asked) -> float:
    """The share of terms that a question says."""
    return sum(alike(term, asked.said) for term in terms) / len(terms) if terms else 0.0


def spoken(place: Place) -> str:
    """A line as somebody would call it: ``landlord phone``, where the landlord leads there."""
    said = (*place.path, place.attribute) if not place.whole else (_EVERYTHING, place.subject)
    return " ".join(said).replace("_", " ")


def names_stranger(asked: Asked) -> bool:
    """Whether a word within the question begins with a capital, and stands in no line."""
    held = frozenset[str]().union(*(each.words for each in asked.places))
    for word in asked.text.split()[1:]:
        terms = name_terms(word)
        if word[:1].isupper() and len(word) > 1 and terms and not alike(terms[0], held):
            return True
    return False
