"""The SQLite adapter: the executor's contract on one file."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from text2mem.adapters.base import Adapter, Effect, Env, Scope, Selection, Support, Touched
from text2mem.adapters.sqlite.codec import from_row, to_json
from text2mem.adapters.sqlite.database import open_database
from text2mem.adapters.sqlite.making import encode, merge, split, update
from text2mem.adapters.sqlite.resolve import SELECT, count_active, resolve
from text2mem.adapters.sqlite.select import Where, visible
from text2mem.adapters.sqlite.store import Store
from text2mem.adapters.sqlite.verbs import apply_simple, settle
from text2mem.clock import SystemClock
from text2mem.errors import AdapterError, ConfigurationError, StoreError
from text2mem.ir.context import ExecutionContext
from text2mem.ir.ops import OPS, Encode, Merge, Op, Split, Target, Update
from text2mem.ir.ports import Clock, StoreView
from text2mem.ir.record import Record, as_image
from text2mem.ir.temporal import format_instant

_TAGS = "SELECT t.tag FROM memory_tags AS t JOIN memories AS m ON m.pk = t.pk WHERE "


class SqliteAdapter(Adapter):
    """One tenant of one database file; ``:memory:`` keeps it in this process."""

    name: ClassVar[str] = "sqlite"
    support: ClassVar[Mapping[str, Support]] = dict.fromkeys(OPS, Support.NATIVE)

    def __init__(
        self, path: str | Path = ":memory:", *, tenant: str = "default", clock: Clock | None = None
    ) -> None:
        self.path = str(path)
        self.tenant = tenant
        self._db = open_database(path, clock or SystemClock())
        self._store = Store(self._db, tenant)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """BEGIN IMMEDIATE, so that what is read stays true until it is written; or a savepoint."""
        connection: sqlite3.Connection = self._db.conn
        if connection.in_transaction:
            with self._db.atomic():
                yield
            return
        try:
            connection.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError as error:
            raise StoreError(
                f"{self.path} is in use by another program: {error}", hint="try again"
            ) from error
        try:
            yield
            connection.execute("COMMIT")
        except sqlite3.DatabaseError as error:
            connection.rollback()
            raise AdapterError(
                f"{self.path}: {error}", hint="nothing of the program was kept"
            ) from error
        except BaseException:
            # Nothing to roll back where the error has already ended the transaction.
            connection.rollback()
            raise

    def state(self) -> int:
        """SQLite's own count of what other connections have committed."""
        return int(self._db.conn.execute("PRAGMA data_version").fetchone()[0])

    def settle(self, env: Env) -> Sequence[Touched]:
        """Expiries that are due at ``env.now``, in id order."""
        self._same_tenant(env.context)
        due = self._store.execute(
            "SELECT * FROM memories WHERE tenant = :tenant AND deleted = 0 "
            "AND expire_at <= :now ORDER BY id",
            {"now": format_instant(env.now)},
        ).fetchall()
        return settle(env, [from_row(row) for row in due], self._store)

    def resolve(self, target: Target, scope: Scope) -> Selection:
        """See ``resolve.resolve``."""
        self._same_tenant(scope.context)
        return resolve(self._store, target, scope)

    def active(self, context: ExecutionContext) -> int:
        """Neither deleted nor archived."""
        self._same_tenant(context)
        return count_active(self._store)

    def lower(self, op: Op, rows: Sequence[Record], env: Env) -> Effect:
        """One write."""
        self._same_tenant(env.context)
        if isinstance(op, Encode):
            return encode(op, env, self._store)
        if isinstance(op, Update):
            return update(op, rows, env, self._store)
        if isinstance(op, Merge):
            return merge(op, rows, env, self._store)
        if isinstance(op, Split):
            return split(op, rows, env, self._store)
        return apply_simple(op, rows, env, self._store)

    def journal(self, trace_id: str, step: int, op: str, effect: Effect, env: Env) -> None:
        """One entry a touched memory. What was erased leaves no image."""
        entries = []
        for before, after in effect.touched:
            record = after or before
            assert record is not None
            old = None if before is None or after is None else to_json(as_image(before))
            new = None if after is None else to_json(as_image(after))
            entries.append((record.id, old, new))
        self._store.log(
            entries, trace_id=trace_id, step=step, op=op, at=format_instant(env.now),
            actor=env.context.actor,
        )  # fmt: skip

    def view(self, context: ExecutionContext) -> StoreView:
        """What a planner may see, as this actor."""
        self._same_tenant(context)
        return _View(self._store, context)

    def close(self) -> None:
        """Closes the connection."""
        self._db.conn.close()

    def _same_tenant(self, context: ExecutionContext) -> None:
        if context.tenant != self.tenant:
            raise ConfigurationError(
                f"this connection is bound to tenant '{self.tenant}', "
                f"the program runs as tenant '{context.tenant}'",
                hint="open one connection a tenant",
            )


@dataclass(frozen=True, slots=True)
class _View:
    store: Store
    context: ExecutionContext

    def _where(self) -> Where:
        where = Where()
        visible(where, Scope(context=self.context, now=self.context.clock.now()))
        return where

    def tags(self, limit: int = 64) -> Sequence[str]:
        where = self._where()
        rows = self.store.execute(
            f"{_TAGS}{where.sql} GROUP BY t.tag ORDER BY count(*) DESC, t.tag LIMIT :limit",
            {**where.parameters, "limit": limit},
        )
        return [row["tag"] for row in rows]

    def recent(self, limit: int = 8) -> Sequence[Record]:
        where = self._where()
        rows = self.store.execute(
            f"{SELECT}{where.sql} ORDER BY m.at DESC, m.id DESC LIMIT :limit",
            {**where.parameters, "limit": limit},
        )
        return [from_row(row) for row in rows]
