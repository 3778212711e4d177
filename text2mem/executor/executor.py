"""The executor runs a program of typed ops in one transaction and returns its result.

A program runs in attempts. Each attempt is the whole program inside one transaction of the adapter.
If an attempt needs a model service, it is rolled back, the service is called with no lock held, and
the program is attempted again. A dry run, and a program that only reads, is rolled back at the end.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from typing import TypeVar

from text2mem.adapters.base import Adapter, Effect, Env, Selection, Support
from text2mem.adapters.transactions import transact
from text2mem.errors import ExecutionError, UnsupportedOperation
from text2mem.executor.authorise import (
    Earlier,
    authorise,
    check_beforehand,
    check_ends,
    check_parents,
    names_its_target,
)
from text2mem.executor.basis import Basis
from text2mem.executor.frame import ERASE_PENDING, begin_program, due_warnings, finish_erasures
from text2mem.executor.prepared import NotPrepared, Prepared
from text2mem.executor.reads import retrieve, summarise
from text2mem.executor.references import dereference
from text2mem.executor.targets import bounded, resolve
from text2mem.ir.context import ExecutionContext
from text2mem.ir.effects import changes
from text2mem.ir.journal import Trail
from text2mem.ir.ops import READS, Encode, Merge, Op, ReadOp, Retrieve, Summarize, TargetedOp
from text2mem.ir.result import Change, ExecutionResult, Failure, ProgramResult
from text2mem.ir.times.duration import UnreadableTime
from text2mem.messages import told

T = TypeVar("T")
_MAX_MOVES = 3
"""How often the store may change while services are called, before the executor gives up."""


@dataclass(slots=True)
class _Run:
    """One try at a program, with the results of its steps so far."""

    adapter: Adapter
    env: Env
    prepared: Prepared
    trace_id: str
    stands_for: list[tuple[str, ...]] = field(default_factory=list)
    """For each step that has run, the ids that a reference to it stands for."""
    results: list[ExecutionResult] = field(default_factory=list)
    forgets: bool = False
    step: int = 0
    """The index of the step that is checked or run."""
    started: float = field(default_factory=time.perf_counter)
    """The performance counter when it began."""
    basis: Basis | None = None
    """The basis of a dry run."""


def execute(
    ops: Sequence[Op], adapter: Adapter, context: ExecutionContext, *,
    prepared: Prepared | None = None, basis: Basis | None = None,
) -> ProgramResult:  # fmt: skip
    """Run a program: every step, or none. Of a refused one, ``ok`` is false and the failed step has
    the reason.

    - ``prepared``: the services and their answers. Pass that of the dry run to reuse its answers.
    - ``basis``: the basis of a dry run. The run has the effect that it showed, or is refused.

    Raise UnsupportedOperation if the backend cannot run an op, and ServiceError if a service that
    the program cannot do without is down.
    """
    prepared = prepared if prepared is not None else Prepared()
    prepared.begin(ops, shown=basis is not None)
    attempt = partial(run_prepared, ops, adapter, context, prepared, basis=basis)
    try:
        ran = until_prepared(attempt, adapter, prepared)
    except ExecutionError as error:  # raised between attempts; a refused step does not raise
        return refused(ops, error, context)
    (result,) = finish_programs([ran], adapter, context)
    return result


def until_prepared(attempt: Callable[[], T], adapter: Adapter, prepared: Prepared) -> T:
    """Repeat an attempt until it needs no further answer of a service, and return its result.
    Services are called between attempts, with no lock held. Raise ExecutionError "store-moving" if
    the store has changed during more than ``_MAX_MOVES`` of these calls."""
    state, moves = adapter.state(), 0
    while True:
        try:
            return attempt()
        except NotPrepared as missing:
            prepared.fulfil(missing)
        if adapter.state() != state:
            state, moves = adapter.state(), moves + 1
        if moves > _MAX_MOVES:
            why = f"the store changed during {moves} preparations of this program"
            hint = "try again when fewer programs are running"
            raise ExecutionError("store-moving", why, hint=hint)


@dataclass(frozen=True, slots=True)
class Executed:
    """A program's result. ``forgets``: something was erased or anonymised."""

    result: ProgramResult
    forgets: bool


def run_prepared(
    ops: Sequence[Op], adapter: Adapter, context: ExecutionContext, prepared: Prepared, *,
    basis: Basis | None = None,
) -> Executed:  # fmt: skip
    """Attempt a program once, in a transaction, or in a savepoint if one is open. Raise NotPrepared
    if a service has to answer first, and UnsupportedOperation if the backend cannot run an op."""
    for op in ops:
        if adapter.support[op.name] is Support.UNSUPPORTED:
            raise UnsupportedOperation(op.name, adapter=adapter.name)
    env = Env.of(context, prepared) if basis is None else Env(context, basis.now, prepared)
    writes = any(op.name not in READS for op in ops)
    keep = writes and not context.dry_run
    trace_id = context.trace()
    run = _Run(adapter, env, prepared, trace_id)

    def body() -> None:
        nonlocal run
        run = _Run(adapter, env, prepared, trace_id)  # another try begins from nothing
        _steps(ops, run, basis, keep=keep)

    try:
        transact(adapter, body, keep=keep, write=writes)
    except (ExecutionError, UnreadableTime) as error:
        if isinstance(error, UnreadableTime):
            # The length was valid when the program was parsed, which was at an earlier instant.
            why = f"a length of {ops[run.step].name} leads out of the calendar by now"
            hint = "give a shorter one, or an instant"
            error = ExecutionError("out-of-calendar", why, hint=hint)
        took = (time.perf_counter() - run.started) * 1000
        result = refused(ops, error, context, step=run.step, trace_id=trace_id, took=took)
        return Executed(result, forgets=False)
    result = ProgramResult(
        ok=True, trace_id=trace_id, dry_run=context.dry_run, results=tuple(run.results),
        basis=None if run.basis is None else str(run.basis),
    )  # fmt: skip
    return Executed(result, run.forgets)


def finish_programs(
    ran: Sequence[Executed], adapter: Adapter, context: ExecutionContext
) -> list[ProgramResult]:
    """Remove erased bytes from the file after a commit, and return the results of the programs,
    with warnings in the last step if bytes remain, or changes have not been delivered yet."""
    forgets = any(executed.forgets for executed in ran)
    warnings = finish_erasures(adapter, context, forgets=forgets)
    others = tuple(warning for warning in warnings if warning != ERASE_PENDING)
    results = []
    for executed in ran:
        result = executed.result
        added = warnings if executed.forgets else others if changes(result) else ()
        if added:
            *steps, last = result.results
            last = replace(last, warnings=(*last.warnings, *added))
            result = replace(result, results=(*steps, last))
        results.append(result)
    return results


def _steps(ops: Sequence[Op], run: _Run, shown: Basis | None, *, keep: bool) -> None:
    """Check and run all steps in the open transaction, which will be committed (``keep``) or rolled
    back. ``shown`` is the basis of the dry run that this run repeats."""
    context = run.env.context
    if shown is not None:
        shown.check(ops, run.adapter, context)
    elif context.dry_run:
        run.basis = Basis.take(ops, run.adapter, run.env)
    due = begin_program(run.adapter, run.env, run.trace_id)
    run.forgets = keep and bool(due.forgotten)
    # A single step runs on the initial state, so the check when it runs is enough.
    earlier = Earlier()
    for run.step, op in enumerate(ops if len(ops) > 1 else ()):
        check_beforehand(op, run.step, earlier, run.adapter, run.env)
        earlier.add(op)
    for run.step, op in enumerate(ops):
        run.started = time.perf_counter()
        _step(op, run, due_warnings(due, context) if not run.step else ())


def refused(
    ops: Sequence[Op], error: ExecutionError, context: ExecutionContext, *, step: int = 0,
    trace_id: str | None = None, took: float = 0.0,
) -> ProgramResult:  # fmt: skip
    """The result of a program refused before it ran, or in a step that ``took`` so many ms. Raise
    the error itself if the program has no step, so that no result could hold it."""
    if not ops:
        raise error
    trace_id, dry_run = trace_id or context.trace(), context.dry_run
    failure = replace(Failure.of(error), pointer=error.pointer or f"/{step}")
    result = ExecutionResult(
        ok=False, op=ops[step].name, error=failure, dry_run=dry_run, duration_ms=took,
        trace_id=trace_id,
    )  # fmt: skip
    return ProgramResult(ok=False, trace_id=trace_id, dry_run=dry_run, results=(result,))


def _step(op: Op, run: _Run, notes: tuple[str, ...]) -> None:
    """Run one step, journal it, and add its result to ``run``. ``notes`` are further warnings."""
    index = run.step
    by_name, given = names_its_target(op), op
    op, empty, idle = dereference(op, run.stands_for)
    warnings = list(notes)
    if idle:
        ran = _Ran(Selection((), 0), Effect())
        warnings.append(f"{', '.join(empty)} stands for nothing: no effect")
    elif isinstance(op, Encode):
        ran = _encode(op, f"/{index}", run)
    elif isinstance(op, ReadOp):
        ran = _read(op, f"/{index}", run)
    else:
        assert isinstance(op, TargetedOp)
        ran = _write(op, f"/{index}", run, by_name=by_name)
    effect = ran.effect
    warnings += effect.warnings
    if isinstance(given, Encode) and isinstance(op, Encode):
        if given.lineage_parents and not op.lineage_parents:
            warnings.append("the references to its parents stand for nothing: no lineage")
    elif not idle and not ran.selection.rows:
        warnings.append(told("matches-none"))
    if empty and not idle:
        warnings.append(f"{', '.join(empty)} stands for nothing")
    if effect.touched and not run.env.context.dry_run:
        run.adapter.journal(Trail(run.trace_id, index + 1, op.name), effect, run.env)
        run.forgets = run.forgets or bool(effect.forgotten)
    run.stands_for.append(effect.affected[:1] if isinstance(op, Merge) else effect.affected)
    run.results.append(
        ExecutionResult(
            ok=True, op=op.name, affected=effect.affected, created=effect.created, rows=ran.rows,
            matched=ran.selection.matched, dry_run=run.env.context.dry_run,
            warnings=(*warnings, *run.prepared.notes()), changes=changes_of(effect),
            duration_ms=(time.perf_counter() - run.started) * 1000, trace_id=run.trace_id,
        )
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Ran:
    """What one step selected, did, and returned."""

    selection: Selection
    effect: Effect
    rows: tuple[Mapping[str, object], ...] = ()


def _encode(op: Encode, at: str, run: _Run) -> _Ran:
    check_parents(op, at, run.adapter, run.env)
    return _Ran(Selection((), 0), run.adapter.lower(op, (), run.env))


def _read(op: ReadOp, at: str, run: _Run) -> _Ran:
    selection = resolve(op, bounded(op.target), at, run.adapter, run.env)
    if isinstance(op, Summarize):
        rows, warnings = summarise(op, selection, run.prepared)
    else:
        assert isinstance(op, Retrieve)
        rows, warnings = retrieve(op, selection, run.env.now)
    effect = Effect(affected=tuple(row.id for row in selection.rows), warnings=warnings)
    return _Ran(selection, effect, rows)


def _write(op: TargetedOp, at: str, run: _Run, *, by_name: bool) -> _Ran:
    selection = resolve(op, op.target, at, run.adapter, run.env)
    authorise(op, selection, at, run.adapter, run.env, by_name=by_name)
    if not selection.rows:
        return _Ran(selection, Effect())
    if isinstance(op, Merge) and op.primary_id is None:
        op = replace(op, primary_id=selection.rows[0].id)
    effect = run.adapter.lower(op, selection.rows, run.env)
    check_ends(op.name, effect.touched, run.env.context, f"{at}/args")
    return _Ran(selection, effect)


def changes_of(effect: Effect) -> tuple[Change, ...]:
    """The changes of an effect, ordered by memory id, which is the same for every backend."""
    by_memory = sorted(filter(None, effect.changes), key=lambda of_one: int(of_one[0].id))
    return tuple(chain.from_iterable(by_memory))
