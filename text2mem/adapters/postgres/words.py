"""The word index in Postgres: a table of terms, and BM25 as FTS5 computes it (sqlite.org/fts5.html,
"The bm25() function") with the opposite sign, on the same terms, and on the tenant's memories
alone. So the ranking is that of SQLite."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from text2mem.adapters.ranking import SCORE_DIGITS
from text2mem.adapters.sql.select import Where
from text2mem.adapters.sql.words import Change, Hits, Words, idf
from text2mem.ir.words.segment import index_terms

if TYPE_CHECKING:
    from text2mem.adapters.postgres.store import PostgresStore

_K1 = 1.2
_B = 0.75
_LONGEST = 600
"""Longer terms are cut to so many characters, because an index takes no more."""

_HITS = f"""(
    SELECT t.pk, sum(
        asked.idf * t.frequency * {_K1 + 1} / (
            t.frequency + {_K1} * ({1 - _B} + {_B} * t.length / CAST(:average AS float8))
        )
    ) AS score
    FROM unnest(CAST(:terms AS text[]), CAST(:idf AS float8[])) AS asked (term, idf)
    JOIN terms AS t ON t.tenant = :tenant AND t.term = asked.term
    GROUP BY t.pk HAVING count(*) >= :enough
) AS w JOIN memories AS m ON m.pk = w.pk"""  # noqa: S608
_ADD = """INSERT INTO terms (tenant, term, pk, frequency, length)
SELECT :tenant, added.* FROM unnest(
    CAST(:held AS text[]), CAST(:pks AS bigint[]), CAST(:counts AS integer[]),
    CAST(:sizes AS integer[])
) AS added"""
"""Inserts all terms by one statement, because a memory has about a dozen."""
_SCORE = f"round(CAST(w.score AS numeric), {SCORE_DIGITS})"


class WordIndex(Words):
    """The word index of one tenant."""

    def __init__(self, store: PostgresStore) -> None:
        super().__init__()
        self._store = store

    def create(self) -> None:
        """Delete the tenant's terms and set its counts to 0."""
        self._store.execute("DELETE FROM terms WHERE tenant = :tenant")
        self._store.set_tenant("documents = 0, terms = 0")

    def hits(self, seen: Where, terms: Sequence[str], *, least: float) -> Hits:
        """The query for memories that contain the terms, by the table of terms."""
        self.flush()
        where = seen.on(_HITS)
        terms = [_short(term) for term in terms]
        documents, length = self._store.execute(
            "SELECT documents, terms FROM tenants WHERE tenant = :tenant"
        ).fetchone()
        counted = self._store.execute(
            "SELECT term, count(*) FROM terms WHERE tenant = :tenant AND term = ANY(:terms) "
            "GROUP BY term",
            terms=terms,
        )
        holding: dict[str, int] = dict(counted.fetchall())
        where.parameters.update(
            terms=terms, idf=[idf(documents, holding.get(term, 0)) for term in terms],
            average=(length / documents if documents else 0) or 1.0,
            enough=max(1.0, least * len(terms)),
        )  # fmt: skip
        return Hits(where, "w.pk", _SCORE)

    def _write(self, changes: Sequence[Change]) -> None:
        removed = [id_ for id_, old, _ in changes if old is not None]
        documents = length = 0
        if removed:
            gone = self._store.scalar(
                "WITH gone AS (DELETE FROM terms WHERE tenant = :tenant AND pk = ANY(:left) "
                "RETURNING frequency) SELECT coalesce(sum(frequency), 0) FROM gone",
                left=removed,
            )
            documents, length = -len(removed), -int(gone)
        rows: list[tuple[str, int, int, int]] = []
        for id_, _, new in changes:
            if new is None:
                continue
            counted = Counter(_short(term) for term in index_terms(new))
            size = counted.total()
            documents, length = documents + 1, length + size
            rows.extend((term, id_, n, size) for term, n in counted.items())
        if rows:
            terms, pks, counts, sizes = map(list, zip(*sorted(rows), strict=True))
            self._store.execute(_ADD, held=terms, pks=pks, counts=counts, sizes=sizes)
        self._store.set_tenant(
            "documents = documents + :documents, terms = terms + :length",
            documents=documents, length=length,
        )  # fmt: skip


def _short(term: str) -> str:
    return term[:_LONGEST]
