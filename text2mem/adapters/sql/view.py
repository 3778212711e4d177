"""The view of a store in SQL tables for a planner. Its methods look at the newest ``VIEW_REACH``
memories only; but ``tags`` of a whole store, searches, ids and filters may cost more."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from text2mem.adapters.base import Adapter, Embedding
from text2mem.adapters.sql.codec import READERS, from_row
from text2mem.adapters.sql.damage import guarded
from text2mem.adapters.sql.expiring import any_over
from text2mem.adapters.sql.select import Where, filtered, visible
from text2mem.adapters.sql.store import Store
from text2mem.adapters.viewing import VIEW_REACH, AdapterView, as_woken, vocabulary
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
    """See ``AdapterView``; every method reads by an index."""

    def __init__(self, adapter: Adapter, store: Store, context: ExecutionContext) -> None:
        super().__init__(adapter, context)
        self._store = store

    @as_woken
    def tags(self, limit: int = 64) -> Sequence[str]:
        """The tags in use, the most frequent first: of all memories if the actor may read all, none
        is due and none changes its validity in the future; else of the newest ones."""
        where = Where()
        visible(where, self._scope(()), self._store)
        if not where.all_in_sight:
            return list(self.vocabulary(limit).tags)
        rows = self._store.rows(
            "SELECT tag FROM memory_tags WHERE tenant = :tenant AND hidden = 0 "
            "GROUP BY tag ORDER BY count(*) DESC, tag LIMIT :limit",
            limit=limit,
        )
        return [row["tag"] for row in rows]

    @as_woken
    def recent(self, limit: int = 8, *, facts: bool = False) -> Sequence[Record]:
        return [from_row(row) for row in self._recent("m.*", limit, facts=facts)]

    @as_woken
    def recent_subjects(self, limit: int) -> Sequence[str]:
        """The subjects of the newest facts, without reading whole memories."""
        rows = self._recent("m.subject_key", limit, facts=True)
        return [row[0] for row in rows if row[0]]

    def _recent(self, columns: str, limit: int, *, facts: bool) -> list[Any]:
        """These columns (constants of this module) of the newest memories or facts."""
        where = Where([f"m.{_FACTS}"] if facts else [])
        if visible(where, self._scope(()), self._store) and self._context.is_local_user:
            return self._last(columns, where, limit)
        return self._newest(columns, (), f"place DESC, last DESC LIMIT {int(limit)}", facts=facts)

    def subjects_among(self, names: Collection[str]) -> set[str]:
        dialect = self._store.dialect
        rows = self._store.rows(
            f"SELECT asked.value FROM {dialect.each('names', 'asked')} WHERE EXISTS ("  # noqa: S608
            "SELECT 1 FROM memories AS m "
            "WHERE m.tenant = :tenant AND m.subject_key = asked.value)",
            names=dialect.array(list(names)),
        )
        return {row[0] for row in rows}

    @as_woken
    def vocabulary(
        self, limit: int = 256, *, include: Hidden = (), facts: int | None = None
    ) -> Vocabulary:
        """See ``AdapterView.vocabulary``. The newest memories are read along an index of times."""
        tags = ", m.tags" if facts is None else ""
        columns = f"m.subject, m.attribute{tags}"
        rows = self._newest(columns, include, "place DESC", facts=facts is not None, reach=facts)
        counts = {
            "subjects": Counter(row[0] for row in rows if row[0] is not None),
            "attributes": Counter(row[1] for row in rows if row[1] is not None),
        }
        if tags:
            counts["tags"] = Counter()
            for tags_json, times in Counter(row[2] for row in rows).items():
                for tag in READERS["tags"](tags_json):
                    counts["tags"][tag] += times
        return vocabulary(counts, limit)

    def _newest(
        self, columns: str, include: Hidden, then: str, *, facts: bool = False,
        reach: int | None = None,
    ) -> list[Any]:  # fmt: skip
        """These columns of the newest memories or facts in sight, of at most ``reach`` looked at.
        ``then`` is the order and the limit; it and ``columns`` are constants of this module."""
        scope = self._scope(include)
        parts: list[str] = []
        parameters: dict[str, object] = {"reach": reach or VIEW_REACH}
        for hidden, where in enumerate(filtered(ByFilter(), scope, self._store)):
            only = f" AND {_FACTS}" if facts else ""
            where.source = _NEWEST.format(hidden=hidden, only=only, join=self._store.dialect.join)
            parts.append(f"SELECT {columns}, m.at AS place, m.id AS last {where.sql}")
            parameters |= where.parameters
        return self._store.rows(f"{' UNION ALL '.join(parts)} ORDER BY {then}", **parameters)

    def _last(self, columns: str, where: Where, limit: int) -> list[Any]:
        """The newest ``limit`` rows; of those with the same time, the one created last comes first.
        The index has rows of one time in the opposite order. Reading those of the last time apart
        from later ones avoids reading more than ``limit`` of them."""
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
        return self._store.rows(
            f"SELECT {columns} {where.sql} ORDER BY m.at DESC, m.id DESC LIMIT :limit",
            **where.parameters, limit=limit,
        )  # fmt: skip

    def vectors(self, ids: Sequence[str]) -> Mapping[str, Sequence[float]]:
        return self._store.vectors.of(ids)

    def _embedding(self) -> Embedding | None:
        vectors = self._store.vectors
        held = vectors.held()
        return None if held is None else Embedding(held[0], vectors.threshold)

    def _over(self) -> bool:
        return any_over(self._store, self._now)
