"""Text-to-SQL as an environment of the measurement."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from text2mem.providers.base import Message, Provider
from text2mem_bench.agent.loop import Action, Budget, Hints, Recall, State, Step, play, redo
from text2mem_bench.agent.memories import AgentMemory, memories_of
from text2mem_bench.experience.environment import Played, Posed
from text2mem_bench.sql.augment import variants
from text2mem_bench.sql.database import Database
from text2mem_bench.sql.tasks import Seed, Task, read_seeds, task_of
from text2mem_bench.sql.world import SqlWorld

_MADE = 3
"""How many more tasks are made of a seed, at most."""
_QUESTION = 'What does "{}" mean?'
_NEW = 3
"""Of every so many seeds of a database the last is kept from the bank and from training."""


@dataclass(slots=True)
class Expert(SqlWorld):
    """The world with decisions by rule, of an agent that knows what was meant: looks up the words
    of the house, asks about every other vague phrase, tries the statement, and submits it. Its
    attempts begin a bank: a small model solves too few tasks to have anything to remember."""

    def decide(self, state: State, hints: Hints) -> Action:
        done = {step.action for step in state.steps}
        statement = Action("execute", self.task.sql)
        for part in self.task.open:
            assert part.vague is not None
            known = next((t for t in self.task.database.terms if t in part.vague), None)
            if known is not None and part.type == "knowledge-linking":
                action = Action("schema", known)
            else:
                action = Action("ask", _QUESTION.format(part.vague))
            if action not in done:
                return action
        return statement if statement not in done else Action("submit")


@dataclass(frozen=True)
class SqlEnvironment:
    """Databases of a folder. An expert's attempts at two thirds of the seeds are remembered;
    selectors learn from other tasks made of these, and are judged by further ones of them (again)
    and by the seeds of the last third (new). All are posed in full and vaguely.
    """

    folder: Path
    model: Provider
    random_seed: int = 0
    name: str = "sql"
    own_only: bool = False

    def remembered(self) -> Iterator[AgentMemory]:
        """The memories of an expert, of both phases. What follows is the same however it began."""
        for database, seed in self._seeds(new=False):
            for vague in (False, True):
                task = task_of(seed, database, vague=vague)
                with database.opened() as connection:
                    expert = Expert(task, connection, self.model)
                    yield from memories_of(play(expert), task=task.id, seed=task.id)
                    if task.then is not None and not vague:
                        after = Expert(task.then, connection, self.model)
                        yield from memories_of(play(after), task=task.then.id, seed=task.id)

    def training(self) -> Sequence[Posed[Task]]:
        """One more task of every seed that is remembered, in full and vague."""
        return list(self._again(slice(0, 1)))

    def evaluation(self) -> Sequence[Posed[Task]]:
        """At most two more of these, then the new seeds."""
        fresh = (
            _posed(task_of(seed, database, vague=vague), "new")
            for database, seed in self._seeds(new=True)
            for vague in (False, True)
        )
        return [*self._again(slice(1, _MADE)), *fresh]

    def played(
        self, posed: Posed[Task], recall: Recall | None, budget: Budget, *,
        begun: tuple[Step, ...] = (), phases: int = 2,
    ) -> Played:  # fmt: skip
        """Both phases, on one copy of the database."""
        task = posed.task
        with task.database.opened() as connection:
            world = SqlWorld(task, connection, self.model)
            redo(world, begun)
            first = play(world, recall, budget, begun)
            if phases < 2 or not first.solved or task.then is None:
                return Played(first)
            said = (
                Message("user", f"Request: {task.request}"),
                Message("assistant", json.dumps({"do": "execute", "sql": task.sql})),
            )
            after = SqlWorld(task.then, connection, self.model, said)
            return Played(first, play(after, recall, budget))

    def _again(self, which: slice) -> Iterator[Posed[Task]]:
        for database, seed in self._seeds(new=False):
            made = variants(seed, database, _MADE, random_seed=self.random_seed)
            for variant in made[which]:
                for vague in (False, True):
                    yield _posed(task_of(variant, database, vague=vague), "again", seed.id)

    @cached_property
    def _held(self) -> Sequence[tuple[Database, Sequence[Seed]]]:
        return list(read_seeds(self.folder))

    def _seeds(self, *, new: bool) -> Iterator[tuple[Database, Seed]]:
        for database, seeds in self._held:
            for place, seed in enumerate(seeds, 1):
                if (place % _NEW == 0) is new:
                    yield database, seed


def _posed(task: Task, group: str, seed: str = "") -> Posed[Task]:
    return Posed(task.id, seed or task.seed, group, task.kind, task)
