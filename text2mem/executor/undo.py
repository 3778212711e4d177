"""Undo: restore what a program changed, by a new one (docs/language.md, "Erasure, undo")."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import takewhile
from typing import Any

from text2mem.adapters.base import Adapter, Effect, Env, Touched
from text2mem.adapters.transactions import transact
from text2mem.errors import ExecutionError
from text2mem.executor.authorise import check_ends, check_rows
from text2mem.executor.executor import changes_of, until_prepared
from text2mem.executor.frame import begin_program, due_warnings, finish_erasures
from text2mem.executor.history import Logged, readable_then
from text2mem.executor.prepared import Prepared
from text2mem.ir.context import ExecutionContext
from text2mem.ir.journal import Entry, Trail, marked
from text2mem.ir.ops import ByIds, Lock, Update
from text2mem.ir.patch import from_values, in_full, patched, rewound, same
from text2mem.ir.record import Record, jsonable
from text2mem.ir.record import due as overdue
from text2mem.ir.result import Change, ExecutionResult, Failure, ProgramResult
from text2mem.messages import told

UNDO = "Undo"
_DONE = "nothing is left to do: the program has been taken back already"
_FIRST = "undo the later programs first, or force: it restores what has not changed since"
_LOCK = {"lock_mode", "lock_policy", "lock_reason", "lock_expires"}
_REMINDER = {"remind_rrule", "remind_until", "remind_start", "remind_tz"}
_TOGETHER = (
    _LOCK, {"text", "payload"}, {"expire_at", "expire_action"}, {"demoted_until", "demoted_from"},
    _REMINDER,
)  # fmt: skip
"""Groups of fields that depend on each other. A group is restored as a whole, or not at all."""


@dataclass(frozen=True)
class _Past:
    """What a program did to one memory, and what has happened to it since."""

    id: str
    entries: Sequence[Entry]
    """The program's journal entries about the memory, oldest first."""
    later: Sequence[Entry]
    """The memory's journal entries after the program, oldest first."""
    row: Record | None
    """The memory as it is now; None if it is gone, or if the caller may not read it."""

    @property
    def forgotten(self) -> bool:
        """Whether entries lost their values, since the memory was erased or anonymised."""
        return any(entry.forgotten for entry in self.entries)

    @property
    def erased(self) -> bool:
        return any(entry.kind == "removed" and entry.forgotten for entry in self.entries)

    @property
    def created(self) -> bool:
        return self.entries[0].kind == "created"

    @property
    def there(self) -> bool:
        return (*self.entries, *self.later)[-1].kind != "removed"

    @cached_property
    def since(self) -> set[str]:
        """The fields that have changed since the program, and were not changed back."""
        now = self._last(self.later)
        after_program = rewound(self.row, _backwards(self.later))
        return {name for name in now if not same(after_program[name], now[name])}

    def _last(self, entries: Iterable[Entry]) -> dict[str, Any]:
        """The last value of each field that the entries have changed."""
        last = {change.field: change.after for entry in entries for change in entry.changes}
        sources = jsonable(self.row.sources) if self.row is not None else ()
        return {name: in_full(name, value, sources) for name, value in last.items()}

    @property
    def moved(self) -> bool:
        """Whether the memory differs from what the program left."""
        return bool(self.since) or any(entry.forgotten for entry in self.later)

    @property
    def taken_back(self) -> bool:
        """Whether the memory is again as it was before the program, which has been undone then."""
        entries = (*self.entries, *self.later)
        now = self._last(entries)
        intact = self.there and not any(entry.forgotten for entry in entries)
        return intact and all(same(value, now[name]) for name, value in self.values().items())

    def values(self) -> dict[str, Any]:
        """The fields that the program changed, with their values before it."""
        past = rewound(self.row, _backwards((*self.entries, *self.later)))
        return {change.field: past[change.field] for change in _backwards(self.entries)}


def _backwards(entries: Sequence[Entry]) -> Iterator[Change]:
    """The changes of journal entries, from the last entry to the first."""
    return (change for entry in reversed(entries) for change in entry.changes)


def undo(
    trace_id: str, adapter: Adapter, context: ExecutionContext, *, force: bool = False,
    prepared: Prepared | None = None,
) -> ProgramResult:  # fmt: skip
    """Restore what the program with this trace changed, by a program that is journalled itself.
    ``force`` restores, in spite of conflicts, all but the fields changed since. A refusal is in the
    result: ``no-such-trace``, ``undo-conflict``, ``undo-erased``, or the codes of any write."""
    prepared = prepared if prepared is not None else Prepared()
    prepared.begin(())
    env = Env.of(context, prepared)
    own_trace = context.trace()
    started = time.perf_counter()

    def body() -> tuple[Effect, Effect, tuple[str, ...]]:
        due = begin_program(adapter, env, own_trace)
        effect = _take_back(trace_id, adapter, env, force=force)
        if effect.touched:
            adapter.journal(Trail(own_trace, 1, UNDO, trace_id), effect, env)
        return due, effect, (*due_warnings(due, context), *effect.warnings, *prepared.notes())

    def result(**fields: Any) -> ProgramResult:
        took = (time.perf_counter() - started) * 1000
        step = ExecutionResult(
            op=UNDO, dry_run=context.dry_run, trace_id=own_trace, duration_ms=took, **fields
        )
        return ProgramResult(ok=step.ok, trace_id=own_trace, dry_run=step.dry_run, results=(step,))

    try:
        if not trace_id or not isinstance(trace_id, str):  # None would select every program
            raise _no_such(trace_id)
        attempt = partial(transact, adapter, body, keep=not context.dry_run)
        due, effect, warnings = until_prepared(attempt, adapter, prepared)
    except ExecutionError as error:
        return result(ok=False, error=Failure.of(error))
    warnings += finish_erasures(adapter, context, forgets=bool(due.forgotten), undone=True)
    return result(ok=True, affected=effect.affected, changes=changes_of(effect), warnings=warnings)


def _standing(programs: Iterable[Logged]) -> Iterator[Logged]:
    """Yield the programs that have not been undone. ``programs`` are newest first."""
    undone: set[str] = set()
    for program in programs:
        if program.trace_id not in undone:
            undone.add(program.undoes)
            yield program


def last_program(programs: Iterable[Logged]) -> str | None:
    """The trace id of the newest program that has not been undone; None if there is none.
    ``programs`` are newest first and contain no tick. An undo of an earlier version does not name
    the program that it has undone, and is taken to mean the next older one."""
    unnamed = 0
    for program in _standing(programs):
        if program.undoes:
            continue
        if UNDO in {op for op, _ in program.ops}:
            unnamed += 1
        elif unnamed:
            unnamed -= 1
        else:
            return program.trace_id
    return None


def stands_undone(trace_id: str, programs: Iterable[Logged]) -> bool:
    """Whether a program was undone, and that undo was not. ``programs`` are newest first."""
    later = takewhile(lambda program: program.trace_id != trace_id, _standing(programs))
    return any(program.undoes == trace_id for program in later)


def _take_back(trace_id: str, adapter: Adapter, env: Env, *, force: bool) -> Effect:
    """Restore, in the open transaction, what a program changed. Raise ExecutionError if refused."""
    found = adapter.entries(env.context, trace_id=trace_id)
    entries = [entry for entry in reversed(found) if not entry.stays]
    by_id: dict[str, list[Entry]] = defaultdict(list)
    for entry in entries:
        by_id[entry.id].append(entry)
    present = adapter.find(by_id, env.context)
    gone = {e.id for e in entries if e.kind == "removed" or e.forgotten}
    if not entries or not (present or gone):
        raise _no_such(trace_id)
    last = max(entry.seq for entry in entries)
    later: dict[str, list[Entry]] = defaultdict(list)
    for entry in reversed(adapter.entries(env.context, ids=tuple(by_id), after=last)):
        if not entry.marks:
            later[entry.id].append(entry)
    pasts = [_Past(id_, group, later[id_], present.get(id_)) for id_, group in by_id.items()]
    if all(past.erased for past in pasts):
        raise ExecutionError("undo-erased", told("undo-erased"))
    hidden = any(past.there and past.id not in present for past in pasts)
    if hidden or not _readable(entries, adapter, env.context):
        why = "the program changed memories that are not this caller's"
        raise ExecutionError("not-writable", why, hint="their owner may undo it")
    conflicts = [_conflict(past) for past in pasts if past.moved and not past.erased]
    if conflicts and not force:
        done = all(past.taken_back for past in pasts)
        why = told("conflicts", each=tuple(conflicts))
        raise ExecutionError("undo-conflict", why, hint=_DONE if done else _FIRST)
    pairs: list[Touched] = []
    warnings = []
    for past in pasts:
        if past.forgotten:
            warnings.append(f"memory {past.id} was erased or anonymised: it stays so")
        elif past.created and past.moved:
            warnings.append(f"memory {past.id} was changed since: it stays")
        elif past.row is None and past.entries[-1].kind != "removed":
            warnings.append(f"memory {past.id} is not there any more")
        else:
            after = _restored(past, env)
            _check_rights(past.row or after, past, env)
            pairs.append((past.row, after))
    # A memory that comes back when its end has passed is erased by the next program.
    back = [after for row, after in pairs if row is None and after and overdue(after, env.now)]
    ends = [*pairs, *((replace(after, expire_at=None), after) for after in back)]
    check_ends(UNDO, ends, env.context, "")
    effect = adapter.restore([pair for pair in pairs if pair != (None, None)], env)
    affected = tuple(sorted(effect.affected, key=int))
    notes = (*warnings, *effect.warnings)
    return Effect(affected=affected, touched=effect.touched, warnings=notes)


def _no_such(trace_id: object) -> ExecutionError:
    if not trace_id:
        return ExecutionError("no-such-trace", told("no-program"))
    why = told("no-such-trace", trace=trace_id)
    hint = "it has been taken back already, or is none that text2mem log lists"
    return ExecutionError("no-such-trace", why, hint=hint)


def _readable(entries: Sequence[Entry], adapter: Adapter, context: ExecutionContext) -> bool:
    """Whether the caller could have read the memories of all entries before and after each."""
    if context.is_local_user:
        return True
    then = readable_then({entry.id for entry in entries}, adapter, context)
    return all(all(then[entry.seq]) for entry in entries if not entry.forgotten)


def _conflict(past: _Past) -> str:
    conflicts = []
    for entry in past.later:
        by = {"op": entry.trail.op, "trace": entry.trail.trace_id}
        fields = [change.field for change in entry.changes if change.field in past.since]
        if entry.kind == "removed" or entry.forgotten:
            conflicts.append(told("conflict-whole", **by, kind=entry.kind))
        elif fields:
            conflicts.append(told("conflict-fields", **by, fields=tuple(fields)))
    return told("conflict", id=past.id, each=tuple(conflicts))


def _restored(past: _Past, env: Env) -> Record | None:
    """The memory after the undo; None if the program created it."""
    if past.created:
        return None
    kept = past.since - {"remind_next"}
    for group in _TOGETHER:
        kept |= group if kept & group else set()
    if kept & _REMINDER:
        kept.add("remind_next")
    values: Mapping[str, Any] = {k: v for k, v in past.values().items() if k not in kept}
    if past.row is None:
        return from_values(past.id, values, updated_at=env.now)
    if "facets" in values:  # what is withheld stays so
        values = {**values, "facets": {**values["facets"], **marked(past.row.facets)}}
    return patched(past.row, values)


def _check_rights(row: Record | None, past: _Past, env: Env) -> None:
    """Raise ExecutionError if the caller may not undo the program's changes of a memory. To undo a
    Lock needs the right to unlock; a lock set since then forbids it like any write."""
    if row is None:
        return
    fields = {change.field for entry in past.entries for change in entry.changes}
    target = ByIds((row.id,))
    if fields & _LOCK:
        check_rows(Lock(target=target, mode="none"), [row], env, "")
        if not past.since & _LOCK:
            row = replace(row, lock_mode=None)
    if fields - _LOCK:
        check_rows(Update(target=target, edits={}), [row], env, "")
