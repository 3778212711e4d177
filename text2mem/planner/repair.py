"""Repair: diagnostics go back to the model until the program is legal, or it gives up.

Only the part that failed is redrafted. The loop is bounded in attempts and output tokens, and stops
early when a redraft earns the same diagnostics again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from text2mem.errors import ContextOverflow, ModelOutputError, RepairExhausted
from text2mem.ir.diagnostic import Diagnostic, render
from text2mem.planner import conflicts, effects
from text2mem.planner.ask import Ask
from text2mem.planner.asking import Question
from text2mem.planner.parts import Part, assembled
from text2mem.planner.planner import Planner
from text2mem.planner.steps import Steps
from text2mem.providers.base import Completion, Request, Usage

Check = Callable[[list[Any]], Sequence[Diagnostic]]


@dataclass(frozen=True, slots=True)
class Budget:
    """What repair may cost: redrafts, and output tokens over the whole compile."""

    attempts: int = 3
    tokens: int = 4_000


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
    """Every question of one compile and what it cost; ``warnings`` are of the program it made."""

    attempts: list[Attempt] = field(default_factory=list)
    usage: Usage = field(default_factory=Usage)
    questions: list[tuple[Request, Completion]] = field(default_factory=list)
    warnings: tuple[Diagnostic, ...] = ()


def plan(
    planner: Planner,
    ask: Ask,
    check: Check,
    budget: Budget,
    trace: Trace,
    tried: Check = lambda _: (),
) -> Steps[list[Any] | Question]:
    """A legal program for an utterance, or a question. Raises RepairExhausted with every attempt.

    ``check`` says what is illegal; ``tried`` what a legal draft would wrongly do to the store. What
    is odd about the program, and may be meant, is in the trace's ``warnings``.

    A model that answers unusably (no JSON, cut off, empty) is asked again within the same bounds;
    a prompt that does not fit, and a service that is down, end the plan.
    """
    parts: list[Part] = []
    failing: int | None = None
    complaint: list[Diagnostic] = []
    previous: tuple[Diagnostic, ...] | None = None
    while True:
        spent = trace.usage
        try:
            if failing is None:
                parts = yield from _counted(planner.draft(ask), trace)
            else:
                steps = planner.redraft(parts[failing], complaint)
                parts[failing] = yield from _counted(steps, trace)
        except ContextOverflow:
            raise
        except ModelOutputError as error:
            # A wrong shape was counted when it came; what the provider refused was not.
            if error.usage is not None:
                trace.usage = trace.usage + error.usage
            attempt = Attempt((), (), _since(spent, trace.usage), error.raw, str(error))
            trace.attempts.append(attempt)
            if _spent(budget, trace) or _repeats(trace.attempts):
                if any(attempt.diagnostics for attempt in trace.attempts):
                    raise _exhausted(f"no usable answer: {error}", trace) from error
                error.attempts = tuple(trace.attempts)
                raise
            continue
        questions = [part.question for part in parts if part.question is not None]
        if questions:
            return questions[0]
        program, origin = assembled(parts)
        found = tuple(d for d in check(program) if d.severity == "error")
        answer = parts[failing or 0].answer if parts else ""
        trace.attempts.append(Attempt(tuple(program), found, _since(spent, trace.usage), answer))
        if not found:
            # What code has linked to the store is what was asked for: only a model is doubted.
            doubts = _doubts(program, ask, tried) if any(part.asked for part in parts) else []
            named = [(parts[at].absent, step) for step, at in enumerate(origin)]
            absent = [effects.absent(phrase, step) for phrase, step in named if phrase]
            trace.warnings = (*absent, *(d for d in doubts if d.severity == "warning"))
            doubts = [d for d in doubts if d.severity == "error"]
            owners = [parts[_owner(d, origin)] for d in doubts]
            found = tuple(
                d for d, part in zip(doubts, owners, strict=True) if part.wrote(d.pointer)
            )
            if not found:
                return program
            trace.attempts[-1] = replace(trace.attempts[-1], diagnostics=found)
            if found == previous or _spent(budget, trace):
                asked = (_asked(d, program, ask.utterance) for d in found)
                return next((question for question in asked if question), program)
        else:
            _stop_if_hopeless(found, previous, budget, trace)
        previous = found
        blamed = [_owner(d, origin) for d in found]
        failing = blamed[0] if parts else None
        complaint = [d for d, owner in zip(found, blamed, strict=True) if owner == failing]


def _doubts(program: list[Any], ask: Ask, tried: Check) -> list[Diagnostic]:
    """What a legal draft says otherwise than the request, and what it would wrongly do."""
    said = conflicts.conflicts(program, ask.steps) if ask.aids.evidence else []
    return said or list(tried(program))


def _asked(diagnostic: Diagnostic, program: list[Any], utterance: str) -> Question | None:
    """What to ask where no redraft settles a doubt; None where the program may go as it is."""
    if diagnostic.code in (conflicts.UNSUPPORTED, conflicts.CONTRADICTS):
        return conflicts.question(diagnostic, program, utterance)
    return effects.question(diagnostic, program, utterance)


def _counted(steps: Steps[Any], trace: Trace) -> Steps[Any]:
    """The steps with every answer entered into the trace."""
    try:
        request = next(steps)
        while True:
            try:
                answer = yield request
            except Exception as error:
                request = steps.throw(error)
                continue
            trace.questions.append((request, answer))
            trace.usage = trace.usage + answer.usage
            request = steps.send(answer)
    except StopIteration as done:
        return done.value


def _stop_if_hopeless(
    found: tuple[Diagnostic, ...],
    previous: tuple[Diagnostic, ...] | None,
    budget: Budget,
    trace: Trace,
) -> None:
    why = "the same diagnostics came back" if found == previous else _spent(budget, trace)
    if why:
        raise _exhausted(f"{why}\n{render(found)}", trace)


def _spent(budget: Budget, trace: Trace) -> str:
    """Which of the bounds is reached; empty where none is."""
    redrafts = len(trace.attempts) - 1
    if redrafts >= budget.attempts:
        return f"{redrafts} redrafts did not mend it"
    if trace.usage.output >= budget.tokens:
        return f"{trace.usage.output} output tokens are spent"
    return ""


def _exhausted(why: str, trace: Trace) -> RepairExhausted:
    return RepairExhausted(
        f"the model did not write a legal program: {why}",
        attempts=trace.attempts, hint="say it in other words, or use a larger model",
    )  # fmt: skip


def _repeats(attempts: Sequence[Attempt]) -> bool:
    """Whether the last two attempts ended in the same unusable answer."""
    return (
        len(attempts) > 1
        and bool(attempts[-1].fault)
        and (attempts[-1].fault, attempts[-1].answer) == (attempts[-2].fault, attempts[-2].answer)
    )


def _owner(diagnostic: Diagnostic, origin: Sequence[int]) -> int:
    """The part that a diagnostic is about; of what is about the whole program, the first."""
    first = diagnostic.pointer.split("/")[1:2]
    index = int(first[0]) if first and first[0].isdigit() else 0
    return origin[min(index, len(origin) - 1)] if origin else 0


def _since(before: Usage, after: Usage) -> Usage:
    return Usage(
        after.prompt - before.prompt, after.output - before.output, after.cached - before.cached
    )
