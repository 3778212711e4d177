"""The interface between the executor and every backend.

The executor decides rights, locks, width, services and order. An adapter finds memories and
carries out one typed op at a time, inside the executor's transaction. Step references are ids
already. For a read, the executor makes the result from the rows of ``resolve``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from datetime import datetime
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Protocol, TypedDict, Unpack

from text2mem.adapters.census import Census
from text2mem.adapters.queue import Queue
from text2mem.errors import ConfigurationError
from text2mem.ir.context import ExecutionContext
from text2mem.ir.journal import Entry, Trail
from text2mem.ir.ops import OPS, AbsoluteRange, ByIds, Encode, Op, Range, Target
from text2mem.ir.patch import diff
from text2mem.ir.ports import Away
from text2mem.ir.ports import Selection as Selection
from text2mem.ir.record import Record
from text2mem.ir.registry import Registry
from text2mem.ir.result import Change
from text2mem.ir.times.temporal import TimeRange, relative_range

if TYPE_CHECKING:
    from text2mem.adapters.viewing import AdapterView

Vector = Sequence[float]


class Support(Enum):
    """How a backend carries out an op."""

    NATIVE = "native"
    EMULATED = "emulated"
    UNSUPPORTED = "unsupported"


class Services(Protocol):
    """Model services as an adapter sees them. Answers are prepared beforehand, so no call waits."""

    @property
    def embedding(self) -> Embedding | None:
        """The model and threshold of the embedder; None if there is no embedder."""

    def vectors(self, texts: Sequence[str]) -> Sequence[Vector | None]:
        """One vector of unit length for each text, in order; None where the service failed."""

    def query_vector(self, text: str) -> Vector | None:
        """The vector of a query; None if the service could not make it."""

    def split(self, text: str, instruction: str) -> Sequence[str]:
        """Split a text as an instruction in words says; the parts in order."""

    def fetch(self, url: str) -> str | None:
        """The text of the page at a url; None if there is no fetcher, or it failed."""


@dataclass(frozen=True, slots=True)
class Embedding:
    """An embedding model, as the vectors of a store are compared by it."""

    model: str
    """The model's name."""
    threshold: float
    """The least cosine similarity at which a memory is a hit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """The caller, the instant and the options of a call of ``Adapter.resolve``."""

    context: ExecutionContext
    now: datetime
    services: Services | None = None
    """The services of a search; without them it uses words alone."""
    archived: bool = False
    deleted: bool = False
    """Whether archived, or deleted, memories are included."""
    away: Away | None = None
    """If not None, only archived memories are selected, or only deleted ones."""
    as_of: datetime | None = None
    """The instant at which facts must be valid; None is ``known_at``, else ``now``."""
    known_at: datetime | None = None
    """The instant by which the store must have recorded that; None is no condition."""
    tags: Sequence[str] = ()
    """The tags that every hit of a search must have."""
    floor: bool = False
    """Whether hits must contain at least half of the query's terms, as those of a write must."""
    counted: bool = True
    """Whether ``Selection.matched`` must count the rows beyond the limit."""
    noted: Sequence[TimeRange] | None = None
    """If not None, a filter's rows are ordered by creation. If not empty, it also keeps only those
    whose time or creation lies in one of the ranges."""
    due: bool = True
    """Whether memories whose expiry is due but not yet carried out are included."""


Touched = tuple[Record | None, Record | None]
"""A memory before and after an op: before is None if it was created, after if it was erased."""


@dataclass(frozen=True, kw_only=True)
class Effect:
    """What one op did."""

    affected: tuple[str, ...] = ()
    """The ids that a step reference to the op stands for."""
    touched: tuple[Touched, ...] = ()
    """Every memory that was created, changed or erased, before and after."""
    forgotten: frozenset[str] = frozenset()
    """The ids of erased or anonymised memories: no trace of their content may remain."""
    warnings: tuple[str, ...] = ()

    @property
    def created(self) -> tuple[str, ...]:
        """The ids of the new memories among the touched ones."""
        return tuple(new.id for old, new in self.touched if old is None and new is not None)

    @cached_property
    def changes(self) -> tuple[tuple[Change, ...], ...]:
        """For each touched memory, the changes of its fields."""
        return tuple(diff(before, after) for before, after in self.touched)


@dataclass(frozen=True, slots=True)
class Env:
    """The environment of an op: the caller's context, the program's instant, the services."""

    context: ExecutionContext
    now: datetime
    services: Services

    @classmethod
    def of(cls, context: ExecutionContext, services: Services) -> Env:
        """An environment at the present instant of the context's clock, cut to whole seconds."""
        return cls(context, context.clock.now().replace(microsecond=0), services)


class RecordQuery(TypedDict, total=False):
    """The conditions of ``Adapter.records``. One that is absent or None is no condition."""

    subject: str | None
    """The subject; compared as a name, so case and separators do not matter."""
    attribute: str | None
    value: str | None
    """The value of a fact; compared as a name."""
    listed: tuple[str, str] | None
    """The name of a facet, and an entry that its list must contain."""
    over: bool
    """Whether the validity must have ended, now or earlier."""
    episodes: Sequence[str] | None
    """Episodes, one of which must be a source of the fact."""
    pending: bool
    """Whether it must be a pending fact that is not deleted."""
    reminds: bool
    """Whether its reminder must be due now, and the memory not be deleted."""


class Adapter(ABC):
    """A backend. Creating a subclass raises TypeError if ``support`` does not classify every op."""

    name: ClassVar[str]
    support: ClassVar[Mapping[str, Support]]
    again: Callable[[str], Adapter] | None = None
    """Opens the same store a second time, for a tenant; None if that is impossible."""
    bank: Adapter | None = None
    """The bank of experience that is used together with this store."""

    def __init_subclass__(cls, **kwargs: object) -> None:
        super().__init_subclass__(**kwargs)
        missing = [op for op in OPS if op not in getattr(cls, "support", {})]
        if missing:
            raise TypeError(f"{cls.__name__} does not classify {', '.join(missing)}")

    # --- transactions ----------------------------------------------------------------------

    @abstractmethod
    def transaction(self, *, write: bool = True) -> AbstractContextManager[None]:
        """Run the body in a transaction: commit at its end, roll back on any exception. A rollback
        also returns the ids that were taken. A nested transaction is a savepoint. With ``write``
        false, other connections may write meanwhile."""

    @property
    @abstractmethod
    def in_transaction(self) -> bool:
        """Whether a transaction is open."""

    @abstractmethod
    def state(self) -> int:
        """A number that changes when another connection changes the store."""

    @abstractmethod
    def mark(self, context: ExecutionContext) -> int:
        """A number that grows with every change of the tenant's memories or vectors, from 0."""

    # --- the ops ---------------------------------------------------------------------------

    @abstractmethod
    def settle(self, env: Env) -> Effect:
        """Carry out the expiries and the ends of temporary demotions that are due at ``env.now``.
        Raises NeedsWriteLock if something is due and the transaction only reads."""

    def mend(self, error: BaseException, now: datetime) -> bool:
        """Outside a transaction, set aside the unreadable fields of rows, if ``error`` came from
        one; whether it did."""
        return False

    def set_aside(self) -> Sequence[tuple[str, str]]:
        """The memory id and the name of each field that was unreadable and has been set aside."""
        return ()

    @abstractmethod
    def resolve(self, target: Target, scope: Scope) -> Selection:
        """The rows that a target names and the actor may read. Unknown ids are left out."""

    def find(self, ids: Iterable[str], context: ExecutionContext) -> dict[str, Record]:
        """The memories with these ids that exist and the actor may read, by id; archived and
        deleted ones included."""
        scope = Scope(context=context, now=context.clock.now(), archived=True, deleted=True)
        return {row.id: row for row in self.resolve(ByIds(tuple(ids)), scope).rows}

    @abstractmethod
    def active(self, context: ExecutionContext) -> int:
        """The number of the tenant's memories that are neither deleted nor archived."""

    @abstractmethod
    def lower(self, op: Op, rows: Sequence[Record], env: Env) -> Effect:
        """Carry out a write on the rows that its target resolved to (none for Encode)."""

    def encode_many(self, ops: Sequence[Encode], env: Env, trail: Trail) -> Effect:
        """Carry out several Encodes and journal each as a step of its own under ``trail``. The
        effect has the ids in order, and the warnings."""
        ids: list[str] = []
        warnings: list[str] = []
        for number, op in enumerate(ops, start=1):
            effect = self.lower(op, (), env)
            self.journal(replace(trail, step=number, op=op.name), effect, env)
            ids += effect.affected
            warnings += effect.warnings
        return Effect(affected=tuple(ids), warnings=tuple(warnings))

    # --- journal, undo, ticks --------------------------------------------------------------

    @abstractmethod
    def journal(self, trail: Trail, effect: Effect, env: Env) -> None:
        """Write a journal entry for every memory that a step touched, in the same transaction. The
        entries of forgotten memories, here and earlier, have no values."""

    @abstractmethod
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
        """Journal entries, newest first: those of one program, of some memories, with a number
        greater than ``after`` or smaller than ``before``."""

    @abstractmethod
    def undone(self, traces: Collection[str], context: ExecutionContext) -> frozenset[str]:
        """The traces of those programs that an undo took back."""

    @abstractmethod
    def erase_taken_back(self, context: ExecutionContext) -> Sequence[str]:
        """Erase, within a transaction, what the journal keeps of the tenant's memories that an undo
        has removed; their ids. Nothing can bring them back then."""

    @abstractmethod
    def restore(self, pairs: Sequence[Touched], env: Env) -> Effect:
        """Change memories from their present states to given ones, with indexes and beliefs. None
        means that the memory does not exist. Raises ExecutionError ``fact-overlap`` if a restored
        fact would hold at the same time as another version."""

    def reserve_ids(self, last: int) -> None:
        """Give no ids up to ``last`` to new memories, because ``restore`` is about to use them.
        Raises ConfigurationError if the backend cannot; then nothing can be migrated to it."""
        why = f"the adapter '{self.name}' cannot take memories under given ids"
        raise ConfigurationError(why, hint="migrate to a SQLite file")

    @abstractmethod
    def falls_due(self, context: ExecutionContext, after: datetime, until: datetime) -> bool:
        """Whether something that ``settle`` carries out falls due in ``(after, until]``."""

    @abstractmethod
    def records(
        self, context: ExecutionContext, now: datetime, **query: Unpack[RecordQuery]
    ) -> Sequence[Record]:
        """The memories that the actor may read and that meet every condition of ``query``, by id;
        deleted, archived, past and pending ones included."""

    @abstractmethod
    def census(
        self, context: ExecutionContext, now: datetime, *, since: datetime, episode: str
    ) -> Census:
        """Count the memories that the actor may read, and from ``since`` on what was superseded.
        ``episode`` is the memory type of episodes."""

    @property
    @abstractmethod
    def queue(self) -> Queue:
        """The queue of episodes that wait to be read. An erased episode is removed from it."""

    def undelivered(self) -> str | None:
        """A warning that says which committed changes the framework lacks; None if it has all."""
        return None

    @property
    def erasing(self) -> bool:
        """Whether ``finish_erasures`` may have something to do."""
        return True

    def beside(self, tenant: str) -> Adapter | None:
        """Open another tenant of the store; None without one, or if it cannot be opened twice."""
        return None

    @abstractmethod
    def finish_erasures(self, *, patient: bool = False) -> bool:
        """Rewrite, outside a transaction, what may still hold erased bytes; whether none is left.
        It costs nothing if nothing was erased. Only a ``patient`` call does a long rewrite."""

    # --- registry, vectors, views ----------------------------------------------------------

    @abstractmethod
    def registry(self) -> Registry:
        """The tenant's registry: the last one that was set, else the shipped one."""

    @abstractmethod
    def set_registry(self, registry: Registry, env: Env) -> None:
        """Set the tenant's registry. Raises ConfigurationError if its version is not greater."""

    @abstractmethod
    def without_vectors(self, limit: int, *, after: str = "0") -> Sequence[Record]:
        """At most ``limit`` memories with greater ids than ``after`` that lack a vector, by id."""

    @abstractmethod
    def set_vectors(self, embedding: Embedding, vectors: Mapping[str, Vector]) -> None:
        """Store vectors, by memory id."""

    @abstractmethod
    def drop_vectors(self) -> None:
        """Delete every vector of the tenant, and the record of their model."""

    @abstractmethod
    def rebuild_words(self) -> None:
        """Rebuild the word index from the memories."""

    def rebuild_vector_index(self) -> None:
        """Rebuild the approximate index of vectors, if the backend has one."""
        return

    @abstractmethod
    def view(self, context: ExecutionContext) -> AdapterView:
        """The view through which a planner reads the store as this actor."""

    @abstractmethod
    def close(self) -> None:
        """Release files and connections. Closing twice is no error."""


def by_ends(span: Range, context: ExecutionContext, now: datetime) -> AbsoluteRange:
    """The absolute form of a range; a relative one is computed from ``now``."""
    if isinstance(span, AbsoluteRange):
        return span
    absolute = relative_range(span.direction, span.amount, span.unit, now=now, tz=context.tz)
    return AbsoluteRange(absolute.start, absolute.end)
