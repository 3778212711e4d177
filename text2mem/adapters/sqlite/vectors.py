"""Vectors: float32 blobs in the file, one matrix in this process, exact search by cosine.

The matrix follows the file: what this connection wrote is read again row by row; what others have
added is read from where the matrix ends; where others have changed vectors, all are.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from typing import Any

from text2mem.adapters.base import Embedding, Vector
from text2mem.adapters.ranking import SIMILARITY_DIGITS
from text2mem.adapters.refusals import other_vectors, vector_dimension
from text2mem.errors import MissingExtra

ID_BITS = 40


class VectorIndex:
    """The vectors of one tenant."""

    def __init__(self, connection: sqlite3.Connection, number: int) -> None:
        self._connection = connection
        self._number = number
        self._span = {"low": number << ID_BITS, "high": (number + 1) << ID_BITS}
        self._ids: Any = None  # int64, ascending
        self._matrix: Any = None  # float32, one row an id
        self._used = 0
        self._made = self._changed = -1  # the file's counters that the matrix reflects
        self._stale: set[int] = set()
        self._touched: set[int] = set()  # by the transaction that is running

    # --- writing ---------------------------------------------------------------------------

    def put(self, vectors: Mapping[str, Vector], embedding: Embedding) -> None:
        """Store vectors by id. Raises ConfigurationError where the store has another model's."""
        if not vectors:
            return
        numpy = _numpy()
        rows = {int(id_): numpy.asarray(v, dtype="<f4") for id_, v in vectors.items()}
        dimension = len(next(iter(rows.values())))
        held = self.held()
        if held is None:
            self._tenant(
                "vector_model = :model, vector_threshold = :threshold, "
                "vector_dimension = :dimension",
                model=embedding.model, threshold=embedding.threshold, dimension=dimension,
            )  # fmt: skip
        else:
            self.check(embedding)
        wrong = [len(v) for v in rows.values() if len(v) != (held[1] if held else dimension)]
        if wrong:
            raise vector_dimension(wrong[0], held[1] if held else dimension)
        # Below the last id, a vector is no addition at the end, which is all that others look for.
        last = self._connection.execute(
            "SELECT max(pk) FROM vectors WHERE pk >= :low AND pk < :high", self._span
        ).fetchone()[0]
        late = [id_ for id_ in rows if last is not None and self._span["low"] + id_ <= last]
        self._connection.executemany(
            "INSERT INTO vectors (pk, vector) VALUES (?, ?) "
            "ON CONFLICT (pk) DO UPDATE SET vector = excluded.vector",
            [(self._span["low"] + id_, v.tobytes()) for id_, v in rows.items()],
        )
        self._count(made=len(rows) - len(late), changed=len(late))
        self._touched.update(rows)

    def remove(self, ids: Iterable[str]) -> None:
        """Forget the vectors of these memories."""
        numbers = [int(id_) for id_ in ids]
        if self.held() is None:
            return
        known = self._known(numbers)
        self._connection.executemany(
            "DELETE FROM vectors WHERE pk = ?", [(self._span["low"] + id_,) for id_ in known]
        )
        self._count(made=0, changed=len(known))
        self._touched.update(known)

    def drop(self) -> None:
        """Forget all of them, and whose they were."""
        self._connection.execute("DELETE FROM vectors WHERE pk >= :low AND pk < :high", self._span)
        self._tenant("vector_model = NULL, vector_dimension = NULL, "
                     "vectors_changed = vectors_changed + 1")  # fmt: skip
        self._made = -1

    def begin(self) -> tuple[int, int]:
        """A transaction or a savepoint begins: what to give to ``end``."""
        return self._made, self._changed

    def end(self, mark: tuple[int, int], *, kept: bool, outermost: bool) -> None:
        """It is over: what was touched is read again, whatever became of it."""
        self._stale |= self._touched
        if not kept and self._touched:
            self._made, self._changed = mark
        if outermost:
            self._touched = set()

    # --- reading ---------------------------------------------------------------------------

    def held(self) -> tuple[str, int] | None:
        """The model and the dimension of the tenant's vectors; None where it has none."""
        row = self._connection.execute(
            "SELECT vector_model, vector_dimension FROM tenants WHERE number = :number "
            "AND EXISTS (SELECT 1 FROM vectors WHERE pk >= :low AND pk < :high)",
            {"number": self._number, **self._span},
        ).fetchone()
        return None if row is None or row[0] is None else (row[0], row[1])

    @property
    def threshold(self) -> float:
        """The cosine from which a memory is a hit, as it was when the first vector was stored."""
        row = self._connection.execute(
            "SELECT vector_threshold FROM tenants WHERE number = ?", (self._number,)
        ).fetchone()
        return float(row[0] or 0.0)

    def check(self, embedding: Embedding) -> None:
        """Raises ConfigurationError where the tenant's vectors are another model's."""
        held = self.held()
        if held is not None and held[0] != embedding.model:
            raise other_vectors(held[0], embedding.model)

    def similar(self, vector: Vector, threshold: float) -> list[tuple[int, float]]:
        """Ids and cosines of at least ``threshold``, the most similar first, then by id.

        Raises ExecutionError "vector-dimension".
        """
        numpy = _numpy()
        held = self.held()
        if held is None:
            return []
        if len(vector) != held[1]:
            raise vector_dimension(len(vector), held[1])
        self._follow(held[1])
        cosines = self._matrix[: self._used] @ numpy.asarray(vector, dtype="<f4")
        found = numpy.flatnonzero(cosines >= threshold - 10.0**-SIMILARITY_DIGITS)
        near = cosines[found].astype("float64").round(SIMILARITY_DIGITS)
        found, near = found[near >= threshold], near[near >= threshold]
        order = found[numpy.lexsort((self._ids[found], -near))]
        return [(int(self._ids[i]), float(cosines[i])) for i in order]

    def _follow(self, dimension: int) -> None:
        made, changed = self._connection.execute(
            "SELECT vectors_made, vectors_changed FROM tenants WHERE number = ?", (self._number,)
        ).fetchone()
        if (
            self._made < 0
            or changed != self._changed
            or self._matrix is None
            or self._matrix.shape[1] != dimension
        ):
            self._load(dimension, above=-1)
        elif made != self._made:
            self._load(dimension, above=int(self._ids[self._used - 1]) if self._used else -1)
        self._refresh(self._stale | self._touched)
        self._stale = set()
        self._made, self._changed = made, changed

    def _load(self, dimension: int, *, above: int) -> None:
        numpy = _numpy()
        if above < 0:
            self._used = 0
            count = self._connection.execute(
                "SELECT count(*) FROM vectors WHERE pk >= :low AND pk < :high", self._span
            ).fetchone()[0]
            self._reserve(count, dimension)
        rows = self._connection.execute(
            "SELECT pk, vector FROM vectors WHERE pk > :above AND pk < :high ORDER BY pk",
            {"above": self._span["low"] + above, "high": self._span["high"]},
        )
        while block := rows.fetchmany(8192):
            self._reserve(self._used + len(block), dimension)
            end = self._used + len(block)
            self._ids[self._used : end] = [row[0] - self._span["low"] for row in block]
            joined = b"".join(row[1] for row in block)
            self._matrix[self._used : end] = numpy.frombuffer(joined, dtype="<f4").reshape(
                len(block), dimension
            )
            self._used = end

    def _reserve(self, count: int, dimension: int) -> None:
        numpy = _numpy()
        if self._matrix is None or self._matrix.shape[1] != dimension:
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
        numpy = _numpy()
        for id_ in sorted(ids):
            row = self._connection.execute(
                "SELECT vector FROM vectors WHERE pk = ?", (self._span["low"] + id_,)
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
            # A row of zeros is similar to nothing.
            self._matrix[at] = 0 if row is None else numpy.frombuffer(row[0], dtype="<f4")
        # What others add is looked for after the last id, so that must be one of the file's.
        while self._used and not self._matrix[self._used - 1].any():
            self._used -= 1

    def _known(self, ids: Iterable[int]) -> list[int]:
        probe = "SELECT 1 FROM vectors WHERE pk = ?"
        return [
            id_ for id_ in ids
            if self._connection.execute(probe, (self._span["low"] + id_,)).fetchone()
        ]  # fmt: skip

    def _count(self, *, made: int, changed: int) -> None:
        self._tenant("vectors_made = vectors_made + :made, "
                     "vectors_changed = vectors_changed + :changed",
                     made=made, changed=changed)  # fmt: skip
        if self._made >= 0:
            self._made, self._changed = self._made + made, self._changed + changed

    def _tenant(self, assignments: str, **values: object) -> None:
        # The assignments are constants of this module.
        self._connection.execute(
            f"UPDATE tenants SET {assignments} WHERE number = :number",  # noqa: S608
            {**values, "number": self._number},
        )


def _numpy() -> Any:
    try:
        import numpy
    except ImportError as error:
        raise MissingExtra("searching by vectors", extra="embeddings") from error
    return numpy
