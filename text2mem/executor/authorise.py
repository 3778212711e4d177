"""Check whether a step is permitted, when it runs and before the program's first step: rights,
locks, ids, and how many memories a write changes.

Before the first step, on the initial state, a program is refused if a later step is sure to be
refused whatever the steps before it do. So no service is called for a program that must fail.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from text2mem.adapters.base import Adapter, Env, Scope, Selection, Touched
from text2mem.errors import ExecutionError
from text2mem.executor.references import refers
from text2mem.executor.targets import all_found, descendants, resolve, scope_of
from text2mem.ir.context import ExecutionContext
from text2mem.ir.exchange import edits_in
from text2mem.ir.ops import (
    READS,
    AllMemories,
    Attributes,
    ByIds,
    Delete,
    Encode,
    Expire,
    Label,
    Lock,
    Op,
    ReadOp,
    Split,
    TargetedOp,
    Update,
)
from text2mem.ir.record import ERASING, Record, erased_sooner, is_id
from text2mem.ir.rights import WIDE_ROWS, is_wide, lock_permits, may_lock, may_read, may_write
from text2mem.messages import told

WRITE_CAP = 1_000
"""The most memories that one write may change."""


def names_its_target(op: Op) -> bool:
    """Whether the op's target is a list of ids and the op has no step reference."""
    return isinstance(op, TargetedOp) and isinstance(op.target, ByIds) and not refers(op)


def authorise(
    op: TargetedOp, selection: Selection, at: str, adapter: Adapter, env: Env, *, by_name: bool
) -> None:
    """Raise ExecutionError if a write is not permitted on ``selection``, its resolved target.
    ``at`` is the JSON pointer of the step; ``by_name``: see ``check_width``."""
    if op.name in READS:
        return
    further: list[Record] = []
    if isinstance(op, Delete) and op.cascade and not op.soft:
        further = descendants(selection.rows, adapter, env)
        if not all(may_read(row, env.context) for row in further):
            why = "a memory that holds this content is not the caller's to erase"
            hint = "leave cascade out, or ask its owner"
            raise ExecutionError("not-writable", why, pointer=f"{at}/args/cascade", hint=hint)
        check_rows(op, further, env, at)
    check_width(
        op, len(selection.rows) + len(further), adapter, env.context, at,
        by_name=by_name and not further,
    )  # fmt: skip
    check_rows(op, selection.rows, env, at)
    if isinstance(op, Update):
        check_episode(op.edits, f"{at}/args/set", adapter, env)
        for row in selection.rows:
            edits_in(row, op, f"{at}/args")


def check_episode(given: Attributes, at: str, adapter: Adapter, env: Env) -> None:
    """Raise ExecutionError if the caller may not read the op's source episode."""
    episode = given.get("source_episode_id")
    if isinstance(episode, str) and is_id(episode) and not env.context.is_local_user:
        scope = Scope(context=env.context, now=env.now, archived=True)
        if not adapter.resolve(ByIds((episode,)), scope).rows:
            why, pointer = f"there is no memory {episode}", f"{at}/source_episode_id"
            hint = "name an episode that this actor may read, or none"
            raise ExecutionError("not-found", why, pointer=pointer, hint=hint)


@dataclass(slots=True)
class Earlier:
    """What earlier steps may change of the initial state, on which a later one is checked."""

    writes: bool = False
    """Whether one of them is a write."""
    brings: bool = False
    """Whether they may create or restore memories, so that an unknown id may be known later."""
    locking: set[str] | None = field(default_factory=set)
    """The ids of the memories that they lock or unlock; None if a Lock names no ids."""

    def add(self, op: Op) -> None:
        self.writes = self.writes or op.name not in READS
        self.brings = self.brings or _brings_memories(op)
        if not isinstance(op, Lock) or self.locking is None:
            return
        if isinstance(op.target, ByIds) and names_its_target(op):
            self.locking.update(map(str, op.target.ids))
        else:
            self.locking = None

    def as_far_as_known(self, rows: Sequence[Record]) -> list[Record]:
        """The rows, without the locks that the earlier steps may change. Their rights stay."""
        locking = self.locking
        return [
            replace(row, lock_mode=None) if locking is None or row.id in locking else row
            for row in rows
        ]


def check_parents(
    op: Encode, at: str, adapter: Adapter, env: Env, earlier: Earlier | None = None
) -> None:
    """Raise ExecutionError if the caller may not add to the op's parents, or read its episode, as
    far as that is known before the ``earlier`` steps have run."""
    earlier = earlier or Earlier()
    if not earlier.writes:
        check_episode(op.attributes, f"{at}/args", adapter, env)
    if not op.lineage_parents:
        return
    pointer = f"{at}/args/lineage_parents"
    scope = Scope(context=env.context, now=env.now)
    parents = adapter.resolve(ByIds(op.lineage_parents), scope)
    if not earlier.brings:
        all_found(op.lineage_parents, parents, pointer)
    for parent in earlier.as_far_as_known(parents.rows):
        permitted = lock_permits(parent, op, env.context, env.now)
        if not may_write(parent, env.context) or not permitted:
            code = "not-writable" if permitted else "locked"
            why = f"memory {parent.id} takes no descendants from this caller"
            raise ExecutionError(code, why, pointer=pointer)


def check_beforehand(op: Op, step: int, earlier: Earlier, adapter: Adapter, env: Env) -> None:
    """Raise ExecutionError if a step (from 0) is sure to fail, whatever those before it do."""
    at = f"/{step}"
    if refers(op):
        return
    if isinstance(op, Encode):
        check_parents(op, at, adapter, env, earlier)
    elif isinstance(op, TargetedOp) and isinstance(op.target, ByIds) and earlier.writes:
        selection = adapter.resolve(op.target, scope_of(op, env))
        if not earlier.brings:
            all_found(op.target.ids, selection, f"{at}/target/ids")
        # A Delete of a time takes only some of its target, and an earlier step can edit times.
        of_a_time = isinstance(op, Delete) and (op.older_than, op.time_range) != (None, None)
        # An earlier step can also remove the facet that a Label may not overwrite.
        judged = replace(op, facets=None) if isinstance(op, Label) else op
        if not (isinstance(op, ReadOp) or of_a_time):
            check_rows(judged, earlier.as_far_as_known(selection.rows), env, at)
    elif isinstance(op, TargetedOp) and not earlier.writes:
        if isinstance(op, ReadOp) and not isinstance(op.target, ByIds):
            return
        selection = resolve(op, op.target, at, adapter, env)
        authorise(op, selection, at, adapter, env, by_name=names_its_target(op))


def _brings_memories(op: Op) -> bool:
    """Whether an op may create or restore memories, which makes an unknown id known."""
    if isinstance(op, Update):
        return op.replace is not None or "value" in op.edits or "deleted" in op.edits
    return isinstance(op, Encode | Split)


def check_rows(op: Op, rows: Sequence[Record], env: Env, at: str) -> None:
    """Raise ExecutionError for the first row whose rights or lock forbid the op at ``at``."""
    target = f"{at}/target"
    for row in rows:
        locks = isinstance(op, Lock) and may_lock(row, env.context, env.now)
        if not (locks or may_write(row, env.context)):
            why = told("not-writable", op=op.name, id=row.id)
            hint = "its owner may, or grant write access with Update"
            raise ExecutionError("not-writable", why, pointer=target, hint=hint)
        if not lock_permits(row, op, env.context, env.now):
            why = told("locked-against", id=row.id, mode=row.lock_mode, op=op.name)
            hint = "unlock it first: Lock with mode none, by its owner or a reviewer"
            raise ExecutionError("locked", why, pointer=target, memory=row.id, hint=hint)
        if isinstance(op, Lock) and not locks:
            why = f"memory {row.id} is not the caller's to lock"
            hint = "its owner may, and the reviewers of its lock"
            raise ExecutionError("not-writable", why, pointer=target, hint=hint)


def erases(op: Op) -> bool:
    """Whether an op erases content for good: a hard Delete, or an Expire that erases."""
    if isinstance(op, Delete):
        return not op.soft
    return isinstance(op, Expire) and op.on_expire in ERASING


def check_width(
    op: TargetedOp, hits: int, adapter: Adapter, context: ExecutionContext, at: str, *,
    by_name: bool,
) -> None:  # fmt: skip
    """Raise ExecutionError if a write changes more than ``WRITE_CAP`` memories, or needs a
    confirmation that the context does not give.

    - ``hits``: how many memories it would change.
    - ``by_name``: the program itself contains the id (not a step reference) of every target.
    """
    target = f"{at}/target"
    if hits > WRITE_CAP:
        why = told("over-cap", op=op.name, count=hits, cap=WRITE_CAP)
        raise ExecutionError("over-cap", why, pointer=target, hint="narrow the target")
    if context.confirmed or context.dry_run or not hits:
        return
    if erases(op):
        holders = " with what holds their content" if isinstance(op, Delete) and op.cascade else ""
        why = f"{op.name} would erase {_memories(hits)} for good{holders}"
    elif isinstance(op.target, AllMemories):
        why = f"{op.name} on all {hits} memories needs a confirmation"
    else:
        hides = isinstance(op, Expire) and op.on_expire in ("soft_delete", "hard_delete")
        removes = isinstance(op, Delete) or hides
        if not removes or by_name or hits <= WIDE_ROWS:
            return
        total = adapter.active(context)
        if not is_wide(hits, total):
            return
        why = f"{op.name} would remove {hits} of {total} memories, which needs a confirmation"
    raise _unconfirmed(why, target)


def check_ends(name: str, touched: Iterable[Touched], context: ExecutionContext, at: str) -> None:
    """Raise ExecutionError if what ``name`` has changed erases memories later, or earlier than they
    were to be erased, and the context does not confirm it."""
    if context.confirmed or context.dry_run:
        return
    sooner = sum(1 for b, a in touched if b is not None and a is not None and erased_sooner(b, a))
    if sooner:
        raise _unconfirmed(f"{name} would let {_memories(sooner)} be erased for good", at)


def _memories(count: int) -> str:
    return f"{count} memor{'y' if count == 1 else 'ies'}"


def _unconfirmed(why: str, at: str) -> ExecutionError:
    hint = "look at a dry run, then confirm (confirmed=True, --yes)"
    return ExecutionError("needs-confirmation", why, pointer=at, hint=hint)
