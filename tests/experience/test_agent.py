"""An agent's loop, what is kept of its attempts, and which of it is shown again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from tests.planning import CONTEXT
from tests.store.programs import WordHashes
from text2mem.adapters.registry import open_adapter
from text2mem.ir.context import SUFFIX
from text2mem_bench.agent.bank import AgentBank, Near
from text2mem_bench.agent.loop import Action, Budget, Cost, Hints, Observation, State, Step, play
from text2mem_bench.agent.memories import AgentMemory, memories_of, memory_of
from text2mem_bench.agent.selectors import (
    NAMES,
    Covering,
    Learned,
    Nearest,
    Remembering,
    Useful,
    features,
    name_of,
    nothing,
)

COSTS: Mapping[str, Cost] = {"look": "free", "ask": "ask", "try": "try", "submit": "submit"}


@dataclass
class Doors:
    """A world: behind one of the doors is what was asked for."""

    doing: list[Action]
    behind: str = "red"
    request: str = "open the right door"
    place: str = "house"
    costs: Mapping[str, Cost] = field(default_factory=lambda: COSTS)
    shown: list[Hints] = field(default_factory=list)

    def possible(self, state: State) -> Sequence[str]:
        return [name for name, cost in COSTS.items() if state.left.allows(cost)]

    def decide(self, state: State, hints: Hints) -> Action:
        self.shown.append(hints)
        return self.doing.pop(0)

    def act(self, action: Action) -> Observation:
        if action.name == "submit":
            return Observation("done", solved=action.text == self.behind)
        return Observation(f"{action.name} {action.text}", ok=action.text != "nothing")

    def written(self, action: Action) -> str:
        return f"{action.name} {action.text}"


def doing(*said: str) -> Doors:
    return Doors([Action(*each.split(" ", 1)) for each in said])


# --- the loop ------------------------------------------------------------------------------


def test_an_attempt_ends_when_it_is_right() -> None:
    played = play(doing("look around", "ask which", "submit red", "submit blue"))
    assert played.solved
    assert [step.cost for step in played.steps] == ["free", "ask", "submit"]


@pytest.mark.parametrize(
    ("budget", "many"), [(Budget(turns=2), 2), (Budget(submit=1), 4), (Budget(turns=0), 0)]
)
def test_an_attempt_ends_when_it_is_spent(budget: Budget, many: int) -> None:
    world = doing("look a", "look b", "look c", "submit blue", "look d", "submit red")
    assert len(play(world, budget=budget).steps) == many


def test_the_same_twice_on_end_goes_nowhere() -> None:
    played = play(doing("look a", "look a", "submit red"))
    assert [step.observation.repeated for step in played.steps] == [False, True]
    assert not played.solved


def test_what_nothing_is_left_of_or_there_is_not_does_nothing() -> None:
    played = play(doing("ask a", "ask b", "fly away", "submit red"), budget=Budget(ask=1))
    assert [step.observation.ok for step in played.steps] == [True, False, False, True]
    assert "no 'ask' is left" in played.steps[1].observation.text


def test_an_attempt_goes_on_from_a_state_of_another_one() -> None:
    whole = play(doing("look a", "ask b", "submit red"))
    state = whole.state(2, Budget())
    assert state.left == Budget(turns=8, ask=5)
    assert state.situation.endswith("ask b\nask b")
    rest = play(doing("submit red"), begun=state.steps)
    assert rest.steps == whole.steps


# --- what is kept --------------------------------------------------------------------------


def kept(*said: str, task: str = "t1") -> list[AgentMemory]:
    return list(memories_of(play(doing(*said)), task=task, seed=task))


def test_an_attempt_leaves_one_memory_and_one_of_every_turn() -> None:
    whole, look, tried, again, end = kept("look nothing", "try x", "try nothing", "submit red")
    assert (whole.level, whole.key, whole.good) == ("episode", "open the right door", True)
    assert "try nothing was right" in whole.text
    assert "look" not in whole.text  # it failed
    assert [each.turn for each in (look, tried, again, end)] == [0, 1, 2, 3]
    assert [each.good for each in (look, tried, again, end)] == [False, True, False, True]
    assert [each.repaired for each in (look, tried, again, end)] == [False, True, False, True]
    assert tried.key == "open the right door\nlook nothing\nlook nothing"


def test_an_attempt_that_failed_is_good_in_nothing() -> None:
    memories = kept("ask a", "try x", "submit blue", "look a", "look a")
    assert not any(each.good for each in memories)
    assert "try x was wrong" in memories[0].text


def test_a_memory_is_short_whatever_was_seen() -> None:
    for letter, most in (("x", 480), ("茶", 160 + 320)):
        long = letter * 900
        for memory in kept(f"look {long}", f"ask {long}", f"try {long}", "submit red"):
            assert len(memory.text) <= most
            assert memory.text.count("茶") <= 160
            assert len(memory.key) <= 600


# --- where it is kept ----------------------------------------------------------------------


@pytest.fixture
def bank() -> Iterator[AgentBank]:
    with closing(open_adapter("memory:", tenant=f"{CONTEXT.tenant}{SUFFIX}")) as adapter:
        yield AgentBank(adapter, CONTEXT, WordHashes())


def memory(key: str, **more: Any) -> AgentMemory:
    made = AgentMemory(
        level="episode", key=key, text=f"shown for {key}", good=True, task=key, seed=key,
        place="house", action="submit",
    )  # fmt: skip
    return replace(made, **more)


def keys(near: Sequence[Near]) -> list[str]:
    return [each.memory.key for each in near]


def test_memories_come_back_as_they_were_kept(bank: AgentBank) -> None:
    memories = kept("look nothing", "try x", "submit red")
    assert bank.is_empty
    assert bank.keep(memories) == 4
    assert not bank.is_empty
    view = bank.adapter.view(bank.context)
    held = [memory_of(record) for record in view.recent(10)]
    assert sorted((replace(each, id="") for each in held), key=lambda m: m.turn) == memories


def test_the_nearest_come_first_by_vectors_or_by_words(bank: AgentBank) -> None:
    bank.keep([memory("red doors"), memory("blue door and red wall"), memory("a cat")])
    state = State("red doors", "house")
    near = bank.near(state, "episode")
    assert keys(near)[0] == "red doors"
    assert near[0].cosine == pytest.approx(1, abs=1e-3)
    assert near[0].words == 1
    assert sum(near[0].parts(8)) == pytest.approx(near[0].cosine)
    assert keys(bank.near(state, "episode", by="words")) == ["red doors", "blue door and red wall"]
    assert len(bank.near(state, "episode", limit=1)) == 1


def test_none_of_ones_own_task_another_level_or_a_failure_is_near(bank: AgentBank) -> None:
    bank.keep(
        [
            memory("door one", seed="mine"),
            memory("door two", good=False),
            memory("door three", level="turn", turn=1),
            memory("door four", place="shed"),
            *(memory(f"door {n}", good=False) for n in range(60)),
        ]
    )
    state = State("door", "house")
    assert keys(bank.near(state, "episode", without=["mine"])) == ["door four"]
    bank.own_only = True
    assert keys(bank.near(state, "episode", without=["mine"])) == []


def test_a_bank_stands_beside_the_tenant_and_not_in_it(bank: AgentBank) -> None:
    assert bank.context.tenant.endswith(SUFFIX)


# --- which of it is shown ------------------------------------------------------------------


def near(key: str, cosine: float, **more: object) -> Near:
    return Near(memory(key, **more), cosine, 0.5, (cosine / 8,) * 8)


STATE = State("open the red door", "house")


def test_the_fixed_selectors() -> None:
    some = [near("a blue lamp", 0.9), near("the red door", 0.5)]
    assert Nearest().pick(STATE, some) == some[0].memory
    assert Covering().pick(STATE, some) == some[1].memory
    assert Covering({"red": 1.0, "door": 1.0}).pick(STATE, some) == some[0].memory
    for selector in (Nearest(), Covering(), Useful({})):
        assert selector.pick(STATE, []) is None


def test_what_has_been_of_use_is_shown_rather() -> None:
    some = [near("a", 0.52), near("b", 0.5), near("c", 0.1)]
    assert Useful({}).pick(STATE, some) == some[0].memory
    assert Useful({name_of(some[1].memory): 1.0}).pick(STATE, some) == some[1].memory


def test_a_learned_selector_picks_the_best_or_none() -> None:
    some = [near("a", 0.9, place="shed"), near("b", 0.5)]
    at = NAMES.index("same place")
    row = [0.0] * (len(NAMES) + 1)
    row[at] = 4.0
    there = Learned((tuple(row),), (1.0, 0.0))
    assert there.pick(STATE, some) == some[1].memory
    assert there.pick(STATE, some[:1]) is None
    assert replace(there, may_abstain=False).pick(STATE, some[:1]) == some[0].memory
    assert there.pick(STATE, []) is None


def test_features_have_one_number_for_each_name() -> None:
    step = Step(Action("try", "x"), Observation("no", ok=False), cost="try")
    state = replace(STATE, steps=(step,))
    for row in (*features(state, [near("a", 0.9), near("b", 0.2)]), nothing(state)):
        assert len(row) == len(NAMES)
    held = dict(zip(NAMES, features(state, [near("a", 0.9), near("b", 0.2)])[1], strict=True))
    assert held["behind the nearest"] == pytest.approx(0.7)
    assert (held["last failed"], held["last was try"], held["last was ask"]) == (1, 1, 0)


def test_an_agent_is_shown_one_for_the_whole_and_one_a_turn(bank: AgentBank) -> None:
    bank.keep(
        [
            memory("open the right door"),
            memory("open the left door"),
            memory("open the right door\nlook a\nlook a", level="turn", turn=1, text="ask now"),
        ]
    )
    remembers = Remembering(bank, Nearest(), Nearest())
    world = doing("look a", "ask b", "submit red")
    played = play(world, remembers)
    assert [hints.episode for hints in world.shown] == ["shown for open the right door"] * 3
    assert [hints.turn for hints in world.shown] == ["", "ask now", ""]
    assert played.hint == "shown for open the right door"
    assert played.steps[1].hint == "ask now"
    assert len(remembers.shown) == 2

    both = Remembering(bank, Nearest(), many=2, without=["open the left door"])
    assert both.episode(State("open the right door", "house")).count("shown for") == 1
    assert Remembering(bank, None, None).episode(STATE) == ""
