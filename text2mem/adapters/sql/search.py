"""Searches: hits by words and by vectors, fused and weighted (docs/language.md, "Target")."""

from __future__ import annotations

from collections.abc import Sequence

from text2mem.adapters.base import Embedding, Scope, Selection, Vector
from text2mem.adapters.ranking import DEFAULT_ALPHA, MOST, boost, fuse, ordered, pool, question
from text2mem.adapters.refusals import no_embedder
from text2mem.adapters.sql.codec import instant
from text2mem.adapters.sql.damage import reading
from text2mem.adapters.sql.database import UNLIMITED
from text2mem.adapters.sql.select import Where, tagged, visible
from text2mem.adapters.sql.store import Store
from text2mem.adapters.sql.words import Hits
from text2mem.ir.ops import BySearch
from text2mem.ir.record import Record
from text2mem.ir.words.segment import query_terms

_HALF = 0.5


def by_search(store: Store, target: BySearch, scope: Scope) -> Selection:
    """The hits of a search, in its order. Raises ExecutionError "no-embedder" and
    "vector-dimension", and ConfigurationError for vectors of another model than the embedder's."""
    limit = target.most
    seen = Where()
    visible(seen, scope, store)
    tagged(seen, scope, store)
    lexical = _Lexical(store, seen, target, floor=scope.floor)
    take = None if target.order_by != "relevance" or limit is None else pool(limit)
    alpha = DEFAULT_ALPHA if target.alpha is None else target.alpha
    if target.vector is not None:
        alpha = 1.0
    vector, embedding = _vector(store, target, scope, alpha)
    if vector is None:
        alpha = 0.0
    by_vector = [] if vector is None else _similar(store, seen, vector, embedding, take)
    rows = _foremost(store, lexical, target, scope, take, limit) if vector is None else None
    if rows is not None:
        words = [row.id for row, _ in rows]
    else:
        by_words = lexical.best(take) if alpha < 1 else []
        words = [id_ for id_, _ in by_words]
        scores = dict(by_words) if vector is None else fuse(words, by_vector, alpha)
        rows = _ranked(store, target, scope, scores, limit)
    matched = len(rows)
    if scope.counted:
        matched = _matched(lexical, words, by_vector, alpha, whole=take is None)
    return Selection(tuple(row for row, _ in rows), matched, {row.id: score for row, score in rows})


def _foremost(
    store: Store, lexical: _Lexical, target: BySearch, scope: Scope, take: int | None,
    limit: int | None,
) -> list[tuple[Record, float]] | None:  # fmt: skip
    """The first ``limit`` hits, found by the query's rarer terms alone; None if another hit could
    have a score above that of the last one."""
    ahead = lexical.ahead(take) if take is not None and limit else None
    if ahead is None:
        return None
    scores, rest = ahead
    rows = _ranked(store, target, scope, scores, limit)
    return rows if len(rows) == limit and rows[-1][1] > rest * MOST else None


def _matched(
    lexical: _Lexical, words: Sequence[str], by_vector: Sequence[str], alpha: float, *, whole: bool
) -> int:
    """The number of hits: those by words (all in ``words`` if ``whole``), and those by vector that
    took part in the ranking."""
    if alpha == 1:
        return len(by_vector)
    total = len(words) if whole else lexical.count(len(words))
    if not by_vector:
        return total
    return total + len(by_vector) - len(lexical.among(by_vector))


class _Lexical:
    """The hits of a search by words that the conditions ``seen`` let through; with ``floor``, those
    that contain at least half of the terms."""

    def __init__(self, store: Store, seen: Where, target: BySearch, *, floor: bool) -> None:
        self._store, self._seen, self._floor = store, seen, floor
        self._terms = query_terms(target.query) if target.query is not None else []
        self._hits = store.words.hits(seen, self._terms, least=_HALF if floor else 0.0)

    def best(self, count: int | None) -> list[tuple[str, float]]:
        """The ids and BM25 scores of the best ``count`` hits, then by id; None is all."""
        return self._scored(self._hits, count) if self._terms else []

    def ahead(self, count: int) -> tuple[dict[str, float], float] | None:
        """The best ``count`` hits by the rarer terms (BM25 scores by id), and the most that any
        other hit can score. None if the rarer terms do not help: use ``best``."""
        if self._floor or not self._terms:
            return None
        ahead = self._store.words.ahead(self._seen, self._terms)
        if ahead is None:
            return None
        twice = dict(self._scored(ahead.twice, None))
        both = [(id_, score - twice[id_]) for id_, score in self._scored(ahead.both, None)]
        return dict(sorted(both, key=lambda hit: (-hit[1], int(hit[0])))[:count]), ahead.rest

    def _scored(self, hits: Hits, count: int | None) -> list[tuple[str, float]]:
        """The ids and scores of the best ``count`` hits of a query, then by id; None is all."""
        rows = self._store.rows(
            f"SELECT {hits.id}, {hits.score} AS score {hits.where.sql} "
            f"ORDER BY score DESC, {hits.id} LIMIT :count",
            **hits.where.parameters,
            count=UNLIMITED if count is None else count,
        )  # fmt: skip
        return [(str(row[0]), float(row[1])) for row in rows]

    def count(self, shown: int) -> int:
        """The number of all hits; 0 if none was ``shown``."""
        if not self._terms or not shown:
            return 0
        where = self._hits.where
        return int(self._store.scalar(f"SELECT count(*) {where.sql}", **where.parameters))

    def among(self, ids: Sequence[str]) -> set[str]:
        """Those of the ids that are hits by words."""
        if not self._terms:
            return set()
        where, id_of = self._hits.where, self._hits.id
        rows = self._store.rows(
            f"SELECT {id_of} {where.sql} AND {self._store.dialect.among(id_of, 'among')}",
            **where.parameters, among=self._store.dialect.array([int(id_) for id_ in ids]),
        )  # fmt: skip
        return {str(row[0]) for row in rows}


def _vector(
    store: Store, target: BySearch, scope: Scope, alpha: float
) -> tuple[Vector | None, Embedding | None]:
    """The vector of a search, of unit length, and the embedder. None in place of the vector means
    that the search uses words alone."""
    embedding = scope.services.embedding if scope.services is not None else None
    if store.vectors.held() is None:
        if target.vector is not None:
            raise no_embedder()
        return None, embedding
    if embedding is not None:
        store.vectors.check(embedding)
    if target.vector is not None:
        length = sum(number * number for number in target.vector) ** 0.5 or 1.0
        return [number / length for number in target.vector], embedding
    if embedding is None or target.query is None or alpha == 0:
        return None, embedding
    assert scope.services is not None
    return scope.services.query_vector(question(target.query, target.context)), embedding


def _similar(
    store: Store, seen: Where, vector: Vector, embedding: Embedding | None, count: int | None
) -> list[str]:
    """The ids of the ``count`` most similar memories in sight, most similar first; None is all
    whose similarity reaches the threshold."""
    threshold = store.vectors.threshold if embedding is None else embedding.threshold
    dialect = store.dialect
    asked = dialect.each("pks", "asked", numbers=True)
    where = seen.on(f"{asked} {dialect.join} memories AS m ON m.pk = asked.value")
    out: list[str] = []
    for ranking in store.vectors.rankings(vector, threshold, count):
        out = []
        step = max(2 * (count or len(ranking)), 1)
        for start in range(0, len(ranking), step):
            block = ranking[start : start + step]
            rows = store.rows(
                f"SELECT m.id {where.sql}",
                **where.parameters, pks=dialect.array([store.pk(str(id_)) for id_ in block]),
            )  # fmt: skip
            kept = {row[0] for row in rows}
            out.extend(str(id_) for id_ in block if id_ in kept)
            if count is not None and len(out) >= count:
                return out[:count]
    return out


@reading
def _ranked(
    store: Store, target: BySearch, scope: Scope, scores: dict[str, float], limit: int | None
) -> list[tuple[Record, float]]:
    """The first ``limit`` memories in the order of the search, with their weighted scores."""
    weighted = {
        str(row["id"]): scores[str(row["id"])] * boost(row["weight"], instant(row["at"]), scope.now)
        for row in store.execute(
            "SELECT id, weight, at FROM memories "  # noqa: S608
            f"WHERE {store.dialect.mine}{store.dialect.among('pk', 'pks')} "
            f"ORDER BY {_ORDERS[target.order_by]} LIMIT :cut",
            pks=store.dialect.array([store.pk(id_) for id_ in scores]),
            cut=UNLIMITED if target.order_by == "relevance" or limit is None else limit,
        )
    }
    best = ordered(weighted) if target.order_by == "relevance" else list(weighted)
    best = best if limit is None else best[:limit]
    records = store.get(best)
    return [(records[id_], weighted[id_]) for id_ in best]


_ORDERS = {"relevance": "id", "time": "at DESC, id DESC", "weight": "weight DESC, id"}
