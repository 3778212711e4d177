"""What a process keeps in memory of a tenant's vectors, and how it follows the file.

What this connection wrote is read again row by row; what others have added is read from where the
copy ends; where others have changed or removed vectors, all are.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from text2mem.errors import needing

if TYPE_CHECKING:
    from text2mem.adapters.sqlite.store import SqliteStore

_BLOCK = 8192  # rows read at once

Marks = tuple[int, int]
"""How often a tenant's vectors were made, and how often changed or removed: the file's counters."""


class VectorCopy(ABC):
    """A copy of one tenant's vectors."""

    def __init__(self, store: SqliteStore) -> None:
        self._connection, self._number = store.connection, store.number
        self._low, self._high = store.pk("0"), store.end
        self._made = self._changed = -1  # the file's counters that the copy reflects
        self._last = 0  # the last id of the file, when it was last looked at
        self._stale: set[int] = set()
        self._touched: set[int] = set()  # by the transaction that is running

    @abstractmethod
    def __len__(self) -> int:
        """How many vectors are in memory."""

    @property
    def follows(self) -> bool:
        """Whether there is a copy."""
        return self._made >= 0

    def at_most(self) -> int:
        """How many vectors the file can have, by the counters."""
        made, changed = self.marks()
        own = len(self._stale | self._touched)  # which the copy may not have yet
        return len(self) + own + made - self._made + changed - self._changed

    # --- what this connection does -----------------------------------------------------------

    def wrote(self, ids: Iterable[int], *, made: int = 0, changed: int = 0) -> None:
        """These were made, changed or removed."""
        if self.follows:
            self._made, self._changed = self._made + made, self._changed + changed
        self._touched.update(ids)

    def forget(self) -> None:
        """None of them is there any more."""
        self._made = -1

    def begin(self) -> Marks:
        """A transaction or a savepoint begins: what to give to ``end``."""
        return self._made, self._changed

    def end(self, mark: Marks, *, kept: bool, outermost: bool) -> None:
        """It is over: what was touched is read again, whatever became of it."""
        self._stale |= self._touched
        if not kept and self._touched:
            self._made, self._changed = mark
        if not self.follows:
            self._stale = set()  # the first look reads everything
        if outermost:
            self._touched = set()

    # --- what the file has -------------------------------------------------------------------

    def marks(self) -> Marks:
        """The file's counters."""
        made, changed = self._connection.execute(
            "SELECT vectors_made, vectors_changed FROM tenants WHERE number = ?", (self._number,)
        ).fetchone()
        return made, changed

    def follow(self, dimension: int) -> None:
        """Bring the copy to what this transaction sees in the file."""
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
        self._last = 0 if last is None else int(last) - self._low

    @abstractmethod
    def _fits(self, dimension: int) -> bool:
        """Whether what is in memory has vectors of this length."""

    @abstractmethod
    def _load(self, dimension: int) -> None:
        """Have what the file has, whatever was there before."""

    @abstractmethod
    def _extend(self) -> None:
        """Add what is in the file after the last id."""

    @abstractmethod
    def _refresh(self, ids: set[int]) -> None:
        """Look these ids up again."""

    def _blocks(self, dimension: int, *, above: int = -1) -> Iterator[tuple[Any, Any]]:
        """The file's ids past one, ascending, and their vectors as rows, block by block."""
        rows = self._connection.execute(
            "SELECT pk, vector FROM vectors WHERE pk > ? AND pk < ? ORDER BY pk",
            (self._low + above, self._high),
        )
        while block := rows.fetchmany(_BLOCK):
            yield as_rows(block, self._low, dimension)


def as_rows(found: list[Any], low: int, dimension: int) -> tuple[Any, Any]:
    """Ids (int64) and vectors (float32, one row an id) of rows of the table."""
    numpy = arithmetic()
    ids = numpy.array([row[0] - low for row in found], dtype="int64")
    joined = b"".join(row[1] for row in found)
    return ids, numpy.frombuffer(joined, dtype="<f4").reshape(len(found), dimension)


def arithmetic() -> Any:
    """The module numpy. Raises MissingExtra."""
    with needing("searching by vectors", extra="embeddings"):
        import numpy
    return numpy
