"""What a store asks of its vectors: one model's a tenant, of unit length."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from text2mem.adapters.base import Embedding, Vector
from text2mem.adapters.refusals import other_vectors


class Vectors(ABC):
    """The vectors of one tenant."""

    @abstractmethod
    def put(self, vectors: Mapping[str, Vector], embedding: Embedding) -> None:
        """Store vectors by id. Raises ConfigurationError where the store has another model's."""

    @abstractmethod
    def remove(self, ids: Iterable[str]) -> None:
        """Forget the vectors of these memories."""

    @abstractmethod
    def drop(self) -> None:
        """Forget all of them, and whose they were."""

    @abstractmethod
    def held(self) -> tuple[str, int] | None:
        """The model that made the tenant's vectors, and their length; None without any."""

    @abstractmethod
    def of(self, ids: Iterable[str]) -> Mapping[str, Vector]:
        """The vectors of these memories, by id; those without one are left out."""

    @property
    @abstractmethod
    def threshold(self) -> float:
        """The cosine from which a memory is a hit, as it was when the first vector was stored."""

    @abstractmethod
    def rankings(self, vector: Vector, threshold: float, count: int | None) -> Iterator[list[int]]:
        """Ids with a cosine of at least ``threshold``, the most similar first, then by id.

        Ever more of them: the last ranking has all, the first some more than ``count``.
        Raises ExecutionError "vector-dimension".
        """

    @abstractmethod
    def remake_graph(self) -> None:
        """Make anew what finds near ones quickly, where there is to be such a thing."""

    def begin(self, *, write: bool) -> Any:
        """A transaction or a savepoint begins: what to give to ``end``."""
        return None

    def end(self, mark: Any, *, kept: bool, outermost: bool) -> None:
        """It is over."""
        return

    def check(self, embedding: Embedding) -> None:
        """Raises ConfigurationError where the tenant's vectors are another model's."""
        held = self.held()
        if held is not None and held[0] != embedding.model:
            raise other_vectors(held[0], embedding.model)
