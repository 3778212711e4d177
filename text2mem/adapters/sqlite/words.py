"""The word index: one FTS5 table a tenant, so that no ranking tells one tenant of another.

The table is contentless, so it keeps no copy of the text. Its rowids are the tenant's ids. FTS5
writes a segment for every savepoint and every step backwards, which is why changes wait.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Sequence

from text2mem.adapters.sql.codec import to_json
from text2mem.adapters.sql.select import Where
from text2mem.adapters.sql.words import Change, Hits, Words
from text2mem.ir.segment import index_terms

_NOT_HIDDEN = "w.rowid NOT IN (SELECT id FROM memories WHERE tenant = :tenant AND hidden = 1)"


class WordIndex(Words):
    """The words of one tenant. ``number`` is the tenant's, from a counter of the database."""

    def __init__(self, connection: sqlite3.Connection, number: int, base: int) -> None:
        """``base`` is what its keys begin with."""
        super().__init__()
        self._connection = connection
        self._base = base
        # A table's name cannot be bound; this one is made of an integer of our own.
        self.table = f"words_{int(number)}"
        self._insert = f"INSERT INTO {self.table} (rowid, terms) VALUES (?, ?)"  # noqa: S608
        self._remove = (
            f"INSERT INTO {self.table} ({self.table}, rowid, terms) VALUES ('delete', ?, ?)"  # noqa: S608
        )

    def create(self) -> None:
        """The empty table, in place of any earlier one."""
        self._connection.execute(f"DROP TABLE IF EXISTS {self.table}")
        self._connection.execute(
            f"CREATE VIRTUAL TABLE {self.table} USING fts5 "
            "(terms, content='', tokenize='unicode61 remove_diacritics 0')"
        )

    def hits(self, seen: Where, terms: Sequence[str], *, least: float, narrow: bool) -> Hits:
        """By FTS5."""
        self.flush()
        table = self.table
        if narrow:
            # To keep out the few that are hidden is quicker than to look at every hit.
            where = Where(tenanted=False, source=f"{table} AS w")
            where.add(_NOT_HIDDEN)
        else:
            where = Where(list(seen.clauses), dict(seen.parameters))
            where.source = f"{table} AS w CROSS JOIN memories AS m ON m.pk = :base + w.rowid"
            where.parameters["base"] = self._base
        where.add(f"{table} MATCH :match", match=match_any(terms))
        if least and len(terms) > 1:
            where.add(
                "w.rowid IN (SELECT value FROM json_each(:enough))",
                enough=to_json(self.holding(terms, least)),
            )
        return Hits(where, "w.rowid", f"-bm25({table})")

    def _write(self, changes: Sequence[Change]) -> None:
        left = ((id_, _terms(old)) for id_, old, _ in changes if old is not None)
        self._connection.executemany(self._remove, left)
        entered = ((id_, _terms(new)) for id_, _, new in changes if new is not None)
        self._connection.executemany(self._insert, entered)

    def optimise(self) -> None:
        """Rewrite the index as one segment, without what was deleted."""
        self.flush()
        self._connection.execute(
            f"INSERT INTO {self.table} ({self.table}) VALUES ('optimize')"  # noqa: S608
        )

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
