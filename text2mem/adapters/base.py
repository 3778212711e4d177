"""What an adapter is: the one contract between the executor and every backend.

The executor decides (rights, locks, width, services, order); an adapter finds memories and
carries out one typed op at a time inside the executor's transaction. Step references have been
replaced by ids before an adapter sees an op, and reads are finished by the executor from the rows
that ``resolve`` returns.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Protocol, TypedDict, Unpack

from text2mem.adapters.census import Census
from text2mem.adapters.queue import Queue
from text2mem.errors import ConfigurationError
from text2mem.ir.context import ExecutionContext
from text2mem.ir.journal import TICK, Entry, Trail
from text2mem.ir.ops import OPS, AbsoluteRange, Encode, Op, Range, Target
from text2mem.ir.patch import diff
from text2mem.ir.ports import Selection as Selection
from text2mem.ir.record import Record
from text2mem.ir.registry import Registry
from text2mem.ir.result import Change
from text2mem.ir.times.temporal import TimeRange, relative_range

if TYPE_CHECKING:
    from text2mem.adapters.sql.outbox import SqlOutbox
    from text2mem.adapters.viewing import AdapterView

Vector = Sequence[float]


class Support(Enum):
    """How a backend carries out an op."""

    NATIVE = "native"
    EMULATED = "emulated"
    UNSUPPORTED = "unsupported"


class Services(Protocol):
    """Model services as an adapter sees them: prepared beforehand, so they return at once."""

    @property
    def embedding(self) -> Embedding | None:
        """Which vectors the embedder makes; None where there is none."""

    def vectors(self, texts: Sequence[str]) -> Sequence[Vector | None]:
        """A vector of unit length a text; None where the service could not make it."""

    def query_vector(self, text: str) -> Vector | None:
        """The vector of a question; None where the service could not make it."""

    def split(self, text: str, instruction: str) -> Sequence[str]:
        """The parts of a text under an instruction in words."""

    def fetch(self, url: str) -> str | None:
        """The text behind a url; None where nothing fetches, or it could not be fetched."""


@dataclass(frozen=True, slots=True)
class Embedding:
    """Whose vectors: the model's name, and the cosine from which a memory counts as a hit."""

    model: str
    threshold: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """What a resolution may see.

    Archived rows are part of it where ``archived``, deleted ones where ``deleted``; ``as_of`` and
    ``known_at`` are instants of validity and of recording. ``floor`` asks a search for hits that
    hold at least half of the query's terms: what a write takes. Without ``services`` a search goes
    by words alone. Where not ``counted`` nobody asks how many there are beyond a limit. With
    ``noted`` a filter's rows come in the order in which memories were made, and where it names
    stretches of time, only those whose time or creation lies in one of them. Where not ``due``,
    memories that have expired and were not settled yet are left out.
    """

    context: ExecutionContext
    now: datetime
    services: Services | None = None
    archived: bool = False
    deleted: bool = False
    as_of: datetime | None = None
    known_at: datetime | None = None
    floor: bool = False
    counted: bool = True
    noted: Sequence[TimeRange] | None = None
    due: bool = True

    @classmethod
    def of_all(cls, context: ExecutionContext, now: datetime) -> Scope:
        """Of memories in whatever state."""
        return cls(context=context, now=now, archived=True, deleted=True)


Touched = tuple[Record | None, Record | None]
"""One memory before and after: None before is "created", None after is "erased"."""


@dataclass(frozen=True, kw_only=True)
class Effect:
    """What one op did. ``affected`` are the ids that a step reference to it stands for.

    ``forgotten`` are touched memories whose content must leave no trace: erased or anonymised.
    """

    affected: tuple[str, ...] = ()
    created: tuple[str, ...] = ()
    touched: tuple[Touched, ...] = ()
    forgotten: frozenset[str] = frozenset()
    warnings: tuple[str, ...] = ()

    @cached_property
    def changes(self) -> tuple[tuple[Change, ...], ...]:
        """What changed, field by field, of each touched memory."""
        return tuple(diff(before, after) for before, after in self.touched)


@dataclass(frozen=True, slots=True)
class Env:
    """What an op runs in: the caller's context, the instant of the program, the services."""

    context: ExecutionContext
    now: datetime
    services: Services

    @classmethod
    def of(cls, context: ExecutionContext, services: Services) -> Env:
        """At the context's present instant; a store keeps whole seconds."""
        return cls(context, context.clock.now().replace(microsecond=0), services)


class Sought(TypedDict, total=False):
    """Which memories ``Adapter.versions`` finds; what is absent or None asks for nothing.

    ``subject``, and ``value`` of a fact, are names, compared folded; ``listed`` is a facet and an
    entry of the list that it holds; with ``over`` these are those that held until now at the
    latest.
    """

    subject: str | None
    attribute: str | None
    value: str | None
    listed: tuple[str, str] | None
    over: bool


class Adapter(ABC):
    """A backend. A subclass classifies every op in ``support``, or fails to be made."""

    name: ClassVar[str]
    support: ClassVar[Mapping[str, Support]]
    again: Callable[[str], Adapter] | None = None
    """Opens the same store once more for a tenant, to be used beside it; None where it cannot."""
    bank: Adapter | None = None
    """The bank of experience that is open beside the store."""

    def __init_subclass__(cls, **kwargs: object) -> None:
        super().__init_subclass__(**kwargs)
        missing = [op for op in OPS if op not in getattr(cls, "support", {})]
        if missing:
            raise TypeError(f"{cls.__name__} does not classify {', '.join(missing)}")

    # --- transactions ----------------------------------------------------------------------

    @abstractmethod
    def transaction(self, *, write: bool = True) -> AbstractContextManager[None]:
        """One atomic unit: committed on leaving, rolled back (ids and all) on any exception.

        One inside another is a savepoint. With ``write`` false others may write meanwhile.
        """

    @property
    @abstractmethod
    def in_transaction(self) -> bool:
        """Whether a transaction is open, and so nothing of it is committed yet."""

    @abstractmethod
    def state(self) -> int:
        """A number that changes when somebody else changes the store."""

    @abstractmethod
    def mark(self, context: ExecutionContext) -> int:
        """A number that grows with every change of the tenant's memories or vectors; 0 before."""

    # --- the ops ---------------------------------------------------------------------------

    @abstractmethod
    def settle(self, env: Env) -> Effect:
        """Carry out what is due at ``env.now``: expiries, and the ends of demotions for a while.

        May raise NeedsWriteLock.
        """

    def mended(self, error: BaseException, now: datetime) -> bool:
        """Whether an error was one row's, which is mended now; call it outside a transaction."""
        return False

    def set_aside(self) -> Sequence[tuple[str, str]]:
        """The fields that could not be read and are set aside: the memory's id, and its name."""
        return ()

    @abstractmethod
    def resolve(self, target: Target, scope: Scope) -> Selection:
        """The rows that a target names and the actor may read. Unknown ids are simply absent."""

    @abstractmethod
    def active(self, context: ExecutionContext) -> int:
        """How many memories of the tenant are neither deleted nor archived."""

    @abstractmethod
    def lower(self, op: Op, rows: Sequence[Record], env: Env) -> Effect:
        """Carry out a write on the rows that its target resolved to (none for Encode)."""

    def encode_many(self, ops: Sequence[Encode], env: Env, trail: Trail) -> Effect:
        """Encode many at once, journalled under ``trail``; their ids in order, and warnings.

        An adapter overrides this where it can do better than one by one.
        """
        ids: list[str] = []
        warnings: list[str] = []
        for number, op in enumerate(ops):
            effect = self.lower(op, (), env)
            self.journal(trail.at_step(number + 1, op.name), effect, env)
            ids.extend(effect.affected)
            warnings.extend(effect.warnings)
        return Effect(affected=tuple(ids), warnings=tuple(warnings))

    # --- journal, undo, ticks --------------------------------------------------------------

    @abstractmethod
    def journal(self, trail: Trail, effect: Effect, env: Env) -> None:
        """Record what a step did to every touched memory, in the same transaction.

        What was forgotten leaves no values, here and in earlier entries.
        """

    @abstractmethod
    def entries(
        self,
        context: ExecutionContext,
        *,
        trace_id: str | None = None,
        ids: Sequence[str] | None = None,
        after: int = 0,
        limit: int | None = None,
    ) -> Sequence[Entry]:
        """Journal entries, newest first: of a program, of memories, younger than a number."""

    @abstractmethod
    def restore(self, pairs: Sequence[Touched], env: Env) -> Effect:
        """Put memories into given states (None: not there), and the ledger and indexes with them.

        Raises ExecutionError ``fact-overlap`` where the ledger has no room for one of them.
        """

    def reserve_ids(self, last: int) -> None:
        """Give no id up to this one to a new memory: ``restore`` is about to use it.

        Raises ConfigurationError where a backend cannot, and so cannot be moved to.
        """
        raise ConfigurationError(
            f"the adapter '{self.name}' cannot take memories under given ids",
            hint="migrate to a SQLite file",
        )

    @abstractmethod
    def due_reminders(self, env: Env) -> Sequence[Record]:
        """The memories, not deleted, whose reminder is due at ``env.now``, in id order."""

    @abstractmethod
    def falls_due(self, context: ExecutionContext, after: datetime, until: datetime) -> bool:
        """Whether something that ``settle`` carries out lies in the span ``(after, until]``."""

    @abstractmethod
    def waiting(
        self, context: ExecutionContext, *, subject: str | None = None, attribute: str | None = None
    ) -> Sequence[Record]:
        """The facts, not deleted, that wait to be sure enough, in id order; all, or of a name."""

    @abstractmethod
    def heard_in(self, context: ExecutionContext, episodes: Sequence[str]) -> Sequence[Record]:
        """The facts, deleted ones too, of which one of the episodes is a source, in id order."""

    @abstractmethod
    def versions(
        self, context: ExecutionContext, now: datetime, **sought: Unpack[Sought]
    ) -> Sequence[Record]:
        """Memories in whatever state that the actor may read: deleted, past and waiting ones too.

        They meet every condition of ``sought``, in id order.
        """

    @abstractmethod
    def census(
        self, context: ExecutionContext, now: datetime, *, since: datetime, episode: str
    ) -> Census:
        """Counts of what the actor may read; ``episode`` is the memory type of episodes."""

    @property
    @abstractmethod
    def queue(self) -> Queue:
        """The episodes that wait to be read; an erased one leaves it."""

    @property
    def outbox(self) -> SqlOutbox:
        """What a framework that mirrors this store has still to be told.

        Raises ConfigurationError where the backend has none, and so cannot be mirrored.
        """
        raise ConfigurationError(
            f"the adapter '{self.name}' has no outbox, and cannot stand beside a framework",
            hint="use a SQLite file",
        )

    def undelivered(self) -> str | None:
        """What of the programs that were kept has not reached a framework yet, in words."""
        return None

    @property
    def erasing(self) -> bool:
        """Whether ``finish_erasures`` may have something to take out."""
        return True

    def beside(self, tenant: str) -> Adapter | None:
        """Opens another tenant of the same store; None where there is none."""
        return None

    @abstractmethod
    def finish_erasures(self, *, patient: bool = False) -> bool:
        """Rewrite what may still hold erased bytes, outside any transaction; whether all is gone.

        Costs nothing where nothing was erased; what would take long is left to a ``patient`` call.
        """

    # --- registry, vectors, views ----------------------------------------------------------

    @abstractmethod
    def registry(self) -> Registry:
        """The tenant's registry: the last one that was set, else the one that is shipped."""

    @abstractmethod
    def set_registry(self, registry: Registry, env: Env) -> None:
        """Set another one. Raises ConfigurationError where its version is not a greater one."""

    @abstractmethod
    def without_vectors(self, limit: int, *, after: str = "0") -> Sequence[Record]:
        """Memories past an id that should have a vector and have none, in id order."""

    @abstractmethod
    def set_vectors(self, embedding: Embedding, vectors: Mapping[str, Vector]) -> None:
        """Store vectors by id."""

    @abstractmethod
    def drop_vectors(self) -> None:
        """Forget every vector of the tenant, and whose they were."""

    @abstractmethod
    def rebuild_words(self) -> None:
        """Make the word index anew from the memories."""

    def rebuild_vector_index(self) -> None:
        """Make anew what finds vectors, where a backend has such a thing beside the vectors."""
        return

    @abstractmethod
    def view(self, context: ExecutionContext) -> AdapterView:
        """What a planner may see of the store as this actor."""

    @abstractmethod
    def close(self) -> None:
        """Release files and connections; closing twice is no error."""


def by_ends(span: Range, context: ExecutionContext, now: datetime) -> AbsoluteRange:
    """A range by its ends, as it is seen from an instant."""
    if isinstance(span, AbsoluteRange):
        return span
    found = relative_range(span.direction, span.amount, span.unit, now=now, tz=context.tz)
    return AbsoluteRange(found.start, found.end)


def settled(adapter: Adapter, env: Env, trace_id: str) -> Effect:
    """Whatever is due, carried out and journalled before the first step of a program."""
    effect = adapter.settle(env)
    if effect.touched:
        adapter.journal(Trail(trace_id, 0, TICK), effect, env)
    return effect
