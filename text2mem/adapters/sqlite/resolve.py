"""Finding the rows of a target: ids, filters, everything, searches."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping

from text2mem.adapters.base import Scope, Selection
from text2mem.adapters.refusals import no_embedder
from text2mem.adapters.sqlite.codec import from_row, to_json
from text2mem.adapters.sqlite.select import Where, filtered, visible
from text2mem.adapters.sqlite.store import Store
from text2mem.ir.ops import AllMemories, ByFilter, ByIds, BySearch, Target
from text2mem.ir.record import Record
from text2mem.ir.rights import may_read
from text2mem.ir.segment import query_terms

SELECT = "SELECT m.* FROM memories AS m WHERE "
_IDS = "SELECT m.id FROM memories AS m WHERE "
_COUNT = "SELECT count(*) FROM memories AS m WHERE "
_MATCHES = (
    "SELECT m.id, t.terms FROM memory_terms AS t JOIN memories AS m ON m.pk = t.rowid "
    "WHERE memory_terms MATCH :match AND m.tenant = :tenant"
)
_K1, _B = 1.2, 0.75
"""The constants of BM25, as FTS5 has them."""


def resolve(store: Store, target: Target, scope: Scope) -> Selection:
    """The rows that a target names and the actor may read, in the order of docs/language.md."""
    if isinstance(target, ByIds):
        return _by_ids(store, target, scope)
    if isinstance(target, BySearch):
        return _by_search(store, target, scope)
    return _by_filter(store, ByFilter() if isinstance(target, AllMemories) else target, scope)


def count_active(store: Store) -> int:
    """The tenant's memories that are neither deleted nor archived."""
    row = store.execute(
        "SELECT count(*) FROM memories WHERE tenant = :tenant AND deleted = 0 AND archived = 0", {}
    ).fetchone()
    return int(row[0])


def _by_ids(store: Store, target: ByIds, scope: Scope) -> Selection:
    ids = [str(ref) for ref in target.ids]
    found = store.get(ids)
    rows = tuple(
        found[id_]
        for id_ in dict.fromkeys(ids)
        if id_ in found
        and may_read(found[id_], scope.context)
        and (scope.deleted or not found[id_].deleted)
    )
    return Selection(rows, len(rows))


def _by_filter(store: Store, target: ByFilter, scope: Scope) -> Selection:
    where = filtered(target, scope)
    limited = {**where.parameters, "limit": -1 if target.limit is None else target.limit}
    rows = tuple(
        from_row(row)
        for row in store.execute(
            f"{SELECT}{where.sql} ORDER BY m.at DESC, m.id LIMIT :limit", limited
        )
    )
    if target.limit is None or len(rows) < target.limit:
        return Selection(rows, len(rows))
    return Selection(rows, int(store.execute(_COUNT + where.sql, where.parameters).fetchone()[0]))


def _by_search(store: Store, target: BySearch, scope: Scope) -> Selection:
    if target.query is None:
        raise no_embedder()
    terms = query_terms(target.query)
    if not terms:
        return Selection((), 0)
    # The match expression is a bound value; quotes make every term a string of FTS5's grammar.
    match = " OR ".join('"' + term.replace('"', '""') + '"' for term in terms)
    documents = {
        str(row["id"]): Counter(row["terms"].split(" "))
        for row in store.execute(_MATCHES, {"match": match})
    }
    scores = _scores(terms, documents, *store.index_size())
    where = Where()
    visible(where, scope)
    where.add("m.id IN (SELECT value FROM json_each(:ids))")
    seen = store.execute(
        _IDS + where.sql,
        {**where.parameters, "ids": to_json([int(id_) for id_ in documents])},
    )
    hits = {
        id_: scores[id_]
        for id_ in (str(row["id"]) for row in seen)
        if not scope.floor or 2 * sum(t in documents[id_] for t in terms) >= len(terms)
    }
    records = sorted(store.get(hits).values(), key=lambda r: _order(target, r, hits[r.id]))
    bounds = [n for n in (target.k, target.limit) if n is not None]
    rows = tuple(records[: min(bounds)] if bounds else records)
    return Selection(rows, len(hits), {row.id: hits[row.id] for row in rows})


def _scores(
    terms: list[str], documents: Mapping[str, Counter[str]], count: int, total: int
) -> dict[str, float]:
    """BM25 of each document, from the numbers of this tenant alone.

    FTS5's own function counts every row of its table, and so would tell one tenant of another.
    """
    weight = {}
    for term in terms:
        holding = sum(term in document for document in documents.values())
        idf = math.log((count - holding + 0.5) / (holding + 0.5))
        weight[term] = idf if idf > 0 else 1e-6
    average = total / count if count else 1.0
    scores = {}
    for id_, document in documents.items():
        length = 1 - _B + _B * document.total() / average
        scores[id_] = sum(
            weight[t] * document[t] * (_K1 + 1) / (document[t] + _K1 * length) for t in terms
        )
    return scores


def _order(target: BySearch, record: Record, score: float) -> tuple[float, int]:
    if target.order_by == "time":
        return -record.when.timestamp(), int(record.id)
    if target.order_by == "weight":
        return -record.weight, int(record.id)
    return -round(score, 9), int(record.id)
