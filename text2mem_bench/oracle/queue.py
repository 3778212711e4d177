"""The queue of the plain store: tasks in a dict of its state."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from text2mem.adapters.queue import Counts, Task
from text2mem.ir.context import ExecutionContext
from text2mem.ir.rights import may_read
from text2mem_bench.oracle.state import State


class PlainQueue:
    """One tenant's tasks; the state is asked for anew each time, as a rollback replaces it."""

    def __init__(self, state: Callable[[], State]) -> None:
        self._state = state

    def put(
        self,
        episodes: Sequence[str],
        *,
        now: datetime,
        lease: str | None = None,
        until: datetime | None = None,
    ) -> None:
        tries = int(lease is not None)
        for id_ in episodes:
            task = Task(
                episode=id_, queued_at=now, due_at=now, attempts=tries, lease=lease,
                leased_until=until,
            )  # fmt: skip
            self._state().queue.setdefault(id_, task)

    def lease(
        self,
        name: str,
        *,
        now: datetime,
        until: datetime,
        limit: int,
        reader: ExecutionContext | None = None,
    ) -> Sequence[Task]:
        free = sorted((t for t in self._all() if t.free(now)), key=_by_due)
        if reader is not None and not reader.is_local_user:
            free = [task for task in free if self._readable(task, reader)]
        return [
            self._change(t, lease=name, leased_until=until, attempts=t.attempts + 1)
            for t in free[:limit]
        ]

    def holds(self, episode: str, name: str) -> bool:
        task = self._state().queue.get(episode)
        return task is not None and task.lease == name and not task.dead

    def done(self, episode: str) -> None:
        self._state().queue.pop(episode, None)

    def failed(
        self, episode: str, *, error: str, due: datetime | None, counts: bool = True
    ) -> None:
        task = self._state().queue.get(episode)
        if task is not None:
            self._change(
                task, lease=None, leased_until=None, error=error, dead=due is None,
                due_at=due or task.due_at, attempts=max(0, task.attempts - (not counts)),
            )  # fmt: skip

    def retry(self, episodes: Sequence[str] | None, *, now: datetime) -> int:
        given_up = [
            t for t in self._all() if t.dead and (episodes is None or t.episode in episodes)
        ]
        for task in given_up:
            self._change(task, dead=False, attempts=0, due_at=now)
        return len(given_up)

    def tasks(self, *, dead: bool, limit: int | None = 256) -> Sequence[Task]:
        found = [task for task in self._all() if task.dead == dead]
        return sorted(found, key=lambda task: (task.queued_at, int(task.episode)))[:limit]

    def counts(self, *, now: datetime) -> Counts:
        return Counts.of(self._all(), now)

    def _readable(self, task: Task, reader: ExecutionContext) -> bool:
        record = self._state().records.get(task.episode)
        return record is not None and may_read(record, reader)

    def _all(self) -> list[Task]:
        return list(self._state().queue.values())

    def _change(self, task: Task, **fields: Any) -> Task:
        changed = replace(task, **fields)
        self._state().queue[task.episode] = changed
        return changed


def _by_due(task: Task) -> tuple[datetime, int]:
    return task.due_at, int(task.episode)
