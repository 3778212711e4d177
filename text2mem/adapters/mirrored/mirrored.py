"""A store in two places: a sidecar, which decides, and a framework, which holds a copy of the texts
(docs/backends.md).

A change marks its memories in the outbox, in its own transaction. After the outermost commit, a
second transaction reads the marked memories, hands them to the framework, and unmarks them. After
a crash in between they are still marked, and are delivered again. Nobody else writes during the
second transaction, so the framework always gets the last state last.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from threading import RLock
from typing import Any, ClassVar, Concatenate, Literal, ParamSpec, TypeVar

from text2mem.adapters.base import Adapter, Effect, Env, Scope, Selection, Support, Touched
from text2mem.adapters.mirrored.items import as_item, is_mirrored
from text2mem.adapters.mirrored.keeper import Keeper, answering
from text2mem.adapters.queue import Queue
from text2mem.adapters.ranking import SIMILARITY_DIGITS, ordered, pool, question
from text2mem.adapters.sql.adapter import SqlAdapter
from text2mem.errors import ConfigurationError, Text2MemError
from text2mem.ir.context import SUFFIX, ExecutionContext
from text2mem.ir.journal import Trail
from text2mem.ir.ops import OPS, ByIds, BySearch, Encode, Op, Target
from text2mem.ir.record import Record

P = ParamSpec("P")
T = TypeVar("T")

BATCH = 256
"""How many memories are delivered per transaction."""
MOST_HITS = 1_000
"""How many hits are asked of a framework if the target has no limit."""
Search = Literal["ours", "framework"]


def _delegated(method: Callable[Concatenate[Any, P], T]) -> Callable[Concatenate[Mirrored, P], T]:
    """The method of ``Mirrored`` that calls this method of the sidecar."""
    name = method.__name__

    def call(self: Mirrored, /, *args: P.args, **named: P.kwargs) -> T:
        result: T = getattr(self.sidecar, name)(*args, **named)
        return result

    # ``update_wrapper`` would make it abstract, too.
    call.__name__, call.__qualname__ = name, f"Mirrored.{name}"
    call.__doc__ = method.__doc__
    return call


class Mirrored(Adapter):
    """An adapter of a ``sidecar`` and the ``keeper`` that mirrors it, for one tenant.

    ``search`` says whose search answers a Retrieve by words: "ours", or the "framework"'s, of whose
    hits the sidecar drops what the actor may not see. Opening it delivers what earlier processes
    left. Raises ConfigurationError for a sidecar that is not in SQL tables.
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
        self._lock = RLock()
        self._undelivered: str | None = None
        try:
            if not isinstance(sidecar, SqlAdapter):
                why = f"the adapter '{sidecar.name}' has no outbox"
                raise ConfigurationError(
                    f"{why}, and cannot stand beside a framework", hint="use a SQLite file"
                )
            self.outbox = sidecar.outbox
            with sidecar.transaction():
                self.outbox.begin(f"{keeper.name} {keeper.place}", keeper.vectors)
        except BaseException:
            self.close()
            raise
        self.deliver()

    @contextmanager
    def transaction(self, *, write: bool = True) -> Iterator[None]:
        """A transaction of the sidecar, for one thread at a time. After the outermost commit, its
        changes are delivered."""
        with self._lock:
            with self.sidecar.transaction(write=write):
                yield
            if write and not self.in_transaction:
                self.deliver()

    # --- delivery --------------------------------------------------------------------------

    def deliver(self) -> bool:
        """Deliver all marked memories; whether none is left. ``undelivered`` says why not. A bank
        of experience is not delivered."""
        if self._tenant.endswith(SUFFIX):
            return True
        if self.in_transaction:  # changes that are not committed are not delivered
            return not self.outbox.waiting(1)
        self._undelivered = None
        try:
            while self.outbox.waiting(1):
                with self.sidecar.transaction():
                    self._deliver(self.outbox.waiting(BATCH))
        except Exception as error:  # a framework may raise anything; the program is committed
            self._undelivered = (
                f"not delivered to {self.keeper.name}: {_why(error)}; what changed is "
                "kept, and delivered with the next program or by `text2mem sync`"
            )
        return self._undelivered is None

    def _deliver(self, ids: Sequence[str]) -> None:
        found = self.find(ids, self.context)
        records = {id_: row for id_, row in found.items() if is_mirrored(row)}
        known, origin = self.outbox.keys(ids), self.outbox.origin
        keys = {id_: known.get(id_) or self.keeper.key(origin, id_) for id_ in ids}
        gone = [id_ for id_ in ids if id_ not in records]
        if records:
            self.keeper.put([as_item(row, keys[id_]) for id_, row in records.items()])
        # Removed even if the outbox has no key: a crash may have prevented that it was recorded.
        if gone:
            self.keeper.remove([keys[id_] for id_ in gone])
        self.outbox.record_delivery({id_: keys[id_] for id_ in records}, gone)

    @property
    def context(self) -> ExecutionContext:
        """The context of the local user, who sees all memories of the tenant."""
        return ExecutionContext(tenant=self._tenant)

    def undelivered(self) -> str | None:
        return self._undelivered

    # --- changes, which are marked ---------------------------------------------------------

    def settle(self, env: Env) -> Effect:
        return self._mark(self.sidecar.settle(env))

    def lower(self, op: Op, rows: Sequence[Record], env: Env) -> Effect:
        return self._mark(self.sidecar.lower(op, rows, env))

    def restore(self, pairs: Sequence[Touched], env: Env) -> Effect:
        return self._mark(self.sidecar.restore(pairs, env))

    def encode_many(self, ops: Sequence[Encode], env: Env, trail: Trail) -> Effect:
        before = self.sidecar.entries(env.context, limit=1)
        effect = self.sidecar.encode_many(ops, env, trail)
        # From the journal, because a fact may close another one, and the effect does not say so.
        after = before[0].seq if before else 0
        self.outbox.mark({entry.id for entry in self.sidecar.entries(env.context, after=after)})
        return effect

    def mend(self, error: BaseException, now: datetime) -> bool:
        mended = self.sidecar.mend(error, now)
        if mended:
            with self.sidecar.transaction():
                self.outbox.mark({id_ for id_, _ in self.sidecar.set_aside()})
        return mended

    def _mark(self, effect: Effect) -> Effect:
        known = (after or before for before, after in effect.touched)
        self.outbox.mark([row.id for row in known if row is not None])
        return effect

    # --- reading ---------------------------------------------------------------------------

    def resolve(self, target: Target, scope: Scope) -> Selection:
        """Resolve by the sidecar; a search by words by the framework, if ``search`` says so. While
        deliveries are missing, the sidecar answers these, too."""
        if (
            self._search == "framework"
            and isinstance(target, BySearch)
            and _framework_answers(target, scope)
            and not self.outbox.waiting(1)
        ):
            return self._search_framework(target, scope)
        return self.sidecar.resolve(target, scope)

    def _search_framework(self, target: BySearch, scope: Scope) -> Selection:
        """The framework's hits that the actor may see now, with its scores, best first, then by id.
        Raises AdapterError if the framework does not answer, ServiceError if a server does not."""
        assert target.query is not None
        query = question(target.query, target.context)
        limit = target.most
        with answering(self.keeper):
            hits = dict(self.keeper.search(query, MOST_HITS if limit is None else pool(limit)))
        ids = self.outbox.ids(list(hits))
        # Rounded, so that the order of a floating point sum does not matter.
        scores = {id_: round(hits[key], SIMILARITY_DIGITS) for key, id_ in ids.items()}
        named = ByIds(tuple(ordered(scores)))
        rows = [row for row in self.sidecar.resolve(named, scope).rows if _in_sight(row, scope)]
        kept = tuple(rows if limit is None else rows[:limit])
        return Selection(kept, len(rows), {row.id: scores[row.id] for row in kept})

    # --- by the sidecar --------------------------------------------------------------------

    @property
    def queue(self) -> Queue:
        return self.sidecar.queue

    @property
    def in_transaction(self) -> bool:
        return self.sidecar.in_transaction

    @property
    def erasing(self) -> bool:
        return self.sidecar.erasing

    beside = _delegated(Adapter.beside)
    state = _delegated(Adapter.state)
    mark = _delegated(Adapter.mark)
    set_aside = _delegated(Adapter.set_aside)
    active = _delegated(Adapter.active)
    journal = _delegated(Adapter.journal)
    entries = _delegated(Adapter.entries)
    undone = _delegated(Adapter.undone)
    erase_taken_back = _delegated(Adapter.erase_taken_back)
    reserve_ids = _delegated(Adapter.reserve_ids)
    falls_due = _delegated(Adapter.falls_due)
    records = _delegated(Adapter.records)
    census = _delegated(Adapter.census)
    registry = _delegated(Adapter.registry)
    set_registry = _delegated(Adapter.set_registry)
    without_vectors = _delegated(Adapter.without_vectors)
    set_vectors = _delegated(Adapter.set_vectors)
    drop_vectors = _delegated(Adapter.drop_vectors)
    rebuild_words = _delegated(Adapter.rebuild_words)
    rebuild_vector_index = _delegated(Adapter.rebuild_vector_index)
    view = _delegated(Adapter.view)

    # --- erasing and closing ---------------------------------------------------------------

    def finish_erasures(self, *, patient: bool = False) -> bool:
        """Finish erasures in both places. False if the framework could not be told or cleaned."""
        delivered = self.deliver() and self._clean()
        return self.sidecar.finish_erasures(patient=patient) and delivered

    def _clean(self) -> bool:
        """Clean the framework's files, if memories were removed; whether that is done."""
        removed = self.outbox.removed
        if not removed:
            return True
        try:
            self.keeper.erase()
        except Exception as error:  # as in ``deliver``
            self._undelivered = f"{self.keeper.name} still holds bytes: {_why(error)}"
            return False
        with self.sidecar.transaction():
            self.outbox.record_cleaning(removed)
        return True

    def close(self) -> None:
        try:
            self.keeper.close()
        finally:
            self.sidecar.close()


def _why(error: Exception) -> str:
    """The message of an error of this package, else the error's class. A framework's message is
    left out, since it may quote memories."""
    return error.message if isinstance(error, Text2MemError) else type(error).__name__


def _framework_answers(target: BySearch, scope: Scope) -> bool:
    """Whether a framework can answer a search: one by words, by relevance, of the present, without
    tags, of which it could find too few among its hits. The search of a write needs a floor
    (``Scope.floor``), which no framework has."""
    present = scope.as_of is None and scope.known_at is None and not (scope.floor or scope.tags)
    words = bool(target.query and target.query.strip())
    return present and words and target.order_by == "relevance"


def _in_sight(row: Record, scope: Scope) -> bool:
    """Whether a search may return a memory that a lookup by id has returned."""
    if row.pending or (row.archived and not scope.archived):
        return False
    return not row.is_fact or row.holds_at(scope.now)
