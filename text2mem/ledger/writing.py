"""The write path: store messages as episodes, and candidates as facts.

The candidates of an episode are committed in one transaction, each by a program of its own, with
the end of its queue task: an interrupted reading leaves nothing, and none is committed twice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import TypeVar

from text2mem.adapters.transactions import transact
from text2mem.errors import ConfigurationError, ExecutionError, ValidationError
from text2mem.executor.executor import Executed, finish_programs, run_prepared, until_prepared
from text2mem.ir.context import ExecutionContext
from text2mem.ir.record import Record
from text2mem.ir.result import ProgramResult
from text2mem.ledger.candidate import Became, Candidate, Outcome, labelling
from text2mem.ledger.episode import Episode, Message, encoding
from text2mem.ledger.ledger import Ledger
from text2mem.ledger.reconcile import Plan, reconcile
from text2mem.ledger.rights import inherited, with_rights
from text2mem.ledger.versions import Instance
from text2mem.program import Program

T = TypeVar("T")


class LostLease(Exception):
    """Another worker has leased the episode since then, or has finished it."""


class EpisodeGone(Exception):
    """The episode has been deleted since it was leased."""


def store(
    ledger: Ledger,
    messages: Sequence[Message],
    *,
    session: str | None = None,
    lease: str | None = None,
    until: datetime | None = None,
) -> tuple[tuple[Episode, ...], str]:
    """Store messages as episodes, all or none, and queue them, except an assistant's; with a
    ``lease`` (the name of a worker) they are leased to it ``until`` an instant.

    Return the episodes, and the trace id of their program. With a dry context nothing is stored or
    queued. Raise ExecutionError if the store refuses, ConfigurationError if the session is no name.
    """
    if not isinstance(session, (str, type(None))):
        raise ConfigurationError(f"a session is a name, not {session!r:.40}")
    now, tz, actor = ledger.now(), ledger.context.tz, ledger.context.actor
    said = [_said(message, now, ledger.context) for message in messages]
    instances = [encoding(message, session=session, at=at) for message, at in said]

    def write(run: Run) -> tuple[tuple[Episode, ...], str]:
        result = run(instances)
        ids = [step.created[0] for step in result.results]
        episodes = tuple(
            Episode(id=id_, message=message, session=session, at=at, tz=tz, owner=actor)
            for id_, (message, at) in zip(ids, said, strict=True)
        )
        queued = [episode.id for episode in episodes if episode.role != "assistant"]
        if not ledger.context.dry_run:
            ledger.adapter.queue.put(queued, now=now, lease=lease, until=until)
        return episodes, result.trace_id

    return in_one_transaction(ledger, write)


def commit(
    ledger: Ledger, episode: Episode, candidates: Sequence[Candidate], *, lease: str | None = None
) -> tuple[Outcome, ...]:
    """Reconcile an episode's candidates, and run their programs. Return an outcome for each.

    The facts get the rights of the episode. No fact is changed that the episode's owner may not
    change. With a ``lease`` (the name of a worker) the episode leaves the queue in the same
    transaction. Raise LostLease if the worker holds it no longer, EpisodeGone if it was deleted.
    """

    def write(run: Run) -> tuple[Outcome, ...]:
        queue = ledger.adapter.queue
        if lease is not None and not queue.holds(episode.id, lease):
            raise LostLease
        record = ledger.find([episode.id]).get(episode.id)
        if record is None and not ledger.context.dry_run:
            raise EpisodeGone
        outcomes = tuple(
            _commit_one(ledger, episode, candidate, run, record) for candidate in candidates
        )
        label = labelling(episode, [(outcome.candidate, outcome.denied) for outcome in outcomes])
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
    """Run a candidate's program in a savepoint. ``record`` is the episode, if it is stored."""
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
    """What a program did, by the first fact that it made; and the ids that it touched."""
    affected = (id_ for step in result.results for id_ in step.affected)
    ids = tuple(dict.fromkeys((*plan.ids, *affected)))
    if plan.became is not None:
        return plan.became, ids
    created = [id_ for step in result.results for id_ in step.created]
    if not created:
        return "repeat", ids
    new = ledger.find(created[:1]).get(created[0])
    if new is None:  # it has expired at once, by its retention class or its own expiry
        return "new", ids
    return _standing(ledger, new), ids


def _standing(ledger: Ledger, new: Record) -> Became:
    """What a new version did to the other versions of its line."""
    if new.pending:
        return "pending"
    closed = ledger.find([new.supersedes]).get(new.supersedes) if new.supersedes else None
    if closed is not None and closed.valid_from == new.valid_from:
        return "correct"
    if new.valid_to is not None:
        following = ledger.facts(subject=new.subject, attribute=new.attribute, as_of=new.valid_to)
        known = any(int(fact.id) < int(new.id) for fact in following)
        if known or new.valid_to <= ledger.now():
            return "late"
    return "new" if closed is None else "supersede"


# --- transactions --------------------------------------------------------------------------


class Run:
    """Runs several programs within one attempt at a transaction. ``ran`` has their results."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self.ran: list[Executed] = []

    def __call__(self, instances: Sequence[Instance]) -> ProgramResult:
        """Run a program. Raise ExecutionError if refused, ValidationError if invalid."""
        executed = self._execute(instances, self._ledger.context)
        self.ran.append(executed)
        return executed.result

    def require(self, instances: Sequence[Instance], owner: str | None) -> None:
        """Raise ExecutionError if the owner of an episode could not run its program."""
        context = self._ledger.context
        if owner not in (None, context.actor):
            as_owner = replace(context, actor=owner, roles=frozenset(), dry_run=True)
            self._execute(instances, as_owner)

    def _execute(self, instances: Sequence[Instance], context: ExecutionContext) -> Executed:
        ledger = self._ledger
        program = Program.load(list(instances), now=ledger.now(), tz=ledger.context.tz)
        executed = run_prepared(program.ops, ledger.adapter, context, ledger.prepared)
        executed.result.checked()
        return executed


def in_one_transaction(ledger: Ledger, write: Callable[[Run], T]) -> T:
    """What ``write`` returns, called in one transaction: all its programs are committed, or none.

    If a program needs a service, the transaction is rolled back, the service is called with no lock
    held, and ``write`` is called again. Raise ExecutionError "store-moving" as ``until_prepared``.
    """
    ledger.prepared.begin([])

    def body() -> tuple[Run, T]:
        run = Run(ledger)
        return run, write(run)

    attempt = partial(transact, ledger.adapter, body)
    run, returned = until_prepared(attempt, ledger.adapter, ledger.prepared)
    finish_programs(run.ran, ledger.adapter, ledger.context)
    return returned


def _said(message: Message, now: datetime, context: ExecutionContext) -> tuple[Message, datetime]:
    """The message, by the caller's actor if it is a user's and names no speaker, and when it was
    said, in whole seconds; in the caller's time zone if it names none."""
    if message.role == "user" and message.speaker is None:
        message = replace(message, speaker=context.actor)
    at = message.at or now
    return message, at.replace(microsecond=0, tzinfo=at.tzinfo or context.tz)
