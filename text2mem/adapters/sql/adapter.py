"""The executor's contract on tables: what every backend in SQL does alike."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from typing import Any, ClassVar, Unpack

from text2mem.adapters.base import (
    Adapter,
    Effect,
    Embedding,
    Env,
    Scope,
    Selection,
    Sought,
    Support,
    Touched,
    Vector,
)
from text2mem.adapters.census import Census
from text2mem.adapters.refusals import older_registry
from text2mem.adapters.sql import census, expiring, mending
from text2mem.adapters.sql.bulk import encode_many
from text2mem.adapters.sql.codec import UnreadableField, subject_key
from text2mem.adapters.sql.damage import guarded
from text2mem.adapters.sql.facts import is_fact
from text2mem.adapters.sql.journal import changes_so_far, read_entries, restore, write_entries
from text2mem.adapters.sql.making import encode, merge, split, update
from text2mem.adapters.sql.outbox import SqlOutbox
from text2mem.adapters.sql.queue import SqlQueue
from text2mem.adapters.sql.resolve import resolve
from text2mem.adapters.sql.store import Store
from text2mem.adapters.sql.verbs import EDITS, delete, edit_each, expire, settle
from text2mem.adapters.sql.view import SqlView
from text2mem.adapters.transactions import Mended, NeedsWriteLock
from text2mem.clock import SystemClock
from text2mem.errors import AdapterError, ConfigurationError
from text2mem.ir.context import ExecutionContext
from text2mem.ir.journal import Entry, Trail
from text2mem.ir.ops import OPS, Encode, Op, Target
from text2mem.ir.record import Record
from text2mem.ir.registry import Registry
from text2mem.ir.times.temporal import format_instant

_VERBS: dict[str, Callable[[Any, Sequence[Record], Env, Store], Effect]] = {
    "Update": update, "Merge": merge, "Split": split, "Expire": expire, "Delete": delete,
}  # fmt: skip


@guarded
class SqlAdapter(Adapter):
    """One tenant of one database. A subclass opens it."""

    support: ClassVar[Mapping[str, Support]] = dict.fromkeys(OPS, Support.NATIVE)
    _store: Store

    def __init__(self, tenant: str) -> None:
        self.tenant = tenant
        self._writes = True
        self._told: list[str] = []

    @contextmanager
    def transaction(self, *, write: bool = True) -> Iterator[None]:
        """What is read in one that writes stays true until it is written; inside one, a savepoint.

        A transaction that only reads is a snapshot, and keeps no other connection from writing;
        another thread that shares this one waits until it has ended.
        """
        with self._store.lock:
            self._store.require_open()
            with self._transacted(write=write):
                yield

    @contextmanager
    def _transacted(self, *, write: bool) -> Iterator[None]:
        store, words, vectors = self._store, self._store.words, self._store.vectors
        mark, changes = vectors.begin(write=write), words.begin()
        if store.in_transaction:
            # One name for all of them: the statements stay prepared, and the innermost is meant.
            store.control("SAVEPOINT program")
            try:
                yield
                store.control("RELEASE program")
            except BaseException:
                # An error may have ended the whole transaction, and its savepoints with it.
                if store.in_transaction:
                    store.control("ROLLBACK TO program")
                    store.control("RELEASE program")
                vectors.end(mark, kept=False, outermost=False)
                words.undo(changes)
                store.begin()
                raise
            return
        store.open(write=write)
        self._writes = write
        store.begin()
        kept = False
        try:
            yield
            words.flush()
            store.commit()
            kept = True
        except BaseException as error:
            store.rollback()  # nothing, where the error has already ended the transaction
            words.undo([])
            if not isinstance(error, store.faults):
                raise
            said = f"{store.name}: {store.said(error)}"
            if self.mended(error, SystemClock().now()):
                raise Mended(
                    said, hint="what was broken is set aside; run it again"
                ) from store.cause(error)
            raise AdapterError(
                said, hint=f"nothing of the program was kept; {store.hint(error)}"
            ) from store.cause(error)
        finally:
            vectors.end(mark, kept=kept, outermost=True)

    def mended(self, error: BaseException, now: datetime) -> bool:
        """See ``mending``; what was set aside is said with the next result."""
        unreadable = isinstance(error, UnreadableField) or self._store.malformed(error)
        if not unreadable or self._store.in_transaction:
            return False
        try:
            found = mending.mend(self._store, now)
        except self._store.faults:  # more is broken than can be set aside
            return False
        self._told += found
        return bool(found)

    def set_aside(self) -> Sequence[tuple[str, str]]:
        return mending.set_aside(self._store)

    def mark(self, context: ExecutionContext) -> int:
        return changes_so_far(self._store_for(context))

    def settle(self, env: Env) -> Effect:
        """What is due at ``env.now``, in id order; of deleted ones the expiries that erase."""
        store = self._store_for(env.context)
        due = expiring.due(store, env.now)
        if due and not self._writes:
            raise NeedsWriteLock
        settled = settle(env, due, store)
        told, self._told = self._told, []
        return replace(settled, warnings=(*settled.warnings, *told)) if told else settled

    def resolve(self, target: Target, scope: Scope) -> Selection:
        return resolve(self._store_for(scope.context), target, scope)

    def active(self, context: ExecutionContext) -> int:
        counted = self._store_for(context).scalar(
            "SELECT count(*) FROM memories WHERE tenant = :tenant AND deleted = 0 AND archived = 0"
        )
        return int(counted)

    def lower(self, op: Op, rows: Sequence[Record], env: Env) -> Effect:
        store = self._store_for(env.context)
        if isinstance(op, Encode):
            return encode(op, env, store)
        if (edit := EDITS.get(op.name)) is not None:
            return edit_each(rows, lambda row: edit(op, row, env), env, store)
        return _VERBS[op.name](op, rows, env, store)

    def encode_many(self, ops: Sequence[Encode], env: Env, trail: Trail) -> Effect:
        """Many at once: one statement a table. Facts and descendants go one by one."""
        if any(op.lineage_parents or is_fact(op.content.value) for op in ops):
            return super().encode_many(ops, env, trail)
        return encode_many(ops, env, trail, self._store_for(env.context))

    @property
    def in_transaction(self) -> bool:
        """As the connection says."""
        return self._store.in_transaction

    @property
    def erasing(self) -> bool:
        """By a count in the tenant's row."""
        return bool(self._store.erasing)

    def beside(self, tenant: str) -> Adapter | None:
        """By a connection of its own."""
        if self.again is None or not self._store.has(tenant):
            return None
        return self.again(tenant)

    def journal(self, trail: Trail, effect: Effect, env: Env) -> None:
        """One entry a touched memory."""
        write_entries(self._store_for(env.context), trail, effect, env)

    def entries(
        self,
        context: ExecutionContext,
        *,
        trace_id: str | None = None,
        ids: Sequence[str] | None = None,
        after: int = 0,
        limit: int | None = None,
    ) -> Sequence[Entry]:
        return read_entries(
            self._store_for(context), trace_id=trace_id, ids=ids, after=after, limit=limit
        )

    def restore(self, pairs: Sequence[Touched], env: Env) -> Effect:
        """Those that leave first, so that what comes back finds room in the ledger."""
        return restore(pairs, env, self._store_for(env.context))

    def reserve_ids(self, last: int) -> None:
        """Within the caller's transaction."""
        self._store.execute(
            "UPDATE tenants SET next_id = CASE WHEN next_id < :next THEN :next "  # noqa: S608
            f"ELSE next_id END WHERE {self._store.dialect.own}",
            next=last + 1,
        )

    def due_reminders(self, env: Env) -> Sequence[Record]:
        return self._store_for(env.context).records(
            "SELECT * FROM memories WHERE tenant = :tenant AND deleted = 0 "
            "AND remind_next <= :now ORDER BY id",
            now=format_instant(env.now),
        )

    def falls_due(self, context: ExecutionContext, after: datetime, until: datetime) -> bool:
        return expiring.falls_due(self._store_for(context), after, until)

    def waiting(
        self, context: ExecutionContext, *, subject: str | None = None, attribute: str | None = None
    ) -> Sequence[Record]:
        """By an index of their own."""
        return self._store_for(context).records(
            "SELECT * FROM memories WHERE tenant = :tenant AND pending = 1 AND deleted = 0 "
            "AND (CAST(:subject AS text) IS NULL OR subject_key = :subject) "
            "AND (CAST(:attribute AS text) IS NULL OR attribute = :attribute) ORDER BY id",
            subject=subject_key(subject),
            attribute=attribute,
        )

    def heard_in(self, context: ExecutionContext, episodes: Sequence[str]) -> Sequence[Record]:
        """By an index of episodes."""
        store, dialect = self._store_for(context), self._store.dialect
        return store.records(
            f"SELECT * FROM memories WHERE {dialect.mine}pk IN (SELECT pk FROM heard "  # noqa: S608
            f"WHERE tenant = :tenant AND {dialect.among('episode', 'episodes')}) ORDER BY pk",
            episodes=dialect.array(list(episodes)),
        )

    def versions(
        self, context: ExecutionContext, now: datetime, **sought: Unpack[Sought]
    ) -> Sequence[Record]:
        return census.versions(self._store_for(context), context, now, **sought)

    def census(
        self, context: ExecutionContext, now: datetime, *, since: datetime, episode: str
    ) -> Census:
        return census.take_census(self._store_for(context), context, now, since, episode)

    @property
    def queue(self) -> SqlQueue:
        """In the same database, so that a task goes with what it leads to."""
        return SqlQueue(self._store)

    @property
    def outbox(self) -> SqlOutbox:
        """In the same database, so that no change is kept without its mark."""
        return SqlOutbox(self._store)

    def registry(self) -> Registry:
        return self._store.registry

    def set_registry(self, registry: Registry, env: Env) -> None:
        store = self._store_for(env.context)
        present = store.registry.version
        if registry.version <= present:
            raise older_registry(registry.version, present)
        store.set_registry(registry, format_instant(env.now))

    def without_vectors(self, limit: int, *, after: str = "0") -> Sequence[Record]:
        """In id order, those with text."""
        own = "m.tenant = :tenant AND " if self._store.dialect.mine else ""
        return self._store.records(
            "SELECT m.* FROM memories AS m "  # noqa: S608
            f"LEFT JOIN vectors AS v ON {self._store.dialect.same('v', 'm')}v.pk = m.pk "
            f"WHERE {own}m.pk > :after AND m.pk < :end AND m.text <> '' AND m.skip_embedding = 0 "
            "AND v.pk IS NULL ORDER BY m.pk LIMIT :limit",
            after=self._store.pk(after), end=self._store.end, limit=limit,
        )  # fmt: skip

    def set_vectors(self, embedding: Embedding, vectors: Mapping[str, Vector]) -> None:
        """Vectors by id. Raises ConfigurationError for those of another model than the store's."""
        self._store.vectors.check(embedding)
        self._store.vectors.put(vectors, embedding)

    def drop_vectors(self) -> None:
        self._store.vectors.drop()

    def rebuild_words(self) -> None:
        with self.transaction():
            self._store.rebuild_words()

    def rebuild_vector_index(self) -> None:
        self._store.vectors.rebuild_index()

    def view(self, context: ExecutionContext) -> SqlView:
        return SqlView(self, self._store_for(context), context)

    def close(self) -> None:
        """Gives back what it holds, once a transaction of another thread has ended."""
        self._store.close()

    def _store_for(self, context: ExecutionContext) -> Store:
        """The store, for a caller of its tenant. Raises ConfigurationError for another one's."""
        if context.tenant != self.tenant:
            raise ConfigurationError(
                f"this connection is bound to tenant '{self.tenant}', "
                f"the program runs as tenant '{context.tenant}'",
                hint="open one connection a tenant",
            )
        return self._store
