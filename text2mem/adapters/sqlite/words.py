"""The word index: one FTS5 table a tenant, so that no ranking tells one tenant of another.

The table is contentless, so it keeps no copy of the text. Its rowids are the tenant's ids. FTS5
writes a segment for every savepoint and every step backwards, which is why changes wait.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from text2mem.adapters.sql.codec import to_json
from text2mem.adapters.sql.select import Where
from text2mem.adapters.sql.words import Ahead, Change, Hits, Words, idf
from text2mem.ir.words.segment import index_terms

if TYPE_CHECKING:
    from text2mem.adapters.sqlite.store import SqliteStore

_NOT_HIDDEN = (
    "NOT EXISTS (SELECT 1 FROM memories AS m WHERE m.pk = :base + w.rowid AND m.hidden = 1)"
)
_FEW, _MANY = 256, 2_000
"""Of how many memories the terms are few hits, and from how many on they are many."""
_MOST_TERMS = 64
"""Of more terms, as of a pasted text, to count each takes longer than it saves."""
_SATURATED = 2.2
"""How many times its IDF a term adds to FTS5's BM25 at most: k1 + 1."""


class WordIndex(Words):
    """The words of one tenant."""

    def __init__(self, store: SqliteStore) -> None:
        super().__init__()
        self._connection = store.connection
        self._base = store.pk("0")
        # A table's name cannot be bound; this one is made of an integer of our own.
        self.table = f"words_{int(store.number)}"
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
        self.flush()
        found = self._matching(seen, match_any(terms), narrow=narrow)
        if least * len(terms) > 1:
            found.where.add(
                "w.rowid IN (SELECT value FROM json_each(:enough))",
                enough=to_json(self.holding(terms, least)),
            )
        return found

    def ahead(self, seen: Where, terms: Sequence[str], *, narrow: bool) -> Ahead | None:
        """By the number of memories that hold each term: a name in a question is held by few, and
        to score what else it says takes most of the time of a search.

        FTS5 cannot score a term that it does not look for. So it looks for the few, with all of
        the terms beside, and what these few are counted twice for is taken off again.
        """
        self.flush()
        terms = list(dict.fromkeys(terms))
        if len(terms) > _MOST_TERMS:
            return None
        held = {term: self._held(term, _MANY) for term in terms}
        few = [term for term, count in held.items() if 0 < count <= _FEW]
        many = [term for term, count in held.items() if count > _FEW]
        if not few or sum(held[term] for term in many) < _MANY:
            return None
        (documents,) = self._connection.execute(
            f"SELECT max(id) FROM {self.table}_docsize"  # noqa: S608
        ).fetchone()
        match = f"({match_any(few)}) AND ({match_any([*few, *many])})"
        return Ahead(
            self._matching(seen, match, narrow=narrow),
            self._matching(seen, match_any(few), narrow=narrow),
            # As many as the last id: more documents than there are make it no smaller.
            sum(_SATURATED * idf(documents, self._held(term)) for term in many),
        )

    def _matching(self, seen: Where, match: str, *, narrow: bool) -> Hits:
        table = self.table
        if narrow:
            # They are in sight, unless they are hidden.
            where = Where(tenanted=False, source=f"{table} AS w")
            where.add(_NOT_HIDDEN)
        else:
            where = seen.on(f"{table} AS w CROSS JOIN memories AS m ON m.pk = :base + w.rowid")
        where.parameters["base"] = self._base
        where.add(f"{table} MATCH :match", match=match)
        return Hits(where, "w.rowid", f"-bm25({table})")

    def _held(self, term: str, most: int = -1) -> int:
        """How many memories hold a term; no more than ``most`` are counted."""
        (count,) = self._connection.execute(
            f"SELECT count(*) FROM (SELECT 1 FROM {self.table} "  # noqa: S608
            f"WHERE {self.table} MATCH ? LIMIT ?)",
            (match_any([term]), most),
        ).fetchone()
        return int(count)

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
