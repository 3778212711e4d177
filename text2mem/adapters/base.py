"""What an adapter is: the one contract between the executor and every backend.

The executor decides (rights, locks, width, services, order); an adapter finds memories and
carries out one typed op at a time inside the executor's transaction. Step references have been
replaced by ids before an adapter sees an op, and reads are finished by the executor from the rows
that ``resolve`` returns.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum
from typing import ClassVar, Protocol

from text2mem.ir.context import ExecutionContext
from text2mem.ir.ops import OPS, Op, Target
from text2mem.ir.ports import StoreView
from text2mem.ir.record import Record


class Support(Enum):
    """How a backend carries out an op."""

    NATIVE = "native"
    EMULATED = "emulated"
    UNSUPPORTED = "unsupported"


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """What a resolution may see.

    Archived rows are part of it where ``archived``, deleted ones where ``deleted``; ``as_of`` and
    ``known_at`` are instants of validity and of recording. ``floor`` asks a search for hits that
    hold at least half of the query's terms: what a write takes.
    """

    context: ExecutionContext
    now: datetime
    archived: bool = False
    deleted: bool = False
    as_of: datetime | None = None
    known_at: datetime | None = None
    floor: bool = False


@dataclass(frozen=True, slots=True)
class Selection:
    """The rows of a target in its order, after its limit; ``matched`` counts before the limit.

    ``scores`` holds a search's score by id, higher is better.
    """

    rows: tuple[Record, ...]
    matched: int
    scores: Mapping[str, float] = field(default_factory=dict)


Touched = tuple[Record | None, Record | None]
"""One memory before and after: None before is "created", None after is "erased"."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """What one op did. ``affected`` are the ids that a step reference to it stands for."""

    affected: tuple[str, ...] = ()
    created: tuple[str, ...] = ()
    touched: tuple[Touched, ...] = ()
    warnings: tuple[str, ...] = ()


class Services(Protocol):
    """Model services as an adapter sees them: prepared beforehand, so they return at once."""

    def split(self, text: str, instruction: str) -> Sequence[str]:
        """The parts of a text under an instruction in words."""
        ...


@dataclass(frozen=True, slots=True)
class Env:
    """What an op runs in: the caller's context, the instant of the program, the services."""

    context: ExecutionContext
    now: datetime
    services: Services


class Adapter(ABC):
    """A backend. A subclass classifies every op in ``support``, or fails to be made."""

    name: ClassVar[str]
    support: ClassVar[Mapping[str, Support]]

    def __init_subclass__(cls, **kwargs: object) -> None:
        super().__init_subclass__(**kwargs)
        missing = [op for op in OPS if op not in getattr(cls, "support", {})]
        if missing:
            raise TypeError(f"{cls.__name__} does not classify {', '.join(missing)}")

    @abstractmethod
    def transaction(self) -> AbstractContextManager[None]:
        """One atomic unit: committed on leaving, rolled back (ids and all) on any exception."""

    @abstractmethod
    def state(self) -> int:
        """A number that is another one once somebody else has changed the store."""

    @abstractmethod
    def settle(self, env: Env) -> Sequence[Touched]:
        """Carry out every expiry that is due at ``env.now``, as ``tick`` would."""

    @abstractmethod
    def resolve(self, target: Target, scope: Scope) -> Selection:
        """The rows that a target names and the actor may read. Unknown ids are simply absent."""

    @abstractmethod
    def active(self, context: ExecutionContext) -> int:
        """How many memories of the tenant are neither deleted nor archived."""

    @abstractmethod
    def lower(self, op: Op, rows: Sequence[Record], env: Env) -> Effect:
        """Carry out a write on the rows that its target resolved to (none for Encode)."""

    @abstractmethod
    def journal(self, trace_id: str, step: int, op: str, effect: Effect, env: Env) -> None:
        """Record what a step did, in the same transaction."""

    @abstractmethod
    def view(self, context: ExecutionContext) -> StoreView:
        """What a planner may see of the store as this actor."""

    @abstractmethod
    def close(self) -> None:
        """Release files and connections; closing twice is no error."""
