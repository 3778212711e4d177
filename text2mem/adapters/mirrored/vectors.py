"""The vectors that are given to a framework's index, so that the framework asks no model.

Without an embedder they are hashed terms: each term of a text adds 1 or -1 to one component, both
chosen by its hash (Weinberger et al., ICML 2009). Equal texts get equal vectors, without a model.
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
"""The text that is embedded in place of a blank one, and to find out the length of vectors."""


class Vectors:
    """Makes vectors of texts by an embedder, or by hashed terms."""

    def __init__(self, embedder: Embedder | None = None) -> None:
        self._embedder = embedder
        self.model = "terms" if embedder is None else embedder.model

    @property
    def dimension(self) -> int:
        """The length of a vector."""
        if self._embedder is None:
            return DIMENSION
        return self._embedder.dimension or len(self.passages([PROBE])[0])

    def passages(self, texts: Sequence[str]) -> list[list[float]]:
        """Vectors of memories; a framework with one embedding function uses it for queries, too."""
        return self._made(texts, "passage")

    def query(self, text: str) -> list[float]:
        """The vector of a query."""
        return self._made([text], "query")[0]

    def _made(self, texts: Sequence[str], kind: Literal["passage", "query"]) -> list[list[float]]:
        """Vectors of texts; a blank one is embedded as ``PROBE``."""
        if self._embedder is None:
            return [by_terms(text) for text in texts]
        made = self._embedder.embed([text.strip() or PROBE for text in texts], kind=kind)
        return [list(vector) for vector in made]


def by_terms(text: str) -> list[float]:
    """The vector of a text by its hashed terms, of unit length; of ``PROBE`` if it has none."""
    numbers = [0.0] * DIMENSION
    for term in query_terms(text) or [PROBE]:
        hashed = int.from_bytes(blake2b(term.encode(), digest_size=8).digest(), "big")
        numbers[hashed % DIMENSION] += 1.0 if hashed >> 63 else -1.0
    length = sqrt(sum(number * number for number in numbers)) or 1.0
    return [number / length for number in numbers]


def opened_vectors(place: Place) -> Vectors:
    """The vectors of a place's option ``embedder``. Raises ConfigurationError if it is unknown."""
    if not place.embedder:
        return Vectors()
    from text2mem.services.embedding.registry import open_embedder

    return Vectors(open_embedder(place.embedder))


class NoModel:
    """An object in place of a framework's language model. Any use raises ConfigurationError."""

    def __init__(self, framework: str) -> None:
        self._framework = framework

    def __getattr__(self, name: str) -> Any:
        raise ConfigurationError(
            f"{self._framework} has no language model here", hint="text2mem infers nothing"
        )
