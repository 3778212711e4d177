"""A search by the framework, whose hits are filtered by the sidecar."""

from __future__ import annotations

from text2mem.adapters.base import Adapter, Scope, Selection
from text2mem.adapters.mirrored.keeper import Keeper, answering
from text2mem.adapters.ranking import SIMILARITY_DIGITS, ordered, pool, question
from text2mem.ir.ops import ByIds, BySearch
from text2mem.ir.record import Record

MOST_HITS = 1_000
"""How many hits are asked for if the target has no limit."""


def is_asked_of_it(target: BySearch, scope: Scope) -> bool:
    """Whether a framework can answer a search: one by words, by relevance, of the present, without
    tags, of which it could find too few among its hits. The search of a write needs a floor
    (``Scope.floor``), which no framework has."""
    present = scope.as_of is None and scope.known_at is None and not (scope.floor or scope.tags)
    return present and target.query is not None and target.order_by == "relevance"


def searched(keeper: Keeper, sidecar: Adapter, target: BySearch, scope: Scope) -> Selection:
    """The framework's hits that the actor may see now, with its scores, best first, then by id.
    Raises AdapterError if the framework does not answer, ServiceError if a server does not."""
    assert target.query is not None
    query = question(target.query, target.context)
    limit = target.most
    with answering(keeper):
        hits = dict(keeper.search(query, MOST_HITS if limit is None else pool(limit)))
    ids = sidecar.outbox.ids(list(hits))
    # Rounded, so that the order of a floating point sum does not matter.
    scores = {id_: round(hits[key], SIMILARITY_DIGITS) for key, id_ in ids.items()}
    named = ByIds(tuple(ordered(scores)))
    rows = [row for row in sidecar.resolve(named, scope).rows if _in_sight(row, scope)]
    kept = tuple(rows if limit is None else rows[:limit])
    return Selection(kept, len(rows), {row.id: scores[row.id] for row in kept})


def _in_sight(row: Record, scope: Scope) -> bool:
    """Whether a search may return a memory that a lookup by id has returned."""
    if row.pending or (row.archived and not scope.archived):
        return False
    return not row.is_fact or row.holds_at(scope.now)
