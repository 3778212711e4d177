"""The word index: one FTS5 table a tenant, so that no ranking tells one tenant of another.

The terms are cut by ``ir.segment``; the table is contentless, so it keeps no copy of the text, and
a memory leaves it by the very terms that it entered with. Its rowids are the tenant's ids.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable, Sequence

from text2mem.ir.record import Record
from text2mem.ir.segment import index_terms, search_text

_Change = tuple[int, str | None, str | None]
"""An id, and the text that it was indexed by and that it is to be; None is "not at all"."""
CUT = 1
"""How words are cut; a greater number makes every index anew."""


class WordIndex:
    """The words of one tenant. ``number`` is the tenant's, from a counter of the database.

    What changes is written at the end of a transaction, or when a search wants to know, in the
    order of the ids: FTS5 writes a segment for every savepoint and every step backwards.
    """

    def __init__(self, connection: sqlite3.Connection, number: int) -> None:
        self._connection = connection
        # A table's name cannot be bound; this one is made of an integer of our own.
        self.table = f"words_{int(number)}"
        self._insert = f"INSERT INTO {self.table} (rowid, terms) VALUES (?, ?)"  # noqa: S608
        self._remove = (
            f"INSERT INTO {self.table} ({self.table}, rowid, terms) VALUES ('delete', ?, ?)"  # noqa: S608
        )
        self._changes: list[_Change] = []

    def create(self) -> None:
        """The empty table, in place of any earlier one."""
        self._connection.execute(f"DROP TABLE IF EXISTS {self.table}")
        self._connection.execute(
            f"CREATE VIRTUAL TABLE {self.table} USING fts5 "
            "(terms, content='', tokenize='unicode61 remove_diacritics 0')"
        )

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

    def begin(self) -> list[_Change]:
        """A transaction or a savepoint begins: what to give to ``undo`` if it fails."""
        return list(self._changes)

    def undo(self, mark: list[_Change]) -> None:
        """It was rolled back, and what had been written since with it."""
        self._changes = mark

    def flush(self) -> None:
        """Write what has changed."""
        if not self._changes:
            return
        net: dict[int, list[str | None]] = {}
        for id_, old, new in self._changes:
            net.setdefault(id_, [old, None])[1] = new
        ordered = sorted(net.items())
        for statement, side in ((self._remove, 0), (self._insert, 1)):
            rows = ((id_, _terms(t)) for id_, both in ordered if (t := both[side]) is not None)
            self._connection.executemany(statement, rows)
        self._changes = []

    def optimise(self) -> None:
        """Rewrite the index as one segment, without what was deleted."""
        self.flush()
        self._connection.execute(
            f"INSERT INTO {self.table} ({self.table}) VALUES ('optimize')"  # noqa: S608
        )

    def holding_one(self, term: str) -> int:
        """How many memories hold a term."""
        self.flush()
        row = self._connection.execute(
            f"SELECT count(*) FROM {self.table} WHERE {self.table} MATCH ?",  # noqa: S608
            (match_any([term]),),
        ).fetchone()
        return int(row[0])

    def holding(self, terms: Sequence[str], share: float) -> list[int]:
        """The ids of memories that hold at least this share of the terms."""
        self.flush()
        held: Counter[int] = Counter()
        for term in terms:
            rows = self._connection.execute(
                f"SELECT rowid FROM {self.table} WHERE {self.table} MATCH ?",  # noqa: S608
                (match_any([term]),),
            )
            held.update(row[0] for row in rows)
        return [id_ for id_, count in held.items() if count >= share * len(terms)]


def match_any(terms: Sequence[str]) -> str:
    """An FTS5 expression for memories with any of the terms; it is always a bound value."""
    return " OR ".join('"' + term.replace('"', '""') + '"' for term in terms)


def _terms(text: str) -> str:
    return " ".join(index_terms(text))
