"""Reading the journal: what programs did, how a memory came to be what it is, what it was made of.

Only memories that the actor may read are told of; of those that are gone, only the local user's.
The past of a memory is judged by the rights that held then, too: one that was made public today was
nobody else's yesterday. What is due counts as carried out, as for every read (docs/language.md,
"Expiry and reminders").
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice
from typing import Any, TypeVar

from text2mem.adapters.base import Adapter, Env, Scope, settled
from text2mem.adapters.transactions import unit, with_its_lock
from text2mem.executor.services import Prepared
from text2mem.ir.context import ExecutionContext
from text2mem.ir.journal import Entry
from text2mem.ir.ops import ByIds
from text2mem.ir.patch import patched
from text2mem.ir.record import Record, as_image, is_id
from text2mem.ir.rights import may_read
from text2mem.ir.times.temporal import format_instant

T = TypeVar("T")

_RIGHTS = frozenset({"owner", "read_perm_level", "read_whitelist", "read_blacklist"})
_BLOCK = 512
_GENERATIONS = 100
"""How far up and down a family is told of."""


@dataclass(frozen=True, slots=True)
class Logged:
    """A program that changed something: its ops in order, and how many memories each touched.

    ``ids`` are those memories, ``said`` are the words that it was made of, for whoever said them;
    ``undoes`` is the trace of the program that it took back.
    """

    trace_id: str
    at: datetime
    actor: str | None
    ops: tuple[tuple[str, int], ...]
    said: str = ""
    ids: tuple[str, ...] = ()
    undoes: str = ""

    def as_dict(self) -> dict[str, Any]:
        """The row of a log, as JSON."""
        return {
            "trace_id": self.trace_id, "at": format_instant(self.at), "actor": self.actor,
            "ops": [{"op": op, "memories": count} for op, count in self.ops],
            "ids": list(self.ids),
            **({"said": self.said} if self.said else {}),
            **({"undoes": self.undoes} if self.undoes else {}),
        }  # fmt: skip


def log(adapter: Adapter, context: ExecutionContext, *, limit: int = 20) -> list[Logged]:
    """The last programs that changed what the actor may read, newest first."""
    return list(islice(programs(adapter, context), limit))


def programs(adapter: Adapter, context: ExecutionContext, *, own: bool = False) -> Iterator[Logged]:
    """The programs that changed what the actor may read, newest first.

    The journal is read only as far back as the iterator is advanced. ``own`` leaves out other
    actors' programs, and what was carried out because it was due.
    """
    told: set[str] = set()
    wanted = _BLOCK
    while True:
        entries = adapter.entries(context, limit=wanted)
        found: dict[str, list[Entry]] = {}
        for entry in _readable(entries, adapter, context):
            if not own or (entry.trail.step and entry.actor == context.actor):
                found.setdefault(entry.trail.trace_id, []).append(entry)
        ended = len(entries) < wanted
        # The last trace of a block may go on in the next one.
        for trace in [*found] if ended else [*found][:-1]:
            if trace not in told:
                told.add(trace)
                yield logged(trace, found[trace], context)
        if ended:
            return
        wanted *= 4


def history(adapter: Adapter, context: ExecutionContext, id_: str) -> list[Entry]:
    """Every change of one memory, oldest first; empty where it is not the actor's to read."""
    if not is_id(id_):
        return []

    def look() -> list[Entry]:
        return list(reversed(_seen(adapter.entries(context, ids=[id_]), adapter, context)))

    return as_ticked(adapter, context, look)


def of_programs(
    adapter: Adapter, context: ExecutionContext, traces: Iterable[str]
) -> dict[str, list[Entry]]:
    """The changes of programs by their traces, oldest first, as far as the actor may read them."""
    wanted = list(dict.fromkeys(traces))

    def look() -> dict[str, list[Entry]]:
        entries = [e for trace in wanted for e in adapter.entries(context, trace_id=trace)]
        found: dict[str, list[Entry]] = {trace: [] for trace in wanted}
        for entry in _seen(entries, adapter, context):
            found[entry.trail.trace_id].append(entry)
        return {trace: sorted(each, key=lambda e: e.seq) for trace, each in found.items()}

    return as_ticked(adapter, context, look)


def find(adapter: Adapter, context: ExecutionContext, ids: Iterable[str]) -> dict[str, Record]:
    """Memories by id, archived and deleted ones too, that the actor may read."""
    known = tuple(filter(is_id, ids))
    return as_ticked(adapter, context, lambda: _found(adapter, context, known))


def as_ticked(adapter: Adapter, context: ExecutionContext, look: Callable[[], T]) -> T:
    """Call ``look`` in a transaction in which everything due has been carried out; its result.

    The transaction is rolled back. ``look`` must only read, and may be called twice.
    """
    env = Env.of(context, Prepared())

    def attempt(write: bool) -> T:
        with unit(adapter, keep=False, write=write):
            settled(adapter, env, "")
            return look()

    return with_its_lock(attempt)


def _found(adapter: Adapter, context: ExecutionContext, ids: Iterable[str]) -> dict[str, Record]:
    scope = Scope.of_all(context, context.clock.now())
    return {row.id: row for row in adapter.resolve(ByIds(tuple(ids)), scope).rows}


@dataclass(frozen=True, slots=True)
class Lineage:
    """A memory with what it was made from and what was made from it, as far as may be read.

    ``more``: the family goes on beyond the generations that are told of.
    """

    record: Record
    parents: tuple[Lineage, ...] = ()
    children: tuple[Lineage, ...] = ()
    more: bool = False

    def as_dict(self) -> dict[str, Any]:
        """The tree as JSON: id, text, deleted, and the branches."""
        image = as_image(self.record)
        told: dict[str, Any] = {name: image[name] for name in ("id", "text", "deleted")}
        for name, branches in (("parents", self.parents), ("children", self.children)):
            if branches:
                told[name] = [branch.as_dict() for branch in branches]
        return {**told, "more": True} if self.more else told


def lineage(adapter: Adapter, context: ExecutionContext, id_: str) -> Lineage | None:
    """The family of a memory, up and down; None where there is no such memory to read."""
    if not is_id(id_):
        return None

    def look() -> Lineage | None:
        row = _found(adapter, context, [id_]).get(id_)
        if row is None:
            return None
        up = _branches(adapter, context, row, "parents", {id_}, _GENERATIONS)
        down = _branches(adapter, context, row, "children", {id_}, _GENERATIONS)
        return Lineage(row, up, down)

    return as_ticked(adapter, context, look)


def _branches(
    adapter: Adapter, context: ExecutionContext, row: Record, side: str, seen: set[str], depth: int
) -> tuple[Lineage, ...]:
    """The relatives of a memory that were not seen yet, on the side ``parents`` or ``children``,
    with their own relatives, ``depth`` generations far."""
    ids = [id_ for id_ in getattr(row, f"lineage_{side}") if id_ not in seen]
    seen.update(ids)
    out = []
    for relative in _found(adapter, context, ids).values():
        if depth == 1:
            goes_on = any(id_ not in seen for id_ in getattr(relative, f"lineage_{side}"))
            out.append(Lineage(relative, more=goes_on))
        else:
            further = _branches(adapter, context, relative, side, seen, depth - 1)
            out.append(Lineage(relative, **{side: further}))  # type: ignore[arg-type]
    return tuple(out)


def _readable(entries: Sequence[Entry], adapter: Adapter, context: ExecutionContext) -> list[Entry]:
    """The entries of memories that the actor may read now; the local user may read all."""
    if context.is_local_user:
        return list(entries)
    here = _found(adapter, context, {entry.id for entry in entries})
    return [entry for entry in entries if entry.id in here]


def readable_then(
    ids: Iterable[str], adapter: Adapter, context: ExecutionContext
) -> dict[int, tuple[bool, bool]]:
    """For each journal entry of the memories, by its number: whether the actor could have read the
    memory before the entry, and after it."""
    rights: dict[str, dict[str, object]] = defaultdict(dict)
    readable: dict[str, bool] = defaultdict(bool)
    found: dict[int, tuple[bool, bool]] = {}
    for entry in reversed(adapter.entries(context, ids=list(ids))):
        held, before = rights[entry.id], readable[entry.id]
        held |= {c.field: c.after for c in entry.changes if c.field in _RIGHTS}
        gone = entry.forgotten or entry.kind == "removed"
        blank = Record(id=entry.id, created_at=entry.at, updated_at=entry.at)
        after = not gone and may_read(patched(blank, held), context)
        # A memory that does not exist keeps nobody from reading the entry.
        found[entry.seq] = (
            after if entry.kind == "created" else before,
            before if entry.kind == "removed" else after,
        )
        readable[entry.id] = after
    return found


def _seen(entries: Sequence[Entry], adapter: Adapter, context: ExecutionContext) -> list[Entry]:
    """The entries of memories that the actor may read now, and could read at the time.

    Where only one side of an entry could be read, it stays without its changes.
    """
    readable = _readable(entries, adapter, context)
    if context.is_local_user:
        return readable
    then = readable_then({entry.id for entry in readable}, adapter, context)
    seen = []
    for entry in readable:
        before, after = then.get(entry.seq, (False, False))
        if before and after:
            seen.append(entry)
        elif before or after:
            seen.append(replace(entry, changes=()))
    return seen


def logged(trace_id: str, entries: Sequence[Entry], context: ExecutionContext) -> Logged:
    """A row of the log, out of the journal entries of a program (newest first)."""
    counts = Counter((entry.trail.step, entry.trail.op) for entry in entries)
    ops = tuple((op, count) for (_, op), count in sorted(counts.items()))
    last = entries[0]
    theirs = context.is_local_user or last.actor == context.actor
    ids = tuple(dict.fromkeys(entry.id for entry in reversed(entries)))
    said = last.said if theirs else ""
    return Logged(trace_id, last.at, last.actor, ops, said, ids, last.trail.undoes)
