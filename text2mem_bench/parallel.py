"""Work on many items, several at a time where that is allowed."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterable, Iterator
from fnmatch import fnmatchcase
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")
_AT_ONCE = (("openai:*", 16), ("ollama:*", 4), ("function:*", 16), ("*", 1))
"""The first pattern that the name of a model matches. A server queues what it cannot do at once; a
model in this process has one context."""


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
