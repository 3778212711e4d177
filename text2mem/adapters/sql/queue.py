"""The queue of a tenant as a table (see ``text2mem.adapters.queue.Queue``)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from text2mem.adapters.base import Scope
from text2mem.adapters.queue import Counts, Task
from text2mem.adapters.sql.codec import instant
from text2mem.adapters.sql.damage import guarded, reading
from text2mem.adapters.sql.database import UNLIMITED
from text2mem.adapters.sql.select import Where, readable
from text2mem.adapters.sql.store import Store, id_of
from text2mem.ir.context import ExecutionContext
from text2mem.ir.record import is_id
from text2mem.ir.times.temporal import format_instant


@guarded
class SqlQueue:
    """The tasks of one tenant, in the table ``queue``."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def put(
        self,
        episodes: Sequence[str],
        *,
        now: datetime,
        lease: str | None = None,
        until: datetime | None = None,
    ) -> None:
        """Add episodes, within the caller's transaction. A lease counts as the first attempt."""
        at, end = format_instant(now), None if until is None else format_instant(until)
        tries, number = int(lease is not None), self._store.number
        self._store.many(
            "INSERT INTO queue (pk, tenant, queued_at, due_at, attempts, lease, leased_until) "
            "VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
            [(self._store.pk(id_), number, at, at, tries, lease, end) for id_ in episodes],
        )

    def lease(
        self,
        name: str,
        *,
        now: datetime,
        until: datetime,
        limit: int,
        reader: ExecutionContext | None = None,
    ) -> Sequence[Task]:
        """Lease tasks by a single statement, so that two workers never get the same one."""
        where, dialect = Where(), self._store.dialect
        where.add("m.pk = queue.pk")
        if reader is not None:
            readable(where, Scope(context=reader, now=now), self._store)
        rows = self._store.rows(
            "WITH free AS MATERIALIZED (SELECT pk FROM queue WHERE tenant = :tenant AND dead = 0 "  # noqa: S608
            "AND due_at <= :now AND (leased_until IS NULL OR leased_until <= :now) "
            f"AND (:anyone = 1 OR EXISTS (SELECT 1 {where.sql})) "
            f"ORDER BY due_at, pk LIMIT :limit {dialect.skip_locked}) "
            "UPDATE queue SET lease = :name, leased_until = :until, attempts = attempts + 1 "
            f"WHERE {dialect.mine}pk IN (SELECT pk FROM free) RETURNING *",
            name=name, now=format_instant(now), until=format_instant(until), limit=limit,
            anyone=int(reader is None or reader.is_local_user), **where.parameters,
        )  # fmt: skip
        return sorted(map(_task, rows), key=lambda task: (task.due_at, int(task.episode)))

    def holds(self, episode: str, name: str) -> bool:
        """Whether the lease holds. One that has run out does until another lease takes the task."""
        held = (
            f"SELECT 1 FROM queue WHERE {self._store.dialect.mine}pk = :pk "  # noqa: S608
            "AND lease = :name AND dead = 0"
        )
        return self._store.scalar(held, pk=self._store.pk(episode), name=name) is not None

    def done(self, episode: str) -> None:
        self._store.delete("queue", episode)

    def failed(
        self, episode: str, *, error: str, due: datetime | None, counts: bool = True
    ) -> None:
        self._store.execute(
            "UPDATE queue SET lease = NULL, leased_until = NULL, error = :error, "  # noqa: S608
            "dead = :dead, due_at = coalesce(:due, due_at), "
            "attempts = attempts - CASE WHEN :counts = 0 AND attempts > 0 THEN 1 ELSE 0 END "
            f"WHERE {self._store.dialect.mine}pk = :pk",
            pk=self._store.pk(episode), error=error, dead=int(due is None), counts=int(counts),
            due=None if due is None else format_instant(due),
        )  # fmt: skip

    def retry(self, episodes: Sequence[str] | None, *, now: datetime) -> int:
        dialect = self._store.dialect
        these = "" if episodes is None else f" AND {dialect.among('pk', 'pks')}"
        return self._store.execute(
            "UPDATE queue SET dead = 0, attempts = 0, due_at = :now "  # noqa: S608
            f"WHERE tenant = :tenant AND dead = 1{these}",
            pks=dialect.array([self._store.pk(id_) for id_ in episodes or () if is_id(id_)]),
            now=format_instant(now),
        ).rowcount

    def tasks(self, *, dead: bool, limit: int | None = 256) -> Sequence[Task]:
        rows = self._store.rows(
            "SELECT * FROM queue WHERE tenant = :tenant AND dead = :dead "
            "ORDER BY queued_at, pk LIMIT :limit",
            dead=int(dead),
            limit=UNLIMITED if limit is None else limit,
        )
        return [_task(row) for row in rows]

    def counts(self, *, now: datetime) -> Counts:
        row = self._store.execute(
            "SELECT count(*) FILTER (WHERE dead = 0 "
            "AND (leased_until IS NULL OR leased_until <= :now)), "
            "count(*) FILTER (WHERE dead = 0 AND leased_until > :now), "
            "count(*) FILTER (WHERE dead = 1), min(queued_at) FILTER (WHERE dead = 0) "
            "FROM queue WHERE tenant = :tenant",
            now=format_instant(now),
        ).fetchone()
        waiting, leased, dead, oldest = row
        return Counts(waiting=waiting, leased=leased, dead=dead, oldest=_instant(oldest))


@reading
def _task(row: Any) -> Task:
    return Task(
        episode=id_of(row["pk"]), queued_at=instant(row["queued_at"]),
        due_at=instant(row["due_at"]), attempts=row["attempts"], lease=row["lease"],
        leased_until=_instant(row["leased_until"]), error=row["error"], dead=bool(row["dead"]),
    )  # fmt: skip


@reading
def _instant(text: str | None) -> datetime | None:
    return None if text is None else instant(text)
