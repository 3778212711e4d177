"""How well memories fit words: terms, tags and vectors, weighed as the training data says.

Nothing is asked of a store or a model here. The weights are made by ``training/linking.py`` and
``there.py`` out of requests with the memories that were meant; nothing here knows a word of any
language.
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
"""What a fit is worth where another number is named: 5.0 is not 4.0."""


@dataclass(frozen=True, slots=True)
class Fit:
    """A memory and the probability that words mean it."""

    record: Record
    probability: float


def rank(
    words: str,
    pool: Sequence[Record],
    vector: Vector | None = None,
    vectors: Mapping[str, Vector] | None = None,
) -> list[Fit]:
    """The pool by how well it fits ``words``, the best first, then the newer.

    ``vector`` is that of the words, ``vectors`` those of memories by id.
    """
    rows = features(words, pool, vector, vectors or {})
    # Without vectors words are all there is: what shares but some of them is not certain.
    blind = vector is None
    found = [
        Fit(
            record,
            logistic(dot(WEIGHTS, row)) * (row[1] if blind else 1.0) * _numbered(words, record),
        )
        for record, row in zip(pool, rows, strict=True)
    ]
    return sorted(found, key=lambda fit: (-round(fit.probability, 6), -int(fit.record.id)))


def there(
    words: str, pool: Sequence[Record], vector: Vector | None, vectors: Mapping[str, Vector]
) -> dict[str, float]:
    """How likely each memory, by id, is what a whole request means and not what stands next to
    something that is not held."""
    seen = sight(words, pool, vector, vectors)
    if vector is None:
        # Words are all there is: what shares but some of them is not certain.
        return {id_: logistic(dot(BLIND, paired(row))) * row[1] for id_, row in seen.items()}
    return {id_: logistic(dot(THERE, paired(row))) for id_, row in seen.items()}


def twins(
    words: str, meant: Record, pool: Sequence[Record], vector: Vector | None,
    vectors: Mapping[str, Vector],
) -> list[tuple[Record, float]]:  # fmt: skip
    """The memories that hold some terms of a request and all of those that ``meant`` holds, each
    with how much nearer ``meant`` is by vectors (0 without), the nearest first."""
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


def sight(
    words: str, pool: Sequence[Record], vector: Vector | None, vectors: Mapping[str, Vector]
) -> dict[str, tuple[float, ...]]:
    """What is known of each memory, by id, and whether the words name a number that it lacks."""
    rows = features(words, pool, vector, vectors)
    return {
        record.id: (*row, float(_numbered(words, record) < 1))
        for record, row in zip(pool, rows, strict=True)
    }


def paired(row: Sequence[float]) -> tuple[float, ...]:
    """What is known, and the products of it, the constant apart."""
    known = row[1:]
    return (*row, *(a * b for a, b in combinations_with_replacement(known, 2)))


def features(
    words: str, pool: Sequence[Record], vector: Vector | None, vectors: Mapping[str, Vector]
) -> list[tuple[float, ...]]:
    """What is known of each memory, as ``NAMES`` lists it."""
    terms = query_terms(words)
    held = [terms_of(search_text(record)) for record in pool]
    # A term that some memory holds as it is means no other word.
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
        # A memory without a vector stands in the middle of what is usual.
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
    """The terms of a text, whatever their order and number."""
    return frozenset(index_terms(text))


def _numbered(words: str, record: Record) -> float:
    """Less than 1 where the words name a number that the memory does not hold."""
    numbers = {term for term in query_terms(words) if term.isdigit()}
    return 1.0 if numbers <= terms_of(search_text(record)) else _OTHER_NUMBER
