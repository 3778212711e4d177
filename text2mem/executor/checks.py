"""The checks of a step, when it runs and before the program's first step.

Before the first step, on the initial state, a program is refused if a later step is sure to be
refused whatever the steps before it do. So no service is called for a program that must fail.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from text2mem.adapters.base import Adapter, Env, Scope, Selection
from text2mem.errors import ExecutionError
from text2mem.executor.authorise import check_cascade, check_lineage, check_rows, check_width
from text2mem.executor.references import refers
from text2mem.executor.targets import all_found, descendants, resolve, scope_of
from text2mem.ir.exchange import edits_in
from text2mem.ir.ops import (
    READS,
    Attributes,
    ByIds,
    Delete,
    Encode,
    Label,
    Lock,
    Op,
    ReadOp,
    Split,
    TargetedOp,
    Update,
)
from text2mem.ir.record import Record, is_id


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
        check_cascade(op, further, env, at)
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
    scope = Scope(context=env.context, now=env.now)
    parents = adapter.resolve(ByIds(op.lineage_parents), scope)
    if not earlier.brings:
        all_found(op.lineage_parents, parents, f"{at}/args/lineage_parents")
    check_lineage(op, earlier.as_far_as_known(parents.rows), env, at)


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
