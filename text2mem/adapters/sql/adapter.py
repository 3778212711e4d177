"""The adapter of a store in SQL tables, as far as it is the same for every database."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from typing import Any, ClassVar, Unpack

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
from text2mem.adapters.sql import bulk, census, erasing, expiring, journal, making, mending, verbs
from text2mem.adapters.sql.damage import UNREADABLE, guarded
from text2mem.adapters.sql.database import UNLIMITED
from text2mem.adapters.sql.facts import is_fact
from text2mem.adapters.sql.outbox import SqlOutbox
from text2mem.adapters.sql.queue import SqlQueue
from text2mem.adapters.sql.resolve import resolve
from text2mem.adapters.sql.store import Store
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
    "Update": making.update, "Merge": making.merge, "Split": making.split,
    "Expire": verbs.expire, "Delete": verbs.delete,
}  # fmt: skip


@guarded
class SqlAdapter(Adapter):
    """An adapter of one tenant of one database. A subclass opens the database as ``_store``."""

    support: ClassVar[Mapping[str, Support]] = dict.fromkeys(OPS, Support.NATIVE)
    _store: Store

    def __init__(self, tenant: str) -> None:
        self.tenant = tenant
        self._writes = True
        """Whether the open transaction may write."""
        self._mend_warnings: list[str] = []
        """Warnings of what was set aside, for the next ``settle``."""

    @contextmanager
    def transaction(self, *, write: bool = True) -> Iterator[None]:
        """See ``Adapter.transaction``. One that writes locks out other writers; one that only reads
        is a snapshot. Another thread that shares this connection waits for its end."""
        with self._store.lock:
            self._store.require_open()
            with self._transaction(write=write):
                yield

    @contextmanager
    def _transaction(self, *, write: bool) -> Iterator[None]:
        """Run the body in a transaction, or in a savepoint if one is open. A fault outside a
        savepoint raises Mended if unreadable fields were set aside, else AdapterError."""
        store, words, vectors = self._store, self._store.words, self._store.vectors
        mark, changes = vectors.begin(write=write), words.begin()
        if store.in_transaction:
            # All savepoints have one name, which means the innermost; so the statements stay
            # prepared.
            store.execute("SAVEPOINT program")
            try:
                yield
                store.execute("RELEASE program")
            except BaseException:
                # An error may have ended the whole transaction, and its savepoints with it.
                if store.in_transaction:
                    store.execute("ROLLBACK TO program")
                    store.execute("RELEASE program")
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
            store.rollback()  # does nothing if the error has already ended the transaction
            words.undo([])
            if not isinstance(error, store.faults):
                raise
            message = f"{store.name}: {store.said(error)}"
            if self.mend(error, SystemClock().now()):
                raise Mended(
                    message, hint="what was broken is set aside; run it again"
                ) from store.cause(error)
            raise AdapterError(
                message, hint=f"nothing of the program was kept; {store.hint(error)}"
            ) from store.cause(error)
        finally:
            vectors.end(mark, kept=kept, outermost=True)

    def mend(self, error: BaseException, now: datetime) -> bool:
        """Set aside unreadable fields (see ``mending``); the next ``settle`` warns of them."""
        unreadable = isinstance(error, UNREADABLE) or self._store.malformed(error)
        if not unreadable or self._store.in_transaction:
            return False
        try:
            warnings = mending.mend(self._store, now)
        except self._store.faults:  # more is broken than can be set aside
            return False
        self._mend_warnings += warnings
        return bool(warnings)

    def set_aside(self) -> Sequence[tuple[str, str]]:
        return mending.set_aside(self._store)

    def mark(self, context: ExecutionContext) -> int:
        return journal.changes_so_far(self._store_for(context))

    def settle(self, env: Env) -> Effect:
        """Carry out what is due, in id order; of deleted memories, only expiries that erase."""
        store = self._store_for(env.context)
        due = expiring.due(store, env.now)
        if due and not self._writes:
            raise NeedsWriteLock
        settled = verbs.settle(env, due, store)
        mended, self._mend_warnings = self._mend_warnings, []
        return replace(settled, warnings=(*settled.warnings, *mended)) if mended else settled

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
            return making.encode(op, env, store)
        if (edit := verbs.EDITS.get(op.name)) is not None:
            return verbs.edit_each(rows, lambda row: edit(op, row, env), env, store)
        return _VERBS[op.name](op, rows, env, store)

    def encode_many(self, ops: Sequence[Encode], env: Env, trail: Trail) -> Effect:
        """Encode with one statement per table; one by one if an op has parents or makes a fact."""
        if any(op.lineage_parents or is_fact(op.content.value) for op in ops):
            return super().encode_many(ops, env, trail)
        return bulk.encode_many(ops, env, trail, self._store_for(env.context))

    @property
    def in_transaction(self) -> bool:
        return self._store.in_transaction

    @property
    def erasing(self) -> bool:
        return bool(self._store.erasing)

    def beside(self, tenant: str) -> Adapter | None:
        if self.again is None or not self._store.has(tenant):
            return None
        return self.again(tenant)

    def journal(self, trail: Trail, effect: Effect, env: Env) -> None:
        journal.write_entries(self._store_for(env.context), trail, effect, env)

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
        store = self._store_for(context)
        # Without the sign, SQLite would walk the journal in its order where ids lead to the rows.
        seq = "seq" if ids is None else "+seq"
        where = ["tenant = :tenant", f"{seq} > :after"]
        if before is not None:
            where.append(f"{seq} < :before")
        if trace_id is not None:
            where.append("trace_id = :trace_id")
        if ids is not None:
            where.append(store.dialect.among("id", "ids"))
        rows = store.rows(
            f"SELECT * FROM journal WHERE {' AND '.join(where)} ORDER BY {seq} DESC LIMIT :limit",  # noqa: S608
            after=after, before=before, trace_id=trace_id,
            ids=store.dialect.array([int(id_) for id_ in ids or ()]),
            limit=UNLIMITED if limit is None else limit,
        )  # fmt: skip
        return [journal.entry_of(row) for row in rows]

    def undone(self, traces: Collection[str], context: ExecutionContext) -> frozenset[str]:
        store = self._store_for(context)
        rows = store.rows(
            "SELECT DISTINCT undoes FROM journal WHERE tenant = :tenant "  # noqa: S608
            f"AND {store.dialect.among('undoes', 'traces')}",
            traces=store.dialect.array([*traces]),
        )
        return frozenset(row["undoes"] for row in rows)

    def erase_taken_back(self, context: ExecutionContext) -> Sequence[str]:
        return erasing.erase_taken_back(self._store_for(context))

    def restore(self, pairs: Sequence[Touched], env: Env) -> Effect:
        return journal.restore(pairs, env, self._store_for(env.context))

    def reserve_ids(self, last: int) -> None:
        self._store.set_tenant(
            "next_id = CASE WHEN next_id < :next THEN :next ELSE next_id END", next=last + 1
        )

    def falls_due(self, context: ExecutionContext, after: datetime, until: datetime) -> bool:
        return expiring.falls_due(self._store_for(context), after, until)

    def records(
        self, context: ExecutionContext, now: datetime, **query: Unpack[RecordQuery]
    ) -> Sequence[Record]:
        return census.records(self._store_for(context), context, now, **query)

    def census(
        self, context: ExecutionContext, now: datetime, *, since: datetime, episode: str
    ) -> Census:
        return census.take_census(self._store_for(context), context, now, since, episode)

    @property
    def queue(self) -> SqlQueue:
        """The queue in the same database: one transaction ends a task and writes its facts."""
        return SqlQueue(self._store)

    @property
    def outbox(self) -> SqlOutbox:
        """The outbox in the same database: one transaction writes a change and marks it."""
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
        of_tenant = "m.tenant = :tenant AND " if self._store.dialect.mine else ""
        return self._store.records(
            "SELECT m.* FROM memories AS m "  # noqa: S608
            f"LEFT JOIN vectors AS v ON {self._store.dialect.same('v', 'm')}v.pk = m.pk "
            f"WHERE {of_tenant}m.pk > :after AND m.pk < :end AND m.text <> '' "
            "AND m.skip_embedding = 0 AND v.pk IS NULL ORDER BY m.pk LIMIT :limit",
            after=self._store.pk(after), end=self._store.end, limit=limit,
        )  # fmt: skip

    def set_vectors(self, embedding: Embedding, vectors: Mapping[str, Vector]) -> None:
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
        self._store.close()

    def _store_for(self, context: ExecutionContext) -> Store:
        """The store. Raises ConfigurationError if the caller's tenant is another one."""
        if context.tenant != self.tenant:
            raise ConfigurationError(
                f"this connection is bound to tenant '{self.tenant}', "
                f"the program runs as tenant '{context.tenant}'",
                hint="open one connection a tenant",
            )
        return self._store
