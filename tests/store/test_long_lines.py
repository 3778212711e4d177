"""What a version costs does not grow with the number of versions of its fact."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from datetime import timedelta
from functools import partial

from tests.store.programs import NOW, Step, done, fact, opened
from text2mem import Memory
from text2mem.ir.times.temporal import format_instant

WORK = 100
"""How many instructions of SQLite are one unit of work."""


def reading(number: int, *, attribute: str = "reading") -> Step:
    """A value of a gauge, the later the greater its number."""
    begins = format_instant(NOW - timedelta(days=9) + timedelta(minutes=number))
    return fact("gauge", attribute, number, valid_from=begins)


def worked(memory: Memory, write: Callable[[], object]) -> int:
    """The units of work of SQLite that a write costs."""
    count = 0

    def unit() -> int:
        nonlocal count
        count += 1
        return 0

    connection = memory.adapter._store.connection  # type: ignore[attr-defined]
    connection.set_progress_handler(unit, WORK)
    write()
    connection.set_progress_handler(None, 0)
    return count


def test_a_version_costs_the_same_on_a_long_line() -> None:
    with closing(opened(":memory:", confirmed=True)) as memory:
        done(memory, *map(reading, range(0, 100, 2)))
        short = worked(memory, lambda: done(memory, reading(51), reading(101)))
        done(memory, *map(reading, range(200, 2000, 2)))
        long = worked(memory, lambda: done(memory, reading(1001), reading(2001)))
    assert long <= 2 * short


def test_forgetting_costs_what_is_forgotten() -> None:
    costs = []
    for count in (100, 800):
        with closing(opened(":memory:", confirmed=True)) as memory:
            done(memory, *(reading(1, attribute=f"dial {n}") for n in range(count)))
            costs.append(worked(memory, partial(memory.forget, subject="gauge")))
    assert costs[1] <= 12 * costs[0]
