"""A store in plain Python: readable, slow, and what other adapters are compared with.

Nothing is kept beyond the process. One instance holds one tenant.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from threading import RLock
from typing import ClassVar, Unpack

from text2mem.adapters.base import (
    Adapter,
    Effect,
    Embedding,
    Env,
    RecordQuery,
    Scope,
    Selection,
    Support,
    Touched,
    Vector,
)
from text2mem.adapters.census import Census
from text2mem.adapters.refusals import older_registry
from text2mem.errors import ConfigurationError
from text2mem.ir.context import ExecutionContext
from text2mem.ir.journal import Entry, Trail
from text2mem.ir.ops import OPS, ByFilter, ByIds, BySearch, Op, Target
from text2mem.ir.record import Record
from text2mem.ir.registry import Registry
from text2mem_bench.oracle import census, expiry, journal
from text2mem_bench.oracle import vectors as vector_store
from text2mem_bench.oracle.facts import refuse_overlap
from text2mem_bench.oracle.queue import PlainQueue
from text2mem_bench.oracle.search import search
from text2mem_bench.oracle.sight import filtered, named, newest_first, shown
from text2mem_bench.oracle.state import Changes, State, unique
from text2mem_bench.oracle.view import PlainView
from text2mem_bench.oracle.writes import WRITES


class PlainAdapter(Adapter):
    """Memories in a dict. Every op is native."""

    name: ClassVar[str] = "plain"
    support: ClassVar[Mapping[str, Support]] = dict.fromkeys(OPS, Support.NATIVE)

    def __init__(self, tenant: str = "default") -> None:
        self.tenant = tenant
        self._state = State()
        self._lock = RLock()
        self._depth = 0

    # --- transactions ----------------------------------------------------------------------

    @contextmanager
    def transaction(self, *, write: bool = True) -> Iterator[None]:
        """All or nothing, ids and journal included; one inside another is a savepoint.

        Another thread waits until it has ended.
        """
        with self._lock:
            before = self._state.copy()
            self._depth += 1
            try:
                yield
            except BaseException:
                self._state = before
                raise
            finally:
                self._depth -= 1

    @property
    def in_transaction(self) -> bool:
        return self._depth > 0

    def state(self) -> int:
        """Always the same: nobody else can change a store that lives in this object."""
        return 0

    def mark(self, context: ExecutionContext) -> int:
        """How many journal entries there are, and how often vectors were set or dropped."""
        self._check(context)
        return len(self._state.journal) + self._state.reindexed

    # --- the ops ---------------------------------------------------------------------------

    def settle(self, env: Env) -> Effect:
        return expiry.settle(self._changes(env))

    def resolve(self, target: Target, scope: Scope) -> Selection:
        self._check(scope.context)
        state = self._state
        if isinstance(target, BySearch):
            hits, scores, matched = search(state, target, scope, target.most)
            shown_hits = tuple(hits[: target.most])
            return Selection(shown_hits, matched, {row.id: scores[row.id] for row in shown_hits})
        limit = None
        if isinstance(target, ByIds):
            ids = [id_ for id_ in unique(map(str, target.ids)) if id_ in state.records]
            seen = [named(state.records[id_], state, scope) for id_ in ids]
            rows = [row for row in seen if row is not None]
        elif isinstance(target, ByFilter):
            rows = filtered(state, target, scope)
            limit = target.limit
        else:
            seen = [shown(record, state, scope) for record in state.in_order()]
            rows = newest_first([row for row in seen if row is not None])
        return Selection(tuple(rows[:limit]), len(rows))

    def active(self, context: ExecutionContext) -> int:
        self._check(context)
        records = self._state.in_order()
        return sum(not record.deleted and not record.archived for record in records)

    def lower(self, op: Op, rows: Sequence[Record], env: Env) -> Effect:
        if type(op) not in WRITES:
            raise TypeError(f"{op.name} is a read: the executor finishes it")
        changes = self._changes(env)
        current = [self._state.records[row.id] for row in rows]
        return _embedded(WRITES[type(op)](op, current, env, changes), changes, env)

    # --- journal, undo, ticks --------------------------------------------------------------

    def journal(self, trail: Trail, effect: Effect, env: Env) -> None:
        self._check(env.context)
        journal.write(self._state, trail, effect, env)

    def entries(
        self,
        context: ExecutionContext,
        *,
        trace_id: str | None = None,
        ids: Sequence[str] | None = None,
        after: int = 0,
        before: int | None = None,
        limit: int | None = None,
    ) -> Sequence[Entry]:
        self._check(context)
        return journal.read(
            self._state, trace_id=trace_id, ids=ids, after=after, before=before, limit=limit
        )

    def undone(self, traces: Collection[str], context: ExecutionContext) -> frozenset[str]:
        self._check(context)
        taken_back = {entry.trail.undoes for entry in self._state.journal}
        return frozenset(taken_back.intersection(traces))

    def erase_taken_back(self, context: ExecutionContext) -> Sequence[str]:
        """The ids of the memories that were erased."""
        self._check(context)
        return journal.erase_taken_back(self._state)

    def restore(self, pairs: Sequence[Touched], env: Env) -> Effect:
        changes = self._changes(env)
        return _embedded(journal.restore(pairs, changes), changes, env)

    def reserve_ids(self, last: int) -> None:
        self._state.last_id = max(self._state.last_id, last)

    def falls_due(self, context: ExecutionContext, after: datetime, until: datetime) -> bool:
        self._check(context)
        return any(
            after < instant <= until
            for record in self._state.in_order()
            for instant in (record.expire_at if record.expires else None, record.demoted_until)
            if instant is not None
        )

    def records(
        self, context: ExecutionContext, now: datetime, **query: Unpack[RecordQuery]
    ) -> Sequence[Record]:
        self._check(context)
        return census.records(self._state, context, now, **query)

    def census(
        self, context: ExecutionContext, now: datetime, *, since: datetime, episode: str
    ) -> Census:
        self._check(context)
        return census.take_census(self._state, context, now, since, episode)

    @property
    def queue(self) -> PlainQueue:
        """Part of the state, so that it is rolled back with it."""
        return PlainQueue(lambda: self._state)

    def finish_erasures(self, *, patient: bool = False) -> bool:
        return True

    # --- registry, vectors, views ----------------------------------------------------------

    def registry(self) -> Registry:
        return self._state.registry

    def set_registry(self, registry: Registry, env: Env) -> None:
        changes = self._changes(env)
        version = self._state.registry.version
        if registry.version <= version:
            raise older_registry(registry.version, version)
        with self.transaction():
            self._state.own_registry = registry
            for record in changes.records():
                refuse_overlap(changes, record)

    def without_vectors(self, limit: int, *, after: str = "0") -> Sequence[Record]:
        found = [
            record
            for record in self._state.in_order()
            if int(record.id) > int(after)
            and record.id not in self._state.vectors
            and vector_store.wants_vector(record)
        ]
        return found[:limit]

    def set_vectors(self, embedding: Embedding, vectors: Mapping[str, Vector]) -> None:
        records = self._state.records
        wanted = {
            id_: vector
            for id_, vector in vectors.items()
            if id_ in records and vector_store.wants_vector(records[id_])
        }
        vector_store.store(self._state, embedding, wanted)
        self._state.reindexed += 1

    def drop_vectors(self) -> None:
        vector_store.drop(self._state)
        self._state.reindexed += 1

    def rebuild_words(self) -> None:
        """Nothing to do: every search makes its index anew."""

    def view(self, context: ExecutionContext) -> PlainView:
        self._check(context)
        return PlainView(self, lambda: self._state, context)

    def close(self) -> None:
        """Nothing to release."""

    def _changes(self, env: Env) -> Changes:
        self._check(env.context)
        return Changes(self._state, env.now)

    def _check(self, context: ExecutionContext) -> None:
        if context.tenant != self.tenant:
            raise ConfigurationError(
                f"this store holds the tenant '{self.tenant}', not '{context.tenant}'",
                hint="make one adapter for each tenant",
            )


def _embedded(effect: Effect, changes: Changes, env: Env) -> Effect:
    """What an op did, once the memories whose text is new have their vectors."""
    warnings = [*effect.warnings, *vector_store.embed(changes, env)]
    return replace(changes.effect(), affected=effect.affected, warnings=tuple(warnings))
