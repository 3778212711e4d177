"""What a world has to offer the measurement: tasks in three parts, attempts at them, and a bank."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from text2mem.adapters.registry import open_adapter
from text2mem.clock import FixedClock
from text2mem.errors import ConfigurationError
from text2mem.ir.context import SUFFIX, ExecutionContext
from text2mem.ir.ports import Embedder
from text2mem_bench.agent.bank import AgentBank
from text2mem_bench.agent.loop import Budget, Recall, Step, Trajectory
from text2mem_bench.agent.memories import AgentMemory

T = TypeVar("T")
_NOW = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Posed(Generic[T]):
    """A task as it is posed. ``seed`` is what it was made of, ``group`` says how it stands to what
    is remembered (again or new), ``kind`` READ or WRITE."""

    id: str
    seed: str
    group: str
    kind: str
    task: T


@dataclass(frozen=True, slots=True)
class Played:
    """The attempts at a task: at its request, and at what follows where that was solved."""

    first: Trajectory
    then: Trajectory | None = None


class Environment(Protocol[T]):
    """A world with its tasks. Those of the bank, of training and of evaluation are different."""

    @property
    def name(self) -> str:
        """What it is called in tables."""
        ...

    @property
    def own_only(self) -> bool:
        """Whether memories help in their own place alone."""
        ...

    def remembered(self) -> Iterator[AgentMemory]:
        """What a bank is begun with: memories of attempts at tasks of their own."""
        ...

    def training(self) -> Sequence[Posed[T]]:
        """The tasks that selectors learn from."""
        ...

    def evaluation(self) -> Sequence[Posed[T]]:
        """The tasks that are counted."""
        ...

    def played(
        self, posed: Posed[T], recall: Recall | None, budget: Budget, *,
        begun: tuple[Step, ...] = (), phases: int = 2,
    ) -> Played:  # fmt: skip
        """An attempt with what is remembered, or the rest of one. Raises ServiceError."""
        ...


def opened_bank(
    work: Path, environment: Environment[T], embedder: Embedder | None, episodes: int | None = None
) -> AgentBank:
    """The bank of a folder, filled with what is remembered, or the first ``episodes`` of it.

    Raises ConfigurationError without an embedder.
    """
    if embedder is None:
        raise ConfigurationError(
            "memories of an agent are found by vectors", hint="install text2mem[local]"
        )
    context = ExecutionContext(clock=FixedClock(_NOW))
    path = work / f"{environment.name}{'' if episodes is None else f'.{episodes}'}.db"
    work.mkdir(parents=True, exist_ok=True)
    bank = AgentBank(
        open_adapter(path, tenant=f"{context.tenant}{SUFFIX}"), context, embedder,
        own_only=environment.own_only,
    )  # fmt: skip
    if bank.is_empty:
        kept = list(environment.remembered())
        if episodes is not None:
            seeds = set(islice(dict.fromkeys(each.seed for each in kept), episodes))
            kept = [each for each in kept if each.seed in seeds]
        bank.keep(kept)
    return bank
