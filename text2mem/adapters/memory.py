"""A store in plain Python: readable, slow, and the oracle that other adapters are compared with.

Nothing is kept beyond the process. One instance holds one tenant.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, ClassVar

from text2mem.adapters import memory_search
from text2mem.adapters.base import Adapter, Effect, Env, Scope, Selection, Support, Touched
from text2mem.adapters.memory_state import Changes, State
from text2mem.adapters.memory_writes import WRITES, end, unique
from text2mem.errors import ConfigurationError
from text2mem.ir.context import ExecutionContext
from text2mem.ir.ops import OPS, AllMemories, ByFilter, ByIds, BySearch, Op, Target
from text2mem.ir.record import Record, as_image
from text2mem.ir.temporal import format_instant


class MemoryAdapter(Adapter):
    """Memories in a dict. Every op is native; a search goes by words only."""

    name: ClassVar[str] = "memory"
    support: ClassVar[Mapping[str, Support]] = dict.fromkeys(OPS, Support.NATIVE)

    def __init__(self, tenant: str = "default") -> None:
        self.tenant = tenant
        self._state = State()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing, ids and journal included; one inside another is a savepoint."""
        before = deepcopy(self._state)
        try:
            yield
        except BaseException:
            self._state = before
            raise

    def state(self) -> int:
        """Always the same: nobody else can change a store that lives in this object."""
        return 0

    def settle(self, env: Env) -> Sequence[Touched]:
        """Carry out every expiry that is due, in id order."""
        changes = self._changes(env)
        for record in self._state.of(self.tenant):
            due = record.expire_at is not None and record.expire_at <= env.now
            if due and not record.deleted:
                end(record, changes)
        return changes.touched()

    def resolve(self, target: Target, scope: Scope) -> Selection:
        """The rows of a target. Raises ExecutionError "no-embedder" for a search by vector."""
        self._check(scope.context)
        records = self._state.of(self.tenant)
        scores: dict[str, float] = {}
        limits: list[int | None] = []
        if isinstance(target, ByIds):
            by_id = {record.id: record for record in records}
            named = [by_id[id_] for id_ in unique(map(str, target.ids)) if id_ in by_id]
            rows = [record for record in named if memory_search.by_id(record, scope)]
        elif isinstance(target, ByFilter):
            found = [record for record in records if memory_search.matches(record, target, scope)]
            rows = memory_search.newest_first(found)
            limits = [target.limit]
        elif isinstance(target, BySearch):
            rows, scores = memory_search.search(records, target, scope)
            limits = [target.k, target.limit]
        else:
            found = [record for record in records if memory_search.by_search(record, scope)]
            rows = memory_search.newest_first(found)
        limit = min((each for each in limits if each is not None), default=len(rows))
        shown = tuple(rows[:limit])
        return Selection(
            rows=shown,
            matched=len(rows),
            scores={row.id: scores[row.id] for row in shown if row.id in scores},
        )

    def active(self, context: ExecutionContext) -> int:
        """How many memories of the tenant are neither deleted nor archived."""
        self._check(context)
        records = self._state.of(self.tenant)
        return sum(not record.deleted and not record.archived for record in records)

    def lower(self, op: Op, rows: Sequence[Record], env: Env) -> Effect:
        """Carry out a write. Raises ExecutionError where docs/language.md refuses it."""
        if type(op) not in WRITES:
            raise TypeError(f"{op.name} is a read: the executor finishes it")
        changes = self._changes(env)
        current = [self._state.records[self.tenant, row.id] for row in rows]
        return WRITES[type(op)](op, current, env, changes)

    def journal(self, trace_id: str, step: int, op: str, effect: Effect, env: Env) -> None:
        """Append a step's images; those that an erasure or anonymisation ends are left out."""
        self._check(env.context)
        self._state.journal.append(
            {
                "trace_id": trace_id,
                "step": step,
                "op": op,
                "at": format_instant(env.now),
                "images": [_images(before, after) for before, after in effect.touched],
            }
        )

    def entries(self) -> list[dict[str, Any]]:
        """The journal, oldest first: trace_id, step, op, at, images (id, before, after)."""
        return deepcopy(self._state.journal)

    def view(self, context: ExecutionContext) -> View:
        """What a planner may see: what a read of all memories would find at this instant."""
        scope = Scope(context=context, now=context.clock.now())
        return View(self.resolve(AllMemories(), scope).rows)

    def close(self) -> None:
        """Nothing to release."""

    def _changes(self, env: Env) -> Changes:
        self._check(env.context)
        return Changes(self._state, self.tenant, env.now)

    def _check(self, context: ExecutionContext) -> None:
        if context.tenant != self.tenant:
            raise ConfigurationError(
                f"this store holds the tenant '{self.tenant}', not '{context.tenant}'",
                hint="make one adapter for each tenant",
            )


@dataclass(frozen=True)
class View:
    """A StoreView of the given records."""

    records: tuple[Record, ...]

    def tags(self, limit: int = 64) -> Sequence[str]:
        """The tags in use, the most frequent first, equally frequent ones by the alphabet."""
        counted = Counter(tag for record in self.records for tag in record.tags)
        return sorted(counted, key=lambda tag: (-counted[tag], tag))[:limit]

    def recent(self, limit: int = 8) -> Sequence[Record]:
        """The newest memories, the newest first; of the same time, the one made last."""
        newest = sorted(self.records, key=lambda r: (r.when, int(r.id)), reverse=True)
        return newest[:limit]


def _images(before: Record | None, after: Record | None) -> dict[str, Any]:
    """One pair for the journal. What was erased or anonymised leaves no image behind."""
    known = [record for record in (before, after) if record is not None]
    emptied = after is None or (before is not None and before.payload and not after.payload)
    return {
        "id": known[0].id,
        "before": None if before is None or emptied else as_image(before),
        "after": None if after is None else as_image(after),
    }
