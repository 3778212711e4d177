"""An approximate index of vectors by usearch: a graph that finds near ones without comparing all.
It holds each number in 8 bits, and only proposes: what it finds is read and compared exactly."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from text2mem.adapters.base import Vector
from text2mem.adapters.sqlite.database import set_for_a_while
from text2mem.adapters.sqlite.following import Marks, VectorCopy, arithmetic, as_rows
from text2mem.adapters.sqlite.graph_file import GraphFile, Stamp
from text2mem.adapters.sqlite.matrix import ranked

if TYPE_CHECKING:
    from text2mem.adapters.sqlite.store import SqliteStore

_LINKS, _BREADTH_BUILDING, _BREADTH = 16, 64, 64
"""usearch's ``connectivity``, ``expansion_add`` and ``expansion_search``."""
_SIGMAS = 4
"""The number 127 of 8 bits stands for so many standard deviations of a component."""
_ALONE = 8_000
"""Up to this size of the index, one thread adds vectors; then all of the machine's do."""
_BLOCK = 2_000
"""How many ids are read again at a time."""
_REMADE = 4
"""If more than one in so many vectors differs from the file, the index is rebuilt."""
_GROWN = 10
"""If a saved index has grown by more than one in so many, it is saved again."""
_LOOKED_AT = 256
"""About so many vectors of a saved index, spread over all ids, are compared with the file before it
is used, and as many of the last ones."""


class Graph(VectorCopy):
    """A copy of a tenant's vectors as a graph, which may be saved beside the database."""

    def __init__(self, store: SqliteStore, file: GraphFile) -> None:
        super().__init__(store)
        self._file = file
        self._index: Any = None
        self._saved = 0
        """The number of vectors in the saved file; 0 if this graph has none."""
        self._scarred = False
        """Whether vectors were removed. usearch keeps their numbers, so the graph is not saved."""

    def __len__(self) -> int:
        return 0 if self._index is None else len(self._index)

    def similar(self, vector: Vector, threshold: float, count: int) -> tuple[list[int], bool]:
        """The hits (see ``ranked``) among the nearest ``count``, and whether there may be more."""
        self.follow(len(vector))
        if not len(self):
            return [], False
        numpy = arithmetic()
        query = _small(numpy.asarray(vector, dtype="<f4"))
        keys = self._index.search(query, min(count, len(self))).keys
        rows = self._rows([int(key) for key in keys])
        if not rows:
            return [], True
        ids, matrix = as_rows(rows, self._low, len(vector))
        (hits,) = ranked(ids, matrix, vector, threshold)
        # If most of the nearest are below the threshold, all others are taken to be so, too.
        return hits, 2 * len(hits) > len(keys) and len(keys) < len(self)

    def _rows(self, ids: Sequence[int]) -> list[Any]:
        return self._connection.execute(
            "SELECT pk, vector FROM vectors WHERE pk IN (SELECT value FROM json_each(?))",
            (json.dumps([self._low + id_ for id_ in ids]),),
        ).fetchall()

    def remake(self, dimension: int) -> None:
        """Build the graph anew, without using the present or the saved one."""
        self.forget()
        self._index = None
        self._file.distrusted = True
        self.follow(dimension)

    def _fits(self, dimension: int) -> bool:
        return self._index is not None and self._index.ndim == dimension

    def _load(self, dimension: int) -> None:
        """Make the graph equal to the file, with as little work as possible.

        If no graph is in memory, the saved one is loaded; if a sample of it agrees with the file
        and only additions are missing, they are added. Else all vectors are compared, and those
        that differ replaced; if too many do, the graph is rebuilt.
        """
        if not self._fits(dimension):
            self._index, self._scarred = None, False
            marks = self._restore(dimension)
            made, changed = self.marks()
            current = marks is not None and marks[0] <= made and marks[1] == changed
            if current and self._resembles():
                self._extend()
                return
        differing = None if self._index is None else self._differing(dimension)
        if differing is None:
            self._build(dimension)
        else:
            self._refresh(differing)

    def _restore(self, dimension: int) -> Marks | None:
        """Load the saved graph; the counters that it was saved with, None if there is none."""
        index = _empty(dimension)
        stamp = self._file.load(index, self._model(), dimension)
        if stamp is None or len(index) != stamp.count:
            return None
        self._index, self._saved, self._last = index, stamp.count, stamp.last
        return stamp.made, stamp.changed

    def _resembles(self) -> bool:
        """Whether a sample of the graph's vectors, some spread over all ids and the last ones, are
        equal to the file's."""
        numpy = arithmetic()
        keys = numpy.sort(self._index.keys)
        spread = keys[:: max(1, len(keys) // _LOOKED_AT)]
        sample = numpy.union1d(spread, keys[-_LOOKED_AT:])
        rows = self._rows(sample.tolist())
        if len(rows) < len(sample):
            return False
        ids, vectors = as_rows(rows, self._low, self._index.ndim)
        return not self._unlike(ids, vectors).any()

    def _differing(self, dimension: int) -> set[int] | None:
        """The ids whose vectors differ between file and graph, or are in one of them only; None if
        they are so many that the graph should be rebuilt."""
        numpy = arithmetic()
        most = len(self) // _REMADE
        differing: set[int] = set()
        seen = [numpy.zeros(0, "int64")]
        for ids, vectors in self._blocks(dimension):
            differing.update(ids[self._unlike(ids, vectors)].tolist())
            if len(differing) > most:
                return None
            seen.append(ids)
        gone = numpy.setdiff1d(numpy.asarray(self._index.keys, "int64"), numpy.concatenate(seen))
        return None if len(gone) > most else differing.union(gone.tolist())

    def _unlike(self, ids: Any, vectors: Any) -> Any:
        """A mask of the vectors that the graph lacks or holds with other numbers."""
        numpy = arithmetic()
        keys = ids.astype("uint64")
        held = numpy.asarray(self._index.contains(keys))
        unlike = ~held
        if held.any():
            kept = numpy.asarray(self._index.get(keys[held], "i8")).reshape(held.sum(), -1)
            unlike[held] = (kept != _small(vectors[held])).any(axis=1)
        return unlike

    def _build(self, dimension: int) -> None:
        self._index, self._scarred, self._saved = _empty(dimension), False, 0
        self._last = -1
        self._extend()

    def _extend(self) -> None:
        for ids, vectors in self._blocks(self._index.ndim, above=self._last):
            self._put(ids, vectors)

    def _refresh(self, ids: set[int]) -> None:
        ordered = sorted(ids)
        for start in range(0, len(ordered), _BLOCK):
            block = ordered[start : start + _BLOCK]
            rows = self._rows(block)
            present = {row[0] - self._low for row in rows}
            self._drop(arithmetic().array([id_ for id_ in block if id_ not in present], "int64"))
            if rows:
                self._put(*as_rows(rows, self._low, self._index.ndim))

    def _put(self, ids: Any, vectors: Any) -> None:
        new = self._unlike(ids, vectors)
        if new.any():
            self._drop(ids[new])
            # Threads that add to an almost empty graph do not see the vectors of the others.
            threads = 1 if len(self) < _ALONE else 0
            self._index.add(ids[new].astype("uint64"), _small(vectors[new]), threads=threads)

    def _drop(self, ids: Any) -> None:
        if not len(ids):
            return
        numpy = arithmetic()
        keys = ids.astype("uint64")
        held = keys[numpy.asarray(self._index.contains(keys)).reshape(-1)]
        if len(held):
            self._index.remove(held)
            self._scarred = True

    def save(self) -> None:
        """Save the graph for the next process, if it was built or has grown much; outside a
        transaction. The file is written under the database's write lock, if the graph is up to
        date. So an erasure is either complete before, or finds the file and deletes it."""
        if (
            not self.follows or self._scarred or self._connection.in_transaction
            or len(self) - self._saved <= self._saved // _GROWN
        ):  # fmt: skip
            return
        try:
            with set_for_a_while(self._connection, "busy_timeout", 0):
                self._connection.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError:
            return  # another connection writes; a later call saves it
        try:
            if self._stale or self._touched or self.marks() != (self._made, self._changed):
                return
            stamp = Stamp(
                model=self._model(), dimension=self._index.ndim, count=len(self), last=self._last,
                made=self._made, changed=self._changed,
            )  # fmt: skip
            self._file.save(self._index, stamp)
            self._saved = len(self)
        finally:
            self._connection.rollback()

    def _model(self) -> str:
        return str(self._store.of_tenant("vector_model"))


def _empty(dimension: int) -> Any:
    from usearch.index import Index

    return Index(
        ndim=dimension, metric="cos", dtype="i8", connectivity=_LINKS,
        expansion_add=_BREADTH_BUILDING, expansion_search=_BREADTH,
    )  # fmt: skip


def _small(vectors: Any) -> Any:
    """Vectors of unit length with each component in 8 bits."""
    numpy = arithmetic()
    scale = 127 * max(1.0, vectors.shape[-1] ** 0.5 / _SIGMAS)
    return numpy.clip(numpy.rint(vectors * scale), -127, 127).astype("int8")
