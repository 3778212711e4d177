"""Adversarial cases run on SQLite stores: their given programs, or what a model makes of them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from text2mem.adapters.base import Adapter
from text2mem.adapters.registry import open_adapter
from text2mem.compiled import Clarification, Compiled, Nothing, Undo
from text2mem.errors import (
    ConfigurationError,
    ParseError,
    PlannerError,
    ServiceError,
    ValidationError,
)
from text2mem.ir.ops import READS
from text2mem.pipeline import compile
from text2mem.planner import Budget
from text2mem.program import Program
from text2mem.providers.base import Provider, Usage
from text2mem.running import previewing
from text2mem_bench.adversarial.cases import AdversarialCase
from text2mem_bench.adversarial.judging import Happening, Verdict, judge, movements
from text2mem_bench.running import (
    Fault,
    Stopped,
    Stores,
    fill,
    illegal,
    run,
    snapshot,
    spent,
    temporary_stores,
)

_ASKS = "needs-confirmation"


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """One case and what became of it. ``verdict`` None: a service was down, so it is not scored.

    ``question`` is what the planner asks back; ``usage`` that of the compile, nothing for a program
    that was given.
    """

    case: AdversarialCase
    happened: Happening | None
    verdict: Verdict | None
    program: Sequence[Any] | None = None
    question: str | None = None
    error: str = ""
    usage: Usage = field(default_factory=Usage)
    seconds: float = 0.0

    @property
    def right(self) -> bool:
        """Whether it ended as it should."""
        return self.verdict is not None and self.verdict.right

    def as_dict(self) -> dict[str, Any]:
        """The row as JSON."""
        row: dict[str, Any] = {
            "id": self.case.id, "lang": self.case.lang, "kind": self.case.kind,
            "utterance": self.case.utterance,
            "program": None if self.program is None else list(self.program),
            "question": self.question,
        }  # fmt: skip
        if self.happened is None or self.verdict is None:
            row["status"] = "service"
        else:
            row |= {
                "status": self.happened.end, "outcome": self.verdict.outcome,
                "right": self.verdict.right, "harm": self.verdict.harm,
                "unasked": list(self.verdict.unasked),
                "reasons": list(self.verdict.reasons), "ops": list(self.happened.ops),
                "touched": list(self.happened.touched), "created": list(self.happened.created),
                "returned": list(self.happened.returned),
                "faults": [fault.as_dict() for fault in self.happened.faults],
            }  # fmt: skip
        usage = {"prompt_tokens": self.usage.prompt, "output_tokens": self.usage.output}
        return {**row, "error": self.error, "usage": usage, "seconds": round(self.seconds, 4)}


def judge_programs(cases: Iterable[AdversarialCase]) -> Iterator[Judged]:
    """The given program of every case that has one."""
    with temporary_stores() as stores:
        for case in cases:
            if case.program is not None:
                yield _judged(case, stores, lambda case, _: case.program, given=True)


def judge_utterances(
    cases: Iterable[AdversarialCase],
    provider: Provider,
    *,
    budget: Budget | None = None,
    seed: int = 0,
) -> Iterator[Judged]:
    """The utterance of every case that has one, compiled over the case's store and run on it."""

    def planned(case: AdversarialCase, adapter: Adapter) -> Compiled:
        assert case.utterance is not None
        context = case.execution_context
        return compile(
            case.utterance, model=provider, context=case.context, store=adapter.view(context),
            preview=previewing(adapter, context), clock=context.clock, tz=context.tz,
            budget=budget, seed=seed,
        )  # fmt: skip

    with temporary_stores() as stores:
        for case in cases:
            if case.utterance is not None:
                yield _judged(case, stores, planned, given=False)


def _judged(
    case: AdversarialCase,
    stores: Stores,
    programs: Callable[[AdversarialCase, Adapter], Any],
    *,
    given: bool,
) -> Judged:
    begun = time.perf_counter()
    with stores.fresh() as (adapter, path), ExitStack() as stack:
        tenants = _tenants(case, adapter, path, stack)
        _fill(case, tenants)
        before = {name: snapshot(each, case.now, name) for name, each in tenants.items()}
        own = tenants[case.caller.tenant]
        program: Program | None = None
        question: str | None = None
        error = ""
        used = Usage()
        try:
            answer = programs(case, own)
            if isinstance(answer, Clarification):
                question, ended = answer.question, _asking(answer)
                used = answer.trace.usage if answer.trace else used
            elif isinstance(answer, Nothing | Undo):
                ended = Happening(end="ran")  # of a chat, or a wish to undo, nothing comes here
            else:
                program = _loaded(answer, case)
                ended = _run(program, own, case)
        except ServiceError as down:
            return Judged(case=case, happened=None, verdict=None, error=str(down))
        except PlannerError as failed:
            error, used = str(failed), spent(failed)
            ended = Happening(end="no-program", faults=(Fault(type(failed).__name__, "", error),))
        except (ValidationError, ParseError) as refused:
            ended = Happening(end="refused", faults=illegal(refused).faults)
        after = {name: snapshot(each, case.now, name) for name, each in tenants.items()}
    touched, created = movements(before, after, case.caller.tenant)
    happened = replace(ended, touched=touched, created=created)
    if program is not None and program.trace is not None:
        used = program.trace.usage
    return Judged(
        case=case, happened=happened, verdict=judge(happened, case.expected, given=given),
        program=None if program is None else program.to_list(), question=question, error=error,
        usage=used, seconds=time.perf_counter() - begun,
    )  # fmt: skip


def _asking(question: Clarification) -> Happening:
    """A question gives out the memories that it shows."""
    shown = tuple(str(one["id"]) for one in question.candidates if "id" in one)
    return Happening(end="asked", returned=shown)


def _loaded(program: Any, case: AdversarialCase) -> Program:
    if isinstance(program, Program):
        return program
    return Program.load(program, now=case.now, tz=case.execution_context.tz)


def _run(program: Program, adapter: Adapter, case: AdversarialCase) -> Happening:
    ran = run(program, adapter, case.execution_context)
    ops = tuple(op.name for op in program.ops)
    if isinstance(ran, Stopped):
        asks = {fault.code for fault in ran.faults} == {_ASKS}
        return Happening(end="asked" if asks else "refused", ops=ops, faults=ran.faults)
    returned = [id_ for step in ran.results if step.op in READS for id_ in step.affected]
    return Happening(end="ran", ops=ops, returned=tuple(dict.fromkeys(returned)))


def _tenants(
    case: AdversarialCase, adapter: Adapter, path: Path, stack: ExitStack
) -> dict[str, Adapter]:
    """A connection for every tenant of the case, to the same file."""
    return {
        name: adapter
        if name == "default"
        else stack.enter_context(closing(open_adapter(path, tenant=name)))
        for name in case.tenants
    }


def _fill(case: AdversarialCase, tenants: dict[str, Adapter]) -> None:
    for step in case.setup:
        failed = fill(tenants[step.tenant], [step], case.now)
        if failed is not None:
            raise ConfigurationError(f"the case {case.id} cannot be set up: {failed}")
