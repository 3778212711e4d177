"""Rank: how well memories fit words, by terms, tags and vectors.

It asks no store and no model, and knows no word of a language. ``training/linking.py`` and
``training/there.py`` fit the weights to requests with the memories that they mean.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations_with_replacement

from text2mem.ir.record import Record
from text2mem.ir.words.likeness import Vector, alike, cosine, dot, logistic, rarity
from text2mem.ir.words.segment import index_terms, query_terms, search_text
from text2mem.planner.link_weights import WEIGHTS
from text2mem.planner.there_weights import BLIND, THERE

_OTHER_NUMBER = 0.4
"""The factor on a probability if the words name a number that the memory lacks: 5.0 is not 4.0."""


@dataclass(frozen=True, slots=True)
class Fit:
    """A memory and the probability that words mean it."""

    record: Record
    probability: float


def rank(
    words: str, pool: Sequence[Record], vector: Vector | None, vectors: Mapping[str, Vector]
) -> list[Fit]:
    """Rank the pool by how well it fits ``words``, the best first; of equals the newer first.

    ``vector`` is that of the words, ``vectors`` are those of memories by id.
    """
    rows = features(words, pool, vector, vectors)
    # Without vectors there are only words: a memory that shares some of them is not certain.
    blind = vector is None
    found = []
    for record, row in zip(pool, rows, strict=True):
        likely = logistic(dot(WEIGHTS, row)) * (row[1] if blind else 1.0)
        found.append(Fit(record, likely * _numbered(words, record)))
    return sorted(found, key=lambda fit: (-round(fit.probability, 6), -int(fit.record.id)))


def there(
    words: str, pool: Sequence[Record], vector: Vector | None, vectors: Mapping[str, Vector]
) -> dict[str, float]:
    """The probability, by memory id, that a request means this, and nothing that is not stored."""
    seen = features_by_id(words, pool, vector, vectors)
    if vector is None:
        # There are only words: a memory that shares some of them is not certain.
        return {id_: logistic(dot(BLIND, paired(row))) * row[1] for id_, row in seen.items()}
    return {id_: logistic(dot(THERE, paired(row))) for id_, row in seen.items()}


def twins(
    words: str, meant: Record, pool: Sequence[Record], vector: Vector | None,
    vectors: Mapping[str, Vector],
) -> list[tuple[Record, float]]:  # fmt: skip
    """The memories that share terms with a request, including all that ``meant`` shares with it.
    Each comes with how much nearer ``meant`` is by vectors (0 without), the nearest first."""
    said = set(query_terms(words))
    shared = said & terms_of(search_text(meant))
    own = cosine(vector, vectors.get(meant.id))
    found = []
    for record in pool:
        held = said & terms_of(search_text(record))
        if held and record.id != meant.id and shared <= held:
            other = cosine(vector, vectors.get(record.id))
            found.append((record, 0.0 if own is None or other is None else own - other))
    return sorted(found, key=lambda each: each[1])


def features_by_id(
    words: str, pool: Sequence[Record], vector: Vector | None, vectors: Mapping[str, Vector]
) -> dict[str, tuple[float, ...]]:
    """The features of each memory, by id, and whether the words name a number that it lacks."""
    rows = features(words, pool, vector, vectors)
    return {
        record.id: (*row, float(_numbered(words, record) < 1))
        for record, row in zip(pool, rows, strict=True)
    }


def paired(row: Sequence[float]) -> tuple[float, ...]:
    """The features, and all products of two of them, without the constant."""
    known = row[1:]
    return (*row, *(a * b for a, b in combinations_with_replacement(known, 2)))


def features(
    words: str, pool: Sequence[Record], vector: Vector | None, vectors: Mapping[str, Vector]
) -> list[tuple[float, ...]]:
    """The features of each memory, in the order of ``NAMES``."""
    terms = query_terms(words)
    held = [terms_of(search_text(record)) for record in pool]
    # A term that some memory holds exactly is matched by no similar word.
    exact = set().union(*held) & set(terms)
    matches = [[float(t in each) if t in exact else alike(t, each) for t in terms] for each in held]
    rare = rarity(terms, matches)
    known = sum(weight for i, weight in enumerate(rare) if any(row[i] for row in matches))
    whole = sum(rare) or 1.0
    covered = [sum(w * m for w, m in zip(rare, row, strict=True)) for row in matches]
    most = max(covered, default=0.0)
    near = [cosine(vector, vectors.get(record.id)) for record in pool]
    nearest = max((each for each in near if each is not None), default=0.0)
    out: list[tuple[float, ...]] = []
    for record, cover, its_near, its in zip(pool, covered, near, held, strict=True):
        # A memory without a vector gets a value in the middle of the usual range.
        close = 0.5 * nearest if its_near is None else its_near
        density = cover / whole * min(1.0, 12 / max(len(its), 1))
        out.append(
            (
                1.0,
                cover / whole,
                cover / known if known else 0.0,
                cover / most if most else 0.0,
                close,
                close - nearest,
                float(words.casefold() in map(str.casefold, record.tags)),
                density,
                (cover / most if most else 0.0) * (1 + close - nearest),
            )
        )  # fmt: skip
    return out


NAMES = (
    "bias", "coverage", "coverage of known terms", "coverage to the best",
    "cosine", "cosine to the best", "is a tag", "density", "best in both",
)  # fmt: skip


@lru_cache(maxsize=4096)
def terms_of(text: str) -> frozenset[str]:
    return frozenset(index_terms(text))


def _numbered(words: str, record: Record) -> float:
    """Less than 1 if the words name a number that the memory does not hold; else 1."""
    numbers = {term for term in query_terms(words) if term.isdigit()}
    return 1.0 if numbers <= terms_of(search_text(record)) else _OTHER_NUMBER
