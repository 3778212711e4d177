"""Requests about memory as an environment of the measurement: people with words of their own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from text2mem.errors import ConfigurationError
from text2mem.ir.ports import Embedder
from text2mem.planner.draft import Draft
from text2mem.providers.base import Provider
from text2mem_bench.agent.loop import Budget, Recall, Step, play, redo
from text2mem_bench.agent.memories import AgentMemory
from text2mem_bench.experience.environment import Played, Posed
from text2mem_bench.requests.world import ASK, RequestWorld, compiled, draft_of
from text2mem_bench.wild.cases import Case, Store, read_cases, read_stores
from text2mem_bench.wild.world import Worlds


@dataclass(frozen=True)
class RequestEnvironment:
    """Cases on stores. What is remembered are the words that people told, each as its first use
    with the draft of what they then said. Every second person's cases train, the others' count.

    A request has one phase here: what follows on it is not written.
    """

    stores: Mapping[str, Store]
    cases: Sequence[Case]
    worlds: Worlds
    model: Provider
    embedder: Embedder | None = None
    seed: int = 0
    name: str = "requests"
    own_only: bool = True

    def remembered(self) -> Iterator[AgentMemory]:
        """A memory of every word that was told and read as something to be done, and one of the
        turn in which it was asked about."""
        for case in self.cases:
            if case.learnt is None:
                continue
            draft = self._read(case)
            if draft is None:
                continue
            said, seed = case.learnt.request, f"{case.id}.told"
            yield AgentMemory(
                level="episode", key=said, text=f"{said}\n{draft.dump()}", good=True, task=case.id,
                seed=seed, place=case.store, action="submit",
            )  # fmt: skip
            yield AgentMemory(
                level="turn", key=f"{said}\ndry_run", text=f"{ASK}: {said} -> {case.learnt.told}",
                good=True, task=case.id, seed=seed, place=case.store, action=ASK, turn=1,
            )  # fmt: skip

    def training(self) -> Sequence[Posed[Case]]:
        """The cases of every second person."""
        return self._of(0)

    def evaluation(self) -> Sequence[Posed[Case]]:
        """The cases of the others."""
        return self._of(1)

    def played(
        self, posed: Posed[Case], recall: Recall | None, budget: Budget, *,
        begun: tuple[Step, ...] = (), phases: int = 2,
    ) -> Played:  # fmt: skip
        case = posed.task
        world = RequestWorld(
            case, self.stores[case.store], self.worlds, self.model, self.embedder, self.seed
        )
        redo(world, begun)
        return Played(play(world, recall, budget, begun))

    def _of(self, first: int) -> list[Posed[Case]]:
        people = list(dict.fromkeys(case.store for case in self.cases))[first::2]
        return [_posed(case) for case in self.cases if case.store in people]

    def _read(self, case: Case) -> Draft | None:
        """The draft of what was told; None where it is not read as a request."""
        assert case.learnt is not None
        meant = compiled(
            case.learnt.told, self.stores[case.store], self.worlds, self.model, self.embedder,
            seed=self.seed, before=[case.learnt.request],
        )  # fmt: skip
        return draft_of(meant)


def _posed(case: Case) -> Posed[Case]:
    kind = "READ" if case.reads is not None else "WRITE"
    return Posed(case.id, case.id, case.kind.removeprefix("own-"), kind, case)


def read_people(folder: Path) -> tuple[dict[str, Store], list[Case]]:
    """The stores and cases of people with words of their own, of all languages in a folder.

    Raises ConfigurationError where there are none, or they cannot be read.
    """
    stores: dict[str, Store] = {}
    cases: list[Case] = []
    for path in sorted(folder.glob("*.cases.own.jsonl")):
        stores |= read_stores(str(path).replace(".cases.", ".stores."))
        cases += read_cases(path, stores)
    if not cases:
        raise ConfigurationError(f"{folder} has no *.cases.own.jsonl beside its *.stores.own.jsonl")
    return stores, cases
