"""An adapter that hands every call on to another one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import TYPE_CHECKING, ClassVar

from text2mem.adapters.base import (
    Adapter,
    Effect,
    Embedding,
    Env,
    Scope,
    Selection,
    Support,
    Touched,
    Vector,
)
from text2mem.adapters.census import Census
from text2mem.adapters.outbox import Outbox
from text2mem.adapters.queue import Queue
from text2mem.ir.context import ExecutionContext
from text2mem.ir.journal import Entry, Trail
from text2mem.ir.ops import OPS, Encode, Op, Target
from text2mem.ir.record import Record
from text2mem.ir.registry import Registry

if TYPE_CHECKING:
    from text2mem.adapters.viewing import AdapterView


class Delegating(Adapter):
    """Does what its ``sidecar`` does."""

    name: ClassVar[str] = "delegating"
    support: ClassVar[Mapping[str, Support]] = dict.fromkeys(OPS, Support.EMULATED)

    def __init__(self, sidecar: Adapter) -> None:
        self.sidecar = sidecar

    def transaction(self, *, write: bool = True) -> AbstractContextManager[None]:
        """The sidecar's."""
        return self.sidecar.transaction(write=write)

    def state(self) -> int:
        """The sidecar's."""
        return self.sidecar.state()

    def mark(self, context: ExecutionContext) -> int:
        """The sidecar's."""
        return self.sidecar.mark(context)

    def settle(self, env: Env) -> Effect:
        """By the sidecar."""
        return self.sidecar.settle(env)

    def mended(self, error: BaseException, now: datetime) -> bool:
        """By the sidecar."""
        return self.sidecar.mended(error, now)

    def set_aside(self) -> Sequence[tuple[str, str]]:
        """In the sidecar."""
        return self.sidecar.set_aside()

    def resolve(self, target: Target, scope: Scope) -> Selection:
        """By the sidecar."""
        return self.sidecar.resolve(target, scope)

    def active(self, context: ExecutionContext) -> int:
        """In the sidecar."""
        return self.sidecar.active(context)

    def lower(self, op: Op, rows: Sequence[Record], env: Env) -> Effect:
        """By the sidecar."""
        return self.sidecar.lower(op, rows, env)

    def encode_many(self, ops: Sequence[Encode], env: Env, trail: Trail) -> Sequence[str]:
        """By the sidecar."""
        return self.sidecar.encode_many(ops, env, trail)

    def journal(self, trail: Trail, effect: Effect, env: Env) -> None:
        """In the sidecar."""
        self.sidecar.journal(trail, effect, env)

    def entries(
        self,
        context: ExecutionContext,
        *,
        trace_id: str | None = None,
        ids: Sequence[str] | None = None,
        after: int = 0,
        limit: int | None = None,
    ) -> Sequence[Entry]:
        """The sidecar's."""
        return self.sidecar.entries(context, trace_id=trace_id, ids=ids, after=after, limit=limit)

    def restore(self, pairs: Sequence[Touched], env: Env) -> Effect:
        """In the sidecar."""
        return self.sidecar.restore(pairs, env)

    def reserve_ids(self, last: int) -> None:
        """In the sidecar."""
        self.sidecar.reserve_ids(last)

    def due_reminders(self, env: Env) -> Sequence[Record]:
        """The sidecar's."""
        return self.sidecar.due_reminders(env)

    def falls_due(self, context: ExecutionContext, after: datetime, until: datetime) -> bool:
        """In the sidecar."""
        return self.sidecar.falls_due(context, after, until)

    def waiting(
        self,
        context: ExecutionContext,
        *,
        subject: str | None = None,
        attribute: str | None = None,
    ) -> Sequence[Record]:
        """In the sidecar."""
        return self.sidecar.waiting(context, subject=subject, attribute=attribute)

    def heard_in(self, context: ExecutionContext, episodes: Sequence[str]) -> Sequence[Record]:
        """In the sidecar."""
        return self.sidecar.heard_in(context, episodes)

    def versions(
        self,
        context: ExecutionContext,
        now: datetime,
        *,
        subject: str | None = None,
        attribute: str | None = None,
        value: str | None = None,
        listed: tuple[str, str] | None = None,
        over: bool = False,
    ) -> Sequence[Record]:
        """In the sidecar."""
        return self.sidecar.versions(
            context, now, subject=subject, attribute=attribute, value=value, listed=listed,
            over=over,
        )  # fmt: skip

    def census(
        self, context: ExecutionContext, now: datetime, *, since: datetime, episode: str
    ) -> Census:
        """Of the sidecar."""
        return self.sidecar.census(context, now, since=since, episode=episode)

    @property
    def queue(self) -> Queue:
        """The sidecar's."""
        return self.sidecar.queue

    @property
    def outbox(self) -> Outbox:
        """The sidecar's."""
        return self.sidecar.outbox

    def undelivered(self) -> str | None:
        """What the sidecar says."""
        return self.sidecar.undelivered()

    def finish_erasures(self, *, patient: bool = False) -> bool:
        """In the sidecar."""
        return self.sidecar.finish_erasures(patient=patient)

    def registry(self) -> Registry:
        """The sidecar's."""
        return self.sidecar.registry()

    def set_registry(self, registry: Registry, env: Env) -> None:
        """In the sidecar."""
        self.sidecar.set_registry(registry, env)

    def without_vectors(self, limit: int, *, after: str = "0") -> Sequence[Record]:
        """In the sidecar."""
        return self.sidecar.without_vectors(limit, after=after)

    def set_vectors(self, embedding: Embedding, vectors: Mapping[str, Vector]) -> None:
        """In the sidecar."""
        self.sidecar.set_vectors(embedding, vectors)

    def drop_vectors(self) -> None:
        """In the sidecar."""
        self.sidecar.drop_vectors()

    def rebuild_words(self) -> None:
        """In the sidecar."""
        self.sidecar.rebuild_words()

    def rebuild_vector_index(self) -> None:
        """In the sidecar."""
        self.sidecar.rebuild_vector_index()

    def view(self, context: ExecutionContext) -> AdapterView:
        """Of the sidecar."""
        return self.sidecar.view(context)

    def close(self) -> None:
        """The sidecar."""
        self.sidecar.close()
