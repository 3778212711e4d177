"""The interface of a tenant's queue: episodes that wait to be read, leased to one worker at a time.

When a lease has run out, the task may be leased again, so a task is handed out at least once. Call
``put`` and ``done`` in the transaction that writes the episode or its facts, so that these are
written once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from text2mem.ir.context import ExecutionContext


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """An episode in the queue."""

    episode: str
    """The episode's id."""
    queued_at: datetime
    due_at: datetime
    """From when on it may be leased."""
    attempts: int = 0
    """How often it was leased, less the failures that do not count."""
    lease: str | None = None
    """The name of its lease, which may have run out."""
    leased_until: datetime | None = None
    error: str | None = None
    """The error of the last failure."""
    dead: bool = False
    """Whether it was given up."""

    def free(self, now: datetime) -> bool:
        """Whether it may be leased at ``now``."""
        leased = self.leased_until is not None and now < self.leased_until
        return not self.dead and self.due_at <= now and not leased


class Queue(Protocol):
    """The tasks of one tenant. There is at most one task per episode."""

    def put(
        self, episodes: Sequence[str], *, now: datetime,
        lease: str | None = None, until: datetime | None = None,
    ) -> None:  # fmt: skip
        """Add the episodes that are not in the queue, due at once. With ``lease`` they are held by
        it from the start, until ``until``."""

    def lease(
        self, name: str, *, now: datetime, until: datetime, limit: int,
        reader: ExecutionContext | None = None,
    ) -> Sequence[Task]:  # fmt: skip
        """Lease at most ``limit`` free tasks until ``until``, by ``due_at``. With a ``reader``,
        only tasks whose episode that caller may read."""

    def holds(self, episode: str, name: str) -> bool:
        """Whether the lease ``name`` is still the one that holds an episode."""

    def done(self, episode: str) -> None:
        """Remove an episode that has been read."""

    def failed(
        self, episode: str, *, error: str, due: datetime | None, counts: bool = True
    ) -> None:
        """Record a failed attempt and end the lease. The next attempt is due at ``due``; None gives
        the task up. With ``counts`` false, the failure was not the episode's fault and does not
        count as an attempt."""

    def retry(self, episodes: Sequence[str] | None, *, now: datetime) -> int:
        """Revive dead tasks, all or those of ``episodes``, with no attempts; how many they were."""

    def tasks(self, *, dead: bool, limit: int | None = 256) -> Sequence[Task]:
        """The tasks that are ``dead``, or those that are not, the longest queued first; all of
        them, if ``limit`` is None."""

    def counts(self, *, now: datetime) -> Counts:
        """The number of tasks of each kind."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """The number of tasks in a queue, by state."""

    waiting: int
    leased: int
    dead: int
    oldest: datetime | None = None
    """When the oldest task that is not dead was queued."""

    @classmethod
    def of(cls, tasks: Iterable[Task], now: datetime) -> Counts:
        """Count these tasks at ``now``."""
        counted = list(tasks)
        alive = [task for task in counted if not task.dead]
        leased = sum(task.leased_until is not None and now < task.leased_until for task in alive)
        return cls(
            waiting=len(alive) - leased, leased=leased, dead=len(counted) - len(alive),
            oldest=min((task.queued_at for task in alive), default=None),
        )  # fmt: skip
