"""The outcome of a request in a conversation: its result, or a question to be answered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, tzinfo
from typing import TYPE_CHECKING, Any, Literal

from text2mem.compiled import NOTHING, Clarification, Nothing
from text2mem.errors import NoSuchOption
from text2mem.ir.effects import outcome, visible
from text2mem.ir.turn import Turn
from text2mem.messages import message
from text2mem.planner.effects import InWords

if TYPE_CHECKING:
    from text2mem.ir.diagnostic import Diagnostic
    from text2mem.ir.result import ProgramResult
    from text2mem.planner import Trace
    from text2mem.program import Program

Status = Literal["done", "asked", "nothing", "undone", "dropped", "refused"]
DROP = 0
"""The choice that drops a question and runs nothing."""


@dataclass(frozen=True, slots=True)
class Offer:
    """One choice of a question: to run a program, or to undo one."""

    label: str
    program: Program | None = None
    """The program to run; None if the offer is an undo."""
    shown: ProgramResult | None = None
    """The result of its dry run; None for an option that only reads."""
    effect: str = ""
    """What it would do, in the language of the request, a line each."""
    undoes: str = ""
    """The trace of the program to undo."""

    @property
    def basis(self) -> str | None:
        """That of the dry run, with which the run has the same effect, if it was not refused."""
        return self.shown.basis if self.shown is not None and self.shown.ok else None


@dataclass(frozen=True, slots=True)
class Question:
    """A question about a request, with its offers."""

    text: str
    offers: tuple[Offer, ...]
    request: str
    turns: tuple[Turn, ...]
    """The turns with which an answer in words is read. The last one is the question itself."""
    clarification: Clarification | None = None
    """The planner's question, if it is one; else the question is whether to run the only offer."""
    moved: bool = False
    """Whether it is asked again because the store has changed."""

    def __str__(self) -> str:
        if self.clarification is not None:
            return str(self.clarification)
        (offer,) = self.offers
        return "\n  ".join((self.text, *visible(offer.effect).splitlines()))

    @property
    def ids(self) -> tuple[str, ...]:
        return self.turns[-1].ids

    @property
    def candidates(self) -> tuple[Mapping[str, Any], ...]:
        """The memories that may be meant, as rows, if it is a question of the planner."""
        return self.clarification.candidates if self.clarification is not None else ()

    @property
    def agreed(self) -> int | None:
        """The number of the offer that a yes takes: the only one, or the one memory that is asked
        about ("Is this what you mean?"), if the other offer keeps what was said as a new memory."""
        asked = self.clarification
        if len(self.offers) == 2 and asked is not None and len(asked.candidates) == 1:
            return 1 if asked.reason == "ambiguous-target" and asked.options[-1].keeps else None
        return 1 if len(self.offers) == 1 else None

    def again(self) -> Reply:
        """Return a reply that asks the question again: of several offers, which is meant."""
        text = message("meant-which", self.request) if len(self.offers) > 1 else self.text
        asked = self.clarification
        if asked is not None:
            asked = replace(asked, question=text)
        return Reply(
            status="asked", request=self.request, trace=None if asked is None else asked.trace,
            question=replace(self, text=text, clarification=asked),
        )  # fmt: skip

    def offer(self, number: int) -> Offer:
        """Return an offer by its number, from 1. Raises NoSuchOption."""
        if not 1 <= number <= len(self.offers):
            raise NoSuchOption(number, options=len(self.offers))
        return self.offers[number - 1]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """The outcome of a request. ``str`` of it is in the language of the request."""

    status: Status
    """``done``: the program has run. ``asked``: nothing has run, and the question waits.
    ``nothing``: there is nothing to do. ``undone``: a program was undone. ``dropped``: the question
    was dropped. ``refused``: the store refused the program, and the result says why."""
    request: str = ""
    program: Program | None = None
    result: ProgramResult | None = None
    question: Question | None = None
    undid: str = ""
    """The trace of the program that was undone, or was to be."""
    trace: Trace | None = None
    """How the request was planned."""
    missing: str = ""
    """The words of the request that no memory fits, for the status ``nothing``."""
    tz: tzinfo = UTC
    """The time zone in which ``str`` writes instants."""

    @property
    def ok(self) -> bool:
        return self.status != "refused"

    def __str__(self) -> str:
        notes = (message("note", self.request, words=each.message) for each in self.warnings)
        if self.question is not None:
            return "\n".join((str(self.question), *notes))
        if self.status == NOTHING:
            return str(Nothing(self.request, self.trace, self.missing))
        if self.result is None:
            text = message(self.status, self.request)
        else:
            text = outcome(self.result, InWords(self.tz, self.request))
        return "\n".join((text, *notes))

    @property
    def warnings(self) -> tuple[Diagnostic, ...]:
        """The planner's warnings: what is unusual about the request but may be meant."""
        return self.trace.warnings if self.trace is not None else ()
