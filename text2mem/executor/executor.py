"""The executor: typed ops in, results out, one transaction a program.

A program runs in attempts. Each attempt is the whole program inside one transaction of the adapter;
an attempt that needs a model service is rolled back and repeated once the service has answered with
no lock held. A dry run, and a program of reads alone, is rolled back at the end.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from text2mem.adapters.base import Adapter, Effect, Env, Scope, Selection, Support
from text2mem.errors import ExecutionError, UnsupportedOperation
from text2mem.executor.authorise import (
    WRITE_CAP,
    check_cascade,
    check_lineage,
    check_rows,
    check_width,
)
from text2mem.executor.reads import DEFAULT_LIMIT, retrieve, summarise
from text2mem.executor.services import NotPrepared, Prepared
from text2mem.ir.context import ExecutionContext
from text2mem.ir.ops import (
    READS,
    AbsoluteRange,
    AllMemories,
    ByFilter,
    ByIds,
    BySearch,
    Delete,
    Encode,
    Merge,
    Op,
    Range,
    ReadOp,
    Ref,
    Retrieve,
    StepRef,
    Summarize,
    Target,
    TargetedOp,
    Update,
)
from text2mem.ir.record import Record, diff
from text2mem.ir.result import Change, ExecutionResult, Failure, ProgramResult
from text2mem.ir.temporal import relative_range

_MAX_MOVES = 3
"""How often a program is prepared again because the store has changed under it."""


class _RollBack(Exception):
    """Leaves the transaction without keeping anything: dry runs and reads."""


@dataclass(slots=True)
class _Run:
    """One attempt at a program."""

    adapter: Adapter
    env: Env
    prepared: Prepared
    cap: int
    trace_id: str
    stands_for: list[tuple[str, ...]] = field(default_factory=list)
    results: list[ExecutionResult] = field(default_factory=list)

    @property
    def context(self) -> ExecutionContext:
        return self.env.context

    @property
    def now(self) -> datetime:
        return self.env.now


def execute(
    ops: Sequence[Op],
    adapter: Adapter,
    context: ExecutionContext,
    *,
    prepared: Prepared | None = None,
    cap: int = WRITE_CAP,
) -> ProgramResult:
    """Run a program: every step, or none.

    What the store refuses comes back as a result with ``ok`` false and the reason in the failed
    step; a backend that cannot run an op, or a service that is down, raises. ``prepared`` carries
    the services and, between a dry run and its run, their answers.
    """
    for op in ops:
        if adapter.support[op.name] is Support.UNSUPPORTED:
            raise UnsupportedOperation(op.name, adapter=adapter.name)
    prepared = prepared if prepared is not None else Prepared()
    trace_id = context.trace_id or uuid.uuid4().hex
    now = context.clock.now().replace(microsecond=0)
    state = adapter.state()
    moves = 0
    while True:
        run = _Run(adapter, Env(context, now, prepared), prepared, cap, trace_id)
        try:
            return _attempt(ops, run)
        except NotPrepared as missing:
            prepared.fulfil(missing)
        # Every answer brings the program on, unless somebody else has changed what it reads.
        if adapter.state() != state:
            state, moves = adapter.state(), moves + 1
        if moves > _MAX_MOVES:
            error = ExecutionError(
                "store-moving",
                f"the store changed during {moves} preparations of this program",
                hint="try again when fewer programs are running",
            )
            return _refused(ops, 0, error, run, time.perf_counter())


def _attempt(ops: Sequence[Op], run: _Run) -> ProgramResult:
    keep = not run.context.dry_run and any(op.name not in READS for op in ops)
    step = 0
    started = time.perf_counter()
    try:
        with run.adapter.transaction():
            settled = run.adapter.settle(run.env)
            if settled and keep:
                run.adapter.journal(
                    run.trace_id, 0, "tick", Effect(touched=tuple(settled)), run.env
                )
            for step, op in enumerate(ops):
                _precheck(op, f"/{step}", run)
            for step, op in enumerate(ops):
                started = time.perf_counter()
                _step(op, step, run, started)
            if not keep:
                raise _RollBack
    except _RollBack:
        pass
    except ExecutionError as error:
        return _refused(ops, step, error, run, started)
    return ProgramResult(
        ok=True, trace_id=run.trace_id, dry_run=run.context.dry_run, results=tuple(run.results)
    )


def _refused(
    ops: Sequence[Op], step: int, error: ExecutionError, run: _Run, started: float
) -> ProgramResult:
    at = error.pointer or f"/{step}"
    failure = Failure(error.code, error.message, at, error.hint)
    result = ExecutionResult(
        ok=False, op=ops[step].name, error=failure, dry_run=run.context.dry_run,
        duration_ms=(time.perf_counter() - started) * 1000, trace_id=run.trace_id,
    )  # fmt: skip
    return ProgramResult(
        ok=False, trace_id=run.trace_id, dry_run=run.context.dry_run, results=(result,)
    )


# --- one step ------------------------------------------------------------------------------


def _precheck(op: Op, at: str, run: _Run) -> None:
    """Rights, locks, ids and width on the initial state, where no step reference hides them."""
    if _refers(op):
        return
    if isinstance(op, TargetedOp):
        found = _resolve(op, op.target, at, run)
        _authorise(op, found, at, run, by_name=isinstance(op.target, ByIds))
    elif isinstance(op, Encode):
        _check_parents(op, at, run)


def _step(op: Op, index: int, run: _Run, started: float) -> None:
    at = f"/{index}"
    by_name = not _refers(op) and isinstance(getattr(op, "target", None), ByIds)
    had_parents = isinstance(op, Encode) and bool(op.lineage_parents)
    op, dangling = _dereference(op, run.stands_for)
    lost: tuple[str, ...] = ()
    if isinstance(op, Encode) and had_parents and not op.lineage_parents:
        lost = ("the references to its parents stand for nothing: no lineage",)
    rows: tuple[Mapping[str, object], ...] = ()
    found = Selection((), 0)
    effect = Effect()
    if dangling:
        warnings: tuple[str, ...] = (f"{', '.join(dangling)} stands for nothing: no effect",)
    elif isinstance(op, Encode):
        _check_parents(op, at, run)
        effect = run.adapter.lower(op, (), run.env)
        warnings = (*effect.warnings, *lost)
    elif isinstance(op, ReadOp):
        found = _resolve(op, _bounded(op.target), at, run)
        if isinstance(op, Retrieve):
            rows, warnings = retrieve(op, found)
        else:
            assert isinstance(op, Summarize)
            rows, warnings = summarise(op, found, run.prepared)
        effect = Effect(affected=tuple(row.id for row in found.rows))
    else:
        assert isinstance(op, TargetedOp)
        found = _resolve(op, op.target, at, run)
        _authorise(op, found, at, run, by_name=by_name)
        if found.rows:
            effect = run.adapter.lower(op, found.rows, run.env)
        warnings = effect.warnings
    if isinstance(op, TargetedOp) and not found.rows and not dangling:
        warnings = (*warnings, "the target matches no memory: no effect")
    if op.name not in READS and effect.touched and not run.context.dry_run:
        run.adapter.journal(run.trace_id, index + 1, op.name, effect, run.env)
    run.stands_for.append(effect.affected[:1] if isinstance(op, Merge) else effect.affected)
    run.results.append(
        ExecutionResult(
            ok=True, op=op.name, affected=effect.affected, created=effect.created, rows=rows,
            matched=found.matched, dry_run=run.context.dry_run, warnings=warnings,
            changes=_changes(effect),
            duration_ms=(time.perf_counter() - started) * 1000, trace_id=run.trace_id,
        )
    )  # fmt: skip


def _check_parents(op: Encode, at: str, run: _Run) -> None:
    parents = run.adapter.resolve(
        ByIds(op.lineage_parents), Scope(context=run.context, now=run.now)
    )
    _all_found(op.lineage_parents, parents, f"{at}/args/lineage_parents")
    check_lineage(op, parents.rows, run.context, run.now, at)


def _changes(effect: Effect) -> tuple[Change, ...]:
    """What changed, in id order, so that every backend says it in the same words."""
    pairs = sorted(effect.touched, key=lambda pair: int((pair[0] or pair[1]).id))  # type: ignore[union-attr]
    return tuple(change for before, after in pairs for change in diff(before, after))


def _resolve(op: TargetedOp, target: Target, at: str, run: _Run) -> Selection:
    found = run.adapter.resolve(target, _scope(op, run))
    if isinstance(target, ByIds):
        _all_found(target.ids, found, f"{at}/target/ids")
    if isinstance(op, Delete):
        return _narrowed(op, found, run)
    if isinstance(op, Merge) and found.rows:
        return _with_primary(op, found, at, run)
    return found


def _with_primary(op: Merge, found: Selection, at: str, run: _Run) -> Selection:
    """A merge's primary belongs to it, whether its target names it or not."""
    primary = run.adapter.resolve(ByIds((op.primary_id,)), _scope(op, run))
    _all_found((op.primary_id,), primary, f"{at}/args/primary_id")
    if primary.rows[0].id in {row.id for row in found.rows}:
        return found
    return Selection((*primary.rows, *found.rows), found.matched + 1, found.scores)


def _scope(op: TargetedOp, run: _Run) -> Scope:
    """Writes reach archived memories unless they mean "all"; restoring reaches deleted ones."""
    if isinstance(op, ReadOp):
        return Scope(
            context=run.context, now=run.now, archived=op.include_archived,
            deleted=op.include_deleted, as_of=op.as_of, known_at=op.known_at,
        )  # fmt: skip
    restores = isinstance(op, Update) and "deleted" in op.edits
    erases = isinstance(op, Delete) and not op.soft and isinstance(op.target, ByIds)
    unarchives = isinstance(op, Update) and "archived" in op.edits
    return Scope(
        context=run.context, now=run.now, floor=True, deleted=restores or erases,
        archived=unarchives or not isinstance(op.target, AllMemories),
    )  # fmt: skip


def _all_found(ids: Sequence[Ref], found: Selection, at: str) -> None:
    here = {row.id for row in found.rows}
    missing = [str(ref) for ref in dict.fromkeys(ids) if ref not in here]
    if missing:
        more = f" and {len(missing) - 10} more" if len(missing) > 10 else ""
        raise ExecutionError(
            "not-found", f"no memory with id {', '.join(missing[:10])}{more}", pointer=at,
            hint="ids are those that Encode and Retrieve return",
        )  # fmt: skip


def _narrowed(op: Delete, found: Selection, run: _Run) -> Selection:
    """Delete's own conditions, on top of its target."""
    keep: list[Record] = list(found.rows)
    if op.older_than is not None:
        horizon = op.older_than.before(run.now)
        keep = [row for row in keep if row.when < horizon]
    if op.time_range is not None:
        span = _absolute(op.time_range, run)
        keep = [
            row
            for row in keep
            if (span.start is None or row.when >= span.start)
            and (span.end is None or row.when <= span.end)
        ]
    return (
        found if len(keep) == len(found.rows) else Selection(tuple(keep), len(keep), found.scores)
    )


def _absolute(span: Range, run: _Run) -> AbsoluteRange:
    if isinstance(span, AbsoluteRange):
        return span
    resolved = relative_range(
        span.direction, span.amount, span.unit, now=run.now, tz=run.context.tz
    )
    return AbsoluteRange(resolved.start, resolved.end)


def _authorise(op: TargetedOp, found: Selection, at: str, run: _Run, *, by_name: bool) -> None:
    if op.name in READS:
        return
    descendants: list[Record] = []
    if isinstance(op, Delete) and op.cascade and not op.soft:
        descendants = _descendants(found.rows, run)
        check_cascade(op, descendants, run.context, run.now, at)
    check_width(
        op, len(found.rows) + len(descendants), lambda: run.adapter.active(run.context),
        run.context, at, by_name=by_name and not descendants, cap=run.cap,
    )  # fmt: skip
    check_rows(op, found.rows, run.context, run.now, at)


def _descendants(rows: Sequence[Record], run: _Run) -> list[Record]:
    """Every memory that holds content of these rows through lineage, whoever owns it."""
    everyone = Scope(context=replace(run.context, actor=None), now=run.now, deleted=True)
    seen = {row.id for row in rows}
    found: list[Record] = []
    queue = list(rows)
    while queue:
        row = queue.pop()
        children = run.adapter.resolve(ByIds(row.lineage_children), everyone).rows
        fresh = [c for c in children if row.id in c.lineage_parents and c.id not in seen]
        seen.update(child.id for child in fresh)
        found.extend(fresh)
        queue.extend(fresh)
    return found


def _bounded(target: Target) -> Target:
    """A read without a limit of its own returns twenty rows."""
    if isinstance(target, ByFilter) and target.limit is None:
        return replace(target, limit=DEFAULT_LIMIT)
    if isinstance(target, BySearch) and target.limit is None and target.k is None:
        return replace(target, limit=DEFAULT_LIMIT)
    if isinstance(target, AllMemories):
        return ByFilter(limit=DEFAULT_LIMIT)
    return target


# --- step references -----------------------------------------------------------------------


def _refers(op: Op) -> bool:
    refs: list[Ref] = list(op.lineage_parents) if isinstance(op, Encode) else []
    if isinstance(op, TargetedOp) and isinstance(op.target, ByIds):
        refs.extend(op.target.ids)
    if isinstance(op, Merge):
        refs.append(op.primary_id)
    return any(isinstance(ref, StepRef) for ref in refs)


def _dereference(op: Op, stands_for: Sequence[tuple[str, ...]]) -> tuple[Op, tuple[str, ...]]:
    """The op with ids in place of references, and the references that leave it without a target."""

    def ids(refs: Sequence[Ref]) -> tuple[str, ...]:
        out: dict[str, None] = {}
        for ref in refs:
            out.update(
                dict.fromkeys(stands_for[ref.step - 1] if isinstance(ref, StepRef) else (ref,))
            )
        return tuple(out)

    if isinstance(op, Encode):
        return replace(op, lineage_parents=ids(op.lineage_parents)), ()
    if isinstance(op, Merge) and isinstance(op.primary_id, StepRef):
        primary = ids((op.primary_id,))
        if not primary:
            return op, (str(op.primary_id),)
        op = replace(op, primary_id=primary[0])
    if isinstance(op, TargetedOp) and isinstance(op.target, ByIds):
        resolved = ids(op.target.ids)
        if not resolved:
            return op, tuple(str(ref) for ref in op.target.ids)
        op = replace(op, target=ByIds(resolved))
    return op, ()
