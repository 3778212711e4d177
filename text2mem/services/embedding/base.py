"""What all embedders of ours do alike: prefixes, batches, checks and unit length."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from text2mem.errors import ConfigurationError, MalformedOutput
from text2mem.services.embedding.profiles import Kind, profile_of

Vector = tuple[float, ...]
BATCH = 64
"""How many texts go into one question at most."""


class CheckedEmbedder(ABC):
    """An embedder that never hands out a vector that it has not checked.

    ``model`` is ``provider:model``. ``threshold``, the cosine similarity from which a search counts
    a memory as a hit, overrules the profile's. ``dimension`` is the length of the vectors, None
    before the first answer; where it is known, another one is refused.
    """

    def __init__(
        self, model: str, *, threshold: float | None = None, dimension: int | None = None
    ) -> None:
        self._profile = profile_of(model)
        self.model = model
        self.threshold = self._profile.threshold if threshold is None else threshold
        self.dimension = dimension

    def embed(self, texts: Sequence[str], *, kind: Kind) -> Sequence[Vector]:
        """One vector a text, in order, of length 1. The texts are not blank.

        Raises MalformedOutput where the model answers with anything else, and where a service is
        asked, ServiceError and its kinds, and ContextOverflow for a text too long for the model.
        """
        prefix = self._profile.prefix(kind)
        vectors: list[Vector] = []
        for start in range(0, len(texts), BATCH):
            batch = [prefix + text for text in texts[start : start + BATCH]]
            found = unit_vectors(
                self._answer(batch, kind), count=len(batch), dimension=self.dimension,
                model=self.model,
            )  # fmt: skip
            self.dimension = len(found[0])
            vectors += found
        return vectors

    @abstractmethod
    def _answer(self, texts: Sequence[str], kind: Kind) -> Any:
        """The model's vectors for at most BATCH texts, as they came."""


def named(provider: str, model: str, *, example: str) -> None:
    """Raises ConfigurationError where there is no model's name."""
    if not model:
        raise ConfigurationError(
            f"'{provider}' does not name an embedding model",
            hint=f"write {provider}:MODEL, such as {provider}:{example}",
        )


def unit_vectors(
    answer: Any, *, count: int, dimension: int | None, model: str
) -> tuple[Vector, ...]:
    """The answer's vectors, in order, each of Euclidean length 1.

    Raises MalformedOutput unless they are ``count`` lists of finite numbers, all of one dimension
    (``dimension``, where it is known) and none of them zero.
    """
    rows = _rows(answer)
    if rows is None:
        raise MalformedOutput("the model's answer holds no vectors", model=model)
    if len(rows) != count:
        raise MalformedOutput(
            f"the model was given {count} texts and answered {len(rows)} vectors", model=model
        )
    vectors = tuple(_unit(row, model) for row in rows)
    expected = dimension or (len(vectors[0]) if vectors else 0)
    for vector in vectors:
        if len(vector) != expected:
            raise MalformedOutput(
                f"the model's vectors had {expected} numbers, and now one has {len(vector)}",
                model=model, hint="does another model answer under the same name?",
            )  # fmt: skip
    return vectors


def _unit(row: Any, model: str) -> Vector:
    numbers = _rows(row)
    if not numbers or not all(isinstance(n, int | float) for n in numbers):
        raise MalformedOutput("the model answered a vector that is no list of numbers", model=model)
    try:
        length = math.hypot(*numbers)
    except OverflowError:  # an integer beyond every float
        length = math.inf
    if not math.isfinite(length):
        raise MalformedOutput("the model answered a vector that is not finite", model=model)
    if length == 0:
        raise MalformedOutput("the model answered a vector of zeros", model=model)
    return tuple(number / length for number in numbers)


def _rows(value: Any) -> Sequence[Any] | None:
    """The value, if it is a sequence and no text."""
    is_rows = isinstance(value, Sequence) and not isinstance(value, str | bytes)
    return value if is_rows else None
