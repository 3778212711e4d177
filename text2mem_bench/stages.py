"""What each model-free stage costs for a one-op program, in microseconds."""

from __future__ import annotations

import statistics
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from text2mem.adapters.base import Adapter
from text2mem.clock import FixedClock
from text2mem.executor import execute
from text2mem.ir.context import ExecutionContext
from text2mem.ir.dialect import canonicalise
from text2mem.parser import parse
from text2mem.validator import validate
from text2mem_bench.figures import p95, took

NOW = datetime(2026, 3, 4, 10, 30, tzinfo=UTC)
PROGRAMS: dict[str, dict[str, Any]] = {
    "Encode": {
        "stage": "ENC", "op": "Encode",
        "args": {"payload": {"text": "The spare key is under the pot."}, "tags": ["key", "home"]},
    },
    "Promote": {
        "stage": "STO", "op": "Promote", "target": {"ids": ["1"]}, "args": {"weight_delta": 0.1},
    },
    "Label": {
        "stage": "STO", "op": "Label", "target": {"filter": {"has_tags": ["key"], "limit": 1}},
        "args": {"tags": ["house"]},
    },
    "Retrieve": {
        "stage": "RET", "op": "Retrieve",
        "target": {"filter": {"has_tags": ["key"], "time_range": {
            "relative": "last", "amount": 7, "unit": "days"}}},
    },
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Timing:
    """One measured thing: median and 95th percentile in microseconds over ``rounds``."""

    op: str
    stage: str
    median: float
    p95: float
    rounds: int


def measure(adapter: Adapter, rounds: int = 1000) -> list[Timing]:
    """Dialect + validate, parse, both, and execute, for each program, on a store."""
    context = ExecutionContext(clock=FixedClock(NOW))
    timings = []
    for op, document in PROGRAMS.items():
        canonical = canonicalise(document)
        ops = parse(canonical.instances, now=NOW, tz=UTC)

        def check(document: Any = document) -> None:
            list(validate(canonicalise(document), now=NOW, tz=UTC))

        def read(instances: Any = canonical.instances) -> None:
            parse(instances, now=NOW, tz=UTC)

        def both(check: Callable[[], None] = check, read: Callable[[], None] = read) -> None:
            check()
            read()

        def run(ops: Any = ops) -> None:
            execute(ops, adapter, context)

        run()
        for stage, call, times in (
            ("validate", check, rounds),
            ("parse", read, rounds),
            ("validate + parse", both, rounds),
            ("execute", run, max(1, rounds // 5)),
        ):
            timings.append(_timed(op, stage, call, times))
    return timings


def import_time(rounds: int = 5) -> Timing:
    """``import text2mem`` in fresh interpreters, their own start-up taken off."""
    code = "import time; t = time.perf_counter(); import text2mem; print(time.perf_counter() - t)"
    seconds = [
        float(subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout)
        for _ in range(rounds)
    ]
    return _timing("-", "import text2mem", seconds)


def _timed(op: str, stage: str, call: Callable[[], None], rounds: int) -> Timing:
    for _ in range(min(50, rounds)):
        call()
    return _timing(op, stage, [took(call) for _ in range(rounds)])


def _timing(op: str, stage: str, seconds: list[float]) -> Timing:
    return Timing(op, stage, statistics.median(seconds) * 1e6, p95(seconds) * 1e6, len(seconds))
