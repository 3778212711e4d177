"""What a store asks of its vectors: one model's a tenant, of unit length."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from text2mem.adapters.base import Embedding, Vector
from text2mem.adapters.refusals import other_vectors, vector_dimension

if TYPE_CHECKING:
    from text2mem.adapters.sql.store import Store

MANY = 50_000
"""The number of vectors from which what finds near ones quickly is worth its time."""
WIDTHS = (2, 16)
"""An approximate search asks for so many times the wanted number, first and then."""


class Vectors(ABC):
    """The vectors of one tenant."""

    _mine: ClassVar[str]
    """A condition on the tenant's rows of ``vectors``; ``_span`` is what it binds."""

    def __init__(self, store: Store, span: Mapping[str, int]) -> None:
        self._span = span
        self._store = store
        self.many = MANY
        """From how many vectors on something finds near ones quickly."""

    @abstractmethod
    def put(self, vectors: Mapping[str, Vector], embedding: Embedding) -> None:
        """Store vectors by id. Raises ConfigurationError where the store has another model's."""

    @abstractmethod
    def remove(self, ids: Iterable[str]) -> None:
        """Forget the vectors of these memories."""

    def drop(self) -> None:
        """Forget all of them, and whose they were."""
        self._store.execute(f"DELETE FROM vectors WHERE {self._mine}", **self._span)  # noqa: S608
        self._tenant(
            "vector_model = NULL, vector_dimension = NULL, vectors_changed = vectors_changed + 1"
        )

    def held(self) -> tuple[str, int] | None:
        """The model that made the tenant's vectors, and their length; None without any."""
        row = self._store.execute(
            f"SELECT vector_model, vector_dimension FROM tenants WHERE {self._store.dialect.own} "  # noqa: S608
            f"AND EXISTS (SELECT 1 FROM vectors WHERE {self._mine})",
            **self._span,
        ).fetchone()
        return None if row is None or row[0] is None else (row[0], row[1])

    @abstractmethod
    def of(self, ids: Iterable[str]) -> Mapping[str, Vector]:
        """The vectors of these memories, by id; those without one are left out."""

    @property
    def threshold(self) -> float:
        """The cosine from which a memory is a hit, as it was when the first vector was stored."""
        found = self._store.scalar(
            f"SELECT vector_threshold FROM tenants WHERE {self._store.dialect.own}"  # noqa: S608
        )
        return float(found or 0.0)

    def rankings(self, vector: Vector, threshold: float, count: int | None) -> Iterator[list[int]]:
        """Ids with a cosine of at least ``threshold``, the most similar first, then by id.

        Ever more of them: the last ranking has all, the first some more than ``count``.
        Raises ExecutionError "vector-dimension".
        """
        held = self.held()
        if held is None:
            return
        if len(vector) != held[1]:
            raise vector_dimension(len(vector), held[1])
        yield from self._rankings(vector, threshold, count)

    @abstractmethod
    def _rankings(self, vector: Vector, threshold: float, count: int | None) -> Iterator[list[int]]:
        """The same, for a vector as long as those that are held."""

    @abstractmethod
    def rebuild_index(self) -> None:
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

    # --- what the tables say, for those who keep the vectors -------------------------------

    def _suit(self, vectors: Mapping[str, Vector], embedding: Embedding) -> None:
        """Whose vectors these are is noted with the first ones.

        Raises ConfigurationError for another model's, ExecutionError for another length.
        """
        held = self.held()
        dimension = held[1] if held else len(next(iter(vectors.values())))
        if held is None:
            self._tenant(
                "vector_model = :model, vector_threshold = :threshold, "
                "vector_dimension = :dimension",
                model=embedding.model, threshold=embedding.threshold, dimension=dimension,
            )  # fmt: skip
        else:
            self.check(embedding)
        wrong = next((len(each) for each in vectors.values() if len(each) != dimension), None)
        if wrong is not None:
            raise vector_dimension(wrong, dimension)

    def _are_many(self) -> bool:
        found = self._store.scalar(
            f"SELECT count(*) FROM (SELECT 1 FROM vectors WHERE {self._mine} LIMIT :many) AS found",  # noqa: S608
            **self._span, many=self.many,
        )  # fmt: skip
        return bool(found >= self.many)

    def _counted(self, *, made: int = 0, changed: int = 0) -> None:
        self._tenant(
            "vectors_made = vectors_made + :made, vectors_changed = vectors_changed + :changed",
            made=made, changed=changed,
        )  # fmt: skip

    def _tenant(self, assignments: str, **values: object) -> None:
        # The assignments are constants of the code.
        self._store.execute(
            f"UPDATE tenants SET {assignments} WHERE {self._store.dialect.own}",  # noqa: S608
            **values,
        )
