"""What a transaction of the executor begins with, and what follows its commit."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from text2mem.adapters.base import Adapter, Effect, Env
from text2mem.adapters.transactions import transact
from text2mem.errors import ExecutionError
from text2mem.executor.prepared import Prepared
from text2mem.executor.resting import erase_resting
from text2mem.ir.context import ExecutionContext
from text2mem.ir.journal import TICK, Trail
from text2mem.messages import told

T = TypeVar("T")
ERASE_PENDING = told("erase-pending")


def begin_program(adapter: Adapter, env: Env, trace_id: str) -> Effect:
    """Settle what is due before the first step of a program. Raise ExecutionError if the context's
    trace is another actor's: undo could not tell them apart."""
    if env.context.trace_id is not None:
        last = adapter.entries(env.context, trace_id=trace_id, limit=1)
        if last and last[0].actor != env.context.actor:
            why = "a program of another caller has this trace id"
            raise ExecutionError("trace-taken", why, hint="leave trace_id out for a new one")
    return settle_due(adapter, env, trace_id)


def settle_due(adapter: Adapter, env: Env, trace_id: str) -> Effect:
    """Carry out whatever is due, and journal it."""
    effect = adapter.settle(env)
    if effect.touched:
        adapter.journal(Trail(trace_id, 0, TICK), effect, env)
    return effect


def settled(adapter: Adapter, context: ExecutionContext, look: Callable[[], T]) -> T:
    """Return what ``look`` returns, called in a transaction in which what is due has been carried
    out, and which is rolled back. ``look`` must only read, and may be called more than once."""
    env = Env.of(context, Prepared())

    def body() -> T:
        settle_due(adapter, env, "")
        return look()

    return transact(adapter, body, keep=False, write=False)


def due_warnings(due: Effect, context: ExecutionContext) -> tuple[str, ...]:
    """The warnings of expiries, for the local user only: they may be about anybody's memories."""
    return tuple(due.warnings) if context.is_local_user else ()


def finish_erasures(
    adapter: Adapter, context: ExecutionContext, *, forgets: bool, undone: bool = False,
    patient: bool = False,
) -> tuple[str, ...]:  # fmt: skip
    """Finish the erasures of programs, and return warnings about what is still to do; nothing of a
    dry run.

    One of the programs erased or anonymised something (``forgets``), or is an undo (``undone``).
    ``patient``: also do what takes long, and what other calls have left to do in the bank.
    """
    if context.dry_run:
        return ()
    resting = patient or undone or (forgets and adapter.erasing)
    pending = (resting and not erase_resting(adapter, context, patient=patient)) or (
        forgets and not adapter.finish_erasures(patient=patient)
    )
    return tuple(filter(None, (ERASE_PENDING if pending else "", adapter.undelivered())))
