"""The queue of a tenant: episodes that wait to be read, leased to one worker at a time.

A lease that has run out is free again: what is queued is handed out at least once. ``done`` and
``put`` belong into the transaction of what they go with, so that its effect happens once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from text2mem.ir.context import ExecutionContext


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """An episode that waits. ``attempts`` counts how often it was leased, ``error`` is the last."""

    episode: str
    queued_at: datetime
    due_at: datetime
    attempts: int = 0
    lease: str | None = None
    leased_until: datetime | None = None
    error: str | None = None
    dead: bool = False

    def free(self, now: datetime) -> bool:
        """Whether it may be leased at ``now``."""
        held = self.leased_until is not None and now < self.leased_until
        return not self.dead and self.due_at <= now and not held


class Queue(Protocol):
    """One tenant's tasks. An episode stands in it at most once."""

    def put(
        self,
        episodes: Sequence[str],
        *,
        now: datetime,
        lease: str | None = None,
        until: datetime | None = None,
    ) -> None:
        """Episodes to read, due at once, or held by a lease from the start.

        Those that are there already stay as they are.
        """

    def lease(
        self,
        name: str,
        *,
        now: datetime,
        until: datetime,
        limit: int,
        reader: ExecutionContext | None = None,
    ) -> Sequence[Task]:
        """The tasks that wait longest, held under a lease of this name until an instant.

        With a ``reader`` only those whose episode that caller may read.
        """

    def holds(self, episode: str, name: str) -> bool:
        """Whether a lease of this name is still the one that holds an episode."""

    def done(self, episode: str) -> None:
        """An episode has been read."""

    def failed(
        self, episode: str, *, error: str, due: datetime | None, counts: bool = True
    ) -> None:
        """A try went wrong: the next one is due at an instant, or (None) there is none.

        Where it was not the episode's fault, the try does not count.
        """

    def retry(self, episodes: Sequence[str] | None, *, now: datetime) -> int:
        """Give dead tasks, all or these, another run of attempts; how many there were."""

    def tasks(self, *, dead: bool, limit: int | None = 256) -> Sequence[Task]:
        """Tasks that wait, or those that were given up, the longest queued first; None is all."""

    def counts(self, *, now: datetime) -> Counts:
        """How many there are of each kind."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """How a queue stands; ``oldest`` is since when the first of those not given up has waited."""

    waiting: int
    leased: int
    dead: int
    oldest: datetime | None = None

    @classmethod
    def of(cls, tasks: Iterable[Task], now: datetime) -> Counts:
        """Those of some tasks, by looking at each."""
        held = list(tasks)
        alive = [task for task in held if not task.dead]
        leased = sum(task.leased_until is not None and now < task.leased_until for task in alive)
        return cls(
            waiting=len(alive) - leased, leased=leased, dead=len(held) - len(alive),
            oldest=min((task.queued_at for task in alive), default=None),
        )  # fmt: skip
