"""Wild requests said in a conversation, as ``repl`` has it: what is asked is answered as the case
says."""

from __future__ import annotations

from dataclasses import dataclass, replace

from text2mem.adapters.base import Adapter
from text2mem.conversation import Conversation
from text2mem.errors import ENDING, Text2MemError
from text2mem.ir.context import ExecutionContext
from text2mem.ir.ports import Embedder
from text2mem.ir.turn import Turn
from text2mem.memory import Memory
from text2mem.providers.base import Provider
from text2mem_bench.wild.cases import Case
from text2mem_bench.wild.scoring import Answerer, Settled


@dataclass(frozen=True, slots=True)
class InRepl(Answerer):
    """Each request is the first line of a conversation, after the turns before it.

    Whoever asks says yes only to what the case asks for plainly (``ask`` is ``no``): to a program
    that is shown, and to a question that has one option. Any other question is dropped.
    With ``confirmed`` programs are run as they come, as by ``--yes``.
    """

    model: str | Provider | None = None
    embedder: Embedder | None = None
    seed: int = 0
    confirmed: bool = False

    def open(self, adapter: Adapter, asking: ExecutionContext) -> Memory:
        """The store with the model; nothing is confirmed but by ``repl`` itself."""
        return Memory(adapter, model=self.model, embedder=self.embedder, context=asking)

    def answer(self, case: Case, memory: Memory) -> Settled:
        agrees = case.ask == "no"
        if self.confirmed:
            memory.context = replace(memory.context, confirmed=True)
        talk = Conversation(memory, asks="never" if self.confirmed else "changes", seed=self.seed)
        talk.transcript.said = [Turn(text) for text in case.before]
        try:
            reply = talk.say(case.request)
        except ENDING:
            raise
        except Text2MemError as error:
            return Settled(status="no-program", error=error.message)
        asked = reply.question.clarification if reply.question is not None else None
        while reply.question is not None:
            plain = agrees and len(reply.question.offers) == 1
            reply = talk.answer(1) if plain else talk.drop()
        if asked is not None:
            return Settled(status="asked", question=asked.question)
        if not reply.ok:
            return Settled(status="no-program", error=str(reply))
        return Settled(status="ran" if talk.transcript.traces else "nothing")
