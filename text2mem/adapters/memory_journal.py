"""The memory adapter's journal, and putting memories back into earlier states."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from text2mem.adapters.base import Effect, Env, Touched
from text2mem.adapters.memory_facts import refuse_overlaps
from text2mem.adapters.memory_state import Changes, State
from text2mem.ir.journal import Entry, Trail
from text2mem.ir.patch import NAMES, diff
from text2mem.ir.record import Record


def write(state: State, trail: Trail, effect: Effect, env: Env) -> None:
    """An entry for each touched memory that differs now, in id order.

    Of what was forgotten there is an entry without values, and earlier entries lose theirs. So do
    those of memories that held it for a while, until an undo took it from them.
    """
    blank = {e.seq for e in state.journal if e.id in effect.forgotten}
    for id_ in effect.forgotten:
        blank |= _once_held(state, id_)
    state.journal = [
        replace(entry, changes=(), forgotten=True) if entry.seq in blank else entry
        for entry in state.journal
    ]
    unsaid = {entry.trail.trace_id for entry in state.journal if entry.seq in blank}
    unsaid |= {trail.trace_id} if effect.forgotten else set()
    if unsaid:
        state.journal = [
            replace(entry, said="") if entry.trail.trace_id in unsaid else entry
            for entry in state.journal
        ]
    erased = any(e.forgotten for e in state.journal if e.trail.trace_id == trail.trace_id)
    said = "" if not trail.step or erased or effect.forgotten else env.context.said or ""
    for before, after in sorted(effect.touched, key=lambda pair: int(_known(pair).id)):
        id_ = _known((before, after)).id
        forgotten = id_ in effect.forgotten
        changes = () if forgotten else diff(before, after)
        kind = "created" if before is None else "removed" if after is None else "changed"
        if kind == "changed" and not changes and not forgotten:
            continue
        state.journal.append(
            Entry(
                seq=len(state.journal) + 1,
                trail=trail,
                at=env.now.replace(microsecond=0),
                actor=env.context.actor,
                id=id_,
                kind=kind,
                changes=changes,
                forgotten=forgotten,
                said=said,
            )
        )


def read(
    state: State,
    *,
    trace_id: str | None,
    ids: Sequence[str] | None,
    after: int,
    limit: int | None,
) -> list[Entry]:
    """The entries that meet every condition given, newest first."""
    found = [
        entry
        for entry in reversed(state.journal)
        if entry.seq > after
        and (trace_id is None or entry.trail.trace_id == trace_id)
        and (ids is None or entry.id in ids)
    ]
    return found[:limit]


def restore(pairs: Sequence[Touched], changes: Changes) -> Effect:
    """Put memories into the second state of each pair, whatever state they are in now.

    Versions count on from the present ones. Raises ExecutionError "fact-overlap" where the ledger,
    once all of them are back, has no room for one.
    """
    created: list[str] = []
    for pair in pairs:
        id_, wanted = _known(pair).id, pair[1]
        if wanted is None:
            if changes.find(id_) is not None:
                changes.remove(id_)
        elif changes.find(id_) is None:
            changes.create(replace(wanted, updated_at=changes.now))
            created.append(id_)
        else:
            changes.change(id_, **{name: getattr(wanted, name) for name in NAMES})
    refuse_overlaps(changes)
    affected = tuple(_known(pair).id for pair in pairs)
    return replace(changes.effect(), affected=affected, created=tuple(created))


def _once_held(state: State, id_: str) -> set[int]:
    """Which entries tell of other memories while these, unlike now, descended from one."""
    spans: dict[str, list[int]] = {}
    for entry in state.journal:
        named = [c for c in entry.changes if c.field == "lineage_parents"]
        holder = state.records.get(entry.id)
        if any(id_ in (side or ()) for c in named for side in (c.before, c.after)) and (
            holder is None or id_ not in holder.lineage_parents
        ):
            spans.setdefault(entry.id, []).append(entry.seq)
    return {
        entry.seq
        for entry in state.journal
        if entry.id in spans and spans[entry.id][0] <= entry.seq <= spans[entry.id][-1]
    }


def _known(pair: Touched) -> Record:
    before, after = pair
    known = before if after is None else after
    assert known is not None, "a pair holds a memory before, after, or both"
    return known
