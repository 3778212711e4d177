"""What became of memories: the programs of a store, and each memory's changes and family."""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import TYPE_CHECKING

from text2mem.ir.record import as_id, as_limit

if TYPE_CHECKING:
    from text2mem.adapters.base import Adapter
    from text2mem.executor.history import Lineage, Logged
    from text2mem.ir.context import ExecutionContext
    from text2mem.ir.journal import Entry
    from text2mem.ir.record import Record


class PastMemory(ABC):
    """Log, show, history, lineage: as far as the caller's actor may read, and nothing is changed.

    What is no id raises ConfigurationError.
    """

    adapter: Adapter
    context: ExecutionContext

    def log(self, *, limit: int = 20) -> Sequence[Logged]:
        """The last programs that changed something, newest first. Raises ConfigurationError."""
        from text2mem.executor.history import log

        return log(self.adapter, self.context, limit=as_limit("limit", limit))

    def show(self, id: str) -> Record | None:
        """A memory with all of its fields, archived and deleted ones too; None where unknown."""
        from text2mem.executor.history import find

        id = as_id(id)
        return find(self.adapter, self.context, [id]).get(id)

    def history(self, id: str) -> Sequence[Entry]:
        """Every change of a memory, oldest first."""
        from text2mem.executor.history import history

        return history(self.adapter, self.context, as_id(id))

    def lineage(self, id: str) -> Lineage | None:
        """What a memory was made from, and what was made from it."""
        from text2mem.executor.history import lineage

        return lineage(self.adapter, self.context, as_id(id))
