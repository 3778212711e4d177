"""Exact search by cosine similarity, in a matrix that holds all vectors in memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from text2mem.adapters.base import Vector
from text2mem.adapters.ranking import SIMILARITY_DIGITS
from text2mem.adapters.sqlite.following import VectorCopy, arithmetic

if TYPE_CHECKING:
    from text2mem.adapters.sqlite.store import SqliteStore


class Matrix(VectorCopy):
    """A copy of a tenant's vectors as a matrix, in the order of ids."""

    def __init__(self, store: SqliteStore) -> None:
        super().__init__(store)
        self._ids: Any = None
        """An array of int64, ascending; only the first ``_used`` are in use."""
        self._matrix: Any = None
        """A matrix of float32 with one row for each id."""
        self._used = 0

    def __len__(self) -> int:
        return self._used

    def similar(
        self, vector: Vector, threshold: float, counts: Sequence[int] = ()
    ) -> Iterator[list[int]]:
        """The hits among all vectors (see ``ranked``)."""
        self.follow(len(vector))
        ids, matrix = self._ids[: self._used], self._matrix[: self._used]
        return ranked(ids, matrix, vector, threshold, counts)

    def _fits(self, dimension: int) -> bool:
        return self._matrix is not None and self._matrix.shape[1] == dimension

    def _load(self, dimension: int) -> None:
        self._used = 0
        count = self._connection.execute(
            "SELECT count(*) FROM vectors WHERE pk >= ? AND pk < ?", (self._low, self._high)
        ).fetchone()[0]
        self._reserve(count, dimension)
        self._append(dimension, above=-1)

    def _extend(self) -> None:
        above = int(self._ids[self._used - 1]) if self._used else -1
        self._append(self._matrix.shape[1], above=above)

    def _append(self, dimension: int, *, above: int) -> None:
        """Append the vectors of the file whose ids are greater than ``above``."""
        for ids, vectors in self._blocks(dimension, above=above):
            end = self._used + len(ids)
            self._reserve(end, dimension)
            self._ids[self._used : end], self._matrix[self._used : end] = ids, vectors
            self._used = end

    def _reserve(self, count: int, dimension: int) -> None:
        """Make room for ``count`` vectors. Vectors of another length are dropped."""
        numpy = arithmetic()
        if not self._fits(dimension):
            self._ids, self._used = numpy.zeros(0, dtype="int64"), 0
            self._matrix = numpy.zeros((0, dimension), dtype="<f4")
        if count > len(self._ids):
            room = max(count, len(self._ids) + len(self._ids) // 4)
            ids, matrix = self._ids, self._matrix
            self._ids = numpy.zeros(room, dtype="int64")
            self._matrix = numpy.zeros((room, dimension), dtype="<f4")
            self._ids[: self._used] = ids[: self._used]
            self._matrix[: self._used] = matrix[: self._used]

    def _refresh(self, ids: set[int]) -> None:
        numpy = arithmetic()
        for id_ in sorted(ids):
            row = self._connection.execute(
                "SELECT vector FROM vectors WHERE pk = ?", (self._low + id_,)
            ).fetchone()
            at = int(numpy.searchsorted(self._ids[: self._used], id_))
            present = at < self._used and self._ids[at] == id_
            if not present and row is None:
                continue
            if not present:
                self._reserve(self._used + 1, self._matrix.shape[1])
                self._ids[at + 1 : self._used + 1] = self._ids[at : self._used].copy()
                self._matrix[at + 1 : self._used + 1] = self._matrix[at : self._used].copy()
                self._ids[at] = id_
                self._used += 1
            # The row of a removed vector becomes zeros, which are similar to nothing.
            self._matrix[at] = 0 if row is None else numpy.frombuffer(row[0], dtype="<f4")
        # Additions of others are read from the last id on, so that id must exist in the file.
        while self._used and not self._matrix[self._used - 1].any():
            self._used -= 1


def ranked(
    ids: Any, matrix: Any, vector: Vector, threshold: float, counts: Sequence[int] = ()
) -> Iterator[list[int]]:
    """Yield the ids with a cosine similarity of at least ``threshold``, most similar first, then by
    id: at least as many as each of ``counts``, while there are more, and at last all of them.
    ``matrix`` has one row of unit length for each of ``ids``."""
    numpy = arithmetic()
    cosines = matrix @ numpy.asarray(vector, dtype="<f4")
    rows = numpy.flatnonzero(cosines >= threshold - 10.0**-SIMILARITY_DIGITS)
    near = cosines[rows].astype("float64").round(SIMILARITY_DIGITS)
    ids, near = ids[rows[near >= threshold]], near[near >= threshold]
    for count in counts:
        if count < len(near):
            least = numpy.partition(near, -count)[-count]
            yield _sorted(ids[near >= least], near[near >= least])
    yield _sorted(ids, near)


def _sorted(ids: Any, near: Any) -> list[int]:
    """The ids, the most similar first, then by id."""
    order: list[int] = ids[arithmetic().lexsort((ids, -near))].tolist()
    return order
