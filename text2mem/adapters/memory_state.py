"""What the memory adapter keeps, and the bookkeeping of one op's changes."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from text2mem.adapters.base import Touched
from text2mem.errors import ExecutionError
from text2mem.ir.record import Record, as_image


def same(one: Any, other: Any) -> bool:
    """Whether two JSON values are equal. True is not 1, as it would be in Python."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other)


@dataclass
class State:
    """Everything that a transaction can undo: memories, the last id given out, the journal."""

    records: dict[tuple[str, str], Record] = field(default_factory=dict)
    last_id: int = 0
    journal: list[dict[str, Any]] = field(default_factory=list)

    def of(self, tenant: str) -> list[Record]:
        """A tenant's memories in the order of their numeric ids."""
        found = [record for (owner, _), record in self.records.items() if owner == tenant]
        return sorted(found, key=lambda record: int(record.id))

    def forget_images(self, id_: str) -> None:
        """Empty the journal's earlier images of a memory (docs/language.md, "Erasure, undo")."""
        for entry in self.journal:
            for image in entry["images"]:
                if image["id"] == id_:
                    image["before"] = image["after"] = None


class Changes:
    """Reads and writes of one op at one instant; remembers each memory as it was before.

    However often an op changes a memory, its version counts one change.
    """

    def __init__(self, state: State, tenant: str, now: datetime) -> None:
        self.state = state
        self.tenant = tenant
        self.now = now.replace(microsecond=0)  # what is stored is in whole seconds
        self._before: dict[str, Record | None] = {}

    def records(self) -> list[Record]:
        """The tenant's memories as they are now, in id order."""
        return self.state.of(self.tenant)

    def find(self, id_: str) -> Record | None:
        """The memory as it is now, deleted or not."""
        return self.state.records.get((self.tenant, id_))

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
        """Store a memory under its new id."""
        self._before[record.id] = None
        # A copy, so that nothing the caller still holds can change what is stored.
        self.state.records[self.tenant, record.id] = deepcopy(record)
        return record

    def change(self, id_: str, **fields: Any) -> Record:
        """Set fields of a memory; where all of them hold already, nothing happens."""
        current = self.state.records[self.tenant, id_]
        changed = replace(current, **deepcopy(fields))
        if same(as_image(changed), as_image(current)):
            return current
        before = self._before.setdefault(id_, current)
        version = current.version if before is None else before.version + 1
        changed = replace(changed, updated_at=self.now, version=version)
        self.state.records[self.tenant, id_] = changed
        return changed

    def erase(self, id_: str) -> None:
        """Remove a memory and what the journal holds of it."""
        self._before.setdefault(id_, self.state.records[self.tenant, id_])
        del self.state.records[self.tenant, id_]
        self.state.forget_images(id_)

    def touched(self) -> tuple[Touched, ...]:
        """What was changed, in the order of the first change."""
        return tuple((before, self.find(id_)) for id_, before in self._before.items())
