"""The table of outcomes: what comes of showing each candidate in each state, and of showing none.

It is made once, in any number of runs; learners then train on exact rewards without a model.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeVar

from text2mem_bench.agent.bank import AgentBank, Near
from text2mem_bench.agent.loop import Budget, Shown, State, Trajectory
from text2mem_bench.agent.memories import Level
from text2mem_bench.agent.selectors import features, name_of, nothing
from text2mem_bench.experience.environment import Environment, Posed

T = TypeVar("T")
NONE = ""
"""In place of a memory's name: none was shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came of one candidate in one state: at once, and in the end.

    ``ran``: the next action was of use; ``new`` it had not been done before; ``solved`` says
    whether it, ``ended`` whether the attempt was right, after ``turns`` in all. ``place`` is the
    candidate's among the nearest.
    """

    level: Level
    state: str
    memory: str
    place: int
    row: tuple[float, ...]
    cosine: float = 0.0
    ran: bool
    new: bool
    solved: bool
    ended: bool
    turns: int


@dataclass(frozen=True, slots=True)
class Table:
    """Outcomes in a file of JSON lines, by level, state and candidate."""

    path: Path
    bank: AgentBank
    nearest: int
    budget: Budget

    def rows(self) -> list[Outcome]:
        """What has been found out so far. A line that was cut off at the end is left out."""
        return list(read(self.path))

    def extend(self, environment: Environment[T], tasks: Iterable[Posed[T]]) -> Iterator[Outcome]:
        """Find out the rest, task by task; each outcome is kept as soon as it is known."""
        known = {(row.level, row.state, row.memory) for row in self.rows()}
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a", encoding="utf-8") as out:
            for posed in tasks:
                for outcome in self._of(environment, posed, known):
                    out.write(json.dumps(asdict(outcome), ensure_ascii=False) + "\n")
                    out.flush()
                    yield outcome

    def _of(
        self, environment: Environment[T], posed: Posed[T], known: Collection[tuple[str, str, str]]
    ) -> Iterator[Outcome]:
        """All of one task: of its beginning, then of the turns of the attempt with the nearest."""
        bare = environment.played(posed, None, self.budget, phases=1).first
        start = State(bare.request, bare.place, left=self.budget)
        near = self.bank.near(start, "episode", limit=self.nearest, without=[posed.id])
        attempts = {"": bare}
        for place, row, each in _candidates(start, near):
            text = "" if each is None else each.memory.text
            name = NONE if each is None else name_of(each.memory)
            told = ("episode", posed.id, name) in known
            if text not in attempts and (place == 0 or not told):
                shown = Shown(text)
                attempts[text] = environment.played(posed, shown, self.budget, phases=1).first
            if not told:
                yield _outcome("episode", posed.id, place, row, each, attempts[text], 0)
        if near:
            yield from self._of_turns(environment, posed, near[0].memory.text, attempts, known)

    def _of_turns(
        self, environment: Environment[T], posed: Posed[T], whole: str,
        attempts: Mapping[str, Trajectory], known: Collection[tuple[str, str, str]],
    ) -> Iterator[Outcome]:  # fmt: skip
        attempt = attempts[whole]
        for turn in range(1, min(len(attempt.steps), _TURNS + 1)):
            state = attempt.state(turn, self.budget)
            near = self.bank.near(state, "turn", limit=self.nearest, without=[posed.id])
            for place, row, each in _candidates(state, near):
                name = NONE if each is None else name_of(each.memory)
                key = f"{posed.id}@{turn}"
                if ("turn", key, name) in known:
                    continue
                shown = Shown(whole, turn, "" if each is None else each.memory.text)
                tried = environment.played(
                    posed, shown, self.budget, begun=state.steps, phases=1
                ).first
                yield _outcome("turn", key, place, row, each, tried, turn)


_TURNS = 2
"""Of an attempt, so many turns after the first become states of the table."""


def read(path: Path) -> Iterator[Outcome]:
    """The outcomes of a file; none of one that is not there."""
    if not path.exists():
        return
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            values: dict[str, Any] = json.loads(line)
        except ValueError:
            return
        yield Outcome(**{**values, "row": tuple(values["row"])})


def _candidates(
    state: State, near: Sequence[Near]
) -> Iterator[tuple[int, tuple[float, ...], Near | None]]:
    yield -1, nothing(state), None
    yield from zip(range(len(near)), features(state, near), near, strict=True)


def _outcome(
    level: Level, state: str, place: int, row: tuple[float, ...], each: Near | None,
    tried: Trajectory, turn: int,
) -> Outcome:  # fmt: skip
    seen = tried.steps[turn].observation if len(tried.steps) > turn else None
    return Outcome(
        level=level, state=state, memory=NONE if each is None else name_of(each.memory),
        place=place, row=tuple(round(value, 5) for value in row),
        cosine=0.0 if each is None else round(each.cosine, 5),
        ran=seen is not None and seen.ok, new=seen is not None and not seen.repeated,
        solved=seen is not None and seen.solved, ended=tried.solved, turns=len(tried.steps),
    )  # fmt: skip
