"""One thing measured at one size."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Figure:
    """One thing measured at one size: median and 95th percentile in milliseconds.

    Of a rate ``p95`` is what nineteen of twenty measurements reach.
    """

    n: int
    what: str
    p50: float
    p95: float
    rounds: int
    unit: str = "ms"
    store: str = "sqlite"


def as_row(figure: Figure) -> dict[str, Any]:
    """A figure as JSON, rounded to what it is worth."""
    row = asdict(figure)
    return {**row, "p50": round(figure.p50, 3), "p95": round(figure.p95, 3)}


def timed(n: int, what: str, calls: Sequence[Callable[[], Any]]) -> Figure:
    """How long each call takes: median and 95th percentile in milliseconds."""
    return spread(n, what, [1000 * took(call) for call in calls])


def took(call: Callable[[], Any]) -> float:
    """How many seconds a call takes."""
    begun = time.perf_counter()
    call()
    return time.perf_counter() - begun


def spread(n: int, what: str, taken: Sequence[float]) -> Figure:
    """Median and 95th percentile of milliseconds."""
    ordered = sorted(taken)
    p95 = ordered[min(len(ordered) - 1, int(len(ordered) * 0.95))]
    return Figure(n, what, statistics.median(ordered), p95, len(ordered))


def rates(n: int, what: str, measured: Sequence[float]) -> Figure:
    """The median, and what all but the slowest twentieth reach."""
    ordered = sorted(measured)
    least = ordered[len(ordered) // 20]
    return Figure(n, what, statistics.median(ordered), least, len(ordered), "a second")
