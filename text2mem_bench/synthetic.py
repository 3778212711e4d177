"""Made-up memories for measuring a store: words and tags as frequent as in life, nothing meant.

Words follow Zipf's law over a vocabulary of made-up Latin words and Chinese pairs; every fourth
memory is Chinese. Vectors are clusters of directions, or random ones, which cost what real ones
cost and find nothing.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any, Literal

from text2mem.ir.ops import Content, Encode

START = datetime(2024, 1, 1, tzinfo=UTC)
NOW = datetime(2026, 1, 1, tzinfo=UTC)
WEEK = timedelta(days=7)
WORDS = 12
VOCABULARY = 30_000
LATIN = 0.75
"""The share of the memories that are not Chinese."""
TAGS = 1_000
DIMENSION = 384
_A_CLUSTER = 200  # memories that are about one thing
_NOISE = 0.8  # the length of what is a memory's own, beside 1 of what it shares with its cluster
_SYLLABLES = [c + v for c in "bdfgklmnprstvz" for v in ("a", "e", "i", "o", "u", "an", "or")]
_TYPES = ("note", "task", "event", "contact", "preference", "fact", "idea", "quote")


def share(rank: int) -> float:
    """About which share of the memories holds the Latin word of a rank."""
    weights = _zipf(VOCABULARY)
    chance = (weights[rank] - (weights[rank - 1] if rank else 0.0)) / weights[-1]
    return LATIN * (1 - (1 - chance) ** WORDS)


def terms(most: float, count: int = 40) -> list[str]:
    """Latin words that at most this share of the memories hold, and the next rarer ones."""
    low, high = 0, VOCABULARY - count
    while low < high:  # frequencies fall with the rank
        middle = (low + high) // 2
        if share(middle) > most:
            low = middle + 1
        else:
            high = middle
    return [word(rank) for rank in range(low, low + count)]


def word(rank: int) -> str:
    """The made-up Latin word of a rank; each rank has its own."""
    base = len(_SYLLABLES)
    out, rest = "", rank
    while True:
        out += _SYLLABLES[rest % base]
        rest //= base
        if not rest:
            return out + "x"  # no plural s that the index would fold


def chinese(rank: int) -> str:
    """The pair of characters of a rank; each rank has its own."""
    return chr(0x4E00 + rank % 170) + chr(0x5200 + rank // 170)


def tag(rank: int) -> str:
    """The tag of a rank."""
    return f"tag-{rank}"


@dataclass
class Synthetic:
    """A seeded source of memories."""

    seed: int = 0
    total: int = 100_000
    _made: int = field(init=False, default=0)
    _random: random.Random = field(init=False)
    _words: Sequence[float] = field(init=False)
    _tags: Sequence[float] = field(init=False)

    def __post_init__(self) -> None:
        self._random = random.Random(self.seed)
        self._words = _zipf(VOCABULARY)
        self._tags = _zipf(TAGS)

    def encodes(self, count: int) -> Iterator[Encode]:
        """Encodes of plain memories with two tags each, arriving in about the order of their times.

        ``total`` of them fill two years; each is up to a week away from its turn.
        """
        step = (NOW - START) / (self.total * 1.1)
        for _ in range(count):
            number = self._made
            self._made += 1
            ranks = self._random.choices(range(VOCABULARY), cum_weights=self._words, k=WORDS)
            tags = self._random.choices(range(TAGS), cum_weights=self._tags, k=2)
            text = (
                "".join(chinese(rank) for rank in ranks)
                if number % 4 == 3
                else " ".join(word(rank) for rank in ranks)
            )
            yield Encode(
                content=Content("text", text),
                attributes={
                    "type": self._random.choice(_TYPES),
                    "tags": tuple(dict.fromkeys(tag(rank) for rank in tags)),
                    "time": START + number * step + self._random.uniform(-1, 1) * WEEK,
                },
            )

    @property
    def reached(self) -> datetime:
        """About the time of the last memory made."""
        return START + self._made * ((NOW - START) / (self.total * 1.1))

    def some_tags(self, count: int) -> list[str]:
        """Tags as often as memories have them."""
        ranks = self._random.choices(range(TAGS), cum_weights=self._tags, k=count)
        return [tag(rank) for rank in ranks]


class Clusters:
    """Directions of unit length by number: clusters, or with ``noise`` None none at all.

    As an embedder it gives every text the next of them, whatever it says.
    """

    model = "synthetic:clusters"
    threshold = 0.1

    def __init__(
        self, seed: int, total: int, *, noise: float | None = _NOISE, dimension: int = DIMENSION
    ) -> None:
        import numpy

        self.dimension = dimension
        self._random = numpy.random.default_rng(seed)
        self._noise = noise
        self._centres = self._directions(max(total // _A_CLUSTER, 1))

    def rows(self, count: int) -> Any:
        """Some more of them, as a numpy matrix of float32."""
        own = self._directions(count)
        if self._noise is None:
            return own
        which = self._random.integers(0, len(self._centres), count)
        return _unit(self._centres[which] + self._noise * own)

    def embed(
        self, texts: Sequence[str], *, kind: Literal["passage", "query"]
    ) -> Sequence[Sequence[float]]:
        return [row.tolist() for row in self.rows(len(texts))]

    def _directions(self, count: int) -> Any:
        return _unit(self._random.standard_normal((count, self.dimension), dtype="f4"))


class RandomVectors:
    """An embedder whose vectors depend on the text and mean nothing."""

    model = "synthetic:random"
    dimension = DIMENSION
    threshold = 0.1

    def embed(
        self, texts: Sequence[str], *, kind: Literal["passage", "query"]
    ) -> Sequence[Sequence[float]]:
        return [row.tolist() for row in self.matrix([hash_of(text) for text in texts])]

    def matrix(self, seeds: Sequence[int]) -> Any:
        """Directions by number, as a numpy matrix of float32."""
        import numpy

        out = numpy.empty((len(seeds), DIMENSION), dtype="<f4")
        for row, seed in enumerate(seeds):
            out[row] = numpy.random.default_rng(seed).standard_normal(DIMENSION, dtype="f4")
        return out / numpy.linalg.norm(out, axis=1, keepdims=True)


def hash_of(text: str) -> int:
    """A number of a text that is the same in every process."""
    return int.from_bytes(text.encode()[:32].ljust(8, b"\0")[-8:], "little")


def _unit(rows: Any) -> Any:
    import numpy

    return rows / numpy.linalg.norm(rows, axis=1, keepdims=True)


@cache
def _zipf(count: int) -> Sequence[float]:
    return list(itertools.accumulate(1 / (rank + 10) for rank in range(count)))
