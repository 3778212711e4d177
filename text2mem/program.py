"""A program, as the stages pass it on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from typing import TYPE_CHECKING, Any

from text2mem.clock import FixedClock, SystemClock
from text2mem.errors import ValidationError
from text2mem.ir.context import ExecutionContext
from text2mem.ir.diagnostic import Diagnostic
from text2mem.ir.dialect import canonicalise
from text2mem.ir.effects import instance_in_words
from text2mem.ir.ops import Op
from text2mem.messages import message
from text2mem.parser import dump
from text2mem.parser import parse as parse_instances
from text2mem.validator import validate

if TYPE_CHECKING:
    from text2mem.planner import Trace


@dataclass(frozen=True, slots=True)
class Program:
    """A checked, typed program.

    ``meta`` are the notes of its author, each with its pointer. ``trace`` tells how it was planned.
    """

    ops: tuple[Op, ...]
    meta: tuple[tuple[str, Mapping[str, Any]], ...] = ()
    utterance: str | None = None
    trace: Trace | None = None

    def __str__(self) -> str:
        steps, said = map(instance_in_words, self.to_list()), self.utterance or ""
        notes = (message("note", said, words=each.message) for each in self.warnings)
        return "\n".join([*steps, *(f"  {note}" for note in notes)])

    @property
    def warnings(self) -> tuple[Diagnostic, ...]:
        """What is odd but may be intended, such as a step that names something not stored."""
        return self.trace.warnings if self.trace else ()

    @classmethod
    def load(cls, document: Any, *, now: datetime | None = None, tz: tzinfo = UTC) -> Program:
        """A program from JSON in any spelling. Raises ValidationError with every diagnostic."""
        instant = instant_of(now, tz)
        canonical = canonicalise(document)
        found = [d for d in validate(canonical, now=instant, tz=tz) if d.severity == "error"]
        if found:
            raise ValidationError(found)
        notes = tuple(
            (canonical.original(f"/{index}/meta"), instance["meta"])
            for index, instance in enumerate(canonical.instances)
            if instance.get("meta")
        )
        return cls(parse_instances(canonical.instances, now=instant, tz=tz), notes)

    def to_list(self) -> list[dict[str, Any]]:
        """The program in the canonical surface form."""
        return [dump(op) for op in self.ops]


def instant_of(now: datetime | None, tz: tzinfo) -> datetime:
    """``now``, by default the present. Raises ConfigurationError unless it is aware, and ``tz`` a
    zone."""
    clock = SystemClock() if now is None else FixedClock(now)
    return ExecutionContext(clock=clock, tz=tz).clock.now()
