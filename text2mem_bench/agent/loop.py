"""An agent in a world: acts, sees what comes of it, and goes on until it is done or spent.

The loop is the same in every world. What can be done there, and how a model is asked for the next
action, is the world's; what the agent is shown of earlier tasks, a memory's.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, Protocol

Cost = Literal["free", "ask", "try", "submit"]
"""What an action is paid from: nothing, the user's patience, tries of the environment, answers."""


@dataclass(frozen=True, slots=True)
class Action:
    """What the agent does: a name of the world's, with the words that go with it."""

    name: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class Observation:
    """What came of an action.

    ``ok`` is False for what failed, ``solved`` is told of a submission alone. ``repeated`` says
    that the same had been done before.
    """

    text: str
    ok: bool = True
    solved: bool = False
    repeated: bool = False


@dataclass(frozen=True, slots=True)
class Step:
    """An action with what came of it: ``written`` as a model writes it, ``hint`` what it was
    shown for it, ``cost`` what it was paid from."""

    action: Action
    observation: Observation
    written: str = ""
    hint: str = ""
    cost: Cost = "free"


@dataclass(frozen=True, slots=True)
class Budget:
    """How much of each an attempt has: turns, questions to the user, tries, submissions."""

    turns: int = 10
    ask: int = 6
    tries: int = 3
    submit: int = 3

    def after(self, cost: Cost) -> Budget:
        """What is left."""
        spent = {"ask": (1, 0, 0), "try": (0, 1, 0), "submit": (0, 0, 1), "free": (0, 0, 0)}[cost]
        return Budget(
            self.turns - 1, self.ask - spent[0], self.tries - spent[1], self.submit - spent[2]
        )

    def allows(self, cost: Cost) -> bool:
        """Whether there is one left of what an action costs."""
        left = {"ask": self.ask, "try": self.tries, "submit": self.submit, "free": 1}
        return left[cost] > 0

    @property
    def spent(self) -> bool:
        """Whether nothing more can be done that counts."""
        return self.turns <= 0 or self.submit <= 0


@dataclass(frozen=True, slots=True)
class State:
    """Where an attempt stands: what was asked, in which surroundings, and what was done so far."""

    request: str
    place: str
    steps: tuple[Step, ...] = ()
    left: Budget = field(default_factory=Budget)

    @property
    def situation(self) -> str:
        """The state as text: the request with the last action and what came of it."""
        if not self.steps:
            return self.request
        last = self.steps[-1]
        return f"{self.request}\n{last.action.name} {last.action.text}\n{last.observation.text}"


@dataclass(frozen=True, slots=True)
class Hints:
    """What of earlier tasks the agent is shown: one for the whole of it, one for this turn."""

    episode: str = ""
    turn: str = ""


_SAME = 2


class World(Protocol):
    """One task under way, made anew for every attempt."""

    @property
    def request(self) -> str:
        """What the user asked."""
        ...

    @property
    def place(self) -> str:
        """Whose surroundings these are: a database, a person's store."""
        ...

    @property
    def costs(self) -> Mapping[str, Cost]:
        """The actions that there are, each with what it costs."""
        ...

    def possible(self, state: State) -> Sequence[str]:
        """The names of the actions that make sense now; none where the attempt is over."""
        ...

    def decide(self, state: State, hints: Hints) -> Action:
        """The next action, by a model or by rule. Raises ServiceError where a model is down."""
        ...

    def act(self, action: Action) -> Observation:
        """Do it."""
        ...

    def written(self, action: Action) -> str:
        """An action as the model writes it."""
        ...


class Recall(Protocol):
    """What the agent remembers: asked before an attempt, and before each of its turns."""

    def episode(self, state: State) -> str:
        """What is shown for the whole attempt, or nothing."""
        ...

    def turn(self, state: State) -> str:
        """What is shown for the next turn, or nothing."""
        ...


@dataclass(frozen=True, slots=True)
class Shown:
    """Shows one text for the whole attempt, and one at a turn; by itself nothing."""

    whole: str = ""
    at: int = -1
    text: str = ""

    def episode(self, _: State) -> str:
        return self.whole

    def turn(self, state: State) -> str:
        return self.text if len(state.steps) == self.at else ""


@dataclass(frozen=True, slots=True)
class Trajectory:
    """An attempt from its first turn to its last."""

    request: str
    place: str
    steps: tuple[Step, ...]
    hint: str = ""

    @property
    def solved(self) -> bool:
        """Whether a submission was right."""
        return any(step.observation.solved for step in self.steps)

    def state(self, turn: int, budget: Budget) -> State:
        """The state before one of its turns, counted from 0."""
        left = budget
        for step in self.steps[:turn]:
            left = left.after(step.cost)
        return State(self.request, self.place, self.steps[:turn], left)


def play(
    world: World, recall: Recall | None = None, budget: Budget | None = None,
    begun: tuple[Step, ...] = (),
) -> Trajectory:  # fmt: skip
    """One attempt, or the rest of one of which ``begun`` has been done in this very world."""
    remembers = recall or Shown()
    left = budget or Budget()
    for step in begun:
        left = left.after(step.cost)
    state = State(world.request, world.place, begun, left)
    episode = remembers.episode(state)
    while not state.left.spent and world.possible(state) and not _stuck(state):
        hint = remembers.turn(state)
        action = world.decide(state, Hints(episode, hint))
        cost = world.costs.get(action.name, "free")
        observation = _done(world, action, cost, state)
        step = Step(action, observation, world.written(action), hint, cost)
        state = State(state.request, state.place, (*state.steps, step), state.left.after(cost))
        if observation.solved:
            break
    return Trajectory(state.request, state.place, state.steps, episode)


def redo(world: World, steps: Iterable[Step]) -> None:
    """Do in a new world what was done in another one of the same task."""
    for step in steps:
        if step.action.name in world.costs:
            world.act(step.action)


def _stuck(state: State) -> bool:
    """Whether the same was done twice on end."""
    last = [step.action for step in state.steps[-_SAME:]]
    return len(last) == _SAME and len(set(last)) == 1


def _done(world: World, action: Action, cost: Cost, state: State) -> Observation:
    if action.name not in world.costs:
        return Observation(f"there is no action '{action.name}'", ok=False)
    if not state.left.allows(cost):
        return Observation(f"no '{action.name}' is left", ok=False)
    before: Sequence[Action] = [step.action for step in state.steps]
    observation = world.act(action)
    if action in before:
        return replace(observation, repeated=True)
    return observation
