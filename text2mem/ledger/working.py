"""The worker: episodes from the queue are read, one after the other.

A task is leased, read without a lock (a model may take its time), and committed together with its
end (``writing.commit``). A worker that dies leaves its lease to run out, and the next one reads the
episode again; one whose lease was taken over commits nothing.

Whoever reads an episode, it knows and changes no more than the one whose words it holds: a turn
must not reach through the worker what its author may not.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any, Literal

from text2mem.adapters.queue import Counts, Task
from text2mem.adapters.transactions import unit
from text2mem.errors import (
    ExecutionError,
    MissingExtra,
    ServiceError,
    Text2MemError,
    log_unexpected,
)
from text2mem.ir.times.temporal import format_instant
from text2mem.ledger.candidate import Reading
from text2mem.ledger.episode import Episode
from text2mem.ledger.extraction import NoReader, extract
from text2mem.ledger.known import Known
from text2mem.ledger.ledger import Ledger
from text2mem.ledger.outcome import Outcome
from text2mem.ledger.writing import EpisodeGone, LostLease, commit
from text2mem.providers.base import Provider

LEASE = timedelta(minutes=5)
"""How long an episode is a worker's own; longer than a slow model takes for one."""
ATTEMPTS = 5
"""After how many tries an episode is given up."""
_BACK_OFF = timedelta(seconds=10)
"""How long after the first failure the next try is due; twice as long after every other."""
_OUTAGE = timedelta(minutes=1)
"""When to try again where a service is down, or no model reads: no fault of the episode."""

Fate = Literal["read", "gone", "lost", "failed", "dead"]
"""``gone``: the episode is not there any more. ``lost``: another worker has it."""


class LeaseRanOut(Text2MemError):
    """No worker that held an episode has come back."""

    def __init__(self) -> None:
        super().__init__("every worker that held the episode has died")


@dataclass(frozen=True, slots=True, kw_only=True)
class Worked:
    """What became of one task."""

    episode: str
    fate: Fate
    outcomes: tuple[Outcome, ...] = ()
    reading: Reading | None = None
    error: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """The result as JSON."""
        return {
            "episode": self.episode, "fate": self.fate, "error": self.error,
            "outcomes": [outcome.as_dict() for outcome in self.outcomes],
        }  # fmt: skip


def task_row(task: Task) -> dict[str, Any]:
    """A task as JSON."""
    return {
        "episode": task.episode, "queued_at": format_instant(task.queued_at),
        "due_at": format_instant(task.due_at), "attempts": task.attempts, "error": task.error,
        "dead": task.dead,
    }  # fmt: skip


def standing(ledger: Ledger) -> dict[str, Any]:
    """The state of the queue: counts, and the ``lag`` in seconds of what waits longest.

    An actor sees the tasks whose episodes they may read, the local user all of the tenant's.
    """
    now = ledger.now()
    if ledger.context.is_local_user:
        counts = ledger.adapter.queue.counts(now=now)
    else:
        own = (task for dead in (False, True) for task in tasks(ledger, dead=dead, limit=None))
        counts = Counts.of(own, now)
    lag = None if counts.oldest is None else max(0, int((now - counts.oldest).total_seconds()))
    return {
        "waiting": counts.waiting, "leased": counts.leased, "dead": counts.dead,
        "lag_seconds": lag,
    }  # fmt: skip


def tasks(ledger: Ledger, *, dead: bool, limit: int | None = 256) -> list[Task]:
    """The tasks whose episode the caller may read; the local user sees those without one, too."""
    if ledger.context.is_local_user:
        return list(ledger.adapter.queue.tasks(dead=dead, limit=limit))
    held = ledger.adapter.queue.tasks(dead=dead, limit=None)
    mine = ledger.find([task.episode for task in held])
    return [task for task in held if task.episode in mine][:limit]


def retry(ledger: Ledger, episodes: Sequence[str] | None) -> int:
    """Queue tasks again that were given up; how many there were.

    Of those whose episodes the caller may read, the ones that are named; None is all.
    """
    queue = ledger.adapter.queue
    if not ledger.context.is_local_user:
        if episodes is None:
            episodes = [task.episode for task in tasks(ledger, dead=True, limit=None)]
        episodes = list(ledger.find(episodes))
    with unit(ledger.adapter, keep=not ledger.context.dry_run):
        given = queue.retry(episodes, now=ledger.now())
    return given


@dataclass(slots=True)
class Worker:
    """Reads what waits in a tenant's queue. ``name`` is that of its leases."""

    ledger: Ledger
    provider: Provider | None = None
    lease: timedelta = LEASE
    name: str = field(default_factory=lambda: uuid.uuid4().hex)

    def run(self, *, limit: int | None = None) -> Iterator[Worked]:
        """Read what is due, one at a time, until nothing is or ``limit`` tasks are done.

        A dry context leases nothing: it shows what would be read of each.
        """
        if self.ledger.context.dry_run:
            now = self.ledger.now()
            due = [task for task in tasks(self.ledger, dead=False) if task.free(now)]
            yield from map(self._work, due[:limit])
            return
        done = 0
        while limit is None or done < limit:
            task = self._next()
            if task is None:
                return
            yield self._work(task)
            done += 1

    def _next(self) -> Task | None:
        now, queue = self.ledger.now(), self.ledger.adapter.queue
        with self.ledger.adapter.transaction():
            found = queue.lease(
                self.name, now=now, until=now + self.lease, limit=1, reader=self.ledger.context
            )
        return found[0] if found else None

    def _work(self, task: Task) -> Worked:
        if task.attempts > ATTEMPTS:  # each of its workers has died of it
            return self._failed(task.episode, task.attempts, LeaseRanOut())
        record = self.ledger.find([task.episode]).get(task.episode)
        if record is None:
            return self._gone(task.episode)
        worker = replace(self, ledger=self.ledger.for_owner(record.owner))
        return worker.read(Episode.of(record, self.ledger.context.tz), attempts=task.attempts)

    def read(self, episode: Episode, *, attempts: int = 1) -> Worked:
        """Read an episode that this worker has leased; ``attempts`` counts this one."""
        try:
            known = Known(self.ledger, episode)
            embedder = self.ledger.prepared.embedder
            reading = extract(episode, known, self.provider, embedder=embedder)
            lease = None if self.ledger.context.dry_run else self.name
            outcomes = commit(self.ledger, episode, reading.candidates, lease=lease)
        except LostLease:
            return Worked(episode=episode.id, fate="lost")
        except EpisodeGone:
            return self._gone(episode.id)
        except Exception as error:  # whatever an episode does, the others are read
            return self._failed(episode.id, attempts, error)
        return Worked(episode=episode.id, fate="read", outcomes=outcomes, reading=reading)

    def _gone(self, episode: str) -> Worked:
        with self.ledger.adapter.transaction():
            if self.ledger.adapter.queue.holds(episode, self.name):
                self.ledger.adapter.queue.done(episode)
        return Worked(episode=episode, fate="gone")

    def _failed(self, episode: str, attempts: int, error: Exception) -> Worked:
        """Schedule another try, or give up. Only the kind of the error is kept: its message may
        quote the episode."""
        kind = type(error).__name__
        if isinstance(error, ExecutionError):
            kind = f"{kind} {error.code}"
        elif not isinstance(error, Text2MemError):
            log_unexpected(error, f"reading episode {episode}")
            kind = f"unexpected {kind}"
        outage = isinstance(error, ServiceError | NoReader | MissingExtra)
        last = attempts >= ATTEMPTS and not outage
        wait = _OUTAGE if outage else _BACK_OFF * 2 ** (attempts - 1)
        due = None if last else self.ledger.now() + wait
        with self.ledger.adapter.transaction():
            if self.ledger.adapter.queue.holds(episode, self.name):
                self.ledger.adapter.queue.failed(episode, error=kind, due=due, counts=not outage)
        return Worked(episode=episode, fate="dead" if last else "failed", error=kind)
