"""A copy of a tenant's vectors in memory, and how it follows the file: vectors that this connection
wrote are read again one by one, those that others added from the copy's last id on. If others have
changed or removed vectors, all are read."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from text2mem.errors import needing

if TYPE_CHECKING:
    from text2mem.adapters.sqlite.store import SqliteStore

_BLOCK = 8192  # rows that are read at a time

Marks = tuple[int, int]
"""The file's counters of a tenant: vectors made, and vectors changed or removed."""


class VectorCopy(ABC):
    """A copy in memory of one tenant's vectors."""

    def __init__(self, store: SqliteStore) -> None:
        self._store, self._connection = store, store.connection
        self._low, self._high = store.pk("0"), store.end
        self._made = self._changed = -1
        """The counters of the state that the copy has; -1 if there is no copy."""
        self._last = 0
        """The last id in the file, when it was last read."""
        self._stale: set[int] = set()
        """Ids that must be read again."""
        self._touched: set[int] = set()
        """Ids that the open transaction has written."""

    @abstractmethod
    def __len__(self) -> int:
        """The number of vectors in memory."""

    @property
    def follows(self) -> bool:
        """Whether there is a copy that can be brought up to date."""
        return self._made >= 0

    def at_most(self) -> int:
        """An upper bound of the number of vectors in the file, by the counters."""
        made, changed = self.marks()
        unread = len(self._stale | self._touched)  # written by this connection
        return len(self) + unread + made - self._made + changed - self._changed

    def wrote(self, ids: Iterable[int], *, made: int = 0, changed: int = 0) -> None:
        """Note that this connection has made, changed or removed vectors, and by how much it has
        added to the file's counters."""
        if self.follows:
            self._made, self._changed = self._made + made, self._changed + changed
        self._touched.update(ids)

    def forget(self) -> None:
        """Drop the copy; the next ``follow`` reads everything."""
        self._made = -1

    def begin(self) -> Marks:
        """A mark of the beginning of a transaction or savepoint, for ``end``."""
        return self._made, self._changed

    def end(self, mark: Marks, *, kept: bool, outermost: bool) -> None:
        """Note its end. The vectors that it wrote will be read again, kept or not."""
        self._stale |= self._touched
        if not kept and self._touched:
            self._made, self._changed = mark
        if not self.follows:
            self._stale = set()  # the first ``follow`` reads everything
        if outermost:
            self._touched = set()

    def marks(self) -> Marks:
        """The counters in the file."""
        counters = "SELECT vectors_made, vectors_changed FROM tenants WHERE number = :tenant"
        made, changed = self._store.execute(counters).fetchone()
        return made, changed

    def follow(self, dimension: int) -> None:
        """Bring the copy up to date with the file, as the open transaction sees it."""
        made, changed = self.marks()
        if not self.follows or changed != self._changed or not self._fits(dimension):
            self._load(dimension)
        else:
            if made != self._made:
                self._extend()
            self._refresh(self._stale | self._touched)
        self._stale = set()
        self._made, self._changed = made, changed
        last = self._connection.execute(
            "SELECT max(pk) FROM vectors WHERE pk >= ? AND pk < ?", (self._low, self._high)
        ).fetchone()[0]
        self._last = (last or self._low) - self._low

    @abstractmethod
    def _fits(self, dimension: int) -> bool:
        """Whether the vectors in memory have this length."""

    @abstractmethod
    def _load(self, dimension: int) -> None:
        """Make the copy equal to the file, whatever it held before."""

    @abstractmethod
    def _extend(self) -> None:
        """Add the vectors of the file after the last id."""

    @abstractmethod
    def _refresh(self, ids: set[int]) -> None:
        """Read these ids again; one that is gone is removed."""

    def _blocks(self, dimension: int, *, above: int = -1) -> Iterator[tuple[Any, Any]]:
        """Yield the ids of the file greater than ``above``, ascending, with their vectors as rows
        of a matrix, block by block."""
        rows = self._connection.execute(
            "SELECT pk, vector FROM vectors WHERE pk > ? AND pk < ? ORDER BY pk",
            (self._low + above, self._high),
        )
        while block := rows.fetchmany(_BLOCK):
            yield as_rows(block, self._low, dimension)


def as_rows(rows: list[Any], low: int, dimension: int) -> tuple[Any, Any]:
    """The ids (int64) and vectors (float32, one row each) of rows (pk, vector) of the table;
    ``low`` is the tenant's key of id 0."""
    numpy = arithmetic()
    ids = numpy.array([row[0] - low for row in rows], dtype="int64")
    joined = b"".join(row[1] for row in rows)
    return ids, numpy.frombuffer(joined, dtype="<f4").reshape(len(rows), dimension)


def arithmetic() -> Any:
    """The module numpy. Raises MissingExtra if it is not installed."""
    with needing("searching by vectors", extra="embeddings"):
        import numpy
    return numpy
