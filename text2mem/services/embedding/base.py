"""The base class of embedders: prefixes, batches, checks, and normalization to unit length."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from text2mem.errors import ConfigurationError, MalformedOutput
from text2mem.services.embedding.profiles import Kind, profile_of

Vector = tuple[float, ...]
BATCH = 64
"""The most texts of one request to a model."""


class CheckedEmbedder(ABC):
    """An embedder that checks all vectors of its model.

    ``model`` is ``provider:model``. ``threshold`` is the cosine similarity from which a memory is a
    hit of a search, by default the profile's. ``dimension`` is the length of the vectors, None
    before the first answer. Vectors of another length are refused.
    """

    def __init__(
        self, model: str, *, threshold: float | None = None, dimension: int | None = None
    ) -> None:
        self._profile = profile_of(model)
        self.model = model
        self.threshold = self._profile.threshold if threshold is None else threshold
        self.dimension = dimension

    def embed(self, texts: Sequence[str], *, kind: Kind) -> Sequence[Vector]:
        """Return one vector of Euclidean length 1 for each text, in order. No text may be blank.

        Raises MalformedOutput for an answer with anything else. An embedder that asks a service
        also raises ServiceError, and ContextOverflow for a text that is too long for the model.
        """
        prefix = self._profile.query if kind == "query" else self._profile.passage
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
        """Return the model's vectors for at most BATCH texts, unchecked."""


class ServedEmbedder(CheckedEmbedder):
    """The base class of embedders that ask a server by the provider of the same name, which handles
    address, key, secrets and errors.

    ``deadline`` is in seconds, for all tries of one batch; ``options`` are those of the provider.
    Raises ConfigurationError if no model is named.
    """

    provider: type[Any]
    example: str
    """A name ``provider:model``, for a hint."""

    def __init__(
        self, model: str, *, deadline: float = 60.0, threshold: float | None = None, **options: Any
    ) -> None:
        if not model:
            scheme = self.example.partition(":")[0]
            raise ConfigurationError(
                f"'{scheme}' does not name an embedding model",
                hint=f"write {scheme}:MODEL, such as {self.example}",
            )
        self._service = self.provider(model, **options)
        self._deadline = deadline
        super().__init__(self._service.name, threshold=threshold)

    def _answer(self, texts: Sequence[str], kind: Kind) -> Any:
        return self._service.vectors(texts, deadline=self._deadline)


def unit_vectors(
    answer: Any, *, count: int, dimension: int | None, model: str
) -> tuple[Vector, ...]:
    """Return the vectors of an answer, in order, each scaled to Euclidean length 1.

    Raises MalformedOutput unless there are ``count`` lists of finite numbers, all of the same
    length (``dimension``, if it is given), and none of them all zeros.
    """
    rows = _rows(answer)
    if rows is None:
        raise MalformedOutput("the model's answer holds no vectors", model=model)
    if len(rows) != count:
        raise MalformedOutput(
            f"the model was given {count} texts and answered {len(rows)} vectors", model=model
        )
    vectors = tuple(_unit(row, model) for row in rows)
    for vector in vectors:
        dimension = dimension or len(vector)
        if len(vector) != dimension:
            raise MalformedOutput(
                f"the model's vectors had {dimension} numbers, and now one has {len(vector)}",
                model=model, hint="does another model answer under the same name?",
            )  # fmt: skip
    return vectors


def _unit(row: Any, model: str) -> Vector:
    """One vector, scaled to length 1. Raises MalformedOutput."""
    numbers = _rows(row)
    if not numbers or not all(isinstance(n, int | float) for n in numbers):
        raise MalformedOutput("the model answered a vector that is no list of numbers", model=model)
    try:
        length = math.hypot(*numbers)
    except OverflowError:  # an integer beyond every float
        length = math.inf
    if not (0 < length < math.inf):
        what = "of zeros" if length == 0 else "that is not finite"
        raise MalformedOutput(f"the model answered a vector {what}", model=model)
    return tuple(number / length for number in numbers)


def _rows(value: Any) -> Sequence[Any] | None:
    """The value if it is a sequence other than a text; else None."""
    is_rows = isinstance(value, Sequence) and not isinstance(value, str | bytes)
    return value if is_rows else None
