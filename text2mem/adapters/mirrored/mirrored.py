"""A store in two places: ours decides, a framework holds the texts (docs/backends.md).

A change marks its memories in the outbox, within its own transaction. After the outermost commit
they are read once more and handed to the framework, within a transaction that strikes them off: a
crash in between leaves them marked, and they are handed over again. Nobody else writes
meanwhile, so that the framework never gets an older state last.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from threading import RLock
from typing import TYPE_CHECKING, Any, ClassVar, Concatenate, Literal, ParamSpec, TypeVar

from text2mem.adapters.base import Adapter, Effect, Env, Scope, Selection, Support, Touched
from text2mem.adapters.mirrored.items import as_item, is_held
from text2mem.adapters.mirrored.keeper import Keeper
from text2mem.adapters.mirrored.searching import is_asked_of_it, searched
from text2mem.adapters.queue import Queue
from text2mem.errors import Text2MemError
from text2mem.ir.context import SUFFIX, ExecutionContext
from text2mem.ir.journal import Trail
from text2mem.ir.ops import OPS, ByIds, BySearch, Encode, Op, Target
from text2mem.ir.record import Record

if TYPE_CHECKING:
    from text2mem.adapters.sql.outbox import SqlOutbox

P = ParamSpec("P")
T = TypeVar("T")

BATCH = 256
"""How many memories are handed over at a time."""
Search = Literal["ours", "framework"]


def _handed_on(method: Callable[Concatenate[Any, P], T]) -> Callable[Concatenate[Mirrored, P], T]:
    """A method of ``Adapter``, done by the sidecar."""
    name = method.__name__

    def call(self: Mirrored, /, *args: P.args, **named: P.kwargs) -> T:
        done: T = getattr(self.sidecar, name)(*args, **named)
        return done

    # Not ``update_wrapper``, which would make it abstract as well.
    call.__name__, call.__qualname__ = name, f"Mirrored.{name}"
    call.__doc__ = method.__doc__
    return call


class Mirrored(Adapter):
    """A ``sidecar`` of ours and the ``keeper`` that mirrors it, for one tenant.

    ``search`` says whose search answers a Retrieve by words: "ours", or the "framework"'s, of whose
    hits those are returned that the sidecar lets the actor see. Opening it delivers what an
    earlier process left. Raises ConfigurationError where the sidecar has no outbox.
    """

    name: ClassVar[str] = "mirrored"
    support: ClassVar[Mapping[str, Support]] = dict.fromkeys(OPS, Support.EMULATED)

    def __init__(
        self, sidecar: Adapter, keeper: Keeper, *, tenant: str = "default", search: Search = "ours"
    ) -> None:
        self.sidecar = sidecar
        self.keeper = keeper
        self._tenant = tenant
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
        return ExecutionContext(tenant=self._tenant)

    def read(self, ids: Sequence[str]) -> Sequence[Record]:
        """Those of the memories that are there, in whatever state."""
        scope = Scope.of_all(self.context, self.context.clock.now())
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

    # --- what the sidecar does as it is ----------------------------------------------------

    @property
    def queue(self) -> Queue:
        return self.sidecar.queue

    @property
    def outbox(self) -> SqlOutbox:
        return self.sidecar.outbox

    @property
    def in_transaction(self) -> bool:
        return self.sidecar.in_transaction

    @property
    def erasing(self) -> bool:
        return self.sidecar.erasing

    beside = _handed_on(Adapter.beside)
    state = _handed_on(Adapter.state)
    mark = _handed_on(Adapter.mark)
    set_aside = _handed_on(Adapter.set_aside)
    active = _handed_on(Adapter.active)
    journal = _handed_on(Adapter.journal)
    entries = _handed_on(Adapter.entries)
    reserve_ids = _handed_on(Adapter.reserve_ids)
    due_reminders = _handed_on(Adapter.due_reminders)
    falls_due = _handed_on(Adapter.falls_due)
    waiting = _handed_on(Adapter.waiting)
    heard_in = _handed_on(Adapter.heard_in)
    versions = _handed_on(Adapter.versions)
    census = _handed_on(Adapter.census)
    registry = _handed_on(Adapter.registry)
    set_registry = _handed_on(Adapter.set_registry)
    without_vectors = _handed_on(Adapter.without_vectors)
    set_vectors = _handed_on(Adapter.set_vectors)
    drop_vectors = _handed_on(Adapter.drop_vectors)
    rebuild_words = _handed_on(Adapter.rebuild_words)
    rebuild_vector_index = _handed_on(Adapter.rebuild_vector_index)
    view = _handed_on(Adapter.view)

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
