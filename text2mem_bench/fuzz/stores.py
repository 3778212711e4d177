"""Programs on a store: runs, dry runs, undo, a clock that moves, history and lineage."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from random import Random
from typing import Any

from text2mem.clock import SetClock
from text2mem.errors import ConfigurationError, Text2MemError
from text2mem.ir.context import ExecutionContext
from text2mem.ir.result import ProgramResult
from text2mem.memory import Memory
from text2mem.opening import EXTRACTIVE
from text2mem.program import Program
from text2mem.providers.base import Request
from text2mem.providers.function import FunctionProvider
from text2mem.services.extractive import SentenceSplitter
from text2mem_bench.fuzz import grammar
from text2mem_bench.fuzz.meter import Broken, Meter, strict
from text2mem_bench.fuzz.programs import NOW
from text2mem_bench.fuzz.tree import mutated
from text2mem_bench.synthetic import RandomVectors

_LAST = datetime(9998, 12, 1, tzinfo=NOW.tzinfo)
_STEPS = (1, 60, 3_600, 86_400, 90_000, 7 * 86_400, 400 * 86_400, 10**9, -60, -86_400, 10**11)
"""Seconds by which the clock moves; it stays between ``NOW`` less a year and ``_LAST``."""
_PLAIN = 0.75


def make(random: Random) -> Any:
    """Whether memories get vectors, and what is done to a store, one act after another."""
    acts: list[Any] = [["run", grammar.encode(random)] for _ in range(random.randint(2, 6))]
    for _ in range(random.randint(3, 12)):
        acts.append(_act(random))
    return {"vectors": random.random() < 0.15, "acts": acts}


def _act(random: Random) -> list[Any]:
    kind = random.random()
    if kind < 0.5:
        return [random.choice(("run", "run", "dry", "basis")), program(random)]
    if kind < 0.55:
        return ["batch", [program(random) for _ in range(random.randint(1, 3))]]
    if kind < 0.65:
        return ["undo", random.randint(0, 9), random.random() < 0.3]
    if kind < 0.8:
        return ["pass", random.choice(_STEPS)]
    if kind < 0.85:
        return ["as", random.choice((None, "Ana", "Bo")), random.choice(([], ["team"]))]
    if kind < 0.95:
        return ["look", str(random.choice((1, 2, 3, 7, 99, 0, -1, 10**18, "x", "", "1\x00")))]
    return [random.choice(("undo last", "tick", "log", "reindex"))]


def program(random: Random) -> Any:
    """A program, most of the time as the grammar has it."""
    made = grammar.program(random, most=3)
    return made if random.random() < _PLAIN else mutated(random, made, 1)


def silent(request: Request) -> str:
    """A model that answers nothing."""
    return ""


def run_on(store: str) -> Callable[[Any, Meter], None]:
    """What runs a case on a new store of this name."""

    def run(held: Any, meter: Meter) -> None:
        if not isinstance(held, dict) or not isinstance(held.get("acts"), list):
            return
        clock = SetClock(NOW)
        memory = Memory(
            store, model=FunctionProvider(silent), summariser=EXTRACTIVE,
            splitter=SentenceSplitter(),
            embedder=RandomVectors() if held.get("vectors") is True else "none",
            context=ExecutionContext(clock=clock, confirmed=True),
        )  # fmt: skip
        with memory:
            life = _Life(memory, clock, meter)
            for act in held["acts"]:
                if isinstance(act, list) and act:
                    life.act(*act)

    return run


class _Life:
    """A store through the acts of a case. What is no act is passed over."""

    def __init__(self, memory: Memory, clock: SetClock, meter: Meter) -> None:
        self._memory = memory
        self._clock = clock
        self._meter = meter
        self._traces: list[str] = []

    def act(self, what: Any, *given: Any) -> None:
        """Do one thing."""
        known = {"run": 1, "dry": 1, "basis": 1, "batch": 1, "undo": 2, "pass": 1, "as": 2,
                 "look": 1, "undo last": 0, "tick": 0, "log": 0, "reindex": 0}  # fmt: skip
        if isinstance(what, str) and known.get(what) == len(given):
            getattr(self, "_" + what.replace(" ", "_"))(*given)

    def _run(self, document: Any, basis: str | None = None) -> None:
        result = self._meter.call(
            "execute", lambda: self._memory.execute(document, basis=basis), _told
        )
        self._check(result)
        if isinstance(result, ProgramResult) and result.ok and not result.dry_run:
            self._traces.append(result.trace_id)

    def _dry(self, document: Any) -> ProgramResult | Text2MemError:
        before = self._state()
        result = self._meter.call("dry run", lambda: self._memory.preview(document), _told)
        self._check(result)
        if self._state() != before:
            raise Broken("a dry run changed the store")
        return result

    def _basis(self, document: Any) -> None:
        result = self._dry(document)
        if isinstance(result, ProgramResult) and result.ok:
            self._run(document, result.basis)

    def _batch(self, documents: Any) -> None:
        if not isinstance(documents, list):
            return
        now, load = self._clock.now(), Program.load
        programs = [self._meter.call("load", lambda d=d: load(d, now=now)) for d in documents]  # type: ignore[misc]
        legal = [each for each in programs if isinstance(each, Program)]
        results = self._meter.call("batch", lambda: [*self._memory.execute_many(legal)])
        for result in results if isinstance(results, list) else ():
            self._check(result)

    def _undo(self, number: Any, force: Any) -> None:
        if self._traces and type(number) is int:
            trace = self._traces[number % len(self._traces)]
            undo = self._memory.undo
            result = self._meter.call("undo", lambda: undo(trace, force=force is True), _told)
            self._check(result)

    def _undo_last(self) -> None:
        result = self._meter.call("undo last", self._memory.undo_last, _told)
        self._check(result)

    def _pass(self, seconds: Any) -> None:
        """Let time pass, a clock that is set back included, and look whether anything is due."""
        if type(seconds) is int and abs(seconds) <= 10**12:
            moved = self._clock.at.timestamp() + seconds
            least, most = NOW.timestamp() - 365 * 86_400, _LAST.timestamp()
            begin = datetime(1970, 1, 1, tzinfo=NOW.tzinfo)
            self._clock.at = begin + timedelta(seconds=min(max(moved, least), most))
            self._tick()

    def _tick(self) -> None:
        self._meter.call("tick", self._memory.tick)

    def _as(self, actor: Any, roles: Any) -> None:
        if not isinstance(roles, list) or not isinstance(actor, str | None):
            return
        try:
            self._memory.context = replace(
                self._memory.context, actor=actor, roles=frozenset(map(str, roles))
            )
        except ConfigurationError:
            return

    def _look(self, id_: Any) -> None:
        if isinstance(id_, str):
            for what, look in (("show", self._memory.show), ("history", self._memory.history),
                               ("lineage", self._memory.lineage)):  # fmt: skip
                self._meter.call(what, lambda look=look: look(id_), _found)  # type: ignore[misc]

    def _log(self) -> None:
        self._meter.call("log", lambda: self._memory.log(limit=50), _found)

    def _reindex(self) -> None:
        self._meter.call("reindex", self._memory.reindex)

    def _state(self) -> list[tuple[str, int]]:
        return [(each.id, each.version) for each in self._memory.view().recent(100)]

    def _check(self, result: object) -> None:
        """What a result says can be told: it is strict JSON in UTF-8."""
        if isinstance(result, ProgramResult):
            self._meter.call("as JSON", lambda: strict(result.as_dict()))


def _told(result: ProgramResult) -> str:
    if result.ok:
        return "dry" if result.dry_run else "done"
    return f"refused: {result.error.code}" if result.error is not None else "refused"


def _found(value: object) -> str:
    return "found" if value else "nothing"
