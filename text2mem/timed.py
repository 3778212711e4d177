"""Work that is given so many seconds, whatever it waits for."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def within(seconds: float, work: Callable[[], T], name: str) -> T:
    """The answer of ``work``, in a thread of that name: looking up a host knows no timeout.

    Raises what it raises, and TimeoutError once the time is up; the thread is left to itself.
    """
    answers: queue.Queue[tuple[T] | Exception] = queue.Queue()

    def run() -> None:
        try:
            answers.put((work(),))
        except Exception as error:  # handed to the caller's thread, which judges it
            answers.put(error)

    threading.Thread(target=run, name=name, daemon=True).start()
    try:
        answer = answers.get(timeout=seconds)
    except queue.Empty:
        raise TimeoutError(f"no answer in {seconds:g} s") from None
    if isinstance(answer, Exception):
        raise answer
    return answer[0]
