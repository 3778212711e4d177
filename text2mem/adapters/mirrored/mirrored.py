"""A store in two places: ours decides, a framework holds the texts (docs/backends.md).

A change marks its memories in the outbox, within its own transaction. After the outermost commit
they are read once more and handed to the framework, within a transaction that strikes them off: a
crash in between leaves them marked, and they are handed over again. Nobody else writes
meanwhile, so that the framework never gets an older state last.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from threading import RLock
from typing import ClassVar, Literal

from text2mem.adapters.base import Adapter, Effect, Env, Scope, Selection, Touched
from text2mem.adapters.mirrored.delegating import Delegating
from text2mem.adapters.mirrored.items import as_item, is_held
from text2mem.adapters.mirrored.keeper import Keeper
from text2mem.adapters.mirrored.searching import is_asked_of_it, searched
from text2mem.clock import SystemClock
from text2mem.errors import Text2MemError
from text2mem.ir.context import SUFFIX, ExecutionContext
from text2mem.ir.journal import Trail
from text2mem.ir.ops import ByIds, BySearch, Encode, Op, Target
from text2mem.ir.record import Record

BATCH = 256
"""How many memories are handed over at a time."""
Search = Literal["ours", "framework"]


class Mirrored(Delegating):
    """A ``sidecar`` of ours and the ``keeper`` that mirrors it, for one tenant.

    ``search`` says whose search answers a Retrieve by words: "ours", or the "framework"'s, of whose
    hits those are returned that the sidecar lets the actor see. Opening it delivers what an
    earlier process left. Raises ConfigurationError where the sidecar has no outbox.
    """

    name: ClassVar[str] = "mirrored"

    def __init__(
        self, sidecar: Adapter, keeper: Keeper, *, tenant: str = "default", search: Search = "ours"
    ) -> None:
        super().__init__(sidecar)
        self.keeper = keeper
        self._tenant = tenant
        self._clock = SystemClock()
        self._search = search
        self._depth = 0
        self._lock = RLock()
        self._undelivered: str | None = None
        try:
            with sidecar.transaction():
                sidecar.outbox.begin(f"{keeper.name} {keeper.place}", keeper.vectors)
        except BaseException:
            self.close()
            raise
        self.deliver()

    @contextmanager
    def transaction(self, *, write: bool = True) -> Iterator[None]:
        """The sidecar's; what it changed is delivered once the outermost one is committed.

        Another thread waits until it has ended.
        """
        with self._lock:
            self._depth += 1
            try:
                with self.sidecar.transaction(write=write):
                    yield
            finally:
                self._depth -= 1
            if write and not self._depth:
                self.deliver()

    # --- delivery --------------------------------------------------------------------------

    def deliver(self) -> bool:
        """Hand over what waits; whether nothing waits any more. ``undelivered`` says why not.

        Of a bank of experience no framework is told.
        """
        if self._tenant.endswith(SUFFIX):
            return True
        if self._depth:  # what is not committed is not told
            return not self.outbox.waiting(1)
        self._undelivered = None
        try:
            while self.outbox.waiting(1):
                with self.sidecar.transaction():
                    self._deliver(self.outbox.waiting(BATCH))
        except Exception as error:  # a framework may raise anything, and the program is kept
            self._undelivered = (
                f"not delivered to {self.keeper.name}: {_why(error)}; what changed is "
                "kept, and delivered with the next program or by `text2mem sync`"
            )
        return self._undelivered is None

    def _deliver(self, ids: Sequence[str]) -> None:
        """Within a transaction of the sidecar."""
        records = {row.id: row for row in self.read(ids) if is_held(row)}
        held, origin = self.outbox.keys(ids), self.outbox.origin
        keys = {id_: held.get(id_) or self.keeper.key(origin, id_) for id_ in ids}
        gone = [id_ for id_ in ids if id_ not in records]
        if records:
            self.keeper.put([as_item(row, keys[id_]) for id_, row in records.items()])
        # Also what is not known to be held: a crash may have kept that from being noted.
        if gone:
            self.keeper.remove([keys[id_] for id_ in gone])
        self.outbox.delivered({id_: keys[id_] for id_ in records}, gone)

    @property
    def context(self) -> ExecutionContext:
        """Of the store itself, which sees the whole of its tenant."""
        return ExecutionContext(tenant=self._tenant, clock=self._clock)

    def read(self, ids: Sequence[str]) -> Sequence[Record]:
        """Those of the memories that are there, in whatever state."""
        scope = Scope.of_all(self.context, self._clock.now())
        return self.sidecar.resolve(ByIds(tuple(ids)), scope).rows

    def undelivered(self) -> str | None:
        """Why what was kept has not reached the framework yet."""
        return self._undelivered

    # --- what changes a memory marks it ----------------------------------------------------

    def settle(self, env: Env) -> Effect:
        return self._marked(self.sidecar.settle(env))

    def lower(self, op: Op, rows: Sequence[Record], env: Env) -> Effect:
        return self._marked(self.sidecar.lower(op, rows, env))

    def restore(self, pairs: Sequence[Touched], env: Env) -> Effect:
        return self._marked(self.sidecar.restore(pairs, env))

    def encode_many(self, ops: Sequence[Encode], env: Env, trail: Trail) -> Effect:
        """By the sidecar, which may make facts that end others."""
        before = self.sidecar.entries(env.context, limit=1)
        effect = self.sidecar.encode_many(ops, env, trail)
        after = before[0].seq if before else 0
        self.outbox.mark({entry.id for entry in self.sidecar.entries(env.context, after=after)})
        return effect

    def mended(self, error: BaseException, now: datetime) -> bool:
        done = self.sidecar.mended(error, now)
        if done:
            with self.sidecar.transaction():
                self.outbox.mark({id_ for id_, _ in self.sidecar.set_aside()})
        return done

    def _marked(self, effect: Effect) -> Effect:
        known = [after or before for before, after in effect.touched]
        self.outbox.mark([row.id for row in known if row is not None])
        return effect

    # --- reading ---------------------------------------------------------------------------

    def resolve(self, target: Target, scope: Scope) -> Selection:
        """By the sidecar; words by the framework's search, where that was asked for."""
        if (
            self._search == "framework"
            and isinstance(target, BySearch)
            and is_asked_of_it(target, scope)
            and not self.outbox.waiting(1)
        ):
            return searched(self.keeper, self.sidecar, target, scope)
        return self.sidecar.resolve(target, scope)

    # --- the end ---------------------------------------------------------------------------

    def finish_erasures(self, *, patient: bool = False) -> bool:
        """In both; what the framework could not be told is not done."""
        delivered = self.deliver() and self._cleaned()
        return self.sidecar.finish_erasures(patient=patient) and delivered

    def _cleaned(self) -> bool:
        removed = self.outbox.removed
        if not removed:
            return True
        try:
            self.keeper.erase()
        except Exception as error:  # as in ``deliver``
            self._undelivered = f"{self.keeper.name} still holds bytes: {_why(error)}"
            return False
        with self.sidecar.transaction():
            self.outbox.cleaned(removed)
        return True

    def close(self) -> None:
        try:
            self.keeper.close()
        finally:
            self.sidecar.close()


def _why(error: Exception) -> str:
    """What is known to hold no text of a memory: what we say ourselves, or the error's name."""
    return error.message if isinstance(error, Text2MemError) else type(error).__name__
