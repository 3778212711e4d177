"""The memory adapter's journal, and putting memories back into earlier states."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from text2mem.adapters.base import Effect, Env, Touched
from text2mem.ir.journal import Entry, Trail
from text2mem.ir.patch import NAMES, diff, shortened
from text2mem.ir.record import Record
from text2mem_bench.oracle.facts import refuse_overlaps
from text2mem_bench.oracle.state import Changes, State


def write(state: State, trail: Trail, effect: Effect, env: Env) -> None:
    """An entry for each touched memory that differs now, in id order.

    Of what was forgotten there is an entry without values, and earlier entries lose theirs. So do
    those of memories that held it for a while, until an undo took it from them. Only that goes over
    the whole journal.
    """
    if effect.forgotten:
        _forget(state, effect.forgotten, trail.trace_id)
    unsaid = not trail.step or trail.trace_id in state.unsaid
    said = "" if unsaid else env.context.said or ""
    for before, after in sorted(effect.touched, key=lambda pair: int(_known(pair).id)):
        id_ = _known((before, after)).id
        forgotten = id_ in effect.forgotten
        changes = () if forgotten else shortened(diff(before, after))
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
    state: State, *, trace_id: str | None, ids: Sequence[str] | None, after: int,
    before: int | None, limit: int | None,
) -> list[Entry]:  # fmt: skip
    """The entries that meet every condition given, newest first."""
    found = [
        entry
        for entry in reversed(state.journal)
        if entry.seq > after
        and (before is None or entry.seq < before)
        and (trace_id is None or entry.trail.trace_id == trace_id)
        and (ids is None or entry.id in ids)
    ]
    return found[:limit]


def restore(pairs: Sequence[Touched], changes: Changes) -> Effect:
    """Put memories into the second state of each pair, whatever state they are in now.

    Versions count on from the present ones. Raises ExecutionError "fact-overlap" where the ledger,
    once all of them are back, has no room for one.
    """
    for pair in pairs:
        id_, wanted = _known(pair).id, pair[1]
        if wanted is None:
            if changes.find(id_) is not None:
                changes.remove(id_)
        elif changes.find(id_) is None:
            changes.create(replace(wanted, updated_at=changes.now))
        else:
            changes.change(id_, **{name: getattr(wanted, name) for name in NAMES})
    refuse_overlaps(changes)
    affected = tuple(_known(pair).id for pair in pairs)
    return replace(changes.effect(), affected=affected)


def erase_taken_back(state: State) -> list[str]:
    """Take the values out of what is told of memories that an undo has removed; their ids."""
    gone = {e.id for e in state.journal if e.kind == "removed" and not e.forgotten}
    ids = sorted(gone.difference(state.records), key=int)
    for id_ in ids:
        state.forget(id_)
    _forget(state, ids)
    return ids


def _forget(state: State, ids: Collection[str], *its: str) -> None:
    """Take the values out of what is told of memories, and the words out of its programs."""
    blank = {entry.seq for entry in state.journal if entry.id in ids} | _once_held(state, ids)
    traces = {state.journal[seq - 1].trail.trace_id for seq in blank}.union(its)
    state.unsaid |= traces
    state.journal = [_without(entry, blank, traces) for entry in state.journal]


def _without(entry: Entry, blank: Collection[int], traces: Collection[str]) -> Entry:
    if entry.seq in blank:
        return replace(entry, changes=(), forgotten=True, said="")
    return replace(entry, said="") if entry.trail.trace_id in traces else entry


def _once_held(state: State, ids: Collection[str]) -> set[int]:
    """Which entries tell of other memories while these, unlike now, descended from one."""
    spans: dict[tuple[str, str], list[int]] = {}
    for entry in state.journal:
        named = [c for c in entry.changes if c.field == "lineage_parents"]
        parents = {id_ for c in named for side in (c.before, c.after) for id_ in side or ()}
        holder = state.records.get(entry.id)
        left = () if holder is None else holder.lineage_parents
        for id_ in parents.intersection(ids).difference(left):
            spans.setdefault((entry.id, id_), []).append(entry.seq)
    held: dict[str, list[list[int]]] = {}
    for (child, _), seqs in spans.items():
        held.setdefault(child, []).append(seqs)
    return {
        entry.seq
        for entry in state.journal
        for seqs in held.get(entry.id, ())
        if seqs[0] <= entry.seq <= seqs[-1]
    }


def _known(pair: Touched) -> Record:
    before, after = pair
    known = before if after is None else after
    assert known is not None, "a pair holds a memory before, after, or both"
    return known
