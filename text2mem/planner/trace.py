"""Trace: every question to the model during one compile, with its result and cost."""

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

    ``picture`` is how many tokens of the store a tuned reader may be shown: all of it if it fits,
    else the nearest memories. None takes the number of its profile: while the model is loaded, it
    need not read again what it has read of a store.
    """

    attempts: int = 3
    tokens: int = 4_000
    picture: int | None = None


@dataclass(frozen=True, slots=True)
class Attempt:
    """One draft with what was wrong with it. ``fault`` says why there was no usable answer."""

    program: tuple[Any, ...]
    diagnostics: tuple[Diagnostic, ...]
    usage: Usage
    answer: str = ""
    fault: str = ""


@dataclass(slots=True)
class Trace:
    """Every question to the model during one compile, and its cost.

    ``warnings`` are those of the program. ``sure`` is the least probability of an op of ``draft``,
    or 1 if it is not known. ``remark``: the request was read as a change with the earlier turns,
    and as nothing without them.
    """

    attempts: list[Attempt] = field(default_factory=list)
    usage: Usage = field(default_factory=Usage)
    questions: list[tuple[Request, Completion]] = field(default_factory=list)
    warnings: tuple[Diagnostic, ...] = ()
    draft: Draft | None = None
    sure: float = 1.0
    remark: bool = False

    def record_answer(self, request: Request, answer: Completion) -> None:
        self.questions.append((request, answer))
        self.usage = self.usage + answer.usage

    def record_failure(self, error: ModelOutputError) -> None:
        """Record a question without a usable answer."""
        usage = error.usage or Usage()
        self.usage = self.usage + usage
        self.attempts.append(Attempt((), (), usage, error.raw, str(error)))

    def spent(self, budget: Budget) -> bool:
        return len(self.attempts) > budget.attempts or self.usage.output >= budget.tokens

    def repeats(self) -> bool:
        """Whether the last two attempts ended in the same unusable answer."""
        faults = [(each.fault, each.answer) for each in self.attempts[-2:]]
        return len(faults) > 1 and bool(faults[0][0]) and faults[0] == faults[1]
