"""What an agent keeps of an attempt: one memory of the whole of it, and one of each turn of use."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from text2mem.ir.record import Record
from text2mem.ir.words.segment import beginning, width
from text2mem_bench.agent.loop import Observation, State, Step, Trajectory

Level = Literal["episode", "turn"]
_LONGEST_KEY, _LONGEST_SEEN = 600, 120
LONGEST_SHOWN = 480
"""In letters: 480 are about 120 tokens of what an agent is shown."""
_WIDE = 3
"""A Chinese character is about as many tokens as three letters."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentMemory:
    """``key`` is what it is found by, ``text`` what the agent is shown of it.

    ``good`` says that it is of an attempt that came out right. ``task`` and ``turn`` say where it
    comes from, ``seed`` what that task was made of, ``place`` in which surroundings.
    ``action`` is the name of what was done, the last of an episode. ``repaired`` says that a turn
    followed on a failure and was none.
    """

    level: Level
    key: str
    text: str
    good: bool
    task: str
    seed: str
    place: str
    action: str
    turn: int = -1
    repaired: bool = False
    id: str = ""

    def encoded(self) -> dict[str, Any]:
        """The program that keeps it."""
        facets = {"text": self.text, "turn": str(self.turn), "seed": self.seed}
        tags = [
            self.action,
            *(["good"] if self.good else []),
            *(["repaired"] if self.repaired else []),
        ]
        args = {
            "payload": {"text": self.key}, "type": self.level, "tags": tags, "facets": facets,
            "subject": self.place, "topic": self.task,
        }  # fmt: skip
        return {"stage": "ENC", "op": "Encode", "args": args}


def memory_of(record: Record) -> AgentMemory:
    """The memory that a record of the bank is. Raises KeyError and ValueError for another."""
    facets: Mapping[str, Any] = record.facets
    level: Level = "episode" if record.type == "episode" else "turn"
    marks = {"good", "repaired"}
    return AgentMemory(
        level=level, key=record.text, text=str(facets["text"]), good="good" in record.tags,
        task=record.topic or "", seed=str(facets["seed"]), place=record.subject or "",
        action=next((tag for tag in record.tags if tag not in marks), ""),
        turn=int(facets["turn"]), repaired="repaired" in record.tags, id=record.id,
    )  # fmt: skip


def memories_of(trajectory: Trajectory, *, task: str, seed: str) -> Iterator[AgentMemory]:
    """The memories of an attempt: the whole first, then the turns that got it further."""
    if not trajectory.steps:
        return
    good = trajectory.solved
    yield AgentMemory(
        level="episode", key=trajectory.request[:_LONGEST_KEY], text=_episode(trajectory),
        good=good, task=task, seed=seed, place=trajectory.place,
        action=trajectory.steps[-1].action.name,
    )  # fmt: skip
    before = Observation("")
    for turn, step in enumerate(trajectory.steps):
        if not step.observation.repeated:
            key = State(trajectory.request, trajectory.place, trajectory.steps[:turn]).situation
            yield AgentMemory(
                level="turn", key=key[:_LONGEST_KEY], text=_turn(trajectory, turn),
                good=good and step.observation.ok, task=task, seed=seed, place=trajectory.place,
                action=step.action.name, turn=turn,
                repaired=not before.ok and step.observation.ok,
            )  # fmt: skip
        before = step.observation


def _episode(trajectory: Trajectory) -> str:
    """The request, and in order what helped; of an attempt that failed, that it did."""
    tries = [step for step in trajectory.steps if step.cost == "try"]
    told = [s for s in trajectory.steps if s.cost in ("free", "ask") and s.observation.ok]
    lines = [f'An earlier request: "{trajectory.request}"']
    lines += [f"- {_said(step)}" for step in dict.fromkeys(told)]
    if tries:
        lines.append(f"- {tries[-1].written} was {'right' if trajectory.solved else 'wrong'}")
    return _fitted(lines)


def _turn(trajectory: Trajectory, turn: int) -> str:
    """What was done at a point like this, and what came of it."""
    step = trajectory.steps[turn]
    after = trajectory.steps[turn - 1].observation.text if turn else trajectory.request
    return _fitted([f'Earlier, after "{_short(after)}":', f"- {_said(step)}"])


def _said(step: Step) -> str:
    return f"{step.written} -> {_short(step.observation.text)}"


def _short(text: str) -> str:
    line = " / ".join(text.splitlines())
    return line if len(line) <= _LONGEST_SEEN else f"{line[:_LONGEST_SEEN]}…"


def _fitted(lines: list[str]) -> str:
    """As many lines as fit, the first and the last of them always, cut where they must be."""
    while width("\n".join(lines), _WIDE) > LONGEST_SHOWN and len(lines) > 2:
        del lines[1]
    text = "\n".join(lines)
    text = beginning(text, _WIDE, LONGEST_SHOWN)
    return text
