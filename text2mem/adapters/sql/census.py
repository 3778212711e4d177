"""Queries over all memories of a tenant, in any state: versions by conditions, and the census."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any, Unpack

from text2mem.adapters.base import RecordQuery, Scope
from text2mem.adapters.census import Census, Due, EpisodeCount, FactCount
from text2mem.adapters.sql.codec import instant, subject_key
from text2mem.adapters.sql.select import Where, readable
from text2mem.adapters.sql.store import Store
from text2mem.ir.context import ExecutionContext
from text2mem.ir.record import Record
from text2mem.ir.times.temporal import format_instant
from text2mem.ir.words.naming import name_key

_VALUES = """SELECT DISTINCT value FROM memories
WHERE tenant = :tenant AND attribute IS NOT NULL AND value LIKE '"%'"""
_HEARD = "m.pk IN (SELECT pk FROM heard WHERE tenant = :tenant AND {among})"

# Scanned in the order of the table: with an index, each of its wide rows would be looked up again.
_ALL = """SELECT type, attribute,
    count(*) FILTER (WHERE deleted = 1) AS deleted,
    count(*) FILTER (WHERE deleted = 0 AND pending = 1) AS pending,
    count(*) FILTER (WHERE deleted = 0 AND pending = 0 AND valid_from <= :now
        AND (valid_to IS NULL OR valid_to > :now)) AS current,
    count(*) FILTER (WHERE deleted = 0 AND pending = 0 AND valid_from > :now
        AND (valid_to IS NULL OR valid_to > valid_from)) AS ahead,
    count(*) AS total
{found} GROUP BY attribute, type ORDER BY attribute NULLS FIRST, type NULLS FIRST"""
_EPISODES = """SELECT {role} AS role, count(*) AS count, min(at) AS oldest,
    max(at) AS newest
{found} AND m.type = :episode AND m.deleted = 0 AND m.attribute IS NULL GROUP BY 1
ORDER BY 1 NULLS FIRST"""
_SUPERSEDED = """SELECT m.created_at {found} AND m.attribute IS NOT NULL
AND m.supersedes IS NOT NULL AND m.created_at >= :since AND m.created_at <= :now
ORDER BY m.created_at"""
_PENDING = "SELECT m.created_at {found} AND m.pending = 1 AND m.deleted = 0 ORDER BY m.created_at"
_DUE = """SELECT retention_policy, attribute, type,
    coalesce(expire_action, 'soft_delete') AS action,
    count(*) AS count, min(expire_at) AS next
{found} AND m.expire_at IS NOT NULL AND m.deleted = 0
GROUP BY 1, 2, 3, 4
ORDER BY next, 1 NULLS FIRST, 2 NULLS FIRST, 3 NULLS FIRST, 4"""


def records(
    store: Store, context: ExecutionContext, now: datetime, **query: Unpack[RecordQuery]
) -> list[Record]:
    """See ``Adapter.records``."""
    where, at = Where(), format_instant(now)
    readable(where, Scope(context=context, now=now), store)
    if (subject := query.get("subject")) is not None:
        where.add("m.subject_key = :subject", subject=subject_key(subject))
    if (attribute := query.get("attribute")) is not None:
        named = store.registry.attribute(attribute).name
        where.add("m.attribute = :attribute", attribute=named)
    if (value := query.get("value")) is not None:
        where.add("m.attribute IS NOT NULL")
        where.add(store.dialect.among("m.value", "spelled"), spelled=_spelled(store, value))
    if (listed := query.get("listed")) is not None:
        where.add(store.dialect.listed, facet=listed[0], entry=listed[1])
    if query.get("over"):
        # ``|| ''`` keeps the database from using the index of ends, which covers every subject.
        where.add("m.valid_to || '' <= :now", now=at)
    if (episodes := query.get("episodes")) is not None:
        where.tenanted = bool(store.dialect.mine)  # so that the rows are found by their keys
        heard = _HEARD.format(among=store.dialect.among("episode", "episodes"))
        where.add(heard, episodes=store.dialect.array(episodes))
    if query.get("pending"):
        where.add("m.pending = 1 AND m.deleted = 0")
    if query.get("reminds"):
        where.add("m.deleted = 0 AND m.remind_next <= :now", now=at)
    return store.records(f"SELECT m.* {where.sql} ORDER BY m.id", **where.parameters)


def take_census(
    store: Store, context: ExecutionContext, now: datetime, since: datetime, episode: str
) -> Census:
    """See ``Adapter.census``."""
    where, whole = Where(), Where(tenanted=bool(store.dialect.mine))
    whole.add("m.pk > :first AND m.pk < :end", first=store.pk("0"), end=store.end)
    for conditions in (where, whole):
        readable(conditions, Scope(context=context, now=now), store)
    named = {
        "now": format_instant(now), "since": format_instant(since), "episode": episode,
        **where.parameters, **whole.parameters,
    }  # fmt: skip

    def ask(statement: str, found: Where = where) -> list[Any]:
        return store.rows(statement.format(found=found.sql, role=store.dialect.role), **named)

    kinds = ask(_ALL, whole)
    others = [row for row in kinds if row["attribute"] is None and row["type"] != episode]
    return Census(
        at=now,
        facts=tuple(_facts(row) for row in kinds if row["attribute"] is not None),
        episodes=tuple(
            EpisodeCount(
                role=row["role"], count=row["count"], oldest=instant(row["oldest"]),
                newest=instant(row["newest"]),
            )
            for row in ask(_EPISODES)
        ),
        others={
            row["type"]: left for row in others if (left := row["total"] - int(row["deleted"]))
        },
        deleted=sum(int(row["deleted"]) for row in kinds),
        superseded=tuple(instant(row[0]) for row in ask(_SUPERSEDED)),
        pending=tuple(instant(row[0]) for row in ask(_PENDING)),
        due=tuple(
            Due(
                policy=row["retention_policy"], attribute=row["attribute"], type=row["type"],
                action=row["action"], count=row["count"], next=instant(row["next"]),
            )
            for row in ask(_DUE)
        ),
        size=store.size(),
    )  # fmt: skip


def _facts(row: Any) -> FactCount:
    """The counts of a row of ``_ALL``; what no other state counts is past."""
    counted = {name: int(row[name]) for name in ("current", "ahead", "pending", "deleted")}
    past = row["total"] - sum(counted.values())
    return FactCount(type=row["type"], attribute=row["attribute"], past=past, **counted)


def _spelled(store: Store, name: str) -> object:
    """The stored values of facts that are this name in some spelling, as a list to be bound."""
    wanted, values = name_key(name), [text for (text,) in store.rows(_VALUES)]
    return store.dialect.array([text for text in values if name_key(json.loads(text)) == wanted])
