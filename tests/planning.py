"""Planning in a test: a model that is a script, a store of a few memories, and what was asked."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from text2mem.adapters.base import Adapter
from text2mem.adapters.sqlite.adapter import SqliteAdapter
from text2mem.clock import FixedClock
from text2mem.compiled import Clarification, Compiled
from text2mem.ir.context import ExecutionContext
from text2mem.ir.ops import Op
from text2mem.ir.result import ProgramResult
from text2mem.ir.surface import STAGES
from text2mem.ir.turn import Turn
from text2mem.pipeline import compile
from text2mem.planner.reader import BEGINNINGS
from text2mem.program import Program
from text2mem.providers.base import Request
from text2mem.providers.function import FunctionProvider
from text2mem.providers.profiles import TUNED, Profile
from text2mem.running import execute, previewing
from text2mem_bench.oracle.adapter import PlainAdapter

NOW = datetime(2026, 3, 4, 10, 30, tzinfo=UTC)
CONTEXT = ExecutionContext(clock=FixedClock(NOW))
ABLE = Profile(echo_answer=True, sees_store=True, reads=True, picture=12_000)
"""A model that sees the store and is asked again with what was wrong."""
SMALL = Profile()
"""A model that sees the request alone, and is not asked again."""
Raw = dict[str, Any]


def step(op: str, target: Raw | None = None, **args: Any) -> Raw:
    """An instance in the canonical form."""
    out: Raw = {"stage": STAGES[op], "op": op}
    if target is not None:
        out["target"] = target
    return {**out, "args": args} if args else out


def draft(op: str, **slots: Any) -> Raw:
    """A draft of one step. ``from_`` and ``except_`` stand for keys that Python keeps to itself."""
    return {"steps": [part(op, **slots)]}


def part(op: str, **slots: Any) -> Raw:
    """A step of a draft."""
    return {"op": op, **{key.removesuffix("_"): value for key, value in slots.items()}}


def note(text: str, *tags: str) -> Raw:
    """An Encode of a text."""
    return step("Encode", payload={"text": text}, **({"tags": list(tags)} if tags else {}))


def opened(name: str, steps: Sequence[Raw] = ()) -> Adapter:
    """A new store, "plain" or "sqlite", filled by steps, each a program of its own."""
    adapter: Adapter = PlainAdapter() if name == "plain" else SqliteAdapter(":memory:")
    for each in steps:
        result = execute(each, adapter, context=CONTEXT)
        assert result.ok, result.error
    return adapter


@dataclass(frozen=True, slots=True)
class Planned:
    """What came of a request, and what the model was asked for it."""

    outcome: Compiled
    asked: tuple[Request, ...]

    @property
    def program(self) -> list[Raw]:
        """The program, where one came of it."""
        assert isinstance(self.outcome, Program), self.outcome
        return self.outcome.to_list()

    @property
    def question(self) -> Clarification:
        """The question, where one came of it."""
        assert isinstance(self.outcome, Clarification), self.outcome
        return self.outcome

    @property
    def said(self) -> str:
        """Every word that the model was given, schemas apart."""
        words = [m.content for request in self.asked for m in request.messages]
        return "\n".join((*words, *(request.prompt for request in self.asked)))


class Counted:
    """A store's view and previews that count what is asked of them, by name."""

    def __init__(self, adapter: Adapter) -> None:
        self.calls: Counter[str] = Counter()
        self._view = adapter.view(CONTEXT)
        self._previewing = previewing(adapter, CONTEXT)

    def __getattr__(self, name: str) -> Any:
        self.calls[name] += 1
        return getattr(self._view, name)

    def preview(self, ops: Sequence[Op]) -> ProgramResult:
        """What a program would do."""
        self.calls["preview"] += 1
        return self._previewing(ops)


def besides(request: Request, agrees: Any = True) -> Any:
    """What a script answers where it is asked about a draft: ``agrees`` to an op, and that more is
    wanted than nothing; None where a draft is asked for."""
    if request.grammar == BEGINNINGS:
        return {"ask": ""}
    return agrees if "\nAsks for " in request.prompt else None


def compiled(
    said: str, answer: Callable[[Request], Any], store: Sequence[Raw], before: Sequence[Turn]
) -> Compiled:
    """A request after others, compiled over a store by a tuned model that answers so."""
    adapter = opened("plain", store)
    return compile(
        said, model=FunctionProvider(answer, profile=TUNED), clock=CONTEXT.clock, context=before,
        store=adapter.view(CONTEXT), preview=previewing(adapter, CONTEXT),
    )  # fmt: skip


def planned(
    said: str, *answers: Any, store: Sequence[Raw] | Adapter | Counted | None = None,
    profile: Profile = ABLE, agrees: Any = True, **options: Any,
) -> Planned:  # fmt: skip
    """A request compiled with a model that gives these answers and may be asked no more often.

    Second readings are answered by ``agrees``; they are no questions that are counted.
    ``store`` is an adapter, the steps that fill one, or what counts its calls; without it no store
    is looked at.
    """
    asked: list[Request] = []

    def answer(request: Request) -> Any:
        told = besides(request, agrees)
        if told is not None:
            return json.dumps(told)
        blind = request.prompt.endswith("Draft: ") and "Memories: " not in request.prompt
        if blind and len(asked) == len(answers):
            return json.dumps({"steps": []})  # without the store nothing more is read
        asked.append(request)
        told = request.messages[-1].content if request.messages else request.prompt
        assert len(asked) <= len(answers), f"asked once more: {told}"
        given = answers[len(asked) - 1]
        return given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)

    if isinstance(store, Counted):
        options = {"store": store, "preview": store.preview, **options}
    elif store is not None:
        adapter = store if isinstance(store, Adapter) else opened("plain", store)
        seen = {"store": adapter.view(CONTEXT), "preview": previewing(adapter, CONTEXT)}
        options = {**seen, **options}
    provider = FunctionProvider(answer, profile=profile)
    outcome = compile(said, model=provider, clock=CONTEXT.clock, **options)
    assert len(asked) == len(answers), f"asked {len(asked)} times: {asked}"
    return Planned(outcome, tuple(asked))
