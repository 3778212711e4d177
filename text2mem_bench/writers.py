"""Several writers at once on one store, each a process of its own."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from typing import Any

from text2mem.clock import FixedClock
from text2mem.errors import StoreError
from text2mem.executor import execute
from text2mem.ir.context import ExecutionContext
from text2mem_bench.figures import Figure, spread, took
from text2mem_bench.places import Place
from text2mem_bench.synthetic import NOW, Synthetic

EACH = 50
_PATIENCE = 600.0


def at_once(n: int, place: Place, writers: int) -> Iterator[Figure]:
    """Writers of the one tenant, and writers of as many tenants as they are."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([__name__])
    for whose, tenants in (
        ("of one tenant", ["default"] * writers),
        ("of a tenant each", [f"writer-{number}" for number in range(writers)]),
    ):
        ready = context.Barrier(writers)
        told: Any = context.Queue()
        processes = [
            context.Process(target=_write, args=(place, tenant, number, ready, told))
            for number, tenant in enumerate(tenants)
        ]
        for process in processes:
            process.start()
        found = [told.get(timeout=_PATIENCE) for _ in processes]
        for process in processes:
            process.join()
        failed = [each for each in found if isinstance(each, str)]
        if failed:
            raise StoreError(f"a writer of {writers} failed: {failed[0]}", hint=place.name)
        taken = [1000 * each for _, _, lasted in found for each in lasted]
        what = f"encode, {writers} writers {whose}"
        yield spread(n, what, taken)
        span = max(ended for _, ended, _ in found) - min(begun for begun, _, _ in found)
        rate = len(taken) / span
        yield Figure(n, what, rate, rate, 1, "a second")


def _write(place: Place, tenant: str, number: int, ready: Any, told: Any) -> None:
    try:
        told.put(_written(place, tenant, number, ready))
    except Exception as error:  # what it was is for the process that waits
        ready.abort()
        told.put(f"{type(error).__name__}: {error}")


def _written(
    place: Place, tenant: str, number: int, ready: Any
) -> tuple[float, float, list[float]]:
    """When it began and ended, and how long each program took, in seconds."""
    context = ExecutionContext(tenant=tenant, clock=FixedClock(NOW), confirmed=True)
    programs = [[op] for op in Synthetic(1000 + number).encodes(EACH)]
    with closing(place.opened(tenant)) as adapter:
        ready.wait(_PATIENCE)
        begun, lasted = time.monotonic(), []
        for program in programs:
            lasted.append(took(partial(execute, program, adapter, context)))
        return begun, time.monotonic(), lasted
