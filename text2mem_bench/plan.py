"""A run of the planning layer: the cases that are not done yet, each played, scored and kept."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, TypeVar

from text2mem.errors import ServiceError
from text2mem_bench.planning import Played, Predict, play, row_of
from text2mem_bench.running import temporary_stores
from text2mem_bench.runs import Run
from text2mem_bench.scores import UNSCORED, Row

if TYPE_CHECKING:
    from text2mem.ir.ports import Embedder
    from text2mem.providers.base import Provider
    from text2mem_bench.corpus import Case

T = TypeVar("T")
R = TypeVar("R")
_AT_ONCE = (("openai:*", 16), ("ollama:*", 4), ("function:*", 16), ("*", 1))
"""The first pattern that the name of a model matches. A server queues what it cannot do at once; a
model in this process has one context."""
_PATIENCE = 3
"""After so many cases in a row without an answer, a service counts as down and the run stops."""


@dataclass(frozen=True, slots=True)
class Judges:
    """Who else looks at a prediction: an embedder for SMA-cos, a model as the adjudicator."""

    embedder: Embedder | None = None
    adjudicator: Provider | None = None
    seed: int = 0


def pending(cases: Sequence[Case], run: Run) -> list[Case]:
    """The cases that have no row yet."""
    return [case for case in cases if case.id not in run.done]


def run_plan(
    cases: Sequence[Case],
    predict: Predict,
    run: Run,
    judges: Judges,
    *,
    threads: int = 1,
    embedder: Embedder | None = None,
) -> Iterator[Row]:
    """Play every pending case, and give out its row once it is kept; note the end of the run.

    An ``embedder`` gives the stored memories vectors, for grounding. Cases whose prerequisites do
    not run are left out, and named in the config. Raises the
    ServiceError of a service that stays down, ConfigurationError, and what is a bug of a provider.
    """
    left_out: list[str] = []
    silent = 0
    with temporary_stores() as stores:

        def work(case: Case) -> Played | str:
            judge = judges.adjudicator
            return (
                play(case, predict, stores, judge, seed=judges.seed, embedder=embedder) or case.id
            )

        for played in each(pending(cases, run), work, threads):
            if isinstance(played, str):
                left_out.append(played)
                continue
            row = row_of(played, judges.embedder)
            run.append(row)
            yield row
            silent = silent + 1 if row["status"] == UNSCORED else 0
            if silent == _PATIENCE and isinstance(played.prediction.error, ServiceError):
                raise played.prediction.error
    run.finish(left_out=sorted(left_out))


# --- several at a time ---------------------------------------------------------------------


def at_once(model: str) -> int:
    """How many questions a model, by its name, may be asked at once."""
    return next(most for pattern, most in _AT_ONCE if fnmatchcase(model.lower(), pattern))


def each(items: Iterable[T], work: Callable[[T], R], threads: int = 1) -> Iterator[R]:
    """What the work makes of every item: in order with one thread, else as each is done.

    What it raises is raised here. With several threads, items that are under way when the caller
    stops (Ctrl-C, or an error) are left to themselves: nobody waits for the answer of a server, and
    the threads end with the process.
    """
    if threads <= 1:
        yield from map(work, items)
        return
    waiting: queue.SimpleQueue[T] = queue.SimpleQueue()
    finished: queue.SimpleQueue[R | BaseException] = queue.SimpleQueue()
    left = 0
    for item in items:
        waiting.put(item)
        left += 1
    stopped = threading.Event()

    def run() -> None:
        while not stopped.is_set():
            try:
                item = waiting.get_nowait()
            except queue.Empty:
                return
            try:
                finished.put(work(item))
            except BaseException as error:
                finished.put(error)

    for _ in range(min(threads, left)):
        threading.Thread(target=run, daemon=True).start()
    try:
        for _ in range(left):
            done = finished.get()
            if isinstance(done, BaseException):
                raise done
            yield done
    finally:
        stopped.set()
