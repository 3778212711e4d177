"""What a world has to offer the measurement: tasks in three parts, and attempts at them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from text2mem_bench.agent.loop import Budget, Recall, Step, Trajectory
from text2mem_bench.agent.memories import AgentMemory

T = TypeVar("T")


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
