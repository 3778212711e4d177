"""The interface of a tenant's vectors, which are of unit length and of one model."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from text2mem.adapters.base import Embedding, Vector
from text2mem.adapters.refusals import other_vectors, vector_dimension

if TYPE_CHECKING:
    from text2mem.adapters.sql.store import Store

MANY = 50_000
"""The number of vectors from which on an approximate index is used."""
WIDTHS = (2, 16)
"""By what a search multiplies the wanted number: at first, and if too few are left in sight."""


class Vectors(ABC):
    """The vectors of one tenant."""

    _mine: ClassVar[str]
    """The condition for the tenant's rows of ``vectors``; ``_span`` are its parameters."""
    _column: ClassVar[str] = "vector"
    """The expression for a stored vector, as ``_numbers`` takes it."""

    def __init__(self, store: Store, span: Mapping[str, int]) -> None:
        self._span = span
        self._store = store
        self.many = MANY
        """The number of vectors from which on an approximate index is used."""

    def put(self, vectors: Mapping[str, Vector], embedding: Embedding) -> None:
        """Store vectors by memory id. Raises ConfigurationError if the store's are of another
        model, and ExecutionError "vector-dimension" for another length."""
        self.check(embedding)
        if vectors:
            self._suit(vectors, embedding)
            changed = self._put(vectors)
            self._count([*map(int, vectors)], made=len(vectors) - changed, changed=changed)

    @abstractmethod
    def _put(self, vectors: Mapping[str, Vector]) -> int:
        """Store vectors; how many of them count as changed, and not as made."""

    def remove(self, ids: Iterable[str]) -> None:
        """Delete the vectors of these memories."""
        gone = self._each("DELETE", ids, "RETURNING pk")
        if gone:
            self._count([pk - self._store.pk("0") for (pk,) in gone], changed=len(gone))

    def drop(self) -> None:
        """Delete all vectors, and the record of their model."""
        self._store.execute(f"DELETE FROM vectors WHERE {self._mine}", **self._span)  # noqa: S608
        self._store.set_tenant(
            "vector_model = NULL, vector_dimension = NULL, vectors_changed = vectors_changed + 1"
        )

    def held(self) -> tuple[str, int] | None:
        """The model of the tenant's vectors and their length; None if there are none."""
        row = self._store.execute(
            f"SELECT vector_model, vector_dimension FROM tenants WHERE {self._store.dialect.own} "  # noqa: S608
            f"AND EXISTS (SELECT 1 FROM vectors WHERE {self._mine})",
            **self._span,
        ).fetchone()
        return None if row is None or row[0] is None else (row[0], row[1])

    def of(self, ids: Iterable[str]) -> dict[str, Vector]:
        """The vectors of these memories by id, without those that have none."""
        rows = self._each(f"SELECT pk, {self._column}", ids)
        return {str(pk - self._store.pk("0")): self._numbers(held) for pk, held in rows}

    def _each(self, what: str, ids: Iterable[str], then: str = "") -> list[Any]:
        """The rows of a statement about these memories, which begins with ``what``."""
        dialect = self._store.dialect
        return self._store.rows(
            f"{what} FROM vectors WHERE {dialect.mine}{dialect.among('pk', 'pks')} {then}",
            pks=dialect.array([self._store.pk(id_) for id_ in ids]),
        )

    @staticmethod
    def _numbers(held: Any) -> Any:
        """The numbers of a stored vector."""
        return held

    @property
    def threshold(self) -> float:
        """The least cosine similarity of a hit, as recorded with the first vector."""
        return float(self._store.of_tenant("vector_threshold") or 0.0)

    def rankings(self, vector: Vector, threshold: float, count: int | None) -> Iterator[list[int]]:
        """Yield rankings of growing length: the ids whose cosine similarity reaches ``threshold``,
        most similar first, then by id. The first is by a few times ``count`` vectors, the last by
        all; ``count`` None gives the last one only. Raises ExecutionError "vector-dimension"."""
        held = self.held()
        if held is None:
            return
        if len(vector) != held[1]:
            raise vector_dimension(len(vector), held[1])
        yield from self._rankings(vector, threshold, count)

    @abstractmethod
    def _rankings(self, vector: Vector, threshold: float, count: int | None) -> Iterator[list[int]]:
        """See ``rankings``; the vector has the right length."""

    @abstractmethod
    def rebuild_index(self) -> None:
        """Rebuild the approximate index, if there is to be one."""

    def begin(self, *, write: bool) -> Any:
        """Note that a transaction or a savepoint begins; returns the mark for ``end``."""
        return None

    def end(self, mark: Any, *, kept: bool, outermost: bool) -> None:
        """Note that it has ended: whether it was ``kept``, and whether it was a transaction."""
        return

    def check(self, embedding: Embedding) -> None:
        """Raise ConfigurationError if the tenant's vectors are of another model."""
        held = self.held()
        if held is not None and held[0] != embedding.model:
            raise other_vectors(held[0], embedding.model)

    def _suit(self, vectors: Mapping[str, Vector], embedding: Embedding) -> None:
        """Refuse vectors of another length than the store's (ExecutionError). The first ones set
        model, threshold and length."""
        held = self.held()
        dimension = held[1] if held else len(next(iter(vectors.values())))
        if held is None:
            self._store.set_tenant(
                "vector_model = :model, vector_threshold = :threshold, "
                "vector_dimension = :dimension",
                model=embedding.model, threshold=embedding.threshold, dimension=dimension,
            )  # fmt: skip
        wrong = next((len(each) for each in vectors.values() if len(each) != dimension), None)
        if wrong is not None:
            raise vector_dimension(wrong, dimension)

    def _are_many(self) -> bool:
        """Whether there are at least ``many`` vectors."""
        counted = self._store.scalar(
            f"SELECT count(*) FROM (SELECT 1 FROM vectors WHERE {self._mine} LIMIT :many) AS found",  # noqa: S608
            **self._span, many=self.many,
        )  # fmt: skip
        return bool(counted >= self.many)

    def _count(self, ids: Sequence[int], *, made: int = 0, changed: int = 0) -> None:
        """Add to the tenant's counters of vectors made, and of vectors changed or removed, when
        those of these memories were written."""
        self._store.set_tenant(
            "vectors_made = vectors_made + :made, vectors_changed = vectors_changed + :changed",
            made=made, changed=changed,
        )  # fmt: skip
