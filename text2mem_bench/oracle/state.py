"""What the plain store keeps, and the bookkeeping of one op's changes."""

from __future__ import annotations

from collections.abc import Iterable
from copy import deepcopy
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from text2mem.adapters.base import Effect, Embedding, Touched
from text2mem.adapters.queue import Task
from text2mem.adapters.shipped import shipped_registry
from text2mem.errors import ExecutionError
from text2mem.ir.journal import Entry
from text2mem.ir.patch import diff
from text2mem.ir.record import Record, changed
from text2mem.ir.registry import Registry


@dataclass(frozen=True, slots=True, kw_only=True)
class Belief:
    """What the store held to be so of a fact, from ``recorded_at`` until ``retracted_at``.

    Instants are in whole seconds: what was retracted in the second of its recording answers nobody.
    """

    id: str
    subject: str | None
    attribute: str | None
    value: Any
    valid_from: datetime | None
    valid_to: datetime | None
    pending: bool
    deleted: bool
    recorded_at: datetime
    retracted_at: datetime | None = None

    def held(self, instant: datetime) -> bool:
        """Whether this was believed at an instant."""
        return self.recorded_at <= instant and (
            self.retracted_at is None or instant < self.retracted_at
        )


BELIEVED = ("subject", "attribute", "value", "valid_from", "valid_to", "pending", "deleted")
"""The fields of a fact whose change is a new belief."""


@dataclass
class State:
    """Everything that a transaction can undo. What it holds is replaced and never changed."""

    records: dict[str, Record] = field(default_factory=dict)
    last_id: int = 0
    journal: list[Entry] = field(default_factory=list)
    unsaid: set[str] = field(default_factory=set)
    """The traces of programs that touched what was erased: nothing of their words is kept."""
    beliefs: list[Belief] = field(default_factory=list)
    vectors: dict[str, tuple[float, ...]] = field(default_factory=dict)
    embedding: Embedding | None = None
    dimension: int = 0
    reindexed: int = 0
    own_registry: Registry | None = None
    queue: dict[str, Task] = field(default_factory=dict)

    def copy(self) -> State:
        """The same state in containers of its own."""
        return replace(
            self,
            records=dict(self.records),
            journal=list(self.journal),
            unsaid=set(self.unsaid),
            beliefs=list(self.beliefs),
            vectors=dict(self.vectors),
            queue=dict(self.queue),
        )

    @property
    def registry(self) -> Registry:
        """The tenant's registry, else the one that is shipped."""
        return self.own_registry or shipped_registry()

    @property
    def held(self) -> Embedding | None:
        """Whose vectors the store has; None where it has none."""
        return self.embedding if self.vectors else None

    def in_order(self) -> list[Record]:
        """All memories in the order of their numeric ids."""
        return in_id_order(self.records.values())

    def believed(self, id_: str, instant: datetime) -> Belief | None:
        """What was believed of a fact at an instant; None where nothing was."""
        return next(
            (belief for belief in self.beliefs if belief.id == id_ and belief.held(instant)), None
        )

    def follow(self, id_: str, before: Record | None, after: Record | None, now: datetime) -> None:
        """Retract what was believed of a fact that has changed, and record what is now."""
        was = None if before is None or not before.is_fact else before
        is_ = None if after is None or not after.is_fact else after
        if was and is_ and not any(each.field in BELIEVED for each in diff(was, is_)):
            return
        if was is not None:
            self.beliefs = [
                replace(belief, retracted_at=now)
                if belief.id == id_ and belief.retracted_at is None
                else belief
                for belief in self.beliefs
            ]
        if is_ is not None:
            stated = {name: getattr(is_, name) for name in BELIEVED}
            self.beliefs.append(Belief(id=id_, recorded_at=now, **stated))

    def forget(self, id_: str) -> None:
        """Drop the vector, the beliefs and the task of what must leave no trace."""
        self.vectors.pop(id_, None)
        self.queue.pop(id_, None)
        self.beliefs = [belief for belief in self.beliefs if belief.id != id_]


def unique(names: Iterable[str]) -> tuple[str, ...]:
    """Every name once, in the order of first mention."""
    return tuple(dict.fromkeys(names))


def in_id_order(records: Iterable[Record]) -> list[Record]:
    """By the number that an id is: "10" comes after "9"."""
    return sorted(records, key=lambda record: int(record.id))


def ids_of(records: Iterable[Record]) -> tuple[str, ...]:
    """The ids of records, in their order."""
    return tuple(record.id for record in records)


class Changes:
    """Reads and writes of one op at one instant; remembers each memory as it was before.

    However often an op changes a memory, its version counts one change. ``unembedded`` are the
    memories whose text has no vector yet.
    """

    def __init__(self, state: State, now: datetime) -> None:
        self.state = state
        self.now = now.replace(microsecond=0)  # what is stored is in whole seconds
        self.unembedded: dict[str, None] = {}
        self.forgotten: set[str] = set()
        self._before: dict[str, Record | None] = {}

    @property
    def registry(self) -> Registry:
        """The tenant's registry."""
        return self.state.registry

    def records(self) -> list[Record]:
        """The memories as they are now, in id order."""
        return self.state.in_order()

    def find(self, id_: str) -> Record | None:
        """The memory as it is now, deleted or not."""
        return self.state.records.get(id_)

    def fetch(self, id_: str) -> Record:
        """The memory as it is now. Raises ExecutionError "not-found", also for a deleted one."""
        record = self.find(id_)
        if record is None or record.deleted:
            raise ExecutionError("not-found", f"there is no memory {id_}")
        return record

    def new_id(self) -> str:
        """The next id of the tenant."""
        self.state.last_id += 1
        return str(self.state.last_id)

    def create(self, record: Record) -> Record:
        """Store a memory under its id, which no other memory has."""
        self._before.setdefault(record.id, None)
        # A copy, so that nothing the caller still holds can change what is stored.
        self._store(None, deepcopy(record))
        return record

    def change(self, id_: str, **fields: Any) -> Record:
        """Set fields of a memory; where all of them hold already, nothing happens."""
        current = self.state.records[id_]
        after = replace(current, **deepcopy(fields))
        if not diff(current, after):
            return current
        before = self._before.setdefault(id_, current)
        version = current.version if before is None else before.version + 1
        after = replace(changed(current, after, self.now), version=version)
        self._store(current, after)
        return after

    def remove(self, id_: str) -> None:
        """Take a memory out of the store; what was believed of it is retracted."""
        current = self.state.records.pop(id_)
        self._before.setdefault(id_, current)
        self.state.vectors.pop(id_, None)
        self.unembedded.pop(id_, None)
        self.state.follow(id_, current, None, self.now)

    def erase(self, id_: str) -> None:
        """Remove a memory for good."""
        self.remove(id_)
        self.forget(id_)

    def forget(self, id_: str) -> None:
        """See to it that a memory's earlier content leaves no trace."""
        self.forgotten.add(id_)
        self.state.forget(id_)

    def effect(self) -> Effect:
        """What was changed and what was forgotten, for an op to complete."""
        return Effect(touched=self.touched(), forgotten=frozenset(self.forgotten))

    def touched(self) -> tuple[Touched, ...]:
        """What was changed, in the order of the first change."""
        return tuple((before, self.find(id_)) for id_, before in self._before.items())

    def _store(self, before: Record | None, after: Record) -> None:
        self.state.records[after.id] = after
        self.state.follow(after.id, before, after, self.now)
        told = None if before is None else (before.text, before.skip_embedding)
        if told != (after.text, after.skip_embedding):
            self.state.vectors.pop(after.id, None)
            self.unembedded[after.id] = None
