"""Check whether a write is permitted: rights, locks, and how many memories it changes."""

from __future__ import annotations

from collections.abc import Sequence

from text2mem.adapters.base import Adapter, Env
from text2mem.errors import ExecutionError
from text2mem.ir.context import ExecutionContext
from text2mem.ir.ops import AllMemories, Delete, Encode, Expire, Lock, Op, TargetedOp
from text2mem.ir.record import ERASING, Record
from text2mem.ir.rights import WIDE_ROWS, is_wide, lock_permits, may_lock, may_read, may_write

WRITE_CAP = 1_000
"""The most memories that one write may change."""


def check_rows(op: Op, rows: Sequence[Record], env: Env, at: str) -> None:
    """Raise ExecutionError for the first row whose rights or lock forbid the op at ``at``."""
    target = f"{at}/target"
    for row in rows:
        locks = isinstance(op, Lock) and may_lock(row, env.context, env.now)
        if not (locks or may_write(row, env.context)):
            why = f"{op.name} may not change memory {row.id}"
            hint = "its owner may, or grant write access with Update"
            raise ExecutionError("not-writable", why, pointer=target, hint=hint)
        if not lock_permits(row, op, env.context, env.now):
            why = f"memory {row.id} is locked ({row.lock_mode}) against {op.name}"
            hint = "unlock it first: Lock with mode none, by its owner or a reviewer"
            raise ExecutionError("locked", why, pointer=target, memory=row.id, hint=hint)
        if isinstance(op, Lock) and not locks:
            why = f"memory {row.id} is not the caller's to lock"
            hint = "its owner may, and the reviewers of its lock"
            raise ExecutionError("not-writable", why, pointer=target, hint=hint)


def check_lineage(op: Encode, parents: Sequence[Record], env: Env, at: str) -> None:
    """Raise ExecutionError if rights or locks forbid adding a child to one of the parents."""
    for parent in parents:
        permitted = lock_permits(parent, op, env.context, env.now)
        if not may_write(parent, env.context) or not permitted:
            code = "not-writable" if permitted else "locked"
            why = f"memory {parent.id} takes no descendants from this caller"
            raise ExecutionError(code, why, pointer=f"{at}/args/lineage_parents")


def check_cascade(op: Delete, rows: Sequence[Record], env: Env, at: str) -> None:
    """Raise ExecutionError if a Delete with ``cascade`` may not erase the descendants in ``rows``:
    the caller may not read one of them, or its rights or lock forbid it."""
    if any(not may_read(row, env.context) for row in rows):
        why = "a memory that holds this content is not the caller's to erase"
        hint = "leave cascade out, or ask its owner"
        raise ExecutionError("not-writable", why, pointer=f"{at}/args/cascade", hint=hint)
    check_rows(op, rows, env, at)


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
        why = f"{op.name} would change {hits} memories, more than the cap of {WRITE_CAP}"
        raise ExecutionError("over-cap", why, pointer=target, hint="narrow the target")
    if context.confirmed or context.dry_run or not hits:
        return
    if erases(op):
        holders = " with what holds their content" if isinstance(op, Delete) and op.cascade else ""
        why = f"{op.name} would erase {hits} memor{'y' if hits == 1 else 'ies'} for good{holders}"
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
    hint = "look at a dry run, then confirm (confirmed=True, --yes)"
    raise ExecutionError("needs-confirmation", why, pointer=target, hint=hint)
