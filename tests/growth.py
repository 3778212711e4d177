"""How the time of a piece of work grows with its size, which no machine's speed changes."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable

LINEAR = 9.0
"""The most that four times the work may take: 4 if it grows in proportion, 16 as the square."""


def growth(work: Callable[[int], object], size: int) -> float:
    """How many times the CPU time of work of a quarter of ``size`` does work of ``size`` take;
    each is taken at its quickest of several runs."""
    return _quickest(work, size, 2) / _quickest(work, size // 4, 3)


def _quickest(work: Callable[[int], object], size: int, runs: int) -> float:
    return min(_seconds(work, size) for _ in range(runs))


def _seconds(work: Callable[[int], object], size: int) -> float:
    gc.collect()
    begun = time.process_time()
    work(size)
    return time.process_time() - begun
