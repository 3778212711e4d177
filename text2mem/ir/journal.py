"""What the journal keeps of a change: whose it was, and each field before and after."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from text2mem.ir.result import Change
from text2mem.ir.times.temporal import format_instant

TICK = "tick"
"""The op of what is carried out because its time has come."""


@dataclass(frozen=True, slots=True)
class Trail:
    """The step that made a change: the program's trace, the step (from 1; 0 is a tick), the op.

    ``undoes`` is the trace of the program that an undo took back.
    """

    trace_id: str
    step: int
    op: str
    undoes: str = ""

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

    def as_dict(self) -> dict[str, Any]:
        """The entry as JSON."""
        return {
            "trace_id": self.trail.trace_id, "at": format_instant(self.at), "actor": self.actor,
            "step": self.trail.step, "op": self.trail.op, "id": self.id, "kind": self.kind,
            "forgotten": self.forgotten,
            "changes": [
                {"field": each.field, "before": each.before, "after": each.after}
                for each in self.changes
            ],
        }  # fmt: skip

    def in_words(
        self, value: Callable[[str, Any], str], when: Callable[[datetime], str] = format_instant
    ) -> tuple[str, list[str]]:
        """When, what and by whom; and a line a change, each value of a field as ``value`` writes
        it, and the instant as ``when`` does."""
        who = f" by {self.actor}" if self.actor else ""
        trace = f"  trace {self.trail.trace_id}" if self.trail.trace_id else ""
        lines = ["what changed has been erased"] if self.forgotten else []
        for each in self.changes:
            after = value(each.field, each.after)
            before = "" if self.kind == "created" else f"{value(each.field, each.before)} → "
            lines.append(f"{each.field}: {before}{after}")
        return f"{when(self.at)}  {self.trail.op}{who}{trace}", lines
