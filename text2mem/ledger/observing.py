"""Observing: messages are stored, and read at once or by a worker."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from text2mem.ledger.episode import Message
from text2mem.ledger.ledger import Ledger
from text2mem.ledger.outcome import Observation
from text2mem.ledger.working import Fate, Worker
from text2mem.ledger.writing import EpisodeGone, Lease, LostLease, store
from text2mem.providers.base import Provider

_TAKEN: Mapping[Fate, str] = {"lost": LostLease.__name__, "gone": EpisodeGone.__name__}
"""What is told of an episode that came to another worker, or went, before its turn."""


def observe(
    ledger: Ledger,
    messages: Sequence[Message],
    provider: Provider | None = None,
    *,
    session: str | None = None,
    at_once: bool | None = None,
) -> tuple[Observation, ...]:
    """Store messages as the episodes of a conversation, and see to their being read.

    ``at_once`` says whether they are read now or by a worker; None leaves it to the policy. All are
    durable, and queued, before any is read, so that one whose reading fails is a worker's. An
    assistant's are never read. A dry context stores nothing: each candidate is shown as if it were
    the episode's only one.
    """
    if not messages:
        return ()
    worker = Worker(ledger, provider)
    dry_run = ledger.context.dry_run
    until = ledger.now() + worker.lease
    now = ledger.policy.immediate if at_once is None else at_once
    lease = Lease(worker.name, until) if now else None
    episodes, trace_id = store(ledger, messages, session=session, lease=lease)
    seen = []
    for episode in episodes:
        if lease is None or episode.role == "assistant":
            queued = episode.role != "assistant" and not dry_run
            seen.append(Observation(episode.id, trace_id, queued=queued))
            continue
        read = worker.read(episode)
        seen.append(
            Observation(
                episode.id, trace_id, queued=read.fate == "failed" and not dry_run,
                reading=read.reading, outcomes=read.outcomes,
                error=read.error or _TAKEN.get(read.fate),
            )
        )  # fmt: skip
    return tuple(seen)
