"""Observe messages: store them as episodes, and read them at once or leave them to a worker."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from text2mem.ledger.episode import Message
from text2mem.ledger.ledger import Ledger
from text2mem.ledger.outcome import Observation
from text2mem.ledger.working import Fate, Worker
from text2mem.ledger.writing import EpisodeGone, LostLease, store
from text2mem.providers.base import Provider

_TAKEN: Mapping[Fate, str] = {"lost": LostLease.__name__, "gone": EpisodeGone.__name__}
"""The error of an observation whose episode another worker has taken, or which was deleted."""


def observe(
    ledger: Ledger,
    messages: Sequence[Message],
    provider: Provider | None = None,
    *,
    session: str | None = None,
    at_once: bool | None = None,
) -> tuple[Observation, ...]:
    """Store messages as the episodes of a conversation, and read them ``at_once`` or leave them to
    a worker; None leaves that to the policy.

    All messages are stored and queued before the first is read, so if reading fails, a worker tries
    again. Messages of an assistant are never read. A dry context stores nothing; each candidate's
    outcome is computed as if it were the only one.
    """
    if not messages:
        return ()
    worker = Worker(ledger, provider)
    dry_run = ledger.context.dry_run
    now = ledger.policy.immediate if at_once is None else at_once
    lease, until = (worker.name, ledger.now() + worker.lease) if now else (None, None)
    episodes, trace_id = store(ledger, messages, session=session, lease=lease, until=until)
    observations = []
    for episode in episodes:
        if lease is None or episode.role == "assistant":
            queued = episode.role != "assistant" and not dry_run
            observations.append(Observation(episode.id, trace_id, queued=queued))
            continue
        worked = worker.read(episode)
        observations.append(
            Observation(
                episode.id, trace_id, queued=worked.fate == "failed" and not dry_run,
                reading=worked.reading, outcomes=worked.outcomes,
                error=worked.error or _TAKEN.get(worked.fate),
            )
        )  # fmt: skip
    return tuple(observations)
