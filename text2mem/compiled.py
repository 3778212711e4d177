"""What ``compile`` answers: a program, a question, nothing to do, or the wish to undo."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from text2mem.errors import NoSuchOption
from text2mem.ir.diagnostic import Diagnostic
from text2mem.ir.effects import short, visible
from text2mem.ir.turn import Turn
from text2mem.messages import message
from text2mem.program import Program

if TYPE_CHECKING:
    from text2mem.planner import Trace
    from text2mem.planner.asking import Reason

CLARIFICATION, NOTHING, UNDO = "needs_clarification", "nothing", "undo"
"""The ``status`` of a row that holds an answer without a program."""


@dataclass(frozen=True, slots=True)
class Option:
    """One thing that may have been meant: its program, and its effect in one line."""

    label: str
    program: Program
    effect: str = ""
    keeps: bool = False
    """Whether it keeps what was said as a new memory, whichever memory the question is about."""

    def __str__(self) -> str:
        said = self.program.utterance or ""
        told = message("option", said, label=self.label, effect=self.effect)
        return visible(told if self.effect else self.label)


@dataclass(frozen=True, slots=True)
class Clarification:
    """The question that ``compile`` asks back, with what may have been meant.

    ``reason`` is a stable code of ``planner.asking``. ``candidates`` are the memories in question:
    id, the beginning of the text, tags, time, and its field. ``trace`` tells how the request was
    planned.
    """

    question: str
    reason: Reason
    options: tuple[Option, ...] = ()
    candidates: tuple[Mapping[str, Any], ...] = ()
    utterance: str | None = None
    trace: Trace | None = None

    def __str__(self) -> str:
        # Candidates are only listed if there are no options, which name them already.
        lines = [f"{number}. {each}" for number, each in enumerate(self.options, 1)] or [
            visible(f"{one.get('id', '?')}: {short(one.get('text', ''))}")
            for one in self.candidates
        ]
        return "\n  ".join([visible(self.question), *lines])

    def choose(self, number: int) -> Program:
        """The program of an option, counted from 1. Raises NoSuchOption."""
        if not 1 <= number <= len(self.options):
            raise NoSuchOption(number, options=len(self.options))
        return self.options[number - 1].program

    @property
    def turns(self) -> tuple[Turn, ...]:
        """The request and the question, as the context for an answer in words."""
        shown = tuple(str(one["id"]) for one in self.candidates if "id" in one)
        request = () if self.utterance is None else (Turn(self.utterance),)
        return (*request, Turn(self.question, shown, question=True))

    def as_dict(self) -> dict[str, Any]:
        """The question as JSON."""
        return {
            "status": CLARIFICATION,
            "utterance": self.utterance,
            "question": self.question,
            "reason": self.reason,
            "options": [
                {"label": one.label, "program": one.program.to_list(), "effect": one.effect}
                for one in self.options
            ],
            "candidates": [dict(one) for one in self.candidates],
        }


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
        said = self.utterance or ""
        if self.missing:
            return message("not-held", said, words=self.missing)
        notes = (message("note", said, words=each.message) for each in self.warnings)
        return "\n".join((message("remark" if self.remark else NOTHING, said), *notes))

    def as_dict(self) -> dict[str, Any]:
        """The answer as JSON."""
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
        """The answer as JSON."""
        return {"status": UNDO, "utterance": self.utterance}


Compiled = Program | Clarification | Nothing | Undo
"""The possible answers of ``compile``."""
