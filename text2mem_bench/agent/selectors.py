"""Which of the nearest memories an agent is shown: one, or none.

The fixed ones go by a likeness that nobody has fitted; the learned ones by what has come of showing
a memory (``learning.py``). All choose among the same candidates.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, get_args

from text2mem.ir.words.segment import query_terms
from text2mem_bench.agent.bank import NEAREST, AgentBank, Near
from text2mem_bench.agent.loop import Cost, State
from text2mem_bench.agent.memories import LONGEST_SHOWN, AgentMemory, Level

_PARTS = 8
_COSTS: tuple[Cost, ...] = get_args(Cost)
NAMES = (
    "constant", "cosine", "behind the nearest", "words", "same place", "repaired", "length",
    "own words said", "turns so far", "last failed", "last repeated", "last was ok",
    *(f"last was {cost}" for cost in _COSTS), *(f"part {n}" for n in range(_PARTS)),
)  # fmt: skip


class Selector(Protocol):
    """Picks one of the nearest, or none."""

    def pick(self, state: State, near: Sequence[Near]) -> AgentMemory | None:
        """The memory to show."""
        ...


class Nearest:
    """The nearest: by vectors or by words, as the candidates come."""

    def pick(self, state: State, near: Sequence[Near]) -> AgentMemory | None:
        return near[0].memory if near else None


@dataclass(frozen=True, slots=True)
class Covering:
    """The one that covers most of what the request is about and the agent does not know (TopicK:
    W. Kweon and others, 2025, with words for topics).

    ``known`` is the share of tasks with a word that were solved without memories.
    """

    known: Mapping[str, float] = field(default_factory=dict)

    def pick(self, state: State, near: Sequence[Near]) -> AgentMemory | None:
        said = frozenset(query_terms(state.situation))
        terms = [frozenset(query_terms(each.memory.key)) for each in near]
        held = {word: sum(word in each for each in terms) for word in said}
        weight = {
            word: math.log(1 + len(near) / (1 + count)) * (1 - self.known.get(word, 0.0))
            for word, count in held.items()
        }
        worth = [sum(weight[word] for word in each & said) for each in terms]
        return near[worth.index(max(worth))].memory if near else None


@dataclass(frozen=True, slots=True)
class Learned:
    """The one with the highest score, if that is higher than the score of none.

    A score is a network of one hidden layer over ``features``; ``hidden`` and ``out`` have a bias
    in their last place. Without ``may_abstain`` one is always picked.
    """

    hidden: tuple[tuple[float, ...], ...]
    out: tuple[float, ...]
    may_abstain: bool = True

    def pick(self, state: State, near: Sequence[Near]) -> AgentMemory | None:
        if not near:
            return None
        scores = [self.score(row) for row in features(state, near)]
        best = max(range(len(scores)), key=scores.__getitem__)
        if self.may_abstain and scores[best] <= self.score(nothing(state)):
            return None
        return near[best].memory

    def score(self, row: Sequence[float]) -> float:
        """What the network says of a row of features."""
        inner = [math.tanh(_product(weights, row)) for weights in self.hidden]
        return _product(self.out, inner)


@dataclass(frozen=True, slots=True)
class Useful:
    """The one that is near and has been of use: the sum of both, each in units of its spread among
    the candidates (MemRL: S. Zhang and others, 2026). ``uses`` are by the memory's name."""

    uses: Mapping[str, float]

    def pick(self, state: State, near: Sequence[Near]) -> AgentMemory | None:
        likeness = _spread([each.cosine for each in near])
        use = _spread([self.uses.get(name_of(each.memory), 0.0) for each in near])
        worth = [a + b for a, b in zip(likeness, use, strict=True)]
        return near[worth.index(max(worth))].memory if near else None


@dataclass(slots=True)
class Remembering:
    """What an agent remembers, by a selector for each level; none of the seeds in ``without``.

    ``many`` memories are shown at once, the later ones picked as if the earlier were not there.
    ``shown`` are the names of what was shown so far.
    """

    bank: AgentBank
    of_episodes: Selector | None = None
    of_turns: Selector | None = None
    without: Collection[str] = ()
    by: Literal["vectors", "words"] = "vectors"
    nearest: int = NEAREST
    many: int = 1
    shown: list[str] = field(default_factory=list)

    def episode(self, state: State) -> str:
        return self._picked(self.of_episodes, "episode", state)

    def turn(self, state: State) -> str:
        """What is shown for this turn; the first is the episode's."""
        return self._picked(self.of_turns, "turn", state) if state.steps else ""

    def _picked(self, selector: Selector | None, level: Level, state: State) -> str:
        if selector is None:
            return ""
        near = list(
            self.bank.near(state, level, limit=self.nearest, without=self.without, by=self.by)
        )
        texts = []
        for _ in range(self.many):
            memory = selector.pick(state, near)
            if memory is None:
                break
            self.shown.append(name_of(memory))
            texts.append(memory.text)
            near = [each for each in near if each.memory.text != memory.text]
        return "\n".join(texts)


def name_of(memory: AgentMemory) -> str:
    """The name of a memory, the same in every bank that was filled alike."""
    return f"{memory.task}#{memory.level}{memory.turn if memory.turn >= 0 else ''}"


def features(state: State, near: Sequence[Near]) -> list[tuple[float, ...]]:
    """What speaks for each candidate, in the order of ``NAMES``; nothing of one world alone."""
    said = frozenset(query_terms(state.situation))
    best = max((each.cosine for each in near), default=0.0)
    keys = [frozenset(query_terms(each.memory.key)) for each in near]
    counts = {word: sum(word in key for key in keys) for word in frozenset().union(*keys)}
    rows = []
    for each, key in zip(near, keys, strict=True):
        own = frozenset(word for word in key if counts[word] == 1)
        rows.append(
            (
                1.0, each.cosine, best - each.cosine, each.words,
                float(each.memory.place == state.place), float(each.memory.repaired),
                len(each.memory.text) / LONGEST_SHOWN, len(own & said) / len(own) if own else 0.0,
                *_standing(state), *each.parts(_PARTS),
            )
        )  # fmt: skip
    return rows


def nothing(state: State) -> tuple[float, ...]:
    """The row of showing none."""
    return (0.0,) * 8 + _standing(state) + (0.0,) * _PARTS


def _standing(state: State) -> tuple[float, ...]:
    if not state.steps:
        return (0.0,) * (4 + len(_COSTS))
    last = state.steps[-1]
    seen = last.observation
    return (
        len(state.steps) / 10, float(not seen.ok), float(seen.repeated), float(seen.ok),
        *(float(last.cost == cost) for cost in _COSTS),
    )  # fmt: skip


def _product(weights: Sequence[float], row: Sequence[float]) -> float:
    return sum(a * b for a, b in zip(weights, row, strict=False)) + weights[-1]


def _spread(values: Sequence[float]) -> list[float]:
    if not values:
        return []
    mean = sum(values) / len(values)
    deviation = math.sqrt(sum((v - mean) ** 2 for v in values) / len(values))
    return [(v - mean) / deviation if deviation else 0.0 for v in values]
