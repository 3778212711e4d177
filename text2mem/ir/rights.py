"""Decide on rights and locks of a record (docs/language.md, "Rights" and "Locks")."""

from __future__ import annotations

from datetime import datetime

from text2mem.ir.context import ExecutionContext
from text2mem.ir.ops import READS, Encode, Label, Lock, Op, Split
from text2mem.ir.patch import same
from text2mem.ir.record import Record, locked

WIDE_ROWS, _WIDE_SHARE = 20, 0.2
"""A write to more memories than this number, and than this share of the store, is wide."""


def is_wide(hits: int, total: int) -> bool:
    """Whether a write that hits ``hits`` of ``total`` memories needs a confirmation."""
    return hits > max(WIDE_ROWS, _WIDE_SHARE * total)


def owns(record: Record, context: ExecutionContext) -> bool:
    """Whether the actor encoded the memory. The local user owns every memory."""
    return context.is_local_user or (record.owner is not None and record.owner == context.actor)


def may_read(record: Record, context: ExecutionContext) -> bool:
    """Whether the actor may read a memory: by ownership, then by the black list, the white list and
    the level. The level ``custom`` allows the white list only."""
    if owns(record, context):
        return True
    if context.actor in record.read_blacklist:
        return False
    if context.actor in record.read_whitelist:
        return True
    level = record.read_perm_level  # None is "private"
    return level == "public" or (level == "team" and "team" in context.roles)


def may_write(record: Record, context: ExecutionContext) -> bool:
    """Whether the actor may write a memory: by ownership, then by the black list, the right to
    read, the white list and the level."""
    if owns(record, context):
        return True
    if context.actor in record.write_blacklist or not may_read(record, context):
        return False
    if context.actor in record.write_whitelist:
        return True
    level = record.write_perm_level  # None is "owner_only"
    return level == "open" or (level == "maintainer" and "maintainer" in context.roles)


def lock_permits(record: Record, op: Op, context: ExecutionContext, now: datetime) -> bool:
    """Whether the lock of a memory allows ``op`` at ``now``. Reads are always allowed, and a Lock
    for whoever ``may_lock``. Of the policy ``deny`` counts first, then ``allow``, then the mode."""
    if not locked(record, now) or op.name in READS:
        return True
    if isinstance(op, Lock):
        return may_lock(record, context, now)
    if op.name in record.lock_policy.get("deny", ()):
        return False
    if op.name in record.lock_policy.get("allow", ()):
        return True
    adds = isinstance(op, Split | Encode) or (isinstance(op, Label) and _only_adds(op, record))
    return record.lock_mode == "append_only" and adds


def may_lock(record: Record, context: ExecutionContext, now: datetime) -> bool:
    """Whether the actor may lock and unlock a memory: its owner, and, while a lock is in force, the
    reviewers that it names if they may read the memory."""
    reviews = locked(record, now) and context.actor in record.lock_policy.get("reviewers", ())
    return owns(record, context) or (reviews and may_read(record, context))


def _only_adds(op: Label, record: Record) -> bool:
    """Whether a Label keeps every tag and facet that the memory has."""
    held = record.facets
    return op.mode == "add" and all(
        same(held[key], value) for key, value in (op.facets or {}).items() if key in held
    )
