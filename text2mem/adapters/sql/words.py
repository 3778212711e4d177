"""What is the same of every word index: the terms are cut by ``ir.segment``, and a memory leaves it
by the very terms that it entered with.

What changes is written at the end of a transaction, or when a search wants to know, in the order of
the ids.
"""

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
"""An id, the text that it is indexed by, and the one that it is to be; None is "not indexed"."""
CUT = 1
"""How words are cut; a greater number makes every index anew."""
_LEAST_IDF = 1e-6


class Words(ABC):
    """The words of one tenant."""

    def __init__(self) -> None:
        self._changes: list[Change] = []

    @abstractmethod
    def create(self) -> None:
        """The empty index, in place of any earlier one."""

    @abstractmethod
    def hits(self, seen: Where, terms: Sequence[str], *, least: float, narrow: bool) -> Hits:
        """The memories that hold at least this share of the terms and are ``seen``.

        With ``narrow`` these are all that are not hidden.
        """

    def ahead(self, seen: Where, terms: Sequence[str], *, narrow: bool) -> Ahead | None:
        """The hits by the rarer terms, where these may suffice; None where they do not."""
        return None

    @abstractmethod
    def _write(self, changes: Sequence[Change]) -> None:
        """Bring memories, each named once and in order, from one text to another."""

    def add(self, records: Iterable[Record]) -> None:
        """Index memories. What has no content, because it was anonymised, has no words."""
        self.add_texts((int(r.id), search_text(r)) for r in records if r.payload)

    def add_texts(self, texts: Iterable[tuple[int, str]]) -> None:
        """Index memories by their ids and what ``search_text`` says of them."""
        self._changes.extend((id_, None, text) for id_, text in texts)

    def remove(self, record: Record) -> None:
        """Take a memory out; ``record`` is what it was indexed as."""
        if record.payload:
            self._changes.append((int(record.id), search_text(record), None))

    def change(self, before: Record, after: Record) -> None:
        """Follow a change, where it changes words."""
        old = search_text(before) if before.payload else None
        new = search_text(after) if after.payload else None
        if old != new:
            self._changes.append((int(after.id), old, new))

    def begin(self) -> list[Change]:
        """A transaction or a savepoint begins: what to give to ``undo`` if it fails."""
        return list(self._changes)

    def undo(self, mark: list[Change]) -> None:
        """It was rolled back, and what had been written since with it."""
        self._changes = mark

    def flush(self) -> None:
        """Write what has changed."""
        if not self._changes:
            return
        net: dict[int, list[str | None]] = {}
        for id_, old, new in self._changes:
            net.setdefault(id_, [old, None])[1] = new
        self._write([(id_, both[0], both[1]) for id_, both in sorted(net.items())])
        self._changes = []


def idf(documents: int, holding: int) -> float:
    """The weight of a term that so many of the documents hold, as FTS5's BM25 has it."""
    found = log((documents - holding + 0.5) / (holding + 0.5)) if documents >= holding else 0.0
    return found if found > 0 else _LEAST_IDF


class Hits:
    """Hits by words as a statement: conditions, the column of the id, and the score."""

    def __init__(self, where: Where, id_: str, score: str) -> None:
        self.where, self.id, self.score = where, id_, score


@dataclass(frozen=True, slots=True)
class Ahead:
    """The hits by the rarer terms of a search, and the most that any other hit could score.

    The score of a hit is its score in ``both``, less its score in ``twice``.
    """

    both: Hits
    twice: Hits
    rest: float
