"""The outcome of a request in a conversation: what was done, or a question to be answered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, tzinfo
from typing import TYPE_CHECKING, Any, Literal

from text2mem.clarification import Clarification
from text2mem.errors import NoSuchOption
from text2mem.ir.effects import outcome, visible
from text2mem.ir.turn import Turn
from text2mem.outcome import NOTHING, Nothing
from text2mem.planner.effects import InWords
from text2mem.planner.messages import message

if TYPE_CHECKING:
    from text2mem.ir.diagnostic import Diagnostic
    from text2mem.ir.result import ProgramResult
    from text2mem.planner import Trace
    from text2mem.program import Program

Status = Literal["done", "asked", "nothing", "undone", "dropped", "refused"]
DROP = 0
"""The choice that runs nothing."""


@dataclass(frozen=True, slots=True)
class Offer:
    """Something that may be chosen: a program, or taking back the one with the trace ``undoes``.

    ``shown`` is the dry run of it; None of what only reads. ``effect`` says what it would do in
    the language of the request, a line each.
    """

    label: str
    program: Program | None = None
    shown: ProgramResult | None = None
    effect: str = ""
    undoes: str = ""

    @property
    def basis(self) -> str | None:
        """What the run must rest on to have the effect that was shown; None where it is refused."""
        return self.shown.basis if self.shown is not None and self.shown.ok else None


@dataclass(frozen=True, slots=True)
class Question:
    """A question with its offers, of the request that led to it.

    ``turns`` are those with which an answer in words is read, the question itself the last.
    ``asked`` is the planner's, where it is one; else the question is whether the only offer shall
    run. ``moved``: it is put again, because the store has changed since.
    """

    text: str
    offers: tuple[Offer, ...]
    request: str
    turns: tuple[Turn, ...]
    asked: Clarification | None = None
    moved: bool = False

    def __str__(self) -> str:
        if self.asked is not None:
            return str(self.asked)
        (offer,) = self.offers
        return "\n  ".join((self.text, *visible(offer.effect).splitlines()))

    @property
    def ids(self) -> tuple[str, ...]:
        """The memories that it is about."""
        return self.turns[-1].ids

    @property
    def candidates(self) -> tuple[Mapping[str, Any], ...]:
        """The memories that may be meant, where the planner has asked."""
        return self.asked.candidates if self.asked is not None else ()

    def again(self) -> Reply:
        """The question put once more: which of the offers is it?"""
        text = message("meant-which", self.request)
        asked = None if self.asked is None else replace(self.asked, question=text)
        return Reply(
            status="asked", request=self.request, question=replace(self, text=text, asked=asked),
            trace=None if asked is None else asked.trace,
        )  # fmt: skip

    def offer(self, number: int) -> Offer:
        """An offer, counted from 1. Raises NoSuchOption."""
        if not 1 <= number <= len(self.offers):
            raise NoSuchOption(number, options=len(self.offers))
        return self.offers[number - 1]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What a request came to.

    ``asked``: nothing has run yet, and ``question`` waits. ``done``: ``program`` has run, with this
    ``result``. ``undone``: a program was taken back, the trace of which is ``undid``. ``refused``:
    the store has not let it, and ``result`` says why. ``nothing``: there is nothing to do, or the
    store holds nothing of the words ``missing``. ``trace`` is how the request was planned. In words
    it is told in the language of the request, with instants as they are in ``tz``.
    """

    status: Status
    request: str = ""
    program: Program | None = None
    result: ProgramResult | None = None
    question: Question | None = None
    undid: str = ""
    trace: Trace | None = None
    missing: str = ""
    tz: tzinfo = UTC

    @property
    def ok(self) -> bool:
        """Whether the store has refused nothing."""
        return self.status != "refused"

    def __str__(self) -> str:
        notes = (f"note: {each.message}" for each in self.warnings)
        if self.question is not None:
            return "\n".join((str(self.question), *notes))
        if self.status == NOTHING:
            return str(Nothing(self.request, self.trace, self.missing))
        if self.result is None:
            told = message(self.status, self.request)
        else:
            told = outcome(self.result, InWords(self.tz, self.request))
        return "\n".join((told, *notes))

    @property
    def warnings(self) -> tuple[Diagnostic, ...]:
        """What is odd about it and may be meant."""
        return self.trace.warnings if self.trace is not None else ()
