"""The write path: messages → episodes, and candidates → facts.

An episode is durable before anything is read out of it. Its candidates are committed in one
transaction, each by a program of its own, and together with the end of its place in the queue: a
reading that is cut short has left nothing, and one that is repeated finds nothing to do.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from typing import TypeVar

from text2mem.errors import ConfigurationError, ExecutionError, ValidationError
from text2mem.executor.executor import Executed, run_prepared, settle_erasure, until_prepared
from text2mem.ir.context import ExecutionContext
from text2mem.ir.record import Record
from text2mem.ir.result import ProgramResult
from text2mem.ledger.about import labelling
from text2mem.ledger.candidate import Candidate
from text2mem.ledger.episode import Episode, Message, encoding
from text2mem.ledger.ledger import Ledger
from text2mem.ledger.outcome import Became, Outcome
from text2mem.ledger.reconcile import Instance, Plan, reconcile
from text2mem.ledger.rights import inherited, with_rights
from text2mem.program import Program

T = TypeVar("T")


class LostLease(Exception):
    """Somebody else has taken the episode over, or has finished it."""


class EpisodeGone(Exception):
    """The episode was deleted while it was read."""


def store(
    ledger: Ledger,
    messages: Sequence[Message],
    *,
    session: str | None = None,
    lease: str | None = None,
    until: datetime | None = None,
) -> tuple[tuple[Episode, ...], str]:
    """Store messages as episodes, all or none, and queue those that are to be read.

    Returns the episodes, and the trace of the program that made them. A dry context shows the
    episodes, and neither stores nor queues them.

    Until the instant ``until`` they are read by the worker of the name ``lease`` alone; without one
    by whichever worker comes. What an assistant says is not queued. Raises ExecutionError where the
    store refuses, ConfigurationError where the session is no name.
    """
    if not isinstance(session, (str, type(None))):
        raise ConfigurationError(f"a session is a name, not {session!r:.40}")
    now, tz = ledger.now(), ledger.context.tz
    messages = [_spoken(message, ledger.context.actor) for message in messages]
    instants = [_instant(message, now, ledger) for message in messages]
    instances = [
        encoding(message, session=session, at=at)
        for message, at in zip(messages, instants, strict=True)
    ]

    def write(run: Run) -> tuple[tuple[Episode, ...], str]:
        result = run(instances)
        episodes = tuple(
            Episode(
                id=step.created[0],
                message=message,
                session=session,
                at=at,
                tz=tz,
                owner=ledger.context.actor,
            )
            for step, message, at in zip(result.results, messages, instants, strict=True)
        )
        queued = [episode.id for episode in episodes if episode.role != "assistant"]
        if not ledger.context.dry_run:
            ledger.adapter.queue.put(queued, now=now, lease=lease, until=until)
        return episodes, result.trace_id

    return in_one_transaction(ledger, write)


def commit(
    ledger: Ledger, episode: Episode, candidates: Sequence[Candidate], *, lease: str | None = None
) -> tuple[Outcome, ...]:
    """Reconcile an episode's candidates with the policy and the ledger; an outcome each.

    Its facts can be read and written by those who may read and write the episode, and it changes no
    fact that its owner may not change. Under a ``lease`` the episode leaves the queue in the same
    transaction. Raises LostLease, EpisodeGone.
    """

    def write(run: Run) -> tuple[Outcome, ...]:
        queue = ledger.adapter.queue
        if lease is not None and not queue.holds(episode.id, lease):
            raise LostLease
        record = ledger.find([episode.id]).get(episode.id)
        if record is None and not ledger.context.dry_run:
            raise EpisodeGone
        outcomes = tuple(_commit_one(ledger, episode, each, run, record) for each in candidates)
        label = labelling(episode, [(each.candidate, each.denied) for each in outcomes])
        if label is not None:
            with suppress(ExecutionError, ValidationError), ledger.adapter.transaction():
                run([label])
        if lease is not None:
            queue.done(episode.id)
        return outcomes

    return in_one_transaction(ledger, write)


def _commit_one(
    ledger: Ledger, episode: Episode, candidate: Candidate, run: Run, record: Record | None
) -> Outcome:
    """The outcome of one candidate; ``record`` is the episode in the store, None in a dry run."""
    rights = {} if record is None else inherited(record, ledger.context.actor)
    plan = reconcile(candidate, episode, ledger)
    program = tuple(with_rights(step, rights) for step in plan.program)
    outcome = Outcome(
        candidate=candidate, became=plan.became or "rejected", reason=plan.reason, ids=plan.ids,
        program=program, denied=plan.denied,
    )  # fmt: skip
    if not program:
        return outcome
    try:
        if record is not None:
            run.require(program, record.owner)
        with ledger.adapter.transaction():
            result = run(program)
    except (ExecutionError, ValidationError) as error:
        return replace(outcome, became="rejected", reason=str(error), ids=())
    became, ids = _what_became(ledger, plan, result)
    return replace(outcome, became=became, ids=ids, trace_id=result.trace_id)


def _what_became(
    ledger: Ledger, plan: Plan, result: ProgramResult
) -> tuple[Became, tuple[str, ...]]:
    """What a program did to the ledger, by its last step (the Encode of what was stated), and the
    ids that it touched."""
    ids = tuple(dict.fromkeys(id_ for step in result.results for id_ in step.affected))
    if plan.became is not None:
        return plan.became, ids
    created = result.results[-1].created
    if not created:
        return ("new" if len(plan.program) > 1 else "repeat"), ids
    new = ledger.find(created).get(created[0])
    if new is None:  # its own retention class, or its end, has it gone at once
        return "new", ids
    return _standing(ledger, new), ids


def _standing(ledger: Ledger, new: Record) -> Became:
    """What a new version did to the others of its line."""
    if new.pending:
        return "pending"
    closed = ledger.find([new.supersedes]).get(new.supersedes) if new.supersedes else None
    if closed is not None and closed.valid_from == new.valid_from:
        return "correct"
    if new.valid_to is not None:
        following = ledger.facts(subject=new.subject, attribute=new.attribute, as_of=new.valid_to)
        if new.valid_to <= ledger.now() or any(each.id != new.id for each in following):
            return "late"
    return "new" if closed is None else "supersede"


# --- transactions --------------------------------------------------------------------------


class Run:
    """One attempt at several programs in one transaction."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self.ran: list[Executed] = []

    def __call__(self, instances: Sequence[Instance]) -> ProgramResult:
        """Run a program. Raises ExecutionError where the store refuses it, ValidationError."""
        done = self._done(instances, self._ledger.context)
        self.ran.append(done)
        return done.result

    def require(self, instances: Sequence[Instance], owner: str | None) -> None:
        """Raises ExecutionError where the owner of an episode could not run its program."""
        context = self._ledger.context
        if owner not in (None, context.actor):
            own = replace(context, actor=owner, roles=frozenset(), dry_run=True)
            self._done(instances, own)

    def _done(self, instances: Sequence[Instance], context: ExecutionContext) -> Executed:
        ledger = self._ledger
        program = Program.load(list(instances), now=ledger.now(), tz=ledger.context.tz)
        done = run_prepared(program.ops, ledger.adapter, context, ledger.prepared)
        done.result.checked()
        return done


def in_one_transaction(ledger: Ledger, write: Callable[[Run], T]) -> T:
    """Call ``write`` in a transaction: its programs are kept together or not at all; its result.

    Where a program needs a service, ``write`` is rolled back and called again, so that services are
    called with no lock held. Raises ExecutionError "store-moving".
    """
    ledger.prepared.begin([])

    def attempt() -> tuple[Run, T]:
        run = Run(ledger)
        with ledger.adapter.transaction():
            return run, write(run)

    run, value = until_prepared(attempt, ledger.adapter, ledger.prepared)
    list(settle_erasure(run.ran, ledger.adapter, ledger.context))
    return value


def _spoken(message: Message, actor: str | None) -> Message:
    """A message with its speaker: that of a user without a name is the caller's actor."""
    if message.role == "user" and message.speaker is None and actor is not None:
        return replace(message, speaker=actor)
    return message


def _instant(message: Message, now: datetime, ledger: Ledger) -> datetime:
    """When a message was said; without a zone it is in the caller's."""
    at = message.at or now
    if at.tzinfo is None:
        at = at.replace(tzinfo=ledger.context.tz)
    return at.replace(microsecond=0)
