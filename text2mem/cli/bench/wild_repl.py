"""Wild requests said in ``repl``: what is asked is answered as the case has it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from click.testing import CliRunner

from text2mem.adapters.base import Adapter
from text2mem.bench.wild import Answerer, Case, Settled
from text2mem.cli.repl_ import Talk
from text2mem.ir.context import ExecutionContext
from text2mem.ir.ports import Embedder
from text2mem.ir.turn import Turn
from text2mem.memory import Memory
from text2mem.planner import Budget
from text2mem.providers.base import Provider


@dataclass(frozen=True, slots=True)
class InRepl(Answerer):
    """Each request is the first line of a conversation, after the turns before it.

    Whoever asks says yes only to what the case asks for plainly (``ask`` is ``no``): to a program
    that is shown, and to a question that has one option. Any other question gets an empty line.
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
        """What became of the conversation."""
        agrees = case.ask == "no"
        if self.confirmed:
            memory.context = replace(memory.context, confirmed=True)
        talk = Talk(
            memory, self.seed, Budget(), ask=not self.confirmed, agree=lambda: agrees,
            said=[Turn(text) for text in case.before],
        )  # fmt: skip
        with CliRunner().isolation() as streams:
            done = talk.turn(case.request)
            asked = talk.open.asked if talk.open is not None else None
            if asked is not None:
                talk.turn("yes" if agrees and len(asked.options) == 1 else "")
            told = streams[1].getvalue().decode()
        if asked is not None:
            return Settled(status="asked", question=asked.question)
        if not done:
            return Settled(status="no-program", error=told.strip())
        return Settled(status="ran" if talk.traces else "nothing")
