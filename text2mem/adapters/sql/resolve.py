"""Resolving a target to rows: by ids, by a filter, or all. Searches are in ``search``."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

from text2mem.adapters.base import Scope, Selection
from text2mem.adapters.sql.codec import instant
from text2mem.adapters.sql.database import UNLIMITED
from text2mem.adapters.sql.search import by_search
from text2mem.adapters.sql.select import filtered
from text2mem.adapters.sql.store import Store
from text2mem.ir.ops import AllMemories, ByFilter, ByIds, BySearch, Target
from text2mem.ir.record import Record, due
from text2mem.ir.rights import may_read
from text2mem.ir.times.temporal import format_instant

_BELIEFS = """SELECT pk, value, valid_from, valid_to FROM beliefs
WHERE {among} AND recorded_at <= :known_at
    AND (retracted_at IS NULL OR retracted_at > :known_at)"""


def resolve(store: Store, target: Target, scope: Scope) -> Selection:
    """The rows that a target names and the actor may read, in the order of docs/language.md."""
    if isinstance(target, ByIds):
        selection = _by_ids(store, target, scope)
    elif isinstance(target, BySearch):
        selection = by_search(store, target, scope)
    else:
        filter_ = ByFilter() if isinstance(target, AllMemories) else target
        selection = _by_filter(store, filter_, scope)
    if scope.known_at is not None:
        known_at = format_instant(scope.known_at)
        return replace(selection, rows=_as_known(store, selection.rows, known_at))
    return selection


def _by_ids(store: Store, target: ByIds, scope: Scope) -> Selection:
    ids = [str(ref) for ref in target.ids]
    records = store.get(ids)
    rows = tuple(
        records[id_]
        for id_ in dict.fromkeys(ids)
        if id_ in records
        and may_read(records[id_], scope.context)
        and (scope.due or not due(records[id_], scope.now))
        and (scope.deleted or not records[id_].deleted)
        and (scope.known_at is None or records[id_].created_at <= scope.known_at)
    )
    return Selection(rows, len(rows))


def _by_filter(store: Store, target: ByFilter, scope: Scope) -> Selection:
    parts = filtered(target, scope, store)
    parameters = {k: v for where in parts for k, v in where.parameters.items()}
    chosen = " UNION ALL ".join(
        f"SELECT m.*, {where.time} AS place, {where.key} AS last {where.sql}" for where in parts
    )
    direction = "DESC" if target.order == "newest" else "ASC"
    records = store.records(
        f"{chosen} ORDER BY place {direction}, last {direction} LIMIT :limit",
        **parameters, limit=UNLIMITED if target.limit is None else target.limit,
    )  # fmt: skip
    rows = tuple(records)
    if target.limit is None or len(rows) < target.limit or not scope.counted:
        return Selection(rows, len(rows))
    return Selection(rows, sum(int(store.scalar(w.count, **parameters)) for w in parts))


def _as_known(store: Store, rows: Sequence[Record], known_at: str) -> tuple[Record, ...]:
    """The rows, with the value and validity of facts as they had been recorded by ``known_at``."""
    pks = [store.pk(row.id) for row in rows if row.is_fact]
    beliefs = _BELIEFS.format(among=f"{store.dialect.mine}{store.dialect.among('pk', 'pks')}")
    believed = {
        row["pk"]: {
            "value": json.loads(row["value"]),
            "valid_from": instant(row["valid_from"]),
            "valid_to": None if row["valid_to"] is None else instant(row["valid_to"]),
        }
        for row in store.execute(beliefs, pks=store.dialect.array(pks), known_at=known_at)
    }
    return tuple(replace(row, **believed.get(store.pk(row.id), {})) for row in rows)
