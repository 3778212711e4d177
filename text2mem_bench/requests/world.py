"""A request about a store as a world: the reader drafts, code tries it dry, asks, and submits.

What the agent does next is decided by rule, since the shipped reader writes drafts alone: what is
unclear, or like a turn in which asking helped, is asked about; everything else is submitted.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from text2mem.compiled import Clarification
from text2mem.errors import ENDING, Text2MemError
from text2mem.ir.ports import Embedder
from text2mem.memory import Memory
from text2mem.pipeline import compile
from text2mem.planner.ask import Example
from text2mem.planner.draft import Draft, read_draft
from text2mem.program import Program
from text2mem.providers.base import Provider
from text2mem.running import previewing
from text2mem_bench.agent.loop import Action, Cost, Hints, Observation, State
from text2mem_bench.wild.cases import Case, Store
from text2mem_bench.wild.scoring import Scripted, play
from text2mem_bench.wild.world import Worlds, context

COSTS: Mapping[str, Cost] = {
    "look": "free", "draft": "try", "dry_run": "free", "ask": "ask", "submit": "submit",
}  # fmt: skip
ASK, SHOWN = "ask", 3
_NO_MORE = "I cannot say it any better."


@dataclass(slots=True)
class RequestWorld:
    """``case`` says what is meant, by its effect on a fresh copy of ``store``."""

    case: Case
    store: Store
    worlds: Worlds
    model: Provider
    embedder: Embedder | None = None
    seed: int = 0
    costs: Mapping[str, Cost] = field(default_factory=lambda: COSTS)
    drafted: object = None
    told: Example | None = None
    explained: bool = False

    @property
    def request(self) -> str:
        """What the person said."""
        return self.case.request

    @property
    def place(self) -> str:
        return self.store.store

    def possible(self, state: State) -> Sequence[str]:
        """What there is budget for; nothing once it was submitted in vain and was asked about."""
        done = [step.action.name for step in state.steps]
        if done[-1:] == ["submit"] and ASK in done:
            return ()
        return [name for name, cost in COSTS.items() if state.left.allows(cost)]

    def decide(self, state: State, hints: Hints) -> Action:
        """Draft; look where nothing was found; ask where it is unclear, or once where a memory of
        this turn says so; else try it dry and submit it."""
        last = state.steps[-1].action.name if state.steps else ""
        asked = any(step.action.name == ASK for step in state.steps)
        if last in ("", "look") or (last == ASK and not isinstance(self.drafted, Program)):
            self._example(hints)
            return Action("draft", self.request)
        if last == "draft" and isinstance(self.drafted, Program):
            return Action("dry_run")
        if last == "draft" and self.drafted is None and not asked:
            return Action(ASK, self.request)
        if last == "draft" and not isinstance(self.drafted, Clarification):
            return Action("look", self.request)
        if last == "dry_run" and hints.turn.startswith(ASK) and not asked:
            self.drafted = None
            return Action(ASK, self.request)
        if last in ("dry_run", ASK):
            return Action("submit")
        return Action(ASK, str(getattr(self.drafted, "question", self.request)))

    def act(self, action: Action) -> Observation:
        """Do it; nothing but what is submitted is done to the store, and that to a copy."""
        return {
            "look": self._looked, "draft": self._draft, "dry_run": self._dry_run,
            "ask": self._asked, "submit": self._submitted,
        }[action.name](action.text)  # fmt: skip

    def written(self, action: Action) -> str:
        return f"{action.name} {action.text}".strip()

    def _example(self, hints: Hints) -> None:
        request, _, dump = hints.episode.partition("\n")
        if self.told is None and dump:
            draft = read_draft(json.loads(dump))
            self.told = Example(request, draft) if isinstance(draft, Draft) else None

    def _looked(self, words: str) -> Observation:
        with self.worlds.of(self.store) as adapter:
            hits = adapter.view(context(self.store)).search(words, limit=SHOWN)
        return Observation("\n".join(record.text for record in hits), ok=bool(hits))

    def _draft(self, text: str) -> Observation:
        self.drafted = self._compiled(text, self.told)
        ok = isinstance(self.drafted, Program)
        return Observation(str(self.drafted or "that cannot be read"), ok=ok)

    def _read(self, text: str) -> Draft | None:
        """What the reader makes of other words; None where it makes nothing of them."""
        return draft_of(self._compiled(text, None))

    def _compiled(self, text: str, once: Example | None) -> object:
        """What a text compiles to, None where no draft of it holds. Raises ConfigurationError and
        ServiceError."""
        return compiled(
            text, self.store, self.worlds, self.model, self.embedder, seed=self.seed, once=once,
            before=self.case.before,
        )  # fmt: skip

    def _dry_run(self, _: str) -> Observation:
        assert isinstance(self.drafted, Program)
        with self.worlds.of(self.store) as adapter:
            memory = Memory(
                adapter, context=context(self.store, confirmed=True).dry(), summariser="extractive"
            )
            try:
                result = memory.execute(self.drafted)
            except ENDING:
                raise
            except Text2MemError as error:  # a model that splits a memory may lose a part of it
                return Observation(str(error), ok=False)
        return Observation(str(result), ok=result.ok)

    def _asked(self, _: str) -> Observation:
        """The person picks the option that they mean, or says what their words stand for."""
        if isinstance(self.drafted, Clarification):
            for option in self.drafted.options:
                if self._right(option.program):
                    self.drafted = option.program
                    return Observation(option.label)
        learnt = self.case.learnt
        if learnt is None or self.explained:
            return Observation(_NO_MORE, ok=False)
        draft = self._read(learnt.told)
        if draft is None:
            return Observation(learnt.told, ok=False)
        self.told, self.drafted = Example(learnt.request, draft, learnt.told), None
        self.explained = True
        return Observation(learnt.told)

    def _submitted(self, _: str) -> Observation:
        if isinstance(self.drafted, Program) and self._right(self.drafted):
            return Observation("that is right", solved=True)
        return Observation("that is not what I meant", ok=False)

    def _right(self, program: Program) -> bool:
        scored = play(self.case, self.store, self.worlds, Scripted(lambda _: program))
        return scored.verdict is not None and scored.verdict.right


def draft_of(answer: object) -> Draft | None:
    """The draft that something was compiled from; None where it has no step."""
    draft = getattr(getattr(answer, "trace", None), "draft", None)
    return draft if isinstance(draft, Draft) and draft.steps else None


def compiled(
    text: str, store: Store, worlds: Worlds, model: Provider, embedder: Embedder | None, *,
    seed: int, once: Example | None = None, before: Sequence[str] = (),
) -> object:  # fmt: skip
    """What a text compiles to over a store, None where no draft of it holds.

    Raises ConfigurationError and ServiceError.
    """
    asking = context(store)
    with worlds.of(store) as adapter:
        try:
            return compile(
                text, model=model, context=list(before), embedder=embedder,
                store=adapter.view(asking), preview=previewing(adapter, asking, embedder),
                seed=seed, clock=asking.clock, tz=asking.tz, once=once,
            )  # fmt: skip
        except ENDING:
            raise
        except Text2MemError:
            return None
