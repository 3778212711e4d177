"""What the journal keeps of a change: whose it was, and each field before and after."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from text2mem.ir.result import Change


@dataclass(frozen=True, slots=True)
class Trail:
    """Whose step a change belongs to: the program's trace, the step (1-based; 0 is a tick)."""

    trace_id: str
    step: int
    op: str

    def at_step(self, step: int, op: str) -> Trail:
        """The same program's trail at another step."""
        return replace(self, step=step, op=op)


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One step's change of one memory. ``seq`` orders the entries of a tenant.

    ``kind`` is ``created``, ``changed`` or ``removed``. ``changes`` holds every field that differs
    from what the memory was before (for a new memory: from a blank one), and for a removed one what
    it held. ``forgotten`` entries have lost their values for good. ``said`` are
    the words that the program was made of; empty where there were none, and once what they were
    about is erased.
    """

    seq: int
    trail: Trail
    at: datetime
    actor: str | None
    id: str
    kind: str
    changes: tuple[Change, ...] = ()
    forgotten: bool = False
    said: str = ""
