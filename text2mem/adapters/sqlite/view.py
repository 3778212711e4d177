"""What a planner may see of a store in a file."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from text2mem.adapters.base import Adapter, Embedding
from text2mem.adapters.sqlite.codec import from_row
from text2mem.adapters.sqlite.select import IN_SIGHT, Where, visible
from text2mem.adapters.sqlite.store import Store
from text2mem.adapters.viewing import VOCABULARY_REACH, AdapterView, facet_pairs, vocabulary
from text2mem.ir.context import ExecutionContext
from text2mem.ir.ports import Hidden, Vocabulary
from text2mem.ir.record import Record
from text2mem.ir.temporal import format_instant

_MANY_DUE = 256
_UNDUE = "(m.expire_at IS NULL OR m.expire_at > :due OR m.deleted = 1)"
_COLUMNS: dict[str, tuple[str, Callable[[str], Sequence[Any]]]] = {
    "tags": ("tags", json.loads),
    "types": ("type", lambda held: (held,)),
    "subjects": ("subject", lambda held: (held,)),
    "locations": ("location", lambda held: (held,)),
    "topics": ("topic", lambda held: (held,)),
    "attributes": ("attribute", lambda held: (held,)),
    "facets": ("facets", lambda held: facet_pairs(json.loads(held))),
}
"""Where the fields of a vocabulary are stored, and which values a column's content stands for."""


class SqliteView(AdapterView):
    """A view by indexes."""

    def __init__(self, adapter: Adapter, store: Store, context: ExecutionContext) -> None:
        super().__init__(adapter, context)
        self._store = store

    def tags(self, limit: int = 64) -> Sequence[str]:
        """The tags in use, the most frequent first, equally frequent ones by the alphabet."""
        where = self._where()
        if where.clauses == [IN_SIGHT]:
            where = Where(source="memory_tags AS t", tenanted=False)
            where.add("t.hidden = 0")  # the index of tags has the answer
        else:
            where.source = "memory_tags AS t CROSS JOIN memories AS m ON m.pk = t.pk"
        where.add("t.tenant = :tenant")
        rows = self._store.execute(
            f"SELECT t.tag {where.sql} GROUP BY t.tag ORDER BY count(*) DESC, t.tag LIMIT :limit",
            **where.parameters, limit=limit,
        )  # fmt: skip
        return [row["tag"] for row in rows]

    def recent(self, limit: int = 8) -> Sequence[Record]:
        """The newest memories, the newest first; of the same time, the one made last."""
        where = self._where()
        rows = self._store.execute(
            f"SELECT m.* {where.sql} ORDER BY m.at DESC, m.id DESC LIMIT :limit",
            **where.parameters, limit=limit,
        )  # fmt: skip
        return [from_row(row) for row in rows]

    def vocabulary(self, limit: int = 256, *, include: Hidden = ()) -> Vocabulary:
        """What selectors can name, of the newest memories: one walk along the index of times.

        The memories are counted on the index alone for a caller who may read everything, for
        another one as far as the walk went.
        """
        where = self._where(include)
        columns = [column for column, _ in _COLUMNS.values()]
        rows = self._store.execute(
            f"SELECT {', '.join('m.' + column for column in columns)} {where.sql} "
            "ORDER BY m.at DESC, m.id LIMIT :reach",
            **where.parameters, reach=VOCABULARY_REACH,
        ).fetchall()  # fmt: skip
        counts = {
            name: _counted([row[place] for row in rows], read)
            for place, (name, (_, read)) in enumerate(_COLUMNS.items())
        }
        total = len(rows)
        if total == VOCABULARY_REACH and self._context.is_local_user:
            total = int(self._store.scalar(f"SELECT count(*) {where.sql}", **where.parameters))
        return vocabulary(counts, limit, total)

    def _where(self, include: Hidden = ()) -> Where:
        scope = self._scope(include)
        where = Where()
        visible(where, scope, self._store)
        if self._due():
            where.add(_UNDUE, due=format_instant(scope.now))
        return where

    def _embedding(self) -> Embedding | None:
        vectors = self._store.vectors
        held = vectors.held()
        return None if held is None else Embedding(held[0], vectors.threshold)

    def _due(self) -> int:
        return int(
            self._store.scalar(
                "SELECT count(*) FROM (SELECT 1 FROM memories WHERE tenant = :tenant "
                "AND deleted = 0 AND expire_at <= :due LIMIT :many)",
                due=format_instant(self._now), many=_MANY_DUE,
            )
        )  # fmt: skip


def _counted(held: Sequence[str | None], read: Callable[[str], Sequence[Any]]) -> Counter[Any]:
    """How often each value occurs; what a column often holds is read once."""
    counted: Counter[Any] = Counter()
    for content, times in Counter(held).items():
        if content is not None:
            for value in read(content):
                counted[value] += times
    return counted
