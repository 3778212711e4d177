"""The entries of the journal."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from text2mem.ir.result import Change
from text2mem.ir.times.temporal import format_instant

TICK = "tick"
"""The op of entries of expiries, reminders and other effects that are due."""


@dataclass(frozen=True, slots=True)
class Trail:
    """The step that a change belongs to."""

    trace_id: str
    """The trace of the program."""
    step: int
    """The number of the step from 1; 0 for a tick."""
    op: str
    undoes: str = ""
    """The trace of the program that an undo took back."""


ABOUT = "about"
"""The facet of an episode with its folded subjects, and folded values that may be their names."""
WITHHELD = "withheld"
"""The facet of an episode that states something the policy denies. Recall does not use it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One step's change of one memory."""

    seq: int
    """The entry's number, which orders the entries of a tenant."""
    trail: Trail
    at: datetime
    actor: str | None
    id: str
    """The id of the memory."""
    kind: str
    """``created``, ``changed`` or ``removed``."""
    changes: tuple[Change, ...] = ()
    """The fields that changed. A new or removed memory is compared with a blank one."""
    forgotten: bool = False
    """Whether the values are gone, because the memory was erased or anonymised."""
    said: str = ""
    """The request that the program was made from; "" without one, or if that was erased."""

    @property
    def marks(self) -> bool:
        """Whether it is the mark of a reader on an episode: what this is about, and is withheld."""
        return bool(self.changes) and all(map(_marks, self.changes))

    @property
    def stays(self) -> bool:
        """Whether no undo takes it back: the change of a tick, or a mark."""
        return not self.trail.step or self.marks

    def as_dict(self) -> dict[str, Any]:
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
        """A head line, and one per change. ``value`` writes a field's value, ``when`` a time."""
        who = f" by {self.actor}" if self.actor else ""
        trace = f"  trace {self.trail.trace_id}" if self.trail.trace_id else ""
        lines = ["what changed has been erased"] if self.forgotten else []
        for change in self.changes:
            before = "" if self.kind == "created" else f"{value(change.field, change.before)} → "
            lines.append(f"{change.field}: {before}{value(change.field, change.after)}")
        return f"{when(self.at)}  {self.trail.op}{who}{trace}", lines


def marked(facets: Mapping[str, Any]) -> dict[str, Any]:
    """The marks of a reader among facets."""
    return {key: facets[key] for key in (ABOUT, WITHHELD) if key in facets}


def _marks(change: Change) -> bool:
    """Whether a change sets marks of a reader and nothing else."""
    before, after = change.before, change.after
    if change.field != "facets" or not isinstance(before, Mapping) or not after:
        return False
    return bool({**before, **marked(after)} == after)
