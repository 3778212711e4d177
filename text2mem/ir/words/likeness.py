"""The similarity of words, and of the vectors of texts, in any language."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from operator import mul

_ALIKE = 0.8
"""The least ratio of ``SequenceMatcher`` of a Latin word and its typo or other ending."""
_LEAST = 4
"""The least number of letters of a word that is compared for similarity."""
_SHARED, _STEM = 0.6, 0.7
"""Two words whose common beginning has at least this share of the longer one's letters count as
forms of one word, with this similarity."""
Vector = Sequence[float]


def dot(one: Vector, other: Vector) -> float:
    """The dot product of two vectors. Raises ValueError if their dimensions differ."""
    if len(one) != len(other):
        raise ValueError(f"{len(one)} numbers and {len(other)}")
    return float(sum(map(mul, one, other)))


def cosine(one: Vector | None, other: Vector | None) -> float | None:
    """The cosine of two unit vectors; None if one is missing or if their dimensions differ."""
    if one is None or other is None or len(one) != len(other):
        return None
    return dot(one, other)


def alike(term: str, terms: Collection[str]) -> float:
    """The greatest similarity of a term to one of the others: 1 if it is among them, less if one is
    similar, 0 if none is. CJK and short terms have to be equal."""
    if term in terms:
        return 1.0
    if len(term) < _LEAST or not term.isascii():
        return 0.0
    return max((_alike(term, other) for other in terms), default=0.0)


@lru_cache(maxsize=65536)
def _alike(one: str, other: str) -> float:
    """The similarity of two different terms; 0 below the thresholds, or if one is a number."""
    if one[0] != other[0] or abs(len(one) - len(other)) > 3 or len(other) < _LEAST:
        return 0.0
    if not other.isascii() or one.isdigit() or other.isdigit():
        return 0.0
    ratio = SequenceMatcher(None, one, other, autojunk=False).ratio()
    if ratio >= _ALIKE:
        return ratio
    shared = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), _LEAST)
    return _STEM if shared >= max(_LEAST, _SHARED * max(len(one), len(other))) else 0.0


def rarity(terms: Sequence[str], matches: Sequence[Sequence[float]]) -> list[float]:
    """The smoothed inverse document frequency (IDF) of each term in a pool of texts. ``matches``
    has a row for each text, with the weight of each term in it, 0 for one that it lacks."""
    many = len(matches)
    holding = Counter(i for row in matches for i, match in enumerate(row) if match)
    return [math.log(1 + (many + 1) / (holding[i] + 1)) for i in range(len(terms))]


def logistic(score: float) -> float:
    """The probability for a score in log-odds."""
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, score))))
