"""How alike words, and the vectors of texts, are. Pure functions; nothing here knows a language."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from operator import mul

_ALIKE = 0.8
"""From which ratio on two Latin words count as one word with a typo or another ending."""
_LEAST = 4
_SHARED, _STEM = 0.6, 0.7
"""Words that begin alike for this share of the longer one are forms of one, and count so much."""
Vector = Sequence[float]


def dot(one: Vector, other: Vector) -> float:
    """The product of two vectors of one length, else ValueError: of unit vectors, their cosine."""
    if len(one) != len(other):
        raise ValueError(f"{len(one)} numbers and {len(other)}")
    return float(sum(map(mul, one, other)))


def cosine(one: Vector | None, other: Vector | None) -> float | None:
    """The cosine of unit vectors; None where one is missing, or they are of two models."""
    if one is None or other is None or len(one) != len(other):
        return None
    return dot(one, other)


def alike(term: str, terms: Collection[str]) -> float:
    """1 where a term is among others, less where one is alike, 0 where none is."""
    if term in terms:
        return 1.0
    if len(term) < _LEAST or not term.isascii():
        return 0.0
    return max((_alike(term, other) for other in terms), default=0.0)


@lru_cache(maxsize=65536)
def _alike(one: str, other: str) -> float:
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
    """How telling each term is, by how many of a pool hold it (IDF, smoothed).

    ``matches`` has a row for each of the pool, and in it what each of the terms is worth there.
    """
    many = len(matches)
    holding = Counter(i for row in matches for i, match in enumerate(row) if match)
    return [math.log(1 + (many + 1) / (holding[i] + 1)) for i in range(len(terms))]


def logistic(score: float) -> float:
    """The probability that a score stands for."""
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, score))))
