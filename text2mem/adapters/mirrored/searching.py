"""A search by the framework, seen through the sidecar's eyes."""

from __future__ import annotations

from text2mem.adapters.base import Adapter, Scope, Selection
from text2mem.adapters.mirrored.keeper import Keeper, answering
from text2mem.adapters.ranking import SIMILARITY_DIGITS, ordered, pool, question
from text2mem.ir.ops import ByIds, BySearch
from text2mem.ir.record import Record

MOST_HITS = 1_000
"""How many hits are asked for where the target names no limit."""


def is_asked_of_it(target: BySearch, scope: Scope) -> bool:
    """Whether it is a search that frameworks know: by words, by relevance, of the present.

    A search of a write goes by the floor of its words, and so is ours.
    """
    present = scope.as_of is None and scope.known_at is None and not scope.floor
    return present and target.query is not None and target.order_by == "relevance"


def searched(keeper: Keeper, sidecar: Adapter, target: BySearch, scope: Scope) -> Selection:
    """The framework's hits with its scores, best first, then by id, that the actor may see now.

    Raises AdapterError where it does not answer, and ServiceError where a server does not.
    """
    assert target.query is not None
    asked = question(target.query, target.context)
    limit = target.most
    with answering(keeper):
        found = dict(keeper.search(asked, MOST_HITS if limit is None else pool(limit)))
    ids = sidecar.outbox.ids(list(found))
    # Rounded, so that sums taken in another order decide nothing between equals.
    scores = {id_: round(found[key], SIMILARITY_DIGITS) for key, id_ in ids.items()}
    named = ByIds(tuple(ordered(scores)))
    rows = [row for row in sidecar.resolve(named, scope).rows if _in_sight(row, scope)]
    kept = tuple(rows if limit is None else rows[:limit])
    return Selection(kept, len(rows), {row.id: scores[row.id] for row in kept})


def _in_sight(row: Record, scope: Scope) -> bool:
    """Whether a search, and not only a lookup by id, may return a memory."""
    if row.pending or (row.archived and not scope.archived):
        return False
    return not row.is_fact or row.holds_at(scope.now)
