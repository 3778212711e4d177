"""Read the journal: the log of programs, and the history of a memory.

Results cover only memories that the actor may read, and removed ones for the local user only. The
past is shown by the rights of then: if a memory is made public today, what it held yesterday stays
hidden. What is due counts as carried out (docs/language.md, "Expiry and reminders").
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import chain, islice
from typing import Any

from text2mem.adapters.base import Adapter
from text2mem.executor.frame import settled
from text2mem.ir.arguments import as_count
from text2mem.ir.context import ExecutionContext
from text2mem.ir.journal import Entry
from text2mem.ir.patch import patched
from text2mem.ir.record import Record, is_id
from text2mem.ir.rights import may_read
from text2mem.ir.times.temporal import format_instant

_RIGHTS = frozenset({"owner", "read_perm_level", "read_whitelist", "read_blacklist"})
"""The fields that decide who may read a memory."""
_BLOCK = 512
"""How many journal entries are read at first; each further read takes twice as many."""


@dataclass(frozen=True, slots=True)
class Logged:
    """A row of the log: a program that changed something."""

    trace_id: str
    at: datetime
    """The instant of its last journal entry."""
    actor: str | None
    ops: tuple[tuple[str, tuple[str, ...]], ...]
    """Its ops in order, each with the ids of the memories that it touched."""
    said: str = ""
    """The request that it was compiled from; empty if there was none, or another actor's."""
    ids: tuple[str, ...] = ()
    """The ids of the memories that it touched, in order."""
    undoes: str = ""
    """The trace id of the program that it has undone; empty if it is no undo."""

    def as_dict(self) -> dict[str, Any]:
        """The row as JSON."""
        return {
            "trace_id": self.trace_id, "at": format_instant(self.at), "actor": self.actor,
            "ops": [{"op": op, "memories": len(ids)} for op, ids in self.ops],
            "ids": list(self.ids),
            **({"said": self.said} if self.said else {}),
            **({"undoes": self.undoes} if self.undoes else {}),
        }  # fmt: skip


def log(adapter: Adapter, context: ExecutionContext, *, limit: int = 20) -> list[Logged]:
    """The last programs that changed what the actor may read, newest first."""
    most = min(as_count("limit", limit), sys.maxsize)
    return list(islice(programs(adapter, context), most))


def programs(adapter: Adapter, context: ExecutionContext, *, own: bool = False) -> Iterator[Logged]:
    """Yield the programs that changed memories that the actor may read, newest first; with ``own``
    without what no undo takes back (``Entry.stays``) and programs of other actors, except what they
    have undone. The journal is read only as far back as the iterator is advanced."""
    yielded: set[str] = set()
    by_trace: dict[str, list[Entry]] = {}
    limit, before = _BLOCK, None
    while True:
        entries = adapter.entries(context, before=before, limit=limit)
        for entry in _readable(entries, adapter, context):
            mine = entry.actor == context.actor or entry.trail.undoes
            theirs = own and (entry.stays or not mine)
            if not theirs and entry.trail.trace_id not in yielded:
                by_trace.setdefault(entry.trail.trace_id, []).append(entry)
        at_the_end = len(entries) < limit
        # The oldest trace may have further entries beyond the limit.
        for trace in [*by_trace] if at_the_end else [*by_trace][:-1]:
            yielded.add(trace)
            yield logged(trace, by_trace.pop(trace), context)
        if at_the_end:
            return
        limit, before = limit * 2, entries[-1].seq


def history(adapter: Adapter, context: ExecutionContext, id_: str) -> list[Entry]:
    """The journal entries of one memory, oldest first; empty if the actor may not read it."""
    if not is_id(id_):
        return []

    def look() -> list[Entry]:
        return list(reversed(_seen(adapter.entries(context, ids=[id_]), adapter, context)))

    return settled(adapter, context, look)


def of_programs(
    adapter: Adapter,
    context: ExecutionContext,
    traces: Iterable[str],
    ids: Sequence[str] | None = None,
) -> dict[str, list[Entry]]:
    """By trace id, the entries that the actor may read, oldest first, or those of ``ids`` only."""
    wanted = list(dict.fromkeys(traces))

    def look() -> dict[str, list[Entry]]:
        found = (adapter.entries(context, trace_id=trace, ids=ids) for trace in wanted)
        entries = list(chain.from_iterable(found))
        by_trace: dict[str, list[Entry]] = {trace: [] for trace in wanted}
        for entry in _seen(entries, adapter, context):
            by_trace[entry.trail.trace_id].append(entry)
        return {trace: sorted(group, key=lambda e: e.seq) for trace, group in by_trace.items()}

    return settled(adapter, context, look)


def find(adapter: Adapter, context: ExecutionContext, ids: Iterable[str]) -> dict[str, Record]:
    """The memories with these ids that the actor may read, by id, archived and deleted ones, too.
    Anything that cannot be an id is ignored."""
    valid = tuple(filter(is_id, ids))
    return settled(adapter, context, lambda: adapter.find(valid, context))


def _readable(entries: Sequence[Entry], adapter: Adapter, context: ExecutionContext) -> list[Entry]:
    """The entries of memories that the actor may read now; all entries for the local user."""
    if context.is_local_user:
        return list(entries)
    readable = adapter.find({entry.id for entry in entries}, context)
    return [entry for entry in entries if entry.id in readable]


def readable_then(
    ids: Iterable[str], adapter: Adapter, context: ExecutionContext
) -> dict[int, tuple[bool, bool]]:
    """For each entry of these memories, by ``seq``: whether the actor could have read the memory
    before and after it, by following the rights back from now: lost values tell none."""
    wanted = list(ids)
    states: dict[str, Record | None] = {**adapter.find(wanted, context.of_everyone())}
    readable: dict[int, tuple[bool, bool]] = {}
    for entry in adapter.entries(context, ids=wanted):
        after = states.get(entry.id)
        before: Record | None = None
        if entry.kind != "created":
            blank = Record(id=entry.id, created_at=entry.at, updated_at=entry.at)
            rights = {c.field: c.before for c in entry.changes if c.field in _RIGHTS}
            before = patched(after or blank, rights)
            if entry.forgotten:  # of the rights before it, only the owner is known
                before = replace(blank, owner=before.owner)
        # Where the memory does not exist, before its creation or after its removal, the side on
        # which it does exist decides.
        sides = (before or after, before if entry.kind == "removed" else after)
        first, last = (side is not None and may_read(side, context) for side in sides)
        readable[entry.seq] = first, last
        states[entry.id] = before
    return readable


def _seen(entries: Sequence[Entry], adapter: Adapter, context: ExecutionContext) -> list[Entry]:
    """Entries readable now, and before or after the entry; without changes unless both."""
    readable = _readable(entries, adapter, context)
    if context.is_local_user:
        return readable
    then = readable_then({entry.id for entry in readable}, adapter, context)
    visible = []
    for entry in readable:
        before, after = then.get(entry.seq, (False, False))
        if before or after:
            visible.append(entry if before and after else replace(entry, changes=()))
    return visible


def logged(trace_id: str, entries: Sequence[Entry], context: ExecutionContext) -> Logged:
    """Make a row of the log from the journal entries of a program, newest first."""
    touched: dict[tuple[int, str], dict[str, None]] = {}
    for entry in reversed(entries):
        touched.setdefault((entry.trail.step, entry.trail.op), {})[entry.id] = None
    ops = tuple((op, tuple(ids)) for (_, op), ids in sorted(touched.items()))
    last = entries[0]
    ids = tuple(dict.fromkeys(entry.id for entry in reversed(entries)))
    said = last.said if context.is_local_user or last.actor == context.actor else ""
    return Logged(trace_id, last.at, last.actor, ops, said, ids, last.trail.undoes)
