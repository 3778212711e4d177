"""Cases played: the store filled, the request compiled over it, what came of it run and judged."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from text2mem.adapters.base import Adapter
from text2mem.compiled import Clarification
from text2mem.errors import ConfigurationError, ServiceError, StoreError, Text2MemError
from text2mem.ir.context import ExecutionContext
from text2mem.ir.ops import READS, Encode, Op, StepRef
from text2mem.ir.ports import Embedder
from text2mem.ir.record import as_row
from text2mem.ir.result import ProgramResult
from text2mem.memory import Memory
from text2mem.program import Program
from text2mem.providers.base import Provider, Usage
from text2mem.providers.function import FunctionProvider
from text2mem_bench.running import Memories, snapshot
from text2mem_bench.scores import Row
from text2mem_bench.wild.cases import Case, Store
from text2mem_bench.wild.holding import Seen
from text2mem_bench.wild.judging import Happened, Status, Verdict, judge
from text2mem_bench.wild.world import Worlds, context

EMPTY = "floor:empty"
"""In place of a model: does nothing, whatever is asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """What became of a request that whoever answers has carried out, or has not."""

    status: Status
    question: str | None = None
    error: str = ""


class Answerer:
    """What answers requests, over a store that is opened for each."""

    def open(self, adapter: Adapter, asking: ExecutionContext) -> Memory:
        """The store as whoever answers meets it."""
        return Memory(adapter, context=asking, summariser="extractive")

    def answer(self, case: Case, memory: Memory) -> Any:
        """A program, a question, what has been done, or anything else, which does nothing."""
        return None


@dataclass(frozen=True, slots=True)
class ByModel(Answerer):
    """Requests compiled by a model as the product does it; the same model runs what asks one."""

    model: str | Provider | None = None
    embedder: Embedder | None = None
    seed: int = 0

    def open(self, adapter: Adapter, asking: ExecutionContext) -> Memory:
        return Memory(adapter, model=self.model, embedder=self.embedder, context=asking)

    def answer(self, case: Case, memory: Memory) -> Any:
        """What the request compiles to, the turns before it given as texts."""
        return memory.compile(case.request, context=list(case.before), seed=self.seed)


@dataclass(slots=True)
class ByDrafts(Answerer):
    """Requests read beforehand: recorded drafts by the id of the case, linked and judged as any."""

    drafts: Mapping[str, Any]
    embedder: Embedder | None = None
    _case: str = ""

    def open(self, adapter: Adapter, asking: ExecutionContext) -> Memory:
        reader = FunctionProvider(lambda _: self.drafts[self._case])
        return Memory(adapter, model=reader, embedder=self.embedder, context=asking)

    def answer(self, case: Case, memory: Memory) -> Any:
        self._case = case.id
        return memory.compile(case.request, context=list(case.before))


@dataclass(frozen=True, slots=True)
class Scripted(Answerer):
    """Requests answered by a function of the case: programs as JSON, typed ones, or questions."""

    script: Callable[[Case], Any]

    def answer(self, case: Case, memory: Memory) -> Any:
        return self.script(case)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """One case and what became of it. ``verdict`` None: a service was down, it is not scored.

    ``answer`` is the class of what came back; ``seconds`` are the compile's.
    """

    case: Case
    happened: Happened
    verdict: Verdict | None
    answer: str = ""
    program: Sequence[Any] | None = None
    question: str | None = None
    error: str = ""
    usage: Usage
    seconds: float = 0.0

    def as_row(self) -> Row:
        """The row of a run."""
        case, verdict = self.case, self.verdict
        row: Row = {
            "id": case.id, "store": case.store, "lang": case.lang, "kind": case.kind,
            "utterance": case.request, "context": list(case.before), "meant": case.meant,
            "ask": case.ask, "status": self.happened.status, "answer": self.answer,
            "program": None if self.program is None else list(self.program),
            "ops": list(self.happened.ops),
            "acceptable": None if case.ops is None else [list(ops) for ops in case.ops],
            "question": self.question, "error": self.error, "read": list(self.happened.read),
            **_effect(self.happened),
            "usage": {
                "prompt_tokens": self.usage.prompt, "output_tokens": self.usage.output,
                "cached_tokens": self.usage.cached,
            },
            "seconds": round(self.seconds, 4), "scores": {},
        }  # fmt: skip
        if verdict is not None:
            row |= {
                "reasons": list(verdict.reasons), "harmed": list(verdict.harmed),
                "hidden": list(verdict.hidden), "unmeant": list(verdict.unmeant),
                "asked_needlessly": verdict.asked_needlessly, "did_not_ask": verdict.did_not_ask,
                "scores": scores(verdict),
            }  # fmt: skip
        return row


def scores(verdict: Verdict) -> dict[str, int | None]:
    """The verdict as scores, of which more is better: 1 or 0, None where it says nothing."""
    return {
        "right": int(verdict.right), "unharmed": int(not verdict.harmed),
        "unhidden": int(not verdict.hidden), "only_meant": int(not verdict.unmeant),
        "asks_well": int(not verdict.asked_needlessly and not verdict.did_not_ask),
        "ops_right": None if verdict.ops is None else int(verdict.ops),
    }  # fmt: skip


def score(
    cases: Iterable[Case], stores: Mapping[str, Store], worlds: Worlds, answerer: Answerer
) -> Iterator[Scored]:
    """Every case on a fresh copy of its store. Raises ConfigurationError: all would fail alike."""
    for case in cases:
        yield play(case, stores[case.store], worlds, answerer)


def play(case: Case, store: Store, worlds: Worlds, answerer: Answerer) -> Scored:
    """One case on a fresh copy of its store. Raises ConfigurationError."""
    with worlds.of(store) as adapter:
        before = snapshot(adapter, store.instant)
        status: Status = "nothing"
        answer: Any = None
        program: Program | None = None
        result: ProgramResult | None = None
        error = ""
        begun = time.perf_counter()
        seconds: float | None = None
        try:
            answer = answerer.answer(case, answerer.open(adapter, context(store)))
            seconds = time.perf_counter() - begun
            program = _program(answer, store)
            if isinstance(answer, Settled):
                status, error = answer.status, answer.error
            elif program is not None:
                status = "refused"
                runner = answerer.open(adapter, context(store, confirmed=True))
                result = runner.execute(program)
                error = "" if result.error is None else result.error.message
                status = "ran" if result.ok else "refused"
            elif isinstance(answer, Clarification):
                status = "asked"
        except (ConfigurationError, StoreError):
            raise
        except ServiceError as down:
            status, error = "service", str(down)
        except Text2MemError as failed:
            status, error = (status if program is not None else "no-program"), str(failed)
        after = snapshot(adapter, store.instant)
    happened = Happened(
        status=status, before=before, after=after, zone=store.zone, read=_read(result),
        ops=() if program is None else tuple(op.name for op in program.ops if not _heard(op)),
    )  # fmt: skip
    trace = getattr(answer, "trace", None)
    return Scored(
        case=case, happened=happened,
        verdict=None if status == "service" else judge(case, happened),
        answer="" if answer is None else type(answer).__name__,
        program=None if program is None else program.to_list(),
        question=answer.question if isinstance(answer, Clarification | Settled) else None,
        error=error,
        usage=getattr(trace, "usage", None) or Usage(),
        seconds=time.perf_counter() - begun if seconds is None else seconds,
    )  # fmt: skip


def _program(answer: Any, store: Store) -> Program | None:
    """What came back as a program; None where it is a question, or does nothing."""
    if isinstance(answer, list):
        answer = Program.load(answer, now=store.instant, tz=store.zone) if answer else None
    return cast(Program, answer) if hasattr(answer, "to_list") else None


def _heard(op: Op) -> bool:
    """Whether an op keeps a fact that was heard in what another one keeps."""
    return isinstance(op, Encode) and isinstance(op.attributes.get("source_episode_id"), StepRef)


def _read(result: ProgramResult | None) -> tuple[str, ...]:
    """The memories that reads returned or cited."""
    if result is None or not result.ok:
        return ()
    return tuple(
        dict.fromkeys(id_ for step in result.results if step.op in READS for id_ in step.affected)
    )


def _effect(happened: Happened) -> dict[str, Any]:
    """What changed and what is new, for whoever looks at the store."""
    seen = happened.seen().values()
    return {
        "changes": [
            {"id": c.id, "field": c.field, "before": c.before, "after": c.after}
            for one in seen if one.before is not None for c in one.changes
        ],
        "created": [_new(one, happened.after) for one in seen if one.before is None],
    }  # fmt: skip


def _new(one: Seen, after: Memories) -> dict[str, Any]:
    """A new memory, fields that are empty left out."""
    names = ("text", "type", "tags", "time", "subject", "remind_rrule", "remind_next", "expire_at",
             "expire_action", "lineage_parents")  # fmt: skip
    return {k: v for k, v in as_row(after[one.id], names).items() if v not in (None, "", [])}
