"""Many programs in few transactions, and many memories in one program."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from text2mem.adapters.base import Adapter, Effect, Env, settled
from text2mem.adapters.transactions import once_more, unit
from text2mem.errors import ExecutionError, Text2MemError
from text2mem.executor.checks import check_parents
from text2mem.executor.executor import (
    Executed,
    execute,
    remaining,
    require_own_trace,
    run_prepared,
    settle_erasure,
    until_prepared,
    warned,
)
from text2mem.executor.services import NotPrepared, Prepared
from text2mem.ir.context import ExecutionContext
from text2mem.ir.journal import TICK, Trail
from text2mem.ir.ops import READS, Encode, Op
from text2mem.ir.result import ProgramResult

GROUP = 256
"""How many programs share a transaction."""


def execute_many(
    programs: Sequence[Sequence[Op]],
    adapter: Adapter,
    context: ExecutionContext,
    *,
    prepared: Prepared | None = None,
    group: int = GROUP,
) -> Iterator[ProgramResult]:
    """Run programs in order, each of them wholly or not at all.

    A group of them is committed together, and their results are given out after that: what has
    been given out is kept. A program that is refused leaves the others of its group alone; what is
    raised (UnsupportedOperation, ServiceError …) is about the one after the last result.
    """
    prepared = prepared if prepared is not None else Prepared()
    done = 0
    while done < len(programs):
        chunk = programs[done : done + group]
        if len(chunk) == 1 or all(op.name in READS for program in chunk for op in program):
            # Reads alone must not keep others from writing.
            for program in chunk:
                yield execute(program, adapter, context, prepared=prepared)
            done += len(chunk)
            continue
        prepared.begin([op for program in chunk for op in program])
        ran, stopped = once_more(partial(_together, chunk, adapter, context, prepared))
        # What has run is committed, and given out, before a service is called, so that nobody
        # waits for it, and what the service raises is about the next program.
        done += len(ran)
        yield from settle_erasure(ran, adapter, context)
        if isinstance(stopped, Text2MemError):
            raise stopped
        if stopped is not None:
            yield execute(programs[done], adapter, context, prepared=prepared)
            done += 1


def _together(
    programs: Sequence[Sequence[Op]], adapter: Adapter, context: ExecutionContext,
    prepared: Prepared,
) -> tuple[list[Executed], NotPrepared | Text2MemError | None]:  # fmt: skip
    """Run programs in one transaction until one needs a service or raises.

    Returns the results so far, and what the next program raised; None where all have run.
    """
    ran: list[Executed] = []
    with adapter.transaction():
        for program in programs:
            try:
                ran.append(run_prepared(program, adapter, context, prepared))
            except (NotPrepared, Text2MemError) as stopped:
                return ran, stopped
    return ran, None


def encode_many(
    ops: Sequence[Encode],
    adapter: Adapter,
    context: ExecutionContext,
    *,
    prepared: Prepared | None = None,
) -> tuple[str, Effect]:
    """Encode many memories as one program; its trace, and an effect with their ids in order.

    It writes the same rows and journal entries as a program of these Encodes, and builds no result
    for each. The ops may have no step references. A refusal is raised as ExecutionError.
    """
    prepared = prepared if prepared is not None else Prepared()
    prepared.begin(ops)
    trace_id = context.trace()
    env = Env.of(context, prepared)

    def attempt() -> tuple[Effect, Effect]:
        effect = Effect()
        with unit(adapter, keep=not context.dry_run):
            require_own_trace(adapter, context)
            due = settled(adapter, env, trace_id)
            for step, op in enumerate(ops):
                check_parents(op, f"/{step}", adapter, env)
            effect = adapter.encode_many(ops, env, Trail(trace_id, 0, TICK))
        return due, effect

    try:
        due, effect = until_prepared(attempt, adapter, prepared)
    except ExecutionError as error:
        if error.code != "not-found":
            raise
    else:
        late = () if context.dry_run else remaining(adapter, context, forgets=bool(due.forgotten))
        told = (*warned(due, context), *effect.warnings, *late)
        return trace_id, replace(effect, warnings=told)
    # A parent may be made by an earlier Encode of the same call: an ordinary program checks each
    # step on the state that it sees.
    result = execute(ops, adapter, context, prepared=prepared)
    if result.error is not None:
        raise result.error.as_error()
    return result.trace_id, Effect(
        affected=tuple(id_ for step in result.results for id_ in step.affected),
        warnings=tuple(told for step in result.results for told in step.warnings),
    )
