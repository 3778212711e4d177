"""Observing: messages are stored, and read at once or by a worker."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from text2mem.ledger.episode import Message
from text2mem.ledger.ledger import Ledger
from text2mem.ledger.outcome import Observation
from text2mem.ledger.working import Fate, Worker
from text2mem.ledger.writing import EpisodeGone, LostLease, store
from text2mem.providers.base import Provider

_TAKEN: Mapping[Fate, str] = {"lost": LostLease.__name__, "gone": EpisodeGone.__name__}
"""The error that an observation names where another worker took the episode, or it was deleted."""


def observe(
    ledger: Ledger,
    messages: Sequence[Message],
    provider: Provider | None = None,
    *,
    session: str | None = None,
    at_once: bool | None = None,
) -> tuple[Observation, ...]:
    """Store messages as the episodes of a conversation; read them, or queue them for a worker.

    ``at_once`` says which; None leaves it to the policy. All are stored and queued before the first
    is read, so that a worker tries again where reading fails. An assistant's are never read. A dry
    context stores nothing: each candidate is shown as if it were the episode's only one.
    """
    if not messages:
        return ()
    worker = Worker(ledger, provider)
    dry_run = ledger.context.dry_run
    now = ledger.policy.immediate if at_once is None else at_once
    lease, until = (worker.name, ledger.now() + worker.lease) if now else (None, None)
    episodes, trace_id = store(ledger, messages, session=session, lease=lease, until=until)
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
