"""The ways to remember that are held against each other: the same agent, budget and candidates."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from text2mem.errors import ConfigurationError
from text2mem.ir.words.segment import query_terms
from text2mem_bench.agent.bank import NEAREST, AgentBank
from text2mem_bench.agent.loop import Recall, Shown
from text2mem_bench.agent.selectors import Covering, Nearest, Remembering, Selector
from text2mem_bench.experience.learning import (
    Choice,
    Reward,
    by_outcome,
    choices,
    memento,
    memrl,
    ppo,
    reward_model,
)
from text2mem_bench.experience.outcomes import Outcome

FIXED = ("none", "static", "bm25", "cosine", "topk")
LEARNED = (
    "memento", "memrl", "merit-episode", "merit-turn", "merit", "merit-turn-terminal",
)  # fmt: skip
METHODS = (*FIXED, *LEARNED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ways:
    """Makes the recall of a method, for one task at a time.

    ``table`` is what the learned ones learn from, ``demonstration`` what the static one shows;
    ``many`` memories are shown of each level, out of the ``nearest``.
    """

    bank: AgentBank
    table: Sequence[Outcome] = ()
    demonstration: str = ""
    nearest: int = NEAREST
    many: int = 1
    seed: int = 0

    def of(self, method: str) -> Callable[[str], Recall]:
        """The recall of a method, by the name of the task that must not teach itself.

        Raises ConfigurationError for a method that there is not, or that has nothing to learn from,
        and MissingExtra without torch for one that learns.
        """
        if method in ("none", "static"):
            return lambda _: Shown("" if method == "none" else self.demonstration)
        if method not in METHODS:
            raise ConfigurationError(
                f"there is no way to remember called '{method}'",
                hint=f"there are {', '.join(METHODS)}",
            )
        episodes, turns = (
            self._learned(method) if method in LEARNED else (self._fixed(method), None)
        )
        by: Literal["vectors", "words"] = "words" if method == "bm25" else "vectors"
        return lambda task: Remembering(
            self.bank, episodes, turns, [task], by, self.nearest, self.many
        )

    def _fixed(self, method: str) -> Selector:
        return Covering(known(self.table)) if method == "topk" else Nearest()

    def _learned(self, method: str) -> tuple[Selector | None, Selector | None]:
        episodes, turns = choices(self.table, "episode"), choices(self.table, "turn")
        wanted = {"memento": (episodes,), "memrl": (episodes,), "merit-episode": (episodes,)}
        if not all(wanted.get(method, (episodes, turns))):
            raise ConfigurationError(
                f"there are no outcomes for '{method}' to learn from",
                hint="make a table first: text2mem bench experience … --table FILE --learn N",
            )
        if method == "memento":
            return memento(episodes, seed=self.seed), None
        if method == "memrl":
            return memrl(episodes, seed=self.seed), None
        whole = None if method == "merit-turn" else ppo(episodes, by_outcome, seed=self.seed)
        return whole, None if method == "merit-episode" else self._of_turns(method, turns)

    def _of_turns(self, method: str, turns: Sequence[Choice]) -> Selector:
        terminal = method == "merit-turn-terminal"
        reward: Reward = by_outcome if terminal else reward_model(turns, seed=self.seed)
        return ppo(turns, reward, seed=self.seed)


def known(table: Sequence[Outcome]) -> Mapping[str, float]:
    """Of every word of a task's name, how often those tasks were solved without a memory."""
    solved: dict[str, list[bool]] = defaultdict(list)
    for outcome in table:
        if outcome.level == "episode" and not outcome.memory:
            for word in query_terms(outcome.state):
                solved[word].append(outcome.ended)
    return {word: sum(each) / len(each) for word, each in solved.items()}
