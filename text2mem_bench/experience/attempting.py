"""Attempts at the tasks of evaluation, by every way to remember, as rows of a run."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

from text2mem_bench.agent.loop import Budget, Recall, Trajectory
from text2mem_bench.agent.selectors import Remembering
from text2mem_bench.experience.environment import Environment, Played, Posed

T = TypeVar("T")
Row = dict[str, Any]


def sample(tasks: Sequence[Posed[T]], many: int | None, *, seed: int) -> list[Posed[T]]:
    """So many of the tasks, as many of each group as can be; the same for the same seed.

    They come by name, those of one place together: a local model then reads its surroundings once.
    """
    mixed = random.Random(seed).sample(list(tasks), len(tasks))
    if many is None or many >= len(mixed):
        return sorted(mixed, key=_name)
    groups: dict[str, list[Posed[T]]] = {}
    for posed in mixed:
        groups.setdefault(posed.group, []).append(posed)
    taken: list[Posed[T]] = []
    while len(taken) < many:
        for held in groups.values():
            if held and len(taken) < many:
                taken.append(held.pop(0))
    return sorted(taken, key=_name)


def _name(posed: Posed[T]) -> str:
    return posed.id


def attempts(
    environment: Environment[T], tasks: Iterable[Posed[T]], method: str,
    recall: Callable[[str], Recall], budget: Budget,
) -> Iterator[Row]:  # fmt: skip
    """A row for each task. Raises ServiceError where the model is down."""
    for posed in tasks:
        remembers = recall(posed.id)
        played = environment.played(posed, remembers, budget)
        shown = remembers.shown if isinstance(remembers, Remembering) else []
        yield _row(environment.name, posed, method, played, shown)


def _row(name: str, posed: Posed[T], method: str, played: Played, shown: Sequence[str]) -> Row:
    return {
        "id": f"{method}/{posed.id}", "task": posed.id, "environment": name, "method": method,
        "group": posed.group, "kind": posed.kind, "status": "ran",
        "first": played.first.solved, "then": played.then is not None and played.then.solved,
        "turns": len(played.first.steps), "hints": list(shown), "steps": _told(played.first),
        "steps_then": [] if played.then is None else _told(played.then), "scores": {},
    }  # fmt: skip


def _told(trajectory: Trajectory) -> list[list[str]]:
    return [[step.written, step.observation.text] for step in trajectory.steps]
