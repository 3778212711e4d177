"""The vectors that a framework's own index is made of, so that it asks no model of its own.

Without an embedder of ours they are sums over the terms of a text, each term with a sign and a
place by its hash (Weinberger et al., ICML 2009): the same text, the same vector, and no model.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from math import sqrt
from typing import Any, Literal

from text2mem.adapters.mirrored.place import Place
from text2mem.errors import ConfigurationError
from text2mem.ir.ports import Embedder
from text2mem.ir.words.segment import query_terms

DIMENSION = 256
PROBE = "probe"


class Vectors:
    """Vectors of texts, by an embedder or by their terms."""

    def __init__(self, embedder: Embedder | None = None) -> None:
        self._embedder = embedder
        self.model = "terms" if embedder is None else embedder.model

    @property
    def dimension(self) -> int:
        """How many numbers a vector has."""
        if self._embedder is None:
            return DIMENSION
        return self._embedder.dimension or len(self.passages([PROBE])[0])

    def passages(self, texts: Sequence[str]) -> list[list[float]]:
        """Of texts that are held; a framework that knows no other kind asks for queries so, too."""
        return self._made(texts, "passage")

    def query(self, text: str) -> list[float]:
        """Of words that are searched for."""
        return self._made([text], "query")[0]

    def _made(self, texts: Sequence[str], kind: Literal["passage", "query"]) -> list[list[float]]:
        if self._embedder is None:
            return [by_terms(text) for text in texts]
        made = self._embedder.embed([text.strip() or PROBE for text in texts], kind=kind)
        return [list(vector) for vector in made]


def by_terms(text: str) -> list[float]:
    """A vector of unit length; of a text without terms one that is like no other's."""
    numbers = [0.0] * DIMENSION
    for term in query_terms(text) or [PROBE]:
        hashed = int.from_bytes(blake2b(term.encode(), digest_size=8).digest(), "big")
        numbers[hashed % DIMENSION] += 1.0 if hashed >> 63 else -1.0
    length = sqrt(sum(number * number for number in numbers)) or 1.0
    return [number / length for number in numbers]


def opened_vectors(place: Place) -> Vectors:
    """By the embedder that a place names. Raises ConfigurationError where there is no such."""
    if not place.embedder:
        return Vectors()
    from text2mem.services.embedding.registry import open_embedder

    return Vectors(open_embedder(place.embedder))


class NoModel:
    """In place of a framework's language model: it is never asked."""

    def __init__(self, framework: str) -> None:
        self._framework = framework

    def __getattr__(self, name: str) -> Any:
        raise ConfigurationError(
            f"{self._framework} has no language model here", hint="text2mem infers nothing"
        )
