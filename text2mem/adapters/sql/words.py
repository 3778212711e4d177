"""The part of a word index that is the same for all databases. To remove a memory, the index is
given the text that it was indexed by. Changes are collected, and written in the order of ids at the
end of a transaction or before a search."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import log
from typing import TYPE_CHECKING

from text2mem.ir.record import Record
from text2mem.ir.words.segment import search_text

if TYPE_CHECKING:
    from text2mem.adapters.sql.select import Where

Change = tuple[int, str | None, str | None]
"""The id of a memory, the text it is indexed by, and the text it is to be indexed by. None means
that it is not in the index."""
CUT = 1
"""The version of term segmentation. If it grows, every index is rebuilt."""
_LEAST_IDF = 1e-6
"""The weight of a term that at least half of the documents hold, as in FTS5."""


class Words(ABC):
    """The word index of one tenant."""

    def __init__(self) -> None:
        self._changes: list[Change] = []

    @abstractmethod
    def create(self) -> None:
        """Make an empty index, in place of any earlier one."""

    @abstractmethod
    def hits(self, seen: Where, terms: Sequence[str], *, least: float) -> Hits:
        """A query for the memories that meet ``seen`` and contain any of the terms, and at least
        the share ``least`` of them."""

    def ahead(self, seen: Where, terms: Sequence[str]) -> Ahead | None:
        """The hits by the rarer terms, if these may suffice for the first hits; else None."""
        return None

    @abstractmethod
    def _write(self, changes: Sequence[Change]) -> None:
        """Write changes to the index: at most one per memory, in the order of ids."""

    def add_texts(self, texts: Iterable[tuple[int, str]]) -> None:
        """Add memories, given as (id, ``search_text``)."""
        self._changes.extend((id_, None, text) for id_, text in texts)

    def change(self, id_: str, before: Record | None, after: Record | None) -> None:
        """Index a memory by its new state; ``before`` is the state that is indexed."""
        old, new = _indexed(before), _indexed(after)
        if old != new:
            self._changes.append((int(id_), old, new))

    def begin(self) -> list[Change]:
        """A mark of the beginning of a transaction or savepoint, for ``undo``."""
        return list(self._changes)

    def undo(self, mark: list[Change]) -> None:
        """Return to a mark, after the database was rolled back to it."""
        self._changes = mark

    def flush(self) -> None:
        """Write the collected changes."""
        if not self._changes:
            return
        net: dict[int, list[str | None]] = {}
        for id_, old, new in self._changes:
            net.setdefault(id_, [old, None])[1] = new
        self._write([(id_, both[0], both[1]) for id_, both in sorted(net.items())])
        self._changes = []


def idf(documents: int, holding: int) -> float:
    """The weight in FTS5's BM25 of a term that ``holding`` of the documents contain."""
    weight = log((documents - holding + 0.5) / (holding + 0.5)) if documents >= holding else 0.0
    return weight if weight > 0 else _LEAST_IDF


def _indexed(record: Record | None) -> str | None:
    """The text that a memory is indexed by; None if there is none, or it was anonymised."""
    return search_text(record) if record is not None and record.payload else None


@dataclass(frozen=True, slots=True)
class Hits:
    """A query for hits by words: its conditions, the column of the id, and the score."""

    where: Where
    id: str
    score: str


@dataclass(frozen=True, slots=True)
class Ahead:
    """The hits by the rarer terms of a search, scored by ``both`` less ``twice``."""

    both: Hits
    """The hits, scored by the rarer terms twice and the others once."""
    twice: Hits
    """The same hits, scored by the rarer terms."""
    rest: float
    """The greatest score that any other hit could have."""
