"""The checks of a step: on the state that it sees, and beforehand where that can decide.

Beforehand, on the state before the first write, a program is refused for what none of its earlier
steps can change, so that no service is asked in vain.
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
    Lock,
    Op,
    ReadOp,
    Split,
    TargetedOp,
    Update,
)
from text2mem.ir.record import Record, is_id


def names_its_target(op: Op) -> bool:
    """Whether the program itself names every memory of a step; a step reference is no name."""
    return isinstance(op, TargetedOp) and isinstance(op.target, ByIds) and not refers(op)


def authorise(
    op: TargetedOp, found: Selection, at: str, adapter: Adapter, env: Env, *, by_name: bool
) -> None:
    """Raises ExecutionError where a step may not do what it asks to the rows of its target."""
    if op.name in READS:
        return
    further: list[Record] = []
    if isinstance(op, Delete) and op.cascade and not op.soft:
        further = descendants(found.rows, adapter, env)
        check_cascade(op, further, env, at)
    check_width(
        op, len(found.rows) + len(further), lambda: adapter.active(env.context),
        env.context, at, by_name=by_name and not further,
    )  # fmt: skip
    check_rows(op, found.rows, env, at)
    if isinstance(op, Update):
        check_episode(op.edits, f"{at}/args/set", adapter, env)
        for row in found.rows:
            edits_in(row, op, f"{at}/args")


def check_episode(given: Attributes, at: str, adapter: Adapter, env: Env) -> None:
    """Raises ExecutionError where an op names an episode that the caller may not read as the source
    of a fact."""
    heard = given.get("source_episode_id")
    if isinstance(heard, str) and is_id(heard) and not env.context.is_local_user:
        scope = Scope(context=env.context, now=env.now, archived=True)
        if not adapter.resolve(ByIds((heard,)), scope).rows:
            raise ExecutionError(
                "not-found", f"there is no memory {heard}", pointer=f"{at}/source_episode_id",
                hint="name an episode that this actor may read, or none",
            )  # fmt: skip


def check_parents(op: Encode, at: str, adapter: Adapter, env: Env) -> None:
    """Raises ExecutionError where the caller may not add a child to the parents of an Encode, or
    may not read the episode that it names as its source."""
    check_episode(op.attributes, f"{at}/args", adapter, env)
    if not op.lineage_parents:
        return
    parents = adapter.resolve(ByIds(op.lineage_parents), Scope(context=env.context, now=env.now))
    all_found(op.lineage_parents, parents, f"{at}/args/lineage_parents")
    check_lineage(op, parents.rows, env, at)


@dataclass(slots=True)
class Earlier:
    """What the steps before a step may change of the initial state, on which all are checked.

    ``writes``: one of them is a write. ``brings``: they may create or restore memories, so that an
    id that is unknown now may be known then. ``locking`` are the ids that they lock or unlock; None
    where these cannot be told beforehand.
    """

    writes: bool = False
    brings: bool = False
    locking: set[str] | None = field(default_factory=set)

    def add(self, op: Op) -> None:
        """Take one more step into account."""
        self.writes = self.writes or op.name not in READS
        self.brings = self.brings or _brings_memories(op)
        if not isinstance(op, Lock) or self.locking is None:
            return
        if isinstance(op.target, ByIds) and names_its_target(op):
            self.locking.update(map(str, op.target.ids))
        else:
            self.locking = None

    def as_far_as_known(self, rows: Sequence[Record]) -> list[Record]:
        """The rows without the locks that these steps may change: only the rights stay as they
        are."""
        unlocked = self.locking
        return [
            replace(row, lock_mode=None) if unlocked is None or row.id in unlocked else row
            for row in rows
        ]


def check_beforehand(op: Op, step: int, earlier: Earlier, adapter: Adapter, env: Env) -> None:
    """Raises ExecutionError where a step will be refused, whatever the steps before it do."""
    at = f"/{step}"
    if refers(op):
        return
    if isinstance(op, Encode):
        if not earlier.writes:
            check_parents(op, at, adapter, env)
        elif op.lineage_parents:
            scope = Scope(context=env.context, now=env.now)
            found = adapter.resolve(ByIds(op.lineage_parents), scope)
            if not earlier.brings:
                all_found(op.lineage_parents, found, f"{at}/args/lineage_parents")
            check_lineage(op, earlier.as_far_as_known(found.rows), env, at)
    elif isinstance(op, TargetedOp) and isinstance(op.target, ByIds) and earlier.writes:
        found = adapter.resolve(op.target, scope_of(op, env))
        if not earlier.brings:
            all_found(op.target.ids, found, f"{at}/target/ids")
        # A Delete of a time takes only some of its target, and an earlier step can edit times.
        of_a_time = isinstance(op, Delete) and (op.older_than, op.time_range) != (None, None)
        if not (isinstance(op, ReadOp) or of_a_time):
            check_rows(op, earlier.as_far_as_known(found.rows), env, at)
    elif isinstance(op, TargetedOp) and not earlier.writes:
        if isinstance(op, ReadOp) and not isinstance(op.target, ByIds):
            return
        found = resolve(op, op.target, at, adapter, env)
        authorise(op, found, at, adapter, env, by_name=names_its_target(op))


def _brings_memories(op: Op) -> bool:
    """Whether an op may create or restore memories, so that an unknown id becomes known."""
    if isinstance(op, Update):
        return op.replace is not None or "value" in op.edits or "deleted" in op.edits
    return isinstance(op, Encode | Split)
