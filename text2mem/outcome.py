"""The results of a request that is neither a program nor a question: nothing, or an undo."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from text2mem.ir.diagnostic import Diagnostic

if TYPE_CHECKING:
    from text2mem.planner import Trace

NOTHING, UNDO = "nothing", "undo"
"""The ``status`` of rows that hold one of these."""


@dataclass(frozen=True, slots=True)
class Nothing:
    """The request asks nothing of the memory (thanks, a greeting, a wish taken back), or asks for
    something that is not stored: then ``missing`` has its words."""

    utterance: str | None = None
    trace: Trace | None = None
    missing: str = ""

    @property
    def warnings(self) -> tuple[Diagnostic, ...]:
        """Why there is nothing to do, if that is known: a memory says it already."""
        return self.trace.warnings if self.trace else ()

    @property
    def remark(self) -> bool:
        """Whether it was first read as a change, and then as a remark on the last one."""
        return self.trace is not None and self.trace.remark

    def __str__(self) -> str:
        from text2mem.planner.messages import message

        said = self.utterance or ""
        if self.missing:
            return message("not-held", said, words=self.missing)
        notes = (f"note: {each.message}" for each in self.warnings)
        return "\n".join((message("remark" if self.remark else NOTHING, said), *notes))

    def as_dict(self) -> dict[str, Any]:
        """The outcome as JSON."""
        odd = [each.as_dict() for each in self.warnings]
        held = {"missing": self.missing, "remark": self.remark, "warnings": odd}
        return {
            "status": NOTHING, "utterance": self.utterance,
            **{name: value for name, value in held.items() if value},
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Undo:
    """The last program is to be taken back. ``Memory.undo_last`` does that."""

    utterance: str | None = None
    trace: Trace | None = None

    def as_dict(self) -> dict[str, Any]:
        """The outcome as JSON."""
        return {"status": UNDO, "utterance": self.utterance}
