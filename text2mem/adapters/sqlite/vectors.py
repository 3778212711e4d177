"""Vectors: float32 blobs in the file, and what this process keeps of them for searching.

That is one matrix, in which every vector is compared; and, where the caller asks for it and there
are many, a graph that proposes which ones to compare.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping

from text2mem.adapters.base import Embedding, Vector
from text2mem.adapters.refusals import vector_dimension
from text2mem.adapters.sql.codec import to_json
from text2mem.adapters.sql.store import ID_BITS
from text2mem.adapters.sql.vectors import Vectors
from text2mem.adapters.sqlite.following import Following, Marks, arithmetic
from text2mem.adapters.sqlite.graph import Graph
from text2mem.adapters.sqlite.graph_file import GraphFile, database_file
from text2mem.adapters.sqlite.matrix import Matrix

MANY = 50_000
"""The number of vectors from which a graph is worth its time."""
_WIDTHS = (2, 16)  # how many times as many as are wanted the graph is asked for


class VectorIndex(Vectors):
    """The vectors of one tenant."""

    def __init__(self, connection: sqlite3.Connection, number: int) -> None:
        self._connection = connection
        self._number = number
        self._span = {"low": number << ID_BITS, "high": (number + 1) << ID_BITS}
        self._matrix = Matrix(connection, number)
        self._file = GraphFile(database_file(connection), number)
        self._graph: Graph | None = None
        self._many = MANY
        self._reads = True

    def use_graph(self, many: int) -> None:
        """Search by a graph from this number of vectors on; ``Graph.require`` has been asked."""
        self._graph, self._many = Graph(self._connection, self._number, self._file), many

    @property
    def _copies(self) -> list[Following]:
        return [self._matrix] if self._graph is None else [self._matrix, self._graph]

    # --- writing ---------------------------------------------------------------------------

    def put(self, vectors: Mapping[str, Vector], embedding: Embedding) -> None:
        if not vectors:
            return
        numpy = arithmetic()
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
        self._count(rows, made=len(rows) - len(late), changed=len(late))

    def remove(self, ids: Iterable[str]) -> None:
        numbers = [int(id_) for id_ in ids]
        if self.held() is None:
            return
        known = self._known(numbers)
        self._connection.executemany(
            "DELETE FROM vectors WHERE pk = ?", [(self._span["low"] + id_,) for id_ in known]
        )
        self._count(known, changed=len(known))

    def drop(self) -> None:
        self._connection.execute("DELETE FROM vectors WHERE pk >= :low AND pk < :high", self._span)
        self._tenant("vector_model = NULL, vector_dimension = NULL, "
                     "vectors_changed = vectors_changed + 1")  # fmt: skip
        self._file.discard()
        for copy in self._copies:
            copy.forget()

    def begin(self, *, write: bool) -> list[Marks]:
        if not self._connection.in_transaction:
            self._reads = not write
        return [copy.begin() for copy in self._copies]

    def end(self, marks: list[Marks], *, kept: bool, outermost: bool) -> None:
        """It is over: what was touched is read again, whatever became of it."""
        for copy, mark in zip(self._copies, marks, strict=True):
            copy.end(mark, kept=kept, outermost=outermost)
        if outermost and self._graph is not None:
            self._graph.save()

    def discard_graph(self) -> bool:
        """Delete the saved graph, because it may hold what is erased; whether it is gone."""
        return self._file.discard()

    # --- reading ---------------------------------------------------------------------------

    def held(self) -> tuple[str, int] | None:
        row = self._connection.execute(
            "SELECT vector_model, vector_dimension FROM tenants WHERE number = :number "
            "AND EXISTS (SELECT 1 FROM vectors WHERE pk >= :low AND pk < :high)",
            {"number": self._number, **self._span},
        ).fetchone()
        return None if row is None or row[0] is None else (row[0], row[1])

    def of(self, ids: Iterable[str]) -> dict[str, Vector]:
        low = self._span["low"]
        rows = self._connection.execute(
            "SELECT pk, vector FROM vectors WHERE pk IN (SELECT value FROM json_each(?))",
            (to_json([low + int(id_) for id_ in ids]),),
        )
        return {str(pk - low): memoryview(blob).cast("f").tolist() for pk, blob in rows}

    @property
    def threshold(self) -> float:
        row = self._connection.execute(
            "SELECT vector_threshold FROM tenants WHERE number = ?", (self._number,)
        ).fetchone()
        return float(row[0] or 0.0)

    def rankings(self, vector: Vector, threshold: float, count: int | None) -> Iterator[list[int]]:
        held = self.held()
        if held is None:
            return
        if len(vector) != held[1]:
            raise vector_dimension(len(vector), held[1])
        if count is not None and self._graph is not None and self._by_graph(self._graph):
            for width in _WIDTHS:
                found, more = self._graph.similar(vector, threshold, held[1], width * count)
                yield found
                if not more:
                    return
        yield self._matrix.similar(vector, threshold, held[1])

    def _by_graph(self, graph: Graph) -> bool:
        """Whether to ask the graph: it is ready, or there are many vectors and time to make it."""
        if graph.follows:
            return len(graph) >= self._many
        if self._matrix.follows and self._matrix.at_most() < self._many:
            return False  # without counting them
        # A writer does not keep others waiting while a graph is made.
        return self._reads and self._are_many()

    def _are_many(self) -> bool:
        found = self._connection.execute(
            "SELECT count(*) FROM "
            "(SELECT 1 FROM vectors WHERE pk >= :low AND pk < :high LIMIT :many)",
            {**self._span, "many": self._many},
        ).fetchone()
        return bool(found[0] >= self._many)

    def remake_graph(self) -> None:
        """Make the graph anew, where there is to be one."""
        held = self.held()
        if self._graph is not None and held is not None and self._are_many():
            self._graph.remake(held[1])

    def _known(self, ids: Iterable[int]) -> list[int]:
        probe = "SELECT 1 FROM vectors WHERE pk = ?"
        return [
            id_ for id_ in ids
            if self._connection.execute(probe, (self._span["low"] + id_,)).fetchone()
        ]  # fmt: skip

    def _count(self, ids: Iterable[int], *, made: int = 0, changed: int = 0) -> None:
        self._tenant("vectors_made = vectors_made + :made, "
                     "vectors_changed = vectors_changed + :changed",
                     made=made, changed=changed)  # fmt: skip
        for copy in self._copies:
            copy.wrote(ids, made=made, changed=changed)

    def _tenant(self, assignments: str, **values: object) -> None:
        # The assignments are constants of this module.
        self._connection.execute(
            f"UPDATE tenants SET {assignments} WHERE number = :number",  # noqa: S608
            {**values, "number": self._number},
        )
