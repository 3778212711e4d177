"""Resolve the target of a step to memories, in the scope of its op."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from text2mem.adapters.base import Adapter, Env, Scope, Selection, by_ends
from text2mem.errors import ExecutionError
from text2mem.ir.ops import (
    AbsoluteRange,
    AllMemories,
    ByFilter,
    ByIds,
    BySearch,
    Delete,
    Merge,
    ReadOp,
    Ref,
    Target,
    TargetedOp,
    Update,
)
from text2mem.ir.record import DEFAULT_ROWS, Record
from text2mem.messages import told


def resolve(op: TargetedOp, target: Target, at: str, adapter: Adapter, env: Env) -> Selection:
    """The rows of a target, narrowed for a Delete and with the primary for a Merge. Raise
    ExecutionError "not-found" for an id that doesn't exist or that the caller may not read."""
    if isinstance(op, Delete) and (op.older_than, op.time_range) != (None, None):
        return _narrowed(op, target, at, adapter, env)
    selection = adapter.resolve(target, scope_of(op, env))
    if isinstance(target, ByIds):
        all_found(target.ids, selection, f"{at}/target/ids")
    if isinstance(op, Merge) and selection.rows:
        return _with_primary(op, selection, at, adapter, env)
    return selection


def all_found(ids: Sequence[Ref], selection: Selection, at: str) -> None:
    """Raise ExecutionError "not-found" if one of the ids is not among the selected rows."""
    known = {row.id for row in selection.rows}
    missing = [str(ref) for ref in dict.fromkeys(ids) if ref not in known]
    if missing:
        more = told("as-many-more", count=len(missing) - 10) if len(missing) > 10 else ""
        why = told("no-such-id", ids=tuple(missing[:10]), more=more)
        hint = "ids are those that Encode and Retrieve return"
        raise ExecutionError("not-found", why, pointer=at, hint=hint)


def bounded(target: Target) -> Target:
    """The target of a read, with the default limit if it names none."""
    if isinstance(target, ByFilter) and target.limit is None:
        return replace(target, limit=DEFAULT_ROWS)
    if isinstance(target, BySearch) and target.most is None:
        return replace(target, limit=DEFAULT_ROWS)
    if isinstance(target, AllMemories):
        return ByFilter(limit=DEFAULT_ROWS)
    return target


def descendants(rows: Sequence[Record], adapter: Adapter, env: Env) -> list[Record]:
    """All descendants of these rows by lineage, whoever owns them, since they hold the content."""
    everyone = Scope(context=env.context.of_everyone(), now=env.now, deleted=True)
    seen = {row.id for row in rows}
    below: list[Record] = []
    queue = list(rows)
    while queue:
        row = queue.pop()
        children = adapter.resolve(ByIds(row.lineage_children), everyone).rows
        fresh = [c for c in children if row.id in c.lineage_parents and c.id not in seen]
        seen.update(child.id for child in fresh)
        below.extend(fresh)
        queue.extend(fresh)
    return below


def scope_of(op: TargetedOp, env: Env) -> Scope:
    """The scope of an op's target. A read says it. A write sees archived memories, unless of "all"
    without unarchiving, and deleted ones if it restores, or erases by ids."""
    if isinstance(op, ReadOp):
        return Scope(
            context=env.context, now=env.now, services=env.services, archived=op.include_archived,
            deleted=op.include_deleted, as_of=op.as_of, known_at=op.known_at,
        )  # fmt: skip
    restores = isinstance(op, Update) and "deleted" in op.edits
    erases = isinstance(op, Delete) and not op.soft and isinstance(op.target, ByIds)
    unarchives = isinstance(op, Update) and "archived" in op.edits
    return Scope(
        context=env.context, now=env.now, services=env.services, floor=True,
        deleted=restores or erases, archived=unarchives or not isinstance(op.target, AllMemories),
    )  # fmt: skip


def _with_primary(
    op: Merge, selection: Selection, at: str, adapter: Adapter, env: Env
) -> Selection:
    """The rows of a Merge, with the primary that it names in front if it is not among them, else
    the first row that is not deleted. Raise ExecutionError "not-found" if there is none."""
    if op.primary_id is None:
        first = next((row for row in selection.rows if not row.deleted), None)
        if first is None:
            why = "every memory of this target is deleted"
            hint = "bring one back with Update, deleted false, or name another primary_id"
            raise ExecutionError("not-found", why, pointer=f"{at}/target", hint=hint)
        others = (row for row in selection.rows if row is not first)
        return replace(selection, rows=(first, *others))
    primary = adapter.resolve(ByIds((op.primary_id,)), scope_of(op, env))
    all_found((op.primary_id,), primary, f"{at}/args/primary_id")
    if primary.rows[0].id in {row.id for row in selection.rows}:
        return selection
    return Selection((*primary.rows, *selection.rows), selection.matched + 1, selection.scores)


def _narrowed(op: Delete, target: Target, at: str, adapter: Adapter, env: Env) -> Selection:
    """The rows of a target that satisfy a Delete's ``older_than`` and ``time_range``, up to the
    target's limit."""
    ranges = [op.time_range]
    if op.older_than is not None:  # older by a second at least: stored instants are whole ones
        older = replace(op.older_than, seconds=op.older_than.seconds + 1)
        ranges.append(AbsoluteRange(end=older.before(env.now)))
    if isinstance(target, ByFilter):
        ranges.append(target.time_range)
    spans = [by_ends(each, env.context, env.now) for each in ranges if each is not None]
    start = max((span.start for span in spans if span.start is not None), default=None)
    end = min((span.end for span in spans if span.end is not None), default=None)
    if isinstance(target, ByFilter):
        target = replace(target, time_range=AbsoluteRange(start, end))
        return adapter.resolve(target, scope_of(op, env))
    most = target.most if isinstance(target, BySearch) else None
    if isinstance(target, BySearch):
        target = replace(target, k=None, limit=None)
    selection = adapter.resolve(target, scope_of(op, env))
    if isinstance(target, ByIds):
        all_found(target.ids, selection, f"{at}/target/ids")
    keep = tuple(
        row
        for row in selection.rows
        if (start is None or row.when >= start) and (end is None or row.when <= end)
    )
    return Selection(keep[:most], len(keep), selection.scores)
