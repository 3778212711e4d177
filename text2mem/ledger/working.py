"""The worker: store messages as episodes, and read those of the queue, one after the other.

A task is leased, its episode is read with no lock held (a model may be slow), and its facts are
committed together with the end of the task (``writing.commit``). If a worker dies, its lease runs
out, and the next one reads the episode again. A worker whose lease was taken over commits nothing.

A turn cannot do through a worker what its author may not do: the local user's worker reads it as
its owner, without roles, and ``writing.commit`` changes no fact that its owner may not change.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from itertools import count
from typing import Any, Literal

from text2mem.adapters.queue import Counts, Task
from text2mem.adapters.transactions import unit
from text2mem.errors import (
    ConfigurationError,
    ExecutionError,
    RequestRejected,
    ServiceError,
    StoreError,
    Text2MemError,
    log_unexpected,
)
from text2mem.ir.times.temporal import format_instant
from text2mem.ledger.candidate import Observation, Outcome, Reading
from text2mem.ledger.episode import Episode, Message
from text2mem.ledger.extraction import NoReader, extract
from text2mem.ledger.known import Known
from text2mem.ledger.ledger import Ledger
from text2mem.ledger.writing import EpisodeGone, LostLease, commit, store
from text2mem.providers.base import Provider

LEASE = timedelta(minutes=5)
"""How long an episode is leased to a worker; longer than a slow model needs for one."""
ATTEMPTS = 5
"""The number of tries after which an episode is given up."""
_BACK_OFF = timedelta(seconds=10)
"""The delay after the first failure. It doubles with every further one."""
_OUTAGE = timedelta(minutes=1)
"""The delay if a service is down, no model reads, or a setting is wrong: not counted as a try."""

Fate = Literal["read", "gone", "lost", "failed", "dead"]
"""What became of a task. ``gone``: the episode has been deleted. ``lost``: another worker has taken
it. ``failed``: it will be tried again. ``dead``: it has been given up."""
_TAKEN: Mapping[Fate, str] = {"lost": LostLease.__name__, "gone": EpisodeGone.__name__}
"""The error of an observation whose episode another worker has taken, or which was deleted."""


class LeaseRanOut(Text2MemError):
    """Every worker that has leased an episode has died."""

    def __init__(self) -> None:
        super().__init__("every worker that held the episode has died")


@dataclass(frozen=True, slots=True, kw_only=True)
class Worked:
    """The result of one task."""

    episode: str
    fate: Fate
    outcomes: tuple[Outcome, ...] = ()
    reading: Reading | None = None
    """What was read; None unless ``fate`` is ``read``."""
    error: str | None = None

    def as_dict(self) -> dict[str, Any]:
        return {
            "episode": self.episode, "fate": self.fate, "error": self.error,
            "outcomes": [outcome.as_dict() for outcome in self.outcomes],
        }  # fmt: skip


def task_row(task: Task) -> dict[str, Any]:
    return {
        "episode": task.episode, "queued_at": format_instant(task.queued_at),
        "due_at": format_instant(task.due_at), "attempts": task.attempts, "error": task.error,
        "dead": task.dead,
    }  # fmt: skip


def standing(ledger: Ledger) -> dict[str, Any]:
    """Counts of the tasks that the caller may see, and the age in seconds of the oldest waiting."""
    now = ledger.now()
    if ledger.context.is_local_user:
        counts = ledger.adapter.queue.counts(now=now)
    else:
        seen = (task for dead in (False, True) for task in tasks(ledger, dead=dead, limit=None))
        counts = Counts.of(seen, now)
    lag = None if counts.oldest is None else max(0, int((now - counts.oldest).total_seconds()))
    return {
        "waiting": counts.waiting, "leased": counts.leased, "dead": counts.dead,
        "lag_seconds": lag,
    }  # fmt: skip


def tasks(ledger: Ledger, *, dead: bool, limit: int | None = 256) -> list[Task]:
    """The tasks that wait, or the ``dead`` ones, which were given up: for an actor, those whose
    episodes they may read; for the local user, all of the tenant."""
    if ledger.context.is_local_user:
        return list(ledger.adapter.queue.tasks(dead=dead, limit=limit))
    queued = ledger.adapter.queue.tasks(dead=dead, limit=None)
    readable = ledger.find([task.episode for task in queued])
    return [task for task in queued if task.episode in readable][:limit]


def retry(ledger: Ledger, episodes: Sequence[str] | None) -> int:
    """Queue tasks again that were given up: those of these episodes (None: of all) that the caller
    may read. Return how many they are."""
    if not ledger.context.is_local_user:
        if episodes is None:
            episodes = [task.episode for task in tasks(ledger, dead=True, limit=None)]
        episodes = list(ledger.find(episodes))
    with unit(ledger.adapter, keep=not ledger.context.dry_run):
        return ledger.adapter.queue.retry(episodes, now=ledger.now())


@dataclass(slots=True)
class Worker:
    """Stores messages, and reads the episodes that wait in the queue of a tenant."""

    ledger: Ledger
    provider: Provider | None = None
    lease: timedelta = LEASE
    name: str = field(default_factory=lambda: uuid.uuid4().hex)

    def observe(
        self, messages: Sequence[Message], *, session: str | None, at_once: bool | None
    ) -> tuple[Observation, ...]:
        """Store messages as the episodes of a conversation, and read them ``at_once`` or leave them
        to a worker; None leaves that to the policy.

        All are stored and queued before the first is read, so if reading fails, a worker tries
        again. Messages of an assistant are never read. A dry context stores nothing; each
        candidate's outcome is computed as if it were the only one.
        """
        if not messages:
            return ()
        now = self.ledger.policy.immediate if at_once is None else at_once
        lease, until = (self.name, self.ledger.now() + self.lease) if now else (None, None)
        stored = store(self.ledger, messages, session=session, lease=lease, until=until)
        episodes, trace_id = stored
        return tuple(self._observed(episode, trace_id, now=now) for episode in episodes)

    def _observed(self, episode: Episode, trace_id: str, *, now: bool) -> Observation:
        """What becomes of a stored message, which may be read now."""
        dry_run, states = self.ledger.context.dry_run, episode.role != "assistant"
        if not (now and states):
            return Observation(episode.id, trace_id, queued=states and not dry_run)
        worked = self.read(episode)
        return Observation(
            episode.id, trace_id, queued=worked.fate == "failed" and not dry_run,
            reading=worked.reading, outcomes=worked.outcomes,
            error=worked.error or _TAKEN.get(worked.fate),
        )  # fmt: skip

    def run(self, *, limit: int | None = None) -> Iterator[Worked]:
        """Read the due episodes one at a time, ``limit`` at most, and yield the results. A dry
        context leases nothing, and yields what would be read."""
        turns = count() if limit is None else range(limit)
        yield from (self._work(task) for _, task in zip(turns, self._due(), strict=False))

    def _due(self) -> Iterator[Task]:
        """Yield the tasks that are due, each leased when it is asked for; in a dry run none is."""
        if self.ledger.context.dry_run:
            now = self.ledger.now()
            yield from [task for task in tasks(self.ledger, dead=False) if task.free(now)]
            return
        while True:
            now, queue = self.ledger.now(), self.ledger.adapter.queue
            with self.ledger.adapter.transaction():
                leased = queue.lease(
                    self.name, now=now, until=now + self.lease, limit=1, reader=self.ledger.context
                )
            if not leased:
                return
            yield leased[0]

    def _work(self, task: Task) -> Worked:
        """Read the episode of a task with the rights of its owner (``Ledger.for_owner``)."""
        if task.attempts > ATTEMPTS:  # the workers of all tries have died
            return self._failed(task.episode, task.attempts, LeaseRanOut())
        record = self.ledger.find([task.episode]).get(task.episode)
        if record is None:
            return self._gone(task.episode)
        worker = replace(self, ledger=self.ledger.for_owner(record.owner))
        return worker.read(Episode.of(record, self.ledger.context.tz), attempts=task.attempts)

    def read(self, episode: Episode, *, attempts: int = 1) -> Worked:
        """Read an episode that this worker has leased, in try ``attempts``, and store its facts."""
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
        except Exception as error:  # a failure of one episode must not stop the worker
            return self._failed(episode.id, attempts, error)
        return Worked(episode=episode.id, fate="read", outcomes=outcomes, reading=reading)

    def _gone(self, episode: str) -> Worked:
        """Remove the task of a deleted episode from the queue, if this worker holds it."""
        with self.ledger.adapter.transaction():
            if self.ledger.adapter.queue.holds(episode, self.name):
                self.ledger.adapter.queue.done(episode)
        return Worked(episode=episode, fate="gone")

    def _failed(self, episode: str, attempts: int, error: Exception) -> Worked:
        """Schedule another try, or give up. Only the error's kind is kept: it may quote words."""
        kind = type(error).__name__
        if isinstance(error, ExecutionError):
            kind = f"{kind} {error.code}"
        elif not isinstance(error, Text2MemError):
            log_unexpected(error, f"reading episode {episode}")
            kind = f"unexpected {kind}"
        outage = isinstance(error, ServiceError | NoReader | ConfigurationError | StoreError)
        outage = outage and not isinstance(error, RequestRejected)
        last = attempts >= ATTEMPTS and not outage
        wait = _OUTAGE if outage else _BACK_OFF * 2 ** (attempts - 1)
        due = None if last else self.ledger.now() + wait
        with self.ledger.adapter.transaction():
            if self.ledger.adapter.queue.holds(episode, self.name):
                self.ledger.adapter.queue.failed(episode, error=kind, due=due, counts=not outage)
        return Worked(episode=episode, fate="dead" if last else "failed", error=kind)
