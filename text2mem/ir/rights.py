"""Rights and locks as pure decisions on one record (docs/language.md, "Rights" and "Locks")."""

from __future__ import annotations

from datetime import datetime

from text2mem.ir.context import ExecutionContext
from text2mem.ir.ops import READS, Encode, Label, Lock, Op, Split
from text2mem.ir.patch import same
from text2mem.ir.record import Record, locked

DEFAULT_READ_LEVEL = "private"
DEFAULT_WRITE_LEVEL = "owner_only"
WIDE_ROWS, _WIDE_SHARE = 20, 0.2


def is_wide(hits: int, total: int) -> bool:
    """Whether so many memories of a store are more than somebody has in mind unasked."""
    return hits > max(WIDE_ROWS, _WIDE_SHARE * total)


def owns(record: Record, context: ExecutionContext) -> bool:
    """Whether the actor encoded the memory; the local user owns everything."""
    return context.is_local_user or (record.owner is not None and record.owner == context.actor)


def may_read(record: Record, context: ExecutionContext) -> bool:
    """Black list before white list before level. ``team`` reads team; custom is the white list."""
    if owns(record, context):
        return True
    if context.actor in record.read_blacklist:
        return False
    if context.actor in record.read_whitelist:
        return True
    level = record.read_perm_level or DEFAULT_READ_LEVEL
    return level == "public" or (level == "team" and "team" in context.roles)


def may_write(record: Record, context: ExecutionContext) -> bool:
    """Black list before white list before level; what may not be read may not be written."""
    if owns(record, context):
        return True
    if context.actor in record.write_blacklist or not may_read(record, context):
        return False
    if context.actor in record.write_whitelist:
        return True
    level = record.write_perm_level or DEFAULT_WRITE_LEVEL
    return level == "open" or (level == "maintainer" and "maintainer" in context.roles)


def lock_permits(record: Record, op: Op, context: ExecutionContext, now: datetime) -> bool:
    """Whether the memory's lock lets ``op`` through at ``now``.

    Owner and reviewers may change a lock. The policy refines the mode: deny, then allow.
    """
    if not locked(record, now) or op.name in READS:
        return True
    policy = record.lock_policy
    if isinstance(op, Lock):
        return may_lock(record, context, now)
    if op.name in policy.get("deny", ()):
        return False
    if op.name in policy.get("allow", ()):
        return True
    if record.lock_mode == "append_only":
        return isinstance(op, Split | Encode) or (isinstance(op, Label) and _only_adds(op, record))
    return False


def may_lock(record: Record, context: ExecutionContext, now: datetime) -> bool:
    """Locks are for the owner, and for the reviewers that a lock names while it is in force."""
    reviews = locked(record, now) and context.actor in record.lock_policy.get("reviewers", ())
    return owns(record, context) or (reviews and may_read(record, context))


def _only_adds(op: Label, record: Record) -> bool:
    """Whether a Label leaves every tag and facet that is there as it is."""
    held = record.facets
    return op.mode == "add" and all(
        same(held[key], value) for key, value in (op.facets or {}).items() if key in held
    )
