"""Learners of selectors, from a table of outcomes: minutes on two cores, and exact rewards.

- ``ppo``: a policy over the candidates and none (J. Schulman and others, 2017), as MERIT has it for
  both levels, with MERIT's constants but for the rate, which is that of a small network.
- ``reward_model``: what a candidate is worth to the next turn, by a rubric whose labels are
  executed counterfactuals: first supervised, then by groups of candidates (GRPO).
- ``memento``: the worth of a case by the outcomes of the ones that were tried (H. Zhou and others,
  2025).
- ``memrl``: a use for each memory, moved by the reward whenever it was shown (S. Zhang and others,
  2026).

All but the reward model see the reward of what they pick and of nothing else.
"""

from __future__ import annotations

import math
import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from text2mem.errors import MissingExtra
from text2mem_bench.agent.selectors import NAMES, Learned, Useful
from text2mem_bench.experience.outcomes import NONE, Outcome

if TYPE_CHECKING:
    from torch import Tensor, nn

_HIDDEN = 16
_RATE = 3e-3
_EPOCHS, _BATCH, _MINI, _AGAIN = 60, 128, 16, 2
_CLIP, _VALUE, _ENTROPY, _KL = 0.2, 0.2, 0.01, 0.02
_SOON = 0.1
"""What an attempt that is solved at once is worth beside one that is solved at the last turn."""
_MOST_TURNS = 8
_STEP, _WARM, _NEVER = 0.3, 0.5, -1e9


@dataclass(frozen=True, slots=True)
class Choice:
    """A state with its candidates, none of them the first."""

    state: str
    outcomes: tuple[Outcome, ...]

    @property
    def rewards(self) -> list[float]:
        """What each leads to in the end."""
        return [final(each) for each in self.outcomes]


Reward = Callable[[Choice], Sequence[float]]


def final(outcome: Outcome) -> float:
    """Whether the attempt was right, and a little for how soon."""
    return outcome.ended * (1 + _SOON * (1 - outcome.turns / _MOST_TURNS))


def rubric(outcome: Outcome) -> tuple[float, ...]:
    """The labels of a counterfactual: the next action was of use, was new, and solved the task;
    the attempt was solved in the end."""
    flags = (outcome.ran, outcome.new, outcome.solved, outcome.ended)
    return tuple(map(float, flags))


WORTH = (0.15, 0.05, 0.3, 0.5)
"""How much each line of the rubric counts."""


def choices(outcomes: Iterable[Outcome], level: str) -> list[Choice]:
    """The states of a level that have candidates, each with the outcome of showing none first."""
    states: dict[str, list[Outcome]] = defaultdict(list)
    for outcome in outcomes:
        if outcome.level == level:
            states[outcome.state].append(outcome)
    ordered = ((state, sorted(held, key=lambda o: o.place)) for state, held in states.items())
    return [
        Choice(state, tuple(held))
        for state, held in ordered
        if len(held) > 1 and held[0].memory == NONE
    ]


def ppo(table: Sequence[Choice], reward: Reward, *, seed: int) -> Learned:
    """A selector by proximal policy optimisation. Raises MissingExtra without torch."""
    torch = _torch(seed)
    rows, held = _padded(torch, table)
    paid = _filled(torch, [reward(each) for each in table], rows.shape[1])
    actor, critic, first = _network(torch), _network(torch), _network(torch)
    first.load_state_dict(actor.state_dict())
    optimiser = torch.optim.Adam([*actor.parameters(), *critic.parameters()], lr=_RATE)
    for _ in range(_EPOCHS):
        for batch in torch.randperm(len(table)).split(_BATCH):
            with torch.no_grad():
                before = _log_policy(torch, actor, rows[batch], held[batch])
                start = _log_policy(torch, first, rows[batch], held[batch])
                tried = torch.multinomial(before.exp(), 1)
            for _ in range(_AGAIN):
                for some in torch.randperm(len(batch)).split(_MINI):
                    at, which = batch[some], tried[some]
                    now = _log_policy(torch, actor, rows[at], held[at])
                    got = paid[at].gather(1, which)[:, 0]
                    value = _mean(critic(rows[at])[..., 0], held[at])
                    ratio = (now.gather(1, which) - before[some].gather(1, which)).exp()[:, 0]
                    gain = (got - value).detach()
                    near = ratio.clamp(1 - _CLIP, 1 + _CLIP)
                    loss = (
                        -torch.minimum(ratio * gain, near * gain)
                        + _VALUE * (value - got) ** 2
                        + _ENTROPY * (now.exp() * now).sum(1)
                        + _KL * (now.exp() * (now - start[some])).sum(1)
                    )
                    _stepped(optimiser, loss.mean())
    return _learned(actor)


def reward_model(table: Sequence[Choice], *, seed: int, groups: bool = True) -> Reward:
    """What each candidate is worth, by a model of the rubric; ``groups`` adds the second training.

    Raises MissingExtra without torch.
    """
    torch = _torch(seed)
    rows, held = _padded(torch, table)
    width = rows.shape[1]
    told = torch.stack(
        [
            _filled(torch, [[rubric(o)[line] for o in each.outcomes] for each in table], width)
            for line in range(len(WORTH))
        ],
        dim=2,
    )
    worth, model = torch.tensor(WORTH), _network(torch, len(WORTH))
    optimiser = torch.optim.Adam(model.parameters(), lr=_RATE)
    loss_of = torch.nn.BCEWithLogitsLoss(reduction="none")
    for _ in range(_EPOCHS):
        for at in torch.randperm(len(table)).split(_MINI):
            lost = loss_of(model(rows[at]), told[at]).mean(2)
            _stepped(optimiser, _mean(lost, held[at]).mean())
    if groups:
        _by_groups(torch, model, rows, held, told @ worth)

    def judged(choice: Choice) -> Sequence[float]:
        given = torch.tensor([outcome.row for outcome in choice.outcomes])
        with torch.no_grad():
            marks: list[float] = (torch.sigmoid(model(given)) @ worth).tolist()
        return marks

    return judged


def _by_groups(torch: Any, model: Any, rows: Tensor, held: Tensor, paid: Tensor) -> None:
    """Group relative policy optimisation: the model's marks choose among a state's candidates, and
    each counts by how far it is above the mean of them."""
    worth = torch.tensor(WORTH)
    optimiser = torch.optim.Adam(model.parameters(), lr=_RATE / 3)

    def policy(at: Tensor) -> Tensor:
        marks = (torch.sigmoid(model(rows[at])) @ worth) / _WARM
        likely: Tensor = torch.log_softmax(marks.masked_fill(~held[at], _NEVER), 1)
        return likely

    with torch.no_grad():
        start = policy(torch.arange(len(rows)))
    mean = _mean(paid, held)[:, None]
    spread = _mean((paid - mean) ** 2, held)[:, None].sqrt()
    gain = (paid - mean) / (spread + 1e-6) * held
    for _ in range(_EPOCHS // 2):
        for at in torch.randperm(len(rows)).split(_MINI):
            now = policy(at)
            kept = (now.exp() * (now - start[at])).sum(1)
            _stepped(optimiser, (-(now.exp() * gain[at]).sum(1) + _KL * kept).mean())


def memento(table: Sequence[Choice], *, seed: int) -> Learned:
    """The worth of a case by its features, from what was tried; one is always shown.

    Raises MissingExtra without torch.
    """
    torch = _torch(seed)
    rows, held = _padded(torch, table)
    paid = _filled(torch, [each.rewards for each in table], rows.shape[1])
    shown = held.clone()
    shown[:, 0] = False  # none is no case
    worth = _network(torch)
    optimiser = torch.optim.Adam(worth.parameters(), lr=_RATE)
    for _ in range(_EPOCHS):
        for at in torch.randperm(len(table)).split(_MINI):
            scores = worth(rows[at])[..., 0]
            likely = (scores.detach() / _WARM).masked_fill(~shown[at], _NEVER).softmax(1)
            tried = torch.multinomial(likely, 1)
            lost = (scores.gather(1, tried) - paid[at].gather(1, tried)) ** 2
            _stepped(optimiser, lost.mean())
    return _learned(worth, may_abstain=False)


def memrl(table: Sequence[Choice], *, seed: int, rounds: int = 6) -> Useful:
    """A use for each memory, from when it was shown; near and useful ones are shown more often."""
    chance = random.Random(seed)
    uses: dict[str, float] = defaultdict(float)
    for _ in range(rounds):
        for each in chance.sample(list(table), len(table)):
            held = each.outcomes[1:]
            weights = [math.exp((o.cosine + uses[o.memory]) / _WARM) for o in held]
            tried = chance.choices(held, weights)[0]
            uses[tried.memory] += _STEP * (final(tried) - uses[tried.memory])
    return Useful(dict(uses))


def by_outcome(choice: Choice) -> Sequence[float]:
    """The reward without a model: what comes of it in the end."""
    return choice.rewards


def _torch(seed: int) -> Any:
    try:
        import torch
    except ImportError as error:
        raise MissingExtra("learning selectors", extra="learn") from error
    torch.manual_seed(seed)
    torch.set_num_threads(1)  # for so small a network more of them only wait for each other
    return torch


def _network(torch: Any, out: int = 1) -> nn.Module:
    made: nn.Module = torch.nn.Sequential(
        torch.nn.Linear(len(NAMES), _HIDDEN), torch.nn.Tanh(), torch.nn.Linear(_HIDDEN, out)
    )
    return made


def _padded(torch: Any, table: Sequence[Choice]) -> tuple[Tensor, Tensor]:
    """The features of every state's candidates, and which of the places hold one."""
    width = max(len(each.outcomes) for each in table)
    rows = torch.zeros(len(table), width, len(NAMES))
    held = torch.zeros(len(table), width, dtype=torch.bool)
    for place, each in enumerate(table):
        rows[place, : len(each.outcomes)] = torch.tensor([outcome.row for outcome in each.outcomes])
        held[place, : len(each.outcomes)] = True
    return rows, held


def _filled(torch: Any, values: Sequence[Sequence[float]], width: int) -> Tensor:
    rows = [[*each, *[0.0] * (width - len(each))] for each in values]
    filled: Tensor = torch.tensor(rows)
    return filled


def _log_policy(torch: Any, network: nn.Module, rows: Tensor, held: Tensor) -> Tensor:
    likely: Tensor = torch.log_softmax(network(rows)[..., 0].masked_fill(~held, _NEVER), 1)
    return likely


def _mean(values: Tensor, held: Tensor) -> Tensor:
    """The mean of what is held, a state."""
    return (values * held).sum(1) / held.sum(1)


def _stepped(optimiser: Any, loss: Tensor) -> None:
    optimiser.zero_grad()
    loss.backward()
    optimiser.step()


def _learned(network: Any, *, may_abstain: bool = True) -> Learned:
    inner, outer = network[0], network[2]
    hidden = [
        (*weights, bias)
        for weights, bias in zip(inner.weight.tolist(), inner.bias.tolist(), strict=True)
    ]
    return Learned(tuple(hidden), (*outer.weight[0].tolist(), outer.bias[0].item()), may_abstain)
