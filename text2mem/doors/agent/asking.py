"""Requests in words: what the conversation answers, with a token for what waits."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from text2mem.conversation.dialogue import Dialogue
from text2mem.conversation.replies import choice as chosen_by
from text2mem.conversation.reply import DROP, Question, Reply
from text2mem.doors.agent.conversation import HOLDS, Conversation, Mint, Pending, TokenRefused, mint
from text2mem.doors.agent.replies import UNAGREED, choice_of, question
from text2mem.doors.agent.store import Store
from text2mem.doors.agent.wording import LONG, Answer, failure, line, outcome, shown
from text2mem.ir.effects import changes
from text2mem.ir.record import as_row
from text2mem.planner.messages import message
from text2mem.program import Program

_NAMED = 12
"""How many memories a question names."""


class Asking:
    """``ask_memory``, ``preview``, ``confirm``, and what other verbs need of them.

    Without ``agrees`` nothing that a question offers is run: a yes comes from elsewhere.
    """

    def __init__(self, store: Store, mint: Mint = mint, *, agrees: bool = True) -> None:
        self.store = store
        self._mint = mint
        self._agrees = agrees

    # --- the verbs -------------------------------------------------------------------------

    def ask_memory(
        self, talk: Conversation, request: str, confirm_token: str | None = None
    ) -> Answer:
        """Compile a request and run it; with a token, it is the reply to that question."""
        with self.store:
            dialogue = self.store.dialogue(talk)
            if confirm_token is None:
                return self.answer(talk, dialogue.request(request))
            asked = self._asked(talk, confirm_token)
            number = chosen_by(request, asked)
            if number is not None:
                return self._chosen(talk, dialogue, confirm_token, number)
            talk.spend(confirm_token)
            return self.answer(talk, dialogue.request(request, asked.turns))

    def preview(self, talk: Conversation, request: str) -> Answer:
        """What a request would do."""
        with self.store:
            return self.previewed(talk, self.store.dialogue(talk).preview(request))

    def confirm(self, talk: Conversation, token: str, choice: int | None = None) -> Answer:
        """Run what a token stands for: its only program, or the one that is chosen; 0 drops it.

        Raises TokenRefused, NoSuchOption, ChoiceNeeded; after the last two the token stays good.
        """
        with self.store:
            number = choice_of(self._asked(talk, token), choice)
            return self._chosen(talk, self.store.dialogue(talk), token, number)

    def _asked(self, talk: Conversation, token: str) -> Question:
        return talk.waiting(token, self.store.context.clock.now()).question

    def _chosen(self, talk: Conversation, dialogue: Dialogue, token: str, number: int) -> Answer:
        asked = self._asked(talk, token)
        if number != DROP:
            asked.offer(number)
            if not self._agrees:
                raise TokenRefused("no tool here runs what a question offers", hint=UNAGREED)
        talk.spend(token)
        return self.answer(talk, dialogue.choose(asked, number))

    # --- answers ---------------------------------------------------------------------------

    def answer(self, talk: Conversation, reply: Reply) -> Answer:
        """What a request came to. The store is held."""
        if reply.question is not None:
            return self._question(talk, reply, reply.question)
        if reply.result is None:
            return Answer(str(reply), {"status": reply.status})
        if reply.result.error is not None:
            return failure(reply.result.error.as_error())
        kept = changes(reply.result) and not reply.result.dry_run
        lines = [outcome(reply.result)]
        lines += [f"note: {line(each.message)}" for each in reply.warnings]
        if reply.status == "undone":
            lines.append(f"taken back: {reply.undid}")
        if kept:
            lines.append(f"trace {reply.result.trace_id}")
        done = (
            {"undone": reply.undid} if reply.program is None
            else {"program": reply.program.to_list()}
        )  # fmt: skip
        data = {"status": reply.status, **done, "result": reply.result.as_dict()}
        return Answer("\n".join(lines), data)

    def previewed(self, talk: Conversation, reply: Reply) -> Answer:
        """What a request or a program would do: nobody is asked. The store is held."""
        if reply.question is not None:
            return self._question(talk, reply, reply.question, preview=True)
        answer = self.answer(talk, reply)
        if reply.status != "done":
            return answer
        return Answer(answer.text, {**answer.data, "status": "previewed"})

    def _question(
        self, talk: Conversation, reply: Reply, asked: Question, *, preview: bool = False
    ) -> Answer:
        token = self._mint()
        put = partial(question, elicit=not preview, agrees=self._agrees)
        talk.wait(token, Pending(self.store.context.clock.now() + HOLDS, reply.request, reply))
        if asked.asked is not None:
            options = [
                f"{n}. {line(str(each), LONG)}" for n, each in enumerate(asked.asked.options, 1)
            ]
            meant = [
                f"  [m{one.get('id', '?')}] {line(one.get('text', ''))}" for one in asked.candidates
            ]
            text = "\n".join((asked.text, *options, *meant))
            told = asked.asked.as_dict()
            return put(text, asked.offers, token, told, reply.request)
        (offer,) = asked.offers
        assert offer.shown is not None
        rows = self._rows(asked.ids)
        opening = message("previewed", reply.request) if preview else asked.text
        would = (f"  {line(each, LONG)}" for each in offer.effect.splitlines())
        lines = [opening, *map(shown, rows), *would]
        if offer.undoes:
            lines.append(f"takes back: {offer.undoes}")
        data: dict[str, Any] = {
            "status": "previewed" if preview else "needs_confirmation", "moved": asked.moved,
            "question": opening, "memories": rows, "result": offer.shown.as_dict(),
            **({"undo": offer.undoes} if offer.program is None
               else {"program": offer.program.to_list()}),
        }  # fmt: skip
        return put("\n".join(lines), asked.offers, token, data, reply.request)

    def _rows(self, ids: Sequence[str]) -> list[dict[str, Any]]:
        """The memories that a program is about, as far as a question names them."""
        found = self.store.memory.view().find(ids[:_NAMED])
        return [as_row(found[id_]) for id_ in ids[:_NAMED] if id_ in found]

    # --- programs --------------------------------------------------------------------------

    def run(self, talk: Conversation, program: Program, request: str = "") -> Answer:
        """Run a program; what the store wants confirmed becomes a question. The store is held."""
        return self.answer(talk, self.store.dialogue(talk).run(program, request))
