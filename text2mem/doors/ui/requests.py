"""Requests in words: compiled and shown, and run exactly as they were shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from text2mem.clarification import Clarification
from text2mem.doors.mcp.conversation import Offer, Pending, TokenRefused, until
from text2mem.doors.mcp.wording import outcome
from text2mem.doors.ui.visit import House
from text2mem.errors import ExecutionError, NoSuchOption, Text2MemError
from text2mem.executor import undo as run_undo
from text2mem.ir.effects import changes, touched
from text2mem.ir.ops import READS
from text2mem.ir.result import ProgramResult
from text2mem.ir.turn import Turn
from text2mem.outcome import Nothing, Undo
from text2mem.pipeline import Compiled
from text2mem.program import Program

Kind = Literal["program", "read", "question", "undo", "nothing", "failed"]


@dataclass(frozen=True, slots=True)
class Shown(Pending):
    """What a request came to, as it is shown: ``results`` are those of the offers' dry runs.

    ``undo`` is the trace that would be taken back; ``candidates`` are the memories in question;
    ``error`` is why there is no program. ``moved``: shown again, because the store has changed.
    """

    kind: Kind = "program"
    results: tuple[ProgramResult, ...] = ()
    draft: Mapping[str, Any] | None = None
    candidates: tuple[Mapping[str, Any], ...] = ()
    undo: str = ""
    error: Text2MemError | None = None
    moved: bool = False


@dataclass(frozen=True, slots=True)
class Requests:
    """The requests of one conversation. The store must be held."""

    house: House

    def ask(self, request: str, answers: str = "") -> str:
        """Compile a request, or the answer to the question of a token; the token of what it shows.

        Raises TokenRefused.
        """
        store, talk = self.house.store, self.house.talk
        turns = tuple(talk.said)
        if answers:
            turns = self.shown(answers).turns
            talk.spend(answers)
        try:
            compiled = store.compile(request, turns)
        except Text2MemError as error:
            talk.say(request)
            return self._keep(request, turns, kind="failed", error=error)
        return self._show(compiled, request, turns)

    def shown(self, token: str) -> Shown:
        """What a token stands for. Raises TokenRefused."""
        found = self.house.talk.waiting(token, self.house.store.context.clock.now())
        if not isinstance(found, Shown):
            raise TokenRefused("this token is of another kind")
        return found

    def choose(self, token: str, number: int) -> str:
        """Show an option of a question by itself; its token. Raises TokenRefused, NoSuchOption."""
        asked = self.shown(token)
        if not 1 <= number <= len(asked.offers):
            raise NoSuchOption(number, options=len(asked.offers))
        self.house.talk.spend(token)
        return self._offer(asked.offers[number - 1].program, asked.request, asked.turns)

    def run(self, token: str) -> ProgramResult | str:
        """Run exactly what a token shows, once; the token of what it would do now where the store
        has moved. Raises TokenRefused, ExecutionError.
        """
        asked = self.shown(token)
        if asked.kind == "undo":
            self.house.talk.spend(token)
            return self.house.store.agreed.undo(asked.undo)
        if asked.kind != "program" or asked.offers[0].basis is None:
            raise TokenRefused("there is nothing to run here")
        self.house.talk.spend(token)
        (offer,) = asked.offers
        result = self.house.store.agreed.execute(offer.program, basis=offer.basis)
        if result.error is None:
            return self._done(asked.request, result)
        if result.error.code == "store-moved":
            return self._offer(offer.program, asked.request, asked.turns, moved=True)
        raise result.error.as_error()

    # --- what a request came to ------------------------------------------------------------

    def _show(self, compiled: Compiled, request: str, turns: tuple[Turn, ...]) -> str:
        if isinstance(compiled, Clarification):
            return self._question(compiled, request, turns)
        draft = _draft(compiled)
        if isinstance(compiled, Undo):
            return self._undo(request, turns, draft)
        if isinstance(compiled, Nothing):
            self.house.talk.say(request)
            return self._keep(request, turns, kind="nothing", draft=draft)
        return self._offer(compiled, request, turns)

    def _offer(
        self, program: Program, request: str, turns: tuple[Turn, ...], *, moved: bool = False
    ) -> str:
        """A program with what it would do; one that only reads has been run."""
        store = self.house.store
        reads = all(op.name in READS for op in program.ops)
        result = store.memory.execute(program) if reads else store.agreed.preview(program)
        if reads and result.error is None:
            self._done(request, result)
        else:
            self.house.talk.say(request)
        return self._keep(
            request, turns, (_offer("", program, result),), kind="read" if reads else "program",
            results=(result,), draft=_draft(program), moved=moved,
        )  # fmt: skip

    def _question(self, asked: Clarification, request: str, turns: tuple[Turn, ...]) -> str:
        results = tuple(self.house.store.agreed.preview(each.program) for each in asked.options)
        offers = tuple(Offer(each.label, each.program, None, each.effect) for each in asked.options)
        self.house.talk.say(request)
        return self._keep(
            request, (*turns, *asked.turns), offers, kind="question", results=results,
            draft=_draft(asked), candidates=asked.candidates, question=asked.question,
        )  # fmt: skip

    def _undo(self, request: str, turns: tuple[Turn, ...], draft: Mapping[str, Any] | None) -> str:
        store, talk = self.house.store, self.house.talk
        talk.say(request)
        if not talk.traces:
            error = ExecutionError(
                "no-such-trace", "nothing was changed here that could be taken back",
                hint="the journal takes back an earlier program",
            )  # fmt: skip
            return self._keep(request, turns, kind="failed", error=error, draft=draft)
        trace = talk.traces[-1]
        result = run_undo(trace, store.memory.adapter, store.agreed.context.dry())
        return self._keep(request, turns, kind="undo", results=(result,), draft=draft, undo=trace)

    def _keep(
        self, request: str, turns: tuple[Turn, ...], offers: tuple[Offer, ...] = (), *,
        question: str = "", **rest: Any,
    ) -> str:  # fmt: skip
        token = self.house.mint()
        end = until(self.house.store.context.clock)
        shown = Shown(question, offers, request, turns, end, **rest)
        self.house.talk.wait(token, shown)
        return token

    def _done(self, request: str, result: ProgramResult) -> ProgramResult:
        self.house.talk.say(request, touched(result))
        if changes(result) and not result.dry_run:
            self.house.talk.changed(result.trace_id)
        return result


def _offer(label: str, program: Program, result: ProgramResult) -> Offer:
    return Offer(label, program, result.basis if result.ok else None, outcome(result))


def _draft(planned: Program | Clarification | Nothing | Undo) -> Mapping[str, Any] | None:
    """What the model read out of a request, as JSON."""
    trace = planned.trace
    return trace.draft.as_dict() if trace is not None and trace.draft is not None else None
