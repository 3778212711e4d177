"""Requests said in a conversation: answered as the case says, or with what tellings taught."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from text2mem.adapters.base import Adapter
from text2mem.adapters.registry import open_adapter
from text2mem.conversation import Conversation
from text2mem.errors import ENDING, Text2MemError
from text2mem.experience import Bank
from text2mem.ir.context import SUFFIX, ExecutionContext
from text2mem.ir.ports import Embedder
from text2mem.ir.turn import Turn
from text2mem.memory import Memory
from text2mem.providers.base import Provider
from text2mem_bench.wild.cases import Case, Learnt, Store
from text2mem_bench.wild.scoring import Answerer, ByModel, Settled
from text2mem_bench.wild.world import Worlds, context


@dataclass(frozen=True, slots=True, kw_only=True)
class ByLearning(ByModel):
    """As ``ByModel``, with a bank a store. Before the first request on a store each of its words is
    said and told on a copy: what was done and not understood is taken back, then told in other
    words; a question of one option is agreed to."""

    stores: Mapping[str, Store]
    cases: Sequence[Case]
    worlds: Worlds
    _banks: dict[str, Bank] = field(default_factory=dict)

    def answer(self, case: Case, memory: Memory) -> Any:
        if case.store not in self._banks:
            self._banks[case.store] = self._taught(self.stores[case.store])
        memory.experience = self._banks[case.store]
        return super(ByLearning, self).answer(case, memory)

    def _taught(self, store: Store) -> Bank:
        adapter = open_adapter("memory:", tenant=f"{context(store).tenant}{SUFFIX}")
        bank = Bank(adapter, context(store), self.embedder)
        for case in self.cases:
            if case.store == store.store and case.learnt is not None:
                self._tell(case.learnt, store, bank)
        return bank

    def _tell(self, learnt: Learnt, store: Store, bank: Bank) -> None:
        with self.worlds.of(store) as adapter:
            memory = self.open(adapter, context(store, confirmed=True))
            memory.experience = bank
            talk = Conversation(memory, asks="never", seed=self.seed)
            try:
                reply = talk.say(learnt.request)
                if talk.transcript.traces:
                    talk.undo()
                reply = talk.say(learnt.told)
                if reply.question is not None and len(reply.question.offers) == 1:
                    talk.answer(1)
            except ENDING:
                raise
            except Text2MemError:
                return


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
