"""The word index in SQLite: one FTS5 table per tenant, so that scores reveal nothing of others. It
keeps no copy of the text; its rowids are the tenant's ids. FTS5 writes a segment for every
savepoint and whenever rowids do not ascend, which is why changes are collected."""

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
"""A term in at most ``_FEW`` memories is a rarer one. ``ahead`` is worth its cost if the other
terms have at least ``_MANY`` hits together."""
_MOST_TERMS = 64
"""With more terms, as in a pasted text, counting the hits of each takes longer than it saves."""
_SATURATED = 2.2
"""A term adds at most so many times its IDF to FTS5's BM25: k1 + 1."""


class WordIndex(Words):
    """The word index of one tenant."""

    def __init__(self, store: SqliteStore) -> None:
        super().__init__()
        self._connection = store.connection
        self._base = store.pk("0")
        # The name of a table cannot be bound; this one consists of constants and an integer.
        self.table = f"words_{int(store.number)}"
        self._insert = f"INSERT INTO {self.table} (rowid, terms) VALUES (?, ?)"  # noqa: S608
        self._remove = (
            f"INSERT INTO {self.table} ({self.table}, rowid, terms) VALUES ('delete', ?, ?)"  # noqa: S608
        )

    def create(self) -> None:
        self._connection.execute(f"DROP TABLE IF EXISTS {self.table}")
        self._connection.execute(
            f"CREATE VIRTUAL TABLE {self.table} USING fts5 "
            "(terms, content='', tokenize='unicode61 remove_diacritics 0')"
        )

    def hits(self, seen: Where, terms: Sequence[str], *, least: float) -> Hits:
        self.flush()
        hits = self._matching(seen, match_any(terms))
        if least * len(terms) > 1:
            hits.where.add(
                "w.rowid IN (SELECT value FROM json_each(:enough))",
                enough=to_json(self.holding(terms, least)),
            )
        return hits

    def ahead(self, seen: Where, terms: Sequence[str]) -> Ahead | None:
        """The hits by the terms that few memories contain.

        A name in a question is in few memories, while scoring the hits of its other words takes
        most of a search. FTS5 scores only terms of the expression that it matches, so that is (any
        rarer term) AND (any term), from which the score of the rarer ones is subtracted once.
        """
        self.flush()
        terms = list(dict.fromkeys(terms))
        if len(terms) > _MOST_TERMS:
            return None
        counts = {term: self._count(term, _MANY) for term in terms}
        few = [term for term, count in counts.items() if 0 < count <= _FEW]
        many = [term for term, count in counts.items() if count > _FEW]
        if not few or sum(counts[term] for term in many) < _MANY:
            return None
        (documents,) = self._connection.execute(
            f"SELECT max(id) FROM {self.table}_docsize"  # noqa: S608
        ).fetchone()
        match = f"({match_any(few)}) AND ({match_any([*few, *many])})"
        return Ahead(
            self._matching(seen, match),
            self._matching(seen, match_any(few)),
            # The last id is at least the number of documents, and more of them raise the IDF.
            sum(_SATURATED * idf(documents, self._count(term)) for term in many),
        )

    def _matching(self, seen: Where, match: str) -> Hits:
        """The query for memories that meet ``seen`` and match an FTS5 expression."""
        table = self.table
        if seen.all_in_sight:  # then no join is needed
            where = Where([_NOT_HIDDEN], tenanted=False, source=f"{table} AS w")
        else:
            where = seen.on(f"{table} AS w CROSS JOIN memories AS m ON m.pk = :base + w.rowid")
        where.parameters["base"] = self._base
        where.add(f"{table} MATCH :match", match=match)
        return Hits(where, "w.rowid", f"-bm25({table})")

    def _count(self, term: str, most: int = -1) -> int:
        """The number of memories that contain a term, counted up to ``most`` (-1: all)."""
        (count,) = self._connection.execute(
            f"SELECT count(*) FROM (SELECT 1 FROM {self.table} "  # noqa: S608
            f"WHERE {self.table} MATCH ? LIMIT ?)",
            (match_any([term]), most),
        ).fetchone()
        return int(count)

    def _write(self, changes: Sequence[Change]) -> None:
        removed = ((id_, _terms(old)) for id_, old, _ in changes if old is not None)
        self._connection.executemany(self._remove, removed)
        added = ((id_, _terms(new)) for id_, _, new in changes if new is not None)
        self._connection.executemany(self._insert, added)

    def optimise(self) -> None:
        """Merge the index into one segment, which drops the words of removed memories."""
        self.flush()
        self._connection.execute(
            f"INSERT INTO {self.table} ({self.table}) VALUES ('optimize')"  # noqa: S608
        )

    def holding(self, terms: Sequence[str], share: float) -> list[int]:
        """The ids of the memories that contain at least this share of the terms."""
        self.flush()
        counts: Counter[int] = Counter()
        for term in terms:
            rows = self._connection.execute(
                f"SELECT rowid FROM {self.table} WHERE {self.table} MATCH ?",  # noqa: S608
                (match_any([term]),),
            )
            counts.update(row[0] for row in rows)
        return [id_ for id_, count in counts.items() if count >= share * len(terms)]


def match_any(terms: Sequence[str]) -> str:
    """The FTS5 expression for memories with any of the terms; it is always a bound value."""
    return " OR ".join('"' + term.replace('"', '""') + '"' for term in terms)


def _terms(text: str) -> str:
    """The terms of a text as FTS5 gets them, separated by blanks."""
    return " ".join(index_terms(text))
