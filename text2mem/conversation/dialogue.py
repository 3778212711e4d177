"""Handle requests in words: compile them, ask before they run, and run exactly what was shown."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, get_args

from text2mem.compiled import Clarification, Nothing, Undo
from text2mem.conversation.learning import Unsettled, learn
from text2mem.conversation.reply import DROP, Offer, Question, Reply
from text2mem.errors import ConfigurationError, ExecutionError
from text2mem.executor.authorise import erases
from text2mem.executor.history import programs
from text2mem.executor.undo import stands_undone
from text2mem.ir.effects import changes, touched
from text2mem.ir.ops import READS, Demote, Op, Update
from text2mem.ir.turn import Turn
from text2mem.messages import message, told
from text2mem.pipeline import usable
from text2mem.planner.effects import effects
from text2mem.planner.traits import TRAITS
from text2mem.shared import check_cancelled

if TYPE_CHECKING:
    from text2mem.compiled import Compiled
    from text2mem.ir.result import ProgramResult
    from text2mem.memory import Memory
    from text2mem.planner import Budget
    from text2mem.program import Program

Asks = Literal["destroys", "changes", "never"]
"""Which programs need a yes: those that delete or hide memories, that change anything, or none."""
REMEMBERED = 4
"""The most earlier turns that a request is read with."""
TRACES = 64
"""The most programs that a conversation can undo, one after the other."""


@dataclass(slots=True, kw_only=True)
class Transcript:
    """The turns of a conversation, and the programs that it ran."""

    said: list[Turn] = field(default_factory=list)
    traces: list[str] = field(default_factory=list)
    """The traces of the last programs that changed something, the latest last."""
    unsettled: Unsettled | None = None
    """The last request that may have been misread."""

    @property
    def latest(self) -> str:
        """The text of the last turn, in whose language what has no words of its own is told; empty
        if nothing has been said."""
        return self.said[-1].text if self.said else ""

    def say(self, text: str, ids: tuple[str, ...] = ()) -> None:
        """Record a turn, with the ids of the memories that it concerned, in place of the last one
        if that has the same text and no ids."""
        before = self.said[:-1] if self.said[-1:] == [Turn(text)] else self.said
        self.said = [*before, Turn(text, ids)][-REMEMBERED:]

    def changed(self, trace_id: str) -> None:
        """Record the trace of a program that changed something."""
        self.traces = [*self.traces, trace_id][-TRACES:]

    def took_back(self, trace_id: str) -> None:
        """Remove the trace of a program that was undone."""
        self.traces = [each for each in self.traces if each != trace_id]


def destroys(op: Op) -> bool:
    """Whether an op deletes or hides memories, at once or at a later time."""
    if isinstance(op, Demote):
        return op.archive
    if isinstance(op, Update):
        return "ttl" in op.edits or op.edits.get("expire_at") is not None
    return TRAITS[op.name].destroys


def _may_erase(op: Op) -> bool:
    """Whether an op erases memories, or may let them be erased by an end that it brings nearer."""
    return erases(op) or (isinstance(op, Update) and destroys(op))


@dataclass(frozen=True, slots=True)
class Dialogue:
    """The requests of a conversation, carried out on a memory.

    It keeps no question: the caller passes it back with the answer. Its methods raise what
    ``Memory.compile`` raises; a refusal of the store is a reply. Raises ConfigurationError for
    another value of ``asks``.
    """

    memory: Memory
    transcript: Transcript
    asks: Asks = "destroys"
    seed: int = 0
    budget: Budget | None = None

    def __post_init__(self) -> None:
        if self.asks not in get_args(Asks):
            raise ConfigurationError(
                f"asks is {self.asks!r:.40}", hint=f"write one of {', '.join(get_args(Asks))}"
            )

    # --- requests --------------------------------------------------------------------------

    def request(self, text: str, turns: tuple[Turn, ...] | None = None) -> Reply:
        """Compile a request and run it, or ask. ``turns`` replace the turns of the transcript."""
        turns = tuple(self.transcript.said) if turns is None else turns
        self.transcript.say(usable(text))
        compiled = self._compile(text, turns)
        if isinstance(compiled, Undo):
            if turns and turns[-1].question:
                return Reply(status="dropped", request=text)  # the program in question has not run
            return self.undo(request=text)
        return self._learn(self._reply_to(compiled, text, turns, self.carry_out))

    def _reply_to(
        self, compiled: Program | Clarification | Nothing, text: str, turns: tuple[Turn, ...],
        then: Callable[[Program, str, tuple[Turn, ...]], Reply],
    ) -> Reply:  # fmt: skip
        """The reply for a compiled request; for a program, what ``then`` returns."""
        if isinstance(compiled, Clarification):
            return self._clarify(compiled, text, turns)
        if isinstance(compiled, Nothing):
            return Reply(
                status="nothing", request=text, trace=compiled.trace, missing=compiled.missing
            )
        return then(compiled, text, turns)

    def _learn(self, reply: Reply) -> Reply:
        """Keep what a reply teaches, if the memory has a bank of experience. Return the reply."""
        if (bank := self.memory.experience) is not None:
            self.transcript.unsettled = learn(bank, self.transcript.unsettled, reply, self.memory)
        return reply

    def preview(self, text: str) -> Reply:
        """Ask whether to do what a request says. If it changes nothing, return its dry result."""
        turns = tuple(self.transcript.said)
        compiled = self._compile(text, turns)
        if isinstance(compiled, Undo):
            return self._of_last(lambda trace_id: self._offer_undo(trace_id, text))
        return self._reply_to(compiled, text, turns, self.offer)

    def _compile(self, text: str, turns: tuple[Turn, ...]) -> Compiled:
        return self.memory.compile(text, context=turns, seed=self.seed, budget=self.budget)

    def carry_out(self, program: Program, request: str = "", turns: tuple[Turn, ...] = ()) -> Reply:
        """Run a program, or ask first, as ``asks`` says."""
        if self.asks == "never" or _reads(program):
            return self.run(program, request, turns)
        if self.asks == "changes":
            return self.offer(program, request, turns)
        if any(map(destroys, program.ops)):
            reply = self.offer(program, request, turns)
            if reply.status != "done":
                return reply
        return self.run(program, request, turns)

    def run(self, program: Program, request: str = "", turns: tuple[Turn, ...] = ()) -> Reply:
        """Run a program. If the store needs a confirmation, ask, unless ``asks`` is "never"."""
        result = self._execute(program)
        if _unconfirmed(result) and self.asks != "never":
            return self.offer(program, request, turns)
        return self._finish(program, request, result)

    def _execute(
        self, program: Program, basis: str | None = None, *, confirmed: bool = False
    ) -> ProgramResult:
        """Run a program, unless the call has been cancelled."""
        check_cancelled.get()()
        return self.memory.execute(program, basis=basis, confirmed=confirmed)

    def _finish(self, program: Program, request: str, result: ProgramResult) -> Reply:
        """Return the reply for a result, and record the turn and the trace if it is ok."""
        if result.ok and request:
            self.transcript.say(request, touched(result))
        if result.ok and changes(result) and not result.dry_run:
            self.transcript.changed(result.trace_id)
        return Reply(
            status="done" if result.ok else "refused", request=request, program=program,
            result=result, trace=program.trace,
        )  # fmt: skip

    # --- questions -------------------------------------------------------------------------

    def offer(self, program: Program, request: str = "", turns: tuple[Turn, ...] = ()) -> Reply:
        """Ask whether to run a program, with its effect; the dry result, if it changes nothing."""
        shown = self.memory.preview(program)
        if shown.ok and not changes(shown):
            return Reply(
                status="done", request=request, program=program, result=shown, trace=program.trace
            )
        return self._ask(program, shown, request, turns)

    def _ask(
        self, program: Program, shown: ProgramResult, request: str, turns: tuple[Turn, ...], *,
        moved: bool = False,
    ) -> Reply:  # fmt: skip
        """Ask whether to run the program of a dry run; a refused dry run is the reply itself.
        ``moved`` says that the store has changed since the question was asked before."""
        if not shown.ok:
            return self._finish(program, request, shown)
        gone = any(map(destroys, program.ops))
        text = message("moved" if moved else "out-of-sight" if gone else "changing", request)
        before = (*turns, Turn(request)) if request else turns
        offer = self._make_offer(shown, request, program=program)
        question = Question(text, (offer,), request, (*before, _asking(text, shown)), moved=moved)
        return Reply(status="asked", request=request, question=question, trace=program.trace)

    def _make_offer(
        self, shown: ProgramResult, said: str, *, program: Program | None = None, undoes: str = ""
    ) -> Offer:
        """The offer to do what a dry run has shown, with its effect, a line each."""
        lines = effects(shown, self.memory.view(), said, self.memory.context.tz)
        return Offer(message("run-it", said), program, shown, "\n".join(lines), undoes)

    def _clarify(self, asked: Clarification, request: str, turns: tuple[Turn, ...]) -> Reply:
        """The reply for a question of the planner, with an offer for each of its options."""
        offers = tuple(
            Offer(
                each.label, each.program,
                None if _reads(each.program) else self.memory.preview(each.program),
                each.effect,
            )
            for each in asked.options
        )  # fmt: skip
        question = Question(asked.question, offers, request, (*turns, *asked.turns), asked)
        return Reply(status="asked", request=request, question=question, trace=asked.trace)

    def choose(self, question: Question, number: int) -> Reply:
        """Carry out an offer of a question, by its number from 1. DROP drops the question.

        If ``asks`` is "changes", an option that has told no effect is first asked about itself. An
        offer has exactly the effect that was shown; if the store has changed since, the question
        is asked again with the new effect. Raises NoSuchOption.
        """
        return self._learn(self._choose(question, number))

    def _choose(self, question: Question, number: int) -> Reply:
        if number == DROP:
            return Reply(status="dropped", request=question.request)
        offer, request = question.offer(number), question.request
        if offer.program is None:
            return self._take_back(offer.undoes, request, confirmed=True)
        if self.asks == "never" or _reads(offer.program):
            return self.run(offer.program, request, question.turns)
        if question.clarification is not None and self.asks == "changes" and not offer.effect:
            return self.carry_out(offer.program, request, question.turns)
        reason = question.clarification.reason if question.clarification is not None else "erases"
        # Who chose among memories has not been told that this one erases, now or by its end.
        agreed = reason == "erases" or not any(map(_may_erase, offer.program.ops))
        if offer.basis is not None:
            result = self._execute(offer.program, offer.basis, confirmed=agreed)
            if _unconfirmed(result):
                return self.offer(offer.program, request, question.turns)
            if result.error is None or result.error.code != "store-moved":
                return self._finish(offer.program, request, result)
        shown = self.memory.preview(offer.program)
        return self._ask(offer.program, shown, request, question.turns, moved=True)

    # --- taking back -----------------------------------------------------------------------

    def undo(self, trace_id: str | None = None, *, request: str = "") -> Reply:
        """Undo a program by its trace, else the last one of this conversation; ask first, if
        ``asks`` is "changes", or if the store needs a confirmation. Raises ExecutionError if there
        is no program to undo."""

        def undone(trace_id: str) -> Reply:
            if self.asks == "changes":
                return self._offer_undo(trace_id, request)
            reply = self._take_back(trace_id, request)
            unconfirmed = _unconfirmed(reply.result) and self.asks != "never"
            return self._offer_undo(trace_id, request) if unconfirmed else reply

        return self._learn(undone(trace_id) if trace_id else self._of_last(undone))

    def _of_last(self, then: Callable[[str], Reply]) -> Reply:
        """Call ``then`` with the last program that nobody has undone, or raise ExecutionError."""
        while self.transcript.traces:
            trace_id = self.transcript.traces[-1]
            reply = then(trace_id)
            error = reply.result.error if reply.result is not None else None
            if error is None or not (
                error.code == "no-such-trace"
                or stands_undone(trace_id, programs(self.memory.adapter, self.memory.context))
            ):
                return reply
            self.transcript.took_back(trace_id)
        raise ExecutionError(
            "no-such-trace", told("nothing-to-undo"),
            hint="an earlier program is taken back by its trace",
        )  # fmt: skip

    def _offer_undo(self, trace_id: str, request: str) -> Reply:
        """Ask whether to undo a program, and show what that would change."""
        shown = self.memory.undo(trace_id, dry_run=True)
        if not shown.ok:
            return Reply(status="refused", request=request, result=shown)
        said = request or self.transcript.latest
        text = message("taking-back", said)
        offer = self._make_offer(shown, said, undoes=trace_id)
        question = Question(text, (offer,), request, (*self.transcript.said, _asking(text, shown)))
        return Reply(status="asked", request=request, question=question)

    def _take_back(self, trace_id: str, request: str, *, confirmed: bool = False) -> Reply:
        check_cancelled.get()()
        result = self.memory.undo(trace_id, confirmed=confirmed)
        if result.ok and not result.dry_run:
            self.transcript.took_back(trace_id)
        return Reply(
            status="undone" if result.ok else "refused", request=request, result=result,
            undid=trace_id,
        )  # fmt: skip


def _reads(program: Program) -> bool:
    return all(op.name in READS for op in program.ops)


def _unconfirmed(result: ProgramResult | None) -> bool:
    """Whether the store has refused to run something until it is confirmed."""
    error = result.error if result is not None else None
    return error is not None and error.code == "needs-confirmation"


def _asking(text: str, shown: ProgramResult) -> Turn:
    """The turn of a question about a dry run."""
    ids = dict.fromkeys(id_ for step in shown.results for id_ in step.affected)
    return Turn(text, tuple(ids), question=True)
