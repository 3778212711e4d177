"""What a planner may see of a store in tables.

Nothing here reads more than the newest memories, however large the store is and however few of
them the actor may read, but for ``tags`` of a whole store, which the index of tags answers, and
searches, ids and filters, which cost what they cost a read.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from text2mem.adapters.base import Adapter, Embedding
from text2mem.adapters.sql.codec import from_row
from text2mem.adapters.sql.damage import guarded
from text2mem.adapters.sql.expiring import any_over
from text2mem.adapters.sql.select import IN_SIGHT, Where, filtered, visible
from text2mem.adapters.sql.store import Store
from text2mem.adapters.viewing import VIEW_REACH, AdapterView, as_ticked, vocabulary
from text2mem.ir.context import ExecutionContext
from text2mem.ir.ops import ByFilter
from text2mem.ir.ports import Hidden, Vocabulary
from text2mem.ir.record import Record

_NEWEST = """(
    SELECT pk FROM memories WHERE tenant = :tenant AND hidden = {hidden}{only}
    ORDER BY at DESC, id LIMIT :reach
) AS newest {join} memories AS m ON m.pk = newest.pk"""
_FACTS = "attribute IS NOT NULL"


@guarded
class SqlView(AdapterView):
    """A view by indexes."""

    def __init__(self, adapter: Adapter, store: Store, context: ExecutionContext) -> None:
        super().__init__(adapter, context)
        self._store = store

    @as_ticked
    def tags(self, limit: int = 64) -> Sequence[str]:
        """Those of the newest memories alone, unless the actor may read every memory, and none is
        due or changes its validity in the future."""
        where = Where()
        visible(where, self._scope(()), self._store)
        if where.clauses != [IN_SIGHT]:
            return list(self.vocabulary(limit).tags)
        rows = self._store.execute(
            "SELECT tag FROM memory_tags WHERE tenant = :tenant AND hidden = 0 "
            "GROUP BY tag ORDER BY count(*) DESC, tag LIMIT :limit",
            limit=limit,
        )
        return [row["tag"] for row in rows]

    @as_ticked
    def recent(self, limit: int = 8, *, facts: bool = False) -> Sequence[Record]:
        """Facts by an index of their own."""
        return [from_row(row) for row in self._recent("m.*", limit, facts=facts)]

    @as_ticked
    def recent_subjects(self, limit: int) -> Sequence[str]:
        """Without a look at the rest of a memory."""
        found = self._recent("m.subject_key", limit, facts=True)
        return [row[0] for row in found if row[0]]

    def _recent(self, columns: str, limit: int, *, facts: bool) -> list[Any]:
        """Columns of the newest memories, or facts; they are constants of this module."""
        where = Where([f"m.{_FACTS}"] if facts else [])
        if visible(where, self._scope(()), self._store) and self._context.is_local_user:
            return self._last(columns, where, limit)
        return self._newest(columns, (), f"place DESC, last DESC LIMIT {int(limit)}", facts=facts)

    def subjects_among(self, names: Collection[str]) -> set[str]:
        """By the index of subjects."""
        dialect = self._store.dialect
        rows = self._store.execute(
            f"SELECT asked.value FROM {dialect.each('names', 'asked')} WHERE EXISTS ("  # noqa: S608
            "SELECT 1 FROM memories AS m "
            "WHERE m.tenant = :tenant AND m.subject_key = asked.value)",
            names=dialect.array(list(names)),
        )
        return {row[0] for row in rows}

    @as_ticked
    def vocabulary(
        self, limit: int = 256, *, include: Hidden = (), facts: int | None = None
    ) -> Vocabulary:
        """What selectors can name, of the newest memories: one walk along an index of times.

        Memories that are hidden are walked along apart from the others. From 10,000 memories on
        the cost no longer grows.
        """
        tags = ", m.tags" if facts is None else ""
        columns = f"m.subject, m.attribute{tags}"
        rows = self._newest(columns, include, "place DESC", facts=facts is not None, reach=facts)
        counts = {
            "subjects": Counter(row[0] for row in rows if row[0] is not None),
            "attributes": Counter(row[1] for row in rows if row[1] is not None),
        }
        if tags:
            counts["tags"] = Counter()
            for held, times in Counter(row[2] for row in rows).items():
                for tag in json.loads(held):
                    counts["tags"][tag] += times
        return vocabulary(counts, limit)

    def _newest(
        self, columns: str, include: Hidden, then: str, *, facts: bool = False,
        reach: int | None = None,
    ) -> list[Any]:  # fmt: skip
        """Columns of the newest memories, or facts, in sight; ``then`` orders and limits.

        All of these are constants of this module. However few of them the actor may read, no more
        are looked at.
        """
        scope = self._scope(include)
        parts: list[str] = []
        parameters: dict[str, object] = {"reach": reach or VIEW_REACH}
        for hidden, where in enumerate(filtered(ByFilter(), scope, self._store)):
            only = f" AND {_FACTS}" if facts else ""
            where.source = _NEWEST.format(hidden=hidden, only=only, join=self._store.dialect.join)
            parts.append(f"SELECT {columns}, m.at AS place, m.id AS last {where.sql}")
            parameters |= where.parameters
        return self._store.execute(
            f"{' UNION ALL '.join(parts)} ORDER BY {then}", **parameters
        ).fetchall()

    def _last(self, columns: str, where: Where, limit: int) -> list[Any]:
        """The newest rows, of the same time the one made last; however many share that time, no
        more are looked at: an index goes by it, and within it by ids."""
        edge = self._store.scalar(
            f"SELECT m.at {where.sql} ORDER BY m.at DESC LIMIT 1 OFFSET :before",
            **where.parameters, before=limit - 1,
        )  # fmt: skip
        if edge is None:
            return self._in_order(columns, where, limit)
        later = self._in_order(columns, where.also("m.at > :edge", edge=edge), limit)
        left = limit - len(later)
        return later + self._in_order(columns, where.also("m.at = :edge", edge=edge), left)

    def _in_order(self, columns: str, where: Where, limit: int) -> list[Any]:
        return self._store.execute(
            f"SELECT {columns} {where.sql} ORDER BY m.at DESC, m.id DESC LIMIT :limit",
            **where.parameters, limit=limit,
        ).fetchall()  # fmt: skip

    def vectors(self, ids: Sequence[str]) -> Mapping[str, Sequence[float]]:
        return self._store.vectors.of(ids)

    def _embedding(self) -> Embedding | None:
        vectors = self._store.vectors
        held = vectors.held()
        return None if held is None else Embedding(held[0], vectors.threshold)

    def _over(self) -> bool:
        return any_over(self._store, self._now)
