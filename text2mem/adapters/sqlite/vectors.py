"""The vectors of a tenant: float32 blobs in the file, and copies in memory for searching: a matrix,
with which every vector is compared, and if the caller asks for it and there are many, a graph that
proposes which vectors to compare."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from text2mem.adapters.base import Vector
from text2mem.adapters.sql.vectors import WIDTHS, Vectors
from text2mem.adapters.sqlite.following import Marks, VectorCopy, arithmetic
from text2mem.adapters.sqlite.graph import Graph
from text2mem.adapters.sqlite.graph_file import GraphFile, database_file
from text2mem.adapters.sqlite.matrix import Matrix

if TYPE_CHECKING:
    from text2mem.adapters.sqlite.store import SqliteStore


class VectorIndex(Vectors):
    """The vectors of one tenant, stored and searched."""

    _mine: ClassVar[str] = "pk >= :low AND pk < :end"
    _store: SqliteStore

    def __init__(self, store: SqliteStore) -> None:
        super().__init__(store, {"low": store.pk("0"), "end": store.end})
        self._connection = store.connection
        self._low = store.pk("0")
        self._matrix = Matrix(store)
        self._copies: list[VectorCopy] = [self._matrix]
        self.file = GraphFile(database_file(store.connection), store.number)
        """The file in which the graph is saved."""
        self._graph: Graph | None = None
        self._reads = True
        """Whether the open transaction only reads."""

    def use_graph(self, many: int) -> None:
        """Search by a graph, which needs usearch, from this number of vectors on."""
        self._graph, self.many = Graph(self._store, self.file), many
        self._copies.append(self._graph)

    def _put(self, vectors: Mapping[str, Vector]) -> int:
        numpy = arithmetic()
        rows = [
            (self._low + int(id_), numpy.asarray(vector, dtype="<f4").tobytes())
            for id_, vector in vectors.items()
        ]
        # A vector with an id below the last one counts as changed, because other connections look
        # for additions after the last id only.
        last = self._store.scalar(
            f"SELECT max(pk) FROM vectors WHERE {self._mine}",  # noqa: S608
            **self._span,
        )
        self._connection.executemany(
            "INSERT INTO vectors (pk, vector) VALUES (?, ?) "
            "ON CONFLICT (pk) DO UPDATE SET vector = excluded.vector",
            rows,
        )
        return sum(last is not None and pk <= last for pk, _ in rows)

    def drop(self) -> None:
        super().drop()
        self.file.discard()
        for copy in self._copies:
            copy.forget()

    def begin(self, *, write: bool) -> list[Marks]:
        if not self._connection.in_transaction:
            self._reads = not write
        return [copy.begin() for copy in self._copies]

    def end(self, marks: list[Marks], *, kept: bool, outermost: bool) -> None:
        """Note the end of a transaction or savepoint; after a transaction, save the graph."""
        for copy, mark in zip(self._copies, marks, strict=True):
            copy.end(mark, kept=kept, outermost=outermost)
        if outermost and self._graph is not None:
            self._graph.save()

    @staticmethod
    def _numbers(held: bytes) -> Vector:
        return memoryview(held).cast("f").tolist()

    def _rankings(self, vector: Vector, threshold: float, count: int | None) -> Iterator[list[int]]:
        counts = [width * count for width in WIDTHS] if count is not None else []
        if counts and self._graph is not None and self._by_graph(self._graph):
            for most in counts:
                hits, more = self._graph.similar(vector, threshold, most)
                yield hits
                if not more:
                    return
        yield from self._matrix.similar(vector, threshold, counts)

    def _by_graph(self, graph: Graph) -> bool:
        """Whether to search by the graph: there are many vectors, and it exists or may be built."""
        if graph.follows:
            return len(graph) >= self.many
        if self._matrix.follows and self._matrix.at_most() < self.many:
            return False  # known without counting rows
        # A transaction that writes does not build it, because other writers would wait.
        return self._reads and self._are_many()

    def rebuild_index(self) -> None:
        held = self.held()
        if self._graph is not None and held is not None and self._are_many():
            self._graph.remake(held[1])

    def _count(self, ids: Sequence[int], *, made: int = 0, changed: int = 0) -> None:
        super()._count(ids, made=made, changed=changed)
        for copy in self._copies:
            copy.wrote(ids, made=made, changed=changed)
