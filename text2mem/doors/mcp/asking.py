"""Requests in words: compiled, shown where something would be gone, and run when that is agreed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from text2mem.clarification import Clarification
from text2mem.doors.mcp.conversation import Conversation, Mint, Offer, Pending, mint, until
from text2mem.doors.mcp.replies import DROP, chosen, question, read_reply
from text2mem.doors.mcp.store import Store
from text2mem.doors.mcp.wording import Answer, line, outcome, refused
from text2mem.doors.mcp.wording import shown as shown_row
from text2mem.errors import ExecutionError
from text2mem.ir.effects import changes, touched
from text2mem.ir.ops import READS, Delete, Demote, Expire, Merge, Op, Update
from text2mem.ir.record import as_row
from text2mem.ir.result import ProgramResult
from text2mem.ir.turn import Turn
from text2mem.outcome import Nothing, Undo
from text2mem.planner.messages import message
from text2mem.program import Program

_CONFIRM = "Something would be gone or out of sight. Shall this run?"
_PREVIEWED = "Nothing has been changed. This is what it would do:"
_MOVED = (
    "Nothing was run: the store has changed since this was shown. This is what it would do now:"
)
_RUN = "run it"
_NAMED = 12
"""How many memories a question names."""


def destroys(op: Op) -> bool:
    """Whether memories are gone or out of sight after an op, now or later."""
    if isinstance(op, Demote):
        return op.archive
    if isinstance(op, Update):
        return "ttl" in op.edits or op.edits.get("expire_at") is not None
    return isinstance(op, Delete | Expire | Merge)


class Asking:
    """``ask_memory``, ``preview``, ``confirm``, and what other verbs need of them."""

    def __init__(self, store: Store, mint: Mint = mint) -> None:
        self.store = store
        self._mint = mint

    # --- the verbs -------------------------------------------------------------------------

    def ask_memory(
        self, talk: Conversation, request: str, confirm_token: str | None = None
    ) -> Answer:
        """Compile a request and run it; with a token, it is the reply to that question."""
        with self.store:
            if confirm_token is not None:
                return self._reply(talk, confirm_token, request)
            return self._request(talk, request, tuple(talk.said))

    def preview(self, talk: Conversation, request: str) -> Answer:
        """What a request would do."""
        with self.store:
            turns = tuple(talk.said)
            compiled = self.store.compile(request, turns)
            if isinstance(compiled, Clarification):
                return self._clarify(talk, compiled, turns, elicit=False)
            if isinstance(compiled, Undo):
                return self._would_undo(talk)
            if isinstance(compiled, Nothing):
                return _nothing(request)
            return self.offer(talk, compiled, request, turns, status="previewed")

    def confirm(self, talk: Conversation, token: str, choice: int | None = None) -> Answer:
        """Run what a token stands for: its only program, or the one that is chosen; 0 drops it.

        Raises TokenRefused, NoSuchOption, ChoiceNeeded; after the last two the token stays good.
        """
        with self.store:
            return self._confirmed(talk, token, choice)

    def drop(self, talk: Conversation, token: str) -> Answer:
        """Nobody wants it: the token is spent, and nothing is run."""
        return self.confirm(talk, token, DROP)

    # --- requests --------------------------------------------------------------------------

    def _request(self, talk: Conversation, request: str, turns: tuple[Turn, ...]) -> Answer:
        compiled = self.store.compile(request, turns)
        talk.say(request)
        if isinstance(compiled, Clarification):
            return self._clarify(talk, compiled, turns)
        if isinstance(compiled, Undo):
            return self.take_back(talk, None)
        if isinstance(compiled, Nothing):
            return _nothing(request)
        if any(map(destroys, compiled.ops)):
            return self.offer(talk, compiled, request, turns)
        return self.run(talk, compiled, request, turns)

    def run(
        self, talk: Conversation, program: Program, request: str, turns: Sequence[Turn] = ()
    ) -> Answer:
        """Run a program; what the store wants confirmed becomes a question. The store is held."""
        result = self.store.memory.execute(program)
        if result.error is not None and result.error.code == "needs-confirmation":
            return self.offer(talk, program, request, turns)
        return self._done(talk, program, request, result)

    def _done(
        self, talk: Conversation, program: Program, request: str, result: ProgramResult
    ) -> Answer:
        if result.error is not None:
            return refused(result.error)
        if request:
            talk.say(request, touched(result))
        lines = [outcome(result), *(f"note: {line(each.message)}" for each in program.warnings)]
        if changes(result) and not result.dry_run:
            talk.changed(result.trace_id)
            lines.append(f"trace {result.trace_id}")
        return Answer(
            "\n".join(lines),
            {"status": "done", "program": program.to_list(), "result": result.as_dict()},
        )

    # --- questions -------------------------------------------------------------------------

    def offer(
        self, talk: Conversation, program: Program, request: str, turns: Sequence[Turn] = (), *,
        status: str = "needs_confirmation", moved: bool = False,
    ) -> Answer:  # fmt: skip
        """A program with its effect, and a token that runs it. The store is held.

        One that would change nothing is not asked about.
        """
        shown = self.store.agreed.preview(program)
        if shown.error is not None:
            return refused(shown.error)
        if not changes(shown):
            if status == "previewed":
                told = {"status": status, "program": program.to_list(), "result": shown.as_dict()}
                return Answer(outcome(shown), told)
            return self._done(talk, program, request, self.store.memory.execute(program))
        opening = _MOVED if moved else _PREVIEWED if status == "previewed" else _CONFIRM
        ids = tuple(dict.fromkeys(id_ for step in shown.results for id_ in step.affected))
        meant = self._rows(ids)
        text = "\n".join((opening, *map(shown_row, meant), outcome(shown)))
        offers = (Offer(_RUN, program, shown.basis, outcome(shown)),)
        asked = Turn(opening, ids, question=True)
        request_turns = (Turn(request),) if request else ()
        token = self._wait(talk, text, offers, request, (*turns, *request_turns, asked))
        data: dict[str, Any] = {
            "status": status, "moved": moved, "question": opening, "program": program.to_list(),
            "memories": meant, "result": shown.as_dict(),
        }  # fmt: skip
        return question(text, offers, token, data, elicit=status != "previewed")

    def _rows(self, ids: Sequence[str]) -> list[dict[str, Any]]:
        """The memories that a program is about, as far as a question names them."""
        found = self.store.memory.view().find(ids[:_NAMED])
        return [as_row(found[id_]) for id_ in ids[:_NAMED] if id_ in found]

    def _clarify(
        self, talk: Conversation, asked: Clarification, turns: tuple[Turn, ...], *,
        elicit: bool = True,
    ) -> Answer:  # fmt: skip
        offers = tuple(
            Offer(each.label, each.program, shown.basis if shown.ok else None, each.effect)
            for each in asked.options
            for shown in [self.store.agreed.preview(each.program)]
        )
        turns = (*turns, *asked.turns)
        token = self._wait(talk, asked.question, offers, asked.utterance or "", turns)
        lines = [asked.question]
        for number, each in enumerate(offers, 1):
            lines.append(
                f"{number}. {line(each.label)}{f' ({each.effect})' if each.effect else ''}"
            )
        for one in asked.candidates:
            lines.append(f"  [m{one.get('id', '?')}] {line(one.get('text', ''))}")
        return question("\n".join(lines), offers, token, asked.as_dict(), elicit=elicit)

    def _wait(
        self, talk: Conversation, question: str, offers: tuple[Offer, ...], request: str,
        turns: tuple[Turn, ...],
    ) -> str:  # fmt: skip
        token = self._mint()
        end = until(self.store.context.clock)
        talk.wait(token, Pending(question, offers, request, turns, end))
        return token

    # --- replies ---------------------------------------------------------------------------

    def _reply(self, talk: Conversation, token: str, words: str) -> Answer:
        """What words in reply to a question mean: an option, dropping it, or something else."""
        pending = talk.waiting(token, self.store.context.clock.now())
        choice = read_reply(words, pending)
        if choice is not None:
            return self._confirmed(talk, token, choice)
        talk.spend(token)
        return self._request(talk, words, pending.turns)

    def _confirmed(self, talk: Conversation, token: str, choice: int | None) -> Answer:
        pending = talk.waiting(token, self.store.context.clock.now())
        if choice == DROP:
            talk.spend(token)
            return Answer("Dropped: nothing was run.", {"status": "dropped"})
        offer = chosen(pending, choice)
        talk.spend(token)
        return self._carry_out(talk, pending, offer)

    def _carry_out(self, talk: Conversation, pending: Pending, offer: Offer) -> Answer:
        """Run what was shown; where the store has moved since, show it again."""
        if all(op.name in READS for op in offer.program.ops):
            return self.run(talk, offer.program, pending.request)
        if offer.basis is not None:
            result = self.store.agreed.execute(offer.program, basis=offer.basis)
            if result.error is None or result.error.code != "store-moved":
                return self._done(talk, offer.program, pending.request, result)
        return self.offer(talk, offer.program, pending.request, pending.turns, moved=True)

    # --- taking back -----------------------------------------------------------------------

    def take_back(self, talk: Conversation, trace_id: str | None) -> Answer:
        """Undo a program, or this conversation's last. The store is held."""
        trace = trace_id or _last(talk)
        result = self.store.memory.undo(trace)
        if result.error is not None:
            return refused(result.error)
        talk.traces = [each for each in talk.traces if each != trace]
        return Answer(
            f"{outcome(result)}\ntaken back: {trace}\ntrace {result.trace_id}",
            {"status": "undone", "undone": trace, "result": result.as_dict()},
        )

    def _would_undo(self, talk: Conversation) -> Answer:
        from text2mem.executor import undo

        trace = _last(talk)
        result = undo(trace, self.store.memory.adapter, self.store.context.dry())
        if result.error is not None:
            return refused(result.error)
        data = {"status": "previewed", "undo": trace, "result": result.as_dict()}
        return Answer(f"{outcome(result)}\nundo(trace_id={trace!r}) does it", data)


def _last(talk: Conversation) -> str:
    if not talk.traces:
        raise ExecutionError(
            "no-such-trace", "this conversation has changed nothing that could be taken back",
            hint="undo(trace_id) takes back an earlier program; history(id) names its traces",
        )  # fmt: skip
    return talk.traces[-1]


def _nothing(request: str) -> Answer:
    return Answer(message("nothing", request), {"status": "nothing"})
