"""The tools as methods: they take arguments and return an answer. No protocol or SDK is used."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from text2mem.conversation.answers import choice as chosen_by
from text2mem.conversation.dialogue import Dialogue
from text2mem.conversation.reply import DROP, Offer, Question, Reply
from text2mem.doors.agent.shared_memory import SharedMemory
from text2mem.doors.agent.talk import HOLDS, Talk, TokenRefused
from text2mem.doors.agent.wording import (
    LONG,
    Form,
    ToolAnswer,
    cited,
    failure,
    line,
    outcome,
    shown,
)
from text2mem.errors import ChoiceNeeded, ExecutionError
from text2mem.ir.effects import changes
from text2mem.ir.record import as_row
from text2mem.messages import message
from text2mem.planner.effects import InWords
from text2mem.program import Program

NEAREST = 5
"""How many notes ``recall`` returns by default."""
_INEXACT = {"related": "No exact answer. Related facts:", "search": "No exact answer. Found:"}
_ENTRIES, _NAMED = 20, 12
"""The most changes in the text of ``history``, the last ones; the most memories of a question."""
_UNAGREED = "It is the user's to decide: no tool here runs it."


class Verbs:
    """The tools of an agent on one store, a method each. They raise Text2MemErrors. Unless the
    agent ``agrees``, no method runs what a question offers."""

    def __init__(self, shared: SharedMemory, *, agrees: bool = True) -> None:
        self.shared = shared
        self._agrees = agrees

    # --- requests in words -----------------------------------------------------------------

    def ask_memory(self, talk: Talk, request: str, confirm_token: str | None = None) -> ToolAnswer:
        """Compile a request and run it. With a token, ``request`` is the reply to its question."""
        with self.shared:
            dialogue = self.shared.dialogue(talk)
            if confirm_token is None:
                return self._answer(talk, dialogue.request(request))
            asked = self._question_of(talk, confirm_token)
            number = chosen_by(request, asked)
            if number is not None:
                return self._choose(talk, dialogue, confirm_token, asked, number)
            with talk.spending(confirm_token):
                reply = dialogue.request(request, asked.turns)
            return self._answer(talk, reply)

    def preview(self, talk: Talk, request: str) -> ToolAnswer:
        """The effect that a request would have, with a token by which ``confirm`` runs it."""
        with self.shared:
            return self._previewed(talk, self.shared.dialogue(talk).preview(request))

    def confirm(self, talk: Talk, token: str, choice: int | None = None) -> ToolAnswer:
        """Run the offer ``choice`` (from 1, by default the only one) of a token's question, or drop
        it (0). Raises TokenRefused, and NoSuchOption or ChoiceNeeded, which leave the token valid.
        """
        with self.shared:
            asked = self._question_of(talk, token)
            number = _choice_of(asked, choice)
            return self._choose(talk, self.shared.dialogue(talk), token, asked, number)

    def _question_of(self, talk: Talk, token: str) -> Question:
        """The question of a token, which stays valid. Raises TokenRefused."""
        return talk.outcome(token, self.shared.context.clock.now()).question

    def _choose(
        self, talk: Talk, dialogue: Dialogue, token: str, asked: Question, number: int
    ) -> ToolAnswer:
        """Run an offer of a question, or drop the question, and make its token invalid."""
        if number != DROP:
            asked.offer(number)
            if not self._agrees:
                raise TokenRefused("no tool here runs what a question offers", hint=_UNAGREED)
        with talk.spending(token):
            reply = dialogue.choose(asked, number)
        return self._answer(talk, reply)

    # --- everything else -------------------------------------------------------------------

    def remember(self, talk: Talk, text: str, tags: Sequence[str] = ()) -> ToolAnswer:
        """Store a text as it is, as a new memory."""
        args = {"payload": {"text": text}, **({"tags": list(tags)} if tags else {})}
        program = self._loaded([{"stage": "ENC", "op": "Encode", "args": args}])
        with self.shared:
            program = self.shared.memory.with_facts(program)
            return self._answer(talk, self.shared.dialogue(talk).run(program, text))

    def recall(self, talk: Talk, question: str, k: int = NEAREST) -> ToolAnswer:
        """The facts that answer a question, with their sources, and the ``k`` nearest notes that
        they do not cite."""
        with self.shared:
            memory = self.shared.memory
            found = memory.recall(question)
            cited = {id_ for each in found.lines for id_ in each.records}
            cited |= {fact.id for fact in found.facts}
            near = memory.ledger.search(question, limit=k + len(cited))
            notes = [pair for pair in near if pair[0].id not in cited][:k]
            ids = cited | {record.id for record, _ in notes}
            talk.say(question, tuple(sorted(ids, key=int)))
        lines = [line(each.text, 2_000) for each in found.lines]
        if lines and found.found in _INEXACT:
            lines.insert(0, _INEXACT[found.found])
        rows = [{**as_row(record), "score": round(score, 6)} for record, score in notes]
        if rows:
            lines.append("Nearest notes:")
        for row in rows:
            lines.append(f"{shown(row)}  ({row['time']})" if row["time"] else shown(row))
        data = found.as_dict() | {"status": "recalled", "known": bool(lines), "notes": rows}
        return ToolAnswer("\n".join(lines) or "Nothing is known about this.", data)

    def undo(self, talk: Talk, trace_id: str | None = None) -> ToolAnswer:
        """Undo a program by its trace, or else the last one of this conversation."""
        with self.shared:
            return self._answer(talk, self.shared.dialogue(talk).undo(trace_id))

    def history(self, talk: Talk, id: str) -> ToolAnswer:
        """A memory and its journal entries, oldest first. Raises ExecutionError "not-found"."""
        id = cited(id)
        with self.shared:
            record = self.shared.memory.show(id)
            entries = self.shared.memory.history(id)
        if record is None and not entries:
            raise ExecutionError("not-found", f"there is no memory {line(id)} to tell of")
        if record is None:
            lines = [f"memory {id} is gone"]
        else:
            state = "deleted" if record.deleted else "archived" if record.archived else "active"
            lines = [f"{shown(as_row(record))}  ({state})"]
        if len(entries) > _ENTRIES:
            lines.append(f"({len(entries) - _ENTRIES} earlier changes are left out)")
        for entry in entries[-_ENTRIES:]:
            head, changes = entry.in_words(lambda _, value: line(value))
            lines += [line(head), *(f"  {each}" for each in changes)]
        data = {
            "status": "history", "entries": [entry.as_dict() for entry in entries],
            "memory": None if record is None else {
                **as_row(record), "deleted": record.deleted, "archived": record.archived,
            },
        }  # fmt: skip
        return ToolAnswer("\n".join(lines), data)

    def run_program(self, talk: Talk, program: Sequence[Any], dry_run: bool = False) -> ToolAnswer:
        """Run a typed program; of a dry run, show the effect, with a token for ``confirm``."""
        loaded = self._loaded(list(program))
        with self.shared:
            dialogue = self.shared.dialogue(talk)
            if dry_run:
                return self._previewed(talk, dialogue.offer(loaded))
            return self._answer(talk, dialogue.run(loaded))

    def _loaded(self, document: list[Any]) -> Program:
        context = self.shared.context
        return Program.load(document, now=context.clock.now(), tz=context.tz)

    # --- answers; the store is locked --------------------------------------------------------

    def _answer(self, talk: Talk, reply: Reply) -> ToolAnswer:
        """The answer for a reply. If the reply is a question, it is kept under a new token."""
        if reply.question is not None:
            return self._question(talk, reply, reply.question)
        if reply.result is None:
            return ToolAnswer(str(reply), {"status": reply.status})
        if reply.result.error is not None:
            return failure(reply.result.error.as_error(), reply.request)
        said = reply.request
        lines = [outcome(reply.result, InWords(self.shared.context.tz, said))]
        lines += [message("note", said, words=line(each.message)) for each in reply.warnings]
        if reply.status == "undone":
            lines.append(f"taken back: {reply.undid}")
        if changes(reply.result) and not reply.result.dry_run:
            lines.append(f"trace {reply.result.trace_id}")
        data = {
            "status": reply.status, **_program(reply.program, undone=reply.undid),
            "result": reply.result.as_dict(),
        }  # fmt: skip
        return ToolAnswer("\n".join(lines), data)

    def _previewed(self, talk: Talk, reply: Reply) -> ToolAnswer:
        """The answer for the reply of a preview. Its question comes without a form."""
        if reply.question is not None:
            return self._question(talk, reply, reply.question, preview=True)
        answer = self._answer(talk, reply)
        if reply.status != "done":
            return answer
        return ToolAnswer(answer.text, {**answer.data, "status": "previewed"})

    def _question(
        self, talk: Talk, reply: Reply, asked: Question, *, preview: bool = False
    ) -> ToolAnswer:
        """Keep a question under a new token. Unless it is a preview, its answer has a form."""
        request, offers = reply.request, asked.offers
        token = talk.keep(request, reply, self.shared.context.clock.now())
        if asked.clarification is not None:
            options = enumerate(asked.clarification.options, 1)
            lines = [
                asked.text,
                *(f"{n}. {line(str(each), LONG)}" for n, each in options),
                *(f"  [m{m.get('id', '?')}] {line(m.get('text', ''))}" for m in asked.candidates),
            ]
            shown_as = asked.clarification.as_dict()
        else:
            lines, shown_as = self._effect(request, asked, preview=preview)
        data = {
            **shown_as,
            "options": [
                {"choice": number, "label": each.label, "effect": each.effect}
                for number, each in enumerate(offers, 1)
            ],
            "token": token, "expires_in": int(HOLDS.total_seconds()),
        }  # fmt: skip
        labels = tuple(
            line(message("option", request, label=each.label, effect=each.effect), LONG)
            if each.effect
            else line(each.label, LONG)
            for each in offers
        )
        text = "\n".join(lines)
        form = None if preview else Form(text, labels, token, message("answer", request))
        return ToolAnswer(f"{text}\n{self._how(offers, token)}", data, form=form)

    def _effect(
        self, request: str, asked: Question, *, preview: bool
    ) -> tuple[list[str], dict[str, Any]]:
        """The effect of the one program that a question offers, in lines and as JSON."""
        (offer,) = asked.offers
        assert offer.shown is not None
        opening = message("previewed", request) if preview else asked.text
        named = self.shared.memory.view().find(asked.ids[:_NAMED])
        rows = [as_row(named[id_]) for id_ in asked.ids[:_NAMED] if id_ in named]
        lines = [opening, *map(shown, rows)]
        lines += [f"  {line(each, LONG)}" for each in offer.effect.splitlines()]
        if offer.undoes:
            lines.append(f"takes back: {offer.undoes}")
        return lines, {
            "status": "previewed" if preview else "needs_confirmation", "moved": asked.moved,
            "question": opening, "memories": rows, "result": offer.shown.as_dict(),
            **_program(offer.program, undo=offer.undoes),
        }  # fmt: skip

    def _how(self, offers: Sequence[Offer], token: str) -> str:
        """The sentence that says which call answers a question."""
        if not offers:
            return f'ask_memory(request=ANSWER, confirm_token="{token}") answers it.'
        if not self._agrees:
            return _UNAGREED
        number = "1" if len(offers) == 1 else "NUMBER"
        return f'confirm(token="{token}", choice={number}) runs it; choice={DROP} drops it.'


def _program(program: Program | None, **taken_back: str) -> dict[str, Any]:
    """The program for an answer's data; for an undo, ``taken_back``: its trace."""
    return taken_back if program is None else {"program": program.to_list()}


def _choice_of(question: Question, choice: int | None) -> int:
    """The number of the chosen offer; for None, of the only one. Raises ChoiceNeeded."""
    if choice == DROP:
        return DROP
    if not question.offers:
        raise ChoiceNeeded(
            "this question has no options: it is answered in words",
            hint="ask_memory(request=the answer, confirm_token=this token)",
        )
    if choice is None and len(question.offers) > 1:
        raise ChoiceNeeded(
            f"there are {len(question.offers)} options, and none was chosen",
            hint="confirm(token, choice=the number of one)",
        )
    return 1 if choice is None else choice
