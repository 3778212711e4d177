"""Trace: every question of one compile, what came of it and what it cost."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from text2mem.errors import ModelOutputError
from text2mem.ir.diagnostic import Diagnostic
from text2mem.planner.draft import Draft
from text2mem.providers.base import Completion, Request, Usage


@dataclass(frozen=True, slots=True)
class Budget:
    """What a compile may cost: rereadings, and output tokens over all of them.

    ``picture`` is how many tokens of the store a tuned reader may be shown: all of what fits, else
    what is nearest. None is as many as its profile says: what it has read of a store it need not
    read again, as long as it is loaded.
    """

    attempts: int = 3
    tokens: int = 4_000
    picture: int | None = None


@dataclass(frozen=True, slots=True)
class Attempt:
    """One draft with what was wrong with it. ``fault`` is set where there was no usable answer."""

    program: tuple[Any, ...]
    diagnostics: tuple[Diagnostic, ...]
    usage: Usage
    answer: str = ""
    fault: str = ""


@dataclass(slots=True)
class Trace:
    """Every question of one compile and what it cost.

    ``warnings`` are of the program it made; ``sure`` is how certain the model was of the ops of
    ``draft``, the least of them, 1 where it is not told. ``remark``: beside the turns before it
    was read as a change, and by itself as nothing.
    """

    attempts: list[Attempt] = field(default_factory=list)
    usage: Usage = field(default_factory=Usage)
    questions: list[tuple[Request, Completion]] = field(default_factory=list)
    warnings: tuple[Diagnostic, ...] = ()
    draft: Draft | None = None
    sure: float = 1.0
    remark: bool = False

    def answered(self, request: Request, answer: Completion) -> None:
        """A question with its answer."""
        self.questions.append((request, answer))
        self.usage = self.usage + answer.usage

    def failed(self, error: ModelOutputError) -> None:
        """A question without a usable answer."""
        usage = error.usage or Usage()
        self.usage = self.usage + usage
        self.attempts.append(Attempt((), (), usage, error.raw, str(error)))

    def spent(self, budget: Budget) -> bool:
        """Whether the budget is used up."""
        return len(self.attempts) > budget.attempts or self.usage.output >= budget.tokens

    def repeats(self) -> bool:
        """Whether the last two attempts ended in the same unusable answer."""
        faults = [(each.fault, each.answer) for each in self.attempts[-2:]]
        return len(faults) > 1 and bool(faults[0][0]) and faults[0] == faults[1]
