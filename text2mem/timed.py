"""Run work with a time limit, whatever it waits for."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def within(seconds: float, work: Callable[[], T], name: str) -> T:
    """The result of ``work``, run in a thread of that name. (A look-up of a host, for example, has
    no timeout.)

    Raises what ``work`` raises, and TimeoutError after ``seconds``; the thread is then abandoned.
    """
    answers: queue.Queue[tuple[T] | Exception] = queue.Queue()

    def run() -> None:
        try:
            answers.put((work(),))
        except Exception as error:  # passed on to the caller's thread
            answers.put(error)

    threading.Thread(target=run, name=name, daemon=True).start()
    try:
        answer = answers.get(timeout=seconds)
    except queue.Empty:
        raise TimeoutError(f"no answer in {seconds:g} s") from None
    if isinstance(answer, Exception):
        raise answer
    return answer[0]
