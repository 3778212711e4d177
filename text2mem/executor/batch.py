"""Run many programs in few transactions, or encode many memories as one program."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from text2mem.adapters.base import Adapter, Effect, Env
from text2mem.adapters.transactions import transact
from text2mem.errors import ExecutionError, Text2MemError
from text2mem.executor.authorise import check_parents
from text2mem.executor.executor import (
    Executed,
    execute,
    finish_programs,
    run_prepared,
    until_prepared,
)
from text2mem.executor.frame import begin_program, due_warnings, finish_erasures
from text2mem.executor.prepared import NotPrepared, Prepared
from text2mem.ir.context import ExecutionContext
from text2mem.ir.journal import TICK, Trail
from text2mem.ir.ops import READS, Encode, Op
from text2mem.ir.result import ProgramResult

GROUP = 256
"""The default for how many programs share a transaction."""


def execute_many(
    programs: Sequence[Sequence[Op]], adapter: Adapter, context: ExecutionContext, *,
    prepared: Prepared | None = None, group: int = GROUP,
) -> Iterator[ProgramResult]:  # fmt: skip
    """Run programs in order, each of them wholly or not at all, and yield their results.

    Up to ``group`` programs are committed together, and their results yielded after that. A refused
    program does not affect the others of its group. An exception (UnsupportedOperation,
    ServiceError …) is about the program after the last yielded result.
    """
    prepared = prepared if prepared is not None else Prepared()
    done = 0
    while done < len(programs):
        chunk = programs[done : done + group]
        if len(chunk) == 1 or all(op.name in READS for program in chunk for op in program):
            # A group would take the write lock, which reads do not need.
            for program in chunk:
                yield execute(program, adapter, context, prepared=prepared)
            done += len(chunk)
            continue
        prepared.begin([op for program in chunk for op in program])
        ran, stopped = transact(adapter, partial(_together, chunk, adapter, context, prepared))
        # The finished programs are committed and their results yielded before a service is called.
        # So no lock is held meanwhile, and an error of the service is about the next program.
        done += len(ran)
        yield from finish_programs(ran, adapter, context)
        if isinstance(stopped, Text2MemError):
            raise stopped
        if stopped is not None:
            yield execute(programs[done], adapter, context, prepared=prepared)
            done += 1


def _together(
    programs: Sequence[Sequence[Op]], adapter: Adapter, context: ExecutionContext,
    prepared: Prepared,
) -> tuple[list[Executed], NotPrepared | Text2MemError | None]:  # fmt: skip
    """Run programs, each in a savepoint, until one of them needs a service or raises. Return the
    results so far, and the exception of the next program, or None if all have run."""
    ran: list[Executed] = []
    for program in programs:
        try:
            ran.append(run_prepared(program, adapter, context, prepared))
        except (NotPrepared, Text2MemError) as stopped:
            return ran, stopped
    return ran, None


def encode_many(
    ops: Sequence[Encode], adapter: Adapter, context: ExecutionContext, *,
    prepared: Prepared | None = None,
) -> tuple[str, Effect]:  # fmt: skip
    """Encode many memories as one program, without step references. Return its trace id, and an
    effect with the ids of the memories, in the order of the ops. It writes the same as ``execute``,
    but builds no result per step; a refusal is raised as ExecutionError."""
    prepared = prepared if prepared is not None else Prepared()
    prepared.begin(ops)
    trace_id = context.trace()
    env = Env.of(context, prepared)

    def body() -> tuple[Effect, Effect]:
        due = begin_program(adapter, env, trace_id)
        for step, op in enumerate(ops):
            check_parents(op, f"/{step}", adapter, env)
        return due, adapter.encode_many(ops, env, Trail(trace_id, 0, TICK))

    try:
        attempt = partial(transact, adapter, body, keep=not context.dry_run)
        due, effect = until_prepared(attempt, adapter, prepared)
    except ExecutionError as error:
        if error.code != "not-found":
            raise
    else:
        late = finish_erasures(adapter, context, forgets=bool(due.forgotten))
        warnings = (*due_warnings(due, context), *effect.warnings, *late)
        return trace_id, replace(effect, warnings=warnings)
    # A parent or an episode may be created by an earlier Encode of the same call. Run as an
    # ordinary program, each step is checked on the state that the steps before it have left.
    result = execute(ops, adapter, context, prepared=prepared)
    if result.error is not None:
        raise result.error.as_error()
    return result.trace_id, Effect(
        affected=tuple(id_ for step in result.results for id_ in step.affected),
        warnings=tuple(warning for step in result.results for warning in step.warnings),
    )
